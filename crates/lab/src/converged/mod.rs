//! Converged references: the limit that refinement of our own engine approaches, with an error estimated from the
//! refinement.
//!
//! A reference is a ladder of runs that can converge on the world in question:
//!
//! - worlds in which nothing may touch and no joint leaves its limits: the adaptive integrator of order 8 at three
//!   tolerances;
//! - all others: the event-driven paradigm with every threshold refined (`ladder`), and in addition time stepping at
//!   four steps, each half of the one before. The two share the world but not the method, so each confirms the other:
//!   where they differ by more than their error bars allow, nothing is claimed. What one cannot do (the event-driven
//!   paradigm rejects closed loops and rolling friction) the other does alone, and the source says so.
//!
//! `refine` describes how runs become values, error bars and the instant at which refinements diverge. A study may name
//! another spec: it is refined in the same way, and the result is called a reference engine, because its refinement
//! says nothing about the effects it does not model.

mod columns;
pub mod ladder;
mod refine;

use crate::plan::{Case, Engines, Point};
use columns::{Owner, distance};
use ladder::{Ladder, Method};
use refine::Refined;
use veracity_engine::EngineSpec;
use veracity_measure::{Quantity, Truth};
use veracity_model::World;
use veracity_record::{Event, EventKind, Outcome, Record};
use veracity_scenario::Scenario;

/// The reference to make.
pub struct Request<'a> {
    /// The reference's name in the scenario.
    pub name: &'a str,
    /// The scenario with its variation applied.
    pub case: &'a Case,
    /// The spec that the study names; `None` for the method that can converge on this world.
    pub named: Option<&'a EngineSpec>,
    /// Points of bodies that checks look at, in addition to body origins.
    pub points: &'a [(usize, [f64; 3])],
}

/// The evaluated runs of a ladder.
struct Climbed {
    ladder: Ladder,
    refined: Refined,
    /// The finest run.
    finest: Record,
}

/// Runs one point of a ladder; returns `None` when interrupted.
pub type Run<'r, E> = dyn FnMut(&Point) -> Result<Option<Record>, E> + 'r;

/// Makes the reference. The inner error says why there is none; the outer error is the runner's.
pub fn make<E>(
    request: &Request<'_>,
    engines: &Engines<'_>,
    run: &mut Run<'_, E>,
) -> Result<Result<Truth, String>, E> {
    let scenario = &*request.case.scenario;
    if let Some(spec) = request.named {
        let ladder = named_ladder(spec, engines, scenario);
        let climbed = climb(ladder, request, run)?;
        return Ok(climbed.map(|c| truth(request, c, "", &format!("reference engine {spec}, refined by itself"))));
    }
    let mut why_contact = String::new();
    if !can_touch(&scenario.world) {
        let climbed = climb(ladder::smooth(scenario.step_ns), request, run)?;
        match climbed {
            Ok(climbed) if leaves_limits(&climbed.finest) => {
                why_contact = "; smooth motion leaves the limits of a joint".to_string();
            }
            climbed => return Ok(climbed.map(|c| truth(request, c, "", "converged"))),
        }
    }
    let event = climb(ladder::event(scenario.step_ns), request, run)?;
    let steps = climb(ladder::stepping(scenario.step_ns), request, run)?;
    Ok(match (event, steps) {
        (Err(event), Err(steps)) => Err(format!("neither method makes a reference: {event}; {steps}")),
        (Ok(only), Err(why)) | (Err(why), Ok(only)) => {
            Ok(truth(request, only, &format!("{why_contact}; not confirmed by a second method: {why}"), "converged"))
        }
        (Ok(event), Ok(steps)) => {
            // Use the one that is known longer; if equal, the event-driven one, which has no step error.
            let (mut speaks, confirms) =
                if steps.known_until() > event.known_until() { (steps, event) } else { (event, steps) };
            let confirmed = confirm(&mut speaks, &confirms);
            Ok(truth(request, speaks, &format!("{why_contact}; {confirmed}"), "converged"))
        }
    })
}

/// Whether any two bodies of a world can touch.
fn can_touch(world: &World) -> bool {
    world.contact && veracity_collide::some_may_touch(world)
}

