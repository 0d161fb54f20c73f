//! How well the data determine the parameters.
//!
//! With residuals `r` in standard deviations and their Jacobian `J` in the coordinates of the search at the best point,
//!
//! ```text
//! (1)  H = JᵀJ,   cov = f H⁻¹,   interval  u ± t √cov_ii        95 %
//! (2)  f = max(1, χ²/(m-n)) · max(1, (1 + ρ) / (1 - ρ))
//! (3)  H = Σ λ_a w_a w_aᵀ,   direction w_a is not determined if  √(f / λ_a) > 1/4
//! ```
//!
//! ρ is the correlation of neighbouring residuals, where it is larger than chance explains: a model that is slightly
//! wrong leaves residuals that follow each other, and m of them are not m measurements. (3): the 95 % interval along that
//! direction is longer than the whole range between the bounds. A direction is put into words: of parameters on a
//! logarithmic scale the product of powers that *is* determined, else the sum.
//!
//! ```text
//! (4)  fit is possible:   χ² is below its 99.9 % quantile with m - n degrees of freedom, χ² divided by (1 + ρ) / (1 - ρ)
//! ```
//!
//! χ² quantiles by Wilson and Hilferty (1931).

use crate::file::Parameter;
use crate::transform::Scale;
use nalgebra::{DMatrix, SymmetricEigen};
use veracity_measure::statistics::special::{normal, student_quantile};

/// Deviation along a direction beyond which it is not determined, as a share of the range.
pub const UNDETERMINED: f64 = 0.25;

/// Level of (4): how rarely a right model is refused for chance alone.
pub const LEAST_P: f64 = 1e-3;

/// Change of all residuals together, in standard deviations, from one bound to the other, below which a parameter does
/// nothing.
const NOTHING: f64 = 1e-3;

/// A direction in words, and its deviation.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Sloppy {
    /// The sentence, without a full stop.
    pub sentence: String,
    /// Standard deviation along it, as a share of the range between the bounds; `null` in JSON if infinite.
    pub deviation: f64,
}

/// Covariance and directions at the best point.
#[derive(Clone, Debug)]
pub struct Spread {
    /// Half widths of the intervals, in coordinates of the search.
    pub half_widths: Vec<f64>,
    /// Correlation matrix, row by row.
    pub correlation: Vec<Vec<f64>>,
    /// Directions that are not determined.
    pub sloppy: Vec<Sloppy>,
}

/// Mean correlation of neighbouring residuals over channels, zero where chance explains it.
pub fn neighbours(channels: &[Vec<f64>]) -> f64 {
    let (mut product, mut square, mut count) = (0.0, 0.0, 0usize);
    for r in channels.iter().filter(|r| r.len() > 2) {
        product += r.windows(2).map(|p| p[0] * p[1]).sum::<f64>();
        square += r.iter().map(|x| x * x).sum::<f64>();
        count += r.len();
    }
    let rho = if square > 0.0 { product / square } else { 0.0 };
    // Of white noise it deviates by 1/√n.
    if rho > 3.0 / (count.max(1) as f64).sqrt() { rho.min(0.999) } else { 0.0 }
}

/// (1 + ρ) / (1 - ρ).
pub fn redundancy(rho: f64) -> f64 {
    (1.0 + rho) / (1.0 - rho)
}

/// The chance of a χ² as large as this.
pub fn chi2_tail(chi2: f64, freedom: f64) -> f64 {
    let k = 2.0 / (9.0 * freedom);
    1.0 - normal((libm::cbrt(chi2 / freedom) - (1.0 - k)) / k.sqrt())
}

/// (1) and (3) from the columns of the Jacobian.
pub fn spread(columns: &[Vec<f64>], factor: f64, freedom: f64, parameters: &[Parameter]) -> Spread {
    let n = columns.len();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let h = DMatrix::from_fn(n, n, |i, j| dot(&columns[i], &columns[j]));
    let eigen = SymmetricEigen::new(h);
    let largest = eigen.eigenvalues.iter().copied().fold(0.0, f64::max);
    // Below rounding of the largest a curvature is nothing.
    let value = |a: usize| {
        let value = eigen.eigenvalues[a];
        if value > 1e-14 * largest { value } else { 0.0 }
    };
    let t = student_quantile(0.975, freedom.max(1.0));
    let mut covariance = DMatrix::<f64>::zeros(n, n);
    let mut sloppy = Vec::new();
    for a in 0..n {
        let w = eigen.eigenvectors.column(a);
        let variance = if value(a) > 0.0 { factor / value(a) } else { f64::INFINITY };
        // An infinite variance times a component of zero is NaN: leave it out.
        for i in 0..n {
            for j in 0..n {
                if w[i].abs() > 1e-9 && w[j].abs() > 1e-9 {
                    covariance[(i, j)] += variance * w[i] * w[j];
                }
            }
        }
        if variance.sqrt() > UNDETERMINED {
            let direction: Vec<f64> = w.iter().copied().collect();
            sloppy.push(Sloppy {
                sentence: in_words(&direction, parameters, &column_sizes(columns)),
                deviation: variance.sqrt(),
            });
        }
    }
    let deviation = |i: usize| covariance[(i, i)].sqrt();
    let correlation = (0..n)
        .map(|i| {
            let of = |j: usize| if i == j { 1.0 } else { covariance[(i, j)] / (deviation(i) * deviation(j)) };
            (0..n).map(of).map(|c| if c.is_finite() { c } else { f64::NAN }).collect()
        })
        .collect();
    Spread { half_widths: (0..n).map(|i| t * deviation(i)).collect(), correlation, sloppy }
}

