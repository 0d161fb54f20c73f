//! `cargo xtask engines`: brings the libraries of foreign engines and builds their workers, one by one.
//!
//! A worker is a package below `crates/engines` that needs a library of the system. `cargo xtask test` brings every library
//! first, and is red where one cannot be had; under `cargo xtask test --embedded` all workers are left out. A single stage, such as
//! `cargo xtask test clippy`, leaves out those whose library is missing.

use crate::process;
use crate::table::Table;
use crate::venv;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// One engine that lives in a worker.
pub struct Foreign {
    /// As in specs.
    pub name: &'static str,
    /// Debian packages with its library and headers.
    debian: &'static [&'static str],
    /// A file that is there when they are.
    header: &'static str,
    /// Its wheel on the Python package index and the folder under `target/engines` it is unpacked into, where that is its
    /// source.
    wheel: Option<(&'static str, &'static str)>,
    /// Another version beside it: what follows the `@` in specs, its wheel, its folder, and the variable that names it to
    /// the build.
    beside: Option<Beside>,
}

struct Beside {
    version: &'static str,
    wheel: &'static str,
    folder: &'static str,
    variable: &'static str,
}

/// Every one, in the order they are built: quickest first.
pub const FOREIGN: &[Foreign] = &[
    Foreign { name: "ode", debian: &["libode-dev"], header: "/usr/include/ode/ode.h", wheel: None, beside: None },
    Foreign {
        name: "bullet",
        debian: &["libbullet-dev"],
        header: "/usr/include/bullet/btBulletDynamicsCommon.h",
        wheel: None,
        beside: None,
    },
    Foreign {
        name: "mujoco",
        debian: &[],
        header: "mujoco/include/mujoco/mujoco.h",
        wheel: Some(("mujoco-core==4.0.0", "mujoco-4.0")),
        beside: Some(Beside {
            version: "3.17",
            wheel: "mujoco==3.17.0",
            folder: "mujoco-3.17",
            variable: "VERACITY_MUJOCO",
        }),
    },
    Foreign {
        name: "simbody",
        debian: &["libsimbody-dev"],
        header: "/usr/include/simbody/Simbody.h",
        wheel: None,
        beside: None,
    },
    Foreign {
        name: "dart",
        // Its headers include those of ikfast, which nothing pulls in.
        debian: &[
            "libdart-dev",
            "libdart-collision-bullet-dev",
            "libdart-collision-ode-dev",
            "libdart-external-ikfast-dev",
        ],
        header: "/usr/include/dart/collision/ode/ode.hpp",
        wheel: None,
        beside: None,
    },
];

static EMBEDDED: AtomicBool = AtomicBool::new(false);

/// From now on no worker is looked at.
pub fn embedded_only() {
    EMBEDDED.store(true, Ordering::Relaxed);
}

impl Foreign {
    fn package(&self) -> String {
        format!("veracity-engine-{}", self.name)
    }

    fn header(&self, workspace: &Workspace) -> PathBuf {
        match self.wheel {
            Some((_, folder)) => workspace.target().join("engines").join(folder).join(self.header),
            None => PathBuf::from(self.header),
        }
    }

    fn is_there(&self, workspace: &Workspace) -> bool {
        self.header(workspace).is_file()
    }
}

/// Packages that cannot be built here.
pub fn left_out(workspace: &Workspace) -> Vec<String> {
    let embedded = EMBEDDED.load(Ordering::Relaxed);
    let out = |f: &&Foreign| embedded || !f.is_there(workspace);
    FOREIGN.iter().filter(out).map(Foreign::package).collect()
}

/// `--workspace` and what is left out of it.
pub fn workspace_arguments(workspace: &Workspace) -> Vec<String> {
    let excluded = left_out(workspace).into_iter().flat_map(|package| ["--exclude".to_string(), package]);
    std::iter::once("--workspace".to_string()).chain(excluded).collect()
}

