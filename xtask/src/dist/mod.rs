//! `cargo xtask dist`: the archive a user installs without cargo, and a trial of it in an empty folder.
//!
//! The archive holds one folder: `bin` with the program, the workers that were built and the preloaded library; `client` with
//! what a controller program links against or imports; the licences. Libraries of Debian packages are not included:
//! `veracity engines install` gets them. The same files give the same bytes: entries are sorted, owners and times fixed.

mod trial;

use crate::engines;
use crate::process;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Packages whose programs and libraries are shipped, in addition to the workers.
const SHIPPED: &[&str] = &["veracity-cli", "veracity-preload", "veracity-client"];

/// Files of `client/`, from the root; libraries come from the build.
const CLIENT: &[&str] = &["crates/client/include/veracity_client.h", "crates/client/python/veracity_client.py"];

/// A build whose programs are packed.
#[derive(Clone, Copy, PartialEq)]
enum Build {
    Release,
    /// That of the tests: quicker to build, slower to run. Tests the packing.
    Test,
}

/// Builds, packs and tries out the archive.
pub fn command(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    ensure!(arguments.is_empty(), "usage: cargo xtask dist");
    let packages = SHIPPED.iter().flat_map(|package| ["-p", package]);
    process::run(workspace.cargo(&["build", "--release", "--locked"]).args(packages))?;
    engines::rebuild(workspace)?;
    let archive = pack(workspace, Build::Release)?;
    println!("{}", trial::run(workspace, &archive)?);
    println!("{}: {:.1} MB", archive.display(), std::fs::metadata(&archive)?.len() as f64 / 1e6);
    Ok(())
}

/// Stage of `cargo xtask test`: packs the programs of the test build and tries them out.
pub fn check(workspace: &Workspace) -> Result<String> {
    let packages = SHIPPED.iter().flat_map(|package| ["-p", package]);
    process::run(workspace.cargo(&["build", "--locked", "--profile", "test"]).args(packages))?;
    let archive = pack(workspace, Build::Test)?;
    let tried = trial::run(workspace, &archive);
    std::fs::remove_file(&archive)?;
    tried
}

/// Makes the archive; returns its path.
fn pack(workspace: &Workspace, build: Build) -> Result<PathBuf> {
    let built = workspace.target().join(if build == Build::Release { "release" } else { "debug" });
    let version = version(workspace)?;
    let name = format!("veracity-{version}-{}-{}", std::env::consts::OS, std::env::consts::ARCH);
    let place = workspace.target().join("dist");
    let folder = place.join(&name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).with_context(|| format!("cannot clear {}", folder.display()))?;
    }
    let (bin, client) = (folder.join("bin"), folder.join("client"));
    std::fs::create_dir_all(&bin)?;
    std::fs::create_dir_all(&client)?;
    copy(&built.join("veracity"), &bin, Strip::Symbols)?;
    copy(&built.join("libveracity_preload.so"), &bin, Strip::Symbols)?;
    copy(&built.join("libveracity_client.so"), &client, Strip::Symbols)?;
    copy(&built.join("libveracity_client.a"), &client, Strip::Debug)?;
    for file in CLIENT {
        copy(&workspace.root.join(file), &client, Strip::Nothing)?;
    }
    let workers = engines::shipped(workspace, &built);
    for worker in &workers {
        copy(&worker.program, &bin, Strip::Symbols)?;
        if let Some(library) = &worker.library {
            let place = bin.join("engines").join(&library.folder);
            std::fs::create_dir_all(&place)?;
            for file in &library.files {
                copy(file, &place, Strip::Nothing)?;
            }
        }
    }
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        copy(&workspace.root.join(licence), &folder, Strip::Nothing)?;
    }
    let packages: BTreeSet<String> =
        SHIPPED.iter().map(|p| (*p).to_string()).chain(workers.iter().map(|w| w.package.clone())).collect();
    write_licences(workspace, &packages, &folder.join("licences"))?;
    let names: Vec<String> = workers.iter().map(|w| w.name.clone()).collect();
    std::fs::write(folder.join("README.md"), read_me(&name, &names, &newest_glibc(&bin)?))?;
    must_not_name_the_source_tree(workspace, &folder)?;
    let archive = place.join(format!("{name}.tar.gz"));
    // Compressing the unoptimised programs of a test would take longer than testing them.
    let compress = if build == Build::Release { "gzip -n -9" } else { "gzip -n -1" };
    let mut tar = Command::new("tar");
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=u+w,go-w"]);
    tar.arg(format!("--mtime=@{}", commit_time(workspace))).args(["-I", compress, "-cf"]);
    process::run(tar.arg(&archive).arg("-C").arg(&place).arg(&name))?;
    std::fs::remove_dir_all(&folder)?;
    Ok(archive)
}

