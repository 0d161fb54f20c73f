//! All particles of a trace on one engine, in columns.
//!
//! Symbols and outcomes are kept once by name. Where the three tolerances give the same sequence it is kept once. Rows of the motion stay
//! in the store.

use crate::particle::{Fate, Particle, Summary};
use crate::symbols::Symbol;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The particles that have run.
#[derive(Clone, Debug, Default)]
pub struct Bundle {
    /// Names of symbols and outcomes.
    names: Vec<Arc<str>>,
    index: BTreeMap<Arc<str>, u32>,
    rows: Vec<Row>,
    /// Values of the uncertain numbers, particle by particle.
    values: Vec<f64>,
    numbers: usize,
    /// Smallest gap and approach speed of each pair, particle by particle.
    gaps: Vec<[f32; 2]>,
    pairs: usize,
    /// Last positions.
    last_q: Vec<f32>,
    positions: usize,
    scalars: Vec<f64>,
    scalar_count: usize,
    marks: Vec<(f64, u32)>,
    /// Reasons of those without an outcome, by particle.
    reasons: BTreeMap<u32, Fate>,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    /// Index of a name; [`NONE`] without an outcome, [`ABSENT`] before it has run.
    outcome: u32,
    end_s: f32,
    cpu_s: f32,
    margin: f64,
    digest: u64,
    marks: [(u32, u32); 3],
}

const NONE: u32 = u32::MAX;
const ABSENT: u32 = u32::MAX - 1;

impl Bundle {
    /// With room for particles of so many uncertain numbers.
    pub fn new(particles: usize, numbers: usize) -> Self {
        let row = Row { outcome: ABSENT, end_s: 0.0, cpu_s: 0.0, margin: f64::NAN, digest: 0, marks: [(0, 0); 3] };
        Self { rows: vec![row; particles], values: vec![f64::NAN; particles * numbers], numbers, ..Self::default() }
    }

    /// From particles that ran elsewhere, in order.
    pub fn of(particles: &[Particle]) -> Self {
        let mut out = Self::new(particles.len(), particles.first().map_or(0, |p| p.values.len()));
        for (i, p) in particles.iter().enumerate() {
            out.put(i, &p.values, &p.summary);
        }
        out
    }

    /// Stores the summary of a particle.
    pub fn put(&mut self, i: usize, values: &[f64], summary: &Summary) {
        self.values[i * self.numbers..(i + 1) * self.numbers].copy_from_slice(values);
        let outcome = match &summary.fate {
            Fate::Outcome(name) => self.name(name),
            other => {
                self.reasons.insert(i as u32, other.clone());
                NONE
            }
        };
        fill(
            &mut self.gaps,
            &mut self.pairs,
            self.rows.len(),
            i,
            &summary.gaps,
            |g| g.map(|x| x as f32),
            [f32::NAN; 2],
        );
        fill(&mut self.last_q, &mut self.positions, self.rows.len(), i, &summary.last_q, |x| *x as f32, f32::NAN);
        fill(&mut self.scalars, &mut self.scalar_count, self.rows.len(), i, &summary.scalars, |x| *x, f64::NAN);
        let mut marks = [(0, 0); 3];
        for (k, symbols) in summary.symbols.iter().enumerate() {
            if let Some(same) = (0..k).find(|&j| summary.symbols[j] == *symbols) {
                marks[k] = marks[same];
                continue;
            }
            let start = self.marks.len() as u32;
            for symbol in symbols {
                let name = self.name(&symbol.name);
                self.marks.push((symbol.at_s, name));
            }
            marks[k] = (start, symbols.len() as u32);
        }
        self.rows[i] = Row {
            outcome,
            end_s: summary.end_s as f32,
            cpu_s: summary.cpu_s as f32,
            margin: summary.margin.unwrap_or(f64::NAN),
            digest: summary.digest,
            marks,
        };
    }

    fn name(&mut self, name: &Arc<str>) -> u32 {
        if let Some(found) = self.index.get(name) {
            return *found;
        }
        let new = self.names.len() as u32;
        self.names.push(name.clone());
        self.index.insert(name.clone(), new);
        new
    }

    /// Number of particles, run or not.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no particles.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Drops the particles from `count` on.
    pub fn truncate(&mut self, count: usize) {
        self.rows.truncate(count);
        self.values.truncate(count * self.numbers);
        self.gaps.truncate(count * self.pairs);
        self.last_q.truncate(count * self.positions);
        self.scalars.truncate(count * self.scalar_count);
        self.reasons.retain(|i, _| (*i as usize) < count);
    }

    /// Whether a particle has run.
    pub fn has_run(&self, i: usize) -> bool {
        self.rows[i].outcome != ABSENT
    }

    /// Values of the uncertain numbers.
    pub fn values(&self, i: usize) -> &[f64] {
        &self.values[i * self.numbers..(i + 1) * self.numbers]
    }

    /// The outcome, if it has one.
    pub fn outcome(&self, i: usize) -> Option<&Arc<str>> {
        self.names.get(self.rows[i].outcome as usize)
    }

