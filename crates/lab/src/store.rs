//! The results store: one SQLite file, with the records next to it in packed segments.
//!
//! A record is first appended to its segment, then entered in the index in one transaction. `kill -9` between the two
//! leaves a record without an index entry; opening the store finds it and enters it. A full disk fails the append or
//! the transaction and leaves all earlier records intact.
#![allow(clippy::disallowed_methods)] // The time a trial was stored is host data; no result depends on it.

use crate::results::StudyResult;
use crate::store_reader::{StoreReader, has_labels, index_of, known_schema, ready};
use crate::trial::TrialKey;
use rusqlite::{Connection, params};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use veracity_record::Record;
use veracity_record::file::FileError;
use veracity_record::segment::{Location, SegmentWriter};

/// Why a record could not be stored or read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Error of the index.
    #[error("{path}: {what}", path = path.display())]
    Index {
        /// The SQLite file.
        path: PathBuf,
        /// One sentence, with what to do.
        what: String,
    },
    /// Error of a segment.
    #[error(transparent)]
    File(#[from] FileError),
    /// Unreadable content.
    #[error("{path}: {what}", path = path.display())]
    Damaged {
        /// The SQLite file.
        path: PathBuf,
        /// One sentence.
        what: String,
    },
}

/// A results folder opened for writing. One process writes at a time; a second one is rejected. Read-only callers open
/// a [`StoreReader`].
pub struct Store {
    read: StoreReader,
    writer: Mutex<Option<SegmentWriter>>,
    /// Label of the runs that begin from now on.
    label: Mutex<String>,
}

/// One line of `veracity runs`.
#[derive(Clone, Debug, PartialEq)]
pub struct RunLine {
    /// Sequence number.
    pub id: i64,
    /// The study's name.
    pub study: String,
    /// What the user calls the run; empty without a label.
    pub label: String,
    /// When it started: seconds since 1970 UTC.
    pub began_unix_s: f64,
    /// Number of planned trials.
    pub planned: usize,
    /// Whether all of them finished.
    pub complete: bool,
}

