//! docs/public-robots.md: results of `veracity check` for published robots.
//!
//! A finding shared by several files is one table row with the list of files.

use super::files::Collection;
use super::numbers::{Peer, differences};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use veracity_check::{InspectionReport, Verdict, inspect};
use veracity_model::import::{ImportOptions, load};
use veracity_model::{Finding, Severity};

/// Number of files named in a row; more are folded.
const NAMED: usize = 3;
/// Number of rows of one kind that are shown; longer tables are folded.
const SHOWN: usize = 8;

/// A finding, and the files that have it.
struct Row {
    code: &'static str,
    text: String,
    /// Factor beyond the bound, if the finding's text states it: the sort key.
    strength: f64,
    files: Vec<String>,
}

/// Results of one collection.
#[derive(Default)]
struct Section {
    /// Accepted, rejected, cannot tell, could not be read, not judged.
    counts: [usize; 5],
    /// Why files were rejected, or could not be inspected completely.
    errors: Vec<Row>,
    gaps: Vec<Row>,
    /// Files that MuJoCo or Pinocchio reads.
    peer_reads: usize,
    /// Of those, files that gave no model here, and files whose numbers differ, each with the reason.
    no_model: Vec<(String, String)>,
    different: Vec<(String, String)>,
}

/// The page, with the peers' answers for the files of each collection.
pub fn write(collections: &[Collection], peers: &[Vec<Peer>]) -> String {
    let sections: Vec<Section> = collections.iter().zip(peers).map(|(c, p)| examine(c, p)).collect();
    let mut page = HEAD.to_string();
    for (collection, section) in collections.iter().zip(&sections) {
        let [accepted, rejected, unclear, unread, skipped] = section.counts;
        let all: usize = section.counts.iter().sum();
        let _ = writeln!(
            page,
            "| [{}](#{}) | {all} | {accepted} | {rejected} | {unclear} | {unread} | {skipped} |",
            collection.name,
            anchor(&collection.name)
        );
    }
    page += STRONGEST;
    for (collection, section) in collections.iter().zip(&sections) {
        for row in strongest(&section.errors) {
            let _ = writeln!(page, "| {} | {} | {} |", collection.name, finding(row), named(&row.files));
        }
    }
    page += BESIDE;
    let mut reasons = String::new();
    for (collection, section) in collections.iter().zip(&sections) {
        let Section { peer_reads, no_model, different, .. } = section;
        let _ = writeln!(page, "| {} | {peer_reads} | {} | {} |", collection.name, no_model.len(), different.len());
        for (what, list) in [("no model", no_model), ("different", different)] {
            for (file, why) in list {
                let _ = writeln!(reasons, "| {} | `{file}` | {what} | {why} |", collection.name);
            }
        }
    }
    if !reasons.is_empty() {
        let _ = write!(page, "\n| collection | file | | why |\n|---|---|---|---|\n{reasons}");
    }
    for (collection, section) in collections.iter().zip(&sections) {
        let _ = write!(page, "\n## {}\n", collection.name);
        page += &tables("Rejected or not readable", &section.errors);
        page += &tables("Cannot tell", &section.gaps);
    }
    page + FOOT
}

