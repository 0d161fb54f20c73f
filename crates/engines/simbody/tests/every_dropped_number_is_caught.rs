//! Every number that is dropped on the way into Simbody is caught by the audit.

#[path = "../../../audit/tests/dropping/mod.rs"]
mod dropping;

use dropping::holding::{Shortened, hold};
use veracity_worker::{Limits, WorkerEngine};

#[test]
fn as_it_comes() {
    let engine = WorkerEngine::new(env!("CARGO_BIN_EXE_veracity-engine-simbody").into(), Limits::default());
    engine.try_hello().unwrap();
    // Its integrators work to an accuracy, which costs: the whole takes minutes.
    let shortened = Shortened { audited_every: 4, dropped_every: 1 };
    // A world in which nothing may touch becomes, that lost, one in which bodies touch, which this worker refuses by name.
    hold(&engine, "simbody", shortened, 74, &["filter-world"]);
}
