//! A process that outlives the coordinator by a moment: when the coordinator dies, however it dies, it kills what the
//! clients have left.
//!
//! Clients themselves die with the coordinator by their parent-death signal; what *they* started does not. The guard is a
//! shell that reads process groups from a pipe nobody else writes to; the pipe's end is the coordinator's.

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

/// The guard, from the coordinator's side.
pub struct Guard {
    child: Child,
    pipe: Option<ChildStdin>,
}

impl Guard {
    /// Starts it.
    pub fn start() -> Result<Self, TempoError> {
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(SCRIPT).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // A group of its own, so that whoever kills ours leaves the guard.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(|e| TempoError::system("guard", "/bin/sh cannot be started", e))?;
        let pipe = child.stdin.take();
        Ok(Self { child, pipe })
    }

    /// Kills this process group, too, when the coordinator dies.
    pub fn watch(&mut self, group: u32) -> Result<(), TempoError> {
        let Some(pipe) = self.pipe.as_mut() else { return Ok(()) };
        writeln!(pipe, "{group}").map_err(|e| TempoError::system("guard", "it is gone", e))
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(mut pipe) = self.pipe.take() {
            // If it cannot be told, its pipe ends here and it kills groups that are already gone.
            let _ = writeln!(pipe, "done");
        }
        let _ = self.child.wait();
    }
}
