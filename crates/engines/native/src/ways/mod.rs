//! Ways to move a world whose bodies touch: one file and one line in [`WAYS`] each.

mod event;
pub(crate) mod penalty;
pub(crate) mod stepping;

use veracity_contact::{ContactError, Paradigm};
use veracity_dynamics::BodyMotion;
use veracity_engine::{DriveForm, EventTime, Setting, Settings, Unsupported};
use veracity_model::World;

/// A paradigm and what the engine wants to know of it beside.
pub(crate) trait Way: Send {
    /// To move it.
    fn paradigm(&mut self) -> &mut dyn Paradigm;

    /// To look at it.
    fn looked_at(&self) -> &dyn Paradigm;

    /// Motion of every body after the last step, where it is more than the joint coordinates say: joints come apart.
    fn motions(&self) -> Option<&[BodyMotion]> {
        None
    }

    /// Energy in contacts and limits [J].
    fn stored_energy(&self) -> f64 {
        0.0
    }

    /// What should be read before the motion is trusted.
    fn warnings(&self, _out: &mut Vec<String>) {}
}

/// A way, or all that is against it.
pub(crate) type Made = Result<Box<dyn Way>, Vec<ContactError>>;

/// A line of [`WAYS`].
pub(crate) struct WayEntry {
    /// The value of the setting `paradigm`.
    pub name: &'static str,
    /// Its settings, beside `paradigm`.
    pub settings: &'static [Setting],
    /// How a drive acts within a step.
    pub drives: DriveForm,
    /// How well a guard's crossing is known.
    pub events: EventTime,
    /// Why settings do not go together; the key to blame.
    pub conflict: fn(&Settings) -> Option<(&'static str, String)>,
    /// Takes a world over, or lists what is in the way.
    pub make: fn(&World, &Settings, step_s: f64) -> Made,
}

/// Every way.
pub(crate) const WAYS: &[WayEntry] = &[stepping::ENTRY, event::ENTRY, penalty::ENTRY];

/// The way of a name.
pub(crate) fn find(name: &str) -> Option<&'static WayEntry> {
    WAYS.iter().find(|way| way.name == name)
}

/// What is in the way, in the words of the contract.
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
