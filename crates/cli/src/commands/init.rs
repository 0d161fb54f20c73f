//! `veracity init [FOLDER]`: a scenario to start from.

use super::Command;
use crate::output::Output;
use anyhow::{Context, bail};
use clap::{Arg, ArgMatches, value_parser};
use std::io::Write;
use std::path::PathBuf;
use veracity_scenario::starter;

pub struct Init;

impl Command for Init {
    fn name(&self) -> &'static str {
        "init"
    }

    fn about(&self) -> &'static str {
        "Write a small scenario to start from"
    }

    fn arguments(&self, command: clap::Command) -> clap::Command {
        let folder = Arg::new("FOLDER").value_parser(value_parser!(PathBuf)).default_value(".");
        command.arg(folder.help("Where; files that are there are not touched"))
    }

    fn run(&self, matches: &ArgMatches, out: &mut Output) -> anyhow::Result<u8> {
        let folder = matches.get_one::<PathBuf>("FOLDER").context("no folder")?;
        let files = starter::files();
        // Before anything is written: all or nothing.
        for (name, _) in &files {
            let path = folder.join(name);
            if path.exists() {
                bail!("{} is there already; choose another folder", path.display());
            }
        }
        for (name, text) in &files {
            let path = folder.join(name);
            let parent = path.parent().unwrap_or(folder);
            std::fs::create_dir_all(parent).with_context(|| format!("{} cannot be made", parent.display()))?;
            veracity_record::file::write_bytes(&path, text)?;
            writeln!(out, "wrote {}", path.display())?;
        }
        let scenario = folder.join("my_pendulum.toml");
        writeln!(out, "\nnow: veracity run {}", scenario.display())?;
        Ok(0)
    }
}
