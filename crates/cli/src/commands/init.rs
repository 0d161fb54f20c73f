//! `veracity init [FOLDER]`: a starter scenario, for a pendulum or for the user's own robot.

use super::Command;
use crate::init::robot::Robot;
use crate::init::tasks::{self, Files, ModelFiles, TASKS};
use crate::model_arguments;
use crate::output::Output;
use anyhow::{Context, bail};
use clap::{Arg, ArgMatches, value_parser};
use std::io::Write;
use std::path::{Path, PathBuf};
use veracity_model::import::{self, Base};
use veracity_scenario::starter;

pub struct Init;

impl Command for Init {
    fn name(&self) -> &'static str {
        "init"
    }

    fn about(&self) -> &'static str {
        "Write a scenario to start from, also for a robot of your own"
    }

    fn arguments(&self, command: clap::Command) -> clap::Command {
        let folder = Arg::new("FOLDER").value_parser(value_parser!(PathBuf)).default_value(".");
        let command = command
            .arg(folder.help("Folder to write into; existing files are never overwritten"))
            .arg(
                Arg::new("model")
                    .long("model")
                    .value_name("FILE")
                    .value_parser(value_parser!(PathBuf))
                    .requires("task")
                    .help("A URDF, SDF or MJCF file of your robot"),
            )
            .arg(
                Arg::new("task")
                    .long("task")
                    .value_name("TASK")
                    .value_parser(clap::builder::PossibleValuesParser::new(TASKS.iter().map(|t| t.name)))
                    .requires("model")
                    .help("The task, see below"),
            );
        let tasks: String = TASKS.iter().map(|t| format!("\n  {:6} {}", t.name, t.text)).collect();
        model_arguments::add_srdf(model_arguments::add(command)).after_help(format!("Tasks:{tasks}"))
    }

    fn run(&self, matches: &ArgMatches, out: &mut Output) -> anyhow::Result<u8> {
        let folder = matches.get_one::<PathBuf>("FOLDER").context("no folder")?;
        let Files { files, changes } = match matches.get_one::<PathBuf>("model") {
            Some(model) => for_model(model, folder, matches)?,
            None => {
                let files = starter::files().into_iter().map(|(name, text)| (name.to_string(), text)).collect();
                Files { files, changes: Vec::new() }
            }
        };
        let scenario = match matches.contains_id("model") {
            true => files[0].0.clone(),
            false => "my_pendulum.toml".to_string(),
        };
        // Checked before anything is written: all or nothing.
        for (name, _) in &files {
            let path = folder.join(name);
            if path.exists() {
                bail!("{} exists; choose another folder", path.display());
            }
        }
        for (name, text) in &files {
            let path = folder.join(name);
            let parent = path.parent().unwrap_or(folder);
            std::fs::create_dir_all(parent).with_context(|| format!("{} cannot be created", parent.display()))?;
            veracity_record::file::write_bytes(&path, text)?;
            writeln!(out, "wrote {}", path.display())?;
        }
        if !changes.is_empty() {
            writeln!(out, "\nchanged for this scenario, in the files written:")?;
            for change in changes {
                writeln!(out, "  {change}")?;
            }
        }
        let scenario = folder.join(scenario);
        writeln!(out, "\nnow: veracity compare {} --engines native,rapier:multibody", scenario.display())?;
        Ok(0)
    }
}

/// The files of a task for a robot, the scenario first, and what its sidecar changes in the model.
fn for_model(model: &Path, folder: &Path, matches: &ArgMatches) -> anyhow::Result<Files> {
    let task = matches.get_one::<String>("task").and_then(|name| tasks::find(name)).context("no task")?;
    let base = if task.free { Base::Free } else { Base::Fixed };
    if matches.contains_id("base") {
        bail!("--base does not go with --task {}: the task decides how the base is held", task.name);
    }
    let world = model_arguments::load_with(model, matches, |options| options.base = Some(base))?;
    let mut robot = Robot::new(world)?;
    let options = model_arguments::options(matches);
    let found = ModelFiles {
        srdf: options.srdf.map(|srdf| path_from(folder, &srdf)).transpose()?,
        packages: options.resource_roots.iter().map(|root| path_from(folder, root)).collect::<anyhow::Result<_>>()?,
    };
    let mut written = task.files(&mut robot, &path_from(folder, model)?, &found)?;
    written.files.push(("schema/scenario.json".to_string(), starter::scenario_schema()));
    if written.files.iter().any(|(name, _)| name.ends_with(".sidecar.toml")) {
        written.files.push(("schema/sidecar.json".to_string(), import::sidecar::json_schema()));
    }
    Ok(written)
}

/// A path as seen from a file in `folder`: relative if it is below or next to it, else absolute.
fn path_from(folder: &Path, model: &Path) -> anyhow::Result<String> {
    let full =
        |path: &Path| std::path::absolute(path).with_context(|| format!("{} has no full path", path.display()));
    let (folder, model) = (full(folder)?, full(model)?);
    let shown = match model.strip_prefix(&folder) {
        Ok(inside) => inside.to_path_buf(),
        Err(_) => match folder.parent().and_then(|parent| model.strip_prefix(parent).ok()) {
            Some(beside) => Path::new("..").join(beside),
            None => model.clone(),
        },
    };
    Ok(shown.to_str().with_context(|| format!("{} is not UTF-8", model.display()))?.to_string())
}
