//! MJCF elements as owned trees.
//!
//! An MJCF document is assembled from several files (`<include>`) and every element is completed from default classes
//! before it is read, so the importer works on copies that own their text and keep its source position.

use crate::finding::{Findings, Severity, Source};
use crate::geometry::Vec3;

/// An element of the assembled document.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// The tag.
    pub name: String,
    /// Attributes in file order, each name once.
    pub attributes: Vec<(String, String)>,
    /// Child elements in order.
    pub children: Vec<Node>,
    /// Its position in the file.
    pub source: Source,
    /// Whose `<compiler>` applies: 0 for the model itself, otherwise an attached model. See [`super::attach`].
    pub scope: usize,
}

impl Node {
    /// An attribute, verbatim.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Whether an attribute is present.
    pub fn has(&self, name: &str) -> bool {
        self.attribute(name).is_some()
    }

    /// Reports an error at this element.
    pub fn error(&self, findings: &mut Findings, code: &'static str, text: impl Into<String>) {
        findings.add(Severity::Error, code, Some(self.source.clone()), self.name.clone(), text);
    }

    /// Reports a warning at this element.
    pub fn warning(&self, findings: &mut Findings, code: &'static str, text: impl Into<String>) {
        findings.add(Severity::Warning, code, Some(self.source.clone()), self.name.clone(), text);
    }

    /// Any number of numbers in an attribute. `None` if missing; an error and `None` if not numbers.
    pub fn list(&self, name: &str, findings: &mut Findings) -> Option<Vec<f64>> {
        let text = self.attribute(name)?;
        let mut list = Vec::new();
        for word in text.split_whitespace() {
            match word.parse::<f64>() {
                Ok(x) if !x.is_nan() => list.push(x),
                _ => {
                    let shown: String = word.chars().take(40).collect();
                    let text = format!("'{name}' of <{}> has '{shown}'; expected a number", self.name);
                    self.error(findings, "number", text);
                    return None;
                }
            }
        }
        Some(list)
    }

    /// Exactly `N` numbers in an attribute. `None` if missing; an error and `None` for anything else.
    pub fn numbers<const N: usize>(&self, name: &str, findings: &mut Findings) -> Option<[f64; N]> {
        let list = self.list(name, findings)?;
        let count = list.len();
        list.try_into().ok().or_else(|| {
            let text = format!("'{name}' of <{}> has {count} numbers; expected {N}", self.name);
            self.error(findings, "number", text);
            None
        })
    }

    /// One number in an attribute.
    pub fn number(&self, name: &str, findings: &mut Findings) -> Option<f64> {
        self.numbers::<1>(name, findings).map(|[x]| x)
    }

    /// Three numbers in an attribute.
    pub fn vector(&self, name: &str, findings: &mut Findings) -> Option<Vec3> {
        self.numbers::<3>(name, findings).map(Vec3::from)
    }

    /// At most `N` numbers in an attribute, with the rest taken from `otherwise`: MuJoCo fills such lists from the
    /// front and leaves the rest unchanged.
    pub fn up_to<const N: usize>(&self, name: &str, mut otherwise: [f64; N], findings: &mut Findings) -> [f64; N] {
        let Some(list) = self.list(name, findings) else { return otherwise };
        if list.len() > N {
            let text = format!("'{name}' of <{}> has {} numbers; expected at most {N}", self.name, list.len());
            self.error(findings, "number", text);
            return otherwise;
        }
        otherwise[..list.len()].copy_from_slice(&list);
        otherwise
    }

    /// An integer in an attribute.
    pub fn integer(&self, name: &str, findings: &mut Findings) -> Option<i64> {
        let text = self.attribute(name)?;
        let value = text.trim().parse::<i64>().ok();
        if value.is_none() {
            let shown: String = text.chars().take(40).collect();
            let text = format!("'{name}' of <{}> is '{shown}'; expected a whole number", self.name);
            self.error(findings, "number", text);
        }
        value
    }

    /// One of several keywords in an attribute.
    pub fn keyword<'w>(&self, name: &str, words: &[&'w str], findings: &mut Findings) -> Option<&'w str> {
        let text = self.attribute(name)?;
        let found = words.iter().find(|word| **word == text).copied();
        if found.is_none() {
            let shown: String = text.chars().take(40).collect();
            let text = format!("'{name}' of <{}> is '{shown}'; expected one of {}", self.name, words.join(", "));
            self.error(findings, "keyword", text);
        }
        found
    }

    /// `true` or `false` in an attribute.
    pub fn flag(&self, name: &str, findings: &mut Findings) -> Option<bool> {
        self.keyword(name, &["false", "true"], findings).map(|word| word == "true")
    }

    /// The name other elements use to refer to it, if it has one.
    pub fn given_name(&self) -> Option<&str> {
        self.attribute("name").filter(|name| !name.is_empty())
    }
}
