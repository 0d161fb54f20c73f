//! `cargo xtask engines`: installs the libraries of foreign engines and builds their workers, one by one.
//!
//! A worker is a package below `crates/engines` that needs a system library. `cargo xtask test` first installs every library,
//! and fails if one is not available; `cargo xtask test --embedded` leaves out all workers. A single stage, such as
//! `cargo xtask test clippy`, leaves out those whose library is missing.
//!
//! An engine that is compiled from source is optional: it is built only when named, and left out until then.

use crate::licences;
use crate::process;
use crate::table::Table;
use crate::venv;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// One engine that runs in a worker.
pub struct Foreign {
    /// Its name in engine specs.
    pub name: &'static str,
    /// Debian packages with its library and headers.
    debian: &'static [&'static str],
    /// A file that exists when the library is installed.
    header: &'static str,
    /// For a library from a wheel: the wheel on the Python package index and the folder under `target/engines` it is
    /// unpacked into.
    wheel: Option<(&'static str, &'static str)>,
    /// Other versions, each a separate row of every table.
    others: &'static [OtherVersion],
    /// For a library compiled from source: the crate, a separate workspace, whose dependency compiles it.
    compiled: Option<Compiled>,
}

struct OtherVersion {
    /// The part after `@` in engine specs.
    version: &'static str,
    wheel: &'static str,
    /// Below `target/engines`.
    folder: &'static str,
    /// The environment variable that passes the folder to the build.
    variable: &'static str,
}

struct Compiled {
    /// Folder of the crate, from the root.
    library: &'static str,
    /// The dependency that compiles the library; then, inside it, the folder of the headers and the archive.
    package: &'static str,
    include: &'static str,
    archive: &'static str,
    /// Folder of the result, below `target/engines`.
    folder: &'static str,
}

/// All foreign engines, in build order: quickest first.
pub const FOREIGN: &[Foreign] = &[
    Foreign {
        name: "ode",
        debian: &["libode-dev"],
        header: "/usr/include/ode/ode.h",
        wheel: None,
        others: &[],
        compiled: None,
    },
    Foreign {
        name: "bullet",
        debian: &["libbullet-dev"],
        header: "/usr/include/bullet/btBulletDynamicsCommon.h",
        wheel: None,
        others: &[],
        compiled: None,
    },
    Foreign {
        name: "mujoco",
        debian: &[],
        header: "mujoco/include/mujoco/mujoco.h",
        wheel: Some(("mujoco-core==4.0.1", "mujoco-4.0.1")),
        others: &[
            // Its sparse solver does not converge from 60 degrees of freedom on (mujoco#3767): a row to compare with.
            OtherVersion {
                version: "4.0.0",
                wheel: "mujoco-core==4.0.0",
                folder: "mujoco-4.0.0",
                variable: "VERACITY_MUJOCO",
            },
            OtherVersion {
                version: "3.17",
                wheel: "mujoco==3.17.0",
                folder: "mujoco-3.17",
                variable: "VERACITY_MUJOCO",
            },
        ],
        compiled: None,
    },
    Foreign {
        name: "simbody",
        debian: &["libsimbody-dev"],
        header: "/usr/include/simbody/Simbody.h",
        wheel: None,
        others: &[],
        compiled: None,
    },
    Foreign {
        name: "dart",
        // Its headers include those of ikfast, which no other package depends on.
        debian: &[
            "libdart-dev",
            "libdart-collision-bullet-dev",
            "libdart-collision-ode-dev",
            "libdart-external-ikfast-dev",
        ],
        header: "/usr/include/dart/collision/ode/ode.hpp",
        wheel: None,
        others: &[],
        compiled: None,
    },
    Foreign {
        name: "physx",
        debian: &[],
        header: "include/PxPhysicsAPI.h",
        wheel: None,
        others: &[],
        compiled: Some(Compiled {
            library: "crates/engines/physx/library",
            package: "physx-sys",
            include: "physx/physx/include",
            archive: "libphysx.a",
            folder: "physx-5.1",
        }),
    },
];

static EMBEDDED: AtomicBool = AtomicBool::new(false);

/// Leaves out all workers from now on.
pub fn embedded_only() {
    EMBEDDED.store(true, Ordering::Relaxed);
}

impl Foreign {
    fn package(&self) -> String {
        format!("veracity-engine-{}", self.name)
    }

    fn header(&self, workspace: &Workspace) -> PathBuf {
        let made = self.wheel.map(|(_, folder)| folder).or(self.compiled.as_ref().map(|c| c.folder));
        match made {
            Some(folder) => workspace.target().join("engines").join(folder).join(self.header),
            None => PathBuf::from(self.header),
        }
    }

    /// Whether it is installed only when named.
    fn is_optional(&self) -> bool {
        self.compiled.is_some()
    }