/// What is removed from a copied file, where `strip` is installed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Strip {
    Nothing,
    /// Debug information, of a static library: it names the folder of the sources.
    Debug,
    /// Also the symbols that a program or shared library does not need.
    Symbols,
}

/// Copies a file into a folder.
fn copy(from: &Path, folder: &Path, strip: Strip) -> Result<()> {
    let name = from.file_name().context("a file without a name")?;
    let to = folder.join(name);
    std::fs::copy(from, &to)
        .with_context(|| format!("{} is missing; build it with `cargo build`", from.display()))?;
    let option = match strip {
        Strip::Nothing => return Ok(()),
        Strip::Debug => "--strip-debug",
        Strip::Symbols => "--strip-unneeded",
    };
    // Without binutils the archive is larger and works as well.
    let _ = process::output_of(Command::new("strip").arg(option).arg(&to));
    Ok(())
}

fn version(workspace: &Workspace) -> Result<String> {
    let manifest = std::fs::read_to_string(workspace.root.join("Cargo.toml"))?;
    let (_, package) = manifest.split_once("[workspace.package]").context("Cargo.toml has no [workspace.package]")?;
    let version = package.lines().find_map(|line| line.strip_prefix("version = ")).context("no version")?;
    Ok(version.trim().trim_matches('"').to_string())
}

/// Time of the last commit [s], so that two archives of one commit are equal; 0 without git.
fn commit_time(workspace: &Workspace) -> u64 {
    let mut git = Command::new("git");
    git.args(["log", "-1", "--format=%ct"]).current_dir(&workspace.root);
    process::output_of(&mut git).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
}

/// Copies the licence files of every package that is linked into what is shipped.
fn write_licences(workspace: &Workspace, packages: &BTreeSet<String>, folder: &Path) -> Result<()> {
    let platform = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let metadata = ["metadata", "--format-version", "1", "--locked", "--filter-platform", &platform];
    let metadata = process::output_of(&mut workspace.cargo(&metadata))?;
    let metadata: Value = serde_json::from_str(&metadata).context("cargo metadata did not print JSON")?;
    let mut list =
        String::from("Packages linked into the programs of this archive, with the licences they state.\n\n");
    for package in linked(&metadata, packages)? {
        let [name, version, licence, manifest] =
            ["name", "version", "license", "manifest_path"].map(|key| package[key].as_str().unwrap_or_default());
        if manifest.starts_with(&*workspace.root.to_string_lossy()) {
            continue;
        }
        list += &format!("{name} {version}: {licence}\n");
        let place = folder.join(format!("{name}-{version}"));
        for entry in std::fs::read_dir(Path::new(manifest).parent().unwrap_or(Path::new(".")))?.flatten() {
            let file = entry.file_name().to_string_lossy().to_uppercase();
            let wanted = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"].iter().any(|w| file.starts_with(w));
            if wanted && entry.path().is_file() {
                std::fs::create_dir_all(&place)?;
                std::fs::copy(entry.path(), place.join(entry.file_name()))?;
            }
        }
    }
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join("packages.txt"), list)?;
    Ok(())
}

/// Packages that the named ones are linked with, in order of name.
fn linked<'a>(metadata: &'a Value, named: &BTreeSet<String>) -> Result<Vec<&'a Value>> {
    let list = |value: &'a Value| value.as_array().map(Vec::as_slice).unwrap_or_default();
    let packages: BTreeMap<&str, &Value> =
        list(&metadata["packages"]).iter().filter_map(|p| Some((p["id"].as_str()?, p))).collect();
    let nodes: BTreeMap<&str, &Value> =
        list(&metadata["resolve"]["nodes"]).iter().filter_map(|n| Some((n["id"].as_str()?, n))).collect();
    let ours = |p: &&&Value| named.iter().any(|name| p["name"] == name.as_str());
    let mut open: Vec<&str> = packages.values().filter(ours).filter_map(|p| p["id"].as_str()).collect();
    ensure!(open.len() == named.len(), "cargo metadata lacks one of {named:?}");
    let mut reached: BTreeSet<&str> = open.iter().copied().collect();
    while let Some(id) = open.pop() {
        for used in list(&nodes.get(id).context("a package without a node")?["deps"]) {
            // Kind `null` is linked; `build` and `dev` are not.
            let is_linked = list(&used["dep_kinds"]).iter().any(|kind| kind["kind"].is_null());
            if let Some(id) = used["pkg"].as_str().filter(|id| is_linked && !reached.contains(id)) {
                reached.insert(id);
                open.push(id);
            }
        }
    }
    let mut out: Vec<&Value> = reached.iter().filter_map(|id| packages.get(id).copied()).collect();
    out.sort_by_key(|p| (p["name"].as_str().unwrap_or_default(), p["version"].as_str().unwrap_or_default()));
    Ok(out)
}

