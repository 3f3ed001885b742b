//! Arrays that their index changes.

use rmcp::{RoleServer, service::RequestContext};
use serde::{Deserialize, Serialize};
use tests::{Case, Failure, Trace, answers::Count};

type Result<T, E = Failure> = std::result::Result<T, E>;
type Context = RequestContext<RoleServer>;

macro_rules! text {
    ($module:ident $(#[$mark:meta])?) => {
        #[allow(warnings, clippy::all)]
        mod $module {
            use super::*;

            $(#[$mark])?
            async fn draw(cx: &Context, deck: &mut [char; 3]) -> Result<usize> {
                deck.rotate_left(1); Ok(cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n).rem_euclid(3) as usize) }
            #[derive(Debug, Clone, Default, Serialize, Deserialize, PartialEq)]
            struct Hand { n: i64, hand: [i64; 3], rows: Vec<Vec<i64>> }
            impl Hand {
                $(#[$mark])?
                async fn roll(&mut self, cx: &Context) -> Result<usize> {
                    self.hand[0] += 7;
                    Ok(cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n).rem_euclid(3) as usize)
                }
                $(#[$mark])?
                async fn look(&mut self, cx: &Context) -> Result<i64> {
                    let n = self.hand[self.roll(cx).await?];
                    let m = self.hand[{ self.hand[1] = 50; cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n).rem_euclid(3) as usize }];
                    Ok(n + m)
                }
            }
            $(#[$mark])?
            pub async fn items(cx: Context, t: &Trace) -> Result<String> {
                let mut deck = ['a', 'b', 'c'];
                let card = deck[draw(&cx, &mut deck).await?];
                let mut a = [1i64, 2];
                let x = a[{ a = [7, 8]; cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n).rem_euclid(2) as usize }];
                let mut s = Hand::default();
                let y = s.hand[{ s.hand[0] = 5; cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n).rem_euclid(3) as usize }];
                let z = s.look(&cx).await?;
                let k = a[0] + a[{ a[1] = 9; cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n).rem_euclid(2) as usize }];
                Ok(format!("{card}{x}{y}{z}{k}{s:?}")) }
            $(#[$mark])?
            async fn pick(cx: &Context, names: &mut [String; 2]) -> Result<usize> {
                names[0].push('x'); Ok(cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n).rem_euclid(2) as usize) }
            $(#[$mark])?
            pub async fn of_texts(cx: Context, t: &Trace) -> Result<String> {
                let mut names = ["a".to_owned(), "bb".to_owned()];
                let n = names[pick(&cx, &mut names).await?].len();
                names[pick(&cx, &mut names).await?].push('5');
                let mut boxed = Box::new([1i64, 2]);
                let b = boxed[{ boxed[0] = 8; cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n).rem_euclid(2) as usize }];
                let v = vec![vec![1, 2], vec![3, 4]];
                let mut r = 0;
                let c = v[r][cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n).rem_euclid(2) as usize];
                let d = v[t.effect(1usize)][{ r = 1; cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n).rem_euclid(2) as usize } ];
                if let 8 = boxed[{ boxed[1] = 8; cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n).rem_euclid(2) as usize }] { t.note("8"); }
                let row = &v[cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n).rem_euclid(2) as usize];
                t.effect(cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n));
                Ok(format!("{n}{names:?}{b}{c}{d}{r}{row:?}")) }
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(items, of_texts);
