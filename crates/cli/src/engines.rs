//! Every engine there is: those this program carries, one line each, and the workers found beside it.

use std::sync::OnceLock;
use veracity_engine::{Engine, EngineSpec, Settings, SpecError};
use veracity_lab::Engines;
use veracity_model::Digest;
use veracity_worker::{Limits, WorkerEngine};

/// Those in this program.
const BUILT_IN: &[&'static dyn Engine] = &[&veracity_engine_native::ENGINE, &veracity_engine_rapier::ENGINE];

/// Workers that can be built from this repository, by name, and what each is.
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

/// What brings a worker that is not there.
pub const HOW: &str = "cargo xtask engines";

/// What brings this one: an optional one comes by its name alone.
pub fn how(name: &str) -> String {
    format!("{HOW} {name}")
}

/// Workers beside this program. One that has the name of an engine in this program could never be asked for: it is not taken.
fn workers() -> Vec<(String, std::path::PathBuf)> {
    let taken = |name: &str| BUILT_IN.iter().any(|engine| engine.name() == name.split('@').next().unwrap_or(name));
    veracity_worker::find().into_iter().filter(|(name, _)| !taken(name)).collect()
}

/// All that are there; tables, help and tests follow from this list. A worker is started when it is first asked something.
pub fn all() -> &'static [&'static dyn Engine] {
    static ALL: OnceLock<Vec<&'static dyn Engine>> = OnceLock::new();
    ALL.get_or_init(|| {
        let worker = |(_, path)| -> &'static dyn Engine {
            // For the life of the program, like those that are built in.
            Box::leak(Box::new(WorkerEngine::new(path, Limits::default())))
        };
        let found = workers().into_iter().map(worker);
        BUILT_IN.iter().copied().chain(found).collect()
    })
}

/// Every engine as it comes: a second version of one by its own name, `mujoco@3.17`.
pub fn default_specs() -> anyhow::Result<Vec<EngineSpec>> {
    let built_in = BUILT_IN.iter().map(|engine| engine.name().to_string());
    let found = workers().into_iter().map(|(name, _)| name);
    built_in.chain(found).map(|name| Ok(name.parse()?)).collect()
}

/// Workers that could be there and are not: name and what it is.
pub fn missing() -> Vec<(&'static str, &'static str)> {
    let found = veracity_worker::find();
    let absent = |(name, _): &&(&str, &str)| found.iter().all(|(there, _)| there != name);
    WORKERS.iter().filter(absent).copied().collect()
}

/// A digest of this very program: stored records are taken again only from the build that made them. What a worker is goes into
/// the keys of its own trials, see [`Engine::identity`].
pub fn build() -> anyhow::Result<String> {
    use anyhow::Context;
    let path = std::env::current_exe().context("this program cannot find itself")?;
    let program = std::fs::read(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    Ok(Digest::of(&program).to_string())
}

/// The engine a spec names, in the version it names, with its settings.
pub fn resolve(spec: &EngineSpec) -> Result<(&'static dyn Engine, Settings), SpecError> {
    engines("").resolve(spec)
}

/// The list with its build.
pub fn engines(build: &str) -> Engines<'_> {
    Engines { list: all(), build }
}
