//! The report: one HTML file that opens offline, with the verdict table first, then plots and a 3D replay for each
//! scenario.
//!
//! [`ReportData`] is everything the page shows; [`render`] embeds it in the page. The page itself is built from `web/`
//! and committed in `bundle/`, so that building this crate needs no Node.
//!
//! [`study::make`] decides what is shown of a study. The data themselves ([`data`]) know nothing of studies, so that a
//! report can be made from any numbers.
//!
//! Deliberately absent: errors, orders and verdicts, which `measure` and `lab` compute.
//!
//! ```
//! use veracity_report::{ReportData, render};
//! let data = ReportData::new("An empty report");
//! let page = render(&data)?;
//! assert!(page.starts_with("<!doctype html>"));
//! # Ok::<(), veracity_report::ReportError>(())
//! ```

mod base64;
mod consistent;
pub mod data;
mod escape;
mod index;
mod pack;
mod page;
mod signals;
pub mod study;
mod thinning;
mod variations;

pub use data::ReportData;
pub use page::render;

/// Why data cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The data are inconsistent: an index is out of range, or lengths do not match.
    #[error("{place}: {what}; this report cannot be drawn")]
    Inconsistent {
        /// Path in the data: `scenarios/pendulum/replay/tracks/2`.
        place: String,
        /// What is wrong there.
        what: String,
    },
    /// Made by a newer version of this program.
    #[error("the report data have schema {found} and this program reads up to {known}; update veracity")]
    Newer {
        /// The file's schema.
        found: u32,
        /// The schema of this version.
        known: u32,
    },
    /// Written by an older version of this program, with another format of arrays.
    #[error("the report data have schema {found} and this program reads {known}; make the report again")]
    Older {
        /// The file's schema.
        found: u32,
        /// The schema of this version.
        known: u32,
    },
    /// Not report data.
    #[error("these are not report data: {0}")]
    Unreadable(#[from] serde_json::Error),
}
