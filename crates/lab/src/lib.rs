//! Runs trials and studies and stores their results.
//!
//! A [`TrialSpec`] is a pure job with a [`TrialKey`]; a [`Session`] runs one and can be stepped on demand; an
//! [`Executor`] runs many; the [`Store`] keeps every finished record, so that no trial runs twice and an interruption
//! costs at most the trials in progress. [`Lab::run`] combines them for a whole study.
//!
//! Deliberately absent: printing. Progress and results are values; the command line and the report show them.
//!
//! ```
//! use std::sync::Arc;
//! use veracity_engine::Engine;
//! use veracity_engine_native::ENGINE;
//! use veracity_lab::{Session, SessionSetup};
//! use veracity_scenario::Scenario;
//!
//! let scenario = Scenario::built_in("simple_pendulum").unwrap();
//! let settings = ENGINE.resolve(&"native".parse().unwrap()).unwrap();
//! let step_ns = scenario.step_ns;
//! let setup = SessionSetup { scenario: Arc::new(scenario), overrides: Vec::new(), step_ns, seed: 0, index: 0 };
//! let mut session = Session::open(&ENGINE, &settings, setup).unwrap();
//! // A tenth of a second, in nanoseconds.
//! session.advance_to(100_000_000);
//! assert!(session.finish().track.times.last().is_some_and(|time| (time - 0.1).abs() < 1e-9));
//! ```

pub mod answer;
pub mod axes;
pub mod boundary;
pub mod comparing;
pub mod conclusion;
pub mod converged;
pub mod ensemble;
mod estimates;
pub mod executor;
mod host;
pub mod hypotheses;
pub mod inspection;
pub mod judging;
pub mod lab;
pub mod leaderboard;
mod memory;
pub mod motion;
pub mod plan;
pub mod progress;
pub mod range_board;
pub mod results;
mod results_before;
pub mod session;
pub mod signals;
mod start_moved;
pub mod store;
pub mod store_reader;
pub mod trial;
pub mod verdict_map;
pub mod watchdog;

pub use answer::{Answer, answers};
pub use axes::{Axis, variation_text};
pub use boundary::Boundary;
pub use conclusion::{Conclusion, Gate, Regression, RowStanding, Standing};
pub use executor::{Executor, Threads};
pub use hypotheses::{HypothesisVerdict, Pairs, Weighed, weigh};
pub use judging::JudgedRecord;
pub use lab::{Lab, LabError, run_trial};
pub use leaderboard::{Leaderboard, Place, RankedError, leaderboards};
pub use motion::{GivenMotion, MotionError, record_of_motion};
pub use plan::{Engines, Plan, Planned};
pub use progress::{Progress, Silent};
pub use range_board::{RangeBoard, RangePlace, range_boards};
pub use results::{CheckResult, Comparison, Expected, ExperimentFinding, Row, Stopped, StudyResult};
pub use session::{Session, SessionSetup};
pub use store::{Store, StoreError};
pub use store_reader::StoreReader;
pub use trial::{Start, TrialKey, TrialSpec};
pub use veracity_measure::TrialVerdict;
pub use verdict_map::{MapCell, MapSide, VerdictMap, verdict_maps};
