//! Files of fitted parameters: small, kept with a study, so that recordings made later can be scored with them.

use crate::CalibrateError;
use crate::file::Calibration;
use crate::fit::CalibrationFit;
use serde::Deserialize;
use std::path::Path;
use veracity_engine::EngineSpec;
use veracity_model::input::{MOST_TEXT, read_text};

/// A file of fitted parameters.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FittedFile {
    /// 1.
    pub schema: u32,
    /// Name of the calibration.
    pub calibration: String,
    /// Engine spec of the fit, without fitted settings.
    pub engine: String,
    /// The parameters, in the order of the calibration.
    pub parameters: Vec<FittedValue>,
}

/// One parameter.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FittedValue {
    /// As in the calibration's result.
    pub name: String,
    /// The best value.
    pub value: f64,
    /// Its 95 % interval; absent where there is none.
    #[serde(default)]
    pub interval: Option<[f64; 2]>,
    /// Paths of numbers of the scenario that get the value.
    #[serde(default)]
    pub paths: Vec<String>,
    /// The setting of the engine that gets the value.
    #[serde(default)]
    pub setting: Option<String>,
}

impl FittedFile {
    /// Of a fit.
    pub fn new(file: &Calibration, found: &CalibrationFit) -> Self {
        let value = |(parameter, fitted): (&crate::file::Parameter, &crate::fit::FittedParameter)| FittedValue {
            name: fitted.name.clone(),
            value: fitted.estimate,
            interval: fitted.determined.then_some([fitted.low, fitted.high]),
            paths: parameter.path.iter().chain(&parameter.also).cloned().collect(),
            setting: parameter.setting.clone(),
        };
        Self {
            schema: 1,
            calibration: file.name.clone(),
            engine: file.engine.clone(),
            parameters: file.parameters.iter().zip(&found.parameters).map(value).collect(),
        }
    }

    /// Reads a file.
    pub fn load(path: &Path) -> Result<Self, CalibrateError> {
        let file = path.display().to_string();
        let text = read_text(path, MOST_TEXT)
            .map_err(|e| CalibrateError::Unfit(format!("{file}: could not be read: {e}")))?;
        let read: Self = toml::from_str(&text).map_err(|error| {
            let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
            CalibrateError::Line { file: file.clone(), line, what: error.message().to_owned() }
        })?;
        if read.schema != 1 {
            let what = format!("schema {} is newer than this program, which reads 1", read.schema);
            return Err(CalibrateError::Line { file, line: 1, what });
        }
        Ok(read)
    }

    /// As text.
    pub fn text(&self) -> String {
        // Names and paths hold no control characters: their quoted form is a TOML string.
        let mut out =
            format!("schema = {}\ncalibration = {:?}\nengine = {:?}\n", self.schema, self.calibration, self.engine);
        for p in &self.parameters {
            out += &format!("\n[[parameters]]\nname = {:?}\nvalue = {:?}\n", p.name, p.value);
            if let Some([low, high]) = p.interval {
                out += &format!("interval = [{low:?}, {high:?}]\n");
            }
            if !p.paths.is_empty() {
                out += &format!("paths = {:?}\n", p.paths);
            }
            if let Some(setting) = &p.setting {
                out += &format!("setting = {setting:?}\n");
            }
        }
        out
    }

    /// Values in the order of a calibration's parameters.
    pub fn values(&self, file: &Calibration) -> Result<Vec<f64>, CalibrateError> {
        let value = |parameter: &crate::file::Parameter| {
            let name = parameter.name();
            let found = self.parameters.iter().find(|p| p.name == name).map(|p| p.value);
            found.filter(|x| (parameter.low..=parameter.high).contains(x)).ok_or_else(|| {
                CalibrateError::Unfit(format!(
                    "the fitted parameters have no '{name}' within the calibration's bounds"
                ))
            })
        };
        file.parameters.iter().map(value).collect()
    }

    /// The engine with its fitted settings, and the step if that was fitted [s].
    pub fn spec(&self) -> Result<(EngineSpec, Option<f64>), CalibrateError> {
        let wrong = |e| CalibrateError::Unfit(format!("engine '{}': {e}", self.engine));
        let mut spec: EngineSpec = self.engine.parse().map_err(wrong)?;
        let mut step_s = None;
        for parameter in &self.parameters {
            match parameter.setting.as_deref() {
                Some("step_s") => step_s = Some(parameter.value),
                Some(key) => {
                    spec.settings.retain(|(k, _)| k != key);
                    spec.settings.push((key.to_owned(), parameter.value.to_string()));
                }
                None => {}
            }
        }
        Ok((spec, step_s))
    }

    /// Numbers of the scenario by path.
    pub fn numbers(&self) -> impl Iterator<Item = (&str, f64)> {
        self.parameters.iter().flat_map(|p| p.paths.iter().map(|path| (path.as_str(), p.value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let parameter = |name: &str, setting: Option<&str>| FittedValue {
            name: name.to_owned(),
            value: 0.1 + 0.2,
            interval: setting.is_none().then_some([0.1, 0.5]),
            paths: if setting.is_none() { vec![name.to_owned(), "world/a~1b".to_owned()] } else { Vec::new() },
            setting: setting.map(str::to_owned),
        };
        let file = FittedFile {
            schema: 1,
            calibration: "cube".into(),
            engine: "native:paradigm=penalty".into(),
            parameters: vec![parameter("world/x", None), parameter("engine/stiffness", Some("stiffness"))],
        };
        assert_eq!(toml::from_str::<FittedFile>(&file.text()).unwrap(), file);
        let (spec, step) = file.spec().unwrap();
        assert!(spec.to_string().contains("stiffness=0.30000000000000004") && step.is_none(), "{spec}");
        assert_eq!(file.numbers().count(), 2);
    }
}
