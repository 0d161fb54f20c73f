//! Trace files.

use super::study::{Place, scenario_named, spec};
use super::{LoadOptions, apply, is_name, read_file, vary};
use crate::file;
use crate::file::document::{Document, at};
use crate::file::names::hint;
use crate::file::study_file::{DistributionWord, VaryTable};
use crate::file::trace_file::{CorrelatedTable, SamplingWord, StartWord, TraceFile, WhenWord};
use crate::numbers::Inertias;
use crate::scenario::Scenario;
use crate::time::nanoseconds;
use crate::trace::{
    Cone, Correlated, DecidedBy, EventSymbols, Noise, OutcomeRule, SplittingSize, TraceSetup, Uncertain, Until,
};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use veracity_engine::EngineSpec;
use veracity_measure::task_conditions;
use veracity_model::{Findings, Overrides};
use veracity_record::EventKind;

/// Normal distributions of a trace are cut off here unless a table says otherwise [standard deviations].
const TRUNCATE: f64 = 3.0;

/// Keys that users look for in a trace, and where they belong.
const ELSEWHERE: &[(&str, &str)] = &[
    ("world", "a world belongs in a scenario; name the scenario's file in 'scenario'"),
    ("checks", "[[checks]] belong in a scenario; name the scenario's file in 'scenario'"),
    ("vary", "write [[uncertain]]; [[vary]] belongs in a study"),
    ("scenarios", "a trace has one scenario; write scenario = \"my.toml\""),
    ("engine", "write engines = [\"native\", …]"),
];

impl TraceSetup {
    /// Reads a trace file with the scenario it names. `Err` holds every problem.
    pub fn load(path: &Path, options: &LoadOptions) -> Result<TraceSetup, Findings> {
        let bytes = read_file(path, &mut Findings::new())?;
        let mut findings = Findings::new();
        let shown = path.display().to_string();
        let Some(document) = Document::parse(&shown, &bytes, &mut findings) else { return Err(findings) };
        let content = file::read::<TraceFile>(&document, ELSEWHERE, &mut findings);
        let Some(content) = content else { return Err(findings) };
        let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        let place = Place { folder, options, built_in: false };
        let setup = build(&document, content, &place, &mut findings);
        match setup {
            Some(setup) if !findings.has_errors() => Ok(TraceSetup { findings, ..setup }),
            _ => Err(findings),
        }
    }
}

