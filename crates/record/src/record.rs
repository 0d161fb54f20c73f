//! The record itself.

use crate::{ContactSample, Event, Head, Host, LogEntry, Outcome, Track};
use serde::Serialize;
use std::sync::Arc;
use veracity_model::{Digest, Layout, World};

/// The stored result of a trial, or a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// What was run.
    pub head: Head,
    /// The world it was run in.
    pub world: Arc<World>,
    /// Trajectories.
    pub track: Track,
    /// Contacts at recorded instants, in time order.
    pub contacts: Vec<ContactSample>,
    /// The event log, in time order.
    pub events: Vec<Event>,
    /// Notes and warnings.
    pub log: Vec<LogEntry>,
    /// How it ended.
    pub outcome: Outcome,
    /// The part that depends on the machine.
    pub host: Host,
}

/// The deterministic part, borrowed, in the order it is hashed. The trial's key is left out: it also identifies the
/// build, and two builds that compute the same must give the same digest.
#[derive(Serialize)]
struct Deterministic<'a> {
    head: Head,
    track: &'a Track,
    contacts: &'a [ContactSample],
    events: &'a [Event],
    log: &'a [LogEntry],
    outcome: &'a Outcome,
}

impl Record {
    /// Names and offsets of the arrays.
    pub fn layout(&self) -> Layout {
        Layout::new(&self.world)
    }

    /// The deterministic part as bytes: the same for every repetition. The world is represented by its digest.
    pub fn deterministic_bytes(&self) -> Vec<u8> {
        let Self { track, contacts, events, log, outcome, .. } = self;
        let head = Head { key: None, ..self.head.clone() };
        let part = Deterministic { head, track, contacts, events, log, outcome };
        // Serialising to memory cannot fail for the types of a record.
        postcard::to_stdvec(&part).expect("a record can be written to memory")
    }

    /// Digest of the deterministic part.
    pub fn digest(&self) -> Digest {
        Digest::of(&self.deterministic_bytes())
    }
}
