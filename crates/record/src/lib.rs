//! Records: what a trial, or a recording of reality, leaves.
//!
//! A [`Record`] has two parts. The *deterministic part* is everything a repetition must give again bit for bit: the
//! head (what was run), the [`World`](veracity_model::World), the [`Track`] (trajectories), contacts, events, log and
//! outcome; [`Record::digest`] names it. The *host part* ([`Host`]) is what depends on the machine and the hour.
//!
//! What is deliberately absent: judgement. Errors, energies and verdicts are computed from a record by `measure`.

pub mod contact;
pub mod event;
pub mod file;
pub mod head;
pub mod host;
pub mod outcome;
pub mod record;
pub mod segment;
pub mod stored;
#[cfg(test)]
mod test_folder;
pub mod track;

pub use contact::ContactSample;
pub use event::{Event, EventKind};
pub use file::FileError;
pub use head::Head;
pub use host::Host;
pub use outcome::{LogEntry, Outcome};
pub use record::Record;
pub use segment::{Location, SegmentReader, SegmentWriter};
pub use track::{Signal, Track};
