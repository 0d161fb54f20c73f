//! The operations of the protocol and their messages. The tables are in `docs/workers.md`.

use crate::wire::{Malformed, Reader, Writer};
use serde::{Deserialize, Serialize};
use veracity_engine::{
    Advance, BodyState, Guard, Inputs, JointDrive, LoadError, SolverOutcome, Totals, Watched, Wrench,
};
use veracity_engine::{Logged, LoopEnd, SpecError, StepError, Unsupported};
use veracity_model::{Pose, Vec3};
use veracity_record::{ContactSample, Event, EventKind, EventRules, Merge, Track};

/// Operation of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
#[allow(missing_docs)]
pub enum Operation {
    Hello = 1,
    Capabilities,
    Load,
    Unload,
    SetState,
    Step,
    Advance,
    AdvanceUntil,
    Snapshot,
    Restore,
    Contacts,
    Reactions,
    Accelerations,
    LogEvents,
    TakeEvents,
    Energy,
    Warnings,
    Bye,
    TakeLoop,
    RunLoop,
    State,
}

impl Operation {
    /// All of them.
    pub const ALL: [Operation; 21] = [
        Operation::Hello,
        Operation::Capabilities,
        Operation::Load,
        Operation::Unload,
        Operation::SetState,
        Operation::Step,
        Operation::Advance,
        Operation::AdvanceUntil,
        Operation::Snapshot,
        Operation::Restore,
        Operation::Contacts,
        Operation::Reactions,
        Operation::Accelerations,
        Operation::LogEvents,
        Operation::TakeEvents,
        Operation::Energy,
        Operation::Warnings,
        Operation::Bye,
        Operation::TakeLoop,
        Operation::RunLoop,
        Operation::State,
    ];

    /// By its number.
    pub fn from_number(number: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|op| *op as u64 == number)
    }
}

/// Status of a reply: done.
pub const DONE: u64 = 0;
/// A load, state or snapshot was refused.
pub const REFUSED: u64 = 1;
/// An advance ended in trouble.
pub const TROUBLE: u64 = 2;
/// The request was not understood.
pub const NOT_UNDERSTOOD: u64 = 3;

/// First answer of a worker: what it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hello {
    /// Of the protocol.
    pub protocol: u64,
    /// Of the engine.
    pub name: String,
    /// Of the simulator behind it.
    pub version: String,
    /// In a line.
    pub about: String,
    /// How it wants worlds: `stored` or `scene`.
    pub world: String,
    /// Whether it takes over control loops; `false` if missing.
    #[serde(default)]
    pub loops: bool,
    /// Files that decide what it computes and that the kernel does not show: modules of a script.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Its settings.
    pub settings: Vec<HelloSetting>,
}

/// One setting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HelloSetting {
    /// As in specs.
    pub key: String,
    /// Value if a spec does not set it.
    pub default: String,
    /// What it does.
    pub text: String,
    /// One of these words …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<Vec<String>>,
    /// … or a whole number in a range …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub integer: Option<[i64; 2]>,
    /// … or a number in a range; words for what JSON has no number for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub real: Option<[String; 2]>,
}

/// Why a request was refused, in the form of the protocol.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refused {
    /// What the engine cannot express.
    Unsupported(Vec<Feature>),
    /// About the spec.
    Spec(String),
    /// About the start state.
    State(String),
    /// About a snapshot.
    Snapshot(String),
    /// Anything else.
    Other(String),
}

/// One feature an engine cannot express.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Feature {
    /// The feature.
    pub feature: String,
    /// What to do.
    pub hint: String,
}

impl From<&LoadError> for Refused {
    fn from(error: &LoadError) -> Self {
        match error {
            LoadError::Unsupported(list) => Self::Unsupported(
                list.iter().map(|u| Feature { feature: u.feature.clone(), hint: u.hint.clone() }).collect(),
            ),
            LoadError::Spec(e) => Self::Spec(e.to_string()),
            LoadError::State(why) => Self::State(why.clone()),
            LoadError::Snapshot(why) => Self::Snapshot(why.clone()),
            LoadError::Other(why) => Self::Other(why.clone()),
        }
    }
}

