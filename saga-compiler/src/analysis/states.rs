//! From blocks to the states of the generated machine.
//!
//! A block with one predecessor is merged into it. The others are *heads*: each is a variant of the
//! state, carries the stored variables that are live there, and makes the rest again.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    analysis::liveness::Liveness,
    cfg::{
        Access, BlockId, Facts, Flow, ParamId, Terminator, VarId,
        persistence::{Persistence, ReborrowId},
    },
};

/// The states of the machine.
pub(crate) struct Plan {
    /// In reverse post-order, so that a state is built before it is taken apart.
    pub(crate) states: Vec<State>,
    by_block: BTreeMap<BlockId, usize>,
}

/// One state.
pub(crate) struct State {
    pub(crate) block: BlockId,
    /// Variables whose slots are full where the state begins.
    pub(crate) carried: Vec<VarId>,
    /// Those of them that its code mentions, and so takes out.
    pub(crate) taken: Vec<VarId>,
    /// Parameters that this state takes by value.
    pub(crate) params: Vec<ParamId>,
    /// What this state makes again, in order, and what of it it needs.
    pub(crate) reborrows: BTreeMap<ReborrowId, Vec<VarId>>,
    /// Variables that get their first value here, or none.
    pub(crate) uninitialized: Vec<VarId>,
    /// Variables of a `let x;` here that its code mentions.
    pub(crate) late: BTreeSet<VarId>,
    /// All variables that have a value where the state begins.
    pub(crate) entering: BTreeSet<VarId>,
}

impl Plan {
    /// Where the states begin that may follow a block.
    pub(crate) fn behind(&self, flow: &Flow, block: BlockId) -> impl Iterator<Item = BlockId> {
        let is_head = |block: BlockId| self.by_block.contains_key(&block);
        let blocks = region(flow, is_head, block).into_iter();
        let next = blocks.flat_map(|block| {
            let block = flow.block(block);
            let next = block.terminator.successors().into_iter();
            next.chain(block.jump_targets())
        });
        next.filter(|block| self.by_block.contains_key(block))
    }

    /// What some state borrows again.
    pub(crate) fn reborrows(&self) -> impl Iterator<Item = ReborrowId> {
        let all = self.states.iter().flat_map(|state| state.reborrows.keys());
        all.copied()
    }

    /// The variables that have a slot.
    pub(crate) fn slots(&self) -> BTreeSet<VarId> {
        let carried = self.states.iter().flat_map(|state| &state.carried);
        carried.copied().collect()
    }

    /// The state that begins at `block`; `None` where it is merged into its predecessor.
    pub(crate) fn state(&self, block: BlockId) -> Option<(usize, &State)> {
        let index = *self.by_block.get(&block)?;
        Some((index, &self.states[index]))
    }

    /// Whether what is re-borrowed is used in other states, and not in the code from `block` on: those make it themselves.
    pub(crate) fn is_only_elsewhere(&self, flow: &Flow, block: BlockId, id: ReborrowId) -> bool {
        let is_head = |block: BlockId| self.by_block.contains_key(&block);
        let vars = &flow.reborrow(id).vars;
        let is_read = |facts: &Facts| vars.iter().any(|var| facts.reads.contains(var));
        let mut elsewhere = self.states.iter();
        elsewhere.any(|state| state.reborrows.contains_key(&id))
            && !region(flow, is_head, block)
                .into_iter()
                .any(|block| facts_of(flow, block).any(is_read))
    }
}

/// Chooses the heads and what each carries.
pub(crate) fn plan(flow: &Flow, live: &Liveness) -> Plan {
    let order = reverse_post_order(flow);
    let heads = heads(flow, live, &order);
    let answers = flow.answers();
    let states: Vec<State> = order
        .iter()
        .filter(|block| heads.contains(block))
        .map(|block| state(flow, live, &heads, &answers, *block))
        .collect();
    let by_block = states
        .iter()
        .enumerate()
        .map(|(index, state)| (state.block, index))
        .collect();
    Plan { states, by_block }
}

/// The blocks that control can reach, each after some predecessor, in order of the text.
fn reverse_post_order(flow: &Flow) -> Vec<BlockId> {
    enum Visit {
        Enter(BlockId),
        Leave(BlockId),
    }
    let mut seen = BTreeSet::new();
    let mut order = Vec::new();
    let mut stack = vec![Visit::Enter(Flow::ENTRY)];
    while let Some(visit) = stack.pop() {
        match visit {
            Visit::Leave(block) => order.push(block),
            Visit::Enter(block) => {
                if !seen.insert(block) {
                    continue;
                }
                stack.push(Visit::Leave(block));
                let jumps = flow.block(block).jump_targets();
                let mut next = flow.block(block).terminator.successors();
                next.extend(jumps);
                // Popped last to first, so that the last successor is finished first.
                stack.extend(next.into_iter().map(Visit::Enter));
            }
        }
    }
    order.reverse();
    order
}

