//! Numbers from records, and what they are worth.
//!
//! A metric takes a [`Subject`] (a record and the layout of its world) and, where it needs one, a [`Truth`], and gives a
//! [`Measured`]: a value with its uncertainty, or the reason why it cannot tell. [`judge`] holds a value to a bound and
//! gives a [`Verdict`]. Energy, momentum, constraint violation and gaps are recomputed here from poses and velocities
//! with the recorded world; what an engine says of itself is a separate column.
//!
//! Metrics of one record and metrics of several are two lists in plain sight.
//!
//! What is deliberately absent: engines and scenarios. Everything here works on recordings of reality as well.

mod against_truth;
pub mod balance;
pub mod crossing;
pub mod curve;
pub mod energy;
pub mod gaps;
pub mod machine;
pub mod metric;
pub mod metrics;
pub mod rows;
pub mod truth;
pub mod verdict;
pub mod violation;

pub use metric::{CannotTell, Measured, MetricEntry, Options, Subject, nothing_to_measure};
pub use metrics::METRICS;
pub use truth::{Quantity, Truth, TruthChannel};
pub use verdict::{Judgement, Verdict, judge};