/// Ladder of a spec that a study names, refined by the settings it has.
fn named_ladder(spec: &EngineSpec, engines: &Engines<'_>, scenario: &Scenario) -> Result<Ladder, String> {
    let is_event = spec.engine == "native" && spec.settings.iter().any(|(_, word)| word == "event");
    if is_event {
        let mut ladder = ladder::event(scenario.step_ns)?;
        let given = |key: &str| key == "paradigm" || spec.settings.iter().any(|(other, _)| other == key);
        // Settings that the study states are the same in every run.
        for rung in &mut ladder.rungs {
            rung.engine.settings.retain(|(key, _)| !given(key));
            rung.engine.settings.extend(spec.settings.iter().cloned());
        }
        return Ok(Ladder { spec: spec.clone(), ..ladder });
    }
    let (engine, settings) = engines.resolve(spec).map_err(|e| e.to_string())?;
    // Where bodies touch, an adaptive integrator is replaced by time stepping, and a tolerance has no effect.
    let adaptive = engine.capabilities(&settings).adaptive && !can_touch(&scenario.world);
    let states_tolerance = spec.settings.iter().any(|(key, _)| key == "tolerance");
    if adaptive && states_tolerance {
        ladder::tolerances(spec, scenario.step_ns)
    } else {
        ladder::fixed_steps(spec, scenario.step_ns)
    }
}

/// Runs a ladder, coarsest run first. A scenario that the engine rejects is rejected in the first run and costs nothing
/// more; a run that is too slow ends the ladder, which is used if it has at least three runs.
fn climb<E>(
    ladder: Result<Ladder, String>,
    request: &Request<'_>,
    run: &mut Run<'_, E>,
) -> Result<Result<Climbed, String>, E> {
    let mut ladder = match ladder {
        Ok(ladder) => ladder,
        Err(why) => return Ok(Err(why)),
    };
    let mut records = Vec::new();
    for point in &ladder.rungs {
        let Some(record) = run(point)? else { return Ok(Err("it was interrupted".to_string())) };
        match &record.outcome {
            Outcome::Finished => records.push(record),
            Outcome::TooSlow { .. } if records.len() >= 3 => break,
            outcome => {
                let step_s = point.step_ns as f64 * 1e-9;
                return Ok(Err(format!("{} at a step of {step_s} s did not finish: {outcome}", ladder.spec)));
            }
        }
    }
    ladder.rungs.truncate(records.len());
    Ok(columns::common_rows(&records).and_then(|(times, rows)| {
        let columns = columns::columns(&records, &rows, request.points);
        let finest = records.pop().ok_or_else(|| "no run".to_string())?;
        // An engine without an event log may have had any number of impacts.
        let impact = |e: &Event| e.kind == EventKind::Impact;
        let met = |r: &Record| can_touch(&r.world) && (r.head.events.is_none() || r.events.iter().any(impact));
        let smooth = !met(&finest) && !records.iter().any(met);
        let refined = refine::refine(&ladder, &times, &columns, finest.host.steps, smooth);
        Ok(Climbed { ladder, refined, finest })
    }))
}

impl Climbed {
    /// Time until which every quantity is known [s].
    fn known_until(&self) -> f64 {
        let parts = self.refined.channels.iter().filter_map(|c| c.parts_at_s);
        parts.fold(f64::INFINITY, f64::min)
    }

    /// How it converged, in words.
    fn method(&self) -> String {
        let steps = || {
            let list: Vec<String> =
                self.ladder.rungs.iter().map(|p| format!("{}", p.step_ns as f64 * 1e-9)).collect();
            list.join(", ")
        };
        match self.ladder.method {
            Method::Tolerance => {
                let tolerance = |p: &Point| {
                    p.engine.settings.iter().find(|(key, _)| key == "tolerance").map_or("", |(_, x)| x).to_string()
                };
                let list: Vec<String> = self.ladder.rungs.iter().map(tolerance).collect();
                format!("adaptive ({}) at tolerances {}", self.ladder.spec, list.join(", "))
            }
            Method::Event => {
                format!("event driven ({}) at steps {} s with thresholds over two decades", self.ladder.spec, steps())
            }
            Method::Steps => {
                let order = match self.refined.order {
                    Some(order) => format!("observed order {order:.2}"),
                    None => "differences of rounding only".to_string(),
                };
                let end = if self.refined.extrapolated { ", extrapolated to step zero" } else { "" };
                format!("step halving ({}) at {} s, {order}{end}", self.ladder.spec, steps())
            }
        }
    }
}