fn build(document: &Document, content: TraceFile, place: &Place<'_>, findings: &mut Findings) -> Option<TraceSetup> {
    if !is_name(&content.name) {
        let text = format!("invalid name '{}'; use lower case letters, digits and underscores", content.name);
        document.error(at!["name"], text, findings);
    }
    let scenario = Arc::new(scenario_named(document, at!["scenario"], &content.scenario, place, findings)?);
    let engines = engines(document, &content, findings);
    let step_ns = match content.step_s.map(nanoseconds) {
        None => scenario.step_ns,
        Some(Some(ns)) => ns,
        Some(None) => {
            document.error(at!["step_s"], "invalid step: give a positive number of whole nanoseconds", findings);
            scenario.step_ns
        }
    };
    if let Err(why) = scenario.step_fits(step_ns) {
        document.error(at!["step_s"], why, findings);
    }
    let noise = noise(document, &content, &scenario, step_ns, findings);
    let values: BTreeMap<String, f64> = noise.added_to(&scenario).numbers().into_iter().collect();
    let inertias = if content.raw_inertia { Inertias::Raw } else { Inertias::Possible };
    let cones = cones(document, &content, &values, findings);
    let uncertain = uncertain(document, &content, &values, &scenario.world, findings);
    let correlated = correlated(document, &content, &values, findings);
    twice(document, &content, findings);
    let outcomes = outcomes(document, &content, &scenario, findings);
    let margin = content.margin.clone();
    if let Some(name) = &margin {
        known_check(document, at!["margin"], name, &scenario, findings);
    }
    let mut names: Vec<&str> = outcomes.iter().map(|o| o.name.as_str()).collect();
    names.push(&content.otherwise);
    for (i, gate) in content.gate.iter().enumerate() {
        if !names.contains(&gate.outcome.as_str()) {
            let text =
                format!("there is no outcome '{}'; {}", gate.outcome, hint(&gate.outcome, names.iter().copied()));
            document.error(at!["gate", i, "outcome"], text, findings);
        }
        if !(0.0..=1.0).contains(&gate.at_most) {
            document.error(at!["gate", i, "at_most"], "a probability lies between 0 and 1", findings);
        }
    }
    let setup = TraceSetup {
        title: content.title.clone().unwrap_or_else(|| content.name.replace('_', " ")),
        name: content.name.clone(),
        text: content.text.trim().to_string(),
        engines,
        step_ns,
        particles: u64::from(content.particles),
        seed: content.seed,
        sampling: content.sampling,
        scramblings: u64::from(content.scramblings.unwrap_or(10)),
        inertias,
        start: content.start,
        mix_engines: content.mix_engines,
        until: content
            .until
            .as_ref()
            .map(|u| Until { unseen: u.unseen, every: u64::from(u.every.unwrap_or(100)).max(1) }),
        splitting: content.splitting.as_ref().map(|s| SplittingSize {
            population: s.population.unwrap_or(100) as usize,
            runs: s.runs.unwrap_or(10) as usize,
            moves: s.moves.unwrap_or(10) as usize,
        }),
        file: document.source(at!["uncertain"]).to_string(),
        cones,
        uncertain,
        correlated,
        outcomes,
        otherwise: content.otherwise.clone(),
        margin,
        events: events(document, &content, findings),
        gates: content.gate.iter().map(|g| (g.outcome.clone(), g.at_most)).collect(),
        findings: Findings::new(),
        scenario,
        noise,
    };
    consistent(document, &content, &setup, findings);
    let noisy = setup.noisy();
    // Whether the numbers exist and can be set at all: with their own nominal values.
    let tables = content.uncertain.iter().enumerate().filter(|(_, t)| t.distribution != Some(DistributionWord::Cone));
    for ((i, _), entry) in tables.zip(&setup.uncertain) {
        let before = findings.len();
        let changes = setup.settable(set(entry, entry.distribution.nominal()));
        apply(document, at!["uncertain", i], &noisy, &changes, findings);
        if findings.len() == before {
            mostly_possible(document, at!["uncertain", i], &setup, &noisy, entry, findings);
        }
    }
    Some(setup)
}

fn set(entry: &Uncertain, value: f64) -> Overrides {
    entry.also.iter().chain([&entry.path]).map(|path| (path.clone(), value)).collect()
}

/// `[noise]`, checked against the scenario.
fn noise(
    document: &Document,
    content: &TraceFile,
    scenario: &Scenario,
    step_ns: i64,
    findings: &mut Findings,
) -> Noise {
    let table = &content.noise;
    for (i, entry) in table.commands.iter().enumerate() {
        if !scenario.controllers.iter().any(|c| c.name == entry.controller) {
            let names = scenario.controllers.iter().map(|c| c.name.as_str());
            let text = format!("there is no controller '{}'; {}", entry.controller, hint(&entry.controller, names));
            document.error(at!["noise", "commands", i, "controller"], text, findings);
        }
    }
    let commands = table.commands.iter().map(|c| (c.controller.clone(), c.noise)).collect();
    let noise = Noise { sensors: table.sensors.clone(), commands };
    let noisy = noise.added_to(scenario);
    for problem in crate::equipment::problems(&noisy.world, &noisy.controllers, &noisy.sensors, step_ns) {
        let named = |name: &str| problem.place.split('/').nth(1) == Some(name);
        let text = format!("{}: {}", problem.place, problem.what);
        let sensor = table.sensors.iter().position(|s| named(&s.name));
        let command = table.commands.iter().position(|c| named(&c.controller));
        match (sensor, command) {
            (Some(i), _) => document.error(at!["noise", "sensors", i], text, findings),
            (None, Some(i)) => document.error(at!["noise", "commands", i], text, findings),
            _ => document.error(at!["noise"], text, findings),
        }
    }
    noise
}

