//! Trajectories in flat columns, one row for each recorded instant.

use serde::{Deserialize, Serialize};

/// How many numbers a pose has: x y z, then the quaternion w x y z.
pub const POSE: usize = 7;
/// How many numbers a twist has: angular velocity, then the velocity of the body's origin, both in world axes.
pub const TWIST: usize = 6;

/// Memory a track reserves at most before the first row [bytes].
pub const RESERVED: usize = 256 << 20;

/// A named column in addition to the state: a command, a sensor reading, a quantity reported by the engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Signal {
    /// `commands/arm/shoulder`, `sensors/imu/gyro_x`, `engine/energy_J` …
    pub name: String,
    /// SI unit; empty for a pure number.
    pub unit: String,
    /// One value for each row; NaN where there was none.
    pub values: Vec<f64>,
}

/// Times and states. Everything is row-major: row `i` of `q` is `q[i * nq .. (i + 1) * nq]`.
///
/// Poses and twists are those the engine reports for each body: an engine whose joints come apart shows it here. `q`
/// and `v` are in the model's own coordinates; engines that have none compute them from the bodies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Track {
    /// Length of a row of `q`.
    pub nq: usize,
    /// Length of a row of `v` and of `efforts`.
    pub nv: usize,
    /// Bodies in a row of `poses` and `twists`.
    pub bodies: usize,
    /// Named pairs in a row of `gaps`.
    pub pairs: usize,
    /// [s], increasing.
    pub times: Vec<f64>,
    /// Positions in the order of [`veracity_model::Layout`].
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Efforts of controllers and drives in the step that ended at this row [N m or N]; zero in the first row, NaN
    /// where the engine does not report them.
    pub efforts: Vec<f64>,
    /// `world_from_body` of each body: [`POSE`] numbers.
    pub poses: Vec<f64>,
    /// Motion of each body's frame: [`TWIST`] numbers.
    pub twists: Vec<f64>,
    /// Gap of each named pair [m]; NaN where the engine or the shapes give none.
    pub gaps: Vec<f64>,
    /// Smallest gap of each named pair over every step of the run, not only the recorded ones [m].
    pub least_gaps: Vec<f64>,
    /// Further columns.
    pub signals: Vec<Signal>,
}

impl Track {
    /// Empty, with capacity for `rows`, or for as many as [`RESERVED`] bytes hold: a world of ten thousand bodies would
    /// reserve gigabytes for a run of seconds.
    pub fn new(nq: usize, nv: usize, bodies: usize, pairs: usize, rows: usize) -> Self {
        let row = size_of::<f64>() * (1 + nq + 2 * nv + bodies * (POSE + TWIST) + pairs);
        let rows = rows.min(RESERVED / row);
        Self {
            nq,
            nv,
            bodies,
            pairs,
            times: Vec::with_capacity(rows),
            q: Vec::with_capacity(rows * nq),
            v: Vec::with_capacity(rows * nv),
            efforts: Vec::with_capacity(rows * nv),
            poses: Vec::with_capacity(rows * bodies * POSE),
            twists: Vec::with_capacity(rows * bodies * TWIST),
            gaps: Vec::with_capacity(rows * pairs),
            least_gaps: vec![f64::INFINITY; pairs],
            signals: Vec::new(),
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.times.len()
    }

    /// Positions of a row.
    pub fn q(&self, row: usize) -> &[f64] {
        &self.q[row * self.nq..(row + 1) * self.nq]
    }

    /// Velocities of a row.
    pub fn v(&self, row: usize) -> &[f64] {
        &self.v[row * self.nv..(row + 1) * self.nv]
    }

    /// Pose of a body in a row: x y z, w x y z.
    pub fn pose(&self, row: usize, body: usize) -> &[f64] {
        let at = (row * self.bodies + body) * POSE;
        &self.poses[at..at + POSE]
    }

    /// Twist of a body in a row: angular, then linear.
    pub fn twist(&self, row: usize, body: usize) -> &[f64] {
        let at = (row * self.bodies + body) * TWIST;
        &self.twists[at..at + TWIST]
    }

    /// What is wrong with the lengths of the columns, as a sentence; files are checked with this when read.
    pub fn fault(&self) -> Option<String> {
        let rows = self.rows();
        let columns = [
            ("q", self.q.len(), self.nq),
            ("v", self.v.len(), self.nv),
            ("efforts", self.efforts.len(), self.nv),
            ("poses", self.poses.len(), self.bodies.saturating_mul(POSE)),
            ("twists", self.twists.len(), self.bodies.saturating_mul(TWIST)),
            ("gaps", self.gaps.len(), self.pairs),
        ];
        for (name, length, width) in columns {
            if rows.checked_mul(width) != Some(length) {
                return Some(format!("{name} has length {length}, expected {rows} x {width}"));
            }
        }
        if self.least_gaps.len() != self.pairs {
            return Some(format!("{} least gaps for {} pairs", self.least_gaps.len(), self.pairs));
        }
        let odd = self.signals.iter().find(|s| s.values.len() != rows)?;
        Some(format!("signal {} has {} values for {rows} rows", odd.name, odd.values.len()))
    }

    /// The column of this name.
    pub fn signal(&self, name: &str) -> Option<&Signal> {
        self.signals.iter().find(|s| s.name == name)
    }
}
