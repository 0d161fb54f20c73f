//! The report: one HTML file that opens offline, with the verdict table first, then plots and a 3D replay for each
//! scenario.
//!
//! [`ReportData`] is everything the page shows; [`render`] puts it into the page. The page itself is made from `web/` and
//! committed in `bundle/`, so that building this crate needs no Node.
//!
//! What is deliberately absent: computing anything. Errors, orders and verdicts arrive finished; this crate depends on no
//! other of ours, so that whoever has numbers can have a report.
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
mod pack;
mod page;

pub use data::ReportData;
pub use page::render;

/// Why data cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The data contradict themselves: an index points nowhere, or lengths do not match.
    #[error("{place}: {what}; this report cannot be drawn")]
    Inconsistent {
        /// Where in the data, as a path: `scenarios/pendulum/replay/tracks/2`.
        place: String,
        /// What is wrong there.
        what: String,
    },
    /// Made by a newer version of this program.
    #[error("the report data have schema {found} and this program reads up to {known}; update veracity")]
    Newer {
        /// The file's schema.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// Made by an older version of this program, whose arrays were written in another way.
    #[error("the report data have schema {found} and this program reads {known}; make the report anew")]
    Older {
        /// The file's schema.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// No report data at all.
    #[error("these are not report data: {0}")]
    Unreadable(#[from] serde_json::Error),
}
