//! How near particles came to a contact or a failure that happens to none, or only to some, of them.
//!
//! The margin `m` of a particle (a least gap, or the distance of a check to its bound) is fitted as a linear function of the
//! standardised uncertain numbers `z`, and its first-order reliability follows:
//!
//! ```text
//! (1)  m ≈ a + g · z,   residual variance s²
//! (2)  β = a / √(|g|² + s²),   P(m < 0) ≈ Φ(-β)                        FORM for independent normal numbers
//! (3)  interval: a and g have the covariance s² (XᵀX)⁻¹; β ± 1.96 σ_β by the delta method
//! ```
//!
//! It is an extrapolation: reported only where the fit explains at least [`LEAST_FIT`] of the margin's variance, there are
//! twice as many particles as coefficients, and no particle reached zero. A gap ends at zero: the margins of particles that
//! touched are cut off there and would flatten the fit; what they show is counted, not extrapolated.

use nalgebra::{DMatrix, DVector};
use serde::Serialize;
use veracity_measure::statistics::special::normal;

/// The least share of the margin's variance that the linear fit must explain.
pub const LEAST_FIT: f64 = 0.9;

/// The margin of an ensemble.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NearMiss {
    /// What the margin is of.
    pub name: String,
    /// Unit of the margin.
    pub unit: String,
    /// Smallest, median and largest margin.
    pub least: f64,
    /// Median.
    pub median: f64,
    /// Largest.
    pub most: f64,
    /// Particles with a negative margin, out of those with one.
    pub below: usize,
    /// Particles with a margin.
    pub of: usize,
    /// (2), if the fit is good enough.
    pub form: Option<Form>,
    /// Why there is none.
    pub why_not: String,
}

/// A first-order estimate of a probability.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Form {
    /// `β`
    pub beta: f64,
    /// `Φ(-β)`
    pub probability: f64,
    /// Lower end of its 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Share of the variance that the fit explains.
    pub fit: f64,
}

/// From the margins and the standardised numbers of the particles that have one.
pub fn near_miss(name: &str, unit: &str, rows: &[(f64, &[f64])]) -> Option<NearMiss> {
    let mut sorted: Vec<f64> = rows.iter().map(|r| r.0).filter(|m| m.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let (first, last) = (*sorted.first()?, *sorted.last()?);
    // Rounding of a gap against the range of all of them.
    let reached = sorted.iter().filter(|m| **m <= 1e-6 * (last - first)).count();
    let form = if reached > 0 {
        Err(format!("{reached} of {} particles reached zero, where a gap ends; count them instead", sorted.len()))
    } else {
        form(rows)
    };
    Some(NearMiss {
        name: name.to_string(),
        unit: unit.to_string(),
        least: first,
        median: sorted[sorted.len() / 2],
        most: last,
        below: sorted.iter().filter(|m| **m < 0.0).count(),
        of: sorted.len(),
        why_not: form.as_ref().err().cloned().unwrap_or_default(),
        form: form.ok(),
    })
}

fn form(rows: &[(f64, &[f64])]) -> Result<Form, String> {
    let rows: Vec<&(f64, &[f64])> = rows.iter().filter(|r| r.0.is_finite()).collect();
    let numbers = rows.first().map_or(0, |r| r.1.len());
    let (n, k) = (rows.len(), numbers + 1);
    if n < 2 * k {
        return Err(format!("{n} particles for {k} coefficients; run at least {}", 2 * k));
    }
    let x = DMatrix::from_fn(n, k, |i, j| if j == 0 { 1.0 } else { rows[i].1[j - 1] });
    let y = DVector::from_fn(n, |i, _| rows[i].0);
    let inverse = (x.transpose() * &x).try_inverse().ok_or("the uncertain numbers are not independent")?;
    let b = &inverse * x.transpose() * &y;
    let residual = (&y - &x * &b).norm_squared();
    let mean = y.mean();
    let total: f64 = y.iter().map(|m| (m - mean) * (m - mean)).sum();
    if total <= 0.0 {
        return Err("the margin is the same for every particle".to_string());
    }
    let fit = 1.0 - residual / total;
    if fit < LEAST_FIT {
        return Err(format!(
            "a linear fit explains {:.0} % of the margin; {:.0} % are needed",
            100.0 * fit,
            100.0 * LEAST_FIT
        ));
    }
    let noise = residual / (n - k) as f64;
    let spread = (b.rows(1, numbers).norm_squared() + noise).sqrt();
    let beta = b[0] / spread;
    // (3): ∂β/∂a = 1/spread, ∂β/∂gᵢ = -a gᵢ / spread³.
    let slope = DVector::from_fn(k, |i, _| if i == 0 { 1.0 / spread } else { -b[0] * b[i] / spread.powi(3) });
    let sigma = (noise * slope.dot(&(&inverse * &slope))).max(0.0).sqrt();
    let at = |beta: f64| normal(-beta);
    Ok(Form { beta, probability: at(beta), low: at(beta + 1.96 * sigma), high: at(beta - 1.96 * sigma), fit })
}

#[cfg(test)]
mod tests {
    use super::*;
    use veracity_engine::random::{Purpose, Stream};

    fn ensemble(run: u64, n: u64, margin: impl Fn(&[f64], f64) -> f64) -> Vec<(f64, Vec<f64>)> {
        let stream = Stream::new(3, run, 0, Purpose::Statistics);
        (0..n)
            .map(|k| {
                let z: Vec<f64> = (0..3).map(|lane| stream.normal(k, lane)).collect();
                (margin(&z, stream.normal(k, 9)), z)
            })
            .collect()
    }

    fn of(rows: &[(f64, Vec<f64>)]) -> NearMiss {
        near_miss("gap", "m", &rows.iter().map(|(m, z)| (*m, z.as_slice())).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn the_probability_of_a_contact_that_no_particle_had_is_within_its_interval() {
        // m = 3.5 + z₁ - ½ z₂ + 0.2 ε: β = 3.5 / √(1 + ¼ + 0.04), P = 0.00103; 60 particles mostly see none.
        let truth = normal(-3.5 / (1.0f64 + 0.25 + 0.04).sqrt());
        let (mut held, mut unseen) = (0, 0);
        for run in 0..200 {
            let found = of(&ensemble(run, 60, |z, e| 3.5 + z[0] - 0.5 * z[1] + 0.2 * e));
            let Some(form) = found.form else {
                assert!(found.below > 0, "{found:?}");
                continue;
            };
            held += usize::from(form.low <= truth && truth <= form.high);
            unseen += 1;
        }
        // 95 %, less 3.2 standard errors of 200: the delta method is first order.
        assert!(held * 10 >= unseen * 9 && unseen > 150, "{held} {unseen}");
    }

    #[test]
    fn a_margin_that_is_not_linear_has_no_extrapolation() {
        let found = of(&ensemble(1, 80, |z, _| 1.0 + z[0] * z[0]));
        assert!(found.form.is_none() && found.why_not.contains("linear fit"), "{found:?}");
        let found = of(&ensemble(1, 6, |z, _| 10.0 + z[0]));
        assert!(found.why_not.contains("coefficients"));
        assert_eq!(near_miss("gap", "m", &[]), None);
    }
}
