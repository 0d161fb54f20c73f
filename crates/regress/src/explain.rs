//! Test whether the motion of any training value is like that of the recording.
//!
//! A map predicts a value for every row, also for rows of another robot. Before its prediction is used, the recording
//! has to look like *some* training value. Several distances between a set of motions and that of a value are measured:
//!
//! - **features**: the Wasserstein distance averaged over the principal axes of the training rows, each axis in units of
//!   its training deviation,
//!
//!   ```text
//!   (1)  C = cov(scaled training rows) = Σ λ_a w_a w_aᵀ,     z_a(x) = w_a·x / √λ_a
//!   (2)  D(A, B) = mean over axes a of  ∫₀¹ |F⁻¹_A,a(p) - F⁻¹_B,a(p)| dp
//!   ```
//!
//!   evaluated at quantiles. Axes rather than features are used because the robot's constraints show as axes along which
//!   training hardly varies (a rolling ball's velocity follows from its rotation): another robot that violates such a
//!   constraint is conspicuous along that axis while each single feature looks normal.
//! - **reach**: the mean distance of rows from the nearest training row of another value, in deviations.
//! - **distributions**: the Wasserstein distance of each quantity of [`crate::behaviour`] (speed, turning, …), where whole
//!   motions are given.
//!
//! Distributions are compared, not samples in time, so chaos does not matter.
//!
//! The distance of a run of half a minute from others of its kind varies by chance: a ball that moves chaotically
//! occasionally stays in an unusual mode for a whole run. This variation is measured on training runs, each held out
//! with a run of every other value and treated as a recording whose value is *not* on the grid. With `V(f)` the
//! remaining motions of every value when fold `f` was held out and `d_k` the distances above,
//!
//! ```text
//! (3)  held-out piece i of value v:   Tᵢ = min over w ≠ v of  √ mean_k (d_k(i, V_w(f of i)) / s_k)²,      i = 1 … N
//! (4)  recorded run r:                T_r = mean over folds f of  min over w of  the same,                 r = 1 … P
//! (5)  s_k = median over all N + P of the distance k to the nearest w
//! (6)  p = rank test of T_r against Tᵢ (crate::rank_sum), alarm if p <= α
//! ```
//!
//! (3) excludes the piece's own value: its neighbours are then a whole step away, and a recording made with a value
//! between two of the grid's has one within half a step. Both sides are compared with the same number of runs, and
//! pieces are cut to the length of the shortest, because few rows lie farther from anything than many. If the N pieces
//! and the P runs are of one kind, all N + P numbers of (3) and (4) are exchangeable, (5) treats them alike, and an alarm
//! has the chance α at most, whatever their distribution. Every run counts, by its rank: there is no majority of runs to
//! be lost or won by leaving one out. Because values are not all alike (some move more regularly than others), α is a
//! mean over values rather than a bound for each; blocks of one run are not independent, which makes α approximate where
//! a value has only one run. Distributions are then tested apart from the blocks, over whole runs, and α is shared.

use crate::behaviour::{QUANTITIES, distances};
use crate::rank_sum;
use crate::rows::Rows;
use crate::scaling::Scaling;
use nalgebra::{DMatrix, SymmetricEigen};
use serde::Serialize;
use veracity_engine::random::{Purpose, Stream};
use veracity_measure::statistics::median;

/// Number of quantiles of (2).
const QUANTILES: usize = 50;

/// With fewer rows the distribution is not compared.
const LEAST_ROWS: usize = 20;

/// α of (6): upper bound on how often a recording of the training robot is found to be explained by no value.
pub const FALSE_ALARM: f64 = 0.05;

/// How much farther another robot is, for [`RankTest::finds`].
pub const FARTHER: f64 = 2.0;

/// How the recording compares with the training values.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// Median feature distance of held-out training pieces from the other rows of their own value.
    pub own: f64,
    /// α of (6), shared by the tests.
    pub false_alarm: f64,
    /// The tests; none if the recording has too few rows.
    pub tests: Vec<RankTest>,
    /// Whether no test raises an alarm.
    pub explained: bool,
}