/// Compares one method with the other. Where positions differ by more than both error bars, the first is cut.
fn confirm(speaks: &mut Climbed, confirms: &Climbed) -> String {
    let mut worst = 0.0f64;
    let mut cuts: Vec<(Owner, f64)> = Vec::new();
    for (channel, owner) in speaks.refined.channels.iter().zip(&speaks.refined.owners) {
        let position = matches!(
            channel.quantity,
            Quantity::JointPosition(_) | Quantity::Point { .. } | Quantity::Orientation(_)
        );
        let Some(other) = confirms.refined.channels.iter().find(|c| position && c.quantity == channel.quantity)
        else {
            continue;
        };
        let width = channel.quantity.width();
        for (row, time) in channel.times.iter().enumerate() {
            let Some(at) = other.times.iter().position(|t| (t - time).abs() <= veracity_measure::SAME_INSTANT_S)
            else {
                continue;
            };
            let (a, b) = (&channel.values[row * width..][..width], &other.values[at * width..][..width]);
            let apart = distance(&channel.quantity, a, b);
            if apart <= channel.uncertainty[row] + other.uncertainty[at] {
                worst = worst.max(apart);
            } else {
                cuts.push((*owner, *time));
                break;
            }
        }
    }
    let Refined { channels, owners, .. } = &mut speaks.refined;
    for (channel, owner) in channels.iter_mut().zip(owners) {
        let cut = cuts.iter().filter(|(o, _)| o == owner).map(|(_, t)| *t).fold(f64::INFINITY, f64::min);
        if cut.is_finite() && channel.parts_at_s.is_none_or(|t| cut < t) {
            let rows = channel.times.partition_point(|t| *t < cut);
            channel.times.truncate(rows);
            channel.uncertainty.truncate(rows);
            channel.values.truncate(rows * channel.quantity.width());
            channel.parts_at_s = Some(cut);
        }
    }
    let known = confirms.known_until();
    let until = if known.is_finite() { format!(" up to {known:.3} s") } else { String::new() };
    let first = cuts.iter().map(|(_, t)| *t).fold(f64::INFINITY, f64::min);
    match first.is_finite() {
        true => format!("diverges at {first:.3} s from {}", confirms.method()),
        false => format!("confirmed to {worst:.1e}{until} by {}", confirms.method()),
    }
}

/// Whether a joint is beyond its limits in any row. Smooth motion ignores limits, so it is then not the motion of the
/// world.
fn leaves_limits(record: &Record) -> bool {
    let layout = record.layout();
    let limited = (0..layout.dofs.len()).filter_map(|v| Some((layout.dof_position[v]?, &layout.dofs[v])));
    let limited: Vec<(usize, f64, f64)> = limited
        .filter(|(_, dof)| dof.lower.is_finite() || dof.upper.is_finite())
        .map(|(q, dof)| (q, dof.lower, dof.upper))
        .collect();
    // Allows for the integration error of a start exactly on the limit.
    let beyond = |x: f64, lower: f64, upper: f64| lower - x > 1e-9 || x - upper > 1e-9;
    (0..record.track.rows())
        .any(|row| limited.iter().any(|(q, lower, upper)| beyond(record.track.q(row)[*q], *lower, *upper)))
}

/// The truth; its source says how it was made and until when it is known.
fn truth(request: &Request<'_>, climbed: Climbed, more: &str, kind: &str) -> Truth {
    let worst = |wanted: fn(&Quantity) -> bool| {
        let of_kind = climbed.refined.channels.iter().filter(|c| wanted(&c.quantity));
        of_kind.flat_map(|c| &c.uncertainty).fold(0.0f64, |w, u| w.max(*u))
    };
    let way = worst(|q| matches!(q, Quantity::Point { .. }));
    let angle = worst(|q| matches!(q, Quantity::Orientation(_)));
    let known = climbed.known_until();
    let until = if known.is_finite() {
        format!("; known up to {known:.3} s, where refinements diverge")
    } else {
        String::new()
    };
    let warnings: Vec<&str> = climbed.finest.log.iter().filter(|l| l.warning).map(|l| l.text.as_str()).collect();
    let warned =
        if warnings.is_empty() { String::new() } else { format!("; the run warns: {}", warnings.join("; ")) };
    let source = format!(
        "{kind}: {}, its own error at most {way:.1e} m and {angle:.1e} rad{until}{more}{warned}",
        climbed.method()
    );
    Truth { name: request.name.to_string(), source, channels: climbed.refined.channels }
}
