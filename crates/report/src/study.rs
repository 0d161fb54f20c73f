//! A study's result as data of the report: histories, plots and replays are recomputed from the stored records. The only
//! place where it is decided what a report shows.

use crate::ReportData;
use crate::data::numbers::{F32Array, Real, Rounded, Times, U32Array};
use crate::data::plots::{
    Convergence, ConvergenceLine, ConvergencePoint, Curve, ErrorOverTime, Fit, SpeedAgainstAccuracy, SpeedPoint,
};
use crate::data::{Engine, Fact, Missing, Outcome, Provenance, replay, scenario};
use crate::signals::{add_contacts, signals};
use crate::thinning::{envelope, scene_size};
use crate::variations::Variations;
use std::collections::BTreeMap;
use std::sync::Arc;
use veracity_engine::{DriveForm, EventTime, Fidelity};
use veracity_lab::judging::{Truths, judge_check};
use veracity_lab::plan::Case;
use veracity_lab::{
    CheckResult, Conclusion, ExperimentFinding, Lab, LabError, Row, RowStanding, Standing, StudyResult, TrialKey,
    answers, leaderboards, variation_text,
};
use veracity_measure::statistics::order_of_convergence;
use veracity_measure::{Better, Judgement, TrialVerdict, Verdict};
use veracity_record::Record;
use veracity_scenario::{Scenario, Study};

/// The page must stay small: a scenario with more trials than this has no curves or replay.
const SHOWN_TRIALS: usize = 32;
/// Points of a curve, poses of a replay.
const SHOWN_ROWS: usize = 400;
/// Total numbers in the poses of a scenario's replay: many bodies on many engines get fewer frames.
const SHOWN_NUMBERS: usize = 500_000;

/// What the program knows and the result does not.
pub struct Program<'a> {
    /// When, by which command and on which machine it was run.
    pub provenance: Provenance,
    /// The engines that can be used.
    pub engines: &'a [&'static dyn veracity_engine::Engine],
    /// The engines that are not installed.
    pub not_installed: Vec<NotInstalled>,
}

/// An engine that could be installed.
pub struct NotInstalled {
    /// Its name.
    pub name: String,
    /// Description, in a sentence.
    pub about: String,
    /// The command that installs it.
    pub how: String,
}

/// All data of the page.
pub fn make(
    lab: &Lab<'_>,
    study: &Study,
    result: &StudyResult,
    conclusion: &Conclusion,
    program: Program<'_>,
) -> Result<ReportData, LabError> {
    let mut data = ReportData::new(&study.title);
    data.engines = engines(result, &program);
    data.provenance = program.provenance;
    data.provenance.machine.push(Fact {
        name: "converged references by".to_string(),
        value: study.converged.as_ref().map_or("the method that converges on each world".to_string(), |spec| {
            format!("the reference engine {spec}")
        }),
    });
    let as_expected = conclusion.standing == Standing::Passed;
    data.outcome = Outcome {
        as_expected,
        headline: conclusion.headline.to_string(),
        summary: format!("{}.", conclusion.summary),
    };
    let by_scenario = ByScenario::new(result);
    for scenario in &study.scenarios {
        data.scenarios.push(one(lab, study, scenario, result, conclusion, &by_scenario)?);
    }
    Ok(data)
}

