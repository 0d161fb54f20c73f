//! The event log.

use super::loads::close;
use super::scenes::{self, G, LINK_MASS, Scene};
use super::{Claim, Evidence, Subject};
use crate::capability::Fidelity;
use crate::contract::Simulation;
use crate::events::in_order;
use crate::samples::Samples;
use veracity_record::{Event, EventKind, EventRules};

pub(super) const NEAR_MISS: Claim = Claim {
    name: "event-near-miss",
    says: "A ball that turns back above the plate logs one near miss, at the gap and time of the closed form.",
    run: near_miss,
};

pub(super) const LIMIT: Claim = Claim {
    name: "event-limit",
    says: "A sled that reaches its limit logs one event, at the time given by its speed.",
    run: limit,
};

pub(super) const CONTACT: Claim = Claim {
    name: "event-contact",
    says: "A box dropped on the ground logs an impact with the speed and momentum of its fall, and a rest.",
    run: contact,
};

pub(super) const BATCHING: Claim = Claim {
    name: "event-batching",
    says: "One long advance logs the same events as many short ones.",
    run: batching,
};

pub(super) const RESTORED: Claim = Claim {
    name: "event-restored",
    says: "A restored run logs the events the uninterrupted run logs from there on, to the bit.",
    run: restored,
};

/// A simulation at its start with a log switched on; `None` if the engine keeps no log.
fn begin(subject: &Subject<'_>, scene: &Scene) -> Result<Option<Box<dyn Simulation>>, String> {
    let mut simulation = subject.load(&scene.world)?;
    simulation.set_state(0.0, &scene.q, &scene.v).map_err(|e| e.to_string())?;
    Ok(simulation.log_events(Some(EventRules::default())).then_some(simulation))
}

fn advance(simulation: &mut dyn Simulation, scene: &Scene, until: f64) -> Result<(), String> {
    let mut none = Samples::none(simulation.layout());
    simulation.advance(until, &scene.inputs, &mut none).map(|_| ()).map_err(|e| e.to_string())
}

fn events_of(simulation: &mut dyn Simulation) -> Vec<Event> {
    let mut out = Vec::new();
    simulation.take_events(true, &mut out);
    in_order(out)
}

/// The events of a scene over some steps.
fn run(subject: &Subject<'_>, scene: &Scene, steps: u32) -> Result<Option<Vec<Event>>, String> {
    let Some(mut simulation) = begin(subject, scene)? else { return Ok(None) };
    advance(simulation.as_mut(), scene, f64::from(steps) * subject.step_s)?;
    Ok(Some(events_of(simulation.as_mut())))
}

fn without() -> Evidence {
    Evidence::DoesNotApply("the engine keeps no event log".to_string())
}

/// A ball thrown down under upward gravity.
fn turning_back() -> Scene {
    let mut scene = scenes::passing();
    scene.world.gravity.z = G;
    (scene.q[2], scene.v[5]) = (1.0, -3.0);
    scene
}

/// A sled that reaches its limit between two steps.
fn to_the_limit() -> Scene {
    scenes::slider_with(-0.12345, 1.0, |_, joint| (joint.dofs[0].lower, joint.dofs[0].upper) = (-1.0, 0.1))
}

fn near_miss(subject: &Subject<'_>) -> Result<Evidence, String> {
    if !subject.capabilities().gaps {
        return Ok(Evidence::DoesNotApply("the engine reports no gaps".to_string()));
    }
    let Some(events) = run(subject, &turning_back(), 600)? else { return Ok(without()) };
    let [event] = events.as_slice() else { return Err(format!("one event was expected, found {events:?}")) };
    if event.kind != EventKind::NearMiss || !event.pair.ends_with("/block-ground") || event.ordinal != 1 {
        return Err(format!("a near miss of the pair block-ground was expected, found {event:?}"));
    }
    // Order 1 is half a step late or early, and off by a step's motion.
    let (time, least) = (3.0 / G, 1.0 - scenes::RADIUS - 0.5 * 9.0 / G);
    let off = close("the time of the near miss", event.time, time, subject.step_s)?;
    close("the gap of the near miss", event.gap, least, 3.0 * subject.step_s)?;
    Ok(Evidence::Holds(format!("off by {off:.0e} s and {:.0e} m", (event.gap - least).abs())))
}

fn limit(subject: &Subject<'_>) -> Result<Evidence, String> {
    let Some(events) = run(subject, &to_the_limit(), 400)? else { return Ok(without()) };
    let [event] = events.as_slice() else { return Err(format!("one event was expected, found {events:?}")) };
    if event.kind != EventKind::Limit || !event.pair.ends_with("/rail") {
        return Err(format!("a limit of the joint rail was expected, found {event:?}"));
    }
    // The sled moves at constant speed up to there.
    let allowed = (1e-3 * subject.step_s).max(subject.rounding(0.0));
    let off = close("the time of the limit", event.time, 0.22345, allowed)?;
    Ok(Evidence::Holds(format!("off by {off:.0e} s")))
}