fn column_sizes(columns: &[Vec<f64>]) -> Vec<f64> {
    columns.iter().map(|c| c.iter().map(|x| x * x).sum::<f64>().sqrt()).collect()
}

/// A direction that is not determined, in words.
fn in_words(direction: &[f64], parameters: &[Parameter], sizes: &[f64]) -> String {
    let largest = direction.iter().map(|w| w.abs()).fold(0.0, f64::max);
    let part: Vec<usize> = (0..direction.len()).filter(|i| direction[*i].abs() > 0.1 * largest).collect();
    let name = |i: usize| format!("'{}'", parameters[i].name());
    if let [one] = part.as_slice() {
        return if sizes[*one] < NOTHING {
            format!("{} has no effect here: the recordings do not depend on it", name(*one))
        } else {
            format!("{} is not determined by these recordings", name(*one))
        };
    }
    // Along the direction each parameter changes by w times its span (of its logarithm): what stays the same is
    // orthogonal to that.
    let change: Vec<f64> = (0..direction.len()).map(|i| direction[i] * parameters[i].range().span()).collect();
    let all: Vec<String> = part.iter().map(|i| name(*i)).collect();
    let all = all.join(" and ");
    if let [a, b] = part.as_slice() {
        let log = |i: usize| parameters[i].scale == Scale::Log;
        // Constant: x^cb / y^ca, or cb x - ca y. Divided by its largest exponent.
        let (ca, cb) = (change[*a], change[*b]);
        let unit = ca.abs().max(cb.abs());
        let (ea, eb) = (cb / unit, -ca / unit);
        let (ea, eb) = if ea < 0.0 { (-ea, -eb) } else { (ea, eb) };
        let kept = match (log(*a), log(*b)) {
            (true, true) => {
                let power =
                    |e: f64| if (e.abs() - 1.0).abs() < 0.02 { String::new() } else { format!("^{:.2}", e.abs()) };
                let (x, y) = (format!("{}{}", name(*a), power(ea)), format!("{}{}", name(*b), power(eb)));
                if eb < 0.0 { format!("{x} / {y}") } else { format!("{x} x {y}") }
            }
            _ => format!("{ea:.3} {} {} {:.3} {}", name(*a), if eb < 0.0 { "-" } else { "+" }, eb.abs(), name(*b)),
        };
        return format!("only {kept} is determined; {all} themselves are not");
    }
    let parts: Vec<String> = part.iter().map(|i| format!("{:+.2} {}", direction[*i], name(*i))).collect();
    format!("the combination {} is not determined", parts.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use veracity_engine::random::{Purpose, Stream};

    fn parameter(name: &str, scale: Scale) -> Parameter {
        let text = format!(
            "path = \"{name}\"\nlow = 1\nhigh = {}\nscale = \"{}\"",
            std::f64::consts::E,
            if scale == Scale::Log { "log" } else { "linear" }
        );
        toml::from_str(&text).unwrap()
    }

    #[test]
    fn tails_of_chi_square_are_those_of_tables() {
        // 95 % and 99.9 % quantiles from tables; Wilson and Hilferty are right to three digits there.
        for (chi2, freedom, p) in [(18.307, 10.0, 0.05), (124.342, 100.0, 0.05), (149.449, 100.0, 0.001)] {
            assert!((chi2_tail(chi2, freedom) / p - 1.0).abs() < 0.03, "{}", chi2_tail(chi2, freedom));
        }
    }

    #[test]
    fn directions_are_named() {
        let logs = [parameter("mass", Scale::Log), parameter("gravity", Scale::Log)];
        // Only the product matters: both columns are equal.
        let x: Vec<f64> = (0..50).map(f64::from).collect();
        let found = spread(&[x.clone(), x.clone()], 1.0, 48.0, &logs);
        assert_eq!(found.sloppy.len(), 1);
        assert!(found.sloppy[0].sentence.starts_with("only 'mass' x 'gravity' is determined"), "{:?}", found.sloppy);
        // Only the ratio.
        let minus: Vec<f64> = x.iter().map(|x| -x).collect();
        let found = spread(&[x.clone(), minus], 1.0, 48.0, &logs);
        assert!(found.sloppy[0].sentence.starts_with("only 'mass' / 'gravity' is determined"), "{:?}", found.sloppy);
        // The square of one.
        let twice: Vec<f64> = x.iter().map(|x| 2.0 * x).collect();
        let found = spread(&[twice, x.clone()], 1.0, 48.0, &logs);
        assert!(found.sloppy[0].sentence.contains("'mass' x 'gravity'^0.50"), "{:?}", found.sloppy);
        // One that does nothing.
        let found = spread(&[x.clone(), vec![0.0; 50]], 1.0, 48.0, &logs);
        assert!(found.sloppy[0].sentence.starts_with("'gravity' has no effect here"), "{:?}", found.sloppy);
        assert!(found.half_widths[0].is_finite() && found.half_widths[1].is_infinite());
        // Both determined.
        let other: Vec<f64> = (0..50).map(|k| if k % 2 == 0 { 10.0 } else { -10.0 }).collect();
        assert!(spread(&[x, other], 1.0, 48.0, &logs).sloppy.is_empty());
    }

    #[test]
    fn residuals_that_follow_each_other_count_less() {
        let stream = Stream::new(1, 0, 0, Purpose::Sampling);
        let white: Vec<f64> = (0..400).map(|k| stream.normal(k, 0)).collect();
        let slow: Vec<f64> = (0..400).map(|k| libm::sin(0.05 * f64::from(k))).collect();
        // Within three deviations of chance it is set to zero.
        assert_eq!(neighbours(&[white]), 0.0);
        assert!(redundancy(neighbours(&[slow])) > 100.0);
    }
}