    /// How it ended.
    pub fn fate(&self, i: usize) -> Fate {
        match self.outcome(i) {
            Some(name) => Fate::Outcome(name.clone()),
            None => self.reasons.get(&(i as u32)).cloned().unwrap_or(Fate::NotRun("it has not run".to_string())),
        }
    }

    /// Margin, if it has one.
    pub fn margin(&self, i: usize) -> Option<f64> {
        Some(self.rows[i].margin).filter(|m| !m.is_nan())
    }

    /// Smallest gap [m] and approach speed [m/s] of a pair.
    pub fn gap(&self, i: usize, pair: usize) -> Option<[f64; 2]> {
        let found = (pair < self.pairs).then(|| self.gaps[i * self.pairs + pair])?;
        (!found[0].is_nan()).then(|| found.map(f64::from))
    }

    /// Positions at the end; empty for those without a run.
    pub fn last_q(&self, i: usize) -> &[f32] {
        self.last_q.get(i * self.positions..(i + 1) * self.positions).unwrap_or_default()
    }

    /// A number known before the run.
    pub fn scalar(&self, i: usize, which: usize) -> Option<f64> {
        let found = (which < self.scalar_count).then(|| self.scalars[i * self.scalar_count + which])?;
        (!found.is_nan()).then_some(found)
    }

    /// End of the run [s].
    pub fn end_s(&self, i: usize) -> f64 {
        f64::from(self.rows[i].end_s)
    }

    /// CPU time of the run [s].
    pub fn cpu_s(&self, i: usize) -> f64 {
        f64::from(self.rows[i].cpu_s)
    }

    /// First bytes of the digest of its record.
    pub fn digest(&self, i: usize) -> u64 {
        self.rows[i].digest
    }

    /// Symbols at one of the tolerances.
    pub fn symbols(&self, i: usize, tolerance: usize) -> Vec<Symbol> {
        let (start, len) = self.rows[i].marks[tolerance];
        let marks = &self.marks[start as usize..(start + len) as usize];
        marks.iter().map(|(at_s, name)| Symbol { at_s: *at_s, name: self.names[*name as usize].clone() }).collect()
    }

    /// Indices of the drawn particles with an outcome. The nominal one is chosen, not drawn: it counts in no probability.
    pub fn drawn(&self) -> Vec<usize> {
        (1..self.len()).filter(|&i| self.outcome(i).is_some()).collect()
    }

    /// Standard deviation of each number over all particles; one where it does not vary.
    pub fn spreads(&self) -> Vec<f64> {
        let spread = |k: usize| {
            let column: Vec<f64> = (0..self.len()).map(|i| self.values(i)[k]).filter(|x| x.is_finite()).collect();
            veracity_measure::statistics::standard_deviation(&column)
        };
        (0..self.numbers).map(spread).map(|s| if s > 0.0 { s } else { 1.0 }).collect()
    }
}

/// Writes a particle's entries into a column, which gets its width from the first particle that has any.
fn fill<T: Copy, U>(
    column: &mut Vec<T>,
    width: &mut usize,
    particles: usize,
    i: usize,
    entries: &[U],
    as_kept: impl Fn(&U) -> T,
    none: T,
) {
    if *width == 0 && !entries.is_empty() {
        *width = entries.len();
        column.resize(particles * *width, none);
    }
    for (kept, entry) in column.iter_mut().skip(i * *width).take(*width).zip(entries) {
        *kept = as_kept(entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn particles_read_back_as_they_were_put() {
        let mut bundle = Bundle::new(3, 2);
        let symbol = |at_s: f64, name: &str| Symbol { at_s, name: name.into() };
        let mut summary = Summary::without_run(Fate::Outcome("falls".into()));
        summary.symbols = [vec![symbol(1.0, "a"), symbol(1.1, "a")], vec![symbol(1.0, "a")], vec![symbol(1.0, "a")]];
        (summary.margin, summary.gaps, summary.last_q) = (Some(-0.5), vec![[0.25, 2.0]], vec![1.0, 2.0]);
        bundle.put(2, &[3.0, 4.0], &summary);
        bundle.put(0, &[1.0, 2.0], &Summary::without_run(Fate::NotRun("too slow".into())));
        assert!(!bundle.has_run(1) && bundle.has_run(2) && bundle.has_run(0));
        assert_eq!(bundle.outcome(2).map(|o| &**o), Some("falls"));
        assert_eq!(bundle.fate(0), Fate::NotRun("too slow".into()));
        assert_eq!([0, 1, 2].map(|t| bundle.symbols(2, t)), summary.symbols);
        assert_eq!((bundle.margin(2), bundle.margin(0)), (Some(-0.5), None));
        assert_eq!((bundle.gap(2, 0), bundle.gap(0, 0), bundle.gap(2, 1)), (Some([0.25, 2.0]), None, None));
        assert_eq!((bundle.last_q(2), bundle.values(2)), (&[1.0f32, 2.0][..], &[3.0, 4.0][..]));
        assert_eq!(bundle.drawn(), [2]);
    }
}
