//! One problem for each island: bodies that contacts, limits and joints do not couple in this step do not affect each
//! other.
//!
//! Blocks of velocities joined by rows form an island. Each island is copied into a problem over its own velocities,
//! where impulses, bounces and position corrections are computed separately: tolerances, choices between methods and
//! the energy a bounce may return follow from the island alone. A body therefore moves the same, to the bit, whatever
//! happens elsewhere. A world that is one island is solved in place; the copy would have the same numbers in the same
//! order.

use super::{PathRule, Stepping};
use crate::islands::{flatten, join};
use crate::rows::Rows;
use crate::world::ContactWorld;
use std::mem::swap;
use veracity_dynamics::integrate::{State, StepReport};
use veracity_dynamics::{Trouble, row_coordinates};

/// No island.
const NONE: u32 = u32::MAX;

/// Which rows and which blocks of velocities belong together.
#[derive(Default)]
pub(super) struct Islands {
    /// For each block of velocities the root of its island; the last entry is for rows that move nothing.
    of: Vec<usize>,
    /// For each block of rows a block of velocities that it moves.
    moves: Vec<u32>,
    /// Index of the island of which a block of velocities is the root.
    number: Vec<u32>,
    /// Blocks of rows, sorted by island, and where each island begins; one more at the end.
    rows: Vec<u32>,
    row_starts: Vec<u32>,
    /// Blocks of velocities, in the same layout.
    blocks: Vec<u32>,
    block_starts: Vec<u32>,
    /// Where the velocities of each block begin within its island.
    local: Vec<usize>,
    /// The island being solved: its entries of `blocks`.
    current: (usize, usize),
    /// `unsettled` of the memory before this step.
    was_unsettled: Vec<bool>,
}

/// The problem of an island, or of the whole world.
pub(super) struct Problem {
    pub rows: Rows,
    /// Velocities in row coordinates: before the step; free, then after it; along which positions move.
    pub u_before: Vec<f64>,
    pub u: Vec<f64>,
    pub path: Vec<f64>,
    /// Velocities of rows: before the step, after it, along the path.
    pub w_before: Vec<f64>,
    pub w: Vec<f64>,
    pub w_path: Vec<f64>,
    /// Impulses.
    pub lambda: Vec<f64>,
}

impl Problem {
    pub fn new(world: &ContactWorld) -> Self {
        let nv = world.system.dof_count();
        let empty = Vec::new;
        Self {
            rows: Rows::new(world),
            u_before: vec![0.0; nv],
            u: vec![0.0; nv],
            path: empty(),
            w_before: empty(),
            w: empty(),
            w_path: empty(),
            lambda: empty(),
        }
    }
}

/// More about the island being solved, which the whole problem does not need.
#[derive(Default)]
pub(super) struct Current {
    /// Velocities of rows without impulses, and the right-hand side of the problem.
    pub w_free: Vec<f64>,
    pub b: Vec<f64>,
    /// Some pair touches at several points.
    pub patches: bool,
    /// Some patch has a point that was not there in the last step.
    pub newcomers: bool,
}

impl Islands {
    /// Finds the islands of a step; they are numbered by their first block of rows.
    fn find(&mut self, world: &ContactWorld, rows: &Rows) {
        let (system, count) = (&world.system, world.system.blocks().len());
        self.of.clear();
        self.of.extend(0..=count);
        self.moves.clear();
        for (_, row) in &rows.blocks {
            // All rows of a block touch the same trees.
            let mut trees = rows.operator.segment_starts(*row as usize).map(|dof| system.block_of_dof(dof));
            let first = trees.next();
            if let (Some(a), Some(b)) = (first, trees.next()) {
                join(&mut self.of, a, b);
            }
            self.moves.push(first.unwrap_or(count) as u32);
        }
        flatten(&mut self.of);
        self.number.clear();
        self.number.resize(count + 1, NONE);
        self.row_starts.clear();
        self.row_starts.push(0);
        for block in &self.moves {
            let number = &mut self.number[self.of[*block as usize]];
            if *number == NONE {
                *number = self.row_starts.len() as u32 - 1;
                self.row_starts.push(0);
            }
            self.row_starts[*number as usize + 1] += 1;
        }
        self.block_starts.clear();
        self.block_starts.resize(self.row_starts.len(), 0);
        for block in 0..count {
            let number = self.number[self.of[block]];
            if number != NONE {
                self.block_starts[number as usize + 1] += 1;
            }
        }
        for k in 1..self.row_starts.len() {
            self.row_starts[k] += self.row_starts[k - 1];
            self.block_starts[k] += self.block_starts[k - 1];
        }
        // Counting sort: each start advances as its island fills, and is reset afterwards.
        self.rows.clear();
        self.rows.resize(rows.blocks.len(), 0);
        for (k, block) in self.moves.iter().enumerate() {
            let start = &mut self.row_starts[self.number[self.of[*block as usize]] as usize];
            self.rows[*start as usize] = k as u32;
            *start += 1;
        }
        self.blocks.clear();
        self.blocks.resize(self.block_starts.last().map_or(0, |n| *n as usize), 0);
        self.local.clear();
        self.local.resize(count + 1, 0);
        for block in 0..count {
            let number = self.number[self.of[block]];
            if number != NONE {
                let start = &mut self.block_starts[number as usize];
                self.blocks[*start as usize] = block as u32;
                *start += 1;
            }
        }
        for starts in [&mut self.row_starts, &mut self.block_starts] {
            starts.rotate_right(1);
            starts[0] = 0;
        }
        for island in 0..self.len() {
            let mut velocities = 0;
            for &block in &self.blocks[self.blocks_of(island)] {
                self.local[block as usize] = velocities;
                velocities += system.blocks()[block as usize].len;
            }
        }
    }

