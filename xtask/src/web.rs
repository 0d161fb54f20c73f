//! Builds the report's page from `web/` and compares it with the committed bundle.
//!
//! `crates/report/bundle` is committed so that cargo alone can build everything. This check rebuilds it and compares
//! byte for byte; `cargo xtask web --write` replaces it.

use crate::licences;
use crate::process;
use crate::spdx;
use crate::test_output::Counts;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Folder of the sources.
const WEB: &str = "web";
/// The committed bundle.
const BUNDLE: &str = "crates/report/bundle/report.html";

/// `cargo xtask web [--write]`.
pub fn command(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let write = match arguments {
        [] => false,
        [flag] if flag == "--write" => true,
        _ => bail!("the only argument of web is --write"),
    };
    let mut counts = Counts::default();
    println!("{}", check(workspace, &mut counts, write)?);
    println!("{counts}");
    Ok(())
}

/// Checks types, unit tests, licences and the bundle; returns a summary. With `write`, the bundle is replaced.
pub fn check(workspace: &Workspace, counts: &mut Counts, write: bool) -> Result<String> {
    let web = workspace.root.join(WEB);
    let packages = check_lock(&web)?;
    install(workspace)?;
    process::run(npm(&web).args(["run", "--silent", "check"])).context("type errors in web/")?;
    run_vitest(workspace, "vitest.config.ts", &[], counts).context("unit tests of web/")?;
    let built = build(workspace)?;
    let committed = workspace.root.join(BUNDLE);
    if write {
        std::fs::copy(&built, &committed).with_context(|| format!("cannot write {BUNDLE}"))?;
    }
    let size = compare(&built, &committed)?;
    Ok(format!("{BUNDLE} is what web/ builds: {} kB, {packages} package(s) inside", size / 1000))
}

