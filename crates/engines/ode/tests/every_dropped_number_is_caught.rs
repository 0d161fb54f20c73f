//! Every number that is dropped on the way into ODE is caught by the audit.

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
fn direct() {
    catches_all("ode", 100);
}
