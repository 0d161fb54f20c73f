//! The published tables if `VERACITY_DATA` names them, otherwise tables of the same shape.

use std::path::PathBuf;
use veracity_regress::Rows;
use veracity_regress::datasets::weazelball::published;
use veracity_regress::datasets::weazelball::wandering::wandering;

pub const STEP: f64 = published::OFFSET_STEP_M;

/// The folder of the recorded data. Acceptance requires it.
pub fn data() -> Option<PathBuf> {
    let folder = std::env::var_os("VERACITY_DATA").map(|folder| PathBuf::from(folder).join("weazelball"));
    assert!(
        folder.is_some() || std::env::var("VERACITY_FULL").is_err(),
        "VERACITY_DATA is not set; point it at the folder that holds weazelball/ and cube-toss/"
    );
    folder
}

pub fn training(engine: &str) -> Rows {
    match data() {
        Some(folder) => {
            published::training(&folder.join(format!("svr/{engine}-30s-trainingset.tar.gz")), engine).unwrap()
        }
        None => wandering(2998, 5),
    }
}