fn examine(collection: &Collection, peers: &[Peer]) -> Section {
    let mut section = Section::default();
    let (mut errors, mut gaps) = (BTreeMap::new(), BTreeMap::new());
    for (file, peer) in collection.files.iter().zip(peers) {
        let imported = load(file, &ImportOptions::default());
        let report = inspect(&imported);
        if peer.refused().is_none() {
            section.peer_reads += 1;
            let name = collection.short(file);
            match &imported.world {
                None => {
                    let why: Vec<String> = decisive(&report).map(|f| words(f, &collection.folder)).collect();
                    section.no_model.push((name, why.first().cloned().unwrap_or_default()));
                }
                Some(world) => {
                    let list = differences(world, peer);
                    if !list.is_empty() {
                        section.different.push((name, list.join("; ")));
                    }
                }
            }
        }
        if report.entries.iter().any(|e| e.finding.code == "mesh-missing" && collection.lacks(&e.finding.text)) {
            section.counts[4] += 1;
            continue;
        }
        let (index, rows) = match report.verdict {
            Some(Verdict::Accepted) => (0, &mut errors),
            Some(Verdict::Rejected) => (1, &mut errors),
            Some(Verdict::CannotTell) => (2, &mut gaps),
            None => (3, &mut errors),
        };
        section.counts[index] += 1;
        if index == 0 {
            continue;
        }
        for finding in decisive(&report) {
            let key = (finding.code, words(finding, &collection.folder));
            let files: &mut Vec<String> = rows.entry(key).or_default();
            let name = collection.short(file);
            if files.last() != Some(&name) {
                files.push(name);
            }
        }
    }
    let list = |rows: BTreeMap<(&'static str, String), Vec<String>>| {
        let row = |((code, text), files): ((&'static str, String), Vec<String>)| Row {
            code,
            strength: strength(code, &text),
            text,
            files,
        };
        let mut rows: Vec<Row> = rows.into_iter().map(row).collect();
        rows.sort_by(|a, b| a.code.cmp(b.code).then(b.strength.total_cmp(&a.strength)).then(a.text.cmp(&b.text)));
        rows
    };
    (section.errors, section.gaps) = (list(errors), list(gaps));
    section
}

/// The findings that decide the verdict.
fn decisive(report: &InspectionReport) -> impl Iterator<Item = &Finding> {
    let unclear = report.verdict == Some(Verdict::CannotTell);
    let decides = move |f: &&Finding| match unclear {
        false => f.severity == Severity::Error,
        true => {
            f.severity >= Severity::Warning && report.reasons.iter().any(|r| r.ends_with(&format!(" x {}", f.code)))
        }
    };
    report.entries.iter().map(|e| &e.finding).filter(decides)
}

/// The problem, without the advice that the command prints and without the path of the copy, escaped for a table.
fn words(finding: &Finding, folder: &Path) -> String {
    let text = finding.text.split("; ").next().unwrap_or(&finding.text);
    let text = text.replace(&format!("{}/", folder.display()), "");
    // The count and the first position differ between files with the same finding.
    let text = text.split(" (").map(|part| part.split_once("times, first here)").map_or(part, |(_, rest)| rest));
    text.collect::<Vec<_>>().join(" (").replace(" ( ", " ").replace('|', "/").replace('\n', " ").replace('<', "&lt;")
}

/// How far a finding is beyond possible, parsed from its text: per cent of the triangle inequality, multiple of the
/// bound on a moment, metres of overlap.
fn strength(code: &str, text: &str) -> f64 {
    let after = |mark: &str| -> Option<(f64, &str)> {
        let rest = text.split_once(mark)?.1.trim_start();
        let (number, rest) = rest.split_once([' ', ','])?;
        Some((number.parse().ok()?, rest))
    };
    let last = |mark: &str| text.rsplit_once(mark).and_then(|(_, n)| n.trim().parse::<f64>().ok());
    match code {
        "inertia-triangle" => after("kg m², by"),
        "inertia-proportion" => {
            after(" = ").zip(last("can have at most")).map(|((moment, rest), most)| (moment / most, rest))
        }
        "overlap" => after("each other by").map(|(depth, unit)| match unit.split(' ').next() {
            Some("mm") => (1e-3 * depth, unit),
            Some("µm") => (1e-6 * depth, unit),
            _ => (depth, unit),
        }),
        _ => None,
    }
    .map_or(0.0, |(number, _)| number)
}

/// For each kind, the strongest finding, or the one shared by most files.
fn strongest(rows: &[Row]) -> Vec<&Row> {
    let mut best: BTreeMap<&str, &Row> = BTreeMap::new();
    for row in rows {
        let held = best.entry(row.code).or_insert(row);
        if (row.strength, row.files.len()) > (held.strength, held.files.len()) {
            *held = row;
        }
    }
    best.into_values().collect()
}

/// Rows as tables, one for each code.
fn tables(title: &str, rows: &[Row]) -> String {
    let mut out = String::new();
    if rows.is_empty() {
        return out;
    }
    let _ = write!(out, "\n### {title}\n");
    for group in rows.chunk_by(|a, b| a.code == b.code) {
        let mut files: Vec<&String> = group.iter().flat_map(|row| &row.files).collect();
        files.sort();
        files.dedup();
        let count =
            format!("`{}`: {} in {}", group[0].code, plural(group.len(), "finding"), plural(files.len(), "file"));
        let mut table = String::from("| finding | files |\n|---|---|\n");
        for row in group {
            let _ = writeln!(table, "| {} | {} |", row.text, named(&row.files));
        }
        let _ = match group.len() > SHOWN {
            true => write!(out, "\n<details><summary>{count}</summary>\n\n{table}\n</details>\n"),
            false => write!(out, "\n{count}\n\n{table}"),
        };
    }
    out
}

fn finding(row: &Row) -> String {
    let times = match row.code {
        "inertia-proportion" => format!(": {:.0} times too much", row.strength),
        _ => String::new(),
    };
    format!("`{}`{times}: {}", row.code, row.text)
}

/// File names, folded when there are many.
fn named(files: &[String]) -> String {
    let list = |files: &[String]| files.iter().map(|f| format!("`{f}`")).collect::<Vec<_>>().join("<br>");
    match files.len() > NAMED {
        true => format!("<details><summary>{} files</summary>{}</details>", files.len(), list(files)),
        false => list(files),
    }
}

fn plural(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The anchor GitHub generates for a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase().replace(' ', "-");
    kept.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect()
}

const HEAD: &str = "# What `veracity check` says of public robots

Robot models from public collections, judged as they are: without package paths, each at the pose its files mean, and with the
base of a URDF held as the command holds it by default. Nothing downloaded is part of this repository. Rejected means that the
file says something no real robot can have or that cannot be used as written; `cannot tell` means that part of the file was
not read, so that the model judged is not the one described. Both are about the file, not about the robot. Each code is
explained in [checks.md](checks.md); `veracity check FILE` gives the line, and what to do.

A file is not judged where our copy of the collection lacks one of its meshes. Parts that only make sense inside another file
are left out; scenes are judged like robots. Accepted files are counted and not listed.

| collection | files | accepted | rejected | cannot tell | could not be read | not judged |
|---|---|---|---|---|---|---|
";

const STRONGEST: &str = "
## The strongest finding of each kind

| collection | finding | files |
|---|---|---|
";

const BESIDE: &str = "
## Compared with MuJoCo and Pinocchio

Files that MuJoCo (MJCF) or Pinocchio (URDF) reads, those that give no model here, and those where mass, degrees of freedom or
the mass matrix differ.

| collection | peer reads | no model here | numbers differ |
|---|---|---|---|
";

const FOOT: &str = "
---
Written by `VERACITY_STRANGERS=FOLDER VERACITY_WRITE_DOCS=1 cargo test -p veracity-check --test strangers page`, where FOLDER
holds the collections as subfolders called `NAME@VERSION` (and `VERACITY_PYTHON` names the Python of `cargo xtask venv`): unpacked wheels of PyPI, a checkout of a repository with its
commit as version, and a file `.absent` in a folder that names what the copy lacks. Without `VERACITY_WRITE_DOCS` the same run
fails if this page is out of date.
";
