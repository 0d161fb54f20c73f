//! Probabilities of rare failures: adaptive multilevel splitting in the space of the uncertain numbers.
//!
//! A population of `n` points, standard normal in every number, is driven towards failure level by level. With the margin
//! `m(z)` (negative or touching: failed):
//!
//! ```text
//! (1)  level      L = the (n - k)-th smallest margin; the points with m ≥ L are killed, k' of them (ties are all killed)
//! (2)  factor     p ← p (1 - k'/n)                                  until L is a failure, then p ← p (failed / n)
//! (3)  refill     each killed point becomes a copy of a random survivor, moved `moves` times by
//!                 z' = √(1 - s²) z + s ξ, accepted if m(z') < L      (Crank and Nicolson: keeps the normal distribution)
//! (4)  estimate   p = mean of independent runs;  interval: Student's t of the logarithms over the runs, with at least
//!                 the ideal variance Σ k'/n(n-k') of one run          (Cérou and Guyader 2007; Guyader et al. 2011)
//! ```
//!
//! The ideal variance assumes independent points. Copies are correlated, so the spread over runs, which share nothing, decides. A margin
//! with steps is allowed: (2) uses the number that was killed (Walter, arXiv 1507.00919).

use serde::Serialize;
use veracity_engine::random::{Purpose, Stream};
use veracity_measure::statistics::special::student_quantile;

/// How the search is run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SplittingRules {
    /// Points of a run.
    pub population: usize,
    /// Share of the points that is killed at a level.
    pub killed: f64,
    /// Moves of a copy.
    pub moves: usize,
    /// Independent runs: the interval comes from their spread.
    pub runs: usize,
    /// A run ends without a failure once the probability is below this.
    pub least: f64,
    /// Seed of the random streams.
    pub seed: u64,
}

impl Default for SplittingRules {
    fn default() -> Self {
        Self { population: 100, killed: 0.1, moves: 10, runs: 10, least: 1e-12, seed: 0 }
    }
}

/// The margin at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MarginScore {
    /// Distance from failure.
    pub margin: f64,
    /// Whether it failed: for a gap, whether it was closed.
    pub failed: bool,
}

/// Gives the margins of a batch of points.
pub type Scorer<'a, E> = &'a mut dyn FnMut(&[Vec<f64>]) -> Result<Vec<MarginScore>, E>;

/// A probability found by splitting.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Splitting {
    /// Probability of failure.
    pub probability: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Trials in all.
    pub trials: usize,
    /// Trials that plain sampling needs for an interval of this relative width.
    pub plain_trials: f64,
    /// Probability from each run.
    pub runs: Vec<f64>,
    /// Levels of the longest run.
    pub levels: usize,
    /// A point that failed, if any did: standard normal numbers.
    pub example: Option<Vec<f64>>,
    /// Reasons not to trust it; empty if there are none.
    pub warnings: Vec<String>,
}

/// Runs splitting over `numbers` standard normal numbers. `score` gives the margins of a batch of points.
pub fn split<E>(numbers: usize, rules: &SplittingRules, score: Scorer<'_, E>) -> Result<Splitting, E> {
    let mut out = Splitting {
        probability: 0.0,
        low: 0.0,
        high: 1.0,
        trials: 0,
        plain_trials: f64::INFINITY,
        runs: Vec::new(),
        levels: 0,
        example: None,
        warnings: Vec::new(),
    };
    let mut ideal = Vec::new();
    for run in 0..rules.runs.max(2) {
        let found = one_run(numbers, rules, run as u64, score)?;
        out.trials += found.trials;
        out.levels = out.levels.max(found.levels);
        out.runs.push(found.probability);
        ideal.push(found.variance);
        out.example = out.example.or(found.example);
        if let Some(why) = found.stuck
            && !out.warnings.contains(&why)
        {
            out.warnings.push(why);
        }
    }
    combine(&mut out, &ideal);
    Ok(out)
}

