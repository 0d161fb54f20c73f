//! Learned validation: which value of a parameter makes a simulation move as reality does?
//!
//! A robot that tumbles chaotically cannot be compared with a simulation sample by sample. Instead it is simulated with
//! one parameter at several values, a map from pairs of states to that parameter is learned, and the map is evaluated
//! on the recording.
//!
//! Deliberately absent: deep networks, on-line learning, kernels other than RBF.
//!
//! ```
//! use veracity_regress::{Rows, Split};
//!
//! // Two runs of two rows each, simulated with the parameter at 1 and at 2: each is held out once, as a whole.
//! let mut rows = Rows::new(vec!["speed".to_string()]);
//! rows.push("slow", &[1.0], &[0.1, 0.2]);
//! rows.push("fast", &[2.0], &[0.9, 1.0]);
//! let folds = Split::Runs.folds(&rows);
//! assert_eq!(folds.len(), 2);
//! assert_eq!(folds[0].test, [0, 1]);
//! ```

pub mod assess;
pub mod behaviour;
pub mod carried;
pub mod datasets;
pub mod doubts;
mod draw;
pub mod error;
pub mod explain;
pub mod grid;
pub mod joint_features;
pub mod models;
pub mod motion;
pub mod page;
pub mod rank_sum;
pub mod records;
pub mod rows;
pub mod scaling;
pub mod simulate;
pub mod split;
pub mod study;
pub mod support;
pub mod svr;

pub use assess::{Assessment, Learned, assess};
pub use carried::{CarriedOptions, carried};
pub use error::Error;
pub use models::{Fitted, MODELS, ModelKind, mean_absolute_error};
pub use motion::Motion;
pub use rows::{Rows, RunRows};
pub use split::{Fold, SPLITS, Split};
pub use support::{Support, support};