    fn is_installed(&self, workspace: &Workspace) -> bool {
        self.header(workspace).is_file()
    }
}

/// Packages that cannot be built on this machine.
pub fn left_out(workspace: &Workspace) -> Vec<String> {
    let embedded = EMBEDDED.load(Ordering::Relaxed);
    let out = |f: &&Foreign| embedded || !f.is_installed(workspace);
    FOREIGN.iter().filter(out).map(Foreign::package).collect()
}

/// Packages of optional engines that are not installed.
pub fn optional_missing(workspace: &Workspace) -> Vec<String> {
    let absent = |f: &&Foreign| f.is_optional() && !f.is_installed(workspace);
    FOREIGN.iter().filter(absent).map(Foreign::package).collect()
}

/// A worker that was built, for the archive of `cargo xtask dist`.
pub struct Shipped {
    /// As in engine specs: `mujoco@3.17`.
    pub name: String,
    /// Its package.
    pub package: String,
    /// The program.
    pub program: PathBuf,
    /// The library that comes from a wheel and goes with it.
    pub library: Option<ShippedLibrary>,
}

/// The library of a wheel.
pub struct ShippedLibrary {
    /// Folder in which the worker looks for it, below `engines` next to the program.
    pub folder: String,
    /// The library and its licence.
    pub files: Vec<PathBuf>,
}

/// Workers in a folder of built programs, other versions included. The example in Python is not one: it needs the source tree.
pub fn shipped(workspace: &Workspace, built: &Path) -> Vec<Shipped> {
    let mut out = Vec::new();
    for foreign in FOREIGN {
        let package = foreign.package();
        let versions = foreign.others.iter().map(|other| (format!("@{}", other.version), Some(other.folder)));
        let own = (String::new(), foreign.wheel.map(|(_, folder)| folder));
        for (version, wheel) in std::iter::once(own).chain(versions) {
            let program = built.join(format!("{package}{version}"));
            if program.is_file() {
                let library =
                    wheel.map(|folder| library_of(&workspace.target().join("engines").join(folder), folder));
                out.push(Shipped {
                    name: format!("{}{version}", foreign.name),
                    package: package.clone(),
                    program,
                    library,
                });
            }
        }
    }
    out
}

/// Builds again the workers of a release build that exist: an older one would be shipped as it is.
pub fn rebuild(workspace: &Workspace) -> Result<()> {
    let release = workspace.target().join("release");
    for foreign in FOREIGN.iter().filter(|f| f.is_installed(workspace) && release.join(f.package()).is_file()) {
        build(workspace, foreign)?;
    }
    Ok(())
}

/// The shared library of an unpacked wheel, and the licences in it.
fn library_of(unpacked: &Path, folder: &str) -> ShippedLibrary {
    let mut files = Vec::new();
    let mut open = vec![unpacked.to_path_buf()];
    while let Some(place) = open.pop() {
        for path in std::fs::read_dir(&place).into_iter().flatten().flatten().map(|entry| entry.path()) {
            let name = path.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
            let taken = |name: &str| files.iter().any(|file: &PathBuf| file.file_name().is_some_and(|n| n == name));
            if path.is_dir() {
                open.push(path);
            } else if (name.starts_with("libmujoco.so") || name.starts_with("LICENSE")) && !taken(&name) {
                files.push(path);
            }
        }
    }
    files.sort();
    ShippedLibrary { folder: folder.to_string(), files }
}

/// Arguments for cargo: `--workspace` and an `--exclude` for every package left out.
pub fn workspace_arguments(workspace: &Workspace) -> Vec<String> {
    let excluded = left_out(workspace).into_iter().flat_map(|package| ["--exclude".to_string(), package]);
    std::iter::once("--workspace".to_string()).chain(excluded).collect()
}

/// The example worker in Python: its name and its script.
const IN_PYTHON: (&str, &str) = ("drake", "examples/python_worker/drake_worker.py");

/// Installs and builds the named engines, or all except optional ones that were never installed.
pub fn command(workspace: &Workspace, wanted: &[String]) -> Result<()> {
    let names: Vec<&str> = FOREIGN.iter().map(|f| f.name).chain([IN_PYTHON.0]).collect();
    if let Some(unknown) = wanted.iter().find(|w| !names.contains(&w.as_str())) {
        bail!("unknown engine `{unknown}`; the engines are {}", names.join(", "));
    }
    let unasked = |f: &Foreign| wanted.is_empty() && (!f.is_optional() || f.is_installed(workspace));
    let chosen: Vec<&Foreign> = FOREIGN.iter().filter(|f| unasked(f) || wanted.iter().any(|w| w == f.name)).collect();
    let mut table = Table::new(&["engine", "minutes", "verdict"]);
    let mut failed = 0;
    for (at, foreign) in chosen.iter().enumerate() {
        println!("── {} ({} of {}) ──", foreign.name, at + 1, chosen.len());
        let begun = Instant::now();
        let outcome = install_engine(workspace, foreign).and_then(|()| build(workspace, foreign));
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
        let path = write_python_worker(workspace)?;
        let minutes = format!("{:.1}", begun.elapsed().as_secs_f64() / 60.0);
        table.row([IN_PYTHON.0.to_string(), minutes, path.display().to_string()]);
    }
    println!("\n{}", table.text());
    for foreign in FOREIGN.iter().filter(|f| f.is_optional() && !f.is_installed(workspace)) {
        println!(
            "{} is optional: run `cargo xtask engines {}` to compile it from source",
            foreign.name, foreign.name
        );
    }
    if failed > 0 {
        bail!("{failed} of {} engines were not built", chosen.len());
    }
    Ok(())
}

