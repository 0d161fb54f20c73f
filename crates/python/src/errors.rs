//! The exception of the package.

use pyo3::PyErr;
use pyo3::exceptions::PyException;
use std::fmt::Display;
use veracity::model::{Findings, Severity};

pyo3::create_exception!(
    veracity,
    Error,
    PyException,
    "What is wrong, where, and what to do, as the `veracity` command prints it."
);

/// An exception with this text.
pub fn error(text: impl Display) -> PyErr {
    Error::new_err(text.to_string())
}

/// The errors among findings, one in a line.
pub fn of_findings(findings: &Findings) -> PyErr {
    let errors = findings.iter().filter(|f| f.severity == Severity::Error);
    error(errors.map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}
