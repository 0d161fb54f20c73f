//! Records: what a trial, or a recording of reality, leaves.
//!
//! A [`Record`] has two parts. The *deterministic part* is everything a repetition must give again bit for bit: the
//! head (what was run), the [`World`](veracity_model::World), the [`Track`] (trajectories), contacts, events, log and
//! outcome; [`Record::digest`] names it. The *host part* ([`Host`]) is what depends on the machine and the hour.
//!
//! As files: [`mcap`] (one record, for viewers and bit for bit), [`segment`] (all records of a study), [`table_of_track`]
//! and [`csv`] (tables of one track). [`bag`] reads what a robot recorded. [`mod@file`] keeps all of them whole or not there.
//! docs/records.md says how to open them.
//!
//! What is deliberately absent: judgement. Errors, energies and verdicts are computed from a record by `measure`.

pub mod bag;
pub mod contact;
pub mod csv;
pub mod event;
pub mod event_rules;
pub mod file;
pub mod head;
pub mod host;
pub mod mcap;
pub mod names;
pub mod outcome;
pub mod record;
pub mod segment;
pub mod stored;
pub mod table_of_track;
#[cfg(test)]
mod test_folder;
pub mod track;

pub use self::mcap::{read_mcap, write_mcap, write_mcap_without_host};
pub use bag::{Recording, read_ros2_bag};
pub use contact::ContactSample;
pub use csv::{TimeSeries, read_csv, write_csv};
pub use event::{Event, EventKind};
pub use event_rules::{EventRules, Merge};
pub use file::FileError;
pub use head::Head;
pub use host::Host;
pub use outcome::{LogEntry, Outcome};
pub use record::Record;
pub use segment::{Location, SegmentReader, SegmentWriter};
pub use table_of_track::{read_track, write_track};
pub use track::{Signal, Track};
