//! Settings of an engine, and resolving a spec against them.

use crate::spec::{EngineSpec, SpecError, is_word};
use std::fmt::Write as _;

/// Values of a setting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SettingKind {
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A whole number in a range, ends included.
    Integer(i64, i64),
    /// A number in a range, ends included.
    Real(f64, f64),
}

impl SettingKind {
    /// `on` or `off`; [`Settings::is_on`] reads it.
    pub const ON_OFF: Self = SettingKind::Choice(&["on", "off"]);
}

/// The words of a [`SettingKind::Choice`], from the slice it chooses from: `choice_words!(SOLVERS, name)` for a registry whose
/// entries have a `name`, `choice_words!(CONES, 0)` for a table of words and values that [`Settings::choice`] reads. A
/// literal before them is one more word, in front.
#[macro_export]
macro_rules! choice_words {
    ($entries:expr, $word:tt) => {{
        const WORDS: &[&str] = &{
            let mut words = [""; $entries.len()];
            let mut i = 0;
            while i < words.len() {
                words[i] = $entries[i].$word;
                i += 1;
            }
            words
        };
        WORDS
    }};
    ($first:literal, $entries:expr, $word:tt) => {{
        const WORDS: &[&str] = &{
            let mut words = [$first; 1 + $entries.len()];
            let mut i = 1;
            while i < words.len() {
                words[i] = $entries[i - 1].$word;
                i += 1;
            }
            words
        };
        WORDS
    }};
}

/// One setting of an engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// As in specs.
    pub key: &'static str,
    /// Its values.
    pub kind: SettingKind,
    /// Value if the spec does not set it.
    pub default: &'static str,
    /// What it does, with its unit.
    pub text: &'static str,
}

impl Setting {
    /// What is wrong with the setting, in a phrase: a range without numbers, an invalid default, a word that no spec
    /// can contain. Engines in this program are tested for this; one in another process is checked before it is used.
    pub fn fault(&self) -> Option<String> {
        if !is_word(self.key) {
            return Some(format!("'{}' cannot be written as a key in a spec", self.key.escape_debug()));
        }
        let wrong = match self.kind {
            SettingKind::Choice(words) => words.is_empty() || !words.iter().all(|word| is_word(word)),
            SettingKind::Integer(low, high) => low > high,
            SettingKind::Real(low, high) => low.is_nan() || high.is_nan() || low > high,
        };
        if wrong {
            return Some(format!("the setting '{}' has no valid value", self.key));
        }
        let why = canonical(&self.kind, self.default).err()?;
        Some(format!("the default of '{}' is '{}': {why}", self.key, self.default.escape_debug()))
    }
}

/// Every setting of an engine with its value, defaults included.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    engine: String,
    values: Vec<(&'static Setting, String)>,
}