impl Refused {
    /// As an error of the contract.
    pub fn into_error(self, engine: &str) -> LoadError {
        match self {
            Self::Unsupported(list) => LoadError::Unsupported(
                list.into_iter().map(|f| Unsupported { feature: f.feature, hint: f.hint }).collect(),
            ),
            Self::Spec(what) => LoadError::Spec(SpecError::Form { text: engine.to_string(), what }),
            Self::State(why) => LoadError::State(why),
            Self::Snapshot(why) => LoadError::Snapshot(why),
            Self::Other(why) => LoadError::Other(why),
        }
    }
}

/// State of a simulation.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// [s]
    pub time: f64,
    /// Counts.
    pub totals: Totals,
    /// Positions.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Thirteen numbers each.
    pub bodies: Vec<f64>,
    /// Of the named pairs.
    pub gaps: Vec<f64>,
    /// Of the named pairs.
    pub least_gaps: Vec<f64>,
}

impl State {
    /// A state of these sizes.
    pub fn new(nq: usize, nv: usize, bodies: usize, pairs: usize) -> Self {
        let zeros = |n| vec![0.0; n];
        Self {
            q: zeros(nq),
            v: zeros(nv),
            bodies: zeros(13 * bodies),
            gaps: vec![f64::NAN; pairs],
            least_gaps: vec![f64::INFINITY; pairs],
            ..Self::default()
        }
    }

    /// Reads a state of the same sizes; returns whether it contained the motion of bodies.
    pub fn read(&mut self, r: &mut Reader) -> Result<bool, Malformed> {
        self.time = r.real()?;
        self.totals = Totals { steps: r.whole()?, evaluations: r.whole()?, rejected: r.whole()? };
        r.reals_into(&mut self.q)?;
        r.reals_into(&mut self.v)?;
        let mut ahead = *r;
        let has_bodies = ahead.whole()? > 0 || self.bodies.is_empty();
        if has_bodies {
            r.reals_into(&mut self.bodies)?;
        } else {
            *r = ahead;
        }
        r.reals_into(&mut self.gaps)?;
        r.reals_into(&mut self.least_gaps)?;
        Ok(has_bodies)
    }

    /// A body's motion.
    pub fn body(&self, slot: usize) -> BodyState {
        let b = &self.bodies[13 * slot..13 * slot + 13];
        let turn = nalgebra::Unit::new_unchecked(nalgebra::Quaternion::new(b[3], b[4], b[5], b[6]));
        BodyState {
            world_from_body: Pose::from_parts(Vec3::new(b[0], b[1], b[2]).into(), turn),
            angular_velocity: Vec3::new(b[7], b[8], b[9]),
            linear_velocity: Vec3::new(b[10], b[11], b[12]),
        }
    }
}

/// A body's motion in the thirteen numbers of a state.
pub fn thirteen(state: &BodyState) -> [f64; 13] {
    let (p, r) = (state.world_from_body.translation.vector, state.world_from_body.rotation);
    let (w, v) = (state.angular_velocity, state.linear_velocity);
    [p.x, p.y, p.z, r.w, r.i, r.j, r.k, w.x, w.y, w.z, v.x, v.y, v.z]
}

/// Appends inputs.
pub fn write_inputs(inputs: &Inputs, out: &mut Writer) {
    out.reals(&inputs.efforts);
    out.whole(inputs.wrenches.len() as u64);
    for w in &inputs.wrenches {
        out.whole(w.body as u64);
        out.plain(&w.force);
        out.plain(&w.torque);
    }
    out.whole(inputs.drives.len() as u64);
    for d in &inputs.drives {
        out.whole(d.dof as u64);
        out.plain(&[d.kp, d.kd, d.target, d.target_speed, d.feed_forward, d.max_effort]);
    }
}

