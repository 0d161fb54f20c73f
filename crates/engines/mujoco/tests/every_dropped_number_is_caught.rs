//! Every number that is dropped on the way into MuJoCo is caught by the audit.

#[path = "../../../audit/tests/dropping/mod.rs"]
mod dropping;
#[path = "../../../worker/tests/program/mod.rs"]
mod program;

use dropping::holding::{WHOLE, hold};
use program::engine;

fn catches_all(spec: &str, least: usize) {
    hold(&engine(), spec, WHOLE, least, &[]);
}

#[test]
fn as_it_comes() {
    catches_all("mujoco", 107);
}
