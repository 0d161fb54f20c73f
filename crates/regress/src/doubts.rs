//! Worlds that could be mistaken for the training world.
//!
//! A map learned in one world predicts a value for a recording of any world. The test of explanation
//! ([`mod@crate::explain`]) finds a world that moves unlike all of training; one that moves like *another value* of training
//! (a heavier shell like a shorter lever) passes it, and the value is wrong. So a study names its doubts: what else could be
//! different. Runs of each such world are simulated at the training values and learned against the training runs,
//!
//! ```text
//! (1)  y = 0 for training rows, 1 for rows of the other world;   z = mean prediction over a run, held out with its round
//! (2)  t₀ = (z̄_rec - z̄_training) / (s₀ √(1/P + 1/N₀)),     t₁ = (z̄_other - z̄_rec) / (s₁ √(1/P + 1/N₁))
//! (3)  like the other world:   t₀ beyond its α/K quantile
//!      other world excluded:   t₁ beyond its α/K quantile
//! (4)  b = mean over runs of the other world of (estimate by the map of training - true value)
//! ```
//!
//! with K doubts, N held-out runs of a world and P recorded runs. There is a verdict only if every doubt is excluded and the
//! recording is not like it; a doubt that can neither be excluded nor confirmed does not matter if it moves the estimate by
//! less than half of its interval (4). Predictions of runs are taken as normal, with the scatter of each world's own.

use crate::error::Error;
use crate::models::{Fitted, ModelKind};
use crate::rows::Rows;
use serde::Serialize;
use veracity_measure::statistics::special::student_quantile;
use veracity_measure::statistics::{mean, standard_deviation};

/// α of (3), shared by the doubts: how often a named world is mistaken for the training world.
pub const DOUBT_ERROR: f64 = 0.05;

/// A world that could be the recorded one.
#[derive(Clone, Debug)]
pub struct DoubtRows {
    /// In a few words.
    pub name: String,
    /// Rows of its runs, with the training values.
    pub rows: Rows,
}

/// A doubt, learned.
pub struct Doubt {
    name: String,
    /// z of held-out runs of training and of the other world.
    held: [Vec<f64>; 2],
    fitted: Fitted,
    /// Mean prediction of the training map for each run of the other world, with the run's value.
    answers: Vec<(f64, f64)>,
}

/// What the recording says about a doubt.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DoubtResult {
    /// Name of the doubt.
    pub name: String,
    /// Mean z of held-out training runs, of held-out runs of the other world, and of the recording.
    pub z: [f64; 3],
    /// Whether the recording is unlike training in the direction of the other world.
    pub like_it: bool,
    /// Whether it is unlike the other world.
    pub excluded: bool,
    /// (4), in the unit of the target.
    pub moves_estimate_by: f64,
}

impl DoubtResult {
    /// Why there is no verdict; `None` if the doubt is settled or does not matter. `half_width` is that of the estimate.
    pub fn against(&self, half_width: f64) -> Option<String> {
        let moved = format!("it would move the estimate by {:.3}", self.moves_estimate_by);
        match (self.like_it, self.excluded) {
            (true, false) => {
                Some(format!("the recording moves as with '{}', not as in training; {moved}", self.name))
            }
            (true, true) => Some(format!("the recording moves neither as in training nor as with '{}'", self.name)),
            (false, true) => None,
            (false, false) if self.moves_estimate_by.abs() < 0.5 * half_width => None,
            (false, false) => {
                Some(format!("this recording does not distinguish '{}' from training; {moved}", self.name))
            }
        }
    }
}