/// Installs `web/node_modules` according to the lock file, unless it is up to date.
pub fn install(workspace: &Workspace) -> Result<()> {
    let web = workspace.root.join(WEB);
    let stamp = web.join("node_modules/.veracity-lock");
    let wanted = std::fs::read(web.join("package-lock.json")).context("cannot read web/package-lock.json")?;
    if std::fs::read(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    process::run(npm(&web).args(["ci", "--no-audit", "--no-fund"]))
        .context("installing the packages of web/ failed; it needs Node 20.19 or newer and a package registry")?;
    Ok(std::fs::write(&stamp, wanted)?)
}

/// Runs the tests of one configuration and adds their number.
pub fn run_vitest(
    workspace: &Workspace,
    config: &str,
    variables: &[(&str, &Path)],
    counts: &mut Counts,
) -> Result<()> {
    let report = workspace.target().join("web").join(format!("{config}.json"));
    // The report of an earlier run must not be read as that of this one.
    if report.exists() {
        std::fs::remove_file(&report)?;
    }
    let web = workspace.root.join(WEB);
    let mut command = npm(&web);
    command.args(["exec", "--no", "--", "vitest", "run", "--config", config]);
    command.args(["--reporter=default", "--reporter=json"]).arg(format!("--outputFile.json={}", report.display()));
    command.envs(variables.iter().copied());
    let outcome = process::run(&mut command);
    let text = std::fs::read_to_string(&report).with_context(|| format!("vitest wrote no {}", report.display()))?;
    let found = Counts::read_vitest(&text)?;
    *counts += found;
    outcome?;
    if found.passed == 0 {
        bail!("no test ran");
    }
    Ok(())
}

fn npm(web: &Path) -> Command {
    let mut command = Command::new("npm");
    command.current_dir(web);
    command
}

fn build(workspace: &Workspace) -> Result<PathBuf> {
    let out = workspace.target().join("web/bundle");
    process::run(npm(&workspace.root.join(WEB)).args(["run", "--silent", "build"]).env("VERACITY_WEB_OUT", &out))
        .context("building the page failed")?;
    Ok(out.join("report.html"))
}

/// The size of the bundle [bytes], when both are the same.
fn compare(built: &Path, committed: &Path) -> Result<usize> {
    let new = std::fs::read(built).with_context(|| format!("the build wrote no {}", built.display()))?;
    let old = std::fs::read(committed).unwrap_or_default();
    match difference(&old, &new) {
        None => Ok(new.len()),
        Some(at) => bail!(
            "{BUNDLE} is not what web/ builds: they differ from byte {at} on; run `cargo xtask web --write` and commit it"
        ),
    }
}

/// The first byte at which two files differ.
fn difference(old: &[u8], new: &[u8]) -> Option<usize> {
    if old == new {
        return None;
    }
    Some(old.iter().zip(new).position(|(a, b)| a != b).unwrap_or(old.len().min(new.len())))
}

/// Checks that the lock file names no host and that the packages in the page have compatible licences; returns their number.
fn check_lock(web: &Path) -> Result<usize> {
    let text = std::fs::read_to_string(web.join("package-lock.json")).context("cannot read web/package-lock.json")?;
    let problems = lock_problems(&serde_json::from_str(&text).context("web/package-lock.json is not JSON")?);
    match problems {
        Ok(inside) => Ok(inside),
        Err(problems) => bail!("web/package-lock.json:\n{}", problems.join("\n")),
    }
}

fn lock_problems(lock: &Value) -> std::result::Result<usize, Vec<String>> {
    let mut problems = Vec::new();
    let mut inside = 0;
    let packages = lock["packages"].as_object().map(|map| map.iter().collect::<Vec<_>>()).unwrap_or_default();
    for (path, package) in packages.into_iter().filter(|(path, _)| !path.is_empty()) {
        if package.get("resolved").is_some() {
            problems.push(format!("{path} names the host it came from; install with web/.npmrc"));
        }
        if package.get("integrity").is_none() {
            problems.push(format!("{path} has no digest; regenerate the lock file"));
        }
        // Development packages are not part of the page.
        if package["dev"] == true {
            continue;
        }
        inside += 1;
        let licence = package["license"].as_str().unwrap_or("");
        if !spdx::allows(licence, licences::ALLOWED) {
            problems.push(format!("{path} is in the page and under `{licence}`, which is not on the list"));
        }
    }
    if inside == 0 {
        problems.push("no packages; is this an npm lock file of version 3?".to_owned());
    }
    if problems.is_empty() { Ok(inside) } else { Err(problems) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn first_differing_byte_is_named() {
        assert_eq!(difference(b"abc", b"abc"), None);
        assert_eq!(difference(b"abc", b"abd"), Some(2));
        assert_eq!(difference(b"", b"abc"), Some(0));
        assert_eq!(difference(b"abcd", b"abc"), Some(3));
    }

    #[test]
    fn hosts_and_strict_licences_in_the_page_are_problems() {
        let lock = |package: Value| json!({ "packages": { "": {}, "node_modules/x": package } });
        let problems = |package| lock_problems(&lock(package)).unwrap_err().join("\n");
        assert_eq!(lock_problems(&lock(json!({ "license": "MIT", "integrity": "sha512-0" }))), Ok(1));
        let host = json!({ "license": "MIT", "integrity": "sha512-0", "resolved": "https://host.example/x.tgz" });
        assert!(problems(host).contains("names the host"));
        let strict = json!({ "license": "GPL-3.0", "integrity": "sha512-0" });
        assert!(problems(strict.clone()).contains("under `GPL-3.0`"));
        assert!(problems(json!({ "license": "MIT" })).contains("no digest"));
        // Allowed as a development package, but then the page has no package.
        let mut tool = strict;
        tool["dev"] = true.into();
        assert!(problems(tool).contains("no packages"));
    }

    #[test]
    fn committed_lock_file_has_no_problem() {
        let root = Workspace::open().unwrap().root;
        assert!(check_lock(&root.join(WEB)).unwrap() >= 2);
    }
}
