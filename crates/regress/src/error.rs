//! What can be wrong with the input, each with a sentence that says what to do.

use std::path::PathBuf;

/// Why a table, a study or a fit cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file that cannot be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// An archive without the file that is asked for.
    #[error("{}: holds no file '{name}'; it has {}", archive.display(), there.join(", "))]
    NotInArchive {
        /// The archive or folder.
        archive: PathBuf,
        /// What was looked for.
        name: String,
        /// What is there.
        there: Vec<String>,
    },
    /// A broken archive.
    #[error("{}: is not a tar archive packed with gzip: {why}; unpack it and name the folder instead", path.display())]
    Archive {
        /// Which.
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
    /// Tables that do not go together, or too few rows for what is asked.
    #[error("{0}")]
    Unfit(String),
}