/// The example of a worker in Python: its name, and its script.
const IN_PYTHON: (&str, &str) = ("drake", "examples/python_worker/drake_worker.py");

/// Brings and builds those named, or all.
pub fn command(workspace: &Workspace, wanted: &[String]) -> Result<()> {
    let names: Vec<&str> = FOREIGN.iter().map(|f| f.name).chain([IN_PYTHON.0]).collect();
    if let Some(unknown) = wanted.iter().find(|w| !names.contains(&w.as_str())) {
        bail!("no engine `{unknown}`; there are {}", names.join(", "));
    }
    let chosen: Vec<&Foreign> =
        FOREIGN.iter().filter(|f| wanted.is_empty() || wanted.iter().any(|w| w == f.name)).collect();
    let mut table = Table::new(&["engine", "minutes", "verdict"]);
    let mut failed = 0;
    for (at, foreign) in chosen.iter().enumerate() {
        println!("── {} ({} of {}) ──", foreign.name, at + 1, chosen.len());
        let begun = Instant::now();
        let outcome = bring(workspace, foreign).and_then(|()| build(workspace, foreign));
        let verdict = match outcome {
            Ok(path) => path.display().to_string(),
            Err(error) => {
                failed += 1;
                println!("{}: {error:#}", foreign.name);
                "NOT BUILT, see above".to_string()
            }
        };
        table.row([foreign.name.to_string(), format!("{:.1}", begun.elapsed().as_secs_f64() / 60.0), verdict]);
    }
    if wanted.is_empty() || wanted.iter().any(|w| w == IN_PYTHON.0) {
        println!("── {} ──", IN_PYTHON.0);
        let begun = Instant::now();
        let path = put_python_worker(workspace)?;
        let minutes = format!("{:.1}", begun.elapsed().as_secs_f64() / 60.0);
        table.row([IN_PYTHON.0.to_string(), minutes, path.display().to_string()]);
    }
    println!("\n{}", table.text());
    if failed > 0 {
        bail!("{failed} of {} engines were not built", chosen.len());
    }
    Ok(())
}

/// Brings what every engine needs: a stage of `cargo xtask test`. What cannot be had is an error there.
pub fn ensure(workspace: &Workspace) -> Result<String> {
    if EMBEDDED.load(Ordering::Relaxed) {
        return Ok("left out, as asked".to_string());
    }
    // All packages at once: one list, one transaction.
    let missing: Vec<&str> =
        FOREIGN.iter().filter(|f| !f.is_there(workspace)).flat_map(|f| f.debian).copied().collect();
    install(&missing)?;
    for foreign in FOREIGN {
        bring(workspace, foreign).with_context(|| {
            format!(
                "{} cannot be brought here; `cargo xtask test --embedded` does without foreign engines",
                foreign.name
            )
        })?;
    }
    let names: Vec<&str> = FOREIGN.iter().map(|f| f.name).collect();
    Ok(format!("there are {}", names.join(", ")))
}

/// Installs what an engine needs, unless it is there.
fn bring(workspace: &Workspace, foreign: &Foreign) -> Result<()> {
    if foreign.is_there(workspace) {
        return Ok(());
    }
    if let Some((wheel, folder)) = foreign.wheel {
        unpack(workspace, wheel, &workspace.target().join("engines").join(folder))?;
    } else {
        install(foreign.debian)?;
    }
    if !foreign.is_there(workspace) {
        bail!("{} is still not there", foreign.header(workspace).display());
    }
    Ok(())
}

/// Installs Debian packages, and a C++ compiler with them where there is none.
fn install(packages: &[&str]) -> Result<()> {
    let mut packages = packages.to_vec();
    if packages.is_empty() {
        return Ok(());
    }
    if process::output_of(Command::new("c++").arg("--version")).is_err() {
        packages.push("g++");
    }
    println!("installing {}", packages.join(", "));
    let by_hand = || format!("install {} by hand", packages.join(", "));
    // A clean machine has no lists, an old one lists of files that are gone. An index that cannot be had may not be needed.
    if let Err(error) = process::run(apt_get()?.args(["update", "--quiet"])) {
        eprintln!("{error:#}; trying with the lists that are there");
    }
    let install = ["install", "--yes", "--quiet", "--no-install-recommends", "-o", "Acquire::Retries=3"];
    process::run(apt_get()?.args(install).args(&packages)).with_context(by_hand)?;
    Ok(())
}

