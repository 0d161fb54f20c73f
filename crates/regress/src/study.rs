//! Study files: sources of training runs and recordings, features and model.

use crate::carried::{Carried, CarriedOptions, carried};
use crate::datasets::weazelball::{pairs, published, sessions};
use crate::doubts::DoubtRows;
use crate::error::Error;
use crate::joint_features::joint_features;
use crate::models::ModelKind;
use crate::motion::Motion;
use crate::records;
use crate::rows::Rows;
use crate::simulate::{Subject, simulate, with_noise};

use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use veracity_engine::{Engine, EngineSpec};
use veracity_mocap::turns::about;
use veracity_model::Overrides;
use veracity_model::input::{MOST_TEXT, read_text};
use veracity_scenario::{LoadOptions, Scenario};

/// A study file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegressionStudy {
    /// 1.
    pub schema: u32,
    /// Short and stable.
    pub name: String,
    /// In a line.
    pub title: String,
    /// Purpose of the study.
    pub text: String,
    /// The learned parameter.
    pub target: TargetParameter,
    /// Source of training runs.
    pub training: Training,
    /// Source of the recording.
    pub recorded: Recorded,
    /// Features of a row.
    pub features: Features,
    /// The map.
    pub model: ModelKind,
    /// Number of permutations for the test against chance.
    #[serde(default)]
    pub permutations: u32,
    /// What else could be different in the recorded world; training is simulated.
    #[serde(default)]
    pub doubts: Vec<DoubtTable>,
}

/// `[[doubts]]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DoubtTable {
    /// In a few words: "twice the mass".
    pub name: String,
    /// Numbers of that world by path.
    pub set: BTreeMap<String, f64>,
}

/// `[target]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetParameter {
    /// Its name.
    pub name: String,
    /// Its unit, as shown.
    pub unit: String,
    /// One step in that unit: errors are shown in per cent of it. Values of runs are in the unit, not in steps; only the
    /// published tables count steps.
    pub step: f64,
    /// The value reality is expected to have.
    pub expected: Option<f64>,
}

/// `[training]`: one of these.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum Training {
    /// Published tables.
    Published {
        /// `ode` or `dart`.
        engine: String,
        /// Below the data folder.
        archive: PathBuf,
    },
    /// Runs simulated by an engine.
    Simulate(Simulated),
    /// Runs made elsewhere, one file each.
    Records(TrainingRecords),
}

/// `[training.records]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingRecords {
    /// The runs.
    pub runs: Vec<LabelledRun>,
    /// The recorded body and joint.
    pub subject: Subject,
    /// Roll, pitch and yaw of the features' frame in the body's, in degrees.
    #[serde(default)]
    pub body_turn_deg: [f64; 3],
}

/// A run whose value is known.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelledRun {
    /// Path relative to the study file: a record, or anything that `veracity mocap` reads.
    pub file: PathBuf,
    /// The target's value, in its unit.
    pub value: f64,
}

/// `[recorded.records]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedRecords {
    /// Paths relative to the study file, one recording each: records, or anything that `veracity mocap` reads.
    pub files: Vec<PathBuf>,
    /// The recorded body and joint.
    pub subject: Subject,
    /// Roll, pitch and yaw of the features' frame in the body's, in degrees.
    #[serde(default)]
    pub body_turn_deg: [f64; 3],
}

/// Sessions by number.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Sessions {
    /// The first ones, from 1.
    First(u32),
    /// These.
    List(Vec<u32>),
}

impl Sessions {
    /// Their numbers.
    pub fn numbers(&self) -> Vec<u32> {
        match self {
            Self::First(count) => (1..=*count).collect(),
            Self::List(numbers) => numbers.clone(),
        }
    }
}

/// `[recorded]`: one of these.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum Recorded {
    /// Published test rows.
    Published {
        /// Below the data folder.
        archive: PathBuf,
        /// A number of sessions from the first, or a list of sessions.
        sessions: Sessions,
        /// From the frame of the recording's quaternions to the model's, about x [rad].
        body_turn_x_rad: f64,
    },
    /// A simulated recording with known truth.
    Simulate(Simulated),
    /// A user's recordings.
    Records(RecordedRecords),
}

/// Runs of a scenario.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Simulated {
    /// Path relative to the study file.
    pub scenario: PathBuf,
    /// The engine spec.
    pub engine: String,
    /// The path of the parameter that is varied.
    pub parameter: String,
    /// Its values, in the unit of the target.
    pub values: Vec<f64>,
    /// Runs of each value.
    pub runs: u32,
    /// Start of the runs: numbers by path, the first value and the change from run to run.
    #[serde(default)]
    pub start: BTreeMap<String, [f64; 2]>,
    /// Other numbers by path.
    #[serde(default)]
    pub set: BTreeMap<String, f64>,
    /// Length of a run, if not the scenario's [s].
    pub duration_s: Option<f64>,
    /// Noise of positions [m].
    #[serde(default)]
    pub noise_m: f64,
    /// Noise of orientations [rad].
    #[serde(default)]
    pub noise_rad: f64,
    /// The recorded body and joint.
    pub subject: Subject,
}

