//! The table of scenarios and engines with the values of the checks that a study shows, what others printed beside them,
//! and the hypotheses with their intervals. No cell is empty without a sentence.

use crate::engines;
use crate::output::Output;
use std::fmt::Write as _;
use std::io::{self, Write};
use veracity_engine::EngineSpec;
use veracity_lab::answer::span;
use veracity_lab::{Row, StudyResult, TrialVerdict, Weighed, weigh};
use veracity_measure::statistics::median;
use veracity_measure::task_conditions;
use veracity_scenario::{Scenario, Study, StudyEngine};

/// One scenario on one engine at one step.
pub struct EvidenceCell {
    pub scenario: String,
    /// The spec, with its label in front where it has one.
    pub engine: String,
    /// [s]; `None` if nothing was run.
    pub step_s: Option<f64>,
    /// The verdict, or "not run".
    pub verdict: String,
    /// One for each shown check; empty where there is a sentence instead.
    pub values: Vec<String>,
    /// Simulated time reached [s].
    pub reached_s: f64,
    /// CPU time of a simulated second [s].
    pub cost_s: Option<f64>,
    /// What others printed.
    pub published: String,
    /// Why there is no value, why it ended, why the printed result may differ.
    pub why: String,
}

/// Every cell of a study that shows checks, in its own order.
pub fn cells(study: &Study, result: &StudyResult) -> Vec<EvidenceCell> {
    let mut out = Vec::new();
    if study.evidence.shown.is_empty() {
        return out;
    }
    for scenario in &study.scenarios {
        for engine in &study.engines {
            let elsewhere = |e: &StudyEngine| e.spec == engine.spec && study.runs(e, scenario);
            if !study.runs(engine, scenario) && study.engines.iter().any(elsewhere) {
                continue; // The spec has a line of its own for this scenario.
            }
            let name = short(&engine.spec).unwrap_or_else(|| engine.spec.to_string());
            let of = |row: &&Row| row.scenario == scenario.name && row.engine == name;
            let rows: Vec<&Row> = result.rows.iter().filter(of).collect();
            let mut steps: Vec<f64> = rows.iter().map(|row| row.step_s).collect();
            steps.dedup();
            if steps.is_empty() {
                out.push(not_run(study, result, scenario, engine));
            }
            for step_s in steps {
                let rows: Vec<&Row> = rows.iter().copied().filter(|row| row.step_s == step_s).collect();
                out.push(ran(study, scenario, engine, &rows));
            }
        }
    }
    out
}

fn label(engine: &StudyEngine) -> String {
    if engine.label.is_empty() { engine.spec.to_string() } else { format!("{} ({})", engine.label, engine.spec) }
}

fn not_run(study: &Study, result: &StudyResult, scenario: &Scenario, engine: &StudyEngine) -> EvidenceCell {
    let left_out = study.evidence.left_out.iter().find(|(spec, _)| *spec == engine.spec);
    let why = if result.absent.contains(&engine.spec.to_string()) {
        format!("the engine is not installed; run `{}`", engines::HOW)
    } else if !study.runs(engine, scenario) {
        left_out.map_or("the study does not run it".to_string(), |(_, why)| why.clone())
    } else {
        "the study was interrupted before it".to_string()
    };
    let (published, reason) = published(study, scenario, engine);
    EvidenceCell {
        scenario: scenario.name.clone(),
        engine: label(engine),
        step_s: None,
        verdict: "not run".to_string(),
        values: Vec::new(),
        reached_s: 0.0,
        cost_s: None,
        published,
        why: sentences([why, reason]),
    }
}

