//! Description of the machine and the commit, for pages with measured numbers.

use crate::process;
use crate::workspace::Workspace;
use anyhow::Result;
use std::process::Command;

/// Processor, cores and compiler, in one line.
pub fn description() -> Result<String> {
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpuinfo
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .and_then(|rest| rest.split_once(':'))
        .map_or("unknown processor", |(_, model)| model.trim());
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let compiler = process::output_of(Command::new("rustc").arg("--version"))?;
    let system = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    Ok(format!("{model}, {cores} cores, {system}, {}", compiler.trim()))
}

/// Today in UTC, `YYYY-MM-DD`.
pub fn today() -> Result<String> {
    Ok(process::output_of(Command::new("date").args(["-u", "+%Y-%m-%d"]))?.trim().to_owned())
}

/// The commit checked out, with `-dirty` when files outside `docs/` differ from it.
///
/// Pages of results are written to `docs/` and change no result.
pub fn commit(workspace: &Workspace) -> Result<String> {
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        process::output_of(command.args(arguments).current_dir(&workspace.root))
    };
    let hash = git(&["rev-parse", "--short=12", "HEAD"])?;
    let changed = git(&["status", "--porcelain", "--", ".", ":!docs"])?;
    Ok(format!("{}{}", hash.trim(), if changed.trim().is_empty() { "" } else { "-dirty" }))
}
