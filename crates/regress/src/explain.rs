//! Whether any training value moves as the recording does.
//!
//! A map answers for every row, also for rows of another robot. Before its answer counts, the recording has to look like
//! *some* training value. The distance of two sets of rows is the mean over the principal axes of the training rows of
//! Wasserstein's distance, each axis in its own training deviation:
//!
//! ```text
//! (1)  C = cov(scaled training rows) = Σ λ_a w_a w_aᵀ,     z_a(x) = w_a·x / √λ_a
//! (2)  D(A, B) = mean over axes a of  ∫₀¹ |F⁻¹_A,a(p) - F⁻¹_B,a(p)| dp
//! ```
//!
//! taken over quantiles. Axes and not features: what holds a robot together shows as axes along which training hardly
//! moves (a rolling ball's velocity follows from its turning), and a stranger that breaks such a bond stands out there while
//! each of its features, taken alone, is as usual. It compares distributions, not samples in time, so chaos does not matter. For every piece of the
//! training runs, held out, `D` to the rows of its own value and to the nearest *other* value are known. A recording made
//! with a value between two of the grid's lies no farther from one of them than a neighbouring value would: pieces of it
//! that are farther than 95 % of the training pieces are from their next value are explained by no value.

use crate::data::Rows;
use crate::scaling::Scaling;
use nalgebra::{DMatrix, SymmetricEigen};
use serde::Serialize;
use veracity_measure::statistics::{median, quantile};

/// Probabilities of (2).
const QUANTILES: usize = 50;

/// Fewer rows have no shape to compare.
const LEAST_ROWS: usize = 20;

/// The share of training pieces whose next value is nearer than the threshold.
const SHARE: f64 = 0.95;

/// How the recording compares with the training values.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// Median distance of held-out training pieces from the other rows of their own value.
    pub own: f64,
    /// What is allowed: see the module's page.
    pub threshold: f64,
    /// Median distance of the recording's pieces from the training value nearest to each.
    pub recorded: f64,
    /// Whether that is within the threshold.
    pub explained: bool,
    /// The features that weigh most in the axis that contributes most to the distance.
    pub worst_features: String,
}

/// Axes along which training moves less than this of a deviation are rounding, and left out.
const LEAST_DEVIATION: f64 = 1e-3;

/// (1)
struct Axes {
    /// `w_a / √λ_a`, one after the other.
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

    /// The two features that weigh most in an axis.
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

/// A held-out piece of training: its value's number, its rows, and the rows of every value that were not held out with it.
pub struct Piece<'a> {
    /// Number of its value.
    pub value: usize,
    /// Its rows.
    pub rows: Vec<u32>,
    /// By value: rows left when it was held out.
    pub others: &'a [Vec<u32>],
}

/// Compares pieces of a recording with training.
pub fn explain(
    training: &Rows,
    scaling: &Scaling,
    pieces: &[Piece<'_>],
    values: &[Vec<u32>],
    recorded: &Rows,
    recorded_pieces: &[Vec<u32>],
) -> Explanation {
    let axes = Axes::new(training, scaling);
    let (mut own, mut next) = (Vec::new(), Vec::new());
    // The shapes of what was left are the same for all pieces of a fold.
    let mut known: Option<(*const Vec<u32>, Vec<Shape>)> = None;
    for piece in pieces.iter().filter(|piece| piece.rows.len() >= LEAST_ROWS) {
        let at = piece.others.as_ptr();
        if known.as_ref().is_none_or(|(key, _)| *key != at) {
            known = Some((at, piece.others.iter().map(|rows| Shape::new(training, scaling, &axes, rows)).collect()));
        }
        let Some((_, shapes)) = &known else { continue };
        let shape = Shape::new(training, scaling, &axes, &piece.rows);
        let distances: Vec<f64> = shapes.iter().map(|other| shape.distance(other)).collect();
        own.push(distances[piece.value]);
        let others = distances.iter().enumerate().filter(|(v, _)| *v != piece.value).map(|(_, d)| *d);
        next.push(others.fold(f64::INFINITY, f64::min));
    }
    let shapes: Vec<Shape> = values.iter().map(|rows| Shape::new(training, scaling, &axes, rows)).collect();
    let mut nearest = Vec::new();
    let mut by_axis = vec![0.0; axes.directions.len()];
    for rows in recorded_pieces.iter().filter(|rows| rows.len() >= LEAST_ROWS) {
        let shape = Shape::new(recorded, scaling, &axes, rows);
        let best = shapes.iter().min_by(|a, b| shape.distance(a).total_cmp(&shape.distance(b)));
        let Some(best) = best else { continue };
        nearest.push(shape.distance(best));
        by_axis.iter_mut().zip(shape.apart(best)).for_each(|(sum, d)| *sum += d);
    }
    let worst = (0..by_axis.len()).max_by(|a, b| by_axis[*a].total_cmp(&by_axis[*b])).unwrap_or(0);
    let all = |x: &[f64], f: fn(&[f64]) -> f64| if x.is_empty() { f64::NAN } else { f(x) };
    let threshold = all(&next, |x| quantile(x, SHARE));
    let recorded = all(&nearest, median);
    Explanation {
        own: all(&own, median),
        threshold,
        recorded,
        explained: recorded <= threshold,
        worst_features: if by_axis.is_empty() { String::new() } else { axes.name(worst, &training.names) },
    }
}