/// Installs the libraries of all engines: a stage of `cargo xtask test`, where a missing library is an error.
pub fn ensure(workspace: &Workspace) -> Result<String> {
    if EMBEDDED.load(Ordering::Relaxed) {
        return Ok("left out because of --embedded".to_string());
    }
    // All packages at once: one apt-get run.
    let missing: Vec<&str> =
        FOREIGN.iter().filter(|f| !f.is_installed(workspace)).flat_map(|f| f.debian).copied().collect();
    install(&missing)?;
    let needed = || FOREIGN.iter().filter(|f| !f.is_optional() || f.is_installed(workspace));
    for foreign in needed() {
        install_engine(workspace, foreign).with_context(|| {
            format!(
                "{} cannot be installed; `cargo xtask test --embedded` runs without foreign engines",
                foreign.name
            )
        })?;
    }
    let names: Vec<&str> = needed().map(|f| f.name).collect();
    Ok(format!("installed: {}", names.join(", ")))
}

/// Installs the library of an engine unless it is installed already.
fn install_engine(workspace: &Workspace, foreign: &Foreign) -> Result<()> {
    if foreign.is_installed(workspace) {
        return Ok(());
    }
    if let Some((wheel, folder)) = foreign.wheel {
        unpack(workspace, wheel, &workspace.target().join("engines").join(folder))?;
    } else if let Some(compiled) = &foreign.compiled {
        compile(workspace, compiled)?;
    } else {
        install(foreign.debian)?;
    }
    if !foreign.is_installed(workspace) {
        bail!("{} is missing after the installation", foreign.header(workspace).display());
    }
    Ok(())
}

/// Installs Debian packages, and a C++ compiler if there is none.
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
    // Package lists may be missing or outdated. The installation may still succeed when they cannot be updated.
    if let Err(error) = process::run(apt_get()?.args(["update", "--quiet"])) {
        eprintln!("{error:#}; trying with the existing package lists");
    }
    let install = ["install", "--yes", "--quiet", "--no-install-recommends", "-o", "Acquire::Retries=3"];
    process::run(apt_get()?.args(install).args(&packages)).with_context(by_hand)?;
    Ok(())
}

/// `apt-get` as root, or through `sudo` if that needs no password.
fn apt_get() -> Result<Command> {
    let root = process::output_of(Command::new("id").arg("-u"))?.trim() == "0";
    let mut command = Command::new(if root { "apt-get" } else { "sudo" });
    if !root {
        command.args(["--non-interactive", "DEBIAN_FRONTEND=noninteractive", "apt-get"]);
    }
    command.env("DEBIAN_FRONTEND", "noninteractive");
    Ok(command)
}

/// Downloads a wheel and unpacks it, with the system's pip or, if there is none, that of `target/venv`.
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

/// Compiles a library from the sources in a crate, and copies it and its headers to where the worker's build looks.
fn compile(workspace: &Workspace, compiled: &Compiled) -> Result<()> {
    if process::output_of(Command::new("c++").arg("--version")).is_err() {
        install(&["g++"])?;
    }
    let engines = workspace.target().join("engines");
    let (folder, scratch) = (engines.join(compiled.folder), engines.join(format!("{}-build", compiled.folder)));
    let manifest = workspace.root.join(compiled.library).join("Cargo.toml");
    // Its dependencies are in no other lock file, so their licences are checked here.
    licences::check_manifest(workspace, &manifest)?;
    println!("compiling {} from source: some seven CPU-minutes", compiled.package);
    let mut cargo = workspace.cargo(&["build", "--release", "--locked", "--message-format=json-render-diagnostics"]);
    cargo.arg("--manifest-path").arg(&manifest).arg("--target-dir").arg(&scratch);
    // By default its build script uses clang.
    for (variable, compiler) in [("CXX", "c++"), ("CC", "cc")] {
        if std::env::var_os(variable).is_none() {
            cargo.env(variable, compiler);
        }
    }
    let messages = process::run_quietly(&mut cargo)?.stdout;
    let (sources, archive) = made_by(&messages, compiled.package)?;
    // The header that marks the library as installed comes last.
    std::fs::create_dir_all(&folder)?;
    let from = archive.join(compiled.archive);
    std::fs::copy(&from, folder.join(compiled.archive)).with_context(|| format!("no {}", from.display()))?;
    let include = folder.join("include");
    copy_folder(&sources.join(compiled.include), &folder.join("include-unfinished"))?;
    let _ = std::fs::remove_dir_all(&include);
    std::fs::rename(folder.join("include-unfinished"), &include)?;
    std::fs::remove_dir_all(&scratch)?;
    Ok(())
}

