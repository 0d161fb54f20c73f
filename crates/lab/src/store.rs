//! The results store: one SQLite file with the records beside it in packed segments.
//!
//! A record is first appended to its segment, then entered in the index in one transaction. `kill -9` between the two
//! leaves a record nobody points to; opening the store finds and enters it again. A full disk refuses the append or the
//! transaction and leaves everything before it whole.
#![allow(clippy::disallowed_methods)] // When a trial was stored is host data; no result depends on it.

use crate::results::StudyResult;
use crate::trial::TrialKey;
use rusqlite::{Connection, OptionalExtension, params};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use veracity_record::Record;
use veracity_record::file::FileError;
use veracity_record::segment::{Location, SegmentReader, SegmentWriter};

/// Raised whenever the tables change their meaning.
const SCHEMA: i64 = 1;

/// Why something was not stored or found.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The index.
    #[error("{path}: {what}", path = path.display())]
    Index {
        /// The SQLite file.
        path: PathBuf,
        /// In a sentence, with what to do.
        what: String,
    },
    /// A segment.
    #[error(transparent)]
    File(#[from] FileError),
    /// Something in it cannot be read.
    #[error("{path}: {what}", path = path.display())]
    Damaged {
        /// The SQLite file.
        path: PathBuf,
        /// In a sentence.
        what: String,
    },
}

/// A folder of results. One process writes at a time; a second one is refused.
pub struct Store {
    folder: PathBuf,
    index: PathBuf,
    inner: Mutex<Inner>,
    reader: SegmentReader,
}

struct Inner {
    connection: Connection,
    writer: Option<SegmentWriter>,
}

/// One line of `veracity runs`.
#[derive(Clone, Debug, PartialEq)]
pub struct RunLine {
    /// Counts up.
    pub id: i64,
    /// The study's name.
    pub study: String,
    /// When it began: seconds since 1970 UTC.
    pub began_unix_s: f64,
    /// Trials planned.
    pub planned: usize,
    /// Whether all of them were finished.
    pub complete: bool,
}

impl Store {
    /// Opens or makes a store. A newer one is refused with a sentence.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let index = folder.join("store.sqlite");
        let fail =
            |e: &dyn std::fmt::Display| StoreError::Index { path: index.clone(), what: sentence(&e.to_string()) };
        std::fs::create_dir_all(folder).map_err(|e| fail(&e))?;
        let connection = Connection::open(&index).map_err(|e| fail(&e))?;
        connection.busy_timeout(Duration::from_secs(10)).map_err(|e| fail(&e))?;
        let found: i64 = connection.query_row("PRAGMA user_version", [], |r| r.get(0)).map_err(|e| fail(&e))?;
        if found > SCHEMA {
            let what = format!("it has schema {found}; this version reads up to {SCHEMA}: take a newer veracity");
            return Err(StoreError::Index { path: index, what });
        }
        // Write-ahead: a reader never waits, and a commit survives the death of the process.
        connection.execute_batch(TABLES).map_err(|e| fail(&e))?;
        let writer = SegmentWriter::open(&folder.join("segments"))?;
        let reader = SegmentReader::open(&folder.join("segments"));
        let recovered = writer.recovered().records > 0;
        let inner = Mutex::new(Inner { connection, writer: Some(writer) });
        let store = Self { folder: folder.to_path_buf(), index, inner, reader };
        if recovered {
            store.enter_orphans()?;
        }
        Ok(store)
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether a trial's record is there.
    pub fn has(&self, key: TrialKey) -> Result<bool, StoreError> {
        Ok(self.location(key)?.is_some())
    }

    /// A trial's record.
    pub fn record(&self, key: TrialKey) -> Result<Option<Record>, StoreError> {
        match self.location(key)? {
            Some(location) => Ok(Some(self.reader.read(location)?)),
            None => Ok(None),
        }
    }

    /// Keeps a record. When this returns, `kill -9` no longer loses it.
    pub fn keep(&self, key: TrialKey, record: &Record) -> Result<(), StoreError> {
        let mut inner = self.lock();
        let Some(writer) = &mut inner.writer else {
            return Err(self.damaged("it was closed".to_string()));
        };
        let location = writer.append(record)?;
        self.enter(&inner.connection, key, location)
    }

    fn enter(&self, connection: &Connection, key: TrialKey, location: Location) -> Result<(), StoreError> {
        let sql = "INSERT OR REPLACE INTO trial (key, segment, place) VALUES (?1, ?2, ?3)";
        let values = params![key.0.0.as_slice(), location.segment, location.index];
        connection.execute(sql, values).map(|_| ()).map_err(|e| self.failed(&e))
    }

