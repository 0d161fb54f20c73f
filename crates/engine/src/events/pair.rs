//! The state of one pair and the events of its changes. Numbers in brackets refer to the list in the parent module.

use super::{Context, Logged, Names, Point};
use serde::{Deserialize, Serialize};
use veracity_record::{Event, EventKind, EventRules, Merge};

/// Fraction of the closing speed by which a step must still change the speed to belong to the impact.
const TURNED: f64 = 0.01;

/// Merged state of the points of a pair at one instant, (1).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Seen {
    time: f64,
    points: u32,
    /// Points with an impulse.
    touching: u32,
    gap: f64,
    approach: f64,
    separation: f64,
    slide_before: f64,
    slide: f64,
    normal_impulse: f64,
    tangential_impulse: [f64; 3],
    /// Whether friction is known not to hold.
    gives_way: bool,
    located: bool,
}

/// Contact phase of a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
enum Phase {
    #[default]
    Free,
    Touching,
    /// Without an impulse since the last one; may still be chatter.
    Lost,
}

/// Whether friction holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
enum FrictionState {
    #[default]
    Unknown,
    Sticks,
    Slips,
}

/// An impact or touch whose impulse is still being summed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Burst {
    kind: EventKind,
    time: f64,
    error: f64,
    step: u64,
    seen: Seen,
}

/// A change of friction that is not yet certain.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Turn {
    time: f64,
    error: f64,
    step: u64,
    /// Since when the speed has been on the other side [s].
    since: f64,
    seen: Seen,
}

/// Memory of a pair.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct PairMemory {
    /// Index among the named pairs, if it is one.
    pub slot: Option<u32>,
    pub bodies: [u32; 2],
    /// At the end of the last step [m]; NaN where it is not known.
    pub gap: f64,
    phase: Phase,
    now: Option<Seen>,
    burst: Option<Burst>,
    /// The last instant with an impulse: time, error, step.
    last: (f64, f64, u64),
    /// The widest gap since then.
    widest: f64,
    /// Since when the contact has held and been slow.
    since: (f64, f64, u64),
    rested: bool,
    friction: FrictionState,
    turn: Option<Turn>,
    /// Slides at the last two instants: time and speed.
    slides: [[f64; 2]; 2],
    counts: [u32; EventKind::ALL.len()],
}

impl PairMemory {
    pub(super) fn new(slot: Option<u32>, bodies: [u32; 2]) -> Self {
        Self {
            slot,
            bodies,
            gap: f64::NAN,
            phase: Phase::Free,
            now: None,
            burst: None,
            last: (0.0, 0.0, 0),
            widest: 0.0,
            since: (0.0, 0.0, 0),
            rested: false,
            friction: FrictionState::Unknown,
            turn: None,
            slides: [[f64::NAN; 2]; 2],
            counts: [0; EventKind::ALL.len()],
        }
    }

    /// Whether it touches, or may be chattering.
    pub(super) fn is_busy(&self) -> bool {
        self.phase != Phase::Free
    }

    /// Whether a point belongs to an instant after the one being collected.
    pub(super) fn is_later(&self, time: f64) -> bool {
        self.now.is_some_and(|now| now.time < time)
    }

    /// Adds a point to the instant being collected.
    pub(super) fn merge(&mut self, point: &Point, sign: f64, rules: &EventRules) {
        let touches = point.normal_impulse > 0.0;
        let gives_way = point.sticks == Some(false);
        let mut tangential = point.tangential_impulse.map(|x| sign * x);
        let Some(now) = &mut self.now else {
            self.now = Some(Seen {
                time: point.time,
                points: 1,
                touching: u32::from(touches),
                gap: point.gap,
                approach: point.approach,
                separation: point.separation,
                slide_before: point.slide_before,
                slide: point.slide,
                normal_impulse: point.normal_impulse,
                tangential_impulse: tangential,
                gives_way,
                located: point.located,
            });
            return;
        };
        now.points += 1;
        now.gap = now.gap.min(point.gap);
        now.normal_impulse += point.normal_impulse;
        now.tangential_impulse.iter_mut().zip(&mut tangential).for_each(|(sum, x)| *sum += *x);
        now.located |= point.located;
        // Speeds are those of the points that touch, if there are any.
        let first = touches && now.touching == 0;
        now.touching += u32::from(touches);
        if first {
            (now.approach, now.separation) = (point.approach, point.separation);
            (now.slide_before, now.slide, now.gives_way) = (point.slide_before, point.slide, gives_way);
        } else if touches || now.touching == 0 {
            let fastest = rules.merge == Merge::Any;
            let of_two = |a: f64, b: f64| if fastest { a.max(b) } else { a.min(b) };
            now.approach = now.approach.min(point.approach);
            now.separation = of_two(now.separation, point.separation);
            now.slide_before = of_two(now.slide_before, point.slide_before);
            now.slide = of_two(now.slide, point.slide);
            now.gives_way = if fastest { now.gives_way || gives_way } else { now.gives_way && gives_way };
        }
    }

