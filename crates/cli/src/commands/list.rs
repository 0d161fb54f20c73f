//! `veracity list`: everything there is to choose from.

use super::Command;
use crate::init::tasks::TASKS;
use crate::output::Output;
use anyhow::Context;
use clap::{Arg, ArgMatches};
use std::io::Write;
use std::path::{Path, PathBuf};
use veracity_audit::EXPERIMENTS;
use veracity_check::{CHECKS, EXPERIMENT_CHECKS};
use veracity_control::{CONTROLLERS, SENSORS};
use veracity_dynamics::integrate::INTEGRATORS;
use veracity_engine::{EngineSpec, SettingKind};
use veracity_engine_native::PARADIGMS;
use veracity_lcp::SOLVERS;
use veracity_measure::{COMPARISONS, METRICS, TASK_CONDITIONS};
use veracity_mocap::readers::READERS;
use veracity_regress::{MODELS, SPLITS};
use veracity_scenario::reference::REFERENCE_KINDS;
use veracity_scenario::references::FORMS;
use veracity_scenario::{Scenario, Study, catalogue};
use veracity_tempo::link::ADAPTERS;
use veracity_tempo::policies::POLICIES;
use veracity_trace::detectors::DETECTORS;

pub struct List;

/// One list: its name, what it holds, and its rows of name and text.
struct Kind {
    name: &'static str,
    text: &'static str,
    rows: fn() -> anyhow::Result<Vec<(String, String)>>,
}

const KINDS: &[Kind] = &[
    Kind { name: "scenarios", text: "what `veracity validate`, `run` and `compare` can try", rows: scenarios },
    Kind { name: "engines", text: "engines that can run them, each with its settings", rows: engines },
    Kind { name: "solvers", text: "impulse solvers of the native engine, with what each guarantees", rows: solvers },
    Kind { name: "paradigms", text: "contact paradigms of the native engine", rows: paradigms },
    Kind { name: "integrators", text: "integrators of the native engine and of `veracity run`", rows: integrators },
    Kind { name: "metrics", text: "numbers that a check of a scenario can bound", rows: metrics },
    Kind { name: "comparisons", text: "numbers computed from several records of a study", rows: comparisons },
    Kind { name: "conditions", text: "task conditions that a check or `[stop]` can ask for", rows: conditions },
    Kind { name: "references", text: "how a scenario obtains the truth", rows: references },
    Kind { name: "forms", text: "closed forms of a reference", rows: forms },
    Kind { name: "controllers", text: "what can drive a robot in a scenario", rows: controllers },
    Kind { name: "sensors", text: "what a controller can observe", rows: sensors },
    Kind { name: "checks", text: "inspections of a model by `veracity check`", rows: checks },
    Kind {
        name: "experiment-checks",
        text: "inspections of start, controllers and sensors by `veracity check` and before a study",
        rows: experiment_checks,
    },
    Kind {
        name: "experiments",
        text: "numbers that `veracity audit` reads back from an engine's motion",
        rows: experiments,
    },
    Kind { name: "suites", text: "suites of `veracity validate --suite`", rows: suites },
    Kind { name: "policies", text: "scheduling policies of `veracity tempo`", rows: policies },
    Kind { name: "adapters", text: "connections between `veracity tempo` and a program", rows: adapters },
    Kind { name: "detectors", text: "how `veracity trace` finds that behaviour splits", rows: detectors },
    Kind { name: "splits", text: "how `veracity regress` holds out rows", rows: splits },
    Kind { name: "learners", text: "maps that `veracity regress` fits", rows: learners },
    Kind { name: "readers", text: "formats of recordings that `veracity mocap` reads", rows: readers },
    Kind { name: "tasks", text: "tasks that `veracity init --task` writes for a robot", rows: tasks },
    Kind { name: "models", text: "robots and mechanisms that come with the program", rows: models },
];