    fn len(&self) -> usize {
        self.row_starts.len() - 1
    }

    fn blocks_of(&self, island: usize) -> std::ops::Range<usize> {
        self.block_starts[island] as usize..self.block_starts[island + 1] as usize
    }

    /// Index of the first velocity of a block within its island.
    pub(super) fn local(&self, block: usize) -> usize {
        self.local[block]
    }

    /// Blocks of velocities of the island being solved, each with the index of its first velocity there.
    pub(super) fn current(&self) -> impl Iterator<Item = (usize, usize)> {
        self.blocks[self.current.0..self.current.1].iter().map(|b| (*b as usize, self.local[*b as usize]))
    }
}

impl Stepping {
    /// Solves all islands, one after another; fills impulses, velocities and corrected positions.
    pub(super) fn solve_islands(
        &mut self,
        state: &mut State,
        h: f64,
        report: &mut StepReport,
    ) -> Result<(), Trouble> {
        self.islands.find(&self.world, &self.problem.rows);
        self.spending.ready = false;
        // Bodies without rows are in free flight.
        self.problem.path.clear();
        self.problem.path.extend_from_slice(&self.problem.u);
        if self.settings.path == PathRule::Mean {
            for block in self.world.system.blocks().iter().filter(|b| b.is_free_body()) {
                for k in block.first..block.first + block.len {
                    self.problem.path[k] = 0.5 * (self.problem.u_before[k] + self.problem.u[k]);
                }
            }
        }
        self.islands.was_unsettled.clear();
        self.islands.was_unsettled.extend_from_slice(&self.memory.unsettled);
        self.memory.unsettled.fill(false);
        let whole = self.world.system.blocks().len();
        if self.islands.len() == 1 && self.islands.blocks_of(0) == (0..whole) {
            self.islands.current = (0, whole);
            return self.solve_island(state, h, report);
        }
        swap(&mut self.problem, &mut self.whole);
        let mut outcome = Ok(());
        for island in 0..self.islands.len() {
            self.enter(island);
            let mut own = StepReport::default();
            outcome = self.solve_island(state, h, &mut own);
            self.leave(island);
            // Islands are independent problems: the hardest one is reported.
            report.iterations = report.iterations.max(own.iterations);
            report.contact_residual = report.contact_residual.max(own.contact_residual);
            report.unsolved = report.unsolved.max(own.unsolved);
            if outcome.is_err() {
                break;
            }
        }
        swap(&mut self.problem, &mut self.whole);
        outcome
    }

    /// Copies an island out of the whole problem.
    fn enter(&mut self, island: usize) {
        let (islands, whole, system) = (&mut self.islands, &mut self.whole, &self.world.system);
        let span = islands.blocks_of(island);
        islands.current = (span.start, span.end);
        self.problem.u.clear();
        self.problem.u_before.clear();
        for &block in &islands.blocks[span] {
            let block = &system.blocks()[block as usize];
            let velocities = block.first..block.first + block.len;
            extend_short(&mut self.problem.u, &whole.u[velocities.clone()]);
            extend_short(&mut self.problem.u_before, &whole.u_before[velocities]);
        }
        // Allocate for the largest possible island: no later step with as many rows allocates.
        self.problem.rows.clear_for(self.problem.u.len(), &whole.rows);
        self.problem.lambda.clear();
        self.problem.lambda.reserve(whole.lambda.len());
        self.problem.w_before.reserve(whole.lambda.len().saturating_sub(self.problem.w_before.len()));
        self.problem.w.reserve(whole.lambda.len().saturating_sub(self.problem.w.len()));
        self.problem.w_path.reserve(whole.lambda.len().saturating_sub(self.problem.w_path.len()));
        whole.w.resize(whole.lambda.len(), 0.0);
        whole.w_path.resize(whole.lambda.len(), 0.0);
        whole.w_before.resize(whole.lambda.len(), 0.0);
        let local = |dof: usize| {
            let block = system.block_of_dof(dof);
            islands.local[block] + dof - system.blocks()[block].first
        };
        for &k in &islands.rows[islands.row_starts[island] as usize..islands.row_starts[island + 1] as usize] {
            self.problem.rows.push_copy(&whole.rows, k as usize, local);
            let (_, first) = whole.rows.blocks[k as usize];
            let rows = whole.rows.laws[k as usize].rows();
            extend_short(&mut self.problem.lambda, &whole.lambda[first as usize..first as usize + rows]);
        }
    }

