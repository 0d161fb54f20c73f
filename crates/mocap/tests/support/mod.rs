//! Location of the recorded data.

#![allow(dead_code)] // Not every test uses recorded data.

use std::path::PathBuf;

pub fn full() -> bool {
    std::env::var_os("VERACITY_FULL").is_some()
}

/// The folder of recorded data; `None` if `VERACITY_DATA` is not set. At full size that is a failure: a claim about
/// recordings is not shown without them.
pub fn data() -> Option<PathBuf> {
    let folder = std::env::var_os("VERACITY_DATA").map(PathBuf::from);
    assert!(folder.is_some() || !full(), "set VERACITY_DATA to the folder of recorded data; see docs/mocap.md");
    if folder.is_none() {
        println!("VERACITY_DATA is not set: recorded data is not tested");
    }
    folder
}
