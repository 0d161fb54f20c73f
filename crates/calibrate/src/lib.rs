//! Calibration: with which parameters does a simulation agree with recordings of a robot?
//!
//! A [`Calibration`] file names a scenario, an engine, parameters by path with bounds, and recordings with the error of
//! each measured quantity. [`fit()`] minimises the sum of squared residuals over the training recordings, each evaluation
//! a stored trial of the lab, and returns a [`CalibrationFit`]: parameters with intervals, what the data do not determine, how
//! well recordings that were held out are reproduced, and a verdict. [`uncertainty`] has the mathematics.
//!
//! Deliberately absent: derivatives of the dynamics (engines are black boxes), and shuffled rows: a recording is either
//! fitted or held out as a whole, because neighbouring rows are nearly the same measurement.
//!
//! ```
//! let calibration = veracity_calibrate::Calibration::parse(
//!     r#"
//!     schema = 1
//!     name = "damping"
//!     title = "Damping of a pendulum"
//!     scenario = "simple_pendulum"
//!     [[parameters]]
//!     path = "world/pendulum/joints/hinge/damping"
//!     low = 0.001
//!     high = 1
//!     [[recordings]]
//!     file = "swing.csv"
//!     [[recordings.channels]]
//!     position_of_joint = "hinge"
//!     columns = ["angle"]
//!     sigma = 0.01
//!     "#,
//!     "damping.toml",
//! )
//! .unwrap();
//! assert_eq!(calibration.parameters.len(), 1);
//! ```

pub mod cheapest;
pub mod evaluate;
pub mod file;
pub mod fit;
pub mod fitted;
pub mod inertia;
pub mod profile;
pub mod recording;
pub mod resample;
pub mod search;
pub mod sobol;
pub mod transform;
pub mod uncertainty;

pub use cheapest::{CheapestSettings, cheapest};
pub use file::Calibration;
pub use fit::{CalibrationFit, fit};
pub use fitted::FittedFile;

/// Why a calibration cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum CalibrateError {
    /// A mistake in the file.
    #[error("{file}:{line}: {what}")]
    Line {
        /// The file.
        file: String,
        /// Its line, from 1.
        line: usize,
        /// What is wrong and what to do.
        what: String,
    },
    /// The parts do not fit together.
    #[error("{0}")]
    Unfit(String),
    /// A trial cannot be stored.
    #[error(transparent)]
    Store(#[from] veracity_lab::StoreError),
    /// Stopped by the user; what was evaluated is stored.
    #[error("interrupted; what was evaluated is stored; run the same command to continue")]
    Interrupted,
}