fn engines(result: &StudyResult, program: &Program<'_>) -> Vec<Engine> {
    let describe = |e: &&'static dyn veracity_engine::Engine| {
        let spec = veracity_engine::EngineSpec { engine: e.name().to_string(), version: None, settings: Vec::new() };
        let settings = e.resolve(&spec).ok();
        // A second version of an engine, such as `mujoco@3.17`, is a separate engine.
        let full = settings.as_ref().map_or_else(|| e.name().to_string(), |s| s.full_spec());
        let name = full.split(':').next().unwrap_or_default().to_string();
        let own = |r: &&Row| r.full_spec.split(':').next() == Some(&name);
        let mut specs: Vec<String> = result.rows.iter().filter(own).map(|r| r.engine.clone()).collect();
        specs.dedup();
        specs.sort();
        specs.dedup();
        let capabilities = settings.as_ref().map(|s| e.capabilities(s));
        let fact = |name: &str, value: &str| Fact { name: name.to_string(), value: value.to_string() };
        let yes = |x: bool| if x { "yes" } else { "no" };
        let facts = capabilities.map_or(Vec::new(), |c| {
            let snapshot = match c.snapshot {
                Fidelity::Exact => "exact, byte for byte".to_string(),
                Fidelity::Approximate { difference } => format!("approximate, {difference:.1e} rad or m"),
                Fidelity::None => "none".to_string(),
            };
            let drives = match c.drives {
                DriveForm::Continuous => "continuous",
                DriveForm::Implicit => "implicit",
                DriveForm::Explicit => "explicit",
                DriveForm::None => "none",
            };
            let events =
                if c.events == EventTime::Located { "located inside the step" } else { "bracketed by a step" };
            vec![
                fact("snapshots", &snapshot),
                fact("events", events),
                fact("joint drives", drives),
                fact("contact", yes(c.contact)),
                fact("joint reactions", yes(c.reactions)),
                fact("repeats to the bit", yes(c.deterministic)),
            ]
        });
        // Specs with the same sentence share it; the trials have the full text.
        let mut refused: Vec<(&Row, Vec<&str>)> = Vec::new();
        for row in result.rows.iter().filter(own).filter(|r| r.verdict == TrialVerdict::NotExpressible) {
            match refused
                .iter_mut()
                .find(|(first, _)| (&first.scenario, &first.reason) == (&row.scenario, &row.reason))
            {
                Some((_, specs)) => specs.push(&row.engine),
                None => refused.push((row, vec![&row.engine])),
            }
        }
        let told = |(row, specs): &(&Row, Vec<&str>)| Missing {
            feature: format!("{} ({})", row.scenario, specs.join(", ")),
            hint: veracity_lab::results::shortened(&row.reason),
        };
        let missing: Vec<Missing> = refused.iter().map(told).collect();
        Engine {
            name: name.clone(),
            version: e.version(),
            about: e.about().to_string(),
            present: true,
            specs,
            capabilities: facts,
            missing,
            how_to_get: None,
        }
    };
    let mut list: Vec<Engine> = program.engines.iter().map(describe).collect();
    list.extend(program.not_installed.iter().map(|e| Engine::absent(&e.name, &e.about, e.how.clone())));
    list
}

/// Rows and leaderboards grouped by scenario once, instead of a search for each.
struct ByScenario<'a> {
    rows: BTreeMap<&'a str, Vec<usize>>,
    boards: BTreeMap<String, veracity_lab::Leaderboard>,
    answers: BTreeMap<String, Vec<String>>,
    variations: Variations,
}

impl<'a> ByScenario<'a> {
    fn new(result: &'a StudyResult) -> Self {
        let mut rows: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, row) in result.rows.iter().enumerate() {
            rows.entry(&row.scenario).or_default().push(index);
        }
        let boards = leaderboards(result).into_iter().map(|b| (b.scenario.clone(), b)).collect();
        let answers = answers(result).into_iter().map(|a| (a.scenario, a.lines)).collect();
        Self { rows, boards, answers, variations: Variations::new(result) }
    }
}

