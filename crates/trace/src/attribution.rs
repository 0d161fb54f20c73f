//! Which uncertain number decides: a ranking from the particles that ran.
//!
//! For a feature `x` and a binary outcome, the share of pairs (one particle of each kind) in which the particle with the
//! outcome has the larger `x`, and its significance (Mann and Whitney 1947):
//!
//! ```text
//! (1)  AUC = (Σ ranks of the n₁ particles with the outcome - n₁(n₁+1)/2) / (n₁ n₀)
//! (2)  z = (AUC - ½) / √((n₁ + n₀ + 1 - ties) / 12 n₁ n₀)
//! (3)  variance of AUC = A: (A(1-A) + (n₁-1)(Q₁-A²) + (n₀-1)(Q₂-A²)) / n₁n₀,  Q₁ = A/(2-A), Q₂ = 2A²/(1+A)   (Hanley, McNeil 1982)
//! ```
//!
//! Features are the numbers themselves and, for pairs of numbers that are equal in the nominal scenario and of the same kind, the size of
//! their difference: two legs of one mass fall by `|m₁ - m₂|`, which neither mass alone shows. Probabilities are adjusted
//! for the number of features ([`veracity_measure::statistics::false_discovery`]).
//!
//! A ranking is a correlation. What decides is confirmed by running again: see [`crate::swap`].

use serde::Serialize;
use veracity_measure::statistics::special::normal;
use veracity_measure::statistics::{Interval, false_discovery};

/// A feature and how well it separates the outcomes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ranked {
    /// The path, or `|path - path|`.
    pub feature: String,
    /// The uncertain numbers it is made of.
    pub numbers: Vec<usize>,
    /// (1): 1 if particles with the outcome have larger values throughout, ½ if it says nothing.
    pub auc: f64,
    /// Its 95 % interval (3).
    pub interval: Interval,
    /// Adjusted probability of a separation this strong by chance.
    pub chance: f64,
}

/// A number computed from the values of a particle.
pub struct Feature {
    /// Name for display.
    pub name: String,
    /// The numbers it uses.
    pub numbers: Vec<usize>,
}

impl Feature {
    /// Its value.
    pub fn of(&self, values: &[f64]) -> f64 {
        match self.numbers[..] {
            [i, j] => (values[i] - values[j]).abs(),
            [i] => values[i],
            _ => f64::NAN,
        }
    }
}

/// All features of numbers with these paths and nominal values.
pub fn features(paths: &[&str], nominal: &[f64]) -> Vec<Feature> {
    let mut out: Vec<Feature> =
        paths.iter().enumerate().map(|(i, p)| Feature { name: (*p).to_string(), numbers: vec![i] }).collect();
    let kind = |path: &str| path.rsplit('/').next().map(|word| word.trim_end_matches(char::is_numeric).to_string());
    for i in 0..paths.len() {
        for j in i + 1..paths.len() {
            if nominal[i] == nominal[j] && nominal[i] != 0.0 && kind(paths[i]) == kind(paths[j]) {
                out.push(Feature { name: format!("|{} - {}|", paths[i], paths[j]), numbers: vec![i, j] });
            }
        }
    }
    out
}

/// The features, the most decisive first, for particles given as values and whether they have the outcome.
pub fn rank(features: &[Feature], particles: &[(&[f64], bool)]) -> Vec<Ranked> {
    let of = |feature: &Feature| {
        let mut x: Vec<(f64, bool)> = particles.iter().map(|(values, has)| (feature.of(values), *has)).collect();
        separation(&mut x)
    };
    let found: Vec<(f64, f64)> = features.iter().map(of).collect();
    let with = particles.iter().filter(|p| p.1).count() as f64;
    let adjusted = false_discovery(&found.iter().map(|f| f.1).collect::<Vec<_>>());
    let mut out: Vec<Ranked> = features
        .iter()
        .zip(found.iter().zip(adjusted))
        .map(|(f, ((auc, _), chance))| Ranked {
            feature: f.name.clone(),
            numbers: f.numbers.clone(),
            auc: *auc,
            interval: interval(*auc, with, particles.len() as f64 - with),
            chance,
        })
        .collect();
    out.sort_by(|a, b| (b.auc - 0.5).abs().total_cmp(&(a.auc - 0.5).abs()));
    out
}