    /// Copies the results of an island into the whole problem.
    fn leave(&mut self, island: usize) {
        let (islands, whole, system) = (&self.islands, &mut self.whole, &self.world.system);
        for (block, local) in islands.current() {
            let block = &system.blocks()[block];
            for (to, from) in [(&mut whole.u, &self.problem.u), (&mut whole.path, &self.problem.path)] {
                if let Some(from) = from.get(local..local + block.len) {
                    copy_short(&mut to[block.first..block.first + block.len], from);
                }
            }
        }
        let mut at = 0;
        for &k in &islands.rows[islands.row_starts[island] as usize..islands.row_starts[island + 1] as usize] {
            let first = whole.rows.blocks[k as usize].1 as usize;
            let rows = whole.rows.laws[k as usize].rows();
            for (to, from) in [
                (&mut whole.lambda, &self.problem.lambda),
                (&mut whole.w, &self.problem.w),
                (&mut whole.w_path, &self.problem.w_path),
                (&mut whole.w_before, &self.problem.w_before),
            ] {
                // A failed solve may not have filled all results.
                if let Some(from) = from.get(at..at + rows) {
                    copy_short(&mut to[first..first + rows], from);
                }
            }
            at += rows;
        }
    }

    /// Solves one island: impulses, and the velocities after them.
    fn solve_island(&mut self, state: &mut State, h: f64, report: &mut StepReport) -> Result<(), Trouble> {
        self.solve.unsettled = self.islands.current().any(|(block, _)| self.islands.was_unsettled[block]);
        (self.current.newcomers, self.current.patches) = (false, false);
        for (source, _) in &self.problem.rows.blocks {
            if let crate::rows::Source::Contact(i) = *source {
                let place = self.contacts.in_patches[i as usize];
                self.current.patches |= place.in_patch;
                self.current.newcomers |= place.is_new;
            }
        }
        self.problem.rows.velocities(&self.problem.u_before, &mut self.problem.w_before);
        let fastest = self.problem.w_before.iter().fold(0.0f64, |most, w| most.max(w.abs()));
        self.solve.good = self.settings.tolerance + self.settings.relative_tolerance * fastest;
        self.project(state, h, report)?;
        self.solve_velocities(state, h, report)?;
        let impact = self.bounce(h, report)?;
        self.spending.u_free.clear();
        self.spending.u_free.extend_from_slice(&self.problem.u);
        self.problem.rows.add_response(&self.problem.lambda, &mut self.problem.u);
        self.problem.rows.velocities(&self.problem.u, &mut self.problem.w);
        self.choose_path(h, impact);
        self.go_on(state, h);
        for (block, _) in self.islands.current() {
            self.memory.unsettled[block] = self.solve.unsettled;
        }
        Ok(())
    }

    /// Writes `v` of the island from its velocities in row coordinates; the velocities of other bodies are unchanged.
    pub(super) fn island_velocity(&self, u: &[f64], v: &mut [f64]) {
        let system = &self.world.system;
        for (index, local) in self.islands.current() {
            let block = &system.blocks()[index];
            let (u, v) = (&u[local..local + block.len], &mut v[block.first..block.first + block.len]);
            row_coordinates::block_to_velocity(system, &self.ws, index, u, v);
        }
    }
}

/// Copies a slice that mostly has three numbers, the rows of a contact, or six, the velocities of a body: a call of
/// `memmove` costs several times as much as such a copy.
#[inline(always)]
fn copy_short(to: &mut [f64], from: &[f64]) {
    if let (Ok(to), Ok(from)) = (<&mut [f64; 3]>::try_from(&mut *to), <&[f64; 3]>::try_from(from)) {
        *to = *from;
    } else if let (Ok(to), Ok(from)) = (<&mut [f64; 6]>::try_from(&mut *to), <&[f64; 6]>::try_from(from)) {
        *to = *from;
    } else {
        to.copy_from_slice(from);
    }
}

/// Appends such a slice.
#[inline(always)]
pub(super) fn extend_short(to: &mut Vec<f64>, from: &[f64]) {
    if let Ok(three) = <&[f64; 3]>::try_from(from) {
        to.extend_from_slice(three);
    } else if let Ok(six) = <&[f64; 6]>::try_from(from) {
        to.extend_from_slice(six);
    } else {
        to.extend_from_slice(from);
    }
}