    /// The step ends: evaluates what was collected, or its absence. `named` is the gap of a named pair.
    pub(super) fn end_step(
        &mut self,
        context: &Context<'_>,
        time: f64,
        named: Option<f64>,
        names: &Names,
        log: &mut Vec<Logged>,
    ) {
        // The measured gap of a named pair is preferred to that of its points: distant points are not reported.
        let seen_gap = self.now.map(|now| now.gap);
        let gap = named.filter(|gap| gap.is_finite()).or(seen_gap).unwrap_or(f64::INFINITY);
        if self.now.is_some() {
            self.settle(context, names, log);
        }
        if self.last.0 != time {
            self.miss(context, time, gap, names, log);
        }
        self.gap = gap;
    }

    /// The collected instant is complete.
    pub(super) fn settle(&mut self, context: &Context<'_>, names: &Names, log: &mut Vec<Logged>) {
        let Some(seen) = self.now.take() else { return };
        let all = context.rules.merge == Merge::All && seen.touching < seen.points;
        if seen.touching == 0 || all || seen.normal_impulse <= context.rules.least_impulse {
            return;
        }
        if self.phase == Phase::Lost && self.widest >= context.rules.liftoff_gap {
            self.lift_off(names, log);
        }
        let (instant, error) = self.instant(context, &seen);
        match self.phase {
            Phase::Free => {
                self.close_burst(names, log);
                let kind =
                    if seen.approach < -context.rules.impact_speed { EventKind::Impact } else { EventKind::Touch };
                self.burst = Some(Burst { kind, time: instant, error, step: context.step, seen });
                self.rested = false;
                self.since = (instant, error, context.step);
                self.friction = FrictionState::Unknown;
                self.turn = None;
                self.slides = [[f64::NAN; 2]; 2];
            }
            // Chatter. A contact that the solver releases for a step or two has not moved; after more it may come to
            // rest from here.
            Phase::Lost => {
                if seen.located || instant - self.last.0 > 2.5 * (seen.time - context.begin) {
                    self.since = (instant, error, context.step);
                }
            }
            Phase::Touching => self.count_burst(&seen, names, log),
        }
        self.phase = Phase::Touching;
        let error = if seen.located { 0.0 } else { 0.5 * (seen.time - context.begin) };
        self.last = (seen.time, error, context.step);
        self.widest = f64::NEG_INFINITY;
        self.rest(context, &seen, names, log);
        self.update_friction(context, &seen, names, log);
    }

    /// Nothing touched up to the end of a step.
    fn miss(&mut self, context: &Context<'_>, time: f64, gap: f64, names: &Names, log: &mut Vec<Logged>) {
        if self.phase == Phase::Free {
            return;
        }
        self.close_burst(names, log);
        self.phase = Phase::Lost;
        self.widest = self.widest.max(gap);
        if self.widest >= context.rules.liftoff_gap && time - self.last.0 >= context.rules.debounce {
            self.lift_off(names, log);
        }
    }

    /// The run is over.
    pub(super) fn finish(&mut self, rules: &EventRules, names: &Names, log: &mut Vec<Logged>) {
        self.close_burst(names, log);
        if self.phase == Phase::Lost && self.widest >= rules.liftoff_gap {
            self.lift_off(names, log);
        }
    }

    /// When the bodies touched, and its error, (2).
    fn instant(&self, context: &Context<'_>, seen: &Seen) -> (f64, f64) {
        if seen.located {
            return (seen.time, 0.0);
        }
        let half = 0.5 * (seen.time - context.begin);
        let closes = -self.gap / seen.approach;
        let inside = if self.gap <= 0.0 {
            0.0
        } else if self.gap.is_finite() && seen.approach < 0.0 {
            closes.min(2.0 * half)
        } else {
            half
        };
        (context.begin + inside, half)
    }

    /// Adds a step to an impact while the separation speed still grows.
    fn count_burst(&mut self, seen: &Seen, names: &Names, log: &mut Vec<Logged>) {
        let Some(burst) = &mut self.burst else { return };
        // A located impact ends at its instant; one whose speed hardly changes any more has ended too.
        let turned = burst.seen.separation + TURNED * burst.seen.approach.abs();
        if burst.seen.located || seen.separation <= turned {
            self.close_burst(names, log);
            return;
        }
        burst.seen.normal_impulse += seen.normal_impulse;
        burst.seen.tangential_impulse.iter_mut().zip(seen.tangential_impulse).for_each(|(sum, x)| *sum += x);
        burst.seen.separation = seen.separation;
    }

    fn close_burst(&mut self, names: &Names, log: &mut Vec<Logged>) {
        if let Some(Burst { kind, time, error, step, seen }) = self.burst.take() {
            let mut event = self.event(kind, [time, error, seen.gap], names);
            event.normal_speed = seen.approach;
            // Where the speed before is unknown, the one after is used.
            event.tangential_speed = if seen.slide_before.is_nan() { seen.slide } else { seen.slide_before };
            event.normal_impulse = seen.normal_impulse;
            event.tangential_impulse = length(&seen.tangential_impulse);
            log.push(Logged { step, event });
        }
    }