/// (4)
fn combine(out: &mut Splitting, ideal: &[f64]) {
    let r = out.runs.len() as f64;
    out.probability = out.runs.iter().sum::<f64>() / r;
    let failed: Vec<f64> = out.runs.iter().copied().filter(|p| *p > 0.0).collect();
    if failed.len() < out.runs.len() {
        // A run without a failure has no logarithm: the interval is open below.
        let none = out.runs.len() - failed.len();
        out.warnings.push(format!("{none} of {} runs reached no failure; use a larger population", out.runs.len()));
        out.high = if failed.is_empty() { 1.0 - libm::pow(0.05, 1.0 / out.trials.max(1) as f64) } else { 1.0 };
        return;
    }
    let logs: Vec<f64> = failed.iter().map(|p| libm::log(*p)).collect();
    let centre = logs.iter().sum::<f64>() / r;
    let spread = logs.iter().map(|x| (x - centre).powi(2)).sum::<f64>() / (r - 1.0);
    let variance = spread.max(ideal.iter().sum::<f64>() / r) / r;
    let reach = student_quantile(0.975, r - 1.0) * variance.sqrt();
    out.low = (out.probability * libm::exp(-reach)).min(1.0);
    out.high = (out.probability * libm::exp(reach)).min(1.0);
    // A share of n trials has the relative variance (1 - p) / (p n).
    out.plain_trials = (1.0 - out.probability) / (out.probability * variance);
}

struct OneRun {
    probability: f64,
    variance: f64,
    trials: usize,
    levels: usize,
    example: Option<Vec<f64>>,
    stuck: Option<String>,
}

/// (1) to (3). Run `r` has its own streams.
fn one_run<E>(numbers: usize, rules: &SplittingRules, run: u64, score: Scorer<'_, E>) -> Result<OneRun, E> {
    let n = rules.population.max(4);
    // Trials that no particle has: splitting draws from streams of its own.
    let stream = Stream::new(rules.seed, u64::MAX - 1000 - run, 0, Purpose::Sampling);
    let mut tick = 0u64;
    let mut normal = |lane: usize| {
        if lane == 0 {
            tick += 1;
        }
        stream.normal(tick, lane as u32)
    };
    let mut points: Vec<Vec<f64>> = (0..n).map(|_| (0..numbers).map(&mut normal).collect()).collect();
    let mut scores = score(&points)?;
    let choose = Stream::new(rules.seed, u64::MAX - 1000 - run, 1, Purpose::Sampling);
    let mut chosen = 0u64;
    let mut found = OneRun { probability: 1.0, variance: 0.0, trials: n, levels: 0, example: None, stuck: None };
    let mut reach = 0.5f64;
    loop {
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| rank(&scores[a]).total_cmp(&rank(&scores[b])).then(a.cmp(&b)));
        let failed = scores.iter().filter(|s| s.failed).count();
        let kill = ((rules.killed * n as f64) as usize).clamp(1, n - 1);
        let at = order[n - kill];
        // The level is a failure: everything left has failed.
        if scores[at].failed || found.probability < rules.least {
            let share = failed as f64 / n as f64;
            found.probability *= share;
            if failed > 0 {
                found.variance += (1.0 - share) / (share * n as f64);
                found.example = scores.iter().position(|s| s.failed).map(|i| points[i].clone());
            }
            return Ok(found);
        }
        let level = rank(&scores[at]);
        let dead: Vec<usize> = (0..n).filter(|&i| rank(&scores[i]) >= level).collect();
        let alive: Vec<usize> = (0..n).filter(|&i| rank(&scores[i]) < level).collect();
        if alive.is_empty() {
            found.stuck =
                Some(format!("every point of a run has the margin {level:e}: it says nothing about failure"));
            found.probability = 0.0;
            return Ok(found);
        }
        let share = alive.len() as f64 / n as f64;
        found.probability *= share;
        found.variance += (1.0 - share) / (share * n as f64);
        found.levels += 1;
        for &i in &dead {
            chosen += 1;
            let from = alive[(choose.uniform(chosen, 0) * alive.len() as f64) as usize % alive.len()];
            (points[i], scores[i]) = (points[from].clone(), scores[from]);
        }
        let mut accepted = 0usize;
        for _ in 0..rules.moves {
            let keep = (1.0 - reach * reach).sqrt();
            let tried: Vec<Vec<f64>> = dead
                .iter()
                .map(|&i| points[i].iter().enumerate().map(|(lane, z)| keep * z + reach * normal(lane)).collect())
                .collect();
            let new = score(&tried)?;
            found.trials += tried.len();
            for ((&i, point), new) in dead.iter().zip(tried).zip(new) {
                if rank(&new) < level {
                    (points[i], scores[i]) = (point, new);
                    accepted += 1;
                }
            }
        }
        // Between a quarter and a half of the moves should be accepted.
        let share = accepted as f64 / (rules.moves * dead.len()).max(1) as f64;
        reach = if share < 0.25 {
            0.8 * reach
        } else if share > 0.5 {
            (1.25 * reach).min(0.95)
        } else {
            reach
        };
        if accepted == 0 && reach < 1e-4 {
            found.stuck = Some("no move is accepted: the margin has an isolated minimum".to_string());
            found.probability = 0.0;
            return Ok(found);
        }
    }
}