/// Samples of one number that are tried before anything runs.
const TRIED: u32 = 16;

/// An error if more than half of the samples of a number give a world that cannot exist.
fn mostly_possible(
    document: &Document,
    way: &[file::document::Step],
    setup: &TraceSetup,
    noisy: &Scenario,
    entry: &Uncertain,
    findings: &mut Findings,
) {
    let mut first = None;
    let mut count = 0;
    for i in 0..TRIED {
        let value = entry.distribution.quantile((f64::from(i) + 0.5) / f64::from(TRIED));
        if let Err(why) = noisy.with_inertias(&setup.settable(set(entry, value)), setup.inertias) {
            count += 1;
            first.get_or_insert(why);
        }
    }
    if 2 * count > TRIED {
        let why = first.and_then(|f| f.iter().next().map(|f| f.text.clone())).unwrap_or_default();
        let text = format!("{count} of {TRIED} samples of '{}' are impossible, the first because {why}", entry.path);
        document.error(way, text, findings);
    }
}

/// Settings that need or exclude each other.
fn consistent(document: &Document, content: &TraceFile, setup: &TraceSetup, findings: &mut Findings) {
    if content.scramblings.is_some() && content.sampling != SamplingWord::Sobol {
        document.error(at!["scramblings"], "'scramblings' belongs to sampling = \"sobol\"; remove it", findings);
    }
    if content.scramblings.is_some_and(|n| n < 10) {
        document.error(
            at!["scramblings"],
            "an interval from fewer than 10 scramblings is not reliable; give at least 10",
            findings,
        );
    }
    if content.start == StartWord::Cycle && setup.scenario.cycle.is_none() {
        let text = format!("scenario '{}' has no [cycle]; docs/cycles.md shows what to write", setup.scenario.name);
        document.error(at!["start"], text, findings);
    }
    if content.mix_engines && content.engines.len() < 2 {
        document.error(at!["mix_engines"], "there is one engine; list several to choose from", findings);
    }
    if let Some(until) = &content.until {
        if !(until.unseen > 0.0 && until.unseen < 1.0) {
            document.error(at!["until", "unseen"], "a probability lies between 0 and 1", findings);
        }
        if content.sampling != SamplingWord::Random {
            document.error(at!["until"], "a trace that may stop early needs sampling = \"random\"", findings);
        }
    }
    if let Some(splitting) = &content.splitting {
        if content.margin.is_none() {
            document.error(at!["splitting"], "splitting follows a 'margin' to zero; name a check there", findings);
        }
        let least = |key: &str, value: Option<u32>, least: u32, findings: &mut Findings| {
            if value.is_some_and(|n| n < least) {
                document.error(at!["splitting", key], format!("at least {least} are needed"), findings);
            }
        };
        least("population", splitting.population, 20, findings);
        least("runs", splitting.runs, 4, findings);
        least("moves", splitting.moves, 1, findings);
    }
}

fn cones(
    document: &Document,
    content: &TraceFile,
    values: &BTreeMap<String, f64>,
    findings: &mut Findings,
) -> Vec<Cone> {
    let mut out = Vec::new();
    for (i, table) in content.uncertain.iter().enumerate() {
        if table.distribution != Some(DistributionWord::Cone) {
            continue;
        }
        match cone(table, values) {
            Ok(cone) => out.push(cone),
            Err(text) => document.error(at!["uncertain", i], text, findings),
        }
    }
    out
}

