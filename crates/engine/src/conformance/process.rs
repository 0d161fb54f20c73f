//! Tasks for another process: restore a snapshot there and continue.
//!
//! The program that runs the suite executes itself again with [`VARIABLE`] naming a file that holds the task; the
//! child calls [`answer_if_asked`], which writes the answer to a file next to it. In a test binary the child is one
//! test:
//!
//! ```ignore
//! #[test]
//! fn task() {
//!     process::answer_if_asked(&ENGINE);
//! }
//!
//! let host = Host { fresh_process: Some(&|task| process::in_this_test_binary("task", task)), .. };
//! ```

use super::scenes;
use super::trace::follow;
use crate::contract::{Engine, LoadOptions};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

/// Names the file of the task in the child's environment.
pub const VARIABLE: &str = "VERACITY_CONFORMANCE_TASK";

/// Task: restore this snapshot of this scene and continue.
#[derive(Clone, Debug, PartialEq)]
pub struct ResumeTask {
    /// Engine spec, every setting written out.
    pub spec: String,
    /// One of the suite's scenes.
    pub scene: String,
    /// [s]
    pub step_s: f64,
    /// Pieces of the run already done, and pieces to do.
    pub pieces: [u64; 2],
    /// State of the run.
    pub snapshot: Vec<u8>,
}

impl ResumeTask {
    /// Restores the snapshot, runs the remaining pieces and returns the trace as bytes.
    pub fn run(&self, engine: &dyn Engine) -> Result<Vec<u8>, String> {
        let spec = self.spec.parse().map_err(|e| format!("{e}"))?;
        let settings = engine.resolve(&spec).map_err(|e| e.to_string())?;
        let (_, make) = scenes::NAMED
            .iter()
            .find(|(name, _)| *name == self.scene)
            .ok_or_else(|| format!("unknown scene '{}'", self.scene))?;
        let scene = make();
        let options = LoadOptions { step_s: self.step_s };
        let mut simulation = engine.load(&scene.world, &settings, &options).map_err(|e| e.to_string())?;
        simulation.restore(&self.snapshot).map_err(|e| e.to_string())?;
        let [done, more] = self.pieces;
        let trace = follow(simulation.as_mut(), &scene.inputs, self.step_s, done..done + more, 0.0)?;
        Ok(trace.to_bytes())
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for field in [self.spec.as_bytes(), self.scene.as_bytes(), &self.snapshot] {
            out.extend((field.len() as u64).to_le_bytes());
            out.extend_from_slice(field);
        }
        out.extend(self.step_s.to_bits().to_le_bytes());
        self.pieces.iter().for_each(|x| out.extend(x.to_le_bytes()));
        out
    }

    fn from_bytes(mut bytes: &[u8]) -> Option<Self> {
        let word = |bytes: &mut &[u8]| -> Option<u64> {
            let (head, tail) = bytes.split_at_checked(8)?;
            *bytes = tail;
            Some(u64::from_le_bytes(head.try_into().ok()?))
        };
        let field = |bytes: &mut &[u8]| -> Option<Vec<u8>> {
            let length = usize::try_from(word(bytes)?).ok()?;
            let (head, tail) = bytes.split_at_checked(length)?;
            *bytes = tail;
            Some(head.to_vec())
        };
        let spec = String::from_utf8(field(&mut bytes)?).ok()?;
        let scene = String::from_utf8(field(&mut bytes)?).ok()?;
        let snapshot = field(&mut bytes)?;
        let step_s = f64::from_bits(word(&mut bytes)?);
        let pieces = [word(&mut bytes)?, word(&mut bytes)?];
        Some(Self { spec, scene, step_s, pieces, snapshot })
    }
}

/// In the child: runs the task of [`VARIABLE`] and writes the answer. `false` if the variable is not set.
pub fn answer_if_asked(engine: &dyn Engine) -> bool {
    let Some(path) = std::env::var_os(VARIABLE).map(PathBuf::from) else {
        return false;
    };
    let read = std::fs::read(&path).map_err(|e| e.to_string());
    let task = read.and_then(|bytes| ResumeTask::from_bytes(&bytes).ok_or_else(|| "invalid task file".to_string()));
    let answer = match task.and_then(|task| task.run(engine)) {
        Ok(bytes) => [vec![1], bytes].concat(),
        Err(why) => [vec![0], why.into_bytes()].concat(),
    };
    // A failure cannot be reported here; the parent reports the missing file.
    let _ = std::fs::write(answer_path(&path), answer);
    true
}

/// In the parent: runs this test binary again with the one test that calls [`answer_if_asked`].
pub fn in_this_test_binary(test: &str, task: &ResumeTask) -> Result<Vec<u8>, String> {
    let mut child = Command::new(std::env::current_exe().map_err(|e| e.to_string())?);
    child.args([test, "--exact", "--test-threads=1", "--quiet"]);
    ask(child, task)
}

/// In the parent: runs any command that will call [`answer_if_asked`].
pub fn ask(mut child: Command, task: &ResumeTask) -> Result<Vec<u8>, String> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("veracity-task-{}-{count}", std::process::id()));
    std::fs::write(&path, task.to_bytes()).map_err(|e| e.to_string())?;
    let output = child.env(VARIABLE, &path).output().map_err(|e| e.to_string());
    let answer = std::fs::read(answer_path(&path));
    for file in [path.clone(), answer_path(&path)] {
        // A file left behind only costs some bytes in the temporary folder.
        let _ = std::fs::remove_file(file);
    }
    let output = output?;
    let answer = answer
        .map_err(|_| format!("the other process gave no answer: {}", String::from_utf8_lossy(&output.stderr)))?;
    match answer.split_first() {
        Some((1, bytes)) => Ok(bytes.to_vec()),
        Some((_, why)) => Err(String::from_utf8_lossy(why).into_owned()),
        None => Err("the other process gave an empty answer".to_string()),
    }
}

fn answer_path(path: &Path) -> PathBuf {
    path.with_extension("answer")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_read_back_and_truncated_ones_are_rejected() {
        let task = ResumeTask {
            spec: "native:integrator=rk4".to_string(),
            scene: "tumbling".to_string(),
            step_s: 0.001,
            pieces: [3, 4],
            snapshot: vec![1, 2, 3],
        };
        let bytes = task.to_bytes();
        assert_eq!(ResumeTask::from_bytes(&bytes), Some(task));
        assert!((0..bytes.len()).all(|cut| ResumeTask::from_bytes(&bytes[..cut]).is_none()));
    }
}
