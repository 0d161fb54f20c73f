//! Quantities of records as columns: what a converged reference can provide, from each of its runs.

use veracity_measure::{Quantity, SAME_INSTANT_S};
use veracity_model::Layout;
use veracity_record::Record;

/// One quantity in every run of a ladder, at the instants common to all runs.
pub(super) struct Column {
    pub quantity: Quantity,
    /// From the coarsest run to the finest: row-major, [`Quantity::width`] numbers per row.
    pub runs: Vec<Vec<f64>>,
}

/// Quantities that move together: the rates of a body are known as long as its position and orientation are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    Joint(usize),
    Body(usize),
}

impl Column {
    pub(super) fn owner(&self) -> Owner {
        match &self.quantity {
            Quantity::JointPosition(slot) | Quantity::JointSpeed(slot) => Owner::Joint(*slot),
            Quantity::Point { body, .. } | Quantity::PointVelocity { body, .. } => Owner::Body(*body),
            Quantity::Orientation(body) | Quantity::Spin(body) => Owner::Body(*body),
            Quantity::Scalar(_) => Owner::Body(usize::MAX),
        }
    }

    /// Velocities jump at impacts; positions do not.
    pub(super) fn is_rate(&self) -> bool {
        matches!(self.quantity, Quantity::JointSpeed(_) | Quantity::PointVelocity { .. } | Quantity::Spin(_))
    }

    pub(super) fn row<'a>(&self, run: &'a [f64], row: usize) -> &'a [f64] {
        let width = self.quantity.width();
        &run[row * width..(row + 1) * width]
    }

    /// Distance between two runs at a row: length of the difference, or angle between two orientations.
    pub(super) fn distance(&self, a: &[f64], b: &[f64], row: usize) -> f64 {
        distance(&self.quantity, self.row(a, row), self.row(b, row))
    }
}

/// The instants common to all runs, and the matching row indices of each run.
pub(super) fn common_rows(records: &[Record]) -> Result<(Vec<f64>, Vec<Vec<usize>>), String> {
    let sparse = records.iter().min_by_key(|r| r.track.rows()).ok_or("no run")?;
    let times = sparse.track.times.clone();
    let rows_of = |record: &Record| -> Option<Vec<usize>> {
        let all = &record.track.times;
        let row = |t: &f64| {
            let row = all.partition_point(|x| *x < t - SAME_INSTANT_S);
            all.get(row).filter(|x| (*x - t).abs() <= SAME_INSTANT_S).map(|_| row)
        };
        times.iter().map(row).collect()
    };
    let rows = records.iter().map(rows_of).collect::<Option<Vec<_>>>();
    rows.map(|rows| (times, rows)).ok_or_else(|| "its runs were recorded at different times".to_string())
}

/// Every quantity of the world, and of the named points of bodies.
pub(super) fn columns(records: &[Record], rows: &[Vec<usize>], points: &[(usize, [f64; 3])]) -> Vec<Column> {
    let Some(first) = records.first() else { return Vec::new() };
    let layout = first.layout();
    let of = |quantity: Quantity| {
        let column = |(record, rows): (&Record, &Vec<usize>)| {
            rows.iter().flat_map(|row| value(record, &layout, &quantity, *row)).collect()
        };
        let runs = records.iter().zip(rows).map(column).collect();
        Column { quantity, runs }
    };
    quantities(&layout, points).into_iter().map(of).collect()
}

fn quantities(layout: &Layout, points: &[(usize, [f64; 3])]) -> Vec<Quantity> {
    let mut out = Vec::new();
    for slot in (0..layout.joints.len()).filter(|slot| layout.joints[*slot].kind.dof_count() == 1) {
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
pub(super) fn distance(quantity: &Quantity, a: &[f64], b: &[f64]) -> f64 {
    let square = |sign: f64| a.iter().zip(b).map(|(x, y)| (x - sign * y) * (x - sign * y)).sum::<f64>();
    match quantity {
        // A quaternion and its negative are the same orientation; the angle is 4 asin(|a - b| / 2).
        Quantity::Orientation(_) => 4.0 * libm::asin((0.5 * square(1.0).min(square(-1.0)).sqrt()).min(1.0)),
        _ => square(1.0).sqrt(),
    }
}

/// A vector rotated by the quaternion w x y z.
fn turn(quaternion: &[f64], p: [f64; 3]) -> [f64; 3] {
    let (w, u) = (quaternion[0], [quaternion[1], quaternion[2], quaternion[3]]);
    let t = cross(u, p).map(|x| 2.0 * x);
    let c = cross(u, t);
    [0, 1, 2].map(|i| p[i] + w * t[i] + c[i])
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
