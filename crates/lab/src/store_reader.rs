//! Read-only access to a results store.
//!
//! A reader opens the index read-only and does not use the store's lock: a study that writes into the same folder never
//! waits for it and is never rejected because of it. In a folder that cannot be written, SQLite cannot create the
//! shared memory file that readers of a write-ahead log need; no process can be writing there either, so the index is
//! then opened as an immutable file.

use crate::results::StudyResult;
use crate::store::{RunLine, StoreError, sentence};
use crate::trial::TrialKey;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use veracity_record::Record;
use veracity_record::segment::{Location, ReadWork, SegmentReader};

/// Raised whenever the tables change their meaning.
pub(crate) const SCHEMA: i64 = 1;

/// A results folder opened for reading.
pub struct StoreReader {
    folder: PathBuf,
    index: PathBuf,
    pub(crate) connection: Mutex<Connection>,
    pub(crate) segments: SegmentReader,
}

impl StoreReader {
    /// Opens a folder with results. Creates, changes and locks nothing.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let index = index_of(folder);
        if !index.is_file() {
            let what = "there are no results; `veracity validate` creates some".to_string();
            return Err(StoreError::Index { path: index, what });
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = Connection::open_with_flags(&index, flags).and_then(ready);
        let (connection, schema) = match opened {
            Err(error) if cannot_share(&error) => open_unchanging(&index)?,
            other => other.map_err(|e| failed(&index, &e))?,
        };
        known_schema(&index, schema)?;
        if schema < SCHEMA {
            let what = "there are no results yet; a run that has just begun is still creating the store".to_string();
            return Err(StoreError::Index { path: index, what });
        }
        Ok(Self::new(folder, connection))
    }

    pub(crate) fn new(folder: &Path, connection: Connection) -> Self {
        Self {
            folder: folder.to_path_buf(),
            index: index_of(folder),
            connection: Mutex::new(connection),
            segments: SegmentReader::open(&folder.join("segments")),
        }
    }

    /// Path of the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether a trial's record is stored.
    pub fn has(&self, key: TrialKey) -> Result<bool, StoreError> {
        Ok(self.location(key)?.is_some())
    }

    /// A trial's record.
    pub fn record(&self, key: TrialKey) -> Result<Option<Record>, StoreError> {
        match self.location(key)? {
            Some(location) => Ok(Some(self.segments.read(location)?)),
            None => Ok(None),
        }
    }

    /// What was kept of a trial instead of its record.
    pub fn summary(&self, key: TrialKey) -> Result<Option<Vec<u8>>, StoreError> {
        let connection = self.lock();
        let sql = "SELECT bytes FROM summary WHERE key = ?1";
        let mut statement = match connection.prepare(sql) {
            Ok(statement) => statement,
            // Stores of earlier versions have none.
            Err(error) if error.to_string().contains("no such table") => return Ok(None),
            Err(error) => return Err(self.failed(&error)),
        };
        statement.query_row([key.0.0.as_slice()], |r| r.get(0)).optional().map_err(|e| self.failed(&e))
    }

    pub(crate) fn location(&self, key: TrialKey) -> Result<Option<Location>, StoreError> {
        let sql = "SELECT segment, place FROM trial WHERE key = ?1";
        let read = |r: &rusqlite::Row<'_>| Ok(Location { segment: r.get(0)?, index: r.get(1)? });
        let connection = self.lock();
        let mut statement = connection.prepare(sql).map_err(|e| self.failed(&e))?;
        statement.query_row([key.0.0.as_slice()], read).optional().map_err(|e| self.failed(&e))
    }

    /// The result of a study; the latest one if `id` is `None`.
    pub fn result(&self, id: Option<i64>) -> Result<Option<(i64, StudyResult)>, StoreError> {
        let sql = "SELECT id, result FROM study WHERE result IS NOT NULL AND (?1 IS NULL OR id = ?1) ORDER BY id DESC LIMIT 1";
        let read = |r: &rusqlite::Row<'_>| Ok((r.get::<_, i64>(0)?, r.get::<_, Vec<u8>>(1)?));
        let found = self.lock().query_row(sql, [id], read).optional().map_err(|e| self.failed(&e))?;
        let Some((id, bytes)) = found else { return Ok(None) };
        let unreadable = |e: postcard::Error| {
            self.damaged(format!("the result of run {id} cannot be read ({e}); run the study again"))
        };
        // The schema is the first number.
        let (schema, _): (u32, _) = postcard::take_from_bytes(&bytes).map_err(unreadable)?;
        if schema > crate::results::SCHEMA {
            return Err(self.damaged(format!("run {id} was written by a newer veracity; use that one")));
        }
        let result = crate::results_before::read(bytes, schema).map_err(unreadable)?;
        Ok(Some((id, result)))
    }

