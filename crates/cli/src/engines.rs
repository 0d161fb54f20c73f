//! Engines on the command line: the list of the library, and how to install what is missing.

use anyhow::Context;
use veracity_engine::SpecError;
use veracity_lab::LabError;
use veracity_lab::plan::PlanError;

pub use veracity::ENGINES;
pub use veracity::engines::{
    HOW, Resolved, WORKERS, all, default_specs, engines, how, missing, read, read_all, resolve,
};

/// Where an error is about an engine that is not installed: the command that installs it, to end the sentence.
pub fn how_to_get(error: &anyhow::Error) -> Option<String> {
    let of_plan = |plan: &PlanError| match plan {
        PlanError::Spec(spec) => Some(spec.clone()),
        _ => None,
    };
    let spec = error.chain().find_map(|cause| match cause.downcast_ref::<LabError>() {
        Some(LabError::Plan(plan)) => of_plan(plan),
        _ => {
            cause.downcast_ref::<PlanError>().and_then(of_plan).or_else(|| cause.downcast_ref::<SpecError>().cloned())
        }
    });
    let SpecError::UnknownEngine { name, .. } = spec? else { return None };
    WORKERS.iter().any(|(known, _)| *known == name).then(|| format!("; run `veracity engines install {name}`"))
}

/// A digest of this program: stored records are reused only by the build that made them.
pub fn build() -> anyhow::Result<String> {
    let path = std::env::current_exe().context("cannot determine the path of this program")?;
    veracity::engines::build_of(&path).with_context(|| format!("{} cannot be read", path.display()))
}