impl Doubt {
    /// Learns the other world against training. Rounds of runs are held out in turn: run r of every value.
    pub fn new(
        training: &Rows,
        whole: &Fitted,
        target: usize,
        other: &DoubtRows,
        model: &ModelKind,
    ) -> Result<Self, Error> {
        if training.names != other.rows.names {
            return Err(Error::Unfit(format!("doubt '{}': its rows have other columns than training", other.name)));
        }
        let mut both = Rows::new(training.names.clone());
        let mut rounds = Vec::new();
        for (world, rows) in [training, &other.rows].into_iter().enumerate() {
            let mut seen: Vec<(f64, usize)> = Vec::new();
            for run in &rows.runs {
                let values: Vec<f64> = run.rows.clone().flat_map(|k| rows.row(k).to_vec()).collect();
                both.push(&run.name, &[world as f64], &values);
                let value = run.targets[target];
                let round = seen.iter().filter(|(v, _)| *v == value).count();
                seen.push((value, round));
                rounds.push(round);
            }
        }
        let last = rounds.iter().copied().max().unwrap_or(0);
        if last == 0 {
            let what = "each value needs at least two runs, so that one can be held out";
            return Err(Error::Unfit(format!("doubt '{}': {what}", other.name)));
        }
        let rows_of = |held: &dyn Fn(usize) -> bool| -> Vec<u32> {
            let runs = both.runs.iter().enumerate().filter(|(k, _)| held(rounds[*k]));
            runs.flat_map(|(_, run)| run.rows.clone().map(|k| k as u32)).collect()
        };
        let mut held = [Vec::new(), Vec::new()];
        for round in 0..=last {
            let fitted = Fitted::new(&both, &rows_of(&|r| r != round), model, &mut |_, _, _| ());
            for (k, run) in
                both.runs.iter().enumerate().filter(|(k, run)| rounds[*k] == round && !run.rows.is_empty())
            {
                let which: Vec<u32> = run.rows.clone().map(|k| k as u32).collect();
                held[usize::from(both.runs[k].targets[0] > 0.5)].push(mean(&fitted.predict(0, &both, &which)));
            }
        }
        if held.iter().any(|z| z.len() < 3) {
            return Err(Error::Unfit(format!("doubt '{}': fewer than three runs of a world have rows", other.name)));
        }
        let fitted = Fitted::new(&both, &rows_of(&|_| true), model, &mut |_, _, _| ());
        let answer = |run: &crate::rows::RunRows| {
            let which: Vec<u32> = run.rows.clone().map(|k| k as u32).collect();
            (mean(&whole.predict(target, &other.rows, &which)), run.targets[target])
        };
        let answers = other.rows.runs.iter().filter(|run| !run.rows.is_empty()).map(answer).collect();
        Ok(Self { name: other.name.clone(), held, fitted, answers })
    }

    /// Asks a recording. `line` is the calibration of the training map, intercept and slope; `doubts` is K.
    pub fn ask(&self, recorded: &Rows, line: [f64; 2], doubts: usize) -> DoubtResult {
        let of = |run: &crate::rows::RunRows| {
            let which: Vec<u32> = run.rows.clone().map(|k| k as u32).collect();
            mean(&self.fitted.predict(0, recorded, &which))
        };
        let z: Vec<f64> = recorded.runs.iter().filter(|run| !run.rows.is_empty()).map(of).collect();
        let at = mean(&z);
        let t = |world: usize| {
            let held = &self.held[world];
            let scatter = standard_deviation(held) * (1.0 / z.len() as f64 + 1.0 / held.len() as f64).sqrt();
            (at - mean(held)) / scatter.max(1e-300)
        };
        let quantile =
            |world: usize| student_quantile(1.0 - DOUBT_ERROR / doubts as f64, self.held[world].len() as f64 - 1.0);
        let moved: Vec<f64> = self.answers.iter().map(|(p, value)| line[0] + line[1] * p - value).collect();
        DoubtResult {
            name: self.name.clone(),
            z: [mean(&self.held[0]), mean(&self.held[1]), at],
            like_it: t(0) > quantile(0),
            excluded: -t(1) > quantile(1),
            moves_estimate_by: mean(&moved),
        }
    }
}