impl Store {
    /// Opens or creates a store. A store of a newer version is rejected.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let index = index_of(folder);
        let fail =
            |e: &dyn std::fmt::Display| StoreError::Index { path: index.clone(), what: sentence(&e.to_string()) };
        std::fs::create_dir_all(folder).map_err(|e| fail(&e))?;
        let (connection, found) = Connection::open(&index).and_then(ready).map_err(|e| fail(&e))?;
        known_schema(&index, found)?;
        // Write-ahead log: a reader never waits, and a commit survives the death of the process.
        connection.execute_batch(TABLES).map_err(|e| fail(&e))?;
        // Stores of earlier versions have no labels; earlier versions do not read them.
        if !has_labels(&connection).map_err(|e| fail(&e))? {
            let sql = "ALTER TABLE study ADD COLUMN label TEXT NOT NULL DEFAULT ''";
            connection.execute_batch(sql).map_err(|e| fail(&e))?;
        }
        let writer = SegmentWriter::open(&folder.join("segments"))?;
        let recovered = writer.recovered().records > 0;
        let store = Self {
            read: StoreReader::new(folder, connection),
            writer: Mutex::new(Some(writer)),
            label: Mutex::new(String::new()),
        };
        if recovered {
            store.enter_orphans()?;
        }
        Ok(store)
    }

    /// The read-only part of the store.
    pub fn reader(&self) -> &StoreReader {
        &self.read
    }

    /// Path of the folder.
    pub fn folder(&self) -> &Path {
        self.read.folder()
    }

    /// Whether a trial's record is stored.
    pub fn has(&self, key: TrialKey) -> Result<bool, StoreError> {
        self.read.has(key)
    }

    /// A trial's record.
    pub fn record(&self, key: TrialKey) -> Result<Option<Record>, StoreError> {
        self.read.record(key)
    }

    /// See [`StoreReader::result`].
    pub fn result(&self, id: Option<i64>) -> Result<Option<(i64, StudyResult)>, StoreError> {
        self.read.result(id)
    }

    /// See [`StoreReader::runs`].
    pub fn runs(&self) -> Result<Vec<RunLine>, StoreError> {
        self.read.runs()
    }

    /// Stores a record. Once this returns, `kill -9` no longer loses it.
    pub fn keep(&self, key: TrialKey, record: &Record) -> Result<(), StoreError> {
        let mut writer = self.lock_writer();
        let Some(writer) = writer.as_mut() else {
            return Err(self.read.damaged("it was closed".to_string()));
        };
        let location = writer.append(record)?;
        self.enter(&self.read.lock(), key, location)
    }

    /// Stores what is kept of a trial instead of its record. Once this returns, `kill -9` no longer loses it.
    pub fn keep_summary(&self, key: TrialKey, bytes: &[u8]) -> Result<(), StoreError> {
        let connection = self.read.lock();
        let sql = "INSERT OR REPLACE INTO summary (key, bytes) VALUES (?1, ?2)";
        let mut statement = connection.prepare(sql).map_err(|e| self.read.failed(&e))?;
        let done = statement.execute(params![key.0.0.as_slice(), bytes]);
        done.map(|_| ()).map_err(|e| self.read.failed(&e))
    }

    /// See [`StoreReader::summary`].
    pub fn summary(&self, key: TrialKey) -> Result<Option<Vec<u8>>, StoreError> {
        self.read.summary(key)
    }

    fn enter(&self, connection: &Connection, key: TrialKey, location: Location) -> Result<(), StoreError> {
        let sql = "INSERT OR REPLACE INTO trial (key, segment, place) VALUES (?1, ?2, ?3)";
        let values = params![key.0.0.as_slice(), location.segment, location.index];
        connection.execute(sql, values).map(|_| ()).map_err(|e| self.read.failed(&e))
    }

    /// Enters records that a killed process had appended but not entered.
    fn enter_orphans(&self) -> Result<(), StoreError> {
        for (location, key) in self.read.segments.contents()? {
            let Some(key) = key.map(TrialKey) else { continue };
            if self.read.location(key)?.is_none() {
                self.enter(&self.read.lock(), key, location)?;
            }
        }
        Ok(())
    }

    /// Labels the runs that begin from now on.
    pub fn set_label(&self, label: &str) {
        *self.label.lock().unwrap_or_else(PoisonError::into_inner) = label.to_string();
    }

    /// Records that a study starts; returns its number.
    pub fn begin(&self, study: &str, planned: usize) -> Result<i64, StoreError> {
        let label = self.label.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let connection = self.read.lock();
        let sql = "INSERT INTO study (name, began, planned, result, label) VALUES (?1, ?2, ?3, NULL, ?4)";
        let values = params![study, now_unix_s(), planned as i64, label];
        connection.execute(sql, values).map_err(|e| self.read.failed(&e))?;
        Ok(connection.last_insert_rowid())
    }

    /// Stores a study's result, complete or not.
    pub fn end(&self, id: i64, result: &StudyResult) -> Result<(), StoreError> {
        // Not JSON: infinite values and NaN are results and must be read back.
        let bytes = postcard::to_stdvec(result).map_err(|e| self.read.failed(&e))?;
        let sql = "UPDATE study SET result = ?2, complete = ?3 WHERE id = ?1";
        let done = self.read.lock().execute(sql, params![id, bytes, result.complete]);
        done.map(|_| ()).map_err(|e| self.read.failed(&e))
    }

    /// Packs the rest of the log and closes the store.
    pub fn close(self) -> Result<(), StoreError> {
        // Move everything into the main file, so that the folder can be read where it cannot be written. While a reader
        // is active this does less; the next writer does the rest.
        let connection = self.read.lock();
        connection.busy_timeout(Duration::from_millis(100)).map_err(|e| self.read.failed(&e))?;
        let emptied = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        emptied.map_err(|e| self.read.failed(&e))?;
        drop(connection);
        let writer = self.lock_writer().take();
        match writer {
            Some(writer) => Ok(writer.finish()?),
            None => Ok(()),
        }
    }

    fn lock_writer(&self) -> MutexGuard<'_, Option<SegmentWriter>> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The database's error message, with what to do about it.
pub(crate) fn sentence(words: &str) -> String {
    let advice = if words.contains("disk is full") || words.contains("No space left") {
        "; free some space or choose another folder with --out; everything stored before is intact"
    } else if words.contains("locked") {
        "; another veracity is writing here: wait for it or choose another folder with --out"
    } else if words.contains("not a database") || words.contains("malformed") {
        "; the file is damaged: move the folder away and run again"
    } else {
        ""
    };
    format!("the results store failed: {words}{advice}")
}

fn now_unix_s() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |d| d.as_secs_f64())
}

const TABLES: &str = "
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    BEGIN;
    CREATE TABLE IF NOT EXISTS trial (
        key BLOB PRIMARY KEY,
        segment INTEGER NOT NULL,
        place INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS summary (
        key BLOB PRIMARY KEY,
        bytes BLOB NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS study (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL,
        began REAL NOT NULL,
        planned INTEGER NOT NULL,
        complete INTEGER NOT NULL DEFAULT 0,
        result BLOB
    );
    PRAGMA user_version = 1;
    COMMIT;
";
