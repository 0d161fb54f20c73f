//! `veracity report`: writes the page of a results folder again.

use super::Command;
use crate::output::Output;
use crate::study::{arguments, report_of};
use anyhow::Context;
use clap::{Arg, ArgMatches};
use std::io::Write;
use veracity_lab::StoreReader;
use veracity_report::ReportData;

pub struct ReportCommand;

impl Command for ReportCommand {
    fn name(&self) -> &'static str {
        "report"
    }

    fn about(&self) -> &'static str {
        "Write the report of a results folder again"
    }

    fn arguments(&self, command: clap::Command) -> clap::Command {
        command.arg(arguments::out()).arg(
            Arg::new("run")
                .long("run")
                .value_name("N")
                .help("Of this run, by its number or label (`veracity runs`) [default: the last one with a report]"),
        )
    }

    fn run(&self, matches: &ArgMatches, out: &mut Output) -> anyhow::Result<u8> {
        let folder = arguments::folder(matches);
        let run = matches.get_one::<String>("run");
        let source = match run {
            Some(name) => report_of(&folder, super::runs::find(&StoreReader::open(&folder)?, name)?),
            None => folder.join("report.json"),
        };
        let text = std::fs::read_to_string(&source).with_context(|| match run {
            Some(name) => format!(
                "run {name} has no report ({}): it was made with --no-report or did not finish",
                source.display()
            ),
            None => format!("{} cannot be read; `veracity validate` writes it", source.display()),
        })?;
        let data = ReportData::from_json(&text).with_context(|| source.display().to_string())?;
        let page = folder.join("index.html");
        veracity_record::file::write_bytes(&page, veracity_report::render(&data)?)?;
        writeln!(out, "{}", page.display())?;
        Ok(0)
    }
}
