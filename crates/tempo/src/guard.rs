//! A process that briefly outlives the coordinator: when the coordinator dies, for whatever reason, it kills the
//! processes the clients have left.
//!
//! Clients themselves die with the coordinator by their parent-death signal; processes *they* started do not. The guard
//! is a shell that reads process groups from a pipe that only the coordinator writes to; the pipe closes when the
//! coordinator ends.

use crate::error::TempoError;
use std::io::Write;
use std::process::{Child, ChildStdin, Command, Stdio};

const SCRIPT: &str = r#"
trap '' INT TERM HUP
groups=
while read -r what; do
  case $what in
    done) exit 0 ;;
    *) groups="$groups -$what" ;;
  esac
done
[ -z "$groups" ] || kill -KILL $groups 2>/dev/null
exit 0
"#;

/// The coordinator's handle of the guard.
pub struct Guard {
    child: Child,
    pipe: Option<ChildStdin>,
}

impl Guard {
    /// Starts it.
    pub fn start() -> Result<Self, TempoError> {
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(SCRIPT).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // A process group of its own, so that killing ours does not kill the guard.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(|e| TempoError::system("guard", "/bin/sh cannot be started", e))?;
        let pipe = child.stdin.take();
        Ok(Self { child, pipe })
    }

    /// Adds a process group to be killed when the coordinator dies.
    pub fn watch(&mut self, group: u32) -> Result<(), TempoError> {
        let Some(pipe) = self.pipe.as_mut() else { return Ok(()) };
        writeln!(pipe, "{group}").map_err(|e| TempoError::system("guard", "it has ended", e))
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(mut pipe) = self.pipe.take() {
            // If this write fails, its pipe closes here and it kills groups that have already ended.
            let _ = writeln!(pipe, "done");
        }
        let _ = self.child.wait();
    }
}
