//! Tests the report in a real browser: headless Chromium opens the demo report and one with hostile data.
//!
//! Chromium is Debian's and is installed if missing. `VERACITY_CHROMIUM` can name another one.

use crate::process;
use crate::test_output::Counts;
use crate::web;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Usual locations of Chromium.
const PLACES: &[&str] = &["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/// Runs the browser tests; returns the browser's version.
pub fn check(workspace: &Workspace, counts: &mut Counts) -> Result<String> {
    let chromium = ensure()?;
    web::install(workspace)?;
    let folder = workspace.target().join("web");
    std::fs::create_dir_all(&folder)?;
    let maker = maker(workspace)?;
    let demo = report(&maker, &folder.join("demo.html"), &[])?;
    let json = report(&maker, &folder.join("demo.json"), &["--json"])?;
    let hostile = report(&maker, &folder.join("hostile.html"), &["--hostile"])?;
    let many = report(&maker, &folder.join("many.html"), &["--many", "20000"])?;
    let variables: [(&str, &Path); 6] = [
        ("VERACITY_CHROMIUM", &chromium),
        ("VERACITY_DEMO", &demo),
        ("VERACITY_DEMO_JSON", &json),
        ("VERACITY_HOSTILE", &hostile),
        ("VERACITY_MANY", &many),
        ("VERACITY_REPORT_MAKER", &maker),
    ];
    web::run_vitest(workspace, "vitest.browser.config.ts", &variables, counts)
        .context("browser tests of the report")?;
    let version = process::output_of(Command::new(&chromium).arg("--version"))?;
    Ok(version.trim().to_owned())
}

/// Builds the example of `veracity-report` that makes reports without running an engine.
pub fn maker(workspace: &Workspace) -> Result<PathBuf> {
    let build = ["build", "--quiet", "--locked", "-p", "veracity-report", "--example", "demo_report"];
    process::run(&mut workspace.cargo(&build)).context("building the example that makes reports")?;
    Ok(workspace.target().join("debug/examples/demo_report"))
}

/// Writes a report with the committed bundle.
pub fn report(maker: &Path, out: &Path, flags: &[&str]) -> Result<PathBuf> {
    process::run(Command::new(maker).args(flags).arg(out)).context("writing a report")?;
    Ok(out.to_path_buf())
}

/// Chromium, installed if missing.
pub fn ensure() -> Result<PathBuf> {
    if let Some(named) = std::env::var_os("VERACITY_CHROMIUM") {
        let named = PathBuf::from(named);
        if !named.exists() {
            bail!("VERACITY_CHROMIUM names {}, which does not exist", named.display());
        }
        return Ok(named);
    }
    if let Some(found) = present() {
        return Ok(found);
    }
    println!("installing chromium");
    // A new machine's package lists may be empty or outdated.
    process::run(Command::new("apt-get").args(["update", "--quiet"])).context("apt-get update")?;
    let install = ["install", "--yes", "--quiet", "--no-install-recommends", "chromium"];
    process::run(Command::new("apt-get").env("DEBIAN_FRONTEND", "noninteractive").args(install))
        .context("installing chromium failed; install it by hand, or name one in VERACITY_CHROMIUM")?;
    present().context("chromium is installed in an unknown location; name it in VERACITY_CHROMIUM")
}

fn present() -> Option<PathBuf> {
    PLACES.iter().map(PathBuf::from).find(|place| place.exists())
}
