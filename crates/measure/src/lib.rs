//! Metrics of records, their uncertainty, and verdicts.
//!
//! A metric takes a [`Subject`] (a record and the layout of its world) and, where it needs one, a [`Truth`], and
//! returns a [`Measured`]: a value with its uncertainty, or the reason why it cannot tell. [`judge`] compares a value
//! with a bound and returns a [`Verdict`]. Energy, momentum, constraint violation and gaps are recomputed here from
//! poses and velocities with the recorded world; the engine's own values are a separate column.
//!
//! Metrics of one record, [`METRICS`], and of several, [`COMPARISONS`], are two plain lists; the page `docs/metrics.md`
//! is generated from their files. [`statistics`] has the intervals and tests.
//!
//! Deliberately absent: engines and scenarios. Everything here works on recordings of reality as well.
//!
//! ```
//! use veracity_measure::{Measured, Verdict, judge};
//!
//! // 0.4 ± 0.1 mm against a bound of 1 mm, and against one inside the interval.
//! let slip = || Ok(Measured::new(4e-4, 1e-4));
//! assert_eq!(judge(slip(), 1e-3, "m").verdict, Verdict::Accepted);
//! assert_eq!(judge(slip(), 4.5e-4, "m").verdict, Verdict::CannotTell);
//! ```

mod against_truth;
pub mod balance;
pub mod comparison;
pub mod comparisons;
pub mod crossing;
pub mod curve;
pub mod distance;
pub mod energy;
pub mod gaps;
pub mod grasp;
pub mod machine;
pub mod metric;
pub mod metrics;
pub mod regression;
pub mod resting;
pub mod rows;
pub mod statistics;
pub mod task_conditions;
pub mod truth;
pub mod verdict;
pub mod violation;

pub use comparison::{Better, ComparisonEntry};
pub use comparisons::COMPARISONS;
pub use curve::SAME_INSTANT_S;
pub use metric::{CannotTell, Measured, MetricEntry, Options, Subject, Task, nothing_to_measure};
pub use metrics::METRICS;
pub use regression::{Allowance, Change, Since, cost_since_baseline, since_baseline};
pub use task_conditions::TASK_CONDITIONS;
pub use truth::{Quantity, Truth, TruthChannel};
pub use verdict::{Judgement, TrialVerdict, Verdict, judge, judge_as, overall};
