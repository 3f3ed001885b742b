//! Edits of a program, as between two deploys: statements that come, go and change places, other values.

use crate::{
    print,
    program::{Kind, Node, Program},
    shrink::neighbours,
};

/// What an edit may put between two statements.
const NEW: &[&str] = &[
    "t.note(\"edited\");",
    "let edited = t.effect(7i64);",
    "let edited = String::from(\"edited\"); t.note(&edited);",
    "{ let list = vec![t.effect(1i64)]; t.effect(list.len()); }",
    "let _ = cx.peer.elicit::<Confirm>(\"edited?\").await;",
    "for edited in 0..2i64 { t.effect(edited); }",
];

/// So many edits of a program's case; the same each time. Not of its helpers: one that is called after the deploy is the new one,
/// and no run of either text alone shows what that gives.
pub(crate) fn of(program: &Program, seed: u64, count: usize) -> Vec<Program> {
    let mut rng = fastrand::Rng::with_seed(seed ^ (program.index as u64).rotate_left(32));
    (0..count).filter_map(|_| one(program, &mut rng)).collect()
}

fn one(program: &Program, rng: &mut fastrand::Rng) -> Option<Program> {
    if rng.u8(..5) < 2 {
        let mut smaller = neighbours(program);
        smaller.retain(|less| {
            let helpers = |program: &Program| {
                let functions = program.functions.split_last();
                functions.map(|(_, helpers)| helpers.iter().map(print::text_of).collect::<Vec<_>>())
            };
            helpers(less) == helpers(program)
        });
        return (!smaller.is_empty()).then(|| smaller.swap_remove(rng.usize(..smaller.len())));
    }
    let mut edited = program.clone();
    let body = &mut edited.functions.last_mut()?.body;
    let mut blocks = Vec::new();
    blocks_of(body, &mut Vec::new(), &mut blocks);
    let path = blocks.get(rng.usize(..blocks.len().max(1)))?;
    let block = at(body, path)?;
    let statements = block
        .children
        .iter()
        .filter(|child| child.kind == Kind::Stmt);
    let statements = statements.count();
    match rng.u8(..3) {
        0 if statements > 1 => {
            let first = rng.usize(..statements - 1);
            block.children.swap(first, first + 1);
        }
        _ => {
            let new = NEW.get(rng.usize(..NEW.len()))?;
            let place = rng.usize(..=statements);
            block.children.insert(place, Node::stmt(new, Vec::new()));
        }
    }
    Some(edited)
}

fn blocks_of(node: &Node, path: &mut Vec<usize>, found: &mut Vec<Vec<usize>>) {
    if node.kind == Kind::Block {
        found.push(path.clone());
    }
    for (index, child) in node.children.iter().enumerate() {
        path.push(index);
        blocks_of(child, path, found);
        path.pop();
    }
}

fn at<'n>(node: &'n mut Node, path: &[usize]) -> Option<&'n mut Node> {
    let mut node = node;
    for index in path {
        node = node.children.get_mut(*index)?;
    }
    Some(node)
}