fn cone(table: &VaryTable, values: &BTreeMap<String, f64>) -> Result<Cone, String> {
    let path = &table.path;
    let part = |c: &str| values.get(&format!("{path}/{c}")).copied();
    let (Some(x), Some(y), Some(z)) = (part("x"), part("y"), part("z")) else {
        let known = values.keys().filter_map(|p| p.strip_suffix("/axis/x")).map(|p| format!("{p}/axis"));
        let known: Vec<String> = known.collect();
        return Err(format!("'{path}' is not the axis of a joint; {}", hint(path, known.iter().map(String::as_str))));
    };
    let Some(std) = table.std.filter(|s| *s > 0.0 && s.is_finite()) else {
        return Err("a cone needs 'std', the standard deviation of each of its two tilts [rad]".to_string());
    };
    let mean_given = table.mean.is_some() || table.relative_std.is_some() || !table.also.is_empty();
    if mean_given || !table.values.is_empty() || table.low.is_some() || table.high.is_some() {
        return Err("a cone has 'std' and 'truncate_std' only; remove the rest".to_string());
    }
    let truncate = table.truncate_std.unwrap_or(TRUNCATE);
    if truncate <= 0.0 || truncate.is_nan() {
        return Err("'truncate_std' must be positive".to_string());
    }
    Ok(Cone {
        path: path.clone(),
        axis: [x, y, z],
        tilt: crate::distribution::Distribution::Normal { mean: 0.0, std, truncate },
        names: ["tilt_1", "tilt_2"].map(|tilt| format!("{path}/{tilt}")),
    })
}

fn engines(document: &Document, content: &TraceFile, findings: &mut Findings) -> Vec<EngineSpec> {
    let mut out: Vec<EngineSpec> = Vec::new();
    for (i, text) in content.engines.iter().enumerate() {
        let engine = spec(document, at!["engines", i], text, findings);
        if out.contains(&engine) {
            document.error(at!["engines", i], format!("'{text}' is listed twice; keep one"), findings);
        }
        out.push(engine);
    }
    out
}

fn uncertain(
    document: &Document,
    content: &TraceFile,
    values: &BTreeMap<String, f64>,
    world: &veracity_model::World,
    findings: &mut Findings,
) -> Vec<Uncertain> {
    let mut out = Vec::new();
    for (i, table) in content.uncertain.iter().enumerate() {
        if table.distribution == Some(DistributionWord::Cone) {
            continue;
        }
        match with_defaults(table, values, world).and_then(|number| vary::distribution(&number, TRUNCATE)) {
            Ok(distribution) => {
                out.push(Uncertain { path: table.path.clone(), also: table.also.clone(), distribution });
            }
            Err(text) => document.error(at!["uncertain", i], text, findings),
        }
    }
    out
}

/// The table with the mean from the scenario and the standard deviation from its share.
fn with_defaults(
    table: &VaryTable,
    values: &BTreeMap<String, f64>,
    world: &veracity_model::World,
) -> Result<VaryTable, String> {
    let mut number = table.clone();
    let centred = matches!(number.distribution, Some(DistributionWord::Normal | DistributionWord::StudentT));
    if centred && number.mean.is_none() {
        number.mean = values.get(&number.path).copied().or_else(|| world.number(&number.path));
        // A path that does not exist is reported with its neighbours when it is applied.
        number.mean.get_or_insert(0.0);
    }
    match (number.relative_std.take(), number.std, centred) {
        (None, ..) => {}
        (Some(_), Some(_), _) => return Err("give 'std' or 'relative_std', not both".to_string()),
        (Some(_), None, false) => {
            return Err("'relative_std' belongs to a normal or student_t distribution; remove it".to_string());
        }
        (Some(share), None, true) => {
            let mean = number.mean.unwrap_or_default();
            if mean == 0.0 {
                return Err(format!(
                    "'relative_std' of '{}' is a share of zero: the number would not vary; give 'std'",
                    number.path
                ));
            }
            number.std = Some(share * mean.abs());
        }
    }
    Ok(number)
}

fn correlated(
    document: &Document,
    content: &TraceFile,
    values: &BTreeMap<String, f64>,
    findings: &mut Findings,
) -> Vec<Correlated> {
    let mut out = Vec::new();
    for (i, table) in content.correlated.iter().enumerate() {
        match group(table, values) {
            Ok(group) => out.push(group),
            Err(text) => document.error(at!["correlated", i, "covariance"], text, findings),
        }
    }
    out
}

