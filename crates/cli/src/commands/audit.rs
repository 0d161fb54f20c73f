//! `veracity audit ENGINE…`: whether an engine uses the numbers of the world it loaded.

use super::Command;
use crate::NOT_ACCEPTED;
use crate::audit::{json, markdown, print};
use crate::engines::{self, Resolved};
use crate::output::Output;
use anyhow::ensure;
use clap::{Arg, ArgAction, ArgMatches};
use std::io::Write;
use veracity_audit::EXPERIMENTS;

pub struct AuditCommand;

impl Command for AuditCommand {
    fn name(&self) -> &'static str {
        "audit"
    }

    fn about(&self) -> &'static str {
        "Show by experiment, number by number, that an engine uses the numbers of the world it loaded"
    }

    fn arguments(&self, command: clap::Command) -> clap::Command {
        command
            .arg(
                Arg::new("ENGINE")
                    .num_args(0..)
                    .help("Engine specs, e.g. native:paradigm=event or ode [default: every installed engine]"),
            )
            .arg(
                Arg::new("only")
                    .long("only")
                    .value_name("WORD")
                    .action(ArgAction::Append)
                    .help("Only numbers whose name or group contains this, e.g. inertia; may be given more than once"),
            )
            .arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print JSON (see docs/json.md)"))
            .arg(
                Arg::new("markdown")
                    .long("markdown")
                    .action(ArgAction::SetTrue)
                    .conflicts_with("json")
                    .help("Print one Markdown table, a column for each engine"),
            )
            .after_help(
                "docs/audit.md says what each experiment does. Exit codes: 0 nothing is wrong, 1 something is, 2 could not run.",
            )
    }

    fn run(&self, matches: &ArgMatches, out: &mut Output) -> anyhow::Result<u8> {
        let words: Vec<&String> = matches.get_many("only").unwrap_or_default().collect();
        let wanted = |e: &&'static veracity_audit::Experiment| {
            words.is_empty() || words.iter().any(|w| e.name.contains(w.as_str()) || e.group.contains(w.as_str()))
        };
        let experiments: Vec<_> = EXPERIMENTS.iter().filter(wanted).collect();
        ensure!(
            !experiments.is_empty(),
            "no number has a name or group with any of {words:?}; omit --only to see all"
        );
        let resolved = engines::read_all(matches.get_many::<String>("ENGINE").unwrap_or_default())?;
        let tables = matches.get_flag("json") || matches.get_flag("markdown");
        let mut audits = Vec::new();
        for Resolved { spec, engine, settings } in &resolved {
            if !tables {
                print::heading(out, spec, *engine)?;
            }
            let widths = print::Widths::of(&experiments);
            let mut group = "";
            let mut trouble = Ok(());
            let audit = veracity_audit::audit(*engine, settings, &experiments, |finding| {
                if !tables && trouble.is_ok() {
                    trouble = print::row(out, finding, &widths, &mut group);
                }
            });
            trouble?;
            if !tables {
                print::totals(out, &audit)?;
            }
            audits.push((spec.to_string(), audit));
        }
        let code = if audits.iter().all(|(_, audit)| audit.accepted()) { 0 } else { NOT_ACCEPTED };
        if matches.get_flag("json") {
            serde_json::to_writer_pretty(&mut *out, &json::document(&audits, code))?;
            writeln!(out)?;
        } else if matches.get_flag("markdown") {
            write!(out, "{}", markdown::table(&audits))?;
        }
        Ok(code)
    }
}
