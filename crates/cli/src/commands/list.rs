//! `veracity list`: everything there is to choose from.

use super::Command;
use crate::output::Output;
use anyhow::Context;
use clap::{Arg, ArgMatches};
use std::io::Write;
use std::path::{Path, PathBuf};
use veracity_check::CHECKS;
use veracity_control::controllers::CONTROLLERS;
use veracity_dynamics::integrate::INTEGRATORS;
use veracity_engine::{EngineSpec, SettingKind};
use veracity_measure::METRICS;
use veracity_scenario::{Scenario, catalogue};

pub struct List;

/// One list: its name, what it holds, and its rows of name and text.
struct Kind {
    name: &'static str,
    text: &'static str,
    rows: fn() -> anyhow::Result<Vec<(String, String)>>,
}

const KINDS: &[Kind] = &[
    Kind { name: "scenarios", text: "what `veracity validate`, `run` and `compare` can try", rows: scenarios },
    Kind { name: "engines", text: "who can run them, and every setting of theirs", rows: engines },
    Kind { name: "metrics", text: "what a scenario can ask about a record", rows: metrics },
    Kind { name: "controllers", text: "what can drive a robot in a scenario", rows: controllers },
    Kind { name: "checks", text: "what `veracity check` asks of a model", rows: checks },
    Kind { name: "integrators", text: "what `veracity run` moves it with", rows: integrators },
    Kind { name: "models", text: "robots and mechanisms that come with the program", rows: models },
];

impl Command for List {
    fn name(&self) -> &'static str {
        "list"
    }

    fn about(&self) -> &'static str {
        "List scenarios, engines, metrics, checks and what else there is to choose from"
    }

    fn arguments(&self, command: clap::Command) -> clap::Command {
        let names = KINDS.iter().map(|k| k.name);
        command.arg(
            Arg::new("KIND")
                .value_parser(clap::builder::PossibleValuesParser::new(names))
                .help("Which list; all of them without"),
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
    let here = std::env::current_dir().context("the current folder is gone")?;
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