/// A failure is below every margin; a margin that is not a number is above.
fn rank(score: &MarginScore) -> f64 {
    if score.failed {
        f64::NEG_INFINITY
    } else if score.margin.is_nan() {
        f64::INFINITY
    } else {
        score.margin
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use veracity_measure::statistics::special::{normal, normal_quantile};

    fn scored(margin: f64) -> MarginScore {
        MarginScore { margin, failed: margin <= 0.0 }
    }

    fn of(numbers: usize, seed: u64, margin: impl Fn(&[f64]) -> f64) -> Splitting {
        let rules = SplittingRules { seed, ..SplittingRules::default() };
        let score = &mut |z: &[Vec<f64>]| Ok::<_, ()>(z.iter().map(|z| scored(margin(z))).collect());
        split(numbers, &rules, score).unwrap()
    }

    /// Covered runs out of 20, largest share of plain sampling's cost.
    fn covered(numbers: usize, truth: f64, margin: impl Fn(&[f64]) -> f64) -> (usize, f64) {
        let found: Vec<Splitting> = (0..20).map(|seed| of(numbers, seed, &margin)).collect();
        let held = found.iter().filter(|s| s.low <= truth && truth <= s.high).count();
        (held, found.iter().map(|s| s.trials as f64 / s.plain_trials).fold(0.0, f64::max))
    }

    #[test]
    fn one_in_a_million_is_covered_at_a_hundredth_of_the_cost_of_plain_sampling() {
        let beta = -normal_quantile(1e-6);
        // A plane in six numbers, of which two matter.
        let plane = covered(6, 1e-6, |z| beta - 0.6 * z[0] - 0.8 * z[1]);
        // Two opposite half spaces of half the probability each.
        let both = -normal_quantile(0.5e-6);
        let pair = covered(3, 1e-6, |z| both - z[0].abs());
        // Beyond a circle in two numbers: exp(-r²/2).
        let radius = (-2.0 * libm::log(1e-6)).sqrt();
        let ring = covered(4, 1e-6, |z| radius - libm::hypot(z[0], z[1]));
        println!(
            "ACCEPT trace-splitting: plane {plane:?}, two sides {pair:?}, ring {ring:?} (covered of 20, share of plain cost)"
        );
        for (held, cost) in [plane, pair, ring] {
            assert!(held >= 18 && cost < 0.01, "{plane:?} {pair:?} {ring:?}");
        }
    }

    #[test]
    fn it_agrees_with_plain_sampling_where_that_is_affordable() {
        let found = of(2, 3, |z| 2.0 - z[0]);
        let truth = normal(-2.0);
        assert!(found.low <= truth && truth <= found.high, "{found:?}");
        assert!(found.example.unwrap()[0] >= 2.0);
    }

    #[test]
    fn a_margin_in_steps_is_counted_and_one_without_information_is_reported() {
        // Steps of a quarter: ties are killed together.
        let truth = normal(-3.0);
        let found = of(2, 1, |z| ((3.0 - z[0]) * 4.0).ceil() / 4.0);
        assert!(found.low <= truth && truth <= found.high, "{found:?}");
        let flat = of(2, 1, |_| 1.0);
        assert!(flat.probability == 0.0 && flat.warnings[0].contains("says nothing"), "{flat:?}");
        assert!(flat.high < 1.0);
    }
}
