//! `veracity check MODEL…`: whether a robot is physically possible, and what is wrong with it.

use super::Command;
use crate::output::Output;
use crate::paint::Paint;
use crate::{COULD_NOT_RUN, NOT_ACCEPTED, model_arguments};
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;
use veracity_check::show::number;
use veracity_check::{Entry, InspectionReport, Summary, Verdict, inspect};
use veracity_model::text::one_line;
use veracity_model::{Severity, import};

pub struct CheckCommand;

impl Command for CheckCommand {
    fn name(&self) -> &'static str {
        "check"
    }

    fn about(&self) -> &'static str {
        "Check whether robot models are physically possible and report what is wrong with them"
    }

    fn arguments(&self, command: clap::Command) -> clap::Command {
        model_arguments::add_srdf(model_arguments::add(
            command
                .arg(
                    Arg::new("MODEL")
                        .required(true)
                        .num_args(1..)
                        .value_parser(value_parser!(PathBuf))
                        .help("URDF, SDF or MJCF files"),
                )
                .arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print JSON (see docs/json.md)"))
                .arg(
                    Arg::new("notes")
                        .long("notes")
                        .action(ArgAction::SetTrue)
                        .help("Also print notes, which change no result"),
                ),
        ))
        .after_help(
            "`veracity list checks` lists the inspections. Exit codes: 0 accepted, 1 not accepted, 2 could not run.",
        )
    }

    fn run(&self, matches: &ArgMatches, out: &mut Output) -> anyhow::Result<u8> {
        let options = model_arguments::options(matches);
        let files: Vec<&PathBuf> = matches.get_many("MODEL").unwrap_or_default().collect();
        let judge = |file: &PathBuf| {
            let imported = import::load(file, &options);
            Judged { file: file.display().to_string(), report: inspect(&imported) }
        };
        let mut code = 0;
        let mut all = Vec::new();
        for (i, file) in files.iter().enumerate() {
            let judged = judge(file);
            code = code.max(match judged.report.verdict {
                Some(Verdict::Accepted) => 0,
                Some(Verdict::Rejected | Verdict::CannotTell) => NOT_ACCEPTED,
                None => COULD_NOT_RUN,
            });
            if !matches.get_flag("json") {
                // Print each as soon as it is known: a folder of a thousand robots takes a while.
                if i > 0 {
                    writeln!(out)?;
                }
                print(out, &judged, matches.get_flag("notes"))?;
            }
            all.push(judged);
        }
        if matches.get_flag("json") {
            serde_json::to_writer_pretty(&mut *out, &Json::new(&all, code))?;
            writeln!(out)?;
        } else if all.len() > 1 {
            print_totals(out, &all)?;
        }
        Ok(code)
    }
}

struct Judged {
    file: String,
    report: InspectionReport,
}

fn print(out: &mut Output, judged: &Judged, with_notes: bool) -> io::Result<()> {
    let paint = out.paint();
    let report = &judged.report;
    writeln!(out, "{}", paint.strong(&judged.file))?;
    if let Some(summary) = &report.summary {
        writeln!(out, "{}", describe(summary))?;
    }
    if let Some(pose) = &report.pose {
        writeln!(out, "  judged at {pose}")?;
    }
    let unknown = |severity| move |e: &&Entry| e.known.is_none() && e.finding.severity == severity;
    for severity in [Severity::Error, Severity::Warning, Severity::Note] {
        let group: Vec<_> = report.entries.iter().filter(unknown(severity)).collect();
        if group.is_empty() || (severity == Severity::Note && !with_notes) {
            continue;
        }
        writeln!(out)?;
        for entry in group {
            writeln!(out, "{}", line(paint, entry))?;
        }
    }
    let known: Vec<_> = report.entries.iter().filter(|e| e.known.is_some()).collect();
    if !known.is_empty() {
        writeln!(out)?;
        for entry in known {
            writeln!(out, "{}", line(paint, entry))?;
        }
    }
    writeln!(out, "\n{}", verdict_line(paint, report, with_notes))
}

/// Describes the model in one or two lines.
fn describe(s: &Summary) -> String {
    let mut parts = Vec::new();
    let mut count = |n: usize, one: &str, many: &str| {
        if n > 0 {
            parts.push(if n == 1 { format!("1 {one}") } else { format!("{n} {many}") });
        }
    };
    if s.models > 1 {
        count(s.models, "model", "models");
    }
    count(s.bodies, "body", "bodies");
    count(s.moving_joints, "moving joint", "moving joints");
    count(s.loops, "loop", "loops");
    count(s.couplings, "coupling", "couplings");
    count(s.actuators, "actuator", "actuators");
    count(s.collision_shapes, "collision shape", "collision shapes");
    parts.push(format!("{} dof", s.dof));
    parts.push(format!("{} kg", number(s.mass_kg)));
    if let Some(condition) = s.condition {
        parts.push(format!("inertia condition {}", number(condition)));
    }
    format!("  {}: {}", s.name, parts.join(", "))
}

