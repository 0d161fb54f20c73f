//! How an engine changed the start before accepting it, as a warning that can be parsed again: the inspection of the experiment
//! (`start-changed`) is made from it.

use std::fmt;

/// The largest change that an engine made to the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct StartMoved(pub f64);

const BEGIN: &str = "the engine moved the start state by ";

impl StartMoved {
    /// Parses a warning; `None` if it is about something else.
    pub(crate) fn read(warning: &str) -> Option<Self> {
        warning.strip_prefix(BEGIN)?.split(' ').next()?.parse().ok().map(Self)
    }
}

impl fmt::Display for StartMoved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{BEGIN}{:.1e} (rad, m, rad/s or m/s) ", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_warning_is_read_as_it_is_written() {
        assert_eq!(StartMoved::read(&StartMoved(2.5e-4).to_string()), Some(StartMoved(2.5e-4)));
        assert!(StartMoved::read(&StartMoved(f64::NAN).to_string()).is_some_and(|m| m.0.is_nan()));
        assert_eq!(StartMoved::read("something else"), None);
    }
}