/// `[features]`
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "kind")]
pub enum Features {
    /// Whole states, as published.
    Published,
    /// Independent of position, heading and clock: see [`mod@crate::carried`].
    Carried {
        /// See [`CarriedOptions`].
        #[serde(default = "four")]
        stride: usize,
        /// See [`CarriedOptions`].
        #[serde(default = "two")]
        every: usize,
        /// See [`CarriedOptions`].
        #[serde(default = "centimetre")]
        wall_margin_m: f64,
    },
    /// Position, velocity and acceleration of the subject's joint: see [`mod@crate::joint_features`].
    Joint {
        /// Samples between the differences.
        #[serde(default = "four")]
        stride: usize,
        /// Samples from one row to the next.
        #[serde(default = "two")]
        every: usize,
    },
}

fn four() -> usize {
    4
}

fn two() -> usize {
    2
}

fn centimetre() -> f64 {
    0.01
}

/// Rows of both sides, and the motions they were computed from.
pub struct StudyData {
    /// Training rows.
    pub training: Rows,
    /// Recorded rows.
    pub recorded: Rows,
    /// Motions of training.
    pub training_motions: Vec<Motion>,
    /// Motions of the recording.
    pub recorded_motions: Vec<Motion>,
    /// The same recordings whole, for distributions: published test rows are windows of 0.4 s.
    pub recorded_whole: Vec<Motion>,
    /// Rows of the worlds in doubt.
    pub doubts: Vec<DoubtRows>,
    /// Notes on what was left out and why.
    pub notes: Vec<String>,
}

