//! The published Weazelball tables: rows of two successive states, one file for each offset or recorded session.
//!
//! A state is position, quaternion (x y z w), velocity, angular velocity in the world frame, and angle and rate of the
//! motor. The offset of a training file is in its name, in steps of 3.312 mm.

use super::archive::texts;
use crate::error::Error;
use crate::rows::{Rows, parse};
use std::path::Path;

/// One step of the offset of the centre of mass [m]; errors are shown in per cent of it.
pub const OFFSET_STEP_M: f64 = 0.003312;

/// Numbers of one state, in the order of the columns.
pub const STATE: [&str; 15] =
    ["x", "y", "z", "qx", "qy", "qz", "qw", "vx", "vy", "vz", "wx", "wy", "wz", "theta", "dtheta"];

/// Columns of a row: a state and the next.
pub fn pair_names() -> Vec<String> {
    let next = STATE.iter().map(|name| format!("{name}'"));
    STATE.iter().map(|name| (*name).to_owned()).chain(next).collect()
}

/// The nine training runs of an engine (`ode`, `dart`), from the folder or archive that holds them.
pub fn training(from: &Path, engine: &str) -> Result<Rows, Error> {
    let offsets: Vec<i32> = (-4..=4).collect();
    let name = |k: &i32| match k {
        0 => format!("{engine}-offset-0_trainingset.txt"),
        k => format!("{engine}-offset{k:+}_trainingset.txt"),
    };
    let files: Vec<String> = offsets.iter().map(name).collect();
    read(from, &files, |k| vec![f64::from(offsets[k]) * OFFSET_STEP_M])
}

/// Recorded rows of sessions.
pub fn recorded(from: &Path, sessions: &[u32]) -> Result<Rows, Error> {
    let files: Vec<String> = sessions.iter().map(|k| format!("trial_{k:02}_testset.txt")).collect();
    read(from, &files, |_| Vec::new())
}

fn read(from: &Path, files: &[String], targets: impl Fn(usize) -> Vec<f64>) -> Result<Rows, Error> {
    let names = pair_names();
    let mut rows = Rows::new(names.clone());
    for (k, text) in texts(from, files)?.iter().enumerate() {
        rows.push(&files[k], &targets(k), &parse(&files[k], text, &names)?);
    }
    Ok(rows)
}