impl Command for List {
    fn name(&self) -> &'static str {
        "list"
    }

    fn about(&self) -> &'static str {
        "List scenarios, engines, metrics, checks and everything else there is to choose from"
    }

    fn arguments(&self, command: clap::Command) -> clap::Command {
        let names = KINDS.iter().map(|k| k.name);
        command.arg(
            Arg::new("KIND")
                .value_parser(clap::builder::PossibleValuesParser::new(names))
                .help("Which list [default: all]"),
        )
    }

    fn run(&self, matches: &ArgMatches, out: &mut Output) -> anyhow::Result<u8> {
        let wanted = matches.get_one::<String>("KIND");
        let mut first = true;
        for kind in KINDS.iter().filter(|k| wanted.is_none_or(|w| w == k.name)) {
            let rows = (kind.rows)()?;
            if wanted.is_none() {
                let heading = out.paint().strong(kind.name);
                writeln!(out, "{}{heading}: {}", if first { "" } else { "\n" }, kind.text)?;
            }
            first = false;
            let indent = if wanted.is_none() { "  " } else { "" };
            let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
            for (name, text) in rows {
                writeln!(out, "{indent}{name:width$}  {text}")?;
            }
        }
        Ok(0)
    }
}

fn scenarios() -> anyhow::Result<Vec<(String, String)>> {
    Ok(catalogue::CATALOGUE.iter().map(|e| (e.name.to_string(), title_of(e.name))).collect())
}

/// A built-in scenario's title; for one that cannot be read, the reason.
fn title_of(name: &str) -> String {
    Scenario::built_in(name).map_or_else(|findings| findings.to_string(), |s| s.title)
}

/// Each engine, followed by its settings.
fn engines() -> anyhow::Result<Vec<(String, String)>> {
    let mut rows = Vec::new();
    for engine in crate::engines::all() {
        // As specs name it: a second version has its own name.
        let spec = engine.name().parse::<EngineSpec>().ok().and_then(|spec| engine.resolve(&spec).ok());
        let name = spec.map_or_else(|| engine.name().to_string(), |settings| settings.short_spec());
        rows.push((name, format!("{} ({})", engine.about(), engine.version())));
        for setting in engine.settings() {
            let takes = match setting.kind {
                SettingKind::Choice(words) => words.join("|"),
                SettingKind::Integer(low, high) => format!("{low}..{high}"),
                SettingKind::Real(low, high) => format!("{low:e}..{high:e}"),
            };
            rows.push((format!("  {}={takes}", setting.key), format!("[{}] {}", setting.default, setting.text)));
        }
    }
    for (name, about) in crate::engines::missing() {
        rows.push((
            name.to_string(),
            format!("{about}: not installed; run `{}` to build it", crate::engines::how(name)),
        ));
    }
    Ok(rows)
}

fn metrics() -> anyhow::Result<Vec<(String, String)>> {
    let unit = |u: &str| if u.is_empty() { String::new() } else { format!(" [{u}]") };
    Ok(METRICS.iter().map(|m| (m.name.to_string(), format!("{}{}", m.text, unit(m.unit)))).collect())
}

fn comparisons() -> anyhow::Result<Vec<(String, String)>> {
    let unit = |u: &str| if u.is_empty() { String::new() } else { format!(" [{u}]") };
    Ok(COMPARISONS.iter().map(|c| (c.name.to_string(), format!("{}{}", c.text, unit(c.unit)))).collect())
}

/// A condition has the text of the metric that gives its instant.
fn conditions() -> anyhow::Result<Vec<(String, String)>> {
    let text = |name: &str| METRICS.iter().find(|m| m.name == name).map_or(String::new(), |m| m.text.to_string());
    Ok(TASK_CONDITIONS.iter().map(|c| (c.name.to_string(), text(c.name))).collect())
}

fn references() -> anyhow::Result<Vec<(String, String)>> {
    Ok(REFERENCE_KINDS.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect())
}

fn forms() -> anyhow::Result<Vec<(String, String)>> {
    Ok(FORMS.iter().map(|f| (f.name.to_string(), f.text.to_string())).collect())
}

fn sensors() -> anyhow::Result<Vec<(String, String)>> {
    Ok(SENSORS.iter().map(|s| (s.name.to_string(), s.text.to_string())).collect())
}

fn experiments() -> anyhow::Result<Vec<(String, String)>> {
    Ok(EXPERIMENTS.iter().map(|e| (e.name.to_string(), format!("{}: {}", e.group, e.formula))).collect())
}

fn readers() -> anyhow::Result<Vec<(String, String)>> {
    Ok(READERS.iter().map(|r| (r.name.to_string(), r.text.to_string())).collect())
}

fn tasks() -> anyhow::Result<Vec<(String, String)>> {
    Ok(TASKS.iter().map(|t| (t.name.to_string(), t.text.to_string())).collect())
}

fn solvers() -> anyhow::Result<Vec<(String, String)>> {
    Ok(SOLVERS.iter().map(|s| (s.name.to_string(), format!("{}: {}", s.text, s.guarantees))).collect())
}