/// One rank test.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RankTest {
    /// The distances it uses.
    pub components: Vec<String>,
    /// (3), ascending.
    pub held_out: Vec<f64>,
    /// (4) of the recorded runs.
    pub runs: Vec<f64>,
    /// (6)
    pub p: f64,
    /// The smallest p there could be with so many pieces and runs.
    pub least_p: f64,
    /// Share of α that this test may use.
    pub allowed_p: f64,
    /// Chance of an alarm for a robot [`FARTHER`] times as far as the held-out pieces: the test's power.
    pub finds: f64,
    /// The component that contributes most to the recorded runs' distances.
    pub worst: String,
}

impl RankTest {
    /// Whether even the farthest runs could not raise an alarm.
    pub fn too_few(&self) -> bool {
        self.least_p > self.allowed_p
    }

    /// Whether it raises an alarm.
    pub fn alarm(&self) -> bool {
        self.p <= self.allowed_p
    }

    fn sentence(&self) -> String {
        format!(
            "{} recorded runs are {:.2} (median) from the nearest training value where {} held-out pieces are {:.2}, in {}: \
             p = {:.4}, alarm at {:.4}",
            self.runs.len(),
            median(&self.runs),
            self.held_out.len(),
            median(&self.held_out),
            self.components.join(", "),
            self.p,
            self.allowed_p
        )
    }
}

impl Explanation {
    /// (3) of the first test, for drawing.
    pub fn held_out(&self) -> &[f64] {
        self.tests.first().map_or(&[], |test| &test.held_out)
    }

    /// Median of (4) of the first test; NaN without one.
    pub fn recorded(&self) -> f64 {
        self.tests.first().map_or(f64::NAN, |test| median(&test.runs))
    }

    /// Whether there are too few held-out pieces or runs for the stated rate.
    pub fn cannot_tell(&self) -> bool {
        self.tests.is_empty() || self.tests.iter().any(RankTest::too_few)
    }

    /// The result as a sentence, without a full stop.
    pub fn sentence(&self) -> String {
        if self.tests.is_empty() {
            return "too few rows to compare the recording with training".to_owned();
        }
        if let Some(few) = self.tests.iter().find(|test| test.too_few()) {
            return format!(
                "{} held-out pieces and {} recorded runs are too few: their ranks cannot exclude chance at {:.1} %",
                few.held_out.len(),
                few.runs.len(),
                100.0 * few.allowed_p
            );
        }
        let worst = self.tests.iter().find(|test| test.alarm()).map(|test| format!(", most in {}", test.worst));
        let all: Vec<String> = self.tests.iter().map(RankTest::sentence).collect();
        let finds = self.tests.iter().map(|test| test.finds).fold(0.0, f64::max);
        format!(
            "{}{} (false alarms of the same robot: at most {:.0} %; a robot {FARTHER} times as far is found in {:.0} %)",
            all.join("; "),
            worst.unwrap_or_default(),
            100.0 * self.false_alarm,
            100.0 * finds
        )
    }
}

/// Axes along which training varies by less than this fraction of a deviation are rounding, and left out.
const LEAST_DEVIATION: f64 = 1e-3;

/// (1)
struct Axes {
    /// `w_a / √λ_a`, concatenated.
    directions: Vec<Vec<f64>>,
}

impl Axes {
    fn new(rows: &Rows, scaling: &Scaling) -> Self {
        let (width, all) = (rows.width(), (0..rows.len() as u32).collect::<Vec<u32>>());
        let mut covariance = DMatrix::<f64>::zeros(width, width);
        for row in scaling.apply(rows, &all).chunks_exact(width) {
            for a in 0..width {
                for b in 0..width {
                    covariance[(a, b)] += row[a] * row[b] / rows.len() as f64;
                }
            }
        }
        let found = SymmetricEigen::new(covariance);
        let directions = (0..width)
            .filter(|a| found.eigenvalues[*a].max(0.0).sqrt() > LEAST_DEVIATION)
            .map(|a| {
                let deviation = found.eigenvalues[a].sqrt();
                found.eigenvectors.column(a).iter().map(|w| w / deviation).collect()
            })
            .collect();
        Self { directions }
    }