/// `apt-get` as root, or through `sudo` if that asks nothing.
fn apt_get() -> Result<Command> {
    let root = process::output_of(Command::new("id").arg("-u"))?.trim() == "0";
    let mut command = Command::new(if root { "apt-get" } else { "sudo" });
    if !root {
        command.args(["--non-interactive", "DEBIAN_FRONTEND=noninteractive", "apt-get"]);
    }
    command.env("DEBIAN_FRONTEND", "noninteractive");
    Ok(command)
}

/// Downloads a wheel and unpacks it, with the system's pip or, where there is none, that of the test partners.
fn unpack(workspace: &Workspace, wheel: &str, folder: &Path) -> Result<()> {
    println!("unpacking {wheel} into {}", folder.display());
    std::fs::create_dir_all(folder)?;
    let mut python = PathBuf::from("python3");
    if process::output_of(Command::new(&python).args(["-m", "pip", "--version"])).is_err() {
        python = venv::ensure(workspace)?;
    }
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--upgrade"];
    let mut pip = Command::new(python);
    pip.args(install).args(["--only-binary", ":all:", "--target"]).arg(folder).arg(wheel);
    process::run(&mut pip).with_context(|| format!("{wheel} needs a Python package index"))?;
    Ok(())
}

/// Puts a program beside `veracity` that runs the example's script under the test partners' interpreter, which has Drake.
fn put_python_worker(workspace: &Workspace) -> Result<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    let (name, script) = IN_PYTHON;
    let (python, script) = (venv::ensure(workspace)?, workspace.root.join(script));
    let folder = workspace.target().join("release");
    std::fs::create_dir_all(&folder)?;
    let path = folder.join(format!("veracity-engine-{name}"));
    std::fs::write(&path, format!("#!/bin/sh\nexec '{}' '{}'\n", python.display(), script.display()))?;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))?;
    Ok(path)
}

/// Builds its worker beside the `veracity` of a release build, and the other version first: the last one built keeps the name.
fn build(workspace: &Workspace, foreign: &Foreign) -> Result<PathBuf> {
    let package = foreign.package();
    if let Some(beside) = &foreign.beside {
        let folder = workspace.target().join("engines").join(beside.folder);
        if !folder.join(foreign.header).is_file() {
            unpack(workspace, beside.wheel, &folder)?;
        }
        let mut cargo = workspace.cargo(&["build", "--release", "--locked", "-p", &package]);
        process::run(cargo.env(beside.variable, folder.join(foreign.name)))?;
        let release = workspace.target().join("release");
        let named = release.join(format!("{package}@{}", beside.version));
        // A running worker keeps the old file; a new name for it can always be made.
        let _ = std::fs::remove_file(&named);
        std::fs::copy(release.join(&package), &named)?;
    }
    process::run(&mut workspace.cargo(&["build", "--release", "--locked", "-p", &package]))?;
    Ok(workspace.target().join("release").join(package))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_worker_is_a_package_below_engines_and_the_other_way_round() {
        let workspace = Workspace::open().unwrap();
        let in_process = ["crates/engines/native", "crates/engines/rapier"];
        let mut folders: Vec<String> = workspace.members().unwrap().into_iter().map(|m| m.folder).collect();
        folders.retain(|f| f.starts_with("crates/engines/") && !in_process.contains(&f.as_str()));
        folders.sort();
        let mut listed: Vec<String> = FOREIGN.iter().map(|f| format!("crates/engines/{}", f.name)).collect();
        listed.sort();
        assert_eq!(folders, listed);
    }
}
