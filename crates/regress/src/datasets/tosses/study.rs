//! Study files of tosses: table, scenario and engines.

use crate::error::Error;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use veracity_calibrate::FittedFile;
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
    /// Tosses that parameters are fitted on; the others are held out.
    pub fitted_on: Option<FittedOn>,
    /// The engines to score.
    pub engines: Vec<TossEngine>,
}

/// Tosses whose number modulo `modulo` is below `below`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FittedOn {
    /// Divisor.
    pub modulo: i64,
    /// Bound of the remainder.
    pub below: i64,
}

impl FittedOn {
    /// Whether parameters are fitted on this toss.
    pub fn holds(&self, toss: i64) -> bool {
        toss.rem_euclid(self.modulo.max(1)) < self.below
    }
}

/// One row of the table of scores.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TossEngine {
    /// The engine with its settings; absent if `fitted` names them.
    #[serde(default)]
    pub spec: String,
    /// A file of fitted parameters, relative to the study: its engine, settings and numbers.
    #[serde(default)]
    pub fitted: Option<PathBuf>,
    /// Label, in a few words.
    #[serde(default)]
    pub label: String,
    /// Numbers of the scenario to change for this engine.
    #[serde(default)]
    pub set: BTreeMap<String, f64>,
    /// Of a fitted engine: the spec it was fitted from, whose row it is compared with.
    #[serde(skip)]
    pub base: Option<String>,
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
        let mut study: Self = toml::from_str(&text).map_err(|error| {
            let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
            at(line, error.message().to_owned())
        })?;
        if study.schema != 1 {
            return Err(at(1, format!("schema {} is newer than this program, which reads 1", study.schema)));
        }
        if study.every == 0 || !(study.half_width_m > 0.0 && study.half_width_m.is_finite()) {
            return Err(at(1, "`every` is at least 1 and `half_width_m` a positive length".to_owned()));
        }
        let folder = path.parent().unwrap_or(Path::new("."));
        for engine in &mut study.engines {
            engine.resolve(folder)?;
        }
        Ok(study)
    }
}

impl TossEngine {
    /// Takes engine, settings and numbers from the fitted file.
    fn resolve(&mut self, folder: &Path) -> Result<(), Error> {
        let Some(file) = &self.fitted else {
            let named = !self.spec.is_empty();
            return if named { Ok(()) } else { Err(Error::Unfit("an engine has `spec` or `fitted`".to_owned())) };
        };
        let fitted = FittedFile::load(&folder.join(file)).map_err(|e| Error::Unfit(e.to_string()))?;
        let (spec, step_s) = fitted.spec().map_err(|e| Error::Unfit(e.to_string()))?;
        if step_s.is_some() || !self.spec.is_empty() {
            let what = "the step of a toss is that of the protocol, and `fitted` names the engine";
            return Err(Error::Unfit(format!("{}: {what}", file.display())));
        }
        self.base = Some(fitted.engine.clone());
        self.spec = spec.to_string();
        self.set.extend(fitted.numbers().map(|(path, value)| (path.to_owned(), value)));
        Ok(())
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
