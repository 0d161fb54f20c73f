//! How each paradigm of `veracity_contact` is selected, set and loaded: one file and one line in [`PARADIGMS`] each.

mod event;
pub(crate) mod penalty;
pub(crate) mod stepping;

use veracity_contact::{ContactError, Paradigm};
use veracity_engine::{DriveForm, EventTime, Setting, Settings, Unsupported};
use veracity_model::World;

/// A paradigm, or everything that is not supported.
pub(crate) type Made = Result<Box<dyn Paradigm>, Vec<ContactError>>;

/// An entry of [`PARADIGMS`].
pub struct ParadigmEntry {
    /// The value of the setting `paradigm`.
    pub name: &'static str,
    /// The method, in one phrase.
    pub text: &'static str,
    /// Its settings, in addition to `paradigm`.
    pub settings: fn() -> &'static [Setting],
    /// How a drive acts within a step.
    pub drives: DriveForm,
    /// How precisely a guard's crossing is located.
    pub events: EventTime,
    /// Settings that have an effect only if another has a certain value: key, the other's key, that value.
    pub(crate) owned: &'static [(&'static str, &'static str, &'static str)],
    /// Compiles a world, or lists everything that is not supported.
    pub(crate) make: fn(&World, &Settings, step_s: f64) -> Made,
}

/// Contact paradigms, in the order of the documentation.
pub const PARADIGMS: &[ParadigmEntry] = &[stepping::ENTRY, event::ENTRY, penalty::ENTRY];

/// Finds a paradigm by name.
pub(crate) fn find(name: &str) -> Option<&'static ParadigmEntry> {
    PARADIGMS.iter().find(|paradigm| paradigm.name == name)
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

/// Words of a setting, each with a function that reads what else it means from the settings.
type Choices<T> = &'static [(&'static str, fn(&Settings) -> T)];
