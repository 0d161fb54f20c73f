//! Runs programs and measures their CPU time.

use crate::cpu_time;
use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

/// A program that has ended.
pub struct Finished {
    /// Its exit status.
    pub status: ExitStatus,
    /// User and system time of it and its children.
    pub cpu: Duration,
    /// Its standard output; empty when that was not captured.
    pub stdout: String,
}

/// The `cargo` that runs this program, without the variables that `cargo run` set for it.
pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // Build scripts may watch these; left in place they would differ from a build by hand and cause rebuilds.
    for (name, _) in
        std::env::vars().filter(|(name, _)| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_"))
    {
        command.env_remove(name);
    }
    // Incremental data is useless where no build is kept, and is as large as all test programs together.
    if std::env::var_os("CI").is_some() && std::env::var_os("CARGO_INCREMENTAL").is_none() {
        command.env("CARGO_INCREMENTAL", "0");
    }
    command
}

/// The command as typed in a shell.
pub fn shown(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program());
    let mut words = vec![program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned()];
    words.extend(command.get_args().map(|argument| argument.to_string_lossy().into_owned()));
    words.join(" ")
}

/// Runs the command with this program's input and output; fails when it fails.
pub fn run(command: &mut Command) -> Result<Finished> {
    let before = cpu_time::children()?;
    let status = command.status().with_context(|| format!("cannot start `{}`", shown(command)))?;
    let cpu = cpu_time::children()?.saturating_sub(before);
    succeed(command, Finished { status, cpu, stdout: String::new() })
}

/// Runs the command and captures its standard output while printing it. Does not fail when the program does.
pub fn run_and_keep(command: &mut Command) -> Result<Finished> {
    let before = cpu_time::children()?;
    let mut child =
        command.stdout(Stdio::piped()).spawn().with_context(|| format!("cannot start `{}`", shown(command)))?;
    let mut stdout = String::new();
    if let Some(pipe) = child.stdout.take() {
        let mut reader = BufReader::new(pipe);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line)? > 0 {
            // Our own output may be closed (`| head`); the child's exit status still counts.
            let _ = std::io::stdout().write_all(&line);
            stdout.push_str(&String::from_utf8_lossy(&line));
            line.clear();
        }
    }
    let status = child.wait()?;
    let cpu = cpu_time::children()?.saturating_sub(before);
    Ok(Finished { status, cpu, stdout })
}

/// Runs the command and captures its standard output without printing it; fails when it fails.
pub fn run_quietly(command: &mut Command) -> Result<Finished> {
    let before = cpu_time::children()?;
    let (stdout, status) = output_and_status_of(command)?;
    let cpu = cpu_time::children()?.saturating_sub(before);
    succeed(command, Finished { status, cpu, stdout })
}

/// The standard output of the command, which is not printed; fails when the command fails.
pub fn output_of(command: &mut Command) -> Result<String> {
    let (stdout, status) = output_and_status_of(command)?;
    succeed(command, Finished { status, cpu: Duration::ZERO, stdout }).map(|finished| finished.stdout)
}

/// The standard output of the command, which is not printed, and its exit status.
pub fn output_and_status_of(command: &mut Command) -> Result<(String, ExitStatus)> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start `{}`", shown(command)))?;
    Ok((String::from_utf8_lossy(&output.stdout).into_owned(), output.status))
}

fn succeed(command: &Command, finished: Finished) -> Result<Finished> {
    if !finished.status.success() {
        bail!("`{}` failed: {}", shown(command), finished.status);
    }
    Ok(finished)
}