    /// (3)
    fn lift_off(&mut self, names: &Names, log: &mut Vec<Logged>) {
        let (time, error, step) = self.last;
        log.push(self.entry(EventKind::Liftoff, [time, error, f64::NAN], step, names));
        self.phase = Phase::Free;
        self.turn = None;
    }

    /// (4)
    fn rest(&mut self, context: &Context<'_>, seen: &Seen, names: &Names, log: &mut Vec<Logged>) {
        if self.rested {
            return;
        }
        if seen.separation.abs() > context.rules.rest_speed {
            self.since = self.last;
            return;
        }
        // Times are sums of steps: a debounce of ten steps is reached by ten, in spite of rounding.
        if seen.time - self.since.0 >= context.rules.debounce * (1.0 - 1e-9) {
            self.rested = true;
            let (time, error, step) = self.since;
            log.push(self.entry(EventKind::Rest, [time, error, seen.gap], step, names));
        }
    }

    /// (5)
    fn update_friction(&mut self, context: &Context<'_>, seen: &Seen, names: &Names, log: &mut Vec<Logged>) {
        let rules = context.rules;
        let [before, last] = self.slides;
        self.slides = [last, [seen.time, seen.slide]];
        let half = 0.5 * (seen.time - context.begin);
        match self.friction {
            FrictionState::Unknown => {
                let slips = seen.slide > rules.slip_speed;
                self.friction = if slips { FrictionState::Slips } else { FrictionState::Sticks };
            }
            FrictionState::Sticks if seen.slide > rules.slip_speed => match self.turn.take() {
                None => {
                    let (time, step) = (seen.time, context.step);
                    self.turn = Some(Turn { time, error: half, step, since: time, seen: *seen });
                }
                Some(turn) => {
                    // The line through the last two speeds begins at zero, after the last instant at rest.
                    let rate = (seen.slide - last[1]) / (seen.time - last[0]);
                    let begun = last[0] - last[1] / rate;
                    let earliest = self.since.0.min(turn.time);
                    let time = if begun.is_finite() { begun.clamp(earliest, turn.time) } else { turn.time };
                    let error = turn.error.max(0.5 * (turn.time - time));
                    self.friction = FrictionState::Slips;
                    let mut logged = self.entry(EventKind::Slip, [time, error, turn.seen.gap], turn.step, names);
                    logged.event.tangential_speed = turn.seen.slide;
                    logged.event.normal_impulse = turn.seen.normal_impulse;
                    logged.event.tangential_impulse = length(&turn.seen.tangential_impulse);
                    log.push(logged);
                }
            },
            FrictionState::Sticks => self.turn = None,
            FrictionState::Slips => {
                if seen.slide > rules.slip_speed || (seen.gives_way && self.turn.is_none()) {
                    self.turn = None;
                    return;
                }
                if self.turn.is_none() && seen.slide < rules.stick_speed {
                    // The line through the last two speeds ends at zero: inside this step, or after it where the speed
                    // is still on the line.
                    let rate = (last[1] - before[1]) / (last[0] - before[0]);
                    let ends = last[0] - last[1] / rate;
                    let drawn = rate * (seen.time - ends);
                    let latest = if (drawn - seen.slide).abs() < 0.5 * seen.slide { ends } else { seen.time };
                    let steady = rate < 0.0 && ends.is_finite();
                    let time = if steady { ends.min(latest).max(context.begin) } else { context.begin + half };
                    self.turn = Some(Turn { time, error: half, step: context.step, since: seen.time, seen: *seen });
                }
                let held = |turn: &Turn| seen.time - turn.since >= rules.debounce * (1.0 - 1e-9);
                if let Some(turn) = self.turn.filter(held) {
                    self.turn = None;
                    self.friction = FrictionState::Sticks;
                    let mut logged =
                        self.entry(EventKind::Stick, [turn.time, turn.error, turn.seen.gap], turn.step, names);
                    logged.event.tangential_speed = turn.seen.slide;
                    logged.event.normal_impulse = turn.seen.normal_impulse;
                    logged.event.tangential_impulse = length(&turn.seen.tangential_impulse);
                    log.push(logged);
                }
            }
        }
    }

    /// An entry of the log for this pair; `numbers` are time, its error, gap.
    pub(super) fn entry(&mut self, kind: EventKind, numbers: [f64; 3], step: u64, names: &Names) -> Logged {
        Logged { step, event: self.event(kind, numbers, names) }
    }

    fn event(&mut self, kind: EventKind, [time, time_error, gap]: [f64; 3], names: &Names) -> Event {
        let count = &mut self.counts[kind as usize];
        *count += 1;
        let ordinal = *count;
        Event {
            time,
            time_error,
            substep: 0,
            pair: names.of(self),
            ordinal,
            kind,
            normal_speed: f64::NAN,
            tangential_speed: f64::NAN,
            normal_impulse: f64::NAN,
            tangential_impulse: f64::NAN,
            gap,
        }
    }
}

fn length(vector: &[f64; 3]) -> f64 {
    vector.iter().map(|x| x * x).sum::<f64>().sqrt()
}
