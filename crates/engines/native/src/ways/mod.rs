//! Paradigms to move a world with contact: one file and one line in [`WAYS`] each.

mod event;
pub(crate) mod penalty;
pub(crate) mod stepping;

use veracity_contact::{ContactError, Paradigm};
use veracity_dynamics::BodyMotion;
use veracity_engine::{DriveForm, EventTime, Setting, Settings, Unsupported};
use veracity_model::World;

/// A paradigm, and what else the engine needs from it.
pub(crate) trait Way: Send {
    /// For stepping.
    fn paradigm(&mut self) -> &mut dyn Paradigm;

    /// For reading.
    fn looked_at(&self) -> &dyn Paradigm;

    /// Motion of every body after the last step, if joint coordinates do not determine it because joints may come
    /// apart.
    fn motions(&self) -> Option<&[BodyMotion]> {
        None
    }

    /// Energy in contacts and limits [J].
    fn stored_energy(&self) -> f64 {
        0.0
    }

    /// Warnings to read before trusting the motion.
    fn warnings(&self, _out: &mut Vec<String>) {}
}

/// A paradigm, or everything that is not supported.
pub(crate) type Made = Result<Box<dyn Way>, Vec<ContactError>>;

/// An entry of [`WAYS`].
pub(crate) struct WayEntry {
    /// The value of the setting `paradigm`.
    pub name: &'static str,
    /// Its settings, in addition to `paradigm`.
    pub settings: &'static [Setting],
    /// How a drive acts within a step.
    pub drives: DriveForm,
    /// How precisely a guard's crossing is located.
    pub events: EventTime,
    /// Conflicting settings: the offending key and the reason.
    pub conflict: fn(&Settings) -> Option<(&'static str, String)>,
    /// Compiles a world, or lists everything that is not supported.
    pub make: fn(&World, &Settings, step_s: f64) -> Made,
}

/// All paradigms.
pub(crate) const WAYS: &[WayEntry] = &[stepping::ENTRY, event::ENTRY, penalty::ENTRY];

/// Finds a paradigm by name.
pub(crate) fn find(name: &str) -> Option<&'static WayEntry> {
    WAYS.iter().find(|way| way.name == name)
}

/// Unsupported features, as types of the contract.
pub(crate) fn unsupported(errors: Vec<ContactError>) -> Vec<Unsupported> {
    let of = |error: ContactError| match error {
        ContactError::Unsupported { subject, what, hint } => {
            Unsupported { feature: format!("{what} ('{subject}')"), hint }
        }
        ContactError::System(veracity_dynamics::SystemError::Unsupported { subject, what, hint }) => {
            Unsupported { feature: format!("{what} ('{subject}')"), hint }
        }
    };
    let mut out: Vec<Unsupported> = errors.into_iter().map(of).collect();
    out.dedup();
    out
}

/// `on` or `off`.
pub(crate) const ON_OFF: &[&str] = &["on", "off"];
