//! A record as bytes without its world, which many records share.
//!
//! The bytes are [`SCHEMA`], then the fields of [`Parts`] in order. Floating-point numbers keep every bit.

use crate::head::SCHEMA;
use crate::{ContactSample, Event, Head, Host, LogEntry, Outcome, Record, Track};
use serde::Deserialize;
use std::sync::Arc;
use veracity_model::World;

/// Why bytes are no record.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StoredError {
    /// Written by a later version.
    #[error("the record has schema {found}; this version reads up to {SCHEMA}: take a newer veracity")]
    Newer {
        /// What the bytes say.
        found: u32,
    },
    /// Cut off, or something else.
    #[error("the bytes are no stored record ({0}): the file is damaged")]
    Damaged(String),
}

/// A record that still waits for its world.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Parts {
    /// What was run; names the world.
    pub head: Head,
    /// Trajectories.
    pub track: Track,
    /// Contacts at recorded instants.
    pub contacts: Vec<ContactSample>,
    /// The event log.
    pub events: Vec<Event>,
    /// What should be read.
    pub log: Vec<LogEntry>,
    /// How it ended.
    pub outcome: Outcome,
    /// What depends on the machine.
    pub host: Host,
}

impl Parts {
    /// From what [`Record::to_bytes`] gave.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, StoredError> {
        let damaged = |e: postcard::Error| StoredError::Damaged(e.to_string());
        let (found, rest): (u32, _) = postcard::take_from_bytes(bytes).map_err(damaged)?;
        if found > SCHEMA {
            return Err(StoredError::Newer { found });
        }
        // Fields stand one after the other without marks: a struct reads what a tuple wrote.
        let parts: Parts = postcard::from_bytes(rest).map_err(damaged)?;
        match parts.track.fault() {
            Some(fault) => Err(StoredError::Damaged(fault)),
            None => Ok(parts),
        }
    }

    /// The record in its world, which must be the one its head names.
    pub fn with_world(self, world: Arc<World>) -> Record {
        let Self { head, track, contacts, events, log, outcome, host } = self;
        Record { head, world, track, contacts, events, log, outcome, host }
    }
}

impl Record {
    /// Everything but the world; [`Parts::from_bytes`] reads it back.
    pub fn to_bytes(&self) -> Vec<u8> {
        let Self { head, world: _, track, contacts, events, log, outcome, host } = self;
        // Writing to memory fails for no type a record is made of.
        postcard::to_stdvec(&(SCHEMA, head, track, contacts, events, log, outcome, host))
            .expect("a record can be written to memory")
    }
}
