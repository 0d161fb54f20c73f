//! Many records in few files: the storage of a study of 10⁵ trials.
//!
//! A folder of segments. Each segment is first a *log*, `segment-00007.log`: framed records one after the other, each
//! with its checksum, so that `kill -9` or a full disk loses only the record being written. When it is full it becomes
//! a *table*, `segment-00007.parquet`, one row for each record, and the log is removed. A [`Location`] (segment and
//! index in it) stays valid through that change; the lab keeps one for each trial key.
//!
//! Memory is that of a few records: a table is written in row groups of a few megabytes, and reading one record reads
//! the file's index and the one group it is in.
//!
//! A world is kept once in each segment that needs it, by its digest.
//!
//! ```
//! # use veracity_record::segment::{SegmentReader, SegmentWriter};
//! # fn example(folder: &std::path::Path, record: veracity_record::Record) -> Result<(), veracity_record::FileError> {
//! let mut segments = SegmentWriter::open(folder)?;
//! let location = segments.append(&record)?;
//! segments.finish()?;
//! let back = SegmentReader::open(folder).read(location)?;
//! assert_eq!(back.digest(), record.digest());
//! # Ok(())
//! # }
//! ```

mod log;
mod reader;
mod table;
mod table_columns;
mod table_rows;
mod writer;

pub use reader::{ReadWork, SegmentReader};
pub(crate) use table::guarded;
pub use writer::{Limits, Recovered, SegmentWriter};

use crate::FileError;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Location of a record: valid as long as its folder exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Location {
    /// Number of the segment, from 0.
    pub segment: u32,
    /// Index of the record in it, from 0.
    pub index: u32,
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "record {} of segment {}", self.index, self.segment)
    }
}

/// The two possible files of a segment.
struct Names {
    log: PathBuf,
    table: PathBuf,
}

impl Names {
    fn of(folder: &Path, segment: u32) -> Self {
        let file = |extension| folder.join(format!("segment-{segment:05}.{extension}"));
        Self { log: file("log"), table: file("parquet") }
    }

    /// The segment number in a file name.
    fn number(path: &Path) -> Option<u32> {
        let extension = path.extension()?.to_str()?;
        let digits = path.file_stem()?.to_str()?.strip_prefix("segment-")?;
        (["log", "parquet"].contains(&extension) && digits.len() >= 5).then(|| digits.parse().ok())?
    }
}

/// The numbers of the segments in a folder, in order, each once.
fn segments_in(folder: &Path) -> Result<Vec<u32>, FileError> {
    let entries = std::fs::read_dir(folder).map_err(|e| FileError::read(folder, &e))?;
    let mut numbers = Vec::new();
    for entry in entries {
        let path = entry.map_err(|e| FileError::read(folder, &e))?.path();
        numbers.extend(Names::number(&path));
    }
    numbers.sort_unstable();
    numbers.dedup();
    Ok(numbers)
}