fn ran(study: &Study, scenario: &Scenario, engine: &StudyEngine, rows: &[&Row]) -> EvidenceCell {
    let worst = |verdict: TrialVerdict| rows.iter().filter(|row| row.verdict == verdict).count();
    let first = rows[0];
    let verdict = match rows.len() {
        1 => first.verdict.text().to_string(),
        n => format!("{} of {n} accepted", worst(TrialVerdict::Accepted)),
    };
    let has_values = rows.iter().any(|row| !row.checks.is_empty());
    let values =
        if has_values { study.evidence.shown.iter().map(|name| value(rows, name)).collect() } else { Vec::new() };
    let why = match first.verdict {
        TrialVerdict::NotExpressible | TrialVerdict::Failed | TrialVerdict::TooSlow if rows.len() == 1 => {
            veracity_lab::results::shortened(&first.reason)
        }
        _ => first
            .stopped
            .as_ref()
            .filter(|_| rows.len() == 1)
            .map_or(String::new(), |s| format!("ended at {:.3} s: {}", s.at_s, s.reason)),
    };
    let simulated: f64 = rows.iter().map(|row| row.simulated_s).sum();
    let cpu: f64 = rows.iter().map(|row| row.cpu_s).sum();
    let (published, reason) = published(study, scenario, engine);
    EvidenceCell {
        scenario: scenario.name.clone(),
        engine: label(engine),
        step_s: Some(first.step_s),
        verdict,
        values,
        reached_s: simulated / rows.len() as f64,
        cost_s: (simulated > 0.0).then(|| cpu / simulated),
        published,
        why: sentences([why, reason]),
    }
}

/// The value of a check, or the median over variations and seeds.
fn value(rows: &[&Row], name: &str) -> String {
    let checks: Vec<_> = rows.iter().filter_map(|row| row.checks.iter().find(|c| c.name == name)).collect();
    let Some(first) = checks.first() else { return "-".to_string() };
    let values: Vec<f64> = checks.iter().filter_map(|c| c.judgement.measured.as_ref()).map(|m| m.value).collect();
    if values.is_empty() {
        return "-".to_string();
    }
    number(median(&values), &first.unit, task_conditions::find(&first.metric).is_some())
}

/// A number with its unit; a condition that never came true is "never".
fn number(value: f64, unit: &str, condition: bool) -> String {
    match (value.is_infinite(), condition) {
        (true, true) => "never".to_string(),
        (true, false) => "broke down".to_string(),
        (false, true) => format!("{value:.3} {unit}"),
        (false, false) => format!("{value:.2e} {unit}"),
    }
}

fn published(study: &Study, scenario: &Scenario, engine: &StudyEngine) -> (String, String) {
    let found = study.evidence.published.iter().find(|c| c.scenario == scenario.name && c.engine == engine.spec);
    found.map_or((String::new(), String::new()), |cell| (cell.value.clone(), cell.why.clone()))
}

fn sentences(parts: [String; 2]) -> String {
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
}

/// The hypotheses of a study, decided.
pub fn hypotheses(study: &Study, result: &StudyResult) -> Vec<Weighed> {
    weigh(study, result, &short)
}

/// Prints both to the terminal.
pub fn print(out: &mut Output, study: &Study, result: &StudyResult) -> io::Result<()> {
    let paint = out.paint();
    let mut scenario = String::new();
    for cell in cells(study, result) {
        if cell.scenario != scenario {
            scenario.clone_from(&cell.scenario);
            writeln!(out, "\n  {}: {}", paint.strong(&scenario), study.evidence.shown.join(", "))?;
        }
        let step = cell.step_s.map_or(String::new(), |s| format!(" at {}", span(s)));
        let mut parts = vec![cell.verdict.clone()];
        if !cell.values.is_empty() {
            parts.push(cell.values.join(", "));
        }
        if let Some(cost) = cell.cost_s {
            parts.push(format!("{:.2} s reached, {cost:.3} CPU s/s", cell.reached_s));
        }
        if !cell.published.is_empty() {
            parts.push(format!("published: {}", cell.published));
        }
        writeln!(out, "    {}{step}: {}", cell.engine, parts.join("; "))?;
        if !cell.why.is_empty() {
            writeln!(out, "      {}", paint.quiet(&cell.why))?;
        }
    }
    for h in hypotheses(study, result) {
        writeln!(out, "\n  {}: {} (by '{}')", paint.strong(&h.name), h.text, h.check)?;
        if h.pairs.is_empty() {
            writeln!(out, "    {}: no engine ran both sides", paint.doubtful("cannot tell"))?;
        }
        for line in lines(&h) {
            writeln!(out, "    {line}")?;
        }
    }
    Ok(())
}