/// (3)
fn interval(a: f64, with: f64, without: f64) -> Interval {
    let (q1, q2) = (a / (2.0 - a), 2.0 * a * a / (1.0 + a));
    let variance = (a * (1.0 - a) + (with - 1.0) * (q1 - a * a) + (without - 1.0) * (q2 - a * a)) / (with * without);
    let reach = if variance > 0.0 { 1.959_963_984_540_054 * variance.sqrt() } else { 0.0 };
    Interval { estimate: a, low: (a - reach).max(0.0), high: (a + reach).min(1.0), confidence: 0.95 }
}

/// (1) and the two-sided probability of (2).
fn separation(x: &mut [(f64, bool)]) -> (f64, f64) {
    x.sort_by(|a, b| a.0.total_cmp(&b.0));
    let with = x.iter().filter(|p| p.1).count() as f64;
    let without = x.len() as f64 - with;
    if with == 0.0 || without == 0.0 {
        return (0.5, 1.0);
    }
    let (mut ranks, mut ties, mut i) = (0.0, 0.0, 0);
    while i < x.len() {
        let end = i + x[i..].iter().take_while(|p| p.0 == x[i].0).count();
        let rank = 0.5 * (i + 1 + end) as f64;
        ranks += rank * x[i..end].iter().filter(|p| p.1).count() as f64;
        let t = (end - i) as f64;
        ties += t * t * t - t;
        i = end;
    }
    let n = with + without;
    let auc = (ranks - 0.5 * with * (with + 1.0)) / (with * without);
    let variance = (n + 1.0 - ties / (n * (n - 1.0)).max(1.0)) / (12.0 * with * without);
    let chance = if variance > 0.0 { 2.0 * normal(-(auc - 0.5).abs() / variance.sqrt()) } else { 1.0 };
    (auc, chance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use veracity_engine::random::{Purpose, Stream};

    /// Twelve numbers; the outcome is decided by a function of them.
    fn ranking(run: u64, n: u64, decides: impl Fn(&[f64]) -> bool) -> Vec<Ranked> {
        let stream = Stream::new(4, run, 0, Purpose::Statistics);
        let draw = |k: u64| (0..12).map(|lane| 1.0 + 0.05 * stream.normal(k, lane)).collect::<Vec<f64>>();
        let values: Vec<Vec<f64>> = (0..n).map(draw).collect();
        let paths: Vec<String> = (0..12)
            .map(|i| {
                format!(
                    "world/walker/parameters/{}",
                    ["m1", "m2", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j"][i]
                )
            })
            .collect();
        let names: Vec<&str> = paths.iter().map(String::as_str).collect();
        let rows: Vec<(&[f64], bool)> = values.iter().map(|v| (v.as_slice(), decides(v))).collect();
        rank(&features(&names, &[1.0; 12]), &rows)
    }

    #[test]
    fn the_difference_of_a_symmetric_pair_is_found_where_neither_number_shows_it() {
        let found = ranking(1, 400, |v| (v[0] - v[1]).abs() > 0.06);
        assert!(found[0].feature.starts_with("|world/walker/parameters/m1"), "{:?}", found[0]);
        assert!(found[0].chance < 1e-6 && found[1].chance > 1e-3, "{:?}", &found[..2]);
    }

    #[test]
    fn nothing_decides_is_reported_as_such() {
        // At 5 % false discoveries, at most 16 of 200 rankings without a cause name one (97.5 % binomial bound).
        let coin = Stream::new(8, 0, 0, Purpose::Statistics);
        let mut alarms = 0;
        for run in 0..200u64 {
            let count = std::cell::Cell::new(0);
            let found = ranking(run + 10, 40, |_| {
                count.set(count.get() + 1);
                coin.uniform(run, count.get()) < 0.5
            });
            alarms += usize::from(found[0].chance <= 0.05);
        }
        assert!(alarms <= 16, "{alarms}");
    }

    #[test]
    fn the_area_is_the_share_of_pairs_in_order() {
        let mut x = [(1.0, false), (2.0, true), (3.0, false), (4.0, true), (4.0, false)];
        // Pairs (with, without): (2 > 1), (2 < 3), (2 < 4), (4 > 1), (4 > 3), (4 = 4): 3.5 of 6.
        assert!((separation(&mut x).0 - 3.5 / 6.0).abs() < 1e-15);
        assert_eq!(separation(&mut [(1.0, true)]), (0.5, 1.0));
    }
}