    /// The two features with the largest weights in an axis.
    fn name(&self, axis: usize, names: &[String]) -> String {
        let mut order: Vec<usize> = (0..names.len()).collect();
        let weight = |f: &usize| self.directions[axis][*f].abs();
        order.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
        order.iter().take(2).map(|f| names[*f].clone()).collect::<Vec<_>>().join(" with ")
    }
}

/// Rows as quantiles along each axis.
struct Shape(Vec<[f64; QUANTILES]>);

impl Shape {
    fn new(rows: &Rows, scaling: &Scaling, axes: &Axes, which: &[u32]) -> Self {
        let scaled = scaling.apply(rows, which);
        let along = |direction: &Vec<f64>| {
            let value = |row: &[f64]| row.iter().zip(direction).map(|(x, w)| x * w).sum::<f64>();
            let mut values: Vec<f64> = scaled.chunks_exact(rows.width()).map(value).collect();
            values.sort_by(f64::total_cmp);
            std::array::from_fn(|p| {
                let at = (p as f64 + 0.5) / QUANTILES as f64 * values.len() as f64 - 0.5;
                let low = at.floor().clamp(0.0, (values.len() - 1) as f64) as usize;
                let high = (low + 1).min(values.len() - 1);
                values[low] + (at - low as f64).clamp(0.0, 1.0) * (values[high] - values[low])
            })
        };
        Self(axes.directions.iter().map(along).collect())
    }

    fn apart(&self, other: &Self) -> Vec<f64> {
        let of = |(a, b): (&[f64; QUANTILES], &[f64; QUANTILES])| {
            a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f64>() / QUANTILES as f64
        };
        self.0.iter().zip(&other.0).map(of).collect()
    }

    /// (2)
    fn distance(&self, other: &Self) -> f64 {
        let apart = self.apart(other);
        apart.iter().sum::<f64>() / apart.len() as f64
    }
}

/// A held-out piece of training.
pub struct Piece {
    /// Number of its fold.
    pub fold: usize,
    /// Number of its value.
    pub value: usize,
    /// Number of its run.
    pub run: usize,
    /// Its rows.
    pub rows: Vec<u32>,
    /// Mean distance of its rows from the nearest training row of another value.
    pub reach: f64,
}

/// Values of a motion's quantities in windows of equal length: by quantity, by window. Empty without motions.
pub type Windows = Vec<Vec<Vec<f64>>>;

/// A run's windows, with the value and fold it belongs to.
pub struct RunWindows {
    /// Number of its value.
    pub value: usize,
    /// The fold it is held out in; `None` if only parts of it are.
    pub fold: Option<usize>,
    /// Its windows.
    pub windows: Windows,
}

/// The result of training alone: computed once, used for many recordings.
pub struct Explainer {
    axes: Axes,
    /// By fold and value: the remaining rows.
    left: Vec<Vec<Shape>>,
    pieces: Vec<Piece>,
    values: usize,
    runs: Vec<RunWindows>,
}

/// Distances of one held-out piece or recorded run: by fold, by value, by component.
type Distances = Vec<Vec<Vec<f64>>>;

impl Explainer {
    /// From held-out pieces and, by fold and value, the remaining rows; `runs` are windows of whole training motions, in
    /// the order of the rows' runs, or empty.
    pub fn new(
        training: &Rows,
        scaling: &Scaling,
        mut pieces: Vec<Piece>,
        left: &[Vec<Vec<u32>>],
        runs: Vec<RunWindows>,
    ) -> Self {
        let axes = Axes::new(training, scaling);
        let shape = |rows: &Vec<u32>| Shape::new(training, scaling, &axes, rows);
        let values = left.first().map_or(0, Vec::len);
        let left = left.iter().map(|values| values.iter().map(shape).collect()).collect();
        pieces.retain(|piece| piece.rows.len() >= LEAST_ROWS);
        Self { axes, left, pieces, values, runs }
    }

