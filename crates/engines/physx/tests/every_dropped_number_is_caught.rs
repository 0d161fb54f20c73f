//! Every number that is dropped on the way into PhysX is caught by the audit.

#[path = "../../../audit/tests/dropping/mod.rs"]
mod dropping;
#[path = "../../../worker/tests/program/mod.rs"]
mod program;

use dropping::holding::{WHOLE, hold};
use program::engine;

#[test]
fn tgs() {
    hold(&engine(), "physx", WHOLE, 98, &[]);
}

#[test]
fn pgs() {
    hold(&engine(), "physx:solver=pgs", WHOLE, 98, &[]);
}
