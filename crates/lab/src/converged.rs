//! The converged run as a reference: what a study's most careful spec gives, with its own error.
//!
//! The spec is run twice, the second time coarser: a hundred times the tolerance for adaptive engines, twice the step for
//! others. The finer run is the truth; the difference of the two, at its largest so far, is its error. That is the error
//! of the *coarser* run and so an overestimate of the finer one's, by two powers of ten or by 2^order.

use crate::plan::Point;
use veracity_engine::EngineSpec;
use veracity_measure::{Quantity, Truth, TruthChannel};
use veracity_model::Layout;
use veracity_record::Record;

/// The points of the two runs: the finer first.
pub fn points(spec: &EngineSpec, step_ns: i64) -> [Point; 2] {
    let point = |engine: EngineSpec, step_ns| Point { engine, step_ns, seed: 0, index: 0, expected: None };
    let mut coarser = spec.clone();
    let tolerance = coarser.settings.iter_mut().find(|(key, _)| key == "tolerance");
    match tolerance.and_then(|(_, value)| value.parse::<f64>().ok().map(|x| (value, x))) {
        Some((value, x)) => {
            *value = format!("{:e}", 100.0 * x);
            [point(spec.clone(), step_ns), point(coarser, step_ns)]
        }
        None => [point(spec.clone(), step_ns / 2), point(coarser, step_ns)],
    }
}

/// The truth from the two records; `Err` says why there is none.
pub fn truth(name: &str, finer: &Record, coarser: &Record, points: &[(usize, [f64; 3])]) -> Result<Truth, String> {
    for record in [finer, coarser] {
        if !record.outcome.is_finished() {
            return Err(format!("the converged run on {} ended early: {:?}", record.head.engine, record.outcome));
        }
    }
    if finer.track.times != coarser.track.times {
        return Err("the two converged runs were recorded at different times".to_string());
    }
    let layout = finer.layout();
    let mut channels = Vec::new();
    for quantity in quantities(&layout, points) {
        let (values, rough) = (column(finer, &layout, &quantity), column(coarser, &layout, &quantity));
        let width = quantity.width();
        let mut worst = 0.0f64;
        let mut uncertainty = Vec::with_capacity(finer.track.rows());
        for (a, b) in values.chunks(width).zip(rough.chunks(width)) {
            worst = worst.max(distance(&quantity, a, b));
            uncertainty.push(worst);
        }
        channels.push(TruthChannel { quantity, times: finer.track.times.clone(), values, uncertainty });
    }
    let worst = channels.iter().filter_map(|c| c.uncertainty.last()).fold(0.0f64, |w, u| w.max(*u));
    let source = format!("converged run of {}, its own error at most {worst:.1e}", finer.head.engine);
    Ok(Truth { name: name.to_string(), source, channels })
}

/// Everything a record can be held to.
fn quantities(layout: &Layout, points: &[(usize, [f64; 3])]) -> Vec<Quantity> {
    let mut out = Vec::new();
    for (slot, joint) in layout.joints.iter().enumerate().filter(|(_, j)| j.kind.dof_count() == 1) {
        let _ = joint;
        out.extend([Quantity::JointPosition(slot), Quantity::JointSpeed(slot)]);
    }
    for body in 0..layout.bodies.len() {
        let point = [0.0; 3];
        out.extend([Quantity::Point { body, point }, Quantity::PointVelocity { body, point }]);
        out.extend([Quantity::Orientation(body), Quantity::Spin(body)]);
    }
    for &(body, point) in points.iter().filter(|(_, p)| *p != [0.0; 3]) {
        out.extend([Quantity::Point { body, point }, Quantity::PointVelocity { body, point }]);
    }
    out
}

/// A quantity of every row.
fn column(record: &Record, layout: &Layout, quantity: &Quantity) -> Vec<f64> {
    let track = &record.track;
    (0..track.rows()).flat_map(|row| value(record, layout, quantity, row)).collect()
}

fn value(record: &Record, layout: &Layout, quantity: &Quantity, row: usize) -> Vec<f64> {
    let track = &record.track;
    match quantity {
        Quantity::JointPosition(joint) => vec![track.q(row)[layout.joints[*joint].q]],
        Quantity::JointSpeed(joint) => vec![track.v(row)[layout.joints[*joint].v]],
        Quantity::Point { body, point } => {
            let pose = track.pose(row, *body);
            let arm = turn(&pose[3..], *point);
            (0..3).map(|i| pose[i] + arm[i]).collect()
        }
        Quantity::PointVelocity { body, point } => {
            let (pose, twist) = (track.pose(row, *body), track.twist(row, *body));
            let arm = turn(&pose[3..], *point);
            let swept = cross([twist[0], twist[1], twist[2]], arm);
            (0..3).map(|i| twist[3 + i] + swept[i]).collect()
        }
        Quantity::Orientation(body) => track.pose(row, *body)[3..].to_vec(),
        Quantity::Spin(body) => track.twist(row, *body)[..3].to_vec(),
        Quantity::Scalar(_) => vec![f64::NAN],
    }
}

/// Length of the difference; the angle between two orientations.
fn distance(quantity: &Quantity, a: &[f64], b: &[f64]) -> f64 {
    let square = |sign: f64| a.iter().zip(b).map(|(x, y)| (x - sign * y) * (x - sign * y)).sum::<f64>();
    match quantity {
        // A quaternion and its negative are one orientation; the angle is 4 asin(|a - b| / 2).
        Quantity::Orientation(_) => 4.0 * libm::asin((0.5 * square(1.0).min(square(-1.0)).sqrt()).min(1.0)),
        _ => square(1.0).sqrt(),
    }
}

/// A vector turned by the quaternion w x y z.
fn turn(quaternion: &[f64], p: [f64; 3]) -> [f64; 3] {
    let (w, u) = (quaternion[0], [quaternion[1], quaternion[2], quaternion[3]]);
    let t = cross(u, p).map(|x| 2.0 * x);
    let c = cross(u, t);
    [0, 1, 2].map(|i| p[i] + w * t[i] + c[i])
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