/// The newest version of the C library that any of the programs asks for: `2.34`.
fn newest_glibc(bin: &Path) -> Result<String> {
    let mut newest = (0, 0);
    for entry in std::fs::read_dir(bin)?.flatten().filter(|e| e.path().is_file()) {
        newest = newest.max(glibc_in(&std::fs::read(entry.path())?));
    }
    Ok(format!("{}.{}", newest.0, newest.1))
}

/// The largest `GLIBC_a.b` in a program's table of versions.
fn glibc_in(program: &[u8]) -> (u32, u32) {
    const MARK: &[u8] = b"GLIBC_";
    let starts = program.windows(MARK.len()).enumerate().filter(|(_, window)| *window == MARK).map(|(at, _)| at);
    let version = |at: usize| {
        let rest = &program[at + MARK.len()..];
        let text: String =
            rest.iter().take(12).map(|b| *b as char).take_while(|c| c.is_ascii_digit() || *c == '.').collect();
        let mut parts = text.split('.').map(str::parse);
        Some((parts.next()?.ok()?, parts.next()?.ok()?))
    };
    starts.filter_map(version).max().unwrap_or((0, 0))
}

/// A program that names the folder it was built in would behave differently where that folder is missing.
fn must_not_name_the_source_tree(workspace: &Workspace, folder: &Path) -> Result<()> {
    let root = workspace.root.to_string_lossy().into_owned();
    for path in files_below(folder)? {
        let bytes = std::fs::read(&path)?;
        if let Some(at) = bytes.windows(root.len()).position(|window| window == root.as_bytes()) {
            let end = bytes.len().min(at + root.len() + 80);
            let found = String::from_utf8_lossy(&bytes[at..end]).into_owned();
            bail!("{} names the source tree: {found:?}", path.display());
        }
    }
    Ok(())
}

fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut out = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { out.extend(files_below(&path)?) } else { out.push(path) }
    }
    out.sort();
    Ok(out)
}

fn read_me(name: &str, workers: &[String], glibc: &str) -> String {
    let workers = if workers.is_empty() { "none".to_string() } else { workers.join(", ") };
    format!(
        "# {name}\n\n\
         `veracity` says how far a robot simulation can be trusted. It needs no installation: unpack this folder anywhere\n\
         and add `bin` to the PATH.\n\n\
         ```sh\n\
         tar -xf {name}.tar.gz\n\
         export PATH=\"$PWD/{name}/bin:$PATH\"\n\
         veracity engines\n\
         veracity compare pinch --engines native,rapier\n\
         veracity help\n\
         ```\n\n\
         - Needs Linux on {arch} with glibc {glibc} or newer.\n\
         - Built in: native, rapier. Workers: {workers}. `veracity engines` starts each; where a library of Debian packages\n\
         \u{20}\u{20}is missing, it names the command that installs it.\n\
         - `client` holds the library of programs that run under `veracity tempo`: header and libraries for C, a module for\n\
         \u{20}\u{20}Python (`export PYTHONPATH=\"$PWD/{name}/client\"`).\n\
         - `licences` holds the licences of what is linked in; `LICENSE-MIT` and `LICENSE-APACHE` are ours.\n",
        arch = std::env::consts::ARCH,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_c_library_is_the_largest_number_not_the_longest_text() {
        assert_eq!(glibc_in(b"\0GLIBC_2.9\0GLIBC_2.34\0GLIBC_2.3.4\0GLIBC_PRIVATE\0"), (2, 34));
        assert_eq!(glibc_in(b"static"), (0, 0));
    }

    #[test]
    fn only_what_is_linked_is_named_with_its_licence() {
        let package = |name: &str| serde_json::json!({ "id": name, "name": name, "version": "1.0.0" });
        let uses = |name: &str, kind: Value| serde_json::json!({ "pkg": name, "dep_kinds": [{ "kind": kind }] });
        let node = |name: &str, deps: Vec<Value>| serde_json::json!({ "id": name, "deps": deps });
        let metadata = serde_json::json!({
            "packages": [package("cli"), package("serde"), package("cc"), package("proptest"), package("libm")],
            "resolve": { "nodes": [
                node("cli", vec![uses("serde", Value::Null), uses("cc", "build".into()), uses("proptest", "dev".into())]),
                node("serde", vec![uses("libm", Value::Null)]),
                node("libm", Vec::new()),
            ]},
        });
        let names: Vec<&str> = linked(&metadata, &BTreeSet::from(["cli".to_string()]))
            .unwrap()
            .iter()
            .filter_map(|p| p["name"].as_str())
            .collect();
        assert_eq!(names, ["cli", "libm", "serde"]);
        assert!(linked(&metadata, &BTreeSet::from(["missing".to_string()])).is_err());
    }
}
