//! The contract every engine implements.
//!
//! An [`Engine`] loads a [`World`](veracity_model::World) under an [`EngineSpec`] and returns a [`Simulation`], which
//! steps under [`Inputs`], stops at [`Guard`]s, can be saved and forked, and reports its motion. Everything that
//! crosses the contract is flat data in the order of [`Layout`](veracity_model::Layout), so that a worker process in
//! another language sees the same bytes.
//!
//! An engine that runs in this process implements [`driver::Stepper`] and is driven by [`SteppedSimulation`]: step grid,
//! rows, guards, gaps, event log and snapshots are written once.
//!
//! [`random`] is the only source of random numbers in the workspace.
//!
//! Deliberately absent: scenarios. An engine never knows which scenario it runs.
//!
//! ```
//! use veracity_engine::{EngineSpec, Setting, SettingKind, Settings};
//!
//! const KNOWN: &[Setting] = &[Setting {
//!     key: "iters",
//!     kind: SettingKind::Integer(1, 100),
//!     default: "10",
//!     text: "iterations of a solve at most",
//! }];
//! let spec: EngineSpec = "mine:iters=4".parse().unwrap();
//! let settings = Settings::resolve("mine", KNOWN, &spec).unwrap();
//! assert_eq!(settings.integer("iters"), 4);
//! assert!(Settings::resolve("mine", KNOWN, &"mine:iters=0".parse().unwrap()).is_err());
//! ```

pub mod capability;
pub mod conformance;
pub mod contract;
pub mod driver;
pub mod error;
pub mod events;
pub mod guard;
pub mod helpers;
pub mod inputs;
pub mod looped;
pub mod random;
pub mod samples;
pub mod seal;
pub mod settings;
pub mod spec;
pub mod start_state;
pub mod unsolved;

pub use capability::{Capabilities, DriveForm, EventTime, Fidelity};
pub use contract::{Advance, BodyState, Engine, LoadOptions, Simulation, SolverOutcome, Totals, step_within};
pub use driver::SteppedSimulation;
pub use error::{LoadError, StepError, Unsupported};
pub use events::{EventLog, Logged, SavedLog};
pub use guard::{Guard, GuardHit, Watched};
pub use inputs::{Inputs, JointDrive, Wrench};
pub use looped::{LoopEnd, LoopRun};
pub use samples::Samples;
pub use seal::Seal;
pub use settings::{Setting, SettingKind, Settings};
pub use spec::{EngineSpec, SpecError};
pub use unsolved::Unsolved;
