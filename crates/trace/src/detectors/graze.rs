//! The square-root signature of a graze: beyond the first touch, an impact with restitution changes the state by the root of how far the margin
//! would have gone below zero (Nordmark 1991; di Bernardo, Budd and Champneys 2001).
//!
//! ```text
//! (1)  margin of those that touched: continued from those that did not by a linear fit in the numbers, m̂ < 0
//! (2)  change: final state minus the one that a linear fit of those that did not touch predicts, Δ
//! (3)  log |Δ| = c + s log(-m̂);   s = ½: a graze with restitution;   s = 1: a kink;   s = 0: a jump
//! ```
//!
//! Nearest to the boundary the fits are best and rounding is worst: the half of the touching particles with the smaller `-m̂` is used, without
//! those nearer than a hundredth of the largest.

use super::{Detection, Ensemble, SplitDetector, principal_component};
use nalgebra::{DMatrix, DVector};
use veracity_measure::statistics::line;

pub const ENTRY: SplitDetector =
    SplitDetector { name: "graze", text: "square-root change of the final state beyond the first touch", detect };

/// An exponent with its 95 % reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Graze {
    /// `s` of (3).
    pub slope: f64,
    /// Half of its 95 % interval.
    pub reach: f64,
    /// Particles in the fit.
    pub particles: usize,
}

fn detect(sample: &Ensemble<'_>) -> Detection {
    let (rows, columns) = sample.final_columns();
    let Some(state) = principal_component(&columns) else {
        return Detection::quiet(ENTRY.name, "no final states that vary");
    };
    let at = |k: usize| sample.drawn[rows[k]];
    let margins: Vec<f64> = (0..rows.len()).map(|k| sample.bundle.margin(at(k)).unwrap_or(f64::NAN)).collect();
    let values: Vec<&[f64]> = (0..rows.len()).map(|k| sample.bundle.values(at(k))).collect();
    match graze_slope(&margins, &values, &state) {
        Err(why) => Detection::quiet(ENTRY.name, why),
        Ok(found) => {
            let (low, high) = (found.slope - found.reach, found.slope + found.reach);
            let alarm = low > 0.0 && low <= 0.5 && (0.5..1.0).contains(&high);
            let kind = if alarm {
                "the square-root signature of a graze"
            } else if low <= 1.0 && 1.0 <= high {
                "a kink, not a graze"
            } else if low <= 0.0 && 0.0 <= high {
                "a jump"
            } else {
                "neither a graze, nor a kink, nor a jump"
            };
            let finding = format!(
                "beyond the touch the final state changes with exponent {:.2} ± {:.2}: {kind}",
                found.slope, found.reach
            );
            let numbers =
                vec![("exponent", found.slope), ("reach", found.reach), ("particles", found.particles as f64)];
            Detection { detector: ENTRY.name, alarm, finding, numbers }
        }
    }
}

/// (1) to (3). A margin of zero or below is a touch.
pub fn graze_slope(margins: &[f64], values: &[&[f64]], state: &[f64]) -> Result<Graze, String> {
    let range = margins.iter().filter(|m| m.is_finite()).fold(0.0f64, |m, x| m.max(x.abs()));
    let touched = |k: &usize| margins[*k] <= 1e-6 * range;
    let known: Vec<usize> = (0..margins.len()).filter(|&k| margins[k].is_finite()).collect();
    let (hit, free): (Vec<usize>, Vec<usize>) = known.into_iter().partition(touched);
    let numbers = values.first().map_or(0, |v| v.len());
    if hit.len() < 20 || free.len() < 2 * (numbers + 1) + 10 {
        return Err(format!("{} particles touch and {} do not: too few for an exponent", hit.len(), free.len()));
    }
    let margin = linear(&free, values, margins).ok_or("the uncertain numbers are not independent")?;
    let smooth = linear(&free, values, state).ok_or("the uncertain numbers are not independent")?;
    if margin.fit < 0.9 {
        return Err(format!("a linear fit explains {:.0} % of the margin; 90 % are needed", 100.0 * margin.fit));
    }
    let mut points: Vec<(f64, f64)> =
        hit.iter().map(|&k| (-margin.at(values[k]), (state[k] - smooth.at(values[k])).abs())).collect();
    points.retain(|(m, d)| *m > 0.0 && *d > 0.0);
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let most = points.last().map_or(0.0, |p| p.0);
    let used: Vec<(f64, f64)> = points[..points.len().div_ceil(2)]
        .iter()
        .filter(|p| p.0 > 0.01 * most)
        .map(|(m, d)| (libm::log(*m), libm::log(*d)))
        .collect();
    if used.len() < 8 {
        return Err("too few particles near the boundary for an exponent".to_string());
    }
    let found = line::fit(&used).ok_or("all touches are equally deep")?;
    Ok(Graze { slope: found.slope, reach: found.slope_reach(0.95), particles: used.len() })
}