    /// Enters records a killed process had appended but not entered.
    fn enter_orphans(&self) -> Result<(), StoreError> {
        for (location, key) in self.reader.contents()? {
            let Some(key) = key.map(TrialKey) else { continue };
            if self.location(key)?.is_none() {
                self.enter(&self.lock().connection, key, location)?;
            }
        }
        Ok(())
    }

    fn location(&self, key: TrialKey) -> Result<Option<Location>, StoreError> {
        let sql = "SELECT segment, place FROM trial WHERE key = ?1";
        let read = |r: &rusqlite::Row<'_>| Ok(Location { segment: r.get(0)?, index: r.get(1)? });
        let inner = self.lock();
        let mut statement = inner.connection.prepare(sql).map_err(|e| self.failed(&e))?;
        statement.query_row([key.0.0.as_slice()], read).optional().map_err(|e| self.failed(&e))
    }

    /// Notes that a study begins; gives its number.
    pub fn begin(&self, study: &str, planned: usize) -> Result<i64, StoreError> {
        let inner = self.lock();
        let sql = "INSERT INTO study (name, began, planned, result) VALUES (?1, ?2, ?3, NULL)";
        inner.connection.execute(sql, params![study, now_unix_s(), planned as i64]).map_err(|e| self.failed(&e))?;
        Ok(inner.connection.last_insert_rowid())
    }

    /// Keeps a study's result, complete or not.
    pub fn end(&self, id: i64, result: &StudyResult) -> Result<(), StoreError> {
        // Not JSON: a value that is infinite or no number is a result and must come back.
        let bytes = postcard::to_stdvec(result).map_err(|e| self.failed(&e))?;
        let sql = "UPDATE study SET result = ?2, complete = ?3 WHERE id = ?1";
        let done = self.lock().connection.execute(sql, params![id, bytes, result.complete]);
        done.map(|_| ()).map_err(|e| self.failed(&e))
    }

    /// The result of a study; the last one that has any when `id` is `None`.
    pub fn result(&self, id: Option<i64>) -> Result<Option<(i64, StudyResult)>, StoreError> {
        let sql = "SELECT id, result FROM study WHERE result IS NOT NULL AND (?1 IS NULL OR id = ?1) ORDER BY id DESC LIMIT 1";
        let read = |r: &rusqlite::Row<'_>| Ok((r.get::<_, i64>(0)?, r.get::<_, Vec<u8>>(1)?));
        let found = self.lock().connection.query_row(sql, [id], read).optional().map_err(|e| self.failed(&e))?;
        let Some((id, mut bytes)) = found else { return Ok(None) };
        let unreadable = |e: postcard::Error| {
            self.damaged(format!("the result of run {id} cannot be read ({e}); run the study again"))
        };
        // The schema is the first number.
        let (schema, _): (u32, _) = postcard::take_from_bytes(&bytes).map_err(unreadable)?;
        if schema > crate::results::SCHEMA {
            return Err(self.damaged(format!("run {id} was written by a newer veracity; take that one")));
        }
        if schema < 2 {
            // It ended before the guests and the absent engines: two empty lists, one byte each.
            bytes.extend([0, 0]);
        }
        let result: StudyResult = postcard::from_bytes(&bytes).map_err(unreadable)?;
        Ok(Some((id, result)))
    }

    /// Every study, oldest first.
    pub fn runs(&self) -> Result<Vec<RunLine>, StoreError> {
        let inner = self.lock();
        let sql = "SELECT id, name, began, planned, complete FROM study ORDER BY id";
        let mut statement = inner.connection.prepare(sql).map_err(|e| self.failed(&e))?;
        let read = |r: &rusqlite::Row<'_>| {
            Ok(RunLine {
                id: r.get(0)?,
                study: r.get(1)?,
                began_unix_s: r.get(2)?,
                planned: r.get::<_, i64>(3)?.max(0) as usize,
                complete: r.get(4)?,
            })
        };
        let rows = statement.query_map([], read).map_err(|e| self.failed(&e))?;
        rows.collect::<Result<Vec<_>, _>>().map_err(|e| self.failed(&e))
    }

    /// Packs what is still in the log and closes the store.
    pub fn close(self) -> Result<(), StoreError> {
        let writer = self.lock().writer.take();
        match writer {
            Some(writer) => Ok(writer.finish()?),
            None => Ok(()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failed(&self, error: &dyn std::fmt::Display) -> StoreError {
        StoreError::Index { path: self.index.clone(), what: sentence(&error.to_string()) }
    }

    fn damaged(&self, what: String) -> StoreError {
        StoreError::Damaged { path: self.index.clone(), what }
    }
}

/// The database's words, and what to do about them.
fn sentence(words: &str) -> String {
    let advice = if words.contains("disk is full") || words.contains("No space left") {
        "; free some space or choose another folder with --out; everything stored before is whole"
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
