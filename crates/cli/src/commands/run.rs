//! `veracity run SCENARIO` runs a scenario; `veracity run MODEL` simulates a robot with a known error.

use super::{Command, run_scenario};
use crate::output::Output;
use crate::run::motion::Motion;
use crate::run::plan::{self, Plan};
use crate::run::{columns, print};
use crate::{NOT_ACCEPTED, model_arguments, study};
use anyhow::{Context, anyhow, ensure};
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use std::io::Write;
use std::path::PathBuf;
use veracity_dynamics::integrate::IntegratorSettings;
use veracity_model::World;

pub struct Run;

impl Command for Run {
    fn name(&self) -> &'static str {
        "run"
    }

    fn about(&self) -> &'static str {
        "Run a scenario on an engine, or simulate a robot model and report the error"
    }

    fn arguments(&self, command: clap::Command) -> clap::Command {
        let number = |name: &'static str, value: &'static str, help: &'static str| {
            let arg = Arg::new(name).long(name).value_name(value).value_parser(value_parser!(f64));
            // `--step-s -1` is a wrong number, not an unknown flag.
            arg.allow_negative_numbers(true).help(help)
        };
        let text = |name: &'static str, value: &'static str, help: &'static str| {
            Arg::new(name).long(name).value_name(value).allow_hyphen_values(true).help(help)
        };
        let command = command
            .arg(
                Arg::new("WHAT")
                    .required(true)
                    .value_parser(value_parser!(PathBuf))
                    .help("A scenario (.toml, or a built-in one by name), or a URDF, SDF or MJCF file"),
            )
            .arg(number("duration-s", "S", "How long").default_value("10"))
            .arg(number("every-s", "S", "Time between rows [default: a tenth of the duration]"))
            .arg(text("integrator", "NAME", "`veracity list integrators` shows them").default_value("dop853"))
            .arg(number("step-s", "S", "Step of fixed-step integrators").default_value("0.001"))
            .arg(number("tolerance", "X", "Relative error allowed in a step of adaptive ones").default_value("1e-10"))
            .arg(text("start", "WHERE", "A keyframe by name, or all positions separated by commas"))
            .arg(text("start-velocity", "SPEEDS", plan::VELOCITY_HELP))
            .arg(
                text(
                    "set",
                    "PATH=X",
                    "Change a number first (`veracity paths` lists them); may be given more than once",
                )
                .action(ArgAction::Append),
            )
            .arg(
                Arg::new("csv")
                    .long("csv")
                    .value_name("FILE")
                    .value_parser(value_parser!(PathBuf))
                    .help("Write every recorded row as CSV"),
            )
            .next_help_heading("For scenarios");
        let command = study::arguments::add(run_scenario::add_arguments(command));
        model_arguments::add_srdf(model_arguments::add(command)).after_help(
            "A model is moved without controllers, from rest by default; its error is known because everything is run twice, the\n\
             second time finer. Exit codes: 0 accepted or done, 1 not accepted or the motion broke down, 2 could not run.",
        )
    }

    fn run(&self, matches: &ArgMatches, out: &mut Output) -> anyhow::Result<u8> {
        let file = matches.get_one::<PathBuf>("WHAT").context("nothing to run")?;
        if run_scenario::is_scenario(file) {
            return run_scenario::run(file, matches, out);
        }
        let shown = file.display().to_string();
        let json = matches.get_flag("json");
        let plan = make_plan(matches, model_arguments::load(file, matches)?)?;
        can_move(&plan.world)?;
        let mut motion = Motion::new(&plan)?;
        let [positions, velocities] = [columns::positions(&plan.world), columns::velocities(&plan.world)];

        let mut table = None;
        if !json {
            print::head(out, &shown, &plan)?;
            if motion.start_moved > 1e-9 {
                writeln!(out, "  the start was moved by {:.1e} (rad or m) to close loops\n", motion.start_moved)?;
            }
            let constrained =
                plan.world.placements.iter().any(|p| !p.model.loops().is_empty() || !p.model.couplings().is_empty());
            table = Some(print::Table::start(out, &positions, constrained)?);
        }
        let mut rows = Vec::new();
        let mut trouble = None;
        // Rows at whole multiples, so that sums do not drift; the last row at the end.
        let count = (plan.duration_s / plan.every_s - 1e-9).ceil() as u64;
        for i in 0..=count {
            let mut say = |text: &str| crate::output::complain(format!("veracity: {text}"));
            match motion.advance_to((i as f64 * plan.every_s).min(plan.duration_s), &mut say) {
                Ok(row) => {
                    if let Some(table) = &table {
                        table.row(out, &row)?;
                    }
                    rows.push(row);
                }
                Err(e) => {
                    trouble = Some(motion.explain(&e));
                    break;
                }
            }
        }
        if let Some(path) = matches.get_one::<PathBuf>("csv") {
            let mut bytes = Vec::new();
            print::csv(&mut bytes, &positions, &velocities, &rows)?;
            veracity_record::file::write_bytes(path, bytes)?;
        }
        let code = if trouble.is_some() { NOT_ACCEPTED } else { 0 };
        if json {
            let names = [positions.as_slice(), velocities.as_slice()];
            let document = print::Json::new(&shown, &plan, names, &rows, &motion, trouble);
            serde_json::to_writer_pretty(&mut *out, &document)?;
            writeln!(out)?;
        } else if let Some(trouble) = trouble {
            let label = out.paint().bad("broke down:");
            writeln!(out, "\n  {label} {trouble}")?;
        } else {
            print::foot(out, &plan, &rows, &motion)?;
        }
        Ok(code)
    }
}

