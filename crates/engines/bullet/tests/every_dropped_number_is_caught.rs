//! Every number that is dropped on the way into Bullet is caught by the audit.

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
fn multibodies() {
    catches_all("bullet", 101);
}

#[test]
fn maximal_coordinates() {
    catches_all("bullet:maximal", 101);
}