fn group(table: &CorrelatedTable, values: &BTreeMap<String, f64>) -> Result<Correlated, String> {
    let n = table.paths.len();
    let means = if table.means.is_empty() {
        let of = |path: &String| values.get(path).copied().ok_or_else(|| format!("there is no number '{path}'"));
        table.paths.iter().map(of).collect::<Result<Vec<_>, _>>()?
    } else if table.means.len() == n {
        table.means.clone()
    } else {
        return Err(format!("{} 'means' for {n} 'paths'; give one each", table.means.len()));
    };
    if table.covariance.len() != n || table.covariance.iter().any(|row| row.len() != n) {
        return Err(format!("the covariance of {n} numbers has {n} rows of {n}"));
    }
    let factor = cholesky(&table.covariance)?;
    Ok(Correlated { paths: table.paths.clone(), means, factor })
}

/// `L` with `L Lᵀ = C`; the error says why `C` is not a covariance.
fn cholesky(c: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, String> {
    let n = c.len();
    let mut factor = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..=i {
            let scale = (c[i][i].abs() * c[j][j].abs()).sqrt();
            if (c[i][j] - c[j][i]).abs() > 1e-9 * scale || !c[i][j].is_finite() {
                return Err(format!(
                    "not a covariance: entry ({i}, {j}) is {} and ({j}, {i}) is {}; it must be symmetric",
                    c[i][j], c[j][i]
                ));
            }
            let dot: f64 = (0..j).map(|k| factor[i][k] * factor[j][k]).sum();
            if i == j {
                let rest = c[i][i] - dot;
                if rest <= 0.0 || rest.is_nan() {
                    return Err(format!(
                        "not a covariance: it is not positive definite (row {i}); the correlations contradict each other"
                    ));
                }
                factor[i][i] = rest.sqrt();
            } else {
                factor[i][j] = (c[i][j] - dot) / factor[j][j];
            }
        }
    }
    Ok(factor)
}

fn twice(document: &Document, content: &TraceFile, findings: &mut Findings) {
    let own = content.uncertain.iter().map(|t| &t.path);
    let all: Vec<&String> = own.chain(content.correlated.iter().flat_map(|t| &t.paths)).collect();
    for (i, path) in all.iter().enumerate() {
        if all[..i].contains(path) {
            let way: &[file::document::Step] =
                if i < content.uncertain.len() { at!["uncertain", i] } else { at!["correlated"] };
            document.error(way, format!("'{path}' is uncertain twice; keep one"), findings);
        }
    }
}

fn outcomes(
    document: &Document,
    content: &TraceFile,
    scenario: &Scenario,
    findings: &mut Findings,
) -> Vec<OutcomeRule> {
    let mut out: Vec<OutcomeRule> = Vec::new();
    for (i, table) in content.outcomes.iter().enumerate() {
        if out.iter().any(|o| o.name == table.name) || table.name == content.otherwise {
            let text = format!("two outcomes are called '{}'; rename one", table.name);
            document.error(at!["outcomes", i, "name"], text, findings);
        }
        let decided_by = match (&table.check, &table.touches[..]) {
            (None, []) if table.stride_radius_above.is_some() && content.start == StartWord::Cycle => {
                Ok(DecidedBy::StrideRadius { above: table.stride_radius_above.unwrap_or(1.0) })
            }
            _ if table.stride_radius_above.is_some() => {
                Err("'stride_radius_above' stands alone and needs start = \"cycle\"")
            }
            (Some(check), []) => by_check(document, i, check, table.when, scenario, findings),
            (None, []) => Err("say what decides this outcome: 'check', 'touches' or 'stride_radius_above'"),
            (None, _) if table.when.is_some() => Err("'when' belongs to a 'check'; remove it"),
            (None, words) => Ok(DecidedBy::Touch { words: words.to_vec() }),
            (Some(_), _) => Err("give 'check' or 'touches', not both"),
        };
        match decided_by {
            Ok(decided_by) => out.push(OutcomeRule { name: table.name.clone(), decided_by }),
            Err("") => {}
            Err(text) => document.error(at!["outcomes", i], text, findings),
        }
    }
    out
}