/// Without inertia somewhere there are no accelerations: report it before the run.
fn can_move(world: &World) -> anyhow::Result<()> {
    let context = veracity_check::Context::new(world);
    let mut decisive = veracity_check::CHECKS.iter().filter(|c| ["massless-leaf", "mass-matrix"].contains(&c.code));
    match decisive.find_map(|c| (c.run)(&context).into_iter().next()) {
        Some(finding) => Err(anyhow!("{finding}").context("this model cannot move")),
        None => Ok(()),
    }
}

fn make_plan(matches: &ArgMatches, world: World) -> anyhow::Result<Plan> {
    let texts: Vec<&str> = matches.get_many::<String>("set").unwrap_or_default().map(String::as_str).collect();
    let world = if texts.is_empty() { world } else { plan::with_numbers(&world, &texts)? };
    let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    let mut start = plan::start(&world, ("--start", text("start")))?;
    if let Some(speeds) = text("start-velocity") {
        plan::set_velocity(&world, &mut start, ("--start-velocity", speeds))?;
    }
    let number = |name: &str| matches.get_one::<f64>(name).copied();
    let positive = |name: &str| {
        let value = number(name).with_context(|| format!("--{name} is missing"))?;
        ensure!(value > 0.0 && value.is_finite(), "--{name} is {value}; it must be a positive number");
        anyhow::Ok(value)
    };
    let (duration_s, step_s, tolerance) = (positive("duration-s")?, positive("step-s")?, positive("tolerance")?);
    let every_s = if number("every-s").is_some() { positive("every-s")? } else { duration_s / 10.0 };
    ensure!(
        duration_s / every_s <= 1e6,
        "{} rows are more than a million; make --every-s larger",
        (duration_s / every_s).ceil()
    );
    Ok(Plan {
        world,
        q: start.q,
        v: start.v,
        command: start.command,
        start_text: start.text,
        duration_s,
        every_s,
        integrator_named: matches.value_source("integrator") == Some(clap::parser::ValueSource::CommandLine),
        integrator: plan::integrator(matches.get_one::<String>("integrator").map_or("", String::as_str))?,
        // A step ends at every row. Where rows are closer than steps, the row interval is the step, of this run and of
        // the finer one.
        settings: IntegratorSettings {
            step_s: step_s.min(every_s),
            relative_tolerance: tolerance,
            absolute_tolerance: 0.1 * tolerance,
        },
    })
}
