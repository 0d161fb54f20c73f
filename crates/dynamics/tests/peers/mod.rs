//! Independent libraries that compute mass matrix and bias efforts of a file.
//!
//! Each peer is a Python script next to this file; `job_server.py` describes the protocol and `coordinates.py` how
//! the peers' joint coordinates are converted to ours. `VERACITY_PYTHON` names the interpreter.
#![allow(dead_code)]

pub mod agreement;
pub mod coverage;
pub mod coverage_page;
pub mod files;
pub mod subject;

use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use subject::Subject;

/// A library to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Peer {
    Pinocchio,
    MuJoCo,
    PyBullet,
}

/// A peer's answer about one subject.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Mass matrix by rows and bias efforts for each state, in our coordinates; the changes made to the file first.
    Numbers { states: Vec<(Vec<f64>, Vec<f64>)>, notes: Vec<String> },
    /// Why there are no numbers.
    Refused(String),
}

impl Peer {
    pub const ALL: [Peer; 3] = [Peer::Pinocchio, Peer::MuJoCo, Peer::PyBullet];

    pub fn name(self) -> &'static str {
        match self {
            Peer::Pinocchio => "Pinocchio",
            Peer::MuJoCo => "MuJoCo",
            Peer::PyBullet => "PyBullet",
        }
    }

    fn script(self) -> &'static str {
        match self {
            Peer::Pinocchio => "pinocchio_oracle.py",
            Peer::MuJoCo => "mujoco_oracle.py",
            Peer::PyBullet => "pybullet_oracle.py",
        }
    }

    /// Queries every subject; the answers are in the same order.
    pub fn ask(self, python: &Path, subjects: &[&Subject]) -> Vec<Answer> {
        if subjects.is_empty() {
            return Vec::new();
        }
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers").join(self.script());
        let mut child = Command::new(python)
            // Writes no bytecode into the source tree.
            .arg("-B")
            .arg(&script)
            // MuJoCo writes a log into the current folder.
            .current_dir(std::env::temp_dir())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap_or_else(|e| panic!("{} cannot be started: {e}", python.display()));
        let mut stdin = child.stdin.take().expect("piped");
        let lines: Vec<String> = subjects.iter().enumerate().map(|(id, s)| s.job(id).to_string()).collect();
        let writer = std::thread::spawn(move || {
            // A peer that died is detected below, by its missing answers.
            lines.iter().try_for_each(|line| writeln!(stdin, "{line}")).ok();
        });
        let mut answers: Vec<Option<Answer>> = vec![None; subjects.len()];
        for line in BufReader::new(child.stdout.take().expect("piped")).lines() {
            let line = line.expect("answers are text");
            // Libraries print messages on standard output when they are imported.
            let Ok(reply) = serde_json::from_str::<Value>(&line) else { continue };
            let id = reply["id"].as_u64().expect("every answer has an id") as usize;
            answers[id] = Some(Answer::read(&reply));
        }
        writer.join().expect("the writer does not panic");
        let status = child.wait().expect("the peer can be waited for");
        assert!(status.success(), "{} ended with {status}", self.script());
        answers.into_iter().map(|a| a.unwrap_or_else(|| Answer::Refused("no answer".into()))).collect()
    }
}

impl Answer {
    fn read(reply: &Value) -> Self {
        if let Some(error) = reply["error"].as_str() {
            // urdfdom prints the reason; its error only says that it failed.
            let printed = reply["printed"].as_str().unwrap_or_default();
            let mut reasons = printed.lines().filter_map(|l| l.trim().strip_prefix("Error:")).map(str::trim);
            return Answer::Refused(match reasons.next() {
                Some(reason) => reason.to_string(),
                None => error.to_string(),
            });
        }
        let vector = |v: &Value| -> Vec<f64> {
            v.as_array().expect("a vector").iter().map(|x| x.as_f64().unwrap_or(f64::NAN)).collect()
        };
        let states = reply["states"].as_array().expect("an answer has states or an error");
        let notes =
            reply["notes"].as_array().into_iter().flatten().filter_map(|n| n.as_str().map(String::from)).collect();
        Answer::Numbers { states: states.iter().map(|s| (vector(&s["mass"]), vector(&s["bias"]))).collect(), notes }
    }
}

/// The interpreter with the peers. Without it there is nothing to compare: an error in continuous integration (`CI` set), a
/// printed warning elsewhere.
pub fn python() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("VERACITY_PYTHON") {
        return Some(path.into());
    }
    let advice = "VERACITY_PYTHON is not set: nothing is compared with Pinocchio, MuJoCo and PyBullet. Run the tests \
                  with `cargo xtask test`, or set it to what `cargo xtask venv` prints.";
    assert!(std::env::var_os("CI").is_none(), "{advice}");
    eprintln!("SKIPPED: {advice}");
    None
}

/// Whether to run at full size.
pub fn full() -> bool {
    std::env::var_os("VERACITY_FULL").is_some()
}