/// From cargo's messages: the folder of a package's sources, and the output folder of its build script.
fn made_by(messages: &str, package: &str) -> Result<(PathBuf, PathBuf)> {
    let (mut sources, mut made) = (None, None);
    for message in messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        if !message["package_id"].as_str().is_some_and(|id| id.contains(&format!("#{package}@"))) {
            continue;
        }
        if let Some(manifest) = message["manifest_path"].as_str() {
            sources = Path::new(manifest).parent().map(Path::to_path_buf);
        }
        if let Some(folder) = message["out_dir"].as_str() {
            made = Some(PathBuf::from(folder));
        }
    }
    sources.zip(made).with_context(|| format!("cargo did not say where {package} is"))
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from).with_context(|| format!("no folder {}", from.display()))? {
        let entry = entry?;
        let (path, copy) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy_folder(&path, &copy)?;
        } else {
            std::fs::copy(&path, &copy)?;
        }
    }
    Ok(())
}

/// Writes a program next to `veracity` that runs the example's script with the interpreter of `target/venv`, which has Drake.
fn write_python_worker(workspace: &Workspace) -> Result<PathBuf> {
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

/// Builds the worker next to the `veracity` of a release build. Other versions come first: the last build keeps the plain name.
fn build(workspace: &Workspace, foreign: &Foreign) -> Result<PathBuf> {
    let package = foreign.package();
    for other in foreign.others {
        let folder = workspace.target().join("engines").join(other.folder);
        if !folder.join(foreign.header).is_file() {
            unpack(workspace, other.wheel, &folder)?;
        }
        let mut cargo = workspace.cargo(&["build", "--release", "--locked", "-p", &package]);
        process::run(cargo.env(other.variable, folder.join(foreign.name)))?;
        let release = workspace.target().join("release");
        let named = release.join(format!("{package}@{}", other.version));
        // A running worker keeps its old file open; removing it first makes the copy succeed.
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
    fn workers_and_packages_below_engines_match() {
        let workspace = Workspace::open().unwrap();
        let in_process = ["crates/engines/native", "crates/engines/rapier"];
        let mut folders: Vec<String> = workspace.members().unwrap().into_iter().map(|m| m.folder).collect();
        folders.retain(|f| f.starts_with("crates/engines/") && !in_process.contains(&f.as_str()));
        folders.sort();
        let mut listed: Vec<String> = FOREIGN.iter().map(|f| format!("crates/engines/{}", f.name)).collect();
        listed.sort();
        assert_eq!(folders, listed);
    }

    #[test]
    fn package_folders_are_read_from_cargo_messages() {
        let line = |rest: &str| format!(r#"{{"package_id":"registry+x#physx-sys@0.11.5",{rest}}}"#);
        let other = r#"{"package_id":"registry+x#cc@1.0.0","manifest_path":"/r/cc/Cargo.toml","out_dir":"/t/cc"}"#;
        let messages =
            [line(r#""manifest_path":"/r/physx/Cargo.toml""#), line(r#""out_dir":"/t/out""#), other.into()];
        let (sources, made) = made_by(&messages.join("\n"), "physx-sys").unwrap();
        assert_eq!((sources, made), (PathBuf::from("/r/physx"), PathBuf::from("/t/out")));
        assert!(made_by(other, "physx-sys").is_err());
    }

    #[test]
    fn every_version_has_a_unique_folder_and_name() {
        for foreign in FOREIGN {
            let own = foreign.wheel.map(|(wheel, folder)| (foreign.name, wheel, folder));
            let all: Vec<_> =
                own.into_iter().chain(foreign.others.iter().map(|o| (o.version, o.wheel, o.folder))).collect();
            for (i, one) in all.iter().enumerate() {
                let clash = |other: &(&str, &str, &str)| other.0 == one.0 || other.1 == one.1 || other.2 == one.2;
                assert!(!all[..i].iter().any(clash), "{one:?}");
            }
        }
    }

    #[test]
    fn only_physx_is_optional() {
        let optional: Vec<&str> = FOREIGN.iter().filter(|f| f.is_optional()).map(|f| f.name).collect();
        assert_eq!(optional, ["physx"]);
    }
}
