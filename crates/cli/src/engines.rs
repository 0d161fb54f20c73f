//! Every engine this program carries: one line each.

use veracity_engine::Engine;
use veracity_lab::Engines;
use veracity_model::Digest;

/// The list; tables, help and tests follow from it.
pub const ENGINES: &[&'static dyn Engine] = &[&veracity_engine_native::ENGINE, &veracity_engine_rapier::ENGINE];

/// A digest of this very program: stored records are taken again only from the build that made them.
pub fn build() -> anyhow::Result<String> {
    use anyhow::Context;
    let path = std::env::current_exe().context("this program cannot find itself")?;
    let bytes = std::fs::read(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    Ok(Digest::of(&bytes).to_string())
}

/// The list with its build.
pub fn engines(build: &str) -> Engines<'_> {
    Engines { list: ENGINES, build }
}
