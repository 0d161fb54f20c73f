//! A demonstration report, also used to test the page: `cargo run -p veracity-report --example demo_report --
//! OUT.html`.
//!
//! The motions are real: two textbook methods integrate four small systems here, and their errors are measured against
//! a closed form or a run with a far smaller step. They stand in for engines; the costs are counted steps times a
//! fictitious price, so that two runs give the same bytes.
//!
//! `--hostile` makes a report for tests: two hundred trials, names with markup in them, non-finite numbers, engines
//! that fail, unexpected verdicts. `--json` writes the data without the page.

mod cases;
mod hostile;
mod integrate;
mod systems;

use std::process::ExitCode;
use veracity_report::ReportData;

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut flag = |name: &str| {
        let before = arguments.len();
        arguments.retain(|argument| argument != name);
        arguments.len() < before
    };
    let (hostile, json) = (flag("--hostile"), flag("--json"));
    let [out] = &arguments[..] else {
        eprintln!("usage: demo_report [--hostile] [--json] OUT");
        return ExitCode::from(2);
    };
    let data = if hostile { hostile::report() } else { cases::report() };
    match write(&data, json, out) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{out}: {error}");
            ExitCode::from(2)
        }
    }
}

fn write(data: &ReportData, json: bool, out: &str) -> Result<(), Box<dyn std::error::Error>> {
    let text = if json { serde_json::to_string(data)? } else { veracity_report::render(data)? };
    Ok(std::fs::write(out, text)?)
}
