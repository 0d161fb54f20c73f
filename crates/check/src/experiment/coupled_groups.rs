//! Groups of coupled feedbacks.
//!
//! Two feedbacks are coupled if they move the same tree, or trees coupled by a third one (a tendon over two models).
//! The map of [`super::step_map`] of a whole world is block diagonal over such groups: its spectral radius is the
//! largest over the groups, and each is computed separately. Trees without feedback are left out, so a robot among ten
//! thousand loose bodies costs the same as the robot alone.

use super::step_map::{Feedback, Growth, NotAnalysed, growth};
use crate::mass_matrix::MassMatrix;
use std::collections::BTreeMap;

/// Result over all groups.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Analysis {
    /// The fastest growing of the groups that could be analysed.
    pub fastest: Option<Growth>,
    /// Reason for the first group that could not be analysed.
    pub not_analysed: Option<NotAnalysed>,
}

/// Coupled feedbacks and the degrees of freedom they can move.
#[derive(Clone, Debug, PartialEq)]
struct Group {
    dofs: Vec<usize>,
    feedbacks: Vec<usize>,
}

/// Analyses every group; damping and stiffness are indexed by the degrees of freedom of the world.
pub fn analyse(
    mass: &MassMatrix,
    damping: &[f64],
    stiffness: &[f64],
    feedbacks: &[Feedback],
    step_ns: i64,
) -> Analysis {
    let mut out = Analysis::default();
    for group in groups(mass, feedbacks) {
        let of = |values: &[f64]| group.dofs.iter().map(|&dof| values[dof]).collect::<Vec<f64>>();
        let own: Vec<Feedback> = group.feedbacks.iter().map(|&f| renumbered(&feedbacks[f], &group.dofs)).collect();
        match growth(&mass.among(&group.dofs), &of(damping), &of(stiffness), &own, step_ns) {
            Ok(found) => {
                let found = Growth { leading_dof: group.dofs[found.leading_dof], ..found };
                if out.fastest.is_none_or(|fastest| rate(&found) > rate(&fastest)) {
                    out.fastest = Some(found);
                }
            }
            Err(why) => {
                out.not_analysed.get_or_insert(why);
            }
        }
    }
    out
}

/// Growth of the logarithm per nanosecond: groups have different periods.
fn rate(growth: &Growth) -> f64 {
    libm::log(growth.radius) / growth.per_ns as f64
}

fn renumbered(feedback: &Feedback, dofs: &[usize]) -> Feedback {
    let mut own = feedback.clone();
    // Every term belongs to a tree of the group, and `dofs` is sorted.
    own.gain.terms.iter_mut().for_each(|(dof, _)| *dof = dofs.partition_point(|d| d < dof));
    own
}

/// The groups, in the order of their first feedback.
fn groups(mass: &MassMatrix, feedbacks: &[Feedback]) -> Vec<Group> {
    // For each tree with feedback, the first tree of its group; chains are followed to their end.
    let mut leader: BTreeMap<usize, usize> = BTreeMap::new();
    fn find(leader: &BTreeMap<usize, usize>, mut tree: usize) -> usize {
        while let Some(&up) = leader.get(&tree).filter(|&&up| up != tree) {
            tree = up;
        }
        tree
    }
    let trees = |f: &Feedback| f.gain.terms.iter().map(|(dof, _)| mass.block_of(*dof)).collect::<Vec<usize>>();
    for feedback in feedbacks {
        let trees = trees(feedback);
        let Some(&first) = trees.first() else { continue };
        for tree in trees {
            leader.entry(tree).or_insert(tree);
            let [a, b] = [first, tree].map(|t| find(&leader, t));
            leader.insert(a.max(b), a.min(b));
        }
    }
    let mut out: Vec<Group> = Vec::new();
    let mut place: BTreeMap<usize, usize> = BTreeMap::new();
    for (index, feedback) in feedbacks.iter().enumerate() {
        let Some(&(dof, _)) = feedback.gain.terms.first() else { continue };
        let group = *place.entry(find(&leader, mass.block_of(dof))).or_insert_with(|| {
            out.push(Group { dofs: Vec::new(), feedbacks: Vec::new() });
            out.len() - 1
        });
        out[group].feedbacks.push(index);
    }
    for &tree in leader.keys() {
        let block = &mass.blocks()[tree];
        if let Some(&group) = place.get(&find(&leader, tree)) {
            out[group].dofs.extend(block.first..block.first + block.matrix.nrows());
        }
    }
    out
}
