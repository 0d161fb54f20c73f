//! A demonstration report, also used to test the page: `cargo run -p veracity-report --example demo_report --
//! OUT.html`.
//!
//! The motions are real: two textbook methods integrate four small systems here, and their errors are measured against
//! a closed form or a run with a far smaller step. They stand in for engines; the costs are counted steps times a
//! fictitious price, so that two runs give the same bytes.
//!
//! `--hostile` makes a report for tests: two hundred trials, names with markup in them, non-finite numbers, engines
//! that fail, unexpected verdicts. `--many N` makes one of about N trials. `--from FILE` makes the page of the data in a
//! `report.json`. `--json` writes the data without the page.

mod cases;
mod hostile;
mod integrate;
mod many;
mod systems;

use std::process::ExitCode;
use veracity_report::ReportData;

const USAGE: &str = "usage: demo_report [--hostile | --many N | --from FILE] [--json] OUT";

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&mut arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &mut Vec<String>) -> Result<(), Box<dyn std::error::Error>> {
    let (hostile, json) = (flag(arguments, "--hostile"), flag(arguments, "--json"));
    let (many, from) = (option(arguments, "--many"), option(arguments, "--from"));
    let [out] = &arguments[..] else { return Err(USAGE.into()) };
    let data = match (many, from) {
        (Some(count), None) => many::report(count.parse()?),
        (None, Some(file)) => ReportData::from_json(&std::fs::read_to_string(file)?)?,
        (Some(_), Some(_)) => return Err(USAGE.into()),
        (None, None) if hostile => hostile::report(),
        (None, None) => cases::report(),
    };
    let text = if json { serde_json::to_string(&data)? } else { veracity_report::render(&data)? };
    Ok(std::fs::write(out, text)?)
}

fn flag(arguments: &mut Vec<String>, name: &str) -> bool {
    let before = arguments.len();
    arguments.retain(|argument| argument != name);
    arguments.len() < before
}

/// The value after a name, removed from the arguments.
fn option(arguments: &mut Vec<String>, name: &str) -> Option<String> {
    let at = arguments.iter().position(|argument| argument == name)?;
    let value = arguments.get(at + 1).cloned();
    arguments.drain(at..(at + 2).min(arguments.len()));
    value
}
