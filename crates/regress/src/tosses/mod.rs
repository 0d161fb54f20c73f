//! Recorded cube tosses as a measure of engines: the same toss, simulated by each.
//!
//! A toss lasts half a second and has few impacts, so here a simulation *can* be held against the recording sample by sample.
//! Trials go through the lab like any other: stored under their keys, resumed, run on all cores.

pub mod protocol;
pub mod score;
pub mod study;

pub use protocol::{Begin, TossError, begin, error};
pub use score::{Scored, Scores, score};
pub use study::{TossEngine, TossStudy};
