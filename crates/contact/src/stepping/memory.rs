//! What the next step depends on besides the state: impulses to start from, and where contacts began to stick.

use super::kept::{self, Anchor, Kept};
use super::{Stepping, sticks};
use crate::paradigm::Touch;
use crate::rows::Source;
use crate::world::{ContactWorld, middle};
use veracity_lcp::Operator;
use veracity_model::Vec3;

/// Memory of a run. Everything else that a step uses is scratch.
pub(super) struct Memory {
    /// Size of the last step [s]; zero before the first.
    pub last_h: f64,
    /// For each block of velocities, whether its island's start was not good enough in the last step.
    pub unsettled: Vec<bool>,
    /// Impulses of limits (lower, upper), dry friction, loop rows and rows added by the caller in the last step.
    pub limit_impulses: Vec<[f64; 2]>,
    pub dry_impulses: Vec<f64>,
    pub loop_impulses: Vec<f64>,
    pub extra_impulses: Vec<f64>,
    /// Contacts of the last step, in order of pairs.
    pub kept: Vec<Kept>,
}

impl Memory {
    pub fn new(world: &ContactWorld, loops: usize) -> Self {
        Self {
            last_h: 0.0,
            unsettled: vec![false; world.system.blocks().len()],
            limit_impulses: vec![[0.0; 2]; world.limits.len()],
            dry_impulses: vec![0.0; world.dry_friction.len()],
            loop_impulses: vec![0.0; loops],
            extra_impulses: Vec::new(),
            kept: Vec::new(),
        }
    }

    /// Appends it as numbers.
    pub fn write(&self, out: &mut Vec<f64>) {
        out.push(self.last_h);
        out.extend(self.unsettled.iter().map(|unsettled| f64::from(u8::from(*unsettled))));
        out.extend(self.limit_impulses.iter().flatten());
        out.extend(&self.dry_impulses);
        out.extend(&self.loop_impulses);
        out.push(self.extra_impulses.len() as f64);
        out.extend(&self.extra_impulses);
        kept::save(&self.kept, out);
    }

    /// Restores what [`Memory::write`] wrote. Returns `false`, with nothing changed, if it does not fit; `fresh` is
    /// scratch.
    pub fn read(&mut self, memory: &[f64], fresh: &mut Vec<Kept>) -> bool {
        let (limits, dry, loops) = (self.limit_impulses.len(), self.dry_impulses.len(), self.loop_impulses.len());
        let own = 1 + self.unsettled.len();
        let fixed = own + 2 * limits + dry + loops;
        let Some(&extras) = memory.get(fixed) else { return false };
        if !(extras >= 0.0 && extras <= (memory.len() - fixed - 1) as f64) {
            return false;
        }
        let (head, rest) = memory.split_at(fixed);
        let (extra_impulses, rest) = rest[1..].split_at(extras as usize);
        if kept::load(fresh, rest).is_none_or(|left| !left.is_empty()) {
            return false;
        }
        std::mem::swap(&mut self.kept, fresh);
        self.last_h = head[0];
        self.unsettled.iter_mut().zip(&head[1..]).for_each(|(to, from)| *to = *from != 0.0);
        for (to, from) in self.limit_impulses.iter_mut().zip(head[own..].chunks_exact(2)) {
            *to = [from[0], from[1]];
        }
        self.dry_impulses.copy_from_slice(&head[own + 2 * limits..own + 2 * limits + dry]);
        self.loop_impulses.copy_from_slice(&head[own + 2 * limits + dry..]);
        self.extra_impulses.clear();
        self.extra_impulses.extend_from_slice(extra_impulses);
        true
    }
}

impl Stepping {
    /// The impulses to start the solve from.
    pub(super) fn take_warm_start(&mut self, h: f64) {
        self.problem.lambda.clear();
        self.problem.lambda.resize(self.problem.rows.len(), 0.0);
        // Allocate now, not in a later step that is the first to need it.
        for scratch in [&mut self.evenly.least, &mut self.evenly.least_w] {
            scratch.reserve(self.problem.rows.len().saturating_sub(scratch.len()));
        }
        let velocities = self.problem.rows.operator.running_len();
        self.evenly.least_u.reserve(velocities.saturating_sub(self.evenly.least_u.len()));
        if !self.settings.warm_start || self.memory.last_h <= 0.0 {
            return;
        }
        let scale = h / self.memory.last_h;
        for (block, (source, first)) in self.problem.rows.blocks.iter().enumerate() {
            let rows = self.problem.rows.laws[block].rows();
            let out = &mut self.problem.lambda[*first as usize..*first as usize + rows];
            match *source {
                Source::Contact(i) => {
                    let (point, pair) = (&self.contacts.points[i as usize], &self.contacts.pairs[i as usize]);
                    let Some(k) = self.contacts.known[i as usize] else { continue };
                    let old = &self.memory.kept[k as usize];
                    let [t1, t2] = pair.tangents;
                    let directions = [point.normal, t1, t2, point.normal, t1, t2];
                    for (row, value) in out.iter_mut().enumerate() {
                        let impulse = if row < 3 { &old.linear } else { &old.angular };
                        *value = scale * directions[row].dot(impulse);
                    }
                }
                Source::Lower(i) | Source::Held(i) => out[0] = scale * self.memory.limit_impulses[i as usize][0],
                Source::Upper(i) => out[0] = scale * self.memory.limit_impulses[i as usize][1],
                Source::Dry(i) => out[0] = scale * self.memory.dry_impulses[i as usize],
                Source::Loop(row) => out[0] = scale * self.memory.loop_impulses[row as usize],
                // If the number of rows changed, old and new rows cannot be matched.
                Source::Extra(i) if self.memory.extra_impulses.len() == self.extra.len() => {
                    out[0] = scale * self.memory.extra_impulses[i as usize];
                }
                Source::Extra(_) => {}
            }
        }
    }