fn one(
    lab: &Lab<'_>,
    study: &Study,
    s: &Arc<Scenario>,
    result: &StudyResult,
    conclusion: &Conclusion,
    by_scenario: &ByScenario<'_>,
) -> Result<scenario::Scenario, LabError> {
    let mut out = scenario::Scenario::new(&s.name, &s.title, &s.text);
    let indices = by_scenario.rows.get(s.name.as_str()).map_or(&[][..], Vec::as_slice);
    let rows: Vec<&Row> = indices.iter().map(|&i| &result.rows[i]).collect();
    out.audit = result.audit.iter().filter(|f| f.scenario == s.name).map(finding).collect();
    // Tables, plots and the replay name a trial by its spec: where each is shown, a variation is part of it.
    let named = rows.len() <= SHOWN_TRIALS;
    out.trials = indices.iter().map(|&i| trial(result, i, conclusion.rows[i], named)).collect();
    // A single row has no competitor: its verdict is the answer.
    if rows.len() > 1 {
        out.answer = by_scenario.answers.get(&s.name).cloned().unwrap_or_default();
    }
    let ends = result.boundaries.iter().filter(|b| b.scenario == s.name);
    out.boundaries = ends.map(|b| b.sentence(&result.axes)).collect();
    out.range = by_scenario.variations.range(&s.name);
    out.maps = by_scenario.variations.maps(result, &s.name, indices);
    out.leaderboard =
        by_scenario.boards.get(&s.name).filter(|b| b.is_judged(&result.rows)).map(|b| leaderboard(b, indices));
    out.speed = speed(&rows);
    out.convergence = convergence(&rows);
    if rows.len() > SHOWN_TRIALS {
        return Ok(out);
    }
    // Each variation has its own references.
    let mut cases: Vec<(&[(String, f64)], Truths)> = Vec::new();
    let mut records = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let known = cases.iter().position(|(overrides, _)| *overrides == row.overrides);
        let case = match known {
            Some(case) => case,
            None => {
                let changed = row.overrides.iter().map(|(path, x)| (path.as_str(), *x)).collect();
                cases.push((&row.overrides, lab.references(study, &Case::new(s, &changed)?)?));
                cases.len() - 1
            }
        };
        if let Some(record) = lab.store.record(TrialKey(row.key))?.filter(|r| r.track.rows() > 1) {
            records.push((index, case, record));
        }
    }
    let truths: Vec<&Truths> = cases.iter().map(|(_, truths)| truths).collect();
    if let Some(first) = truths.first() {
        out.reference = reference(s, first, study.converged.is_some());
    }
    out.errors = errors(s, &records, &truths);
    let all: Vec<(usize, &Record)> = records.iter().map(|(index, _, record)| (*index, record)).collect();
    // The truth of one variation is not that of another.
    let common = if truths.len() == 1 { truths.first().copied() } else { None };
    (out.signals, out.signals_left_out) = signals(&all, common);
    out.replay = replay(&records);
    Ok(out)
}

/// The study's leaderboard of a scenario, with row indices within the scenario, in increasing order.
fn leaderboard(board: &veracity_lab::Leaderboard, indices: &[usize]) -> scenario::Leaderboard {
    let place = |p: &veracity_lab::Place| {
        let trial = indices.binary_search(&p.row).ok()?;
        Some(scenario::Place { rank: p.rank, trial, check: p.error.map(|e| e.check) })
    };
    // Task conditions have no number that ranks.
    let metric = board.metric.clone().unwrap_or_default();
    scenario::Leaderboard { metric, places: board.places.iter().filter_map(place).collect() }
}

fn finding(found: &ExperimentFinding) -> scenario::AuditFinding {
    let veracity_model::Finding { source, severity, code, text, .. } = &found.finding;
    scenario::AuditFinding {
        severity: match severity {
            veracity_model::Severity::Error => scenario::Severity::Error,
            veracity_model::Severity::Warning => scenario::Severity::Warning,
            veracity_model::Severity::Note => scenario::Severity::Note,
        },
        code: (*code).to_string(),
        text: text.clone(),
        place: source.as_ref().map(ToString::to_string),
    }
}

