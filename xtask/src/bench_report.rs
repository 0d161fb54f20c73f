//! `cargo xtask bench report`: how long a reader waits for a report.
//!
//! The quick suite on every engine present is run by `veracity validate`, and a study of twenty thousand made-up trials is
//! written by the example of `veracity-report`. `web/bench/report.mjs` opens both in headless Chromium, which draws with the
//! processor: a graphics card is faster.

use crate::bench;
use crate::browser;
use crate::machine;
use crate::process;
use crate::table::Table;
use crate::web;
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use serde_json::Value;
use std::process::Command;

const ROUNDS: &str = "7";
const MANY: &str = "20000";

/// The waits we want to stay below in ms: from loading to content, and from an action to its picture.
const WANTED_LOAD: f64 = 1000.0;
const WANTED_ACTION: f64 = 100.0;

/// Runs the benchmark; with `write`, its section of docs/benchmarks.md too.
pub fn run(workspace: &Workspace, write: bool) -> Result<()> {
    let chromium = browser::ensure()?;
    web::install(workspace)?;
    let folder = workspace.target().join("bench/report");
    std::fs::create_dir_all(&folder)?;
    process::run(&mut workspace.cargo(&["build", "--release", "--locked", "-p", "veracity-cli"]))?;
    let suite = folder.join("suite");
    let program = workspace.target().join("release/veracity");
    process::run(Command::new(program).arg("validate").arg("--out").arg(&suite))
        .context("running the quick suite")?;
    let many = browser::report(&browser::maker(workspace)?, &folder.join("many.html"), &["--many", MANY])?;
    let version = process::output_of(Command::new(&chromium).arg("--version"))?;
    let output = process::output_of(
        Command::new("node")
            .current_dir(workspace.root.join("web"))
            .env("VERACITY_CHROMIUM", &chromium)
            .args(["bench/report.mjs", ROUNDS])
            .arg(format!("quick suite={}", suite.join("index.html").display()))
            .arg(format!("{MANY} trials={}", many.display())),
    )?;
    let mut table = Table::new(&[
        "report",
        "height, pixels",
        "content after, ms",
        "filter, ms",
        "open the largest scenario, ms",
        "move in its replay, ms",
        "1 s and 100 ms",
    ]);
    for line in output.lines().filter(|line| !line.trim().is_empty()) {
        table.row(cells(line)?);
    }
    println!("\n{}", table.text());
    if write {
        let text = format!(
            "Written by `cargo xtask bench report --write` on {}, commit {}, on {}; {}, drawing with the processor.\n\n\
             From the start of loading to the first picture with content, and from an action to the picture that answers it; \
             median of {ROUNDS} openings at 1400 x 900 pixels, the slowest of ten moves in the replay. The height is that of \
             the page with all scenarios closed.\n\n{}",
            machine::today()?,
            machine::commit(workspace)?,
            machine::description()?,
            version.trim(),
            table.markdown()
        );
        bench::write_section(workspace, "Report", &text)?;
    }
    Ok(())
}

/// A row of the table from a line of results.
fn cells(line: &str) -> Result<[String; 7]> {
    let json: Value = serde_json::from_str(line).with_context(|| format!("not a line of results: {line}"))?;
    let name = json["name"].as_str().with_context(|| format!("no name in {line}"))?;
    let number = |key: &str| json[key].as_f64().with_context(|| format!("no number `{key}` in {line}"));
    let (load, filter, open) = (number("load")?, number("filter")?, number("open")?);
    // A scenario of many trials has no replay.
    let scrub = json["scrub"].as_f64();
    let actions = filter.max(open).max(scrub.unwrap_or(0.0));
    let reached = if load <= WANTED_LOAD && actions <= WANTED_ACTION { "yes" } else { "no" };
    Ok([
        name.to_owned(),
        format!("{:.0}", number("height")?),
        format!("{load:.0}"),
        format!("{filter:.0}"),
        format!("{open:.0}"),
        scrub.map_or("none".to_owned(), |ms| format!("{ms:.0}")),
        reached.to_owned(),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_action_is_not_hidden_by_a_fast_load() {
        let line = |open: f64| {
            format!(r#"{{"name": "n", "height": 1, "load": 9, "filter": 9, "open": {open}, "scrub": null}}"#)
        };
        assert_eq!(cells(&line(99.0)).unwrap()[5..], ["none", "yes"]);
        assert_eq!(cells(&line(101.0)).unwrap()[6], "no");
        assert!(cells("{}").is_err());
    }
}