    /// Clears impulses of rows that this step does not have.
    pub(super) fn forget_impulses(&mut self) {
        self.memory.limit_impulses.fill([0.0; 2]);
        self.memory.dry_impulses.fill(0.0);
        self.memory.loop_impulses.fill(0.0);
        self.memory.extra_impulses.clear();
        self.memory.extra_impulses.resize(self.extra.len(), 0.0);
    }

    /// The drift, at this point, of the other points of its pair that stuck before this step.
    fn drift_of_patch(&self, i: usize) -> Option<Vec3> {
        let pair = self.contacts.points[i].pair;
        let first = self.contacts.points[..i].iter().rposition(|p| p.pair != pair).map_or(0, |k| k + 1);
        let (contacts, all) = (&self.contacts, first..self.contacts.points.len());
        let patch = all.take_while(|k| contacts.points[*k].pair == pair).filter(|k| contacts.anchors[*k].is_some());
        let patch = patch.map(|k| (contacts.rubs_at[k], contacts.drifts[k]));
        kept::drift_of_patch(patch, &contacts.points[i].normal, &contacts.rubs_at[i])
    }

    /// Records what touched, and what the next step starts from.
    pub(super) fn remember(&mut self, time: f64, h: f64) {
        self.touches.clear();
        self.contacts.fresh.clear();
        let mut touching = 0;
        for (block, (source, first)) in self.problem.rows.blocks.iter().enumerate() {
            let first = *first as usize;
            let law = &self.problem.rows.laws[block];
            let (l, w) =
                (&self.problem.lambda[first..first + law.rows()], &self.problem.w[first..first + law.rows()]);
            let i = match *source {
                Source::Contact(i) => i as usize,
                Source::Lower(i) => {
                    self.memory.limit_impulses[i as usize][0] = l[0];
                    continue;
                }
                Source::Upper(i) => {
                    self.memory.limit_impulses[i as usize][1] = l[0];
                    continue;
                }
                Source::Held(i) => {
                    self.memory.limit_impulses[i as usize] = [l[0], 0.0];
                    continue;
                }
                Source::Dry(i) => {
                    self.memory.dry_impulses[i as usize] = l[0];
                    continue;
                }
                Source::Loop(row) => {
                    self.memory.loop_impulses[row as usize] = l[0];
                    continue;
                }
                Source::Extra(i) => {
                    self.memory.extra_impulses[i as usize] = l[0];
                    continue;
                }
            };
            let (point, pair) = (&self.contacts.points[i], &self.contacts.pairs[i]);
            let [t1, t2] = pair.tangents;
            let part = |x: &[f64], k: usize| x.get(k).copied().unwrap_or(0.0);
            let linear = point.normal * l[0] + t1 * part(l, 1) + t2 * part(l, 2);
            let angular = point.normal * part(l, 3) + t1 * part(l, 4) + t2 * part(l, 5);
            let velocity = point.normal * w[0] + t1 * part(w, 1) + t2 * part(w, 2);
            let sticks = sticks(law, l, w);
            touching += u32::from(l[0] > 0.0);
            let (a, b) = (&self.contacts.poses[point.body_a as usize], &self.contacts.poses[point.body_b as usize]);
            let anchor = (sticks && self.settings.anchor).then(|| {
                self.contacts.anchors[i].unwrap_or_else(|| match self.drift_of_patch(i) {
                    Some(s) => Anchor::drifted(a, b, &self.contacts.rubs_at[i], &s),
                    None => Anchor::new(a, b, &self.contacts.rubs_at[i]),
                })
            });
            self.contacts.fresh.push(Kept { pair: point.pair, feature: point.feature, linear, angular, anchor });
            self.touches.push(Touch {
                time,
                bodies: [point.body_a, point.body_b],
                feature: point.feature,
                point: middle(point).into(),
                normal: point.normal.into(),
                gap: point.gap + h * self.problem.w_path[first],
                approach: self.problem.w_before[first],
                velocity: velocity.into(),
                impulse: linear.into(),
                sticks,
                located: false,
            });
        }
        std::mem::swap(&mut self.memory.kept, &mut self.contacts.fresh);
        self.memory.last_h = h;
        self.projection.contacts = touching;
    }
}