fn reference(s: &Scenario, truths: &Truths, named: bool) -> Option<scenario::Reference> {
    let (name, truth) = truths.first()?;
    let kind = match s.references.iter().find(|r| r.name == *name)?.kind {
        veracity_scenario::ReferenceKind::ClosedForm { .. } => "closed form",
        veracity_scenario::ReferenceKind::Published { .. } => "published value",
        veracity_scenario::ReferenceKind::Converged if named => "reference engine",
        veracity_scenario::ReferenceKind::Converged => "converged run",
        veracity_scenario::ReferenceKind::Recorded { .. } => "recording",
    };
    let (about, own_error) = match truth {
        Ok(truth) => {
            let worst = truth.channels.iter().flat_map(|c| &c.uncertainty).fold(0.0f64, |w, u| w.max(*u));
            (truth.source.clone(), Some(format!("at most {worst:.1e} in any quantity")))
        }
        Err(why) => (why.clone(), None),
    };
    Some(scenario::Reference { kind: kind.to_string(), about, own_error })
}

fn trial(result: &StudyResult, index: usize, standing: RowStanding, named: bool) -> scenario::Trial {
    let row = &result.rows[index];
    let varied = match row.overrides.is_empty() || !named {
        true => String::new(),
        false => format!(" with {}", variation_text(&result.axes, &row.overrides)),
    };
    let standing = match standing {
        RowStanding::Passed => scenario::Standing::Passed,
        RowStanding::Failed => scenario::Standing::Failed,
        RowStanding::Error => scenario::Standing::Error,
        RowStanding::Skipped => scenario::Standing::Skipped,
    };
    scenario::Trial {
        spec: format!("{}{varied}", row.engine),
        step_s: Some(row.step_s),
        verdict: row.verdict,
        reason: with_warnings(row),
        expected: row.expected.iter().map(|e| e.verdict).collect(),
        expected_reason: row.expected.as_ref().map(|e| e.why.clone()),
        standing: Some(standing),
        checks: row.checks.iter().map(check).collect(),
        cost: (row.cpu_s > 0.0 && row.steps > 0).then(|| scenario::Cost {
            cpu_s: row.cpu_s,
            steps: row.steps,
            real_time_factor: row.simulated_s / row.cpu_s,
        }),
        digest: row.digest.map(|d| d.to_string()),
    }
}

/// Reason for the verdict, and warnings to read before it is trusted.
fn with_warnings(row: &Row) -> String {
    let warnings: String = row.warnings.iter().map(|text| format!(". Warning: {text}")).collect();
    row.reason.clone() + &warnings
}

/// The bound of a check; of two bounds, the one nearer to the value. `None` where a task condition is asked for at any time.
fn bound(check: &CheckResult) -> Option<scenario::Bound> {
    let Judgement { better, bound, measured, .. } = &check.judgement;
    let value = measured.as_ref().map_or(f64::NAN, |m| m.value);
    let (value, side) = match *better {
        Better::Smaller => (*bound, scenario::Side::AtMost),
        Better::Larger => (*bound, scenario::Side::AtLeast),
        Better::Between { least } if value - least < *bound - value => (least, scenario::Side::AtLeast),
        Better::Between { .. } => (*bound, scenario::Side::AtMost),
    };
    value.is_finite().then(|| scenario::Bound { value: Real(value), side, reason: check.bound_reason.clone() })
}

fn check(check: &CheckResult) -> scenario::Check {
    let measured = check.judgement.measured.as_ref();
    scenario::Check {
        metric: check.name.clone(),
        value: Real(measured.map_or(f64::NAN, |m| m.value)),
        uncertainty: measured.map(|m| Real(m.uncertainty)),
        bound: bound(check),
        unit: check.unit.clone(),
        outcome: match check.judgement.verdict {
            Verdict::Accepted => scenario::CheckOutcome::Held,
            Verdict::Rejected => scenario::CheckOutcome::Broken,
            Verdict::CannotTell => scenario::CheckOutcome::Undecided,
        },
        reason: check.judgement.reason.clone(),
    }
}

