//! What a reader or a step has to say: every sample that is left out, changed or doubted is in a line here.
//!
//! A recording may have the same trouble a million times. The first [`SHOWN`] of a kind are kept word for word, all are
//! counted, so that memory stays bounded and nothing is silent.

use serde::Serialize;
use std::collections::BTreeMap;

/// How many lines of one kind are kept word for word.
pub const SHOWN: u64 = 20;

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Note {
    /// Stable word for the kind of trouble.
    pub kind: &'static str,
    /// `true` means: read this before you trust the result.
    pub warning: bool,
    /// In a sentence, with line or sample.
    pub text: String,
}

/// Lines, with how often each kind came.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Notes {
    lines: Vec<Note>,
    counts: BTreeMap<&'static str, (u64, bool)>,
}

impl Notes {
    /// Something worth knowing.
    pub fn note(&mut self, kind: &'static str, text: impl FnOnce() -> String) {
        self.add(kind, false, text);
    }

    /// Something to read before the result is trusted.
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

    /// How often a kind came.
    pub fn count(&self, kind: &str) -> u64 {
        self.counts.get(kind).map_or(0, |(count, _)| *count)
    }

    /// Every line, and one more for each kind that came more often than is shown.
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

    /// Whether nothing was said.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_troubles_take_twenty_one_lines() {
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