/// The rule of a check; an empty error has been reported already.
fn by_check(
    document: &Document,
    i: usize,
    name: &str,
    when: Option<WhenWord>,
    scenario: &Scenario,
    findings: &mut Findings,
) -> Result<DecidedBy, &'static str> {
    if !known_check(document, at!["outcomes", i, "check"], name, scenario, findings) {
        return Err("");
    }
    let check = scenario.checks.iter().find(|c| c.name == name);
    if check.is_some_and(|c| c.reference.is_some()) {
        return Err("this check needs a reference, which a perturbed world does not have; use one without");
    }
    let of_a_task = check.is_some_and(|c| task_conditions::find(c.metric.name).is_some());
    let when = match when {
        Some(WhenWord::Happened) if !of_a_task => {
            return Err("'happened' belongs to held, dropped, fell and reached; use accepted or rejected");
        }
        Some(when) => when,
        None if of_a_task => WhenWord::Happened,
        None => WhenWord::Rejected,
    };
    Ok(DecidedBy::Check { name: name.to_string(), when })
}

fn known_check(
    document: &Document,
    way: &[file::document::Step],
    name: &str,
    scenario: &Scenario,
    findings: &mut Findings,
) -> bool {
    let known = scenario.checks.iter().any(|c| c.name == name);
    if !known {
        let hint = hint(name, scenario.checks.iter().map(|c| c.name.as_str()));
        document.error(way, format!("scenario '{}' has no check '{name}'; {hint}", scenario.name), findings);
    }
    known
}

fn events(document: &Document, content: &TraceFile, findings: &mut Findings) -> EventSymbols {
    let table = &content.events;
    let mut out = EventSymbols::default();
    if !table.kinds.is_empty() {
        out.kinds.clear();
    }
    for (i, name) in table.kinds.iter().enumerate() {
        match EventKind::named(name) {
            Some(kind) => out.kinds.push(kind),
            None => {
                let hint = hint(name, EventKind::ALL.iter().map(|k| k.name()));
                document.error(at!["events", "kinds", i], format!("there is no event '{name}'; {hint}"), findings);
            }
        }
    }
    out.pairs.clone_from(&table.pairs);
    out.first_only = table.first_only;
    for (key, given, value) in [
        ("debounce_s", table.debounce_s, &mut out.debounce_s),
        ("together_s", table.together_s, &mut out.together_s),
        ("apart_s", table.apart_s, &mut out.apart_s),
        ("from_s", table.from_s, &mut out.from_s),
        ("until_s", table.until_s, &mut out.until_s),
    ] {
        match given {
            Some(time) if time < 0.0 || !time.is_finite() => {
                document.error(at!["events", key], "a time is not negative", findings);
            }
            Some(time) => *value = time,
            None => {}
        }
    }
    if let Some(most) = table.most {
        out.most = most as usize;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cholesky_factor_multiplies_back_and_what_is_no_covariance_is_rejected() {
        let c = vec![vec![4.0, 1.2, -0.4], vec![1.2, 2.0, 0.3], vec![-0.4, 0.3, 1.0]];
        let l = cholesky(&c).unwrap();
        for i in 0..3 {
            for j in 0..3 {
                let product: f64 = (0..3).map(|k| l[i][k] * l[j][k]).sum();
                assert!((product - c[i][j]).abs() < 1e-14);
            }
        }
        let message = |c: &[Vec<f64>]| cholesky(c).unwrap_err();
        assert!(message(&[vec![1.0, 2.0], vec![2.0, 1.0]]).contains("positive definite"));
        assert!(message(&[vec![1.0, 0.5], vec![0.2, 1.0]]).contains("symmetric"));
    }
}
