//! docs/public-robots.md: what `veracity check` says of robots that others published.

use super::files::Collection;
use std::fmt::Write;
use std::path::Path;
use veracity_check::{Report, Verdict};
use veracity_model::Severity;

/// Findings shown of one file; the rest is counted.
const SHOWN: usize = 8;

/// The page.
pub fn write(collections: &[Collection], judge: impl Fn(&Path) -> Report) -> String {
    let mut totals = String::new();
    let mut tables = String::new();
    for collection in collections {
        let mut counts = [0usize; 4];
        let mut rows = String::new();
        for file in collection.files.iter().filter(|f| !is_scene(f)) {
            let report = judge(file);
            let (index, verdict) = match report.verdict {
                Some(Verdict::Accepted) => (0, "accepted"),
                Some(Verdict::Rejected) => (1, "rejected"),
                Some(Verdict::CannotTell) => (2, "cannot tell"),
                None => (3, "could not be read"),
            };
            counts[index] += 1;
            if index != 0 {
                let pose = report.pose.as_deref().unwrap_or("-");
                let _ = writeln!(
                    rows,
                    "| `{}` | {verdict} | {pose} | {} |",
                    collection.short(file),
                    findings(&report, &collection.folder)
                );
            }
        }
        let [accepted, rejected, unclear, unread] = counts;
        let all: usize = counts.iter().sum();
        let _ = writeln!(totals, "| {} | {all} | {accepted} | {rejected} | {unclear} | {unread} |", collection.name);
        let _ = writeln!(
            tables,
            "\n## {}\n\n| file | verdict | judged at | why |\n|---|---|---|---|\n{rows}",
            collection.name
        );
    }
    format!("{HEAD}{totals}{tables}{FOOT}")
}

/// A robot on a floor: the robot has a file of its own.
fn is_scene(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("scene"))
}

/// The findings that decide the verdict, with line and text.
fn findings(report: &Report, folder: &Path) -> String {
    let rejected = report.verdict != Some(Verdict::CannotTell);
    let decisive: Vec<String> = report
        .entries
        .iter()
        .map(|e| &e.finding)
        .filter(|f| match rejected {
            true => f.severity == Severity::Error,
            false => {
                f.severity == Severity::Warning
                    && report.reasons.iter().any(|r| r.ends_with(&format!(" x {}", f.code)))
            }
        })
        .map(|f| {
            let line =
                f.source.as_ref().filter(|s| s.line > 0).map_or(String::new(), |s| format!(" line {}", s.line));
            let text = f.text.replace(&format!("{}/", folder.display()), "").replace('|', "/").replace('\n', " ");
            // What is wrong, without what to do: the command says that.
            let text = text.split("; ").next().unwrap_or(&text).to_string();
            format!("`{}`{line}: {text}", f.code)
        })
        .collect();
    let mut shown: Vec<String> = decisive.iter().take(SHOWN).cloned().collect();
    if decisive.len() > SHOWN {
        shown.push(format!("and {} more", decisive.len() - SHOWN));
    }
    shown.join("<br>")
}

const HEAD: &str = "# What `veracity check` says of public robots

Robot models from public collections, judged as they are, without package paths and with the base of a URDF held as the
command holds it by default. Nothing downloaded is part of this repository. Rejected means that the file says something no
real robot can have or that cannot be used as written; `cannot tell` means that part of the file was not read, so that the
model judged is not the one described. Both are about the file, not about the robot.

Scenes (`scene*.xml`) are left out: they place a robot that has a file of its own. A mesh that is missing here may be missing
from the copy that was judged and not from the collection. Accepted files are counted and not listed.

| collection | files | accepted | rejected | cannot tell | could not be read |
|---|---|---|---|---|---|
";

const FOOT: &str = "
---
Written by `VERACITY_STRANGERS=FOLDER VERACITY_WRITE_DOCS=1 cargo test -p veracity-check --test strangers page`, where FOLDER
holds the collections as subfolders called `NAME@VERSION`. Without `VERACITY_WRITE_DOCS` the same run fails if this page is out
of date.
";
