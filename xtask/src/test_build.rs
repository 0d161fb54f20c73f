//! Builds all test binaries of the workspace with one cargo command.
//!
//! Cargo chooses the features of a dependency for the packages it builds. Built package by package, the large ones
//! (parry, parquet, serde …) would be rebuilt for every set of features; in one command each is built once.

use crate::process;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A test program.
#[derive(Debug, PartialEq)]
pub struct TestBinary {
    /// The package it belongs to, e.g. `veracity-model`.
    pub package: String,
    /// Its target: `lib`, `bin veracity`, `test pendulum`.
    pub target: String,
    /// Its path.
    pub program: PathBuf,
}

impl TestBinary {
    /// The command to run it as `cargo test` would: in its package's folder, with `CARGO_MANIFEST_DIR` set.
    pub fn command(&self, folder: &Path, python: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(folder).env("CARGO_MANIFEST_DIR", folder).env("VERACITY_PYTHON", python);
        command
    }
}

/// Builds every test of the workspace and the libraries their doc examples use; returns the binaries and the CPU time.
pub fn build(workspace: &Workspace) -> Result<(Vec<TestBinary>, Duration)> {
    let mut command = workspace.cargo(&["test", "--locked", "--no-run"]);
    command.args(crate::engines::workspace_arguments(workspace));
    // Warnings and errors are still printed on standard error.
    command.arg("--message-format=json-render-diagnostics");
    let finished = process::run_quietly(&mut command).context("the tests do not build")?;
    let binaries = read(&finished.stdout)?;
    if binaries.is_empty() {
        bail!("cargo built no test");
    }
    Ok((binaries, finished.cpu))
}

/// The test binaries among cargo's messages. Examples and the plain `veracity` binary are built too, but hold no tests.
fn read(messages: &str) -> Result<Vec<TestBinary>> {
    let mut binaries = Vec::new();
    for line in messages.lines().filter(|line| line.starts_with('{')) {
        let message: Value = serde_json::from_str(line).context("a message of cargo is not JSON")?;
        let Some(program) = message["executable"].as_str() else { continue };
        if message["reason"] != "compiler-artifact" || message["profile"]["test"] != true {
            continue;
        }
        let id = message["package_id"].as_str().context("an artefact without a package")?;
        let target = &message["target"];
        let text = |value: &Value| value.as_str().map(str::to_owned).context("a target without a name or a kind");
        let (kind, name) = (text(&target["kind"][0])?, text(&target["name"])?);
        binaries.push(TestBinary {
            package: package_in(id).with_context(|| format!("package id `{id}` has an unknown format"))?.to_owned(),
            target: if kind == "lib" { kind } else { format!("{kind} {name}") },
            program: program.into(),
        });
    }
    binaries.sort_by(|a, b| (&a.package, &a.target).cmp(&(&b.package, &b.target)));
    Ok(binaries)
}

/// `path+file:///r/crates/model#veracity-model@0.1.0`, or `…/xtask#0.1.0` when the folder has the package's name.
fn package_in(id: &str) -> Option<&str> {
    let (place, version) = id.rsplit_once('#')?;
    match version.split_once('@') {
        Some((name, _)) => Some(name),
        None => place.rsplit_once('/').map(|(_, name)| name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn artefact(id: &str, kind: &str, name: &str, test: bool, executable: Option<&str>) -> String {
        serde_json::json!({ "reason": "compiler-artifact", "package_id": id, "target": { "kind": [kind], "name": name },
            "profile": { "test": test }, "executable": executable })
        .to_string()
    }

    #[test]
    fn only_test_programs_are_found_each_with_its_package() {
        let model = "path+file:///r/crates/model#veracity-model@0.1.0";
        let messages = [
            artefact(model, "test", "urdf", true, Some("/t/urdf-1")),
            artefact(model, "lib", "veracity_model", true, Some("/t/model-1")),
            artefact(model, "lib", "veracity_model", false, None),
            artefact(model, "example", "show", false, Some("/t/show")),
            artefact("path+file:///r/xtask#0.1.0", "bin", "xtask", true, Some("/t/xtask-1")),
            r#"{"reason":"build-finished","success":true}"#.to_owned(),
        ];
        let found = read(&messages.join("\n")).unwrap();
        let binary = |package: &str, target: &str, program: &str| TestBinary {
            package: package.into(),
            target: target.into(),
            program: program.into(),
        };
        let expected = [
            binary("veracity-model", "lib", "/t/model-1"),
            binary("veracity-model", "test urdf", "/t/urdf-1"),
            binary("xtask", "bin xtask", "/t/xtask-1"),
        ];
        assert_eq!(found, expected);
    }
}
