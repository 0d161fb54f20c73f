//! The Python package `veracity`: the crates below as Python classes and NumPy arrays.
//!
//! This library is the module `veracity._native`; the sources in Python are in `python/veracity`, with the types in
//! `_native.pyi`. Arrays come in as float64 of the right shape or are an exception; states go out as one read-only array
//! that is written anew after each step. Long work runs without the interpreter's lock.
//!
//! Deliberately absent: logic. What Python needs and Rust programs need too is in the crates below.

mod arrays;
mod controllers;
mod dynamics;
mod errors;
mod models;
mod records;
mod scenarios;
mod sessions;
mod studies;

use pyo3::prelude::*;

/// The module `veracity._native`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::controllers::ControllerPy;
    #[pymodule_export]
    use crate::dynamics::DynamicsPy;
    #[pymodule_export]
    use crate::errors::Error;
    #[pymodule_export]
    use crate::models::{FindingPy, InspectionPy, ModelPy, check, load};
    #[pymodule_export]
    use crate::records::RecordPy;
    #[pymodule_export]
    use crate::scenarios::{EnginePy, ScenarioPy, StudyPy, built_in, engines_found, is_study};
    #[pymodule_export]
    use crate::sessions::SessionPy;
    #[pymodule_export]
    use crate::studies::{CheckPy, ResultPy, RowPy, build_of, judge_record, record_of, run_study, study_of};
}