    /// Compares the runs of a recording with training. `reach` is the mean distance of each run's rows from the nearest
    /// training row; `motions` are windows of each run's whole motion, or empty.
    pub fn ask(
        &self,
        training: &Rows,
        scaling: &Scaling,
        recorded: &Rows,
        reach: &[f64],
        motions: &[Windows],
    ) -> Explanation {
        let rows_of = |run: &crate::rows::RunRows| run.rows.clone().map(|k| k as u32).collect::<Vec<u32>>();
        let asked: Vec<(usize, Vec<u32>)> =
            recorded.runs.iter().map(rows_of).enumerate().filter(|(_, rows)| rows.len() >= LEAST_ROWS).collect();
        let shortest = asked.iter().map(|(_, rows)| rows.len()).min().unwrap_or(usize::MAX);
        let mut own = Vec::new();
        let mut held: Vec<Distances> = Vec::new();
        for piece in &self.pieces {
            let shape = Shape::new(training, scaling, &self.axes, &piece.rows[..piece.rows.len().min(shortest)]);
            let distances: Vec<f64> = self.left[piece.fold].iter().map(|other| shape.distance(other)).collect();
            own.push(distances[piece.value]);
            let others = distances.iter().enumerate().filter(|(w, _)| *w != piece.value);
            held.push(vec![others.map(|(_, d)| vec![*d, piece.reach]).collect()]);
        }
        let mut runs: Vec<Distances> = Vec::new();
        let mut by_axis = vec![0.0; self.axes.directions.len()];
        for (run, rows) in &asked {
            let shape = Shape::new(recorded, scaling, &self.axes, rows);
            let fold = |values: &Vec<Shape>| values.iter().map(|v| vec![shape.distance(v), reach[*run]]).collect();
            runs.push(self.left.iter().map(fold).collect());
            for values in &self.left {
                let best = values.iter().min_by(|a, b| shape.distance(a).total_cmp(&shape.distance(b)));
                let apart = best.map(|best| shape.apart(best)).unwrap_or_default();
                by_axis.iter_mut().zip(apart).for_each(|(sum, d)| *sum += d);
            }
        }
        let axis = (0..by_axis.len()).max_by(|a, b| by_axis[*a].total_cmp(&by_axis[*b]));
        let features = axis
            .map_or("features".to_owned(), |axis| format!("features ({})", self.axes.name(axis, &training.names)));
        let mut names = vec![features, "reach".to_owned()];
        let (held_motion, run_motion, quantities) = self.distributions(&asked, motions);
        let whole = self.runs.iter().all(|run| run.fold.is_some());
        let mut tests = Vec::new();
        if asked.is_empty() || held.is_empty() {
            return Explanation { own: f64::NAN, false_alarm: FALSE_ALARM, tests, explained: false };
        }
        if quantities.is_empty() {
            tests.extend(rank_test(&held, &runs, &names, FALSE_ALARM));
        } else if whole {
            // One test over all components: pieces are whole runs.
            for (piece, distances) in self.pieces.iter().zip(&mut held) {
                join(distances, &held_motion[piece.run]);
            }
            runs.iter_mut().zip(&run_motion).for_each(|(run, motion)| join(run, motion));
            names.extend(quantities);
            tests.extend(rank_test(&held, &runs, &names, FALSE_ALARM));
        } else {
            tests.extend(rank_test(&held, &runs, &names, 0.5 * FALSE_ALARM));
            tests.extend(rank_test(&held_motion, &run_motion, &quantities, 0.5 * FALSE_ALARM));
        }
        let explained = !tests.is_empty() && !tests.iter().any(RankTest::alarm);
        Explanation { own: median(&own), false_alarm: FALSE_ALARM, tests, explained }
    }

