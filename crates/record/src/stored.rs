//! A record as bytes without its world, which many records share.
//!
//! The bytes are the schema of the record's head, then the fields of [`Parts`] in order, then the solver residuals of the host
//! part, if there are any. Floating-point numbers keep every bit. A record of an older schema is written in its own schema.

use crate::head::{FirstHead, SCHEMA};
use crate::{ContactSample, Event, EventRules, Head, Host, LogEntry, Outcome, Record, Track};
use std::sync::Arc;
use veracity_model::World;

/// Why bytes are not a valid record.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StoredRecordError {
    /// Written by a later version.
    #[error("the record has schema {found}; this version reads up to {SCHEMA}: update veracity")]
    Newer {
        /// Schema of the bytes.
        found: u32,
    },
    /// Truncated, or not a record.
    #[error("not a stored record ({0}): the file is damaged")]
    Damaged(String),
}

/// A record without its world.
#[derive(Clone, Debug, PartialEq)]
pub struct Parts {
    /// What was run; includes the world's digest.
    pub head: Head,
    /// Trajectories.
    pub track: Track,
    /// Contacts at recorded instants.
    pub contacts: Vec<ContactSample>,
    /// The event log.
    pub events: Vec<Event>,
    /// Notes and warnings.
    pub log: Vec<LogEntry>,
    /// How it ended.
    pub outcome: Outcome,
    /// The part that depends on the machine.
    pub host: Host,
}

/// The fields after the head.
type Tail = (Track, Vec<ContactSample>, Vec<Event>, Vec<LogEntry>, Outcome, Host);

impl Parts {
    /// Parses the result of [`Record::to_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, StoredRecordError> {
        let damaged = |e: postcard::Error| StoredRecordError::Damaged(e.to_string());
        let (found, rest): (u32, _) = postcard::take_from_bytes(bytes).map_err(damaged)?;
        if found > SCHEMA {
            return Err(StoredRecordError::Newer { found });
        }
        // Fields are stored one after the other without tags: a tuple reads what a struct wrote.
        let (head, rest): (FirstHead, _) = postcard::take_from_bytes(rest).map_err(damaged)?;
        let (events, rest): (Option<EventRules>, _) =
            if found < 2 { (None, rest) } else { postcard::take_from_bytes(rest).map_err(damaged)? };
        let head = head.with_events(events);
        if head.schema != found {
            return Err(StoredRecordError::Damaged(format!(
                "a head of schema {} in a record of schema {found}",
                head.schema
            )));
        }
        let (tail, rest): (Tail, _) = postcard::take_from_bytes(rest).map_err(damaged)?;
        let (track, contacts, events, log, outcome, mut host) = tail;
        if !rest.is_empty() {
            host.solver_residuals = postcard::from_bytes(rest).map_err(damaged)?;
        }
        let parts = Self { head, track, contacts, events, log, outcome, host };
        match parts.track.fault() {
            Some(fault) => Err(StoredRecordError::Damaged(fault)),
            None => Ok(parts),
        }
    }

    /// The record with its world, which must be the one its head names.
    pub fn with_world(self, world: Arc<World>) -> Record {
        let Self { head, track, contacts, events, log, outcome, host } = self;
        Record { head, world, track, contacts, events, log, outcome, host }
    }
}

impl Record {
    /// Everything but the world; [`Parts::from_bytes`] reads it back.
    pub fn to_bytes(&self) -> Vec<u8> {
        let Self { head, world: _, track, contacts, events, log, outcome, host } = self;
        // Serialising to memory cannot fail for the types of a record.
        let fields = (head.schema, head, track, contacts, events, log, outcome, host);
        let bytes = postcard::to_stdvec(&fields).expect("a record can be written to memory");
        match host.solver_residuals.is_empty() {
            true => bytes,
            false => postcard::to_extend(&host.solver_residuals, bytes).expect("numbers can be written to memory"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use veracity_model::{Body, Inertia, Joint, JointKind, ModelBuilder, Vec3};

    fn record() -> Record {
        let mut builder = ModelBuilder::new("block");
        let body = Body::new("b", Inertia::point_mass(1.0, Vec3::zeros()));
        builder.add_body(body, Joint::new("free", JointKind::Free), None);
        let world = Arc::new(World::with_model(builder.build().unwrap()));
        let head = Head {
            schema: SCHEMA,
            scenario: "fall".to_string(),
            key: None,
            engine: "native".to_string(),
            engine_version: "1".to_string(),
            veracity_version: "1".to_string(),
            step_s: 1e-3,
            duration_s: 1.0,
            seed: u64::MAX,
            overrides: vec![("world/block/bodies/b/mass".to_string(), -0.0)],
            world: world.digest(),
            events: Some(EventRules::default()),
        };
        let track = Track { times: vec![f64::NAN], ..Track::new(0, 0, 0, 0, 1) };
        let (contacts, events, log) = (Vec::new(), Vec::new(), Vec::new());
        let outcome = Outcome::Failed { reason: "no engine".to_string() };
        Record { head, world, track, contacts, events, log, outcome, host: Host::default() }
    }

    #[test]
    fn a_record_is_read_back_with_nan_and_infinity() {
        let record = record();
        let back = Parts::from_bytes(&record.to_bytes()).unwrap().with_world(record.world.clone());
        assert_eq!(back.digest(), record.digest());
        assert_eq!(back.to_bytes(), record.to_bytes());
    }

    #[test]
    fn solver_residuals_are_read_back_and_change_no_digest() {
        let mut record = record();
        let (before, without) = (record.digest(), record.to_bytes());
        record.host.solver_residuals = vec![3e-7];
        let bytes = record.to_bytes();
        assert!(bytes.starts_with(&without), "a record without residuals has the bytes it always had");
        let back = Parts::from_bytes(&bytes).unwrap().with_world(record.world.clone());
        assert_eq!((back.digest(), back.host.solver_residuals), (before, vec![3e-7]));
        assert!(Parts::from_bytes(&without).unwrap().host.solver_residuals.is_empty());
    }

    #[test]
    fn a_newer_schema_is_rejected_and_an_older_one_read() {
        let mut bytes = record().to_bytes();
        assert_eq!(bytes[0], SCHEMA as u8);
        bytes[0] = SCHEMA as u8 + 1;
        let said = Parts::from_bytes(&bytes).unwrap_err().to_string();
        assert_eq!(said, "the record has schema 3; this version reads up to 2: update veracity");

        let mut old = record();
        old.head.schema = 1;
        old.head.events = None;
        let back = Parts::from_bytes(&old.to_bytes()).unwrap().with_world(old.world.clone());
        assert_eq!((back.digest(), back.head), (old.digest(), old.head));
    }

    #[test]
    fn cut_bytes_and_columns_of_wrong_length_are_errors() {
        let mut record = record();
        let bytes = record.to_bytes();
        for cut in 0..bytes.len() {
            assert!(Parts::from_bytes(&bytes[..cut]).is_err(), "cut at {cut}");
        }
        record.track.q.push(1.0);
        let said = Parts::from_bytes(&record.to_bytes()).unwrap_err().to_string();
        assert!(said.contains("q has length 1, expected 1 x 0"), "{said}");
    }
}
