//! Errors of controllers and sensors, with their place in the scenario.

/// Why a loop cannot be built, run or restored.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{place}: {what}")]
pub struct ControlError {
    /// Path of the value meant, e.g. `controllers/arm/joints/elbow`: the reader of the file knows its line.
    pub place: String,
    /// What is wrong and what to do.
    pub what: String,
}

impl ControlError {
    /// An error at a place.
    pub fn new(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self { place: place.into(), what: what.into() }
    }
}

impl From<crate::ControllerError> for ControlError {
    fn from(error: crate::ControllerError) -> Self {
        Self::new(format!("controllers/{}", error.controller), error.what)
    }
}

/// Names separated by commas, truncated if there are many.
pub(crate) fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    const SHOWN: usize = 12;
    let names: Vec<&str> = names.into_iter().collect();
    if names.is_empty() {
        return "none".to_string();
    }
    let more = names.len().saturating_sub(SHOWN);
    let shown = names[..names.len() - more].join(", ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}
