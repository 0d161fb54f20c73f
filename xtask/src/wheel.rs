//! `cargo xtask wheel`: the wheel of the Python package, and the tests of what it installs.
//!
//! The wheel is built by maturin into `target/wheels`. The stage `python` of `cargo xtask test` installs it into an
//! environment that has nothing else of ours, and runs its tests, README's example and the type checker from an empty folder.

use crate::process;
use crate::test_output::Counts;
use crate::venv;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What builds the wheel.
const TO_BUILD: &[&str] = &["maturin==1.16.0"];

/// What tests it, in another environment.
const TO_TEST: &[&str] = &["numpy==2.4.6", "pytest==9.2.0", "gymnasium==1.4.0", "mypy==2.4.1", "mujoco==4.0.0"];

/// Builds the wheel; prints its path.
pub fn command(workspace: &Workspace, _: &[String]) -> Result<()> {
    println!("{}", build(workspace)?.display());
    Ok(())
}

/// Builds the wheel and returns its path.
pub fn build(workspace: &Workspace) -> Result<PathBuf> {
    let python = environment(&workspace.target().join("wheel-venv"), TO_BUILD)?;
    let folder = workspace.target().join("wheels");
    // An older wheel must not be mistaken for this one.
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    let maturin = python.with_file_name("maturin");
    let mut command = Command::new(maturin);
    command.args(["build", "--release", "--locked", "--out"]).arg(&folder);
    command.current_dir(workspace.root.join("crates/python"));
    process::run(&mut command).context("the wheel could not be built")?;
    let wheel = |entry: std::fs::DirEntry| entry.path().extension().is_some_and(|e| e == "whl").then(|| entry.path());
    std::fs::read_dir(&folder)?.flatten().find_map(wheel).with_context(|| format!("no wheel in {}", folder.display()))
}

/// Installs the wheel and tests it.
pub fn check(workspace: &Workspace, total: &mut Counts) -> Result<String> {
    let wheel = build(workspace)?;
    let python = environment(&workspace.target().join("python-venv"), TO_TEST)?;
    let mut install = Command::new(&python);
    install.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--force-reinstall",
    ]);
    process::run(install.arg(&wheel))?;

    let empty = workspace.target().join("tmp/python");
    let _ = std::fs::remove_dir_all(&empty);
    std::fs::create_dir_all(&empty)?;
    let tests = workspace.root.join("crates/python/tests");
    let mut pytest = Command::new(&python);
    pytest.args(["-m", "pytest", "--quiet", "-p", "no:cacheprovider", "--rootdir"]).arg(&tests).arg(&tests);
    pytest.current_dir(&empty).env("VERACITY_ROOT", &workspace.root);
    let ran = process::run_and_keep(&mut pytest)?;
    let counts = counts(&ran.stdout);
    *total += counts;
    if !ran.status.success() || counts.passed == 0 {
        bail!("the tests of the Python package failed: {counts}");
    }
    let mut types = Command::new(&python);
    types.args(["-m", "mypy", "--strict", "--cache-dir", "/dev/null"]).arg(workspace.root.join("examples/python"));
    process::run(types.current_dir(&empty))?;
    Ok(format!("{}: {counts}", wheel.file_name().unwrap_or_default().to_string_lossy()))
}

/// An environment with these packages; kept while the list is the same.
fn environment(folder: &Path, packages: &[&str]) -> Result<PathBuf> {
    let python = folder.join("bin/python");
    let stamp = folder.join("pinned.txt");
    let wanted = packages.join("\n");
    if python.exists() && std::fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(python);
    }
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    venv::create(folder)?;
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"];
    process::run(Command::new(&python).args(install).args(packages))
        .context("installing Python packages failed; they need a package index")?;
    std::fs::write(&stamp, wanted)?;
    Ok(python)
}

/// From pytest's last line: `24 passed, 1 failed, 2 skipped in 9.21s`.
fn counts(stdout: &str) -> Counts {
    let last = stdout.lines().rev().find(|line| line.contains(" in ")).unwrap_or("");
    let words: Vec<&str> = last.split([' ', ',', '=']).filter(|word| !word.is_empty()).collect();
    let of = |name: &str| {
        let at = words.iter().position(|word| *word == name)?;
        words.get(at.checked_sub(1)?)?.parse::<usize>().ok()
    };
    let number = |names: &[&str]| names.iter().filter_map(|name| of(name)).sum::<usize>();
    Counts {
        passed: number(&["passed"]) as _,
        failed: number(&["failed", "error", "errors"]) as _,
        ignored: number(&["skipped"]) as _,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pytest_s_last_line_is_counted() {
        let found = counts("...\n==== 1 failed, 24 passed, 2 skipped, 1 error in 9.21s ====\n");
        assert_eq!((found.passed, found.failed, found.ignored), (24, 2, 2));
        assert_eq!(counts("nothing").passed, 0);
    }
}