fn heads(flow: &Flow, live: &Liveness, order: &[BlockId]) -> BTreeSet<BlockId> {
    let mut predecessors: BTreeMap<BlockId, usize> = BTreeMap::new();
    let mut heads = BTreeSet::from([Flow::ENTRY]);
    for block in order {
        for next in flow.block(*block).terminator.successors() {
            if flow.block(next).imports != flow.block(*block).imports {
                heads.insert(next);
            }
            *predecessors.entry(next).or_default() += 1;
        }
        heads.extend(flow.block(*block).jump_targets());
        match &flow.block(*block).terminator {
            Terminator::Ask { resume, .. } => heads.extend([*resume]),
            Terminator::Call { next, .. } => {
                heads.insert(*block);
                // Made before the call, a closure would have what it consumes where the call is to be made again.
                if live.at(*next).iter().any(|var| is_closure(flow, *var)) {
                    heads.insert(*next);
                }
            }
            _ => {}
        }
        if flow.block(*block).renamed {
            heads.insert(*block);
        }
    }
    heads.extend(
        predecessors
            .iter()
            .filter(|(_, count)| **count > 1)
            .map(|(block, _)| *block),
    );
    heads
}

/// Whether a variable is a closure that is made in each state.
fn is_closure(flow: &Flow, var: VarId) -> bool {
    match flow.var(var).persistence {
        Persistence::Reborrowed(id) => matches!(flow.reborrow(id).init, syn::Expr::Closure(_)),
        _ => false,
    }
}

/// The blocks that are generated as one piece with `head`.
fn region(flow: &Flow, is_head: impl Fn(BlockId) -> bool, head: BlockId) -> Vec<BlockId> {
    let mut blocks = vec![head];
    let mut index = 0;
    while let Some(block) = blocks.get(index).copied() {
        index += 1;
        let next = flow.block(block).terminator.successors();
        blocks.extend(next.into_iter().filter(|next| !is_head(*next)));
    }
    blocks
}

/// What the code of a block does.
fn facts_of(flow: &Flow, block: BlockId) -> impl Iterator<Item = &Facts> {
    let block = flow.block(block);
    let arms = match &block.terminator {
        Terminator::Match { arms, .. } => &arms[..],
        _ => &[],
    };
    let steps = block.steps.iter().map(|step| step.facts());
    let arms = arms.iter().map(|(_, facts, _)| facts);
    steps.chain(block.terminator.facts()).chain(arms)
}

fn state(
    flow: &Flow,
    live: &Liveness,
    heads: &BTreeSet<BlockId>,
    answers: &BTreeMap<BlockId, VarId>,
    head: BlockId,
) -> State {
    let mut entering = BTreeSet::new();
    for var in live.at(head) {
        flow.closure(*var, &mut entering);
    }
    // What a value is picked out of goes where it goes.
    let records = entering
        .iter()
        .filter_map(|var| flow.var(*var).persistence.rematerialized());
    let records: Vec<_> = records.flat_map(|again| &again.records).copied().collect();
    entering.extend(records);
    // The answer is carried to where it is asked for, even where nobody looks at it.
    entering.extend(answers.get(&head));
    let mut reads = BTreeSet::new();
    let mut mentions = BTreeSet::new();
    let mut defines = BTreeSet::new();
    for block in region(flow, |block| heads.contains(&block), head) {
        if let Terminator::Call { results, .. } = &flow.block(block).terminator {
            defines.extend(results);
        }
        for facts in facts_of(flow, block) {
            reads.extend(facts.reads.iter().copied());
            mentions.extend(facts.assigns.iter().copied());
            defines.extend(facts.defs.iter().copied());
        }
    }
    mentions.extend(reads.iter().copied());
    let mut needed = BTreeSet::new();
    for var in &reads {
        let by_param = matches!(flow.var(*var).persistence, Persistence::Param(_));
        if entering.contains(var) || by_param {
            flow.closure(*var, &mut needed);
        }
    }
    let carried: Vec<_> = entering
        .iter()
        .copied()
        .filter(|var| is_stored(flow, *var))
        .collect();
    let mut mentioned = needed.clone();
    mentioned.extend(mentions.iter().copied());
    State {
        block: head,
        taken: carried
            .iter()
            .copied()
            .filter(|var| mentioned.contains(var))
            .collect(),
        carried,
        params: params(flow, &needed),
        reborrows: reborrows(flow, &needed),
        late: defines
            .iter()
            .copied()
            .filter(|var| flow.var(*var).late && mentions.contains(var))
            .collect(),
        uninitialized: mentions
            .into_iter()
            .filter(|var| {
                is_stored(flow, *var) && !entering.contains(var) && !defines.contains(var)
            })
            .collect(),
        entering,
    }
}

fn is_stored(flow: &Flow, var: VarId) -> bool {
    flow.var(var).persistence.is_spilled()
}

fn params(flow: &Flow, needed: &BTreeSet<VarId>) -> Vec<ParamId> {
    let ids = needed
        .iter()
        .filter_map(|var| match flow.var(*var).persistence {
            Persistence::Param(id) if flow.param(id).access != Access::Direct => Some(id),
            _ => None,
        });
    ids.collect::<BTreeSet<_>>().into_iter().collect()
}

fn reborrows(flow: &Flow, needed: &BTreeSet<VarId>) -> BTreeMap<ReborrowId, Vec<VarId>> {
    let mut reborrows: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for var in needed {
        if let Persistence::Reborrowed(id) = flow.var(*var).persistence {
            reborrows.entry(id).or_default().push(*var);
        }
    }
    reborrows
}

impl Flow {
    /// The variables that a re-borrowed variable is made of, down to what moves or comes again.
    pub(crate) fn closure(&self, var: VarId, found: &mut BTreeSet<VarId>) {
        if found.insert(var)
            && let Persistence::Reborrowed(id) = self.var(var).persistence
        {
            for dep in &self.reborrow(id).deps {
                self.closure(*dep, found);
            }
        }
    }
}