    /// Distances in quantities: of every training run from the other values, of the asked runs from all, and the names
    /// of the quantities that all of them have.
    fn distributions(
        &self,
        asked: &[(usize, Vec<u32>)],
        motions: &[Windows],
    ) -> (Vec<Distances>, Vec<Distances>, Vec<String>) {
        let nothing = (Vec::new(), Vec::new(), Vec::new());
        if self.runs.is_empty() || motions.is_empty() {
            return nothing;
        }
        let asked: Vec<&Windows> = asked.iter().map(|(run, _)| &motions[*run]).collect();
        let all: Vec<&Windows> = self.runs.iter().map(|run| &run.windows).chain(asked.iter().copied()).collect();
        let windows = all.iter().map(|w| w.first().map_or(0, Vec::len)).min().unwrap_or(0);
        if windows == 0 {
            return nothing;
        }
        // A quantity needs values in every group of windows that is compared.
        let has = |w: &Windows, k: usize| w[k].chunks_exact(windows).all(|group| group.iter().any(|v| !v.is_empty()));
        let kept: Vec<usize> = (0..QUANTITIES.len()).filter(|k| all.iter().all(|w| has(w, *k))).collect();
        let pooled = |value: usize, without: Option<usize>, k: usize| -> Vec<f64> {
            let of = |run: &&RunWindows| run.value == value && (without.is_none() || run.fold != without);
            self.runs.iter().filter(of).flat_map(|run| run.windows[k].concat()).collect()
        };
        let apart = |own: &Windows, k: usize, other: &[f64]| {
            let groups: Vec<f64> =
                own[k].chunks_exact(windows).map(|group| distances(&group.concat(), other)[0]).collect();
            groups.iter().sum::<f64>() / groups.len() as f64
        };
        let to = |own: &Windows, without: Option<usize>, skip: Option<usize>| -> Vec<Vec<f64>> {
            (0..self.values)
                .filter(|w| Some(*w) != skip)
                .map(|w| kept.iter().map(|k| apart(own, *k, &pooled(w, without, *k))).collect())
                .collect()
        };
        let held = self.runs.iter().map(|run| vec![to(&run.windows, run.fold, Some(run.value))]).collect();
        let folds: Vec<Option<usize>> = match self.runs.iter().filter_map(|run| run.fold).max() {
            Some(last) => (0..=last).map(Some).collect(),
            None => vec![None],
        };
        let asked = asked.iter().map(|own| folds.iter().map(|fold| to(own, *fold, None)).collect()).collect();
        (held, asked, kept.iter().map(|k| QUANTITIES[*k].name.to_owned()).collect())
    }
}

/// Appends the components of `more`, which has the same folds and values.
fn join(distances: &mut Distances, more: &Distances) {
    for (fold, other) in distances.iter_mut().zip(more) {
        fold.iter_mut().zip(other).for_each(|(components, more)| components.extend(more));
    }
}

/// (3) to (6); `None` without pieces or runs.
fn rank_test(held: &[Distances], runs: &[Distances], names: &[String], allowed_p: f64) -> Option<RankTest> {
    if held.is_empty() || runs.is_empty() {
        return None;
    }
    let nearest = |distances: &Distances, k: usize| {
        let of = |fold: &Vec<Vec<f64>>| fold.iter().map(|d| d[k]).fold(f64::INFINITY, f64::min);
        distances.iter().map(of).sum::<f64>() / distances.len() as f64
    };
    // (5); a component that is zero for half of them distinguishes nothing.
    let scale = |k: usize| median(&held.iter().chain(runs).map(|d| nearest(d, k)).collect::<Vec<f64>>());
    let scales: Vec<(usize, f64)> =
        (0..names.len()).map(|k| (k, scale(k))).filter(|(_, s)| s.is_finite() && *s > 0.0).collect();
    let part = |d: &[f64], (k, s): &(usize, f64)| (d[*k] / s).powi(2);
    let size = |d: &[f64]| (scales.iter().map(|of| part(d, of)).sum::<f64>() / scales.len().max(1) as f64).sqrt();
    let statistic = |distances: &Distances| {
        let of = |fold: &Vec<Vec<f64>>| fold.iter().map(|d| size(d)).fold(f64::INFINITY, f64::min);
        distances.iter().map(of).sum::<f64>() / distances.len() as f64
    };
    let mut held_out: Vec<f64> = held.iter().map(statistic).collect();
    held_out.sort_by(f64::total_cmp);
    let asked: Vec<f64> = runs.iter().map(statistic).collect();
    let mut contributions = vec![0.0; scales.len()];
    for fold in runs.iter().flatten() {
        let best = fold.iter().min_by(|a, b| size(a).total_cmp(&size(b)));
        for (sum, of) in contributions.iter_mut().zip(&scales) {
            *sum += best.map_or(0.0, |d| part(d, of));
        }
    }
    let worst = (0..scales.len()).max_by(|a, b| contributions[*a].total_cmp(&contributions[*b]));
    Some(RankTest {
        components: scales.iter().map(|(k, _)| names[*k].clone()).collect(),
        p: rank_sum::larger(&asked, &held_out),
        least_p: rank_sum::least(asked.len(), held_out.len()),
        allowed_p,
        finds: power(&held_out, asked.len(), allowed_p),
        worst: worst.map_or(String::new(), |at| names[scales[at].0].clone()),
        held_out,
        runs: asked,
    })
}

