//! Recorded motion to clean state.
//!
//! A recording comes in through one of the [`readers::READERS`] as a [`stream::PoseStream`], goes through the [`steps`],
//! each a function that gives a [`report::StepReport`] of what it did, and leaves as a [`veracity_record::Record`] like
//! that of any trial: [`pipeline::clean`] runs them in order. Nothing is dropped without a line that says so.
//!
//! [`synthetic`] makes recordings with known truth from any simulated record. [`weazelball`] has what was published about
//! one set of recordings, [`readers::tosses`] reads another.
//!
//! What is deliberately absent: judgement. Whether a simulation fits a recording is for `measure` and `regress` to say.

pub mod inspect;
pub mod notes;
pub mod page;
pub mod pipeline;
pub mod readers;
pub mod report;
pub mod steps;
pub mod stream;
pub mod synthetic;
pub mod to_record;
pub mod turns;
pub mod weazelball;
