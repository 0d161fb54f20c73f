//! A TOML text with the line of everything in it.

use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use veracity_model::{Findings, Severity, Source};

/// Largest file accepted [bytes].
pub const MAX_BYTES: usize = 16 << 20;

/// One step of the way to a value: a key of a table or an index of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    Key(String),
    Index(usize),
}

impl From<&str> for Step {
    fn from(key: &str) -> Self {
        Step::Key(key.to_string())
    }
}

impl From<&String> for Step {
    fn from(key: &String) -> Self {
        Step::Key(key.clone())
    }
}

impl From<usize> for Step {
    fn from(index: usize) -> Self {
        Step::Index(index)
    }
}

/// The way to a value: `at!["checks", 2, "metric"]`.
macro_rules! at {
    ($($step:expr),* $(,)?) => { &[$($crate::file::document::Step::from($step)),*] };
}
pub(crate) use at;

/// A parsed file.
pub struct Document<'t> {
    file: Arc<str>,
    text: &'t str,
    tree: DeTable<'t>,
}

impl<'t> Document<'t> {
    /// Parses a text; `None` when it is no TOML, which has then been said.
    pub fn parse(file: &str, bytes: &'t [u8], findings: &mut Findings) -> Option<Self> {
        let file: Arc<str> = file.into();
        let fail = |line: u32, what: String, findings: &mut Findings| {
            let source = Source { file: file.clone(), line };
            findings.add(Severity::Error, "toml", Some(source), "", what);
        };
        if bytes.len() > MAX_BYTES {
            fail(0, format!("is larger than {} MiB; is it the right file?", MAX_BYTES >> 20), findings);
            return None;
        }
        let Ok(text) = std::str::from_utf8(bytes) else {
            fail(0, "is not UTF-8 text; save it as such".to_string(), findings);
            return None;
        };
        let (tree, errors) = DeTable::parse_recoverable(text);
        for error in &errors {
            let line = error.span().map_or(0, |span| line_of(text, span.start));
            fail(line, format!("is not TOML here: {}; correct the line", error.message()), findings);
        }
        if !errors.is_empty() {
            return None;
        }
        Some(Self { file, text, tree: tree.into_inner() })
    }

    /// The text as read.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// The top table.
    pub fn tree(&self) -> &DeTable<'t> {
        &self.tree
    }

    /// The place of a byte.
    pub fn source_at(&self, at: Option<usize>) -> Source {
        Source { file: self.file.clone(), line: at.map_or(0, |at| line_of(self.text, at)) }
    }

    /// The place of a value: of its key where it has one, else of the last step that exists.
    pub fn source(&self, way: &[Step]) -> Source {
        let mut line = None;
        let mut table = Some(&self.tree);
        let mut list: Option<&[Spanned<DeValue<'_>>]> = None;
        for step in way {
            let value = match step {
                Step::Key(key) => {
                    let Some((key, value)) = table.and_then(|t| t.iter().find(|(k, _)| k.get_ref() == key)) else {
                        break;
                    };
                    line = Some(key.span().start);
                    value
                }
                Step::Index(i) => {
                    let Some(value) = list.and_then(|l| l.get(*i)) else { break };
                    line = Some(value.span().start);
                    value
                }
            };
            table = value.get_ref().as_table();
            list = value.get_ref().as_array().map(|a| &**a);
        }
        self.source_at(line)
    }

    /// Says what is wrong with a value.
    pub fn error(&self, way: &[Step], what: impl Into<String>, findings: &mut Findings) {
        let subject: Vec<String> = way
            .iter()
            .map(|step| match step {
                Step::Key(key) => key.clone(),
                Step::Index(i) => i.to_string(),
            })
            .collect();
        findings.add(Severity::Error, "scenario-file", Some(self.source(way)), subject.join("/"), what);
    }

    /// Says what is wrong at a byte.
    pub fn error_at(&self, at: Option<usize>, what: impl Into<String>, findings: &mut Findings) {
        findings.add(Severity::Error, "scenario-file", Some(self.source_at(at)), "", what);
    }

    /// Whether the file is of a schema this program reads. Checked before anything else: what a newer file holds is
    /// anyone's guess.
    pub fn is_of_schema(&self, newest: i64, findings: &mut Findings) -> bool {
        let number: Option<Option<i64>> =
            self.tree.get("schema").map(|v| v.get_ref().as_integer().and_then(|i| i.as_str().parse().ok()));
        let what = match number {
            None => format!("has no 'schema'; write schema = {newest} at its top"),
            Some(None) => format!("'schema' must be a whole number; write schema = {newest}"),
            Some(Some(found)) if found > newest => {
                format!("has schema {found}; this program reads up to {newest}; use a newer veracity")
            }
            Some(Some(found)) if found < 1 => format!("'schema' counts from 1, not {found}; write schema = {newest}"),
            Some(Some(_)) => return true,
        };
        self.error(at!["schema"], what, findings);
        false
    }
}

/// The line of a byte, from 1.
fn line_of(text: &str, at: usize) -> u32 {
    1 + text.as_bytes().iter().take(at).filter(|b| **b == b'\n').count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_has_its_line() {
        let text = "schema = 1\n\n[[checks]]\nname = \"a\"\n[[checks]]\nname = \"b\"\nat_s = [1,\n 2]\n";
        let document = Document::parse("x.toml", text.as_bytes(), &mut Findings::new()).unwrap();
        assert_eq!(document.source(at!["schema"]).to_string(), "x.toml:1");
        assert_eq!(document.source(at!["checks", 1usize]).line, 5);
        assert_eq!(document.source(at!["checks", 1usize, "name"]).line, 6);
        assert_eq!(document.source(at!["checks", 1usize, "at_s", 1usize]).line, 8);
        // What is missing is missed where it should be.
        assert_eq!(document.source(at!["checks", 0usize, "bound"]).line, 3);
    }

    #[test]
    fn what_is_no_toml_gets_a_sentence_with_its_line() {
        let mut findings = Findings::new();
        assert!(Document::parse("x.toml", b"a = 1\nb = = 2\n", &mut findings).is_none());
        assert!(findings.to_string().starts_with("x.toml:2: error[toml]: is not TOML here"), "{findings}");
        assert!(Document::parse("x.toml", &[0xff, 0xfe], &mut findings).is_none());
    }

    #[test]
    fn a_newer_schema_is_refused() {
        for (text, what) in [("schema = 2", "newer veracity"), ("schema = 0", "from 1"), ("", "has no 'schema'")] {
            let mut findings = Findings::new();
            let document = Document::parse("x.toml", text.as_bytes(), &mut findings).unwrap();
            assert!(!document.is_of_schema(1, &mut findings));
            assert!(findings.to_string().contains(what), "{findings}");
        }
    }
}