/// Reads inputs into memory that is kept.
pub fn read_inputs(r: &mut Reader, inputs: &mut Inputs) -> Result<(), Malformed> {
    inputs.efforts.clear();
    r.reals_onto(&mut inputs.efforts)?;
    inputs.wrenches.clear();
    for _ in 0..r.count(7)? {
        inputs.wrenches.push(Wrench { body: index(r)?, force: r.three()?, torque: r.three()? });
    }
    inputs.drives.clear();
    for _ in 0..r.count(7)? {
        inputs.drives.push(JointDrive {
            dof: index(r)?,
            kp: r.real()?,
            kd: r.real()?,
            target: r.real()?,
            target_speed: r.real()?,
            feed_forward: r.real()?,
            max_effort: r.real()?,
        });
    }
    Ok(())
}

fn index(r: &mut Reader) -> Result<usize, Malformed> {
    usize::try_from(r.whole()?).map_err(|e| e.to_string())
}

/// Appends guards.
pub fn write_guards(guards: &[Guard], out: &mut Writer) {
    out.whole(guards.len() as u64);
    for guard in guards {
        let (kind, index, axis) = match guard.watched {
            Watched::Position(i) => (0, i, 0),
            Watched::Speed(i) => (1, i, 0),
            Watched::BodyCoordinate { body, axis } => (2, body, axis),
            Watched::BodySpin { body, axis } => (3, body, axis),
            Watched::Gap(i) => (4, i, 0),
        };
        for x in [kind, index, axis] {
            out.whole(x as u64);
        }
        out.real(guard.level);
        out.signed(guard.direction.into());
    }
}

/// Reads guards.
pub fn read_guards(r: &mut Reader) -> Result<Vec<Guard>, Malformed> {
    let count = r.count(5)?;
    let mut guards = Vec::with_capacity(count);
    for _ in 0..count {
        let (kind, at, axis) = (r.whole()?, index(r)?, index(r)?);
        let watched = match kind {
            0 => Watched::Position(at),
            1 => Watched::Speed(at),
            2 => Watched::BodyCoordinate { body: at, axis },
            3 => Watched::BodySpin { body: at, axis },
            4 => Watched::Gap(at),
            other => return Err(format!("unknown kind of guard {other}")),
        };
        guards.push(Guard { watched, level: r.real()?, direction: r.signed()?.signum() as i8 });
    }
    Ok(guards)
}

/// Appends what an advance did.
pub fn write_advance(advance: &Advance, out: &mut Writer) {
    out.whole(advance.steps);
    out.whole(advance.solver.iterations.into());
    out.real(advance.solver.residual);
    out.whole(advance.solver.not_converged);
}

/// Reads what an advance did.
pub fn read_advance(r: &mut Reader) -> Result<Advance, Malformed> {
    let steps = r.whole()?;
    let iterations = u32::try_from(r.whole()?).unwrap_or(u32::MAX);
    let (residual, not_converged) = (r.real()?, r.whole()?);
    Ok(Advance { steps, solver: SolverOutcome { iterations, residual, not_converged } })
}

/// No body: the ground.
const GROUND: u64 = u64::MAX;

/// Appends contacts.
pub fn write_contacts(contacts: &[ContactSample], out: &mut Writer) {
    out.whole(contacts.len() as u64);
    for c in contacts {
        out.real(c.time);
        for body in [c.body_a, c.body_b] {
            out.whole(body.map_or(GROUND, u64::from));
        }
        out.plain(&c.point);
        out.plain(&c.normal);
        out.real(c.gap);
        out.plain(&c.impulse);
    }
}

/// Reads contacts, onto the end of `out`.
pub fn read_contacts(r: &mut Reader, out: &mut Vec<ContactSample>) -> Result<(), Malformed> {
    let body = |x: u64| u32::try_from(x).ok();
    for _ in 0..r.count(13)? {
        out.push(ContactSample {
            time: r.real()?,
            body_a: body(r.whole()?),
            body_b: body(r.whole()?),
            point: r.three()?,
            normal: r.three()?,
            gap: r.real()?,
            impulse: r.three()?,
        });
    }
    Ok(())
}

