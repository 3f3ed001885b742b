//! Makes a failing program small: every smaller neighbour is tried, the smallest that still fails
//! is kept.

use crate::{
    program::{Kind, Node, Program},
    project::{Project, Result},
    verdict::Verdict,
};

/// Builds per program.
const ROUNDS: usize = 25;

/// Neighbours per build.
const WIDTH: usize = 32;

/// The smallest program that was found to fail like `program`, and how it fails.
pub(crate) fn shrink(
    project: &Project,
    program: &Program,
    verdict: &Verdict,
) -> Result<(Program, Verdict)> {
    let (mut best, mut how) = (program.clone(), verdict.clone());
    let mut shift = 0;
    for _ in 0..ROUNDS {
        let mut all = neighbours(&best);
        all.sort_by_key(Program::size);
        // Of every size some: large steps mostly miss at the end, small ones take long at first.
        let stride = all.len().div_ceil(WIDTH).max(1);
        if all.is_empty() || shift >= stride {
            break;
        }
        let mut tried: Vec<Program> = all.into_iter().skip(shift).step_by(stride).collect();
        for (at, program) in tried.iter_mut().enumerate() {
            program.index = at;
        }
        let verdicts = match how {
            Verdict::Differs(_) => project.judge(&tried, WIDTH)?,
            _ => project.check(&tried)?,
        };
        let found = tried
            .into_iter()
            .zip(verdicts)
            .find(|(_, verdict)| verdict.is_like(&how));
        match found {
            Some((program, verdict)) => {
                (best, how) = (program, verdict);
                eprintln!("made smaller: {} nodes", best.size());
                shift = 0;
            }
            None => shift += 1,
        }
    }
    Ok((best, how))
}

/// All programs with one thing less.
pub(crate) fn neighbours(program: &Program) -> Vec<Program> {
    let mut all = Vec::new();
    for at in 0..program.functions.len().saturating_sub(1) {
        let mut without = program.clone();
        without.functions.remove(at);
        all.push(without);
    }
    for (at, function) in program.functions.iter().enumerate() {
        for body in smaller(&function.body) {
            let mut changed = program.clone();
            if let Some(function) = changed.functions.get_mut(at) {
                function.body = body;
            }
            all.push(changed);
        }
    }
    all
}

/// All trees with one thing less.
fn smaller(node: &Node) -> Vec<Node> {
    let mut all = Vec::new();
    if let Kind::Expr(ty) = node.kind {
        if let Some(text) = ty.smallest()
            && node.text.first().is_none_or(|first| first != text)
        {
            all.push(Node::leaf(ty, text));
        }
        inner(node, &mut |child| {
            if child.kind == node.kind {
                all.push(child.clone());
            }
        });
    }
    if node.kind == Kind::Block {
        all.extend(smaller_blocks(node));
    }
    for (at, child) in node.children.iter().enumerate() {
        for less in smaller(child) {
            let mut changed = node.clone();
            if let Some(child) = changed.children.get_mut(at) {
                *child = less;
            }
            all.push(changed);
        }
    }
    all
}

/// The block without some of its statements, or with one opened.
fn smaller_blocks(block: &Node) -> Vec<Node> {
    let mut all = Vec::new();
    let statements = block
        .children
        .iter()
        .filter(|child| child.kind == Kind::Stmt)
        .count();
    let mut length = statements;
    while length > 0 {
        for from in (0..statements).step_by(length) {
            let mut less = block.clone();
            less.children.drain(from..statements.min(from + length));
            all.push(less);
        }
        length /= 2;
    }
    for (at, child) in block.children.iter().enumerate().take(statements) {
        for inside in child
            .children
            .iter()
            .filter(|inside| inside.kind == Kind::Block)
        {
            let opened = inside
                .children
                .iter()
                .filter(|child| child.kind == Kind::Stmt);
            let mut less = block.clone();
            less.children.splice(at..=at, opened.cloned());
            all.push(less);
        }
    }
    all
}

fn inner(node: &Node, visit: &mut impl FnMut(&Node)) {
    for child in &node.children {
        visit(child);
        inner(child, visit);
    }
}
