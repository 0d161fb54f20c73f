//! Every engine a program can use: those linked in, one entry each in [`crate::ENGINES`], and the workers that are installed.
//!
//! ```
//! let resolved = veracity::engines::read("native:integrator=rk4").unwrap();
//! assert_eq!(resolved.engine.name(), "native");
//! let error = veracity::engines::read("nonsense").err().unwrap().to_string();
//! assert!(error.contains("native"), "{error}");
//! ```

use crate::ENGINES;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use veracity_engine::{Engine, EngineSpec, Settings, SpecError};
use veracity_lab::Engines;
use veracity_model::Digest;
use veracity_worker::{Limits, WorkerEngine};

/// Workers that can be built from this repository: name and description.
pub const WORKERS: &[(&str, &str)] = &[
    ("bullet", "Bullet 3.24 in double precision, multibodies or maximal coordinates"),
    ("dart", "DART 6.12, joint coordinates, contact as a boxed complementarity problem"),
    ("mujoco", "MuJoCo 4.0.1, joint coordinates, soft contacts; other versions: mujoco@4.0.0, mujoco@3.17"),
    ("ode", "Open Dynamics Engine 0.16, maximal coordinates"),
    (
        "physx",
        "PhysX 5.1 in single precision, maximal coordinates, TGS or PGS; optional, as it is compiled from source",
    ),
    ("simbody", "Simbody 3.7, joint coordinates, its own integrators, compliant contact"),
];

/// The command that builds missing workers.
pub const HOW: &str = "cargo xtask engines";

/// The command that builds this worker: an optional one must be named.
pub fn how(name: &str) -> String {
    format!("{HOW} {name}")
}

/// Why a text names no engine.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EngineError {
    /// A worker that can be built but is not installed.
    #[error("the engine {0} is not installed; run `veracity engines install {0}`")]
    NotInstalled(String),
    /// The spec is invalid.
    #[error(transparent)]
    Spec(#[from] SpecError),
}

/// Workers of [`veracity_worker::find`]. One with the name of a linked engine could never be selected and is ignored.
fn workers() -> Vec<(String, PathBuf)> {
    let taken = |name: &str| ENGINES.iter().any(|engine| engine.name() == name.split('@').next().unwrap_or(name));
    veracity_worker::find().into_iter().filter(|(name, _)| !taken(name)).collect()
}

/// All available engines; tables, help and tests follow from this list. A worker is started on its first use.
pub fn all() -> &'static [&'static dyn Engine] {
    static ALL: OnceLock<Vec<&'static dyn Engine>> = OnceLock::new();
    ALL.get_or_init(|| {
        let worker = |(_, path)| -> &'static dyn Engine {
            // Leaked for the life of the program, like the linked ones.
            Box::leak(Box::new(WorkerEngine::new(path, Limits::default())))
        };
        let found = workers().into_iter().map(worker);
        ENGINES.iter().copied().chain(found).collect()
    })
}

/// Every engine with its default settings: a second version of one under its own name, `mujoco@3.17`.
pub fn default_specs() -> Result<Vec<EngineSpec>, SpecError> {
    let linked = ENGINES.iter().map(|engine| engine.name().to_string());
    let found = workers().into_iter().map(|(name, _)| name);
    linked.chain(found).map(|name| name.parse()).collect()
}

/// Workers that could be installed but are not: name and description.
pub fn missing() -> Vec<(&'static str, &'static str)> {
    let found = veracity_worker::find();
    let absent = |(name, _): &&(&str, &str)| found.iter().all(|(there, _)| there != name);
    WORKERS.iter().filter(absent).copied().collect()
}

/// Identifies a build by the file of its program or library: stored records are reused only by the build that made them. A
/// worker's identity is part of the keys of its own trials, see [`Engine::identity`].
pub fn build_of(program: &Path) -> std::io::Result<String> {
    Ok(Digest::of(&std::fs::read(program)?).to_string())
}

/// A spec with the engine, version and settings it names.
pub struct Resolved {
    /// As written.
    pub spec: EngineSpec,
    /// The engine.
    pub engine: &'static dyn Engine,
    /// Every setting, defaults included.
    pub settings: Settings,
}

/// The engine that a spec names, in the version it names, with its settings. Every program resolves specs here or, for
/// the rows of a study, with the same rule in [`Engines::resolve`].
pub fn resolve(spec: &EngineSpec) -> Result<Resolved, SpecError> {
    let (engine, settings) = engines("").resolve(spec)?;
    Ok(Resolved { spec: spec.clone(), engine, settings })
}

/// The engine of one argument or of one line of a file. A worker that is not installed is reported with the command that
/// builds it.
pub fn read(text: &str) -> Result<Resolved, EngineError> {
    let spec: EngineSpec = text.parse()?;
    let known = all().iter().any(|engine| engine.name() == spec.engine);
    if !known && WORKERS.iter().any(|(name, _)| *name == spec.engine) {
        return Err(EngineError::NotInstalled(spec.engine));
    }
    Ok(resolve(&spec)?)
}

/// Engines of arguments that may each list several: every one is resolved before the first is used, so that a misspelt one
/// does not waste the time of the others. Without arguments, every engine with its default settings.
pub fn read_all<'a>(texts: impl Iterator<Item = &'a String>) -> Result<Vec<Resolved>, EngineError> {
    let given: Vec<String> = texts.flat_map(|text| split(text)).collect();
    if given.is_empty() {
        return default_specs()?.iter().map(|spec| Ok(resolve(spec)?)).collect();
    }
    given.iter().map(|text| read(text)).collect()
}

/// `native,rapier:iters=4,multibody,native:euler`: a comma starts a new spec if an engine's name follows.
fn split(text: &str) -> Vec<String> {
    let names: Vec<&str> = all().iter().map(|e| e.name()).chain(WORKERS.iter().map(|(name, _)| *name)).collect();
    let mut out: Vec<String> = Vec::new();
    for part in text.split(',') {
        let begins = names.contains(&part.split([':', '@']).next().unwrap_or(""));
        match out.last_mut() {
            Some(last) if !begins && last.contains(':') => *last += &format!(",{part}"),
            _ => out.push(part.to_string()),
        }
    }
    out
}

/// The engines with the build.
pub fn engines(build: &str) -> Engines<'_> {
    Engines { list: all(), build }
}

#[cfg(test)]
mod tests {
    #[test]
    fn commas_separate_engines_and_settings() {
        assert_eq!(super::split("native,rapier"), ["native", "rapier"]);
        assert_eq!(
            super::split("native:integrator=rk4,rapier:multibody,iters=4,native"),
            ["native:integrator=rk4", "rapier:multibody,iters=4", "native"]
        );
    }
}
