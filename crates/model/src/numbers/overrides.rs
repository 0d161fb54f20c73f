//! A set of changed numbers, as passed to `with` by sampling, sweeps, calibration and mutations.

use crate::finding::{Findings, Severity};
use std::collections::BTreeMap;

/// Numbers by path, sorted by path, so that equal sets are identical whatever order they were made in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    values: BTreeMap<String, f64>,
}

impl Overrides {
    /// An empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a number as well; a path set before gets the new value.
    pub fn set(mut self, path: impl Into<String>, value: f64) -> Self {
        self.insert(path, value);
        self
    }

    /// Sets a number in place.
    pub fn insert(&mut self, path: impl Into<String>, value: f64) {
        self.values.insert(path.into(), value);
    }

    /// Parses `path=value` texts from a command line. All errors are returned together.
    pub fn parse<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Self, Findings> {
        let mut out = Self::new();
        let mut problems = Findings::new();
        for text in texts {
            // A name may contain '='; a number cannot.
            let parsed = text.rsplit_once('=').and_then(|(path, value)| {
                let value = value.trim().parse::<f64>().ok().filter(|x| !x.is_nan())?;
                Some((path.trim(), value)).filter(|(path, _)| !path.is_empty())
            });
            let problem = match parsed {
                None => format!("'{text}' is not an override; write PATH=NUMBER, e.g. bodies/arm/mass=1.2"),
                Some((path, _)) if out.get(path).is_some() => format!("'{path}' is set twice; keep one"),
                Some((path, value)) => {
                    out.insert(path, value);
                    continue;
                }
            };
            problems.add(Severity::Error, "override-value", None, text, problem);
        }
        if problems.is_empty() { Ok(out) } else { Err(problems) }
    }

    /// The value set for a path.
    pub fn get(&self, path: &str) -> Option<f64> {
        self.values.get(path).copied()
    }

    /// Paths and values, sorted by path.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        self.values.iter().map(|(path, value)| (path.as_str(), *value))
    }

    /// Number of overrides.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

impl<P: Into<String>> FromIterator<(P, f64)> for Overrides {
    fn from_iter<I: IntoIterator<Item = (P, f64)>>(pairs: I) -> Self {
        Self { values: pairs.into_iter().map(|(path, value)| (path.into(), value)).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_overrides_and_mistakes_come_back_together() {
        let good = Overrides::parse(["bodies/a=b/mass = 1.5", "joints/j/upper=inf"]).unwrap();
        assert_eq!(good.get("bodies/a=b/mass"), Some(1.5));
        assert_eq!(good.get("joints/j/upper"), Some(f64::INFINITY));
        let bad = Overrides::parse(["mass", "a=b", "=1", "x=nan", "y=1", "y=2"]).unwrap_err();
        assert_eq!(bad.len(), 5, "{bad}");
    }
}
