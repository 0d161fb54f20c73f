//! `cargo xtask bench mocap`: speed of turning a recording into a record.
//!
//! `crates/mocap/examples/clean_speed.rs` writes a synthetic Vicon text stream of a million samples with noise, snaps, losses
//! and hidden samples, reads it and runs every step except the smoother. The best of its rounds counts, wall time, one
//! thread; the speed is shown with the numbers of snaps inserted and found.

use crate::bench;
use crate::machine;
use crate::process;
use crate::table::Table;
use crate::workspace::Workspace;
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::process::Command;

const SAMPLES: &str = "1000000";
const ROUNDS: &str = "7";

/// The speed we want to reach [samples/s].
const WANTED: f64 = 1e6;

/// Runs the benchmark; with `write`, its section of docs/benchmarks.md too.
pub fn run(workspace: &Workspace, write: bool) -> Result<()> {
    let arguments = ["build", "--release", "--locked", "-p", "veracity-mocap", "--example", "clean_speed"];
    process::run(&mut workspace.cargo(&arguments))?;
    let folder = workspace.target().join("bench");
    std::fs::create_dir_all(&folder)?;
    let program = workspace.target().join("release/examples/clean_speed");
    let line = process::output_of(Command::new(program).arg(&folder).args([SAMPLES, ROUNDS]))?;
    let measured = Measured::read(&line)?;
    let mut table = Table::new(&[
        "samples",
        "text, MB",
        "samples/s",
        "reading, s",
        "all, s",
        "snaps inserted",
        "found",
        "1 million/s",
    ]);
    table.row(measured.cells());
    println!("\n{}", table.text());
    if write {
        let text = format!(
            "Written by `cargo xtask bench mocap --write` on {}, commit {}, on {}.\n\nA synthetic Vicon text stream, from file to \
             record, every step except the smoother, wall time on one thread, the best of {ROUNDS} rounds.\n\n{}",
            machine::today()?,
            machine::commit(workspace)?,
            machine::description()?,
            table.markdown()
        );
        bench::write_section(workspace, "Motion capture", &text)?;
    }
    Ok(())
}

/// The numbers the program prints.
struct Measured {
    numbers: [f64; 7],
}

impl Measured {
    fn read(line: &str) -> Result<Self> {
        let json: Value = serde_json::from_str(line).with_context(|| format!("not a line of results: {line}"))?;
        let number = |name: &str| json[name].as_f64().with_context(|| format!("no number `{name}` in {line}"));
        let names = ["samples", "bytes", "samples_per_s", "read_s", "all_s", "snaps_put_in", "snaps_found"];
        let mut numbers = [0.0; 7];
        for (slot, name) in numbers.iter_mut().zip(names) {
            *slot = number(name)?;
        }
        // A speed without the full result is meaningless.
        ensure!(numbers[5] == numbers[6], "{} snaps were inserted and {} found", numbers[5], numbers[6]);
        Ok(Self { numbers })
    }

    fn cells(&self) -> [String; 8] {
        let [samples, bytes, speed, read, all, put_in, found] = self.numbers;
        let reached = if speed >= WANTED { "yes" } else { "no" };
        [
            format!("{samples}"),
            format!("{:.0}", 1e-6 * bytes),
            format!("{speed:.0}"),
            format!("{read:.3}"),
            format!("{all:.3}"),
            format!("{put_in}"),
            format!("{found}"),
            reached.to_owned(),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missed_snap_is_an_error() {
        let line = |found: u32| {
            format!(
                r#"{{"samples": 10, "bytes": 1000, "samples_per_s": 2e6, "read_s": 0.1, "all_s": 0.2, "snaps_put_in": 3, "snaps_found": {found}}}"#
            )
        };
        assert_eq!(Measured::read(&line(3)).unwrap().cells()[7], "yes");
        assert!(Measured::read(&line(2)).is_err());
        assert!(Measured::read("{}").is_err());
    }
}