struct Linear {
    b: DVector<f64>,
    fit: f64,
}

impl Linear {
    fn at(&self, x: &[f64]) -> f64 {
        self.b[0] + x.iter().enumerate().map(|(i, x)| self.b[i + 1] * x).sum::<f64>()
    }
}

fn linear(rows: &[usize], values: &[&[f64]], y: &[f64]) -> Option<Linear> {
    let numbers = values.first()?.len();
    let x = DMatrix::from_fn(rows.len(), numbers + 1, |i, j| if j == 0 { 1.0 } else { values[rows[i]][j - 1] });
    let y = DVector::from_fn(rows.len(), |i, _| y[rows[i]]);
    // Scaled columns: numbers of one kilogram and of a micrometre in one fit.
    let scale: Vec<f64> = (0..=numbers).map(|j| x.column(j).norm().max(1e-300)).collect();
    let scaled = DMatrix::from_fn(x.nrows(), x.ncols(), |i, j| x[(i, j)] / scale[j]);
    let solved = scaled.svd(true, true).solve(&y, 1e-12).ok()?;
    let b = DVector::from_fn(numbers + 1, |j, _| solved[j] / scale[j]);
    let mean = y.mean();
    let total: f64 = y.iter().map(|v| (v - mean).powi(2)).sum();
    let residual = (&y - &x * &b).norm_squared();
    Some(Linear { b, fit: if total > 0.0 { 1.0 - residual / total } else { 0.0 } })
}

#[cfg(test)]
mod tests {
    use super::*;
    use veracity_engine::random::{Purpose, Stream};

    /// 400 particles in two numbers; the state changes with a power of the depth of the touch.
    fn ensemble(run: u64, power: f64, size: f64) -> Result<Graze, String> {
        let stream = Stream::new(41, run, 0, Purpose::Statistics);
        let z: Vec<[f64; 2]> = (0..400).map(|k| [stream.normal(k, 0), stream.normal(k, 1)]).collect();
        let gap = |z: &[f64; 2]| 0.5 + z[0] - 0.5 * z[1];
        let margins: Vec<f64> = z.iter().map(|z| gap(z).max(0.0)).collect();
        let state: Vec<f64> = z
            .iter()
            .enumerate()
            .map(|(k, z)| {
                0.3 * z[0]
                    + 0.2 * z[1]
                    + 1e-4 * stream.normal(k as u64, 2)
                    + size * libm::pow((-gap(z)).max(0.0), power)
            })
            .collect();
        graze_slope(&margins, &z.iter().map(|z| &z[..]).collect::<Vec<_>>(), &state)
    }

    #[test]
    fn root_kink_and_jump_are_distinguished() {
        for (power, name) in [(0.5, "root"), (1.0, "kink"), (0.0, "jump")] {
            let right = (0..20)
                .filter(|&run| ensemble(run, power, 1.0).is_ok_and(|g| (g.slope - power).abs() <= g.reach.max(0.02)))
                .count();
            assert!(right >= 18, "{name}: {right}");
        }
    }

    #[test]
    fn without_a_change_there_is_no_signature() {
        let is_root = |g: Graze| g.slope - g.reach <= 0.5 && 0.5 <= g.slope + g.reach && g.slope - g.reach > 0.0;
        let alarms = (0..200).filter(|&run| ensemble(run, 0.5, 0.0).is_ok_and(is_root)).count();
        assert!(alarms <= 16, "{alarms}");
        assert!(graze_slope(&[1.0; 30], &[&[0.0][..]; 30], &[0.0; 30]).is_err());
    }
}