fn paradigms() -> anyhow::Result<Vec<(String, String)>> {
    Ok(PARADIGMS.iter().map(|p| (p.name.to_string(), p.text.to_string())).collect())
}

fn experiment_checks() -> anyhow::Result<Vec<(String, String)>> {
    Ok(EXPERIMENT_CHECKS.iter().map(|c| (c.code.to_string(), c.text.to_string())).collect())
}

/// Each suite with its title; for one that cannot be read, the reason.
fn suites() -> anyhow::Result<Vec<(String, String)>> {
    let title = |name: &str| Study::built_in(name).map_or_else(|findings| findings.to_string(), |s| s.title);
    Ok(catalogue::SUITES.iter().map(|s| (s.name.to_string(), title(s.name))).collect())
}

fn policies() -> anyhow::Result<Vec<(String, String)>> {
    Ok(POLICIES.iter().map(|p| (p.name().to_string(), p.about().to_string())).collect())
}

fn adapters() -> anyhow::Result<Vec<(String, String)>> {
    Ok(ADAPTERS.iter().map(|a| (a.name().to_string(), a.about().to_string())).collect())
}

fn detectors() -> anyhow::Result<Vec<(String, String)>> {
    Ok(DETECTORS.iter().map(|d| (d.name.to_string(), d.text.to_string())).collect())
}

fn splits() -> anyhow::Result<Vec<(String, String)>> {
    Ok(SPLITS.iter().map(|s| (s.name.to_string(), s.about.to_string())).collect())
}

fn learners() -> anyhow::Result<Vec<(String, String)>> {
    Ok(MODELS.iter().map(|m| (m.name.to_string(), m.about.to_string())).collect())
}

fn controllers() -> anyhow::Result<Vec<(String, String)>> {
    Ok(CONTROLLERS.iter().map(|c| (c.name.to_string(), c.text.to_string())).collect())
}

fn checks() -> anyhow::Result<Vec<(String, String)>> {
    Ok(CHECKS.iter().map(|c| (c.code.to_string(), c.text.to_string())).collect())
}

fn integrators() -> anyhow::Result<Vec<(String, String)>> {
    let kind = |adaptive| if adaptive { "adaptive" } else { "fixed step" };
    let row = |e: &veracity_dynamics::integrate::IntegratorEntry| {
        (e.name.to_string(), format!("order {}, {}: {}", e.order, kind(e.adaptive), e.text))
    };
    Ok(INTEGRATORS.iter().map(row).collect())
}

/// Model files under `scenarios/`, with the title of their folder's README; outside the repository, the built-in models
/// with the scenarios that use them.
fn models() -> anyhow::Result<Vec<(String, String)>> {
    let here = std::env::current_dir().context("the current folder no longer exists")?;
    let folder = here.ancestors().map(|a| a.join("scenarios")).find(|s| s.join("README.md").is_file());
    let Some(root) = folder else { return Ok(built_in_models()) };
    let mut rows = Vec::new();
    for folder in sorted_entries(&root)?.into_iter().filter(|f| f.is_dir()) {
        let title = title(&folder.join("README.md"));
        for file in sorted_entries(&folder)? {
            let model = file.extension().is_some_and(|e| e == "urdf" || e == "sdf" || e == "xml");
            if model {
                let shown = file.strip_prefix(&here).unwrap_or(&file);
                rows.push((shown.display().to_string(), title.clone()));
            }
        }
    }
    Ok(rows)
}

/// Built-in models: each belongs to scenarios, which can be run by name.
fn built_in_models() -> Vec<(String, String)> {
    let row = |model: &'static str| {
        let used = catalogue::users(model);
        let text = if used.is_empty() { String::new() } else { format!("built in; used by {}", used.join(", ")) };
        (model.to_string(), text)
    };
    catalogue::models().map(row).collect()
}

fn sorted_entries(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let read = || std::fs::read_dir(folder)?.map(|e| Ok(e?.path())).collect::<std::io::Result<Vec<_>>>();
    let mut entries = read().with_context(|| format!("cannot list {}", folder.display()))?;
    entries.sort();
    Ok(entries)
}

/// The first heading of a page, or an empty string.
fn title(page: &Path) -> String {
    let text = std::fs::read_to_string(page).unwrap_or_default();
    text.lines().find_map(|l| l.strip_prefix("# ")).unwrap_or_default().trim().to_string()
}
