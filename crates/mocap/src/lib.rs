//! From recorded motion to clean state.
//!
//! One of the [`readers::READERS`] reads a recording as a [`stream::PoseStream`]; the [`steps`] process it, each a
//! function that returns a [`report::StepReport`] of what it did; the result is a [`veracity_record::Record`] like that
//! of any trial. [`pipeline::clean`] runs the steps in order. Every dropped sample is reported.
//!
//! [`synthetic`] makes recordings with known truth from any simulated record. [`datasets`] has what holds for one public
//! set of recordings only.
//!
//! Deliberately absent: verdicts. Whether a simulation fits a recording is decided by `measure` and `regress`.
//!
//! ```
//! use veracity_mocap::readers::READERS;
//! use veracity_mocap::turns::{about, rotate};
//!
//! assert!(READERS.iter().any(|reader| reader.name == "c3d"));
//! // Quaternions are w x y z: a quarter turn about z takes x to y.
//! let turned = rotate(&about(&[0.0, 0.0, 1.0], std::f64::consts::FRAC_PI_2), &[1.0, 0.0, 0.0]);
//! assert!((turned[1] - 1.0).abs() < 1e-15);
//! ```

pub mod datasets;
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
