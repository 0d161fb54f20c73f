//! The equations of a step, island by island.
//!
//! Blocks of velocities that no row joins do not affect each other within a step: (1) of [`super::newton`] separates
//! into one problem for each island, and each is solved with as many Newton steps as it needs. Solved as one, all
//! islands would wait for the hardest. With `ρ` the relative residual of an island's equations, and `s` the square of
//! the momenta in it, the residual of all is
//!
//! ```text
//! (1)  ρ² = Σ ρᵢ² sᵢ / Σ sᵢ
//! ```
//!
//! A block without rows keeps the velocity it has without contact.

use super::newton::{Newton, Options, Outcome, Problem, Row};
use crate::islands::{flatten, join};

/// The solver of a whole step. Reused without allocation once the sizes have occurred.
#[derive(Clone, Debug, Default)]
pub struct Islands {
    newton: Newton,
    /// The root of the island of each block, and whether a row belongs to the island of that root.
    of: Vec<usize>,
    touched: Vec<bool>,
    /// Index of each block within its island.
    local: Vec<usize>,
    /// One island, with its blocks, the rows copied from the whole problem, and the indices of its terms there.
    part: Problem,
    blocks: Vec<usize>,
    rows: Vec<usize>,
    normals: Vec<usize>,
    frictions: Vec<usize>,
    normal_of: Vec<usize>,
    start: Vec<f64>,
    v: Vec<f64>,
    /// Speeds of all rows at the solution.
    speeds: Vec<f64>,
}

impl Islands {
    /// Speeds of the rows at the solution.
    pub fn row_speeds(&self) -> &[f64] {
        &self.speeds
    }

    /// Solves the step, starting from `v`; `start` are the velocities without contact. `Err` names a velocity without
    /// inertia.
    pub fn solve(
        &mut self,
        problem: &mut Problem,
        options: &Options,
        start: &[f64],
        v: &mut [f64],
    ) -> Result<Outcome, usize> {
        self.find(problem);
        self.speeds.clear();
        self.speeds.resize(problem.rows.len(), 0.0);
        let mut all = Outcome::default();
        let (mut left, mut size) = (0.0, 0.0);
        for island in 0..problem.blocks.len() {
            if self.of[island] != island {
                continue;
            }
            let (first, count) = problem.blocks[island];
            let dofs = first..first + count;
            // A block without rows is an island of one block.
            if !self.touched[island] && problem.push[dofs.clone()].iter().all(|p| *p == 0.0) {
                v[dofs.clone()].copy_from_slice(&start[dofs.clone()]);
                let diagonal = |k: usize| problem.inertia[problem.inertia_start[island] + k * (count + 1)];
                size += start[dofs].iter().enumerate().map(|(k, x)| diagonal(k) * x * x).sum::<f64>();
                continue;
            }
            self.take(problem, island, start, v);
            let outcome = self.newton.solve(&mut self.part, options, &self.start, &mut self.v);
            let outcome = outcome.map_err(|dof| self.dof_of(problem, dof))?;
            self.give_back(problem, v);
            all.iterations = all.iterations.max(outcome.iterations);
            all.friction_mismatch = all.friction_mismatch.max(outcome.friction_mismatch);
            left += outcome.residual * outcome.residual * self.newton.size();
            size += self.newton.size();
        }
        // (1)
        all.residual = if left == 0.0 { 0.0 } else { (left / size).sqrt() };
        Ok(all)
    }

    /// Finds which blocks are joined by rows.
    fn find(&mut self, problem: &Problem) {
        self.of.clear();
        self.of.extend(0..problem.blocks.len());
        for row in &problem.rows {
            if let [Some((a, _)), Some((b, _))] = row.parts {
                join(&mut self.of, a, b);
            }
        }
        flatten(&mut self.of);
        self.touched.clear();
        self.touched.resize(self.of.len(), false);
        for (block, _) in problem.rows.iter().flat_map(|row| row.parts.iter().flatten()) {
            self.touched[self.of[*block]] = true;
        }
    }