/// Draws for the power.
const DRAWS: u64 = 200;

/// Chance of an alarm for runs whose distances are those of held-out pieces times [`FARTHER`].
fn power(held_out: &[f64], runs: usize, allowed_p: f64) -> f64 {
    let stream = Stream::new(0, 0, 0, Purpose::Statistics);
    let pick = |draw: u64, lane: usize| {
        let at = (stream.uniform(draw, lane as u32) * held_out.len() as f64) as usize;
        FARTHER * held_out[at.min(held_out.len() - 1)]
    };
    let Some(critical) = rank_sum::critical(runs, held_out.len(), allowed_p) else { return 0.0 };
    let found = (0..DRAWS).filter(|draw| {
        let asked: Vec<f64> = (0..runs).map(|lane| pick(*draw, lane)).collect();
        rank_sum::sum(&asked, held_out) >= critical
    });
    found.count() as f64 / DRAWS as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUES: usize = 9;
    const RUNS: usize = 3;
    const ROWS: usize = 150;

    /// Rows of one run: three autocorrelated features (each row keeps nine tenths of the previous one), the first
    /// around the value, with an offset per run; `third - first - second` is small for the training robot, as a rolling
    /// ball's velocity follows from its rotation.
    fn run(value: f64, seed: u64, slip: f64) -> Vec<f64> {
        let stream = Stream::new(seed, 0, 0, Purpose::Sampling);
        let habit = 0.7 * stream.normal(0, 0);
        let mut state = [0.0; 2];
        let mut out = Vec::new();
        for k in 1..=(ROWS + 30) as u64 {
            for (lane, x) in state.iter_mut().enumerate() {
                *x = 0.9 * *x + 0.44 * stream.normal(k, lane as u32);
            }
            let (a, b) = (state[0] + 0.4 * value + habit, state[1]);
            if k > 30 {
                out.extend([a, b, a + b + (0.05 + slip) * stream.normal(k, 7)]);
            }
        }
        out
    }

    fn explainer(seed: u64) -> (Explainer, Rows, Scaling) {
        let mut rows = Rows::new(["a", "b", "c"].map(String::from).to_vec());
        for v in 0..VALUES {
            for r in 0..RUNS {
                let value = v as f64 - 4.0;
                rows.push("training", &[value], &run(value, seed * 1000 + (v * RUNS + r) as u64, 0.0));
            }
        }
        let all: Vec<u32> = (0..rows.len() as u32).collect();
        let scaling = Scaling::of(&rows, &all);
        let of = |v: usize, r: usize| rows.runs[v * RUNS + r].rows.clone().map(|k| k as u32);
        let left = |held: usize| {
            let rest = |v: usize| (0..RUNS).filter(|r| *r != held).flat_map(|r| of(v, r)).collect::<Vec<u32>>();
            (0..VALUES).map(rest).collect::<Vec<_>>()
        };
        let left: Vec<_> = (0..RUNS).map(left).collect();
        let piece = |k: usize| Piece {
            fold: k % RUNS,
            value: k / RUNS,
            run: k,
            rows: of(k / RUNS, k % RUNS).collect(),
            reach: 0.0,
        };
        let pieces: Vec<Piece> = (0..VALUES * RUNS).map(piece).collect();
        let explainer = Explainer::new(&rows, &scaling, pieces, &left, Vec::new());
        (explainer, rows, scaling)
    }

    /// The share of recordings with this many runs that no value explains, over training sets, seeds and values.
    fn alarms(runs: u64, slip: f64) -> f64 {
        let (mut alarms, mut asked) = (0u32, 0u32);
        for seed in 0..12 {
            let (explainer, training, scaling) = explainer(seed);
            for ask in 0..20 {
                // On the grid and between its values.
                let value = -3.75 + 0.4 * ask as f64;
                let mut rows = Rows::new(["a", "b", "c"].map(String::from).to_vec());
                for number in 0..runs {
                    rows.push("asked", &[], &run(value, 1_000_000 + seed * 10_000 + ask * 100 + number, slip));
                }
                asked += 1;
                alarms +=
                    u32::from(!explainer.ask(&training, &scaling, &rows, &vec![0.0; runs as usize], &[]).explained);
            }
        }
        f64::from(alarms) / f64::from(asked)
    }

    #[test]
    fn false_alarms_are_as_rare_as_stated_and_a_violated_constraint_is_found() {
        for runs in [1, 2, 6] {
            let rate = alarms(runs, 0.0);
            println!("false alarms with {runs} runs: {rate:.3}");
            // 240 recordings against 12 training sets: the rate of a true 0.05 exceeds 0.09 only once in 200 times,
            // including the random variation of the twelve thresholds.
            assert!(rate <= 0.09, "{runs} runs: {rate}");
        }
        // Another robot: no single feature changes except for a tenth more spread of one.
        let found = alarms(1, 0.3);
        assert!(found > 0.9, "{found}");
    }

    /// Distances of one component, one fold, one value.
    fn plain(values: &[f64]) -> Vec<Distances> {
        values.iter().map(|d| vec![vec![vec![*d]]]).collect()
    }

    fn alarm(held: &[f64], runs: &[f64]) -> bool {
        rank_test(&plain(held), &plain(runs), &["d".to_owned()], FALSE_ALARM).unwrap().alarm()
    }

    #[test]
    fn every_run_counts_and_no_majority_is_needed() {
        let held: Vec<f64> = (0..45).map(|k| 1.0 + 0.01 * f64::from(k)).collect();
        // Half of the runs far, half in the middle: an alarm whichever four, six or ten of them are asked. By majority,
        // two of four were not more than half and the same robot was accepted.
        let (far, near) = (2.0, 1.22);
        for runs in [4, 6, 10] {
            let asked: Vec<f64> = (0..runs).map(|k| if k % 2 == 0 { far } else { near }).collect();
            assert!(alarm(&held, &asked), "{runs}");
        }
        // One unusual run of two is what chance does with 25 pieces (2 of 27), and no longer with 45 (2 of 47).
        assert!(!alarm(&held[..25], &[far, 1.1]) && alarm(&held, &[far, 1.1]));
        assert!(!alarm(&held, &[1.1, 1.2, 1.25, 1.3]));
    }

    #[test]
    fn a_shift_in_one_distribution_raises_the_alarm() {
        // Ten components of the same kind; in the asked runs one is six times as far.
        let stream = Stream::new(9, 0, 0, Purpose::Sampling);
        let unit = |u: u64, strange: bool| -> Distances {
            let of = |k: u32| stream.uniform(u, k) + 0.5;
            let components = (0..10).map(|k| if strange && k == 3 { 6.0 * of(k) } else { of(k) }).collect();
            vec![vec![components]]
        };
        let names: Vec<String> = (0..10).map(|k| format!("c{k}")).collect();
        let held: Vec<Distances> = (0..27).map(|u| unit(u, false)).collect();
        let test = |strange| {
            let runs: Vec<Distances> = (100..102).map(|u| unit(u, strange)).collect();
            rank_test(&held, &runs, &names, FALSE_ALARM).unwrap()
        };
        assert!(!test(false).alarm());
        assert!(test(true).alarm() && test(true).worst == "c3");
    }

    #[test]
    fn too_few_pieces_give_no_alarm() {
        let test = |held: usize, runs: usize| {
            rank_test(&plain(&vec![1.0; held]), &plain(&vec![9.0; runs]), &["d".to_owned()], FALSE_ALARM).unwrap()
        };
        assert!(test(18, 1).too_few() && !test(19, 1).too_few() && !test(9, 2).too_few());
        assert!(!test(18, 1).alarm() && test(19, 1).alarm());
    }
}