/// One plot for each check that has a history.
fn errors(s: &Scenario, records: &[(usize, usize, Record)], truths: &[&Truths]) -> Vec<ErrorOverTime> {
    let mut plots = Vec::new();
    for c in &s.checks {
        let mut curves = Vec::new();
        let mut shown = None;
        let mut unit = String::new();
        for (index, case, record) in records {
            let judged = judge_check(record, c, truths[*case]);
            unit.clone_from(&judged.unit);
            let series = judged.judgement.measured.as_ref().map_or(&[][..], |m| &m.series);
            if series.len() > 1 {
                let kept = envelope(series, SHOWN_ROWS);
                curves.push(Curve {
                    trial: *index,
                    time_s: Times::from_s(kept.iter().map(|(t, _)| *t)),
                    value: Rounded::from_f64(kept.iter().map(|(_, x)| x.abs())),
                });
            }
            shown = shown.or_else(|| bound(&judged));
        }
        if !curves.is_empty() {
            let metric = c.name.clone();
            plots.push(ErrorOverTime { metric, unit, bound: shown, log: true, curves });
        }
    }
    plots
}

/// Cost against accuracy for every check.
fn speed(rows: &[&Row]) -> Vec<SpeedAgainstAccuracy> {
    per_check(rows)
        .into_iter()
        .filter_map(|(name, unit, limit)| {
            let point = |(trial, row): (usize, &&Row)| {
                let measured = value_of(row, &name)?;
                (row.cpu_s > 0.0 && row.simulated_s > 0.0).then(|| SpeedPoint {
                    trial,
                    cpu_per_simulated: row.cpu_s / row.simulated_s,
                    error: Real(measured.0),
                    uncertainty: Some(Real(measured.1)),
                })
            };
            let points: Vec<SpeedPoint> = rows.iter().enumerate().filter_map(point).collect();
            (points.len() > 1).then_some(SpeedAgainstAccuracy { metric: name, unit, bound: limit, points })
        })
        .collect()
}

/// Error against step for specs that ran at several steps.
fn convergence(rows: &[&Row]) -> Vec<Convergence> {
    let mut plots = Vec::new();
    for (name, unit, limit) in per_check(rows) {
        let mut lines: Vec<ConvergenceLine> = Vec::new();
        let mut line_of: BTreeMap<&str, usize> = BTreeMap::new();
        for (trial, row) in rows.iter().enumerate().filter(|(_, r)| r.overrides.is_empty()) {
            let Some((error, _)) = value_of(row, &name) else { continue };
            let point = ConvergencePoint { trial: Some(trial), step_s: row.step_s, error: Real(error) };
            let line = *line_of.entry(&row.engine).or_insert_with(|| {
                lines.push(ConvergenceLine { spec: row.engine.clone(), points: Vec::new(), fit: None });
                lines.len() - 1
            });
            lines[line].points.push(point);
        }
        lines.retain(|l| l.points.len() > 1);
        for line in &mut lines {
            line.fit = fit(rows, &name, line);
        }
        if !lines.is_empty() {
            plots.push(Convergence { metric: name, unit, bound: limit, lines });
        }
    }
    plots
}

/// The order of convergence of a line, if at least three steps show one.
fn fit(rows: &[&Row], check: &str, line: &ConvergenceLine) -> Option<Fit> {
    let errors: Vec<(f64, f64, f64)> = line
        .points
        .iter()
        .filter_map(|p| value_of(rows[p.trial?], check).map(|(error, doubt)| (p.step_s, error, doubt)))
        .collect();
    let found = order_of_convergence(&errors).filter(|o| o.steps >= 3)?;
    let inside = errors.iter().filter(|(h, ..)| (found.finest..=found.coarsest).contains(h));
    let logs: Vec<f64> = inside.map(|(h, e, _)| e.ln() - found.order * h.ln()).collect();
    Some(Fit {
        order: found.order,
        uncertainty: Some(found.uncertainty),
        expected: None,
        factor: (logs.iter().sum::<f64>() / logs.len() as f64).exp(),
        from_step_s: found.finest,
        to_step_s: found.coarsest,
    })
}

fn per_check(rows: &[&Row]) -> Vec<(String, String, Option<scenario::Bound>)> {
    let mut out: Vec<(String, String, Option<scenario::Bound>)> = Vec::new();
    for check in rows.iter().flat_map(|r| &r.checks) {
        if out.iter().all(|(name, ..)| *name != check.name) {
            out.push((check.name.clone(), check.unit.clone(), bound(check)));
        }
    }
    out
}