    /// Copies one island into the part.
    fn take(&mut self, problem: &Problem, island: usize, start: &[f64], v: &[f64]) {
        let part = &mut self.part;
        part.blocks.clear();
        part.inertia.clear();
        part.inertia_start.clear();
        part.push.clear();
        part.rows.clear();
        part.values.clear();
        part.normals.clear();
        part.frictions.clear();
        self.blocks.clear();
        self.start.clear();
        self.v.clear();
        self.local.resize(problem.blocks.len(), 0);
        for (block, &(first, count)) in problem.blocks.iter().enumerate().filter(|(b, _)| self.of[*b] == island) {
            self.local[block] = self.blocks.len();
            self.blocks.push(block);
            part.blocks.push((self.v.len(), count));
            self.v.extend_from_slice(&v[first..first + count]);
            self.start.extend_from_slice(&start[first..first + count]);
            part.push.extend_from_slice(&problem.push[first..first + count]);
            part.inertia_start.push(part.inertia.len());
            let at = problem.inertia_start[block];
            part.inertia.extend_from_slice(&problem.inertia[at..at + count * count]);
        }
        let belongs = |of: &[usize], row: usize| {
            problem.rows[row].parts.iter().flatten().next().is_some_and(|(block, _)| of[*block] == island)
        };
        self.rows.clear();
        self.normals.clear();
        self.frictions.clear();
        self.normal_of.resize(problem.normals.len(), 0);
        for (i, normal) in problem.normals.iter().enumerate().filter(|(_, n)| belongs(&self.of, n.row)) {
            self.normal_of[i] = self.normals.len();
            self.normals.push(i);
            let row = push_row(part, &mut self.rows, problem, normal.row, &self.local);
            part.normals.push(super::newton::NormalTerm { row, ..*normal });
        }
        for (i, friction) in problem.frictions.iter().enumerate().filter(|(_, f)| belongs(&self.of, f.row)) {
            self.frictions.push(i);
            let row = part.rows.len();
            for k in 0..friction.rows {
                push_row(part, &mut self.rows, problem, friction.row + k, &self.local);
            }
            let bound_by = friction.bound_by.map(|(normal, factor)| (self.normal_of[normal], factor));
            part.frictions.push(super::newton::FrictionTerm { row, bound_by, ..*friction });
        }
    }

    /// Copies the solution of one island into the whole problem.
    fn give_back(&mut self, problem: &mut Problem, v: &mut [f64]) {
        for (block, &(first, count)) in self.blocks.iter().zip(&self.part.blocks) {
            let at = problem.blocks[*block].0;
            v[at..at + count].copy_from_slice(&self.v[first..first + count]);
        }
        for (&i, normal) in self.normals.iter().zip(&self.part.normals) {
            problem.normals[i].now = normal.now;
        }
        for (&i, friction) in self.frictions.iter().zip(&self.part.frictions) {
            (problem.frictions[i].now, problem.frictions[i].bound) = (friction.now, friction.bound);
        }
        for (&row, speed) in self.rows.iter().zip(self.newton.row_speeds()) {
            self.speeds[row] = *speed;
        }
    }

    /// Index in the whole problem of a velocity of an island.
    fn dof_of(&self, problem: &Problem, dof: usize) -> usize {
        let inside = |(_, (first, count)): &(&usize, &(usize, usize))| (*first..first + count).contains(&dof);
        let found = self.blocks.iter().zip(&self.part.blocks).find(inside);
        found.map_or(dof, |(block, (first, _))| problem.blocks[*block].0 + dof - first)
    }
}

/// Copies a row of the whole problem; returns its index in the part.
fn push_row(part: &mut Problem, taken: &mut Vec<usize>, problem: &Problem, row: usize, local: &[usize]) -> usize {
    let mut copy = Row::default();
    for (to, from) in copy.parts.iter_mut().zip(&problem.rows[row].parts) {
        if let Some((block, at)) = *from {
            *to = Some((local[block], part.values.len()));
            part.values.extend_from_slice(&problem.values[at..at + problem.blocks[block].1]);
        }
    }
    part.rows.push(copy);
    taken.push(row);
    part.rows.len() - 1
}
