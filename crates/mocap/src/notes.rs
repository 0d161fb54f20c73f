//! Notes of a reader or a step: every sample that is left out, changed or doubtful has one.
//!
//! The same problem may occur a million times in a recording. The first [`SHOWN`] notes of a kind are kept as text and
//! all are counted, so that memory stays bounded and nothing is silent.

use serde::Serialize;
use std::collections::BTreeMap;

/// How many notes of one kind are kept as text.
pub const SHOWN: u64 = 20;

/// One note.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Note {
    /// Stable word for the kind of problem.
    pub kind: &'static str,
    /// `true` means: read this before you trust the result.
    pub warning: bool,
    /// The text, with line or sample.
    pub text: String,
}

/// Notes, with the count of each kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Notes {
    lines: Vec<Note>,
    counts: BTreeMap<&'static str, (u64, bool)>,
}

impl Notes {
    /// Adds a note.
    pub fn note(&mut self, kind: &'static str, text: impl FnOnce() -> String) {
        self.add(kind, false, text);
    }

    /// Adds a note that should be read before the result is trusted.
    pub fn warn(&mut self, kind: &'static str, text: impl FnOnce() -> String) {
        self.add(kind, true, text);
    }

    fn add(&mut self, kind: &'static str, warning: bool, text: impl FnOnce() -> String) {
        let count = self.counts.entry(kind).or_insert((0, warning));
        count.0 += 1;
        if count.0 <= SHOWN {
            self.lines.push(Note { kind, warning, text: text() });
        }
    }

    /// How often a kind occurred.
    pub fn count(&self, kind: &str) -> u64 {
        self.counts.get(kind).map_or(0, |(count, _)| *count)
    }

    /// Every note kept, and one more line for each kind that occurred more often than is kept.
    pub fn lines(&self) -> Vec<Note> {
        let mut lines = self.lines.clone();
        for (kind, (count, warning)) in &self.counts {
            if *count > SHOWN {
                let text = format!("and {} more of `{kind}`: {count} in all", count - SHOWN);
                lines.push(Note { kind, warning: *warning, text });
            }
        }
        lines
    }

    /// Whether there are no notes.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_warnings_take_twenty_one_lines() {
        let mut notes = Notes::default();
        for i in 0..1_000_000 {
            notes.warn("nan", || format!("line {i}: no number"));
        }
        let lines = notes.lines();
        assert_eq!(lines.len() as u64, SHOWN + 1);
        assert_eq!(lines[20].text, "and 999980 more of `nan`: 1000000 in all");
        assert!(lines[20].warning);
    }
}
