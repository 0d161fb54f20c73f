//! `[cycle]`: names become slots; every name that does not exist is reported at its line.

use crate::cycle::{CycleConfig, CycleExpect, FootShape};
use crate::file::cycle_table::{CycleExpectTable, CycleTable, MirrorWord};
use crate::file::document::{Document, Step, at};
use crate::file::names::hint;
use veracity_model::{Findings, JointKind, Layout, World};

pub(super) fn read(
    document: &Document,
    table: &CycleTable,
    world: &World,
    layout: &Layout,
    duration_s: f64,
    findings: &mut Findings,
) -> Option<CycleConfig> {
    let mut reader = Reader { document, world, layout, findings };
    let stance = reader.foot(at!["cycle", "stance"], &table.stance);
    let strike = reader.foot(at!["cycle", "strike"], &table.strike);
    let released = match &table.released {
        Some(name) => reader.foot(at!["cycle", "released"], name),
        None => strike,
    };
    let mut swap = Vec::new();
    for (i, [a, b]) in table.swap.iter().enumerate() {
        let way = at!["cycle", "swap", i];
        if let (Some(a), Some(b)) = (reader.body(way, a), reader.body(way, b)) {
            swap.push([a, b]);
        }
    }
    let entries = |reader: &mut Reader<'_>, way: &[Step], name: &str| reader.entry(way, name);
    let shift = table
        .shift
        .iter()
        .filter_map(|(name, by)| Some((entries(&mut reader, at!["cycle", "shift", name], name)?.0, *by)))
        .collect();
    let cyclic = table
        .cyclic
        .iter()
        .enumerate()
        .filter_map(|(i, name)| Some(entries(&mut reader, at!["cycle", "cyclic", i], name)?.1))
        .collect();
    if !(1..=2).contains(&table.strikes) {
        let text = format!("'strikes' is {}; a stride has 1, or 2 where the legs differ", table.strikes);
        document.error(at!["cycle", "strikes"], text, reader.findings);
    }
    let longest_s = table.longest_s.unwrap_or(duration_s);
    if !(longest_s > 0.0 && longest_s.is_finite()) {
        let text = format!("'longest_s' is {longest_s}; give the longest time a stride may take, in seconds");
        document.error(at!["cycle", "longest_s"], text, reader.findings);
    }
    let expect = table.expect.as_ref().map(|t| expect(document, t, reader.findings));
    let mirror = table.mirror.map(|word| match word {
        MirrorWord::X => 0,
        MirrorWord::Y => 1,
        MirrorWord::Z => 2,
    });
    Some(CycleConfig {
        stance: stance?,
        strike: strike?,
        released: released?,
        strikes: table.strikes,
        swap,
        mirror,
        shift,
        cyclic,
        longest_s,
        expect,
    })
}

struct Reader<'a> {
    document: &'a Document<'a>,
    world: &'a World,
    layout: &'a Layout,
    findings: &'a mut Findings,
}

impl Reader<'_> {
    /// `body/shape`, the body with or without its placement.
    fn foot(&mut self, way: &[Step], name: &str) -> Option<FootShape> {
        let Some((body_name, shape_name)) = name.rsplit_once('/') else {
            let text = format!("'{name}' names no shape of a body; write body/shape, e.g. left_leg/foot");
            self.document.error(way, text, self.findings);
            return None;
        };
        let body = self.body(way, body_name)?;
        let slot = &self.layout.bodies[body];
        let shapes = &self.world.placements[slot.placement].model.body(slot.body).shapes;
        let colliding = || shapes.iter().filter(|s| s.collides).map(|s| s.name.as_str());
        let found = shapes.iter().position(|s| s.collides && s.name == shape_name);
        if found.is_none() {
            let hint = hint(shape_name, colliding());
            let text = format!("body '{body_name}' has no collision shape '{shape_name}'; {hint}");
            self.document.error(way, text, self.findings);
        }
        found.map(|shape| FootShape { body, shape })
    }

    fn body(&mut self, way: &[Step], name: &str) -> Option<usize> {
        let found = self.layout.body(name);
        if found.is_none() {
            let hint = hint(name, self.layout.bodies.iter().map(|b| b.name.as_str()));
            self.document.error(way, format!("there is no body '{name}'; {hint}"), self.findings);
        }
        found
    }

    /// `joint` or `joint/entry`: its index in `q` and that of its displacement in `v`.
    fn entry(&mut self, way: &[Step], name: &str) -> Option<(usize, usize)> {
        let (joint, entry) = match self.layout.joint(name) {
            Some(joint) => (joint, None),
            None => {
                let parts = name.rsplit_once('/');
                let found = parts.and_then(|(joint, entry)| Some((self.layout.joint(joint)?, Some(entry))));
                let Some(found) = found else {
                    let hint = hint(name, self.layout.joints.iter().map(|j| j.name.as_str()));
                    self.document.error(way, format!("there is no joint '{name}'; {hint}"), self.findings);
                    return None;
                };
                found
            }
        };
        let slot = &self.layout.joints[joint];
        let count = slot.kind.dof_count();
        let offset = match (slot.kind, entry) {
            (JointKind::Free, Some(letter)) => ["x", "y", "z"].iter().position(|x| *x == letter).map(|i| (i, 3 + i)),
            (JointKind::Ball, _) | (JointKind::Free, None) => None,
            (_, None) => (count == 1).then_some((0, 0)),
            (_, Some(number)) => number.parse::<usize>().ok().filter(|i| *i < count).map(|i| (i, i)),
        };
        if offset.is_none() {
            let text = format!(
                "'{name}' is not a single position; write joint for a joint with one freedom, joint/0 for others, joint/x for \
                 a free one ('{}' is {})",
                slot.name,
                slot.kind.name()
            );
            self.document.error(way, text, self.findings);
        }
        offset.map(|(q, v)| (slot.q + q, slot.v + v))
    }
}

fn expect(document: &Document, table: &CycleExpectTable, findings: &mut Findings) -> CycleExpect {
    let mut with_bound = |key: &str, bound_key: &str, value: Option<f64>, bound: Option<f64>| match (value, bound) {
        (Some(value), Some(bound)) => Some((value, bound)),
        (None, None) => None,
        _ => {
            let text = format!("'{key}' and '{bound_key}' go together; give both or neither");
            document.error(at!["cycle", "expect"], text, findings);
            None
        }
    };
    let period_s = with_bound("period_s", "period_bound_s", table.period_s, table.period_bound_s);
    let radius = with_bound("radius", "radius_bound", table.radius, table.radius_bound);
    let count = (!table.multipliers.is_empty()).then_some(0.0);
    let multipliers = with_bound("multipliers", "multiplier_bound", count, table.multiplier_bound)
        .map(|(_, bound)| (table.multipliers.clone(), bound));
    if table.reason.trim().is_empty() || table.source.trim().is_empty() {
        let text = "'source' and 'reason' say where the numbers and their bounds come from; write both";
        document.error(at!["cycle", "expect"], text, findings);
    }
    CycleExpect {
        verdict: table.verdict,
        source: table.source.trim().to_string(),
        start_bound: table.start_bound,
        period_s,
        multipliers,
        radius,
        reason: table.reason.trim().to_string(),
    }
}