    /// Every study, oldest first.
    pub fn runs(&self) -> Result<Vec<RunLine>, StoreError> {
        let connection = self.lock();
        let labelled = has_labels(&connection).map_err(|e| self.failed(&e))?;
        let label = if labelled { "label" } else { "''" };
        let sql = format!("SELECT id, name, began, planned, complete, {label} FROM study ORDER BY id");
        let mut statement = connection.prepare(&sql).map_err(|e| self.failed(&e))?;
        let read = |r: &rusqlite::Row<'_>| {
            Ok(RunLine {
                id: r.get(0)?,
                study: r.get(1)?,
                began_unix_s: r.get(2)?,
                planned: r.get::<_, i64>(3)?.max(0) as usize,
                complete: r.get(4)?,
                label: r.get(5)?,
            })
        };
        let rows = statement.query_map([], read).map_err(|e| self.failed(&e))?;
        rows.collect::<Result<Vec<_>, _>>().map_err(|e| self.failed(&e))
    }

    /// A run by its number or by its label; of several with one label the latest.
    pub fn find_run(&self, name: &str) -> Result<Option<RunLine>, StoreError> {
        let runs = self.runs()?;
        let by_label = runs.iter().rev().find(|run| run.label == name);
        let id: Option<i64> = name.parse().ok();
        Ok(by_label.or_else(|| runs.iter().find(|run| Some(run.id) == id)).cloned())
    }

    /// Work done so far to read records.
    pub fn work(&self) -> ReadWork {
        self.segments.work()
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn failed(&self, error: &dyn std::fmt::Display) -> StoreError {
        failed(&self.index, error)
    }

    pub(crate) fn damaged(&self, what: String) -> StoreError {
        StoreError::Damaged { path: self.index.clone(), what }
    }
}

/// Whether runs have labels: stores of earlier versions have none.
pub(crate) fn has_labels(connection: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT COUNT(*) > 0 FROM pragma_table_info('study') WHERE name = 'label'";
    connection.query_row(sql, [], |r| r.get(0))
}

/// The SQLite file of a folder.
pub(crate) fn index_of(folder: &Path) -> PathBuf {
    folder.join("store.sqlite")
}

/// Rejects a store of a newer version.
pub(crate) fn known_schema(index: &Path, found: i64) -> Result<(), StoreError> {
    if found <= SCHEMA {
        return Ok(());
    }
    let what = format!("it has schema {found}; this version reads up to {SCHEMA}: use a newer veracity");
    Err(StoreError::Index { path: index.to_path_buf(), what })
}

/// Sets the connection to wait for locks, and reads the schema: the first access to the file.
pub(crate) fn ready(connection: Connection) -> rusqlite::Result<(Connection, i64)> {
    connection.busy_timeout(Duration::from_secs(10))?;
    let schema = connection.query_row("PRAGMA user_version", [], |r| r.get(0))?;
    Ok((connection, schema))
}

fn failed(index: &Path, error: &dyn std::fmt::Display) -> StoreError {
    StoreError::Index { path: index.to_path_buf(), what: sentence(&error.to_string()) }
}

/// Whether the error means that the folder cannot be written.
fn cannot_share(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied)
    )
}

/// For a folder that no process can write: the main file holds everything, unless there is a log next to it.
fn open_unchanging(index: &Path) -> Result<(Connection, i64), StoreError> {
    let mut log = index.as_os_str().to_owned();
    log.push("-wal");
    if std::fs::metadata(&log).is_ok_and(|m| m.len() > 0) {
        let what = "the folder cannot be written and holds the log of a run that was stopped; copy the whole folder to \
                    a place that can be written and read it there";
        return Err(StoreError::Index { path: index.to_path_buf(), what: what.to_string() });
    }
    let path = std::path::absolute(index).map_err(|e| failed(index, &e))?;
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => uri.push(char::from(*byte)),
            // Writing to a string cannot fail.
            other => drop(write!(uri, "%{other:02X}")),
        }
    }
    uri += "?immutable=1";
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    Connection::open_with_flags(uri, flags).and_then(ready).map_err(|e| failed(index, &e))
}