impl Settings {
    /// Resolves a spec against the settings of an engine.
    pub fn resolve(engine: &str, known: &'static [Setting], spec: &EngineSpec) -> Result<Self, SpecError> {
        // In canonical form, so that a spec that writes a default equals one that omits it.
        let default = |s: &Setting| canonical(&s.kind, s.default).expect("a default is a value of its setting");
        let mut values: Vec<(&'static Setting, String)> = known.iter().map(|s| (s, default(s))).collect();
        let mut given = vec![false; known.len()];
        for (key, value) in &spec.settings {
            let slot = if key.is_empty() { by_word(known, value) } else { known.iter().position(|s| s.key == key) };
            let Some(slot) = slot else {
                let key = if key.is_empty() { value } else { key }.clone();
                return Err(SpecError::UnknownSetting { engine: engine.to_string(), key, known: list(known) });
            };
            let key = known[slot].key;
            let value_error = |why: String| SpecError::Value {
                engine: engine.to_string(),
                key: key.to_string(),
                value: value.clone(),
                why,
            };
            if std::mem::replace(&mut given[slot], true) {
                return Err(value_error("it is set twice".to_string()));
            }
            values[slot].1 = canonical(&known[slot].kind, value).map_err(value_error)?;
        }
        Ok(Self { engine: engine.to_string(), values })
    }

    /// The settings under this spec: an engine may have others under other specs.
    pub fn known(&self) -> impl Iterator<Item = &'static Setting> + '_ {
        self.values.iter().map(|(setting, _)| *setting)
    }

    /// Whether a setting has its default value. The key must be a setting of the engine.
    pub fn is_default(&self, key: &str) -> bool {
        let known = self.values.iter().find(|(s, _)| s.key == key);
        known.is_some_and(|(s, value)| canonical(&s.kind, s.default).as_deref() == Ok(value))
    }

    /// The value of a setting as written. The key must be a setting of the engine.
    pub fn text(&self, key: &str) -> &str {
        match self.values.iter().find(|(s, _)| s.key == key) {
            Some((_, value)) => value,
            None => panic!("{} reads its setting '{key}', which it does not list", self.engine),
        }
    }

    /// The value of a [`SettingKind::Integer`].
    pub fn integer(&self, key: &str) -> i64 {
        self.text(key).parse().expect("resolved to a whole number")
    }

    /// The value of a [`SettingKind::Real`].
    pub fn real(&self, key: &str) -> f64 {
        self.text(key).parse().expect("resolved to a number")
    }

    /// Whether a setting of [`SettingKind::ON_OFF`] is on.
    pub fn is_on(&self, key: &str) -> bool {
        self.text(key) == "on"
    }

    /// The value of a choice whose words come from this table.
    pub fn choice<T: Copy>(&self, key: &str, table: &[(&str, T)]) -> T {
        let word = self.text(key);
        match table.iter().find(|(name, _)| *name == word) {
            Some((_, value)) => *value,
            None => panic!("{} reads its setting '{key}' with a table that has no '{word}'", self.engine),
        }
    }

    /// The spec in one line with every setting written out: what records carry.
    pub fn full_spec(&self) -> String {
        self.line(|_, _| true)
    }

    /// The spec in one line with only what differs from the defaults: what tables show.
    pub fn short_spec(&self) -> String {
        self.line(|s, value| Ok(value) != canonical(&s.kind, s.default).as_deref())
    }

    fn line(&self, keep: impl Fn(&Setting, &str) -> bool) -> String {
        let mut out = self.engine.clone();
        for (i, (s, value)) in self.values.iter().filter(|(s, v)| keep(s, v)).enumerate() {
            // Writing to a string cannot fail.
            let _ = write!(out, "{}{}={value}", if i == 0 { ':' } else { ',' }, s.key);
        }
        out
    }
}

/// The one setting that has this word among its choices.
fn by_word(known: &[Setting], word: &str) -> Option<usize> {
    let has = |s: &Setting| matches!(s.kind, SettingKind::Choice(words) if words.contains(&word));
    let mut hits = known.iter().enumerate().filter(|(_, s)| has(s));
    match (hits.next(), hits.next()) {
        (Some((slot, _)), None) => Some(slot),
        _ => None,
    }
}

/// The value in canonical form, or why it is invalid.
fn canonical(kind: &SettingKind, value: &str) -> Result<String, String> {
    match *kind {
        SettingKind::Choice(words) if words.contains(&value) => Ok(value.to_string()),
        SettingKind::Choice(words) => Err(format!("it must be one of {}", words.join(", "))),
        SettingKind::Integer(low, high) => match value.parse::<i64>() {
            Ok(x) if (low..=high).contains(&x) => Ok(x.to_string()),
            _ => Err(format!("it must be a whole number from {low} to {high}")),
        },
        SettingKind::Real(low, high) => match value.parse::<f64>() {
            Ok(x) if (low..=high).contains(&x) => Ok(format!("{x:?}")),
            _ => Err(format!("it must be a number from {low:e} to {high:e}")),
        },
    }
}

/// Every setting in a phrase.
fn list(known: &[Setting]) -> String {
    let one = |s: &Setting| match s.kind {
        SettingKind::Choice(words) => format!("{}={} (default {})", s.key, words.join("|"), s.default),
        SettingKind::Integer(low, high) => format!("{}={low}..{high} (default {})", s.key, s.default),
        SettingKind::Real(low, high) => format!("{}={low:e}..{high:e} (default {})", s.key, s.default),
    };
    if known.is_empty() { "none".to_string() } else { known.iter().map(one).collect::<Vec<_>>().join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &[Setting] = &[
        Setting { key: "joints", kind: SettingKind::Choice(&["impulse", "multibody"]), default: "impulse", text: "" },
        Setting { key: "iters", kind: SettingKind::Integer(1, 1000), default: "4", text: "" },
        Setting { key: "tolerance", kind: SettingKind::Real(1e-15, 1.0), default: "1e-10", text: "" },
        Setting { key: "hz", kind: SettingKind::Real(0.0, 1e9), default: "1e6", text: "" },
    ];

    #[test]
    fn invalid_settings_are_reported() {
        assert!(KNOWN.iter().all(|s| s.fault().is_none()));
        let mut settings = [KNOWN[1]; 4];
        settings[0].default = "1001";
        settings[1].kind = SettingKind::Real(f64::NAN, 1.0);
        settings[2].key = "a b";
        settings[3].kind = SettingKind::Choice(&[]);
        assert!(settings.iter().all(|s| s.fault().is_some()));
    }

    fn resolve(text: &str) -> Result<Settings, SpecError> {
        Settings::resolve("rapier", KNOWN, &text.parse().unwrap())
    }

    #[test]
    fn every_setting_is_written_out() {
        let settings = resolve("rapier:multibody,iters=020,tolerance=0.0000000001").unwrap();
        assert_eq!(settings.full_spec(), "rapier:joints=multibody,iters=20,tolerance=1e-10,hz=1000000.0");
        assert_eq!(settings.short_spec(), "rapier:joints=multibody,iters=20");
        assert_eq!(resolve(&settings.full_spec()).unwrap(), settings);
        assert_eq!(resolve("rapier").unwrap().short_spec(), "rapier");
        assert_eq!((settings.integer("iters"), settings.real("tolerance")), (20, 1e-10));
    }

    #[test]
    fn errors_list_what_exists() {
        let error = resolve("rapier:iterations=3").unwrap_err().to_string();
        assert!(error.contains("iters=1..1000 (default 4)") && error.contains("impulse|multibody"), "{error}");
        assert!(resolve("rapier:iters=0").unwrap_err().to_string().contains("from 1 to 1000"));
        assert!(resolve("rapier:joints=glue").unwrap_err().to_string().contains("impulse, multibody"));
        assert!(resolve("rapier:impulse,joints=multibody").unwrap_err().to_string().contains("twice"));
        assert!(resolve("rapier:tolerance=NaN").is_err());
    }
}