/// One sentence for each comparison of a hypothesis.
fn lines(h: &Weighed) -> Vec<String> {
    let line = |p: &veracity_lab::Pairs| {
        let without = if p.without > 0 { format!(", {} pairs tell nothing", p.without) } else { String::new() };
        format!(
            "{} at {}: {}; holds in {} of {} start states ({:.0} to {:.0} %){without}; median {:.2e} → {:.2e} {}",
            p.engine,
            span(p.step_s),
            p.verdict.text(),
            p.holds,
            p.pairs,
            100.0 * p.share.low,
            100.0 * p.share.high,
            p.control,
            p.change,
            p.unit
        )
    };
    h.pairs.iter().map(line).collect()
}

/// Both as Markdown: one table for all scenarios, one for all hypotheses.
pub fn markdown(study: &Study, result: &StudyResult, cell: &dyn Fn(&str) -> String) -> String {
    let mut out = String::new();
    let all = cells(study, result);
    if !all.is_empty() {
        let shown = study.evidence.shown.iter().map(|name| cell(name)).collect::<Vec<_>>().join(" | ");
        let rules = "---|".repeat(study.evidence.shown.len());
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "\n| scenario | engine | step, s | verdict | {shown} | reached, s | CPU s/s | published | remark |"
        );
        let _ = writeln!(out, "|---|---|---|---|{rules}---|---|---|---|");
        for c in all {
            let step = c.step_s.map_or(String::new(), |s| s.to_string());
            let mut values: Vec<String> = c.values.iter().map(|v| cell(v)).collect();
            values.resize(study.evidence.shown.len(), String::new());
            let cost = c.cost_s.map_or(String::new(), |s| format!("{s:.3}"));
            let reached = if c.cost_s.is_some() { format!("{:.2}", c.reached_s) } else { String::new() };
            let [scenario, engine, verdict, published, why] =
                [&c.scenario, &c.engine, &c.verdict, &c.published, &c.why].map(|text| cell(text));
            let values = values.join(" | ");
            let _ = writeln!(
                out,
                "| {scenario} | {engine} | {step} | {verdict} | {values} | {reached} | {cost} | {published} | {why} |"
            );
        }
    }
    let weighed = hypotheses(study, result);
    if !weighed.is_empty() {
        out += "\n| hypothesis | check | comparison | verdict | holds in | 95 % | control | change |\n|---|---|---|---|---|---|---|---|\n";
    }
    for h in weighed {
        if h.pairs.is_empty() {
            let (name, text, check) = (cell(&h.name), cell(&h.text), cell(&h.check));
            let _ = writeln!(out, "| {name}: {text} | {check} | no engine ran both sides | cannot tell | | | | |");
        }
        for p in &h.pairs {
            let _ = writeln!(
                out,
                "| {}: {} | {} | {} at {} s | {} | {} of {} | {:.0} to {:.0} % | {:.2e} {} | {:.2e} {} |",
                cell(&h.name),
                cell(&h.text),
                cell(&h.check),
                cell(&p.engine),
                p.step_s,
                p.verdict.text(),
                p.holds,
                p.pairs,
                100.0 * p.share.low,
                100.0 * p.share.high,
                p.control,
                p.unit,
                p.change,
                p.unit
            );
        }
    }
    out
}

/// As in rows: without default settings.
fn short(spec: &EngineSpec) -> Option<String> {
    engines::resolve(spec).ok().map(|resolved| resolved.settings.short_spec())
}
