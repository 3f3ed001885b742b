//! What is lent of a `&mut self`, or of a `&mut` parameter, which is changed once it is not looked at any more.

macro_rules! text {
    ($name:ident $(#[$saga:meta])?) => {
        #[allow(warnings, clippy::all)]
        mod $name {
            use std::collections::BTreeMap;

            use rmcp::{RoleServer, service::RequestContext};
            use serde::{Deserialize, Serialize};
            use tests::{Failure, Trace, answers::Confirm};

            type Context = RequestContext<RoleServer>;

            #[derive(Debug, Serialize, Deserialize)]
            struct Cmd {
                open: bool,
                file: Option<String>,
                list: Vec<String>,
                counts: BTreeMap<String, i64>,
            }

            $(#[$saga])?
            async fn ask(cx: &Context) -> Result<(), Failure> {
                cx.peer.elicit::<Confirm>("go on?").await?;
                Ok(())
            }

            impl Cmd {
                fn new() -> Self {
                    Self {
                        open: true,
                        file: Some("f".into()),
                        list: vec!["a".into(), "bb".into()],
                        counts: BTreeMap::new(),
                    }
                }

                fn change(&mut self) {
                    self.list.push("changed".into());
                }

                $(#[$saga])?
                async fn a_reference_in_a_block_and_a_write(&mut self, cx: &Context, t: &Trace) -> Result<(), Failure> {
                    if self.open { let file = &self.file; ask(cx).await?; t.effect(file); self.file = None; }
                    Ok(())
                }

                $(#[$saga])?
                async fn what_a_pattern_lends_or_else(&mut self, cx: &Context, t: &Trace) -> Result<(), Failure> {
                    if let Some(file) = &self.file { ask(cx).await?; t.effect(file.len()); } else { self.file = Some("new".into()); }
                    Ok(())
                }

                $(#[$saga])?
                async fn an_arm_lends_another_writes(&mut self, cx: &Context, t: &Trace) -> Result<(), Failure> {
                    match &self.file { Some(file) => { ask(cx).await?; t.effect(file.len()); } None => self.file = Some("new".into()) }
                    Ok(())
                }

                $(#[$saga])?
                async fn ref_or_else_if(&mut self, cx: &Context, t: &Trace) -> Result<(), Failure> {
                    if let Some(ref file) = self.file { ask(cx).await?; t.effect(file.len()); } else if self.open { self.file = Some("new".into()); }
                    Ok(())
                }

                $(#[$saga])?
                async fn as_deref_or_else(&mut self, cx: &Context, t: &Trace) -> Result<(), Failure> {
                    if let Some(file) = self.file.as_deref() { ask(cx).await?; t.effect(file.len()); } else { self.file = Some("new".into()); }
                    Ok(())
                }

                $(#[$saga])?
                async fn a_lookup_or_an_insert(&mut self, cx: &Context, t: &Trace) -> Result<(), Failure> {
                    for _ in 0..2 { if let Some(n) = self.counts.get("k") { ask(cx).await?; t.effect(n); } else { self.counts.insert("k".into(), 1); } }
                    Ok(())
                }

                $(#[$saga])?
                async fn the_first_or_a_push(&mut self, cx: &Context, t: &Trace) -> Result<(), Failure> {
                    for _ in 0..2 { if let Some(first) = self.list.first() { ask(cx).await?; t.effect(first.len()); } else { self.list.push("x".into()); } }
                    Ok(())
                }

                $(#[$saga])?
                async fn a_text_in_a_loop_and_a_write(&mut self, cx: &Context, t: &Trace) -> Result<(), Failure> {
                    for n in 0..2 { let file = self.file.as_deref().unwrap_or("none"); ask(cx).await?; t.effect(file); self.file = Some(format!("{file}{n}")); }
                    Ok(())
                }

                $(#[$saga])?
                async fn references_found_and_a_change(&mut self, cx: &Context, t: &Trace) -> Result<(), Failure> {
                    let long: Vec<&String> = self.list.iter().filter(|one| one.len() > 1).collect(); ask(cx).await?; t.effect(&long); if !long.is_empty() { self.list.clear(); } ask(cx).await?; self.change();
                    Ok(())
                }

                $(#[$saga])?
                async fn a_reference_and_the_whole_anew(&mut self, cx: &Context, t: &Trace) -> Result<(), Failure> {
                    while self.open { let file = &self.file; ask(cx).await?; t.effect(file); *self = Cmd { open: false, ..Cmd::new() }; }
                    Ok(())
                }
            }

            $(#[$saga])?
            async fn of_a_reference_in_a_block_and_a_write(cmd: &mut Cmd, cx: &Context, t: &Trace) -> Result<(), Failure> {
                if cmd.open { let file = &cmd.file; ask(cx).await?; t.effect(file); cmd.file = None; }
                Ok(())
            }

            $(#[$saga])?
            pub(super) async fn a_reference_in_a_block_and_a_write(cx: Context, t: &Trace) -> Result<String, Failure> {
                let (mut one, mut other) = (Cmd::new(), Cmd::new());
                one.a_reference_in_a_block_and_a_write(&cx, t).await?;
                of_a_reference_in_a_block_and_a_write(&mut other, &cx, t).await?;
                Ok(format!("{one:?} {other:?}"))
            }

            $(#[$saga])?
            async fn of_what_a_pattern_lends_or_else(cmd: &mut Cmd, cx: &Context, t: &Trace) -> Result<(), Failure> {
                if let Some(file) = &cmd.file { ask(cx).await?; t.effect(file.len()); } else { cmd.file = Some("new".into()); }
                Ok(())
            }

            $(#[$saga])?
            pub(super) async fn what_a_pattern_lends_or_else(cx: Context, t: &Trace) -> Result<String, Failure> {
                let (mut one, mut other) = (Cmd::new(), Cmd::new());
                one.what_a_pattern_lends_or_else(&cx, t).await?;
                of_what_a_pattern_lends_or_else(&mut other, &cx, t).await?;
                Ok(format!("{one:?} {other:?}"))
            }

            $(#[$saga])?
            async fn of_an_arm_lends_another_writes(cmd: &mut Cmd, cx: &Context, t: &Trace) -> Result<(), Failure> {
                match &cmd.file { Some(file) => { ask(cx).await?; t.effect(file.len()); } None => cmd.file = Some("new".into()) }
                Ok(())
            }

            $(#[$saga])?
            pub(super) async fn an_arm_lends_another_writes(cx: Context, t: &Trace) -> Result<String, Failure> {
                let (mut one, mut other) = (Cmd::new(), Cmd::new());
                one.an_arm_lends_another_writes(&cx, t).await?;
                of_an_arm_lends_another_writes(&mut other, &cx, t).await?;
                Ok(format!("{one:?} {other:?}"))
            }

            $(#[$saga])?
            async fn of_ref_or_else_if(cmd: &mut Cmd, cx: &Context, t: &Trace) -> Result<(), Failure> {
                if let Some(ref file) = cmd.file { ask(cx).await?; t.effect(file.len()); } else if cmd.open { cmd.file = Some("new".into()); }
                Ok(())
            }

            $(#[$saga])?
            pub(super) async fn ref_or_else_if(cx: Context, t: &Trace) -> Result<String, Failure> {
                let (mut one, mut other) = (Cmd::new(), Cmd::new());
                one.ref_or_else_if(&cx, t).await?;
                of_ref_or_else_if(&mut other, &cx, t).await?;
                Ok(format!("{one:?} {other:?}"))
            }

            $(#[$saga])?
            async fn of_as_deref_or_else(cmd: &mut Cmd, cx: &Context, t: &Trace) -> Result<(), Failure> {
                if let Some(file) = cmd.file.as_deref() { ask(cx).await?; t.effect(file.len()); } else { cmd.file = Some("new".into()); }
                Ok(())
            }

            $(#[$saga])?
            pub(super) async fn as_deref_or_else(cx: Context, t: &Trace) -> Result<String, Failure> {
                let (mut one, mut other) = (Cmd::new(), Cmd::new());
                one.as_deref_or_else(&cx, t).await?;
                of_as_deref_or_else(&mut other, &cx, t).await?;
                Ok(format!("{one:?} {other:?}"))
            }

            $(#[$saga])?
            async fn of_a_lookup_or_an_insert(cmd: &mut Cmd, cx: &Context, t: &Trace) -> Result<(), Failure> {
                for _ in 0..2 { if let Some(n) = cmd.counts.get("k") { ask(cx).await?; t.effect(n); } else { cmd.counts.insert("k".into(), 1); } }
                Ok(())
            }

            $(#[$saga])?
            pub(super) async fn a_lookup_or_an_insert(cx: Context, t: &Trace) -> Result<String, Failure> {
                let (mut one, mut other) = (Cmd::new(), Cmd::new());
                one.a_lookup_or_an_insert(&cx, t).await?;
                of_a_lookup_or_an_insert(&mut other, &cx, t).await?;
                Ok(format!("{one:?} {other:?}"))
            }

            $(#[$saga])?
            async fn of_the_first_or_a_push(cmd: &mut Cmd, cx: &Context, t: &Trace) -> Result<(), Failure> {
                for _ in 0..2 { if let Some(first) = cmd.list.first() { ask(cx).await?; t.effect(first.len()); } else { cmd.list.push("x".into()); } }
                Ok(())
            }

            $(#[$saga])?
            pub(super) async fn the_first_or_a_push(cx: Context, t: &Trace) -> Result<String, Failure> {
                let (mut one, mut other) = (Cmd::new(), Cmd::new());
                one.the_first_or_a_push(&cx, t).await?;
                of_the_first_or_a_push(&mut other, &cx, t).await?;
                Ok(format!("{one:?} {other:?}"))
            }

            $(#[$saga])?
            async fn of_a_text_in_a_loop_and_a_write(cmd: &mut Cmd, cx: &Context, t: &Trace) -> Result<(), Failure> {
                for n in 0..2 { let file = cmd.file.as_deref().unwrap_or("none"); ask(cx).await?; t.effect(file); cmd.file = Some(format!("{file}{n}")); }
                Ok(())
            }

            $(#[$saga])?
            pub(super) async fn a_text_in_a_loop_and_a_write(cx: Context, t: &Trace) -> Result<String, Failure> {
                let (mut one, mut other) = (Cmd::new(), Cmd::new());
                one.a_text_in_a_loop_and_a_write(&cx, t).await?;
                of_a_text_in_a_loop_and_a_write(&mut other, &cx, t).await?;
                Ok(format!("{one:?} {other:?}"))
            }

            $(#[$saga])?
            async fn of_references_found_and_a_change(cmd: &mut Cmd, cx: &Context, t: &Trace) -> Result<(), Failure> {
                let long: Vec<&String> = cmd.list.iter().filter(|one| one.len() > 1).collect(); ask(cx).await?; t.effect(&long); if !long.is_empty() { cmd.list.clear(); } ask(cx).await?; cmd.change();
                Ok(())
            }

            $(#[$saga])?
            pub(super) async fn references_found_and_a_change(cx: Context, t: &Trace) -> Result<String, Failure> {
                let (mut one, mut other) = (Cmd::new(), Cmd::new());
                one.references_found_and_a_change(&cx, t).await?;
                of_references_found_and_a_change(&mut other, &cx, t).await?;
                Ok(format!("{one:?} {other:?}"))
            }

            $(#[$saga])?
            async fn of_a_reference_and_the_whole_anew(cmd: &mut Cmd, cx: &Context, t: &Trace) -> Result<(), Failure> {
                while cmd.open { let file = &cmd.file; ask(cx).await?; t.effect(file); *cmd = Cmd { open: false, ..Cmd::new() }; }
                Ok(())
            }

            $(#[$saga])?
            pub(super) async fn a_reference_and_the_whole_anew(cx: Context, t: &Trace) -> Result<String, Failure> {
                let (mut one, mut other) = (Cmd::new(), Cmd::new());
                one.a_reference_and_the_whole_anew(&cx, t).await?;
                of_a_reference_and_the_whole_anew(&mut other, &cx, t).await?;
                Ok(format!("{one:?} {other:?}"))
            }
        }
    };
}

use tests::Case;

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    a_reference_in_a_block_and_a_write,
    what_a_pattern_lends_or_else,
    an_arm_lends_another_writes,
    ref_or_else_if,
    as_deref_or_else,
    a_lookup_or_an_insert,
    the_first_or_a_push,
    a_text_in_a_loop_and_a_write,
    references_found_and_a_change,
    a_reference_and_the_whole_anew
);
