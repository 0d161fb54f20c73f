//! `veracity mocap inspect|clean|export FILE…`: recorded motion to clean states; `veracity mocap score STUDY`: engines
//! compared with recorded tosses.

use super::Command;
use crate::COULD_NOT_RUN;
use crate::mocap::{arguments, json, one, print, score};
use crate::output::Output;
use anyhow::Context;
use clap::ArgMatches;
use std::io::Write;
use std::path::PathBuf;
use veracity_mocap::page::page;
use veracity_record::file::write_bytes;

pub struct Mocap;

impl Command for Mocap {
    fn name(&self) -> &'static str {
        "mocap"
    }

    fn about(&self) -> &'static str {
        "Recorded motion: inspect it, clean it step by step, export it as a record, score engines on tosses"
    }

    fn arguments(&self, command: clap::Command) -> clap::Command {
        let verb = |name: &'static str, about: &'static str| clap::Command::new(name).about(about);
        let inspect = verb("inspect", "Look at recordings of any length, one pass, a few numbers in memory");
        let clean =
            verb("clean", "Run every step and report what each did; writes records with --out, plots with --report");
        let export =
            verb("export", "Run every step and write records; a table of tosses becomes a record for each toss");
        command
            .subcommand_required(true)
            .arg_required_else_help(true)
            .subcommand(arguments::reading(inspect))
            .subcommand(arguments::cleaning(arguments::reading(clean)))
            .subcommand(arguments::exporting(arguments::cleaning(arguments::reading(export))))
            .subcommand(score::arguments(verb(
                "score",
                "Simulate recorded tosses on engines and report the error of each",
            )))
            .after_help("Exit codes: 0 every recording was read, 2 some could not be.")
    }

    fn run(&self, matches: &ArgMatches, out: &mut Output) -> anyhow::Result<u8> {
        let (verb, matches) = matches.subcommand().context("give a subcommand: inspect, clean, export or score")?;
        if verb == "score" {
            return score::run(matches, out);
        }
        let files: Vec<PathBuf> = matches.get_many::<PathBuf>("FILE").unwrap_or_default().cloned().collect();
        let mut told = Vec::new();
        for (k, file) in files.iter().enumerate() {
            told.push(match verb {
                "inspect" => one::inspect(file, matches),
                _ => one::clean(file, k, files.len(), matches),
            });
        }
        let code = if told.iter().any(|t| t.error.is_some()) { COULD_NOT_RUN } else { 0 };
        if verb != "inspect"
            && let Some(path) = matches.get_one::<PathBuf>("report")
        {
            let parts: Vec<_> = told.iter().map(|t| (t.file.clone(), t.reports.clone())).collect();
            write_bytes(path, page(&parts))?;
        }
        if matches.get_flag("json") {
            writeln!(out, "{}", serde_json::to_string_pretty(&json::document(verb, &told, code))?)?;
        } else {
            print::print(&told, out)?;
        }
        Ok(code)
    }
}
