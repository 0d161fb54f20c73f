//! Contact rows as wrenches on one or two trees.
//!
//! ```text
//! (1)  J: velocity of the row per velocity of its trees
//! (2)  Y = M⁻¹ Jᵀ: change of their velocities per impulse (of accelerations per force)
//! (3)  A(r, s) = J(r) Y(s)
//! ```

use veracity_dynamics::{BodyPlace, System, Workspace, blocks};

/// The part of a row on one tree.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    block: usize,
    start: usize,
    len: usize,
    /// Index of its first value.
    at: usize,
}

/// Rows over the velocities of a system; allocations are reused.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    parts: Vec<[Part; 2]>,
    jacobian: Vec<f64>,
    response: Vec<f64>,
}

impl Rows {
    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        self.parts.len()
    }

    pub(super) fn clear(&mut self) {
        self.parts.clear();
        self.jacobian.clear();
        self.response.clear();
    }

    /// Appends the velocity of a point of one body relative to another along a direction, all in world axes.
    pub(super) fn push_point(
        &mut self,
        system: &System,
        ws: &Workspace,
        bodies: [BodyPlace; 2],
        points: [[f64; 3]; 2],
        direction: [f64; 3],
    ) {
        let mut parts = [Part::default(); 2];
        let [a, b] = bodies.map(|body| system.block_of(body));
        for (k, block) in [a, b].into_iter().enumerate() {
            let Some(block) = block else { continue };
            let sign = if k == 0 { 1.0 } else { -1.0 };
            // Two bodies of one tree share its part.
            if k == 0 || a != b {
                let made = &system.blocks()[block];
                parts[k] = Part { block, start: made.first, len: made.len, at: self.jacobian.len() };
                self.jacobian.resize(self.jacobian.len() + made.len, 0.0);
            }
            let part = if k == 1 && a == b { parts[0] } else { parts[k] };
            let out = &mut self.jacobian[part.at..part.at + part.len];
            blocks::add_wrench_row(system, ws, bodies[k], points[k], ([0.0; 3], direction), sign, out);
        }
        self.parts.push(parts);
    }

    /// Appends the speed of a degree of freedom, or its negative.
    pub(super) fn push_dof(&mut self, system: &System, dof: usize, sign: f64) {
        let block = system.block_of_dof(dof);
        let made = &system.blocks()[block];
        let part = Part { block, start: made.first, len: made.len, at: self.jacobian.len() };
        self.jacobian.resize(part.at + part.len, 0.0);
        self.jacobian[part.at + dof - part.start] = sign;
        self.parts.push([part, Part::default()]);
    }

    /// Computes (2) for the rows added since the last call.
    pub(super) fn respond(&mut self, system: &System, ws: &Workspace) {
        let done = self.response.len();
        self.response.extend_from_slice(&self.jacobian[done..]);
        for parts in &self.parts {
            for part in parts.iter().filter(|p| p.len > 0 && p.at >= done) {
                blocks::respond(system, ws, part.block, &mut self.response[part.at..part.at + part.len]);
            }
        }
    }

    /// The trees that a row moves: none, one or two.
    pub(super) fn trees(&self, row: usize) -> impl Iterator<Item = usize> {
        self.parts[row].iter().filter(|part| part.len > 0).map(|part| part.block)
    }

    /// `J(row) · x`.
    pub(super) fn of(&self, row: usize, x: &[f64]) -> f64 {
        let along = |p: &Part| -> f64 {
            self.jacobian[p.at..p.at + p.len].iter().zip(&x[p.start..]).map(|(j, x)| j * x).sum()
        };
        self.parts[row].iter().map(along).sum()
    }

    /// `out += Y(row) · strength`.
    pub(super) fn add_response(&self, row: usize, strength: f64, out: &mut [f64]) {
        for p in &self.parts[row] {
            let values = &self.response[p.at..p.at + p.len];
            out[p.start..].iter_mut().zip(values).for_each(|(o, y)| *o += y * strength);
        }
    }

    /// (3).
    pub(super) fn entry(&self, row: usize, column: usize) -> f64 {
        let mut sum = 0.0;
        for p in &self.parts[row] {
            for c in self.parts[column].iter().filter(|c| c.block == p.block && c.len > 0) {
                let (j, y) = (&self.jacobian[p.at..p.at + p.len], &self.response[c.at..c.at + c.len]);
                sum += j.iter().zip(y).map(|(j, y)| j * y).sum::<f64>();
            }
        }
        sum
    }
}
