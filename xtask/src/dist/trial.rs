//! The archive as a user gets it: unpacked in an empty folder, with an empty environment and, where the system allows it,
//! without the source tree.

use crate::process;
use crate::workspace::Workspace;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// One command of the trial.
struct Attempt {
    arguments: &'static [&'static str],
    /// Exit codes that pass.
    codes: &'static [i32],
    /// Parts of what it must print.
    says: &'static [&'static str],
    /// A part that it must not print.
    never: &'static str,
}

const ATTEMPTS: &[Attempt] = &[
    Attempt { arguments: &["--version"], codes: &[0], says: &["veracity "], never: "error" },
    Attempt { arguments: &["engines"], codes: &[0], says: &["native", "rapier"], never: "does not start" },
    Attempt {
        arguments: &["list", "models"],
        codes: &[0],
        says: &["pendulum/pendulum.urdf", "used by simple_pendulum"],
        never: "error",
    },
    // Every engine of the archive, on one scenario; a guest may be rejected or not able to express it.
    Attempt {
        arguments: &["compare", "simple_pendulum"],
        codes: &[0, 1],
        says: &["for simple_pendulum: ", "native", "report: veracity-results/index.html"],
        never: "failed",
    },
    Attempt { arguments: &["init", "mine"], codes: &[0], says: &["wrote"], never: "error" },
    Attempt { arguments: &["run", "mine/my_pendulum.toml"], codes: &[0], says: &["accepted"], never: "error" },
    // 1 on a machine that is too busy to decide; a program that is not metered would give a note.
    Attempt {
        arguments: &["tempo", "run", "held.toml"],
        codes: &[0, 1],
        says: &["controller", "napper", "activations"],
        never: "preloaded library is not used",
    },
];

/// A controller in Python that uses the client library, and an ordinary program that sleeps.
const TEMPO: &str = r#"schema = 1
scenario = "simple_pendulum"
step_s = 0.001
duration_s = 0.2

[[clients]]
name = "controller"
program = "python3"
arguments = ["controller.py"]
kind = "periodic"
rate_hz = 100
commands = ["efforts/hinge"]

[[clients]]
name = "napper"
program = "sleep"
arguments = ["0.05"]
kind = "unmodified"
"#;

const CONTROLLER: &str = "import veracity_client\n\
                          robot = veracity_client.Client()\n\
                          hinge = robot.observation_place('hinge/position')\n\
                          while robot.wait():\n\
                          \u{20}   time_ns, seen = robot.observe()\n\
                          \u{20}   robot.command([-30.0 * seen[hinge]])\n";

/// Unpacks the archive and runs [`ATTEMPTS`]; returns a sentence.
pub fn run(workspace: &Workspace, archive: &Path) -> Result<String> {
    let folder = std::env::temp_dir().join(format!("veracity-dist-{}", std::process::id()));
    std::fs::create_dir(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    let outcome = attempt(workspace, archive, &folder);
    std::fs::remove_dir_all(&folder)?;
    outcome
}

fn attempt(workspace: &Workspace, archive: &Path, folder: &Path) -> Result<String> {
    process::run(Command::new("tar").arg("-xf").arg(archive).arg("-C").arg(folder))?;
    let unpacked: Vec<PathBuf> = std::fs::read_dir(folder)?.flatten().map(|e| e.path()).collect();
    let [installed] = &unpacked[..] else { anyhow::bail!("the archive holds {} folders, not one", unpacked.len()) };
    let here = folder.join("empty");
    std::fs::create_dir(&here)?;
    std::fs::write(here.join("held.toml"), TEMPO)?;
    std::fs::write(here.join("controller.py"), CONTROLLER)?;
    let hidden = can_hide(&workspace.root);
    for attempt in ATTEMPTS {
        let output = veracity(workspace, installed, &here, attempt.arguments, hidden)?;
        let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        let shown = format!("`veracity {}` of the archive", attempt.arguments.join(" "));
        let code = output.status.code();
        let passes = code.is_some_and(|code| attempt.codes.contains(&code));
        ensure!(passes, "{shown}: exit code {code:?}\n{out}\n{err}");
        for says in attempt.says {
            ensure!(out.contains(says), "{shown} does not print {says:?}:\n{out}\n{err}");
        }
        ensure!(!out.contains(attempt.never), "{shown} prints {:?}:\n{out}\n{err}", attempt.never);
    }
    ensure!(here.join("veracity-results/index.html").is_file(), "the report is missing");
    let tree = if hidden { "without the source tree" } else { "beside the source tree, which cannot be hidden here" };
    Ok(format!("{} commands from the unpacked archive, {tree}", ATTEMPTS.len()))
}

/// The installed program in a folder, with a PATH and nothing else in its environment.
fn veracity(
    workspace: &Workspace,
    installed: &Path,
    here: &Path,
    arguments: &[&str],
    hidden: bool,
) -> Result<Output> {
    let program = installed.join("bin/veracity");
    let mut command = if hidden {
        let mut shell = Command::new("unshare");
        shell.args(["--map-root-user", "--mount", "sh", "-c", HIDE, "sh"]).arg(&workspace.root).arg(program);
        shell
    } else {
        Command::new(program)
    };
    command.args(arguments).current_dir(here).env_clear();
    command.env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HOME", here).env("NO_COLOR", "1");
    command.env("PYTHONPATH", installed.join("client"));
    command.output().with_context(|| format!("cannot start `{}`", process::shown(&command)))
}

/// Mounts an empty folder over the first argument and runs the rest.
const HIDE: &str = "mount -t tmpfs none \"$1\" && shift && exec \"$@\"";

/// Whether a folder can be hidden from a process: containers may not allow it.
fn can_hide(root: &Path) -> bool {
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--mount", "sh", "-c", HIDE, "sh"]).arg(root).args(["test", "!", "-e"]);
    command.arg(root.join("Cargo.toml")).stderr(std::process::Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