/// `file:line: severity[code]: text`, with the severity in colour.
fn line(paint: Paint, entry: &Entry) -> String {
    let f = &entry.finding;
    let place = f.source.as_ref().map(|s| format!("{s}: ")).unwrap_or_default();
    let label = format!("{}[{}]", f.severity, f.code);
    if let Some(reason) = &entry.known {
        let text = if reason.is_empty() { String::new() } else { format!(" (known: {reason})") };
        return paint.quiet(format!("{place}known[{}]: {}{text}", f.code, one_line(&f.text)));
    }
    let label = match f.severity {
        Severity::Error => paint.bad(label),
        Severity::Warning => paint.doubtful(label),
        Severity::Note => paint.quiet(label),
    };
    format!("{place}{label}: {}", one_line(&f.text))
}

fn verdict_line(paint: Paint, report: &InspectionReport, with_notes: bool) -> String {
    let count =
        |severity| report.entries.iter().filter(|e| e.known.is_none() && e.finding.severity == severity).count();
    let plural = |n: usize, word: &str| if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") };
    let mut counts: Vec<String> = [(Severity::Error, "error"), (Severity::Warning, "warning")]
        .into_iter()
        .map(|(severity, word)| (count(severity), word))
        .filter(|(n, _)| *n > 0)
        .map(|(n, word)| plural(n, word))
        .collect();
    let notes = count(Severity::Note);
    if notes > 0 {
        let hint = if with_notes { "" } else { " (--notes shows them)" };
        counts.push(plural(notes, "note") + hint);
    }
    let known = report.entries.iter().filter(|e| e.known.is_some()).count();
    if known > 0 {
        counts.push(format!("{known} known"));
    }
    let counts = if counts.is_empty() { "no findings".to_string() } else { counts.join(", ") };
    let reasons =
        if report.reasons.is_empty() { String::new() } else { format!(" for {}", report.reasons.join(", ")) };
    match report.verdict {
        Some(Verdict::Accepted) => format!("{}: {counts}", paint.good("accepted")),
        Some(Verdict::Rejected) => format!("{}{reasons}: {counts}", paint.bad("rejected")),
        Some(Verdict::CannotTell) => format!("{}{reasons}: {counts}", paint.doubtful("cannot tell")),
        None => format!("{}{reasons}: {counts}", paint.bad("no model could be read")),
    }
}

fn print_totals(out: &mut Output, all: &[Judged]) -> io::Result<()> {
    let paint = out.paint();
    let count = |verdict| all.iter().filter(|j| j.report.verdict == verdict).count();
    let parts: Vec<String> = [
        (count(Some(Verdict::Accepted)), "accepted"),
        (count(Some(Verdict::Rejected)), "rejected"),
        (count(Some(Verdict::CannotTell)), "cannot tell"),
        (count(None), "without a model"),
    ]
    .into_iter()
    .filter(|(n, _)| *n > 0)
    .map(|(n, word)| format!("{n} {word}"))
    .collect();
    writeln!(out, "\n{}", paint.strong(format!("{} files: {}", all.len(), parts.join(", "))))
}

/// The document `--json` prints; every field is described in docs/json.md.
#[derive(Serialize)]
struct Json<'a> {
    schema: &'static str,
    version: &'static str,
    exit_code: u8,
    files: Vec<JsonFile<'a>>,
}

#[derive(Serialize)]
struct JsonFile<'a> {
    file: &'a str,
    verdict: Option<String>,
    reasons: &'a [String],
    summary: Option<&'a Summary>,
    pose: Option<&'a str>,
    findings: &'a [Entry],
}

impl<'a> Json<'a> {
    fn new(all: &'a [Judged], exit_code: u8) -> Self {
        let file = |j: &'a Judged| JsonFile {
            file: &j.file,
            verdict: j.report.verdict.map(|v| v.to_string()),
            reasons: &j.report.reasons,
            summary: j.report.summary.as_ref(),
            pose: j.report.pose.as_deref(),
            findings: &j.report.entries,
        };
        Self {
            schema: "veracity-check/1",
            version: env!("CARGO_PKG_VERSION"),
            exit_code,
            files: all.iter().map(file).collect(),
        }
    }
}
