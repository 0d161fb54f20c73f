//! Reduces a record to what a screen can show: curves thinned without losing a peak, and the resolution of poses.

use crate::data::replay::{Body, Geometry, PlacedShape};
use veracity_record::Record;

/// A curve in at most `most` samples, each of them one of the curve's own. Time is divided into intervals, and the
/// smallest and the largest value of each are kept, in order: a peak of a single sample is kept. NaN counts as largest,
/// so that a gap stays a gap. The first and the last sample are kept.
pub fn envelope(series: &[(f64, f64)], most: usize) -> Vec<(f64, f64)> {
    envelope_by(series, most, f64::abs)
}

/// As [`envelope`], with the smallest and the largest by a measure of one's own.
pub fn envelope_by(series: &[(f64, f64)], most: usize, measure: fn(f64) -> f64) -> Vec<(f64, f64)> {
    let inner = match series {
        [_, inner @ .., _] if series.len() > most.max(4) => inner,
        _ => return series.to_vec(),
    };
    let piece = inner.len().div_ceil((most.max(4) - 2) / 2);
    let mut out = vec![series[0]];
    for part in inner.chunks(piece) {
        let by_size = |a: &&(f64, f64), b: &&(f64, f64)| measure(a.1).total_cmp(&measure(b.1));
        let (Some(least), Some(largest)) = (part.iter().min_by(by_size), part.iter().max_by(by_size)) else {
            continue;
        };
        let (first, second) = if least.0 <= largest.0 { (least, largest) } else { (largest, least) };
        out.push(*first);
        if second.0 > first.0 {
            out.push(*second);
        }
    }
    out.extend(series.last());
    out
}

/// Size of the visible scene [m]: the extent of its bodies' motion in the run of median extent, so that one engine that
/// blows up does not blur the others; at most eight times the largest body, which is what a camera that travels along
/// shows.
pub fn scene_size(bodies: &[Body], records: &[(usize, &Record)]) -> f64 {
    let radius = bodies.iter().flat_map(|b| &b.shapes).map(reach).fold(0.0, f64::max);
    let mut sizes: Vec<f64> = records.iter().map(|(_, record)| extent(record)).filter(|x| x.is_finite()).collect();
    sizes.sort_by(f64::total_cmp);
    let middle = sizes.get(sizes.len().saturating_sub(1) / 2).copied().unwrap_or(0.0);
    match (middle + 2.0 * radius, 8.0 * radius) {
        (whole, near) if near > 0.0 => whole.min(near),
        (whole, _) if whole > 0.0 => whole,
        _ => 1.0,
    }
}

/// Diagonal of the box around all positions [m].
fn extent(record: &Record) -> f64 {
    let track = &record.track;
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for pose in (0..track.rows()).flat_map(|row| (0..track.bodies).map(move |body| track.pose(row, body))) {
        for axis in 0..3 {
            low[axis] = low[axis].min(pose[axis]);
            high[axis] = high[axis].max(pose[axis]);
        }
    }
    (0..3).map(|axis| (high[axis] - low[axis]).powi(2)).sum::<f64>().sqrt()
}

/// The distance of a shape's farthest point from its body's origin, or slightly more [m].
fn reach(shape: &PlacedShape) -> f64 {
    let length = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let own = match &shape.geometry {
        Geometry::Box { size_m } => length(size_m) / 2.0,
        Geometry::Sphere { radius_m } => *radius_m,
        Geometry::Ellipsoid { radii_m } => radii_m.iter().copied().fold(0.0, f64::max),
        Geometry::Cylinder { radius_m, length_m } => length(&[*radius_m, length_m / 2.0]),
        Geometry::Capsule { radius_m, length_m } => radius_m + length_m / 2.0,
        // A plane is infinite and says nothing about where to look.
        Geometry::Plane => return 0.0,
        Geometry::Mesh { vertices_m, .. } => vertices_m
            .0
            .chunks_exact(3)
            .map(|v| length(&[f64::from(v[0]), f64::from(v[1]), f64::from(v[2])]))
            .fold(0.0, f64::max),
    };
    own + length(&shape.body_from_shape.position_m)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peak_of_one_sample_stays_wherever_it_is() {
        let quiet: Vec<(f64, f64)> = (0..10_000).map(|i| (f64::from(i) * 1e-3, 1e-6)).collect();
        for at in [0, 1, 777, 5_000, 9_998, 9_999] {
            let mut series = quiet.clone();
            series[at].1 = -0.5;
            let thin = envelope(&series, 400);
            assert!(thin.len() <= 400, "{} samples", thin.len());
            assert!(thin.contains(&series[at]), "the peak at sample {at} is gone");
            assert!(thin.windows(2).all(|w| w[0].0 < w[1].0), "times must rise");
            assert_eq!((thin.first(), thin.last()), (series.first(), series.last()));
        }
    }

    #[test]
    fn a_gap_stays_and_a_short_curve_is_left_alone() {
        let mut series: Vec<(f64, f64)> = (0..5_000).map(|i| (f64::from(i), 1.0)).collect();
        series[1234].1 = f64::NAN;
        assert_eq!(envelope(&series, 100).iter().filter(|(_, x)| x.is_nan()).count(), 1);
        assert_eq!(envelope(&series[..100], 100).len(), 100);
        assert!(envelope(&[], 100).is_empty());
    }
}
