//! Errors in the input, each with what to do.

use std::path::PathBuf;

/// Why a table, a study or a fit cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file that cannot be read.
    #[error("{}: could not be read: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// An archive without the file requested.
    #[error("{}: has no file '{name}'; it has {}", archive.display(), there.join(", "))]
    NotInArchive {
        /// The archive or folder.
        archive: PathBuf,
        /// The file requested.
        name: String,
        /// The files there are.
        there: Vec<String>,
    },
    /// A broken archive.
    #[error("{}: not a gzip-compressed tar archive: {why}; unpack it and name the folder instead", path.display())]
    Archive {
        /// The archive.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// A line of a table that is not a row of numbers.
    #[error("{file}:{line}: {what}")]
    Line {
        /// The file.
        file: String,
        /// Its line, from 1.
        line: usize,
        /// What is wrong and what to do.
        what: String,
    },
    /// Tables that do not fit together, or too few rows.
    #[error("{0}")]
    Unfit(String),
}
