//! Running a program and knowing what it cost.

use crate::cpu_time;
use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

/// A program that has ended.
pub struct Finished {
    /// How it ended.
    pub status: ExitStatus,
    /// User and system time of it and its children.
    pub cpu: Duration,
    /// What it wrote to standard output; empty when that was not captured.
    pub stdout: String,
}

/// `cargo`, the same one that runs us, without the variables `cargo run` set for us alone.
pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // Build scripts may watch these; left in place they would differ from a build by hand and cause rebuilds.
    for (name, _) in
        std::env::vars().filter(|(name, _)| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_"))
    {
        command.env_remove(name);
    }
    // What a later build could reuse is of no use where nothing is kept, and is as large as all test programs together.
    if std::env::var_os("CI").is_some() && std::env::var_os("CARGO_INCREMENTAL").is_none() {
        command.env("CARGO_INCREMENTAL", "0");
    }
    command
}

/// The command as one would type it.
pub fn shown(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program());
    let mut words = vec![program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned()];
    words.extend(command.get_args().map(|argument| argument.to_string_lossy().into_owned()));
    words.join(" ")
}

/// Runs it with our own input and output, and fails when it fails.
pub fn run(command: &mut Command) -> Result<Finished> {
    let before = cpu_time::children()?;
    let status = command.status().with_context(|| format!("cannot start `{}`", shown(command)))?;
    let cpu = cpu_time::children()?.saturating_sub(before);
    succeed(command, Finished { status, cpu, stdout: String::new() })
}

/// Runs it, passing standard output through line by line while keeping it. Does not fail when the program does.
pub fn run_and_keep(command: &mut Command) -> Result<Finished> {
    let before = cpu_time::children()?;
    let mut child =
        command.stdout(Stdio::piped()).spawn().with_context(|| format!("cannot start `{}`", shown(command)))?;
    let mut stdout = String::new();
    if let Some(pipe) = child.stdout.take() {
        let mut reader = BufReader::new(pipe);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line)? > 0 {
            // Our own output may be closed (`| head`); the child's verdict still counts.
            let _ = std::io::stdout().write_all(&line);
            stdout.push_str(&String::from_utf8_lossy(&line));
            line.clear();
        }
    }
    let status = child.wait()?;
    let cpu = cpu_time::children()?.saturating_sub(before);
    Ok(Finished { status, cpu, stdout })
}

/// Runs it without showing its standard output, which is kept; fails when it fails.
pub fn run_quietly(command: &mut Command) -> Result<Finished> {
    let before = cpu_time::children()?;
    let (stdout, status) = output_and_status_of(command)?;
    let cpu = cpu_time::children()?.saturating_sub(before);
    succeed(command, Finished { status, cpu, stdout })
}

/// Runs it and gives its standard output, which is not shown; fails when it fails.
pub fn output_of(command: &mut Command) -> Result<String> {
    let (stdout, status) = output_and_status_of(command)?;
    succeed(command, Finished { status, cpu: Duration::ZERO, stdout }).map(|finished| finished.stdout)
}

/// Runs it and gives its standard output, which is not shown, and how it ended.
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
