//! Every number that is dropped on the way into Simbody is caught by the audit.

#[path = "../../../audit/tests/dropping/mod.rs"]
mod dropping;
#[path = "../../../worker/tests/program/mod.rs"]
mod program;

use dropping::holding::{Shortened, hold};
use program::engine;

#[test]
fn as_it_comes() {
    // Its integrators with error control are slow: the full test takes minutes.
    let shortened = Shortened { audited_every: 4, dropped_every: 1 };
    hold(&engine(), "simbody", shortened, 98, &[]);
}
