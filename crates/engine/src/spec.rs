//! Engine specs: `name[@version][:setting,…]`, one line, e.g. `native:integrator=rk4` or `rapier:impulse,iters=20`.
//!
//! A setting is `key=value`, or a bare word that is one of the choices of exactly one setting. Two specs of one engine
//! are two rows in every table.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A spec as written, not yet resolved against the engine's settings.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EngineSpec {
    /// The engine's name.
    pub engine: String,
    /// The requested version; `None` for the installed one.
    pub version: Option<String>,
    /// Settings in the order written: key (empty for a bare word) and value.
    pub settings: Vec<(String, String)>,
}

/// What is wrong with a spec.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SpecError {
    /// A syntax error.
    #[error("invalid engine spec '{text}': {what}; write it as name:key=value,… , e.g. native:integrator=rk4")]
    Form {
        /// As written.
        text: String,
        /// What is wrong.
        what: String,
    },
    /// Unknown engine.
    #[error("unknown engine '{name}'; available: {known}")]
    UnknownEngine {
        /// The requested name.
        name: String,
        /// What exists.
        known: String,
    },
    /// Unknown setting.
    #[error("{engine} has no setting '{key}'; it has {known}")]
    UnknownSetting {
        /// The engine.
        engine: String,
        /// The requested setting.
        key: String,
        /// What exists, with choices and defaults.
        known: String,
    },
    /// An invalid value of a setting.
    #[error("{engine}: {key}={value}: {why}")]
    Value {
        /// The engine.
        engine: String,
        /// The setting.
        key: String,
        /// As written.
        value: String,
        /// What it may be.
        why: String,
    },
    /// A version that is not installed.
    #[error("{engine}@{wanted} is not installed; available: {present}")]
    Version {
        /// The engine.
        engine: String,
        /// The requested version.
        wanted: String,
        /// What exists.
        present: String,
    },
}

/// Whether a text is a valid name, version, key or value.
pub(crate) fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-.+".contains(c))
}

impl FromStr for EngineSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let form = |what: String| SpecError::Form { text: text.to_string(), what };
        let (head, rest) = text.split_once(':').map_or((text, None), |(head, rest)| (head, Some(rest)));
        let (engine, version) = head.split_once('@').map_or((head, None), |(name, version)| (name, Some(version)));
        let word = is_word;
        if !word(engine) {
            return Err(form(format!("'{engine}' is not a valid engine name")));
        }
        if version.is_some_and(|v| !word(v)) {
            return Err(form("the version after '@' is missing or invalid".to_string()));
        }
        let mut settings: Vec<(String, String)> = Vec::new();
        for part in rest.into_iter().flat_map(|r| r.split(',')) {
            let (key, value) = part.split_once('=').unwrap_or(("", part));
            let (key, value) = (key.trim(), value.trim());
            if !word(value) || (part.contains('=') && !word(key)) {
                return Err(form(format!("'{part}' is not a valid setting")));
            }
            if !key.is_empty() && settings.iter().any(|(k, _)| k == key) {
                return Err(form(format!("'{key}' is set twice")));
            }
            settings.push((key.to_string(), value.to_string()));
        }
        Ok(Self { engine: engine.to_string(), version: version.map(str::to_string), settings })
    }
}

impl fmt::Display for EngineSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.engine)?;
        if let Some(version) = &self.version {
            write!(f, "@{version}")?;
        }
        for (i, (key, value)) in self.settings.iter().enumerate() {
            f.write_str(if i == 0 { ":" } else { "," })?;
            if !key.is_empty() {
                write!(f, "{key}=")?;
            }
            f.write_str(value)?;
        }
        Ok(())
    }
}

impl TryFrom<String> for EngineSpec {
    type Error = SpecError;
    fn try_from(text: String) -> Result<Self, SpecError> {
        text.parse()
    }
}

impl From<EngineSpec> for String {
    fn from(spec: EngineSpec) -> String {
        spec.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specs_print_as_they_were_read() {
        for text in ["native", "native:integrator=rk4", "ode:quick,iters=50", "mujoco@3.17:cone=elliptic"] {
            assert_eq!(text.parse::<EngineSpec>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn malformed_specs_are_errors() {
        for text in
            ["", ":", "native:", "native:a=", "native:=b", "native:a=1,a=2", "na tive", "native@", "x:a=b=c d"]
        {
            let error = text.parse::<EngineSpec>().unwrap_err().to_string();
            assert!(error.contains("invalid engine spec"), "{text}: {error}");
        }
    }
}