fn value_of(row: &Row, check: &str) -> Option<(f64, f64)> {
    let found = row.checks.iter().find(|c| c.name == check)?;
    let measured = found.judgement.measured.as_ref()?;
    Some((measured.value.abs(), measured.uncertainty))
}

fn replay(records: &[(usize, usize, Record)]) -> Option<replay::Replay> {
    let (.., first) = records.first()?;
    let bodies = bodies(first);
    // A variation that changes shapes cannot be drawn with those of another.
    let records: Vec<(usize, &Record)> = records
        .iter()
        .filter(|(.., record)| Arc::ptr_eq(&record.world, &first.world) || self::bodies(record) == bodies)
        .map(|(index, _, record)| (*index, record))
        .collect();
    let moments = SHOWN_NUMBERS / (records.len() * bodies.len() * replay::POSE_NUMBERS).max(1);
    let moments = moments.clamp(50, SHOWN_ROWS);
    let mut replay = replay::Replay::new(first.head.duration_s, scene_size(&bodies, &records), bodies);
    let mut kept = Vec::new();
    for (index, record) in &records {
        let track = &record.track;
        let every = track.rows().div_ceil(moments).max(1);
        let rows: Vec<usize> = (0..track.rows()).filter(|i| i % every == 0 || i + 1 == track.rows()).collect();
        let poses = rows.iter().flat_map(|row| (0..track.bodies).flat_map(move |b| track.pose(*row, b).to_vec()));
        replay.push(Some(*index), rows.iter().map(|row| track.times[*row]), poses);
        kept.push(rows);
    }
    add_contacts(&mut replay, &records, &kept);
    Some(replay)
}

/// The bodies of a record with their visible shapes.
fn bodies(record: &Record) -> Vec<replay::Body> {
    let shapes = |slot: &veracity_model::layout::BodySlot| {
        let body = record.world.placements[slot.placement].model.body(slot.body);
        body.shapes.iter().filter(|s| s.visible).filter_map(shape).collect()
    };
    let body = |slot: &veracity_model::layout::BodySlot| replay::Body {
        name: slot.name.clone(),
        fixed: false,
        shapes: shapes(slot),
    };
    record.layout().bodies.iter().map(body).collect()
}

fn shape(s: &veracity_model::BodyShape) -> Option<replay::PlacedShape> {
    use replay::Geometry;
    use veracity_model::Shape;
    let geometry = match &s.shape {
        Shape::Sphere { radius } => Geometry::Sphere { radius_m: *radius },
        Shape::Box { size } => Geometry::Box { size_m: [size.x, size.y, size.z] },
        Shape::Capsule { radius, length } => Geometry::Capsule { radius_m: *radius, length_m: *length },
        Shape::Cylinder { radius, length } => Geometry::Cylinder { radius_m: *radius, length_m: *length },
        Shape::Ellipsoid { radii } => Geometry::Ellipsoid { radii_m: [radii.x, radii.y, radii.z] },
        Shape::Disc { radius } => Geometry::Cylinder { radius_m: *radius, length_m: 0.0 },
        Shape::Plane => Geometry::Plane,
        Shape::Convex(mesh) | Shape::Mesh(mesh) => Geometry::Mesh {
            vertices_m: F32Array::from_f64(mesh.vertices.iter().flat_map(|v| [v.x, v.y, v.z])),
            triangles: U32Array(mesh.triangles.iter().flatten().copied().collect()),
        },
        // Not drawn yet; the scenario's other bodies are.
        Shape::HeightField(_) => return None,
    };
    let (p, r) = (s.body_from_shape.translation.vector, s.body_from_shape.rotation);
    let body_from_shape = replay::Pose { position_m: [p.x, p.y, p.z], rotation_wxyz: [r.w, r.i, r.j, r.k] };
    Some(replay::PlacedShape { body_from_shape, geometry })
}
