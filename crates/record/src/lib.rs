//! Records: the stored result of a trial, or a recording of reality.
//!
//! A [`Record`] has two parts. The *deterministic part* is everything a repetition must reproduce bit for bit: the head
//! (what was run), the [`World`](veracity_model::World), the [`Track`] (trajectories), contacts, events, log and
//! outcome; [`Record::digest`] identifies it. The *host part* ([`Host`]) depends on the machine and the time of day.
//!
//! As files: [`mcap`] (one record, for viewers and bit for bit), [`segment`] (all records of a study),
//! [`table_of_track`] and [`csv`] (tables of one track). [`bag`] reads recordings of a robot. [`mod@file`] writes each
//! file completely or not at all. docs/records.md describes how to open them.
//!
//! Deliberately absent: verdicts. Errors, energies and verdicts are computed from a record by `measure`.
//!
//! ```
//! let file = std::env::temp_dir().join(format!("veracity-record-{}.csv", std::process::id()));
//! std::fs::write(&file, "time_s,angle [rad]\n0,0.1\n0.5,0.2\n").unwrap();
//! let series = veracity_record::read_csv(&file).unwrap();
//! std::fs::remove_file(&file).unwrap();
//! let angle = series.column("angle").unwrap();
//! assert_eq!((angle.unit.as_str(), angle.values.as_slice()), ("rad", [0.1, 0.2].as_slice()));
//! ```

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
pub use bag::{Recording, read_ros2_bag, read_ros2_bag_to_cut};
pub use contact::ContactSample;
pub use csv::{TimeSeries, read_csv, write_csv};
pub use event::{Event, EventKind};
pub use event_rules::{EventRules, Merge};
pub use file::FileError;
pub use head::Head;
pub use host::{Host, SOLVER_RESIDUAL};
pub use outcome::{LogEntry, Outcome};
pub use record::Record;
pub use segment::{Location, SegmentReader, SegmentWriter};
pub use table_of_track::{read_track, write_track};
pub use track::{Signal, Track};
