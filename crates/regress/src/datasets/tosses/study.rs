//! Study files of tosses: table, scenario and engines.

use crate::error::Error;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use veracity_model::input::{MOST_TEXT, read_text};

/// A study file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TossStudy {
    /// 1.
    pub schema: u32,
    /// Short and stable.
    pub name: String,
    /// In a line.
    pub title: String,
    /// Purpose of the study.
    pub text: String,
    /// Scenario of the cube and its table; path relative to the study file.
    pub scenario: PathBuf,
    /// The recorded tosses; path relative to the data folder.
    pub table: PathBuf,
    /// The placement of the cube in the scenario's world.
    pub placement: String,
    /// The body that was recorded.
    pub body: String,
    /// Half the cube's width [m].
    pub half_width_m: f64,
    /// Limit on the samples of a flight that velocities are computed from.
    pub flight_samples: usize,
    /// Use only every n-th toss.
    #[serde(default = "one")]
    pub every: usize,
    /// The engines to score.
    pub engines: Vec<TossEngine>,
}

/// One row of the table of scores.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TossEngine {
    /// The engine with its settings.
    pub spec: String,
    /// Label, in a few words.
    #[serde(default)]
    pub label: String,
    /// Numbers of the scenario to change for this engine.
    #[serde(default)]
    pub set: BTreeMap<String, f64>,
}

fn one() -> usize {
    1
}

impl TossStudy {
    /// Reads a file.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let text =
            read_text(path, MOST_TEXT).map_err(|source| Error::Unreadable { path: path.to_owned(), source })?;
        let at = |line: usize, what: String| Error::Line { file: path.display().to_string(), line, what };
        let study: Self = toml::from_str(&text).map_err(|error| {
            let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
            at(line, error.message().to_owned())
        })?;
        if study.schema != 1 {
            return Err(at(1, format!("schema {} is newer than this program, which reads 1", study.schema)));
        }
        if study.every == 0 || !(study.half_width_m > 0.0 && study.half_width_m.is_finite()) {
            return Err(at(1, "`every` is at least 1 and `half_width_m` a positive length".to_owned()));
        }
        Ok(study)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_study_is_read_and_a_wrong_key_is_named() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../studies/cube_toss/engines.toml");
        assert!(TossStudy::load(Path::new(file)).unwrap().engines.len() >= 4);
        let text = std::fs::read_to_string(file).unwrap();
        let wrong = std::env::temp_dir().join(format!("veracity-tosses-{}.toml", std::process::id()));
        for (from, to, part) in
            [("body =", "boddy =", "boddy"), ("schema = 1", "schema = 2", "newer"), ("0.0524", "-1", "positive")]
        {
            std::fs::write(&wrong, text.replacen(from, to, 1)).unwrap();
            let error = TossStudy::load(&wrong).unwrap_err().to_string();
            assert!(error.contains(part) && error.contains(".toml:"), "{error}");
        }
        std::fs::remove_file(&wrong).unwrap();
    }
}
