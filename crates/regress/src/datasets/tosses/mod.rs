//! Engines scored on recorded cube tosses: the same toss, simulated by each.
//!
//! A toss lasts half a second and has few impacts, so here a simulation *can* be compared with the recording sample by
//! sample. Trials run through the lab like any others: stored under their keys, resumed, run on all cores.

pub mod export;
pub mod protocol;
pub mod score;
pub mod study;

pub use export::export;
pub use protocol::{TossError, TossStart, begin, error};
pub use score::{Scored, Scores, TossPart, score};
pub use study::{FittedOn, TossEngine, TossStudy};
