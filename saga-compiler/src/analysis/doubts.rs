//! Which of the doubtful ways count: those on which something may have another value while what is found by them is still used.

use std::collections::BTreeSet;

use super::{liveness::Liveness, replaced::each_piece, states::Plan};

use crate::{
    ast::{assigned_places::Assigned, uses::root_name},
    cfg::{Facts, Flow, VarId},
};

/// Leaves the others out.
pub(crate) fn settle(flow: &mut Flow, live: &Liveness, plan: &Plan) {
    let counting: BTreeSet<_> = counting(flow, live, plan);
    for (id, again) in flow.reborrows.iter_mut().enumerate() {
        let all = std::mem::take(&mut again.doubtful).into_iter().enumerate();
        let kept = all.filter(|(index, _)| counting.contains(&(id, *index)));
        again.doubtful = kept.map(|(_, doubtful)| doubtful).collect();
    }
}

/// Those that count, by what is made again and their number in it.
fn counting(flow: &Flow, live: &Liveness, plan: &Plan) -> BTreeSet<(usize, usize)> {
    let all = flow.reborrows.iter().enumerate();
    let mut open: Vec<_> = all
        .flat_map(|(id, again)| {
            let doubtful = again.doubtful.iter().enumerate();
            doubtful.map(move |(index, doubtful)| {
                let others = flow.reassigned.other_names(&doubtful.way);
                ((id, index), again, doubtful, others)
            })
        })
        .collect();
    let mut counting = BTreeSet::new();
    if open.is_empty() {
        return counting;
    }
    let mut look = |assigned: &Assigned, facts: &Facts, live: &dyn Fn() -> BTreeSet<VarId>| {
        open.retain(|(place, again, doubtful, others)| {
            let root = root_name(&doubtful.way).unwrap_or_default();
            // Another variable may have that name.
            let meant = || {
                let mut deps = again.deps.iter();
                root == "self"
                    || deps.any(|var| {
                        flow.goes_by(*var, &root)
                            && (facts.assigns.contains(var) || facts.reads.contains(var))
                    })
            };
            let direct = || assigned.may_perhaps_change(&doubtful.way) && meant();
            let changed = direct() || assigned.changes_by(others);
            let counts = changed && again.vars.iter().any(|var| live().contains(var));
            if counts {
                counting.insert(*place);
            }
            !counts
        });
    };
    each_piece(flow, live, plan, &mut look);
    counting
}