impl RegressionStudy {
    /// Reads a file.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let text =
            read_text(path, MOST_TEXT).map_err(|source| Error::Unreadable { path: path.to_owned(), source })?;
        let study: Self = toml::from_str(&text).map_err(|error| {
            let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
            Error::Line { file: path.display().to_string(), line, what: error.message().to_owned() }
        })?;
        if study.schema != 1 {
            let what = format!("schema {} is newer than this program, which reads 1", study.schema);
            return Err(Error::Line { file: path.display().to_string(), line: 1, what });
        }
        Ok(study)
    }

    /// Replaces the engine that simulates training.
    pub fn train_with(&mut self, engine: &str) -> Result<(), Error> {
        match &mut self.training {
            Training::Simulate(simulated) => {
                engine.clone_into(&mut simulated.engine);
                Ok(())
            }
            Training::Published { .. } | Training::Records(_) => Err(Error::Unfit(format!(
                "{}: training is read from files, not simulated; leave --engine out",
                self.name
            ))),
        }
    }

    /// Simulates and reads everything. `study_folder` is the study's folder, `data` that of recorded data.
    pub fn material(
        &self,
        study_folder: &Path,
        data: Option<&Path>,
        engines: &[&'static dyn Engine],
        progress: &mut dyn FnMut(&str, usize, usize),
    ) -> Result<StudyData, Error> {
        let below = |archive: &Path| match data {
            Some(folder) => Ok(folder.join(archive)),
            None => Err(Error::Unfit(format!(
                "{} is recorded data: give its folder with --data or VERACITY_DATA",
                archive.display()
            ))),
        };
        let mut notes = Vec::new();
        let plain = [1.0, 0.0, 0.0, 0.0];
        let (mut training_pairs, mut recorded_pairs) = (None, None);
        // The recording first: a missing file is known before minutes of simulation.
        let mut recorded_whole = None;
        let recorded_motions = match &self.recorded {
            Recorded::Published { archive, sessions: wanted, body_turn_x_rad } => {
                let numbers = wanted.numbers();
                recorded_whole = Some(sessions::sessions(&below(Path::new("weazelball"))?, &numbers)?);
                let rows = published::recorded(&below(archive)?, &numbers)?;
                let motions = pairs::motions(&rows, &about(&[1.0, 0.0, 0.0], *body_turn_x_rad));
                recorded_pairs = Some(rows);
                motions
            }
            Recorded::Simulate(simulated) => self.runs(simulated, study_folder, engines, 1, progress)?,
            Recorded::Records(RecordedRecords { files, subject, body_turn_deg }) => files
                .iter()
                .map(|file| {
                    let record = records::record(&study_folder.join(file))?;
                    records::motion(&record, subject, *body_turn_deg, &file.display().to_string(), &[])
                })
                .collect::<Result<_, _>>()?,
        };
        let training_motions = match &self.training {
            Training::Published { engine, archive } => {
                let mut rows = published::training(&below(archive)?, engine)?;
                for run in &mut rows.runs {
                    run.targets.iter_mut().for_each(|t| *t *= self.target.step / published::OFFSET_STEP_M);
                }
                let motions = pairs::motions(&rows, &plain);
                training_pairs = Some(rows);
                motions
            }
            Training::Simulate(simulated) => {
                notes.push(format!(
                    "training: {} values, {} runs each, simulated by {}",
                    simulated.values.len(),
                    simulated.runs,
                    simulated.engine
                ));
                self.runs(simulated, study_folder, engines, 0, progress)?
            }
            Training::Records(TrainingRecords { runs, subject, body_turn_deg }) => runs
                .iter()
                .map(|LabelledRun { file, value }| {
                    let record = records::record(&study_folder.join(file))?;
                    records::motion(&record, subject, *body_turn_deg, &file.display().to_string(), &[*value])
                })
                .collect::<Result<_, _>>()?,
        };
        let recorded_whole = recorded_whole.unwrap_or_else(|| recorded_motions.clone());
        let mut doubt_motions = Vec::new();
        for doubt in &self.doubts {
            let Training::Simulate(simulated) = &self.training else {
                return Err(Error::Unfit(format!(
                    "doubt '{}': training is read from files, not simulated",
                    doubt.name
                )));
            };
            let mut other = simulated.clone();
            other.set.extend(doubt.set.clone());
            let side = 2 + doubt_motions.len() as u64;
            doubt_motions.push((doubt.name.clone(), self.runs(&other, study_folder, engines, side, progress)?));
        }
        let mut doubts = Vec::new();
        for (name, motions) in &doubt_motions {
            let rows = match self.features {
                Features::Published => {
                    return Err(Error::Unfit(
                        "doubts need features of motions; use kind = \"carried\" or \"joint\"".into(),
                    ));
                }
                Features::Carried { stride, every, wall_margin_m } => {
                    carried(motions, &CarriedOptions { stride, every, wall_margin_m }).rows
                }
                Features::Joint { stride, every } => joint_features(motions, stride, every),
            };
            doubts.push(DoubtRows { name: name.clone(), rows });
        }
        let (training, recorded) = match self.features {
            Features::Published => {
                let both = training_pairs.zip(recorded_pairs);
                both.ok_or_else(|| {
                    Error::Unfit(
                        "published features need published tables on both sides; use kind = \"carried\"".into(),
                    )
                })?
            }
            Features::Carried { stride, every, wall_margin_m } => {
                let options = CarriedOptions { stride, every, wall_margin_m };
                let mut make = |motions: &[Motion], side: &str| {
                    let Carried { rows, near_walls } = carried(motions, &options);
                    notes.push(format!(
                        "{side}: {} rows; {near_walls} left out within {wall_margin_m} m of a wall",
                        rows.len()
                    ));
                    rows
                };
                (make(&training_motions, "training"), make(&recorded_motions, "recorded"))
            }
            Features::Joint { stride, every } => {
                (joint_features(&training_motions, stride, every), joint_features(&recorded_motions, stride, every))
            }
        };
        Ok(StudyData { training, recorded, training_motions, recorded_motions, recorded_whole, doubts, notes })
    }

    fn runs(
        &self,
        simulated: &Simulated,
        study_folder: &Path,
        engines: &[&'static dyn Engine],
        side: u64,
        progress: &mut dyn FnMut(&str, usize, usize),
    ) -> Result<Vec<Motion>, Error> {
        let wrong = |text: String| Error::Unfit(text);
        let spec: EngineSpec =
            simulated.engine.parse().map_err(|e| wrong(format!("engine '{}': {e}", simulated.engine)))?;
        if engines.iter().all(|engine| engine.name() != spec.engine) {
            let text = format!("there is no engine '{}'; `veracity list engines` shows them", spec.engine);
            return Err(wrong(text));
        }
        let here = veracity_lab::Engines { list: engines, build: "" };
        let (engine, settings) = here.resolve(&spec).map_err(|e| wrong(e.to_string()))?;
        let scenario = Scenario::load(&study_folder.join(&simulated.scenario), &LoadOptions::default());
        let mut scenario = scenario.map_err(|findings| wrong(findings.to_string()))?;
        if let Some(seconds) = simulated.duration_s {
            scenario.duration_ns = (seconds * 1e9).round() as i64;
        }
        let total = simulated.values.len() * simulated.runs as usize;
        let mut motions = Vec::new();
        for value in &simulated.values {
            for run in 0..simulated.runs {
                progress("simulated runs", motions.len(), total);
                let mut overrides = Overrides::new();
                overrides.insert(&simulated.parameter, *value);
                for (path, [first, change]) in &simulated.start {
                    overrides.insert(path, first + change * f64::from(run));
                }
                simulated.set.iter().for_each(|(path, value)| {
                    overrides.insert(path, *value);
                });
                let name = format!("{} {value:+}, run {}", self.target.name, run + 1);
                let targets = [*value];
                let motion = simulate(engine, &settings, &scenario, &overrides, &simulated.subject, &name, &targets)?;
                let seed = (side << 32) + motions.len() as u64;
                motions.push(with_noise(motion, simulated.noise_m, simulated.noise_rad, seed));
            }
        }
        Ok(motions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_studies_are_read_and_a_wrong_key_is_named() {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../studies/weazelball"));
        let mut names = Vec::new();
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|e| e == "toml") {
                let study = RegressionStudy::load(&path).unwrap();
                names.push(study.name);
            }
        }
        assert!(names.len() >= 6, "{names:?}");
        let text = std::fs::read_to_string(folder.join("known_truth.toml")).unwrap();
        let wrong = std::env::temp_dir().join(format!("veracity-study-{}.toml", std::process::id()));
        for (from, to, part) in
            [("gamma = 0.05", "gama = 0.05", "gama"), ("schema = 1", "schema = 2", "newer"), ("runs = 3", "", "runs")]
        {
            std::fs::write(&wrong, text.replacen(from, to, 1)).unwrap();
            let error = RegressionStudy::load(&wrong).unwrap_err().to_string();
            assert!(error.contains(part) && error.contains(".toml:"), "{error}");
        }
        std::fs::remove_file(&wrong).unwrap();
    }

    #[test]
    fn another_engine_is_accepted_for_simulated_training_and_rejected_for_published() {
        let load = |name: &str| {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../studies/weazelball/");
            RegressionStudy::load(Path::new(&format!("{folder}{name}.toml"))).unwrap()
        };
        let mut study = load("known_truth");
        study.train_with("nobody:x=1").unwrap();
        study.recorded = match study.training.clone() {
            Training::Simulate(simulated) => Recorded::Simulate(simulated),
            _ => panic!("training of this study is simulated"),
        };
        let found = study.material(Path::new("."), Some(Path::new(".")), &[], &mut |_, _, _| ());
        let error = found.err().unwrap().to_string();
        assert!(error.contains("no engine 'nobody'"), "{error}");
        let error = load("published_ode").train_with("ode").unwrap_err().to_string();
        assert!(error.contains("leave --engine out"), "{error}");
    }

    #[test]
    fn a_value_is_the_target_whatever_the_step() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../studies/weazelball/known_truth.toml");
        let mut study = RegressionStudy::load(Path::new(path)).unwrap();
        study.target.step = 0.01;
        let short = |simulated: &mut Simulated| {
            (simulated.duration_s, simulated.runs, simulated.values) = (Some(0.5), 1, vec![0.045]);
        };
        if let Training::Simulate(simulated) = &mut study.training {
            short(simulated);
        }
        if let Recorded::Simulate(simulated) = &mut study.recorded {
            short(simulated);
        }
        let engines: &[&'static dyn Engine] = &[&veracity_engine_native::ENGINE];
        let folder = Path::new(path).parent().unwrap();
        let found = study.material(folder, None, engines, &mut |_, _, _| ()).unwrap();
        // Value times step would be 0.00045, a parameter that nothing was set to.
        assert_eq!(found.training.runs[0].targets, [0.045]);
    }

    #[test]
    fn missing_sessions_are_named_before_anything_is_simulated() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../studies/weazelball/simulated.toml");
        let study = RegressionStudy::load(Path::new(path)).unwrap();
        let mut simulated = 0;
        let found = study.material(Path::new("."), Some(Path::new("nowhere")), &[], &mut |_, _, _| simulated += 1);
        let error = found.err().unwrap().to_string();
        assert!(error.contains("trial_01.txt") && error.contains("list of sessions"), "{error}");
        assert_eq!(simulated, 0);
    }

    #[test]
    fn a_missing_data_folder_is_an_error() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../studies/weazelball/published_ode.toml");
        let study = RegressionStudy::load(Path::new(path)).unwrap();
        let error = study.material(Path::new("."), None, &[], &mut |_, _, _| ()).err().unwrap().to_string();
        assert!(error.contains("--data or VERACITY_DATA"), "{error}");
    }
}