fn contact(subject: &Subject<'_>) -> Result<Evidence, String> {
    if !subject.capabilities().contact {
        return Ok(Evidence::DoesNotApply("the engine has no contact".to_string()));
    }
    let h = subject.step_s;
    let Some(events) = run(subject, &scenes::resting(), 1000)? else { return Ok(without()) };
    let kinds: Vec<&str> = events.iter().map(|e| e.kind.name()).collect();
    let (Some(impact), Some(rest)) = (events.first(), events.last()) else {
        return Err("no event was logged for a box that falls and comes to rest".to_string());
    };
    if impact.kind != EventKind::Impact || rest.kind != EventKind::Rest || kinds.contains(&"near_miss") {
        return Err(format!("first an impact and last a rest were expected, found {kinds:?}"));
    }
    // From 1 cm above the ground.
    let (time, speed) = ((2.0 * 0.01 / G).sqrt(), (2.0 * 0.01 * G).sqrt());
    let off = close("the time of the impact", impact.time, time, h)?;
    close("the closing speed", impact.normal_speed, -speed, 2.0 * G * h)?;
    // The weight adds a few steps' impulse while a soft contact stops the box, a rebound at most as much again.
    let momentum = LINK_MASS * speed;
    if !(0.95 * momentum..=2.0 * momentum + 20.0 * LINK_MASS * G * h).contains(&impact.normal_impulse) {
        return Err(format!("the impulse of the impact is {} N s, the momentum {momentum}", impact.normal_impulse));
    }
    Ok(Evidence::Holds(format!("impact off by {off:.0e} s, {} N s of {momentum:.3}", impact.normal_impulse)))
}

/// Scenes that log events, and their number of steps.
fn eventful(subject: &Subject<'_>) -> Vec<(Scene, u32)> {
    let can = subject.capabilities();
    let mut out = vec![(to_the_limit(), 400)];
    if can.gaps {
        out.push((turning_back(), 600));
    }
    if can.contact {
        out.push((scenes::resting(), 300));
    }
    out
}

fn batching(subject: &Subject<'_>) -> Result<Evidence, String> {
    let mut count = 0;
    for (scene, steps) in eventful(subject) {
        // An adaptive engine chooses its steps: calls of other lengths cut them at other times.
        if subject.capabilities().adaptive {
            return Ok(Evidence::DoesNotApply("an adaptive engine is cut where a call ends".to_string()));
        }
        let Some(expected) = run(subject, &scene, steps)? else { return Ok(without()) };
        let Some(mut simulation) = begin(subject, &scene)? else { return Ok(without()) };
        let mut events = Vec::new();
        for n in 1..=steps {
            advance(simulation.as_mut(), &scene, f64::from(n) * subject.step_s)?;
            simulation.take_events(n == steps, &mut events);
        }
        let found = in_order(events);
        if bits(&found) != bits(&expected) {
            return Err(format!("{}: one call logs {expected:?}, many log {found:?}", scene.world.name));
        }
        count += found.len();
    }
    Ok(Evidence::Holds(format!("{count} events")))
}

fn restored(subject: &Subject<'_>) -> Result<Evidence, String> {
    if subject.capabilities().snapshot != Fidelity::Exact {
        return Ok(Evidence::DoesNotApply("the engine has no exact snapshots".to_string()));
    }
    let mut count = 0;
    for (scene, steps) in eventful(subject) {
        // Before anything happened, in the middle of it, and after.
        for cut in [steps / 10, steps / 6, steps / 2, steps / 2 + 7] {
            let Some(mut whole) = begin(subject, &scene)? else { return Ok(without()) };
            advance(whole.as_mut(), &scene, f64::from(cut) * subject.step_s)?;
            whole.take_events(false, &mut Vec::new());
            let mut bytes = Vec::new();
            whole.snapshot(&mut bytes);
            let mut fork = subject.load(&scene.world)?;
            fork.restore(&bytes).map_err(|e| e.to_string())?;
            let mut events = [Vec::new(), Vec::new()];
            for (simulation, events) in [&mut whole, &mut fork].into_iter().zip(&mut events) {
                advance(simulation.as_mut(), &scene, f64::from(steps) * subject.step_s)?;
                *events = events_of(simulation.as_mut());
            }
            if bits(&events[0]) != bits(&events[1]) {
                let [whole, fork] = events;
                return Err(format!("{}: cut at step {cut} {whole:?} became {fork:?}", scene.world.name));
            }
            count += events[0].len();
        }
    }
    if count == 0 {
        return Err("no events were logged after any of the cuts".to_string());
    }
    Ok(Evidence::Holds(format!("{count} events")))
}

/// For comparison as text, in which NaN equals NaN.
fn bits(events: &[Event]) -> String {
    format!("{events:?}")
}
