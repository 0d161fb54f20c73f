//! Maps from a scaled row to a target: one name, one entry in [`MODELS`].

pub mod linear;

use crate::rows::Rows;
use crate::scaling::Scaling;
use crate::svr::{Points, Settings, SolverStats, Svr};
use linear::Linear;
use serde::{Deserialize, Serialize};

/// A kind of map with its settings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum ModelKind {
    /// Support vectors with the RBF kernel.
    Svr(Settings),
    /// A plane, with a ridge.
    Linear {
        /// λ.
        ridge: f64,
    },
    /// The target of the nearest training row.
    Nearest,
}

/// An entry for help and pages.
pub struct ModelEntry {
    /// Name in files.
    pub name: &'static str,
    /// Description.
    pub about: &'static str,
    /// The map with default settings.
    pub usual: fn() -> ModelKind,
}

/// Every kind.
pub const MODELS: &[ModelEntry] = &[
    ModelEntry {
        name: "svr",
        about: "support vectors with the RBF kernel, epsilon-insensitive",
        usual: || ModelKind::Svr(Settings::default()),
    },
    ModelEntry { name: "linear", about: "a plane, with a ridge", usual: || ModelKind::Linear { ridge: 1e-6 } },
    ModelEntry {
        name: "nearest",
        about: "the value of the nearest row: a lookup baseline",
        usual: || ModelKind::Nearest,
    },
];

/// Scaled training rows, and the map fitted to each target.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// Scaling computed from the training rows.
    pub scaling: Scaling,
    /// The training rows, scaled; used for the distance of later rows.
    pub points: Points,
    maps: Vec<Map>,
}

#[derive(Clone, Debug)]
enum Map {
    Svr(Box<Svr>),
    Linear(Linear),
    Nearest(Vec<f64>),
}

impl Fitted {
    /// Learns every target from the given rows. `progress(target, steps, gap)` is called while the solver runs.
    pub fn new(rows: &Rows, which: &[u32], kind: &ModelKind, progress: &mut dyn FnMut(usize, u64, f64)) -> Self {
        let scaling = Scaling::of(rows, which);
        let (width, scaled) = (rows.width(), scaling.apply(rows, which));
        let points = Points::new(which.len(), width, |k| &scaled[k * width..(k + 1) * width]);
        let targets = rows.runs.first().map_or(0, |run| run.targets.len());
        let maps = (0..targets)
            .map(|target| {
                let all = rows.target(target);
                let y: Vec<f64> = which.iter().map(|k| all[*k as usize]).collect();
                match kind {
                    ModelKind::Svr(settings) => {
                        let mut report = |steps, gap| progress(target, steps, gap);
                        Map::Svr(Box::new(Svr::fit(&points, &y, settings, &mut report)))
                    }
                    ModelKind::Linear { ridge } => Map::Linear(Linear::fit(&scaled, width, &y, *ridge)),
                    ModelKind::Nearest => Map::Nearest(y),
                }
            })
            .collect();
        Self { scaling, points, maps }
    }

    /// The given rows, scaled and laid out for [`Self::predict`].
    pub fn scaled(&self, rows: &Rows, which: &[u32]) -> Points {
        let (width, scaled) = (rows.width(), self.scaling.apply(rows, which));
        Points::new(which.len(), width, |k| &scaled[k * width..(k + 1) * width])
    }

    /// Predictions of one target for the given rows.
    pub fn predict(&self, target: usize, rows: &Rows, which: &[u32]) -> Vec<f64> {
        match &self.maps[target] {
            Map::Svr(svr) => svr.predict(&self.scaled(rows, which)),
            Map::Linear(linear) => linear.predict(&self.scaling.apply(rows, which), rows.width()),
            Map::Nearest(y) => {
                let nearest = self.points.nearest(&self.scaled(rows, which), |_, _| false);
                nearest.into_iter().map(|(_, at)| y[at]).collect()
            }
        }
    }

    /// Statistics of the solver, if the map has one.
    pub fn account(&self, target: usize) -> Option<&SolverStats> {
        match &self.maps[target] {
            Map::Svr(svr) => Some(&svr.account),
            _ => None,
        }
    }

    /// The map's value far from every training row.
    pub fn bias(&self, target: usize) -> Option<f64> {
        match &self.maps[target] {
            Map::Svr(svr) => Some(svr.bias),
            _ => None,
        }
    }
}

/// Mean absolute error of predictions.
pub fn mean_absolute_error(found: &[f64], truth: &[f64]) -> f64 {
    found.iter().zip(truth).map(|(a, b)| (a - b).abs()).sum::<f64>() / found.len() as f64
}