/// Appends rows.
pub fn write_rows(track: &Track, energies: &[f64], contacts: &[ContactSample], out: &mut Writer) {
    for column in [&track.times, &track.q, &track.v, &track.efforts, &track.poses, &track.twists, &track.gaps] {
        out.reals(column);
    }
    out.reals(energies);
    write_contacts(contacts, out);
}

/// Appends how a loop's run ended.
pub fn write_loop_end(end: &LoopEnd, out: &mut Writer) {
    let (kind, time, why) = match end {
        LoopEnd::Reached => (0, 0.0, ""),
        LoopEnd::Stopped => (1, 0.0, ""),
        LoopEnd::Trouble(trouble) => (2, trouble.time, trouble.reason.as_str()),
        LoopEnd::Failed(why) => (3, 0.0, why.as_str()),
    };
    out.whole(kind);
    out.real(time);
    out.text(why);
}

/// Reads how a loop's run ended.
pub fn read_loop_end(r: &mut Reader) -> Result<LoopEnd, Malformed> {
    let (kind, time, why) = (r.whole()?, r.real()?, r.text()?.to_string());
    match kind {
        0 => Ok(LoopEnd::Reached),
        1 => Ok(LoopEnd::Stopped),
        2 => Ok(LoopEnd::Trouble(StepError { time, reason: why })),
        3 => Ok(LoopEnd::Failed(why)),
        other => Err(format!("unknown end of a loop run: {other}")),
    }
}

/// Appends thresholds of the event log.
pub fn write_rules(rules: &EventRules, out: &mut Writer) {
    out.plain(&[
        rules.impact_speed,
        rules.rest_speed,
        rules.slip_speed,
        rules.stick_speed,
        rules.liftoff_gap,
        rules.debounce,
        rules.least_impulse,
        rules.near_miss_rise,
        rules.near_miss_gap,
        rules.limit_margin,
    ]);
    out.whole(u64::from(rules.merge == Merge::All));
}

/// Reads thresholds of the event log.
pub fn read_rules(r: &mut Reader) -> Result<EventRules, Malformed> {
    Ok(EventRules {
        impact_speed: r.real()?,
        rest_speed: r.real()?,
        slip_speed: r.real()?,
        stick_speed: r.real()?,
        liftoff_gap: r.real()?,
        debounce: r.real()?,
        least_impulse: r.real()?,
        near_miss_rise: r.real()?,
        near_miss_gap: r.real()?,
        limit_margin: r.real()?,
        merge: if r.whole()? == 1 { Merge::All } else { Merge::Any },
    })
}

/// Appends events.
pub fn write_events(events: &[Logged], out: &mut Writer) {
    out.whole(events.len() as u64);
    for Logged { step, event: e } in events {
        out.whole(*step);
        out.plain(&[e.time, e.time_error]);
        out.whole(e.substep.into());
        out.text(&e.pair);
        out.whole(e.ordinal.into());
        out.text(e.kind.name());
        out.plain(&[e.normal_speed, e.tangential_speed, e.normal_impulse, e.tangential_impulse, e.gap]);
    }
}

/// Reads events, onto the end of `out`.
pub fn read_events(r: &mut Reader, out: &mut Vec<Logged>) -> Result<(), Malformed> {
    let small = |x: u64| u32::try_from(x).map_err(|e| e.to_string());
    for _ in 0..r.count(12)? {
        let step = r.whole()?;
        let event = Event {
            time: r.real()?,
            time_error: r.real()?,
            substep: small(r.whole()?)?,
            pair: r.text()?.to_string(),
            ordinal: small(r.whole()?)?,
            kind: {
                let word = r.text()?;
                EventKind::named(word).ok_or_else(|| format!("unknown event '{word}'"))?
            },
            normal_speed: r.real()?,
            tangential_speed: r.real()?,
            normal_impulse: r.real()?,
            tangential_impulse: r.real()?,
            gap: r.real()?,
        };
        out.push(Logged { step, event });
    }
    Ok(())
}
