//! docs/metrics.md is generated from the two lists and the head comment of each metric's file.
//!
//! `VERACITY_WRITE=1 cargo test -p veracity-measure --test metrics_page` writes the page.

use std::path::{Path, PathBuf};
use veracity_measure::{Better, COMPARISONS, METRICS};

fn page_file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/metrics.md")
}

/// The comment at the head of a metric's file.
fn head_comment(folder: &str, name: &str) -> String {
    let file = format!("{}/src/{folder}/{name}.rs", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{name} has no file {file}: {e}"));
    let lines = text.lines().take_while(|l| l.starts_with("//!"));
    lines.map(|l| l.trim_start_matches("//!").strip_prefix(' ').unwrap_or("")).collect::<Vec<_>>().join("\n")
}

fn unit(unit: &str) -> String {
    match unit {
        "" => "A pure number.".to_string(),
        "of" => "In the unit of what it is of.".to_string(),
        "of/s" => "In the unit of what it is of, per second.".to_string(),
        unit => format!("In {unit}."),
    }
}

fn expected() -> String {
    let mut page = String::from(
        "# Metrics\n\n\
         A metric computes one number from a record, with its uncertainty, or says why it cannot tell. Energy, momentum,\n\
         constraints and gaps are computed from the poses and velocities of the bodies and the recorded world; the\n\
         engine's own value is shown next to it. A check holds the number to a bound: accepted if the whole interval lies\n\
         within, rejected if it lies outside, else it cannot tell. NaN is rejected, and so is a trial that broke down\n\
         before the instant of the check.\n\n\
         The uncertainty includes the error of the reference. A reference may be known for part of the time only: after\n\
         the instant at which refinements of a converged reference diverge (chaos, a grazing contact, forces that rigid\n\
         bodies do not determine) a check cannot tell, unless the error was beyond its bound before.\n\
         A trial whose engine did not reach its own residual in more than 1 % of its steps is not accepted: a small error\n\
         has no meaning there.\n\n\
         Every metric takes the options `of` (body, joint or pair; the worst counts without it), `at_s`, `from_s` and\n\
         `until_s` (when to look) and `time_offset_s` (added to these and to a reference's instants to get the record's:\n\
         minus the step for a log whose row at t is the state one step earlier); some take `point`, `quantity`, `scale`,\n\
         `level`, `grippers`, `objects`, `with` and the keys of task conditions, as described below. Instants of a record and of a reference that differ by a nanosecond or less are one;\n\
         else the denser of the two is interpolated, and what that may be wrong by is part of the uncertainty.\n\n\
         This page is written by a test from the metrics' own files.\n\n\
         # Metrics of one record\n",
    );
    for m in METRICS {
        let reference = if m.needs_truth { " Needs a reference." } else { "" };
        let repeatable = if m.deterministic { "" } else { " Differs from run to run." };
        let head = head_comment("metrics", m.name);
        page +=
            &format!("\n## `{}`\n\nIt is {}. {}{reference}{repeatable}\n\n{head}\n", m.name, m.text, unit(m.unit));
    }
    page += "\n# Metrics of several records\n";
    for c in COMPARISONS {
        let head = head_comment("comparisons", c.name);
        let better = if c.better == Better::Larger {
            " The larger, the better: its bound is the least it may be."
        } else {
            ""
        };
        page += &format!("\n## `{}`\n\nIt is {}. {}{better}\n\n{head}\n", c.name, c.text, unit(c.unit));
    }
    page
}

#[test]
fn the_page_says_what_the_files_say() {
    let expected = expected();
    if std::env::var_os("VERACITY_WRITE").is_some() {
        std::fs::write(page_file(), &expected).unwrap();
    }
    let found = std::fs::read_to_string(page_file()).unwrap_or_default();
    assert!(found == expected, "docs/metrics.md is out of date; run this test with VERACITY_WRITE=1");
}

#[test]
fn names_are_unique_and_fit_for_files() {
    let names: Vec<&str> = METRICS.iter().map(|m| m.name).chain(COMPARISONS.iter().map(|c| c.name)).collect();
    for (i, name) in names.iter().enumerate() {
        assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{name}");
        assert!(!names[..i].contains(name), "{name} is there twice");
    }
}
