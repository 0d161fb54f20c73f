//! A restored run continues like the uninterrupted one.

use super::process::ResumeTask;
use super::repetition::scenes_in_reach;
use super::scenes::{self, Scene};
use super::trace::{Trace, follow};
use super::{Claim, Evidence, Subject};
use crate::capability::Fidelity;
use crate::contract::{LoadOptions, Simulation};
use crate::random::{Purpose, Stream};
use crate::settings::{SettingKind, Settings};

pub(super) const SAME: Claim = Claim {
    name: "snapshot-same",
    says: "Restored into the simulation it came from, a snapshot continues like the uninterrupted run.",
    run: same,
};

pub(super) const FORK: Claim = Claim {
    name: "snapshot-fork",
    says: "Restored into a second simulation, a snapshot continues like the uninterrupted run.",
    run: fork,
};

pub(super) const FRESH_PROCESS: Claim = Claim {
    name: "snapshot-fresh-process",
    says: "Restored in another process, a snapshot continues like the uninterrupted run.",
    run: fresh_process,
};

pub(super) const DAMAGED: Claim = Claim {
    name: "snapshot-damaged",
    says: "A snapshot that is cut short or has a wrong bit is an error and changes nothing.",
    run: damaged,
};

pub(super) const FOREIGN: Claim = Claim {
    name: "snapshot-foreign",
    says: "A snapshot of another world, step or setting is an error and changes nothing.",
    run: foreign,
};

const BEFORE: u64 = 30;
const AFTER: u64 = 30;

/// A run with a snapshot taken in the middle.
struct Saved {
    /// At the run's end.
    simulation: Box<dyn Simulation>,
    bytes: Vec<u8>,
    second_half: Trace,
}

fn interrupted(subject: &Subject<'_>, scene: &Scene) -> Result<Saved, String> {
    let mut simulation = subject.load(&scene.world)?;
    simulation.set_state(0.0, &scene.q, &scene.v).map_err(|e| e.to_string())?;
    follow(simulation.as_mut(), &scene.inputs, subject.step_s, 0..BEFORE, 0.0)?;
    let mut bytes = Vec::new();
    simulation.snapshot(&mut bytes);
    let second_half = follow(simulation.as_mut(), &scene.inputs, subject.step_s, BEFORE..BEFORE + AFTER, 0.0)?;
    Ok(Saved { simulation, bytes, second_half })
}

/// Runs `go_on` from each scene's snapshot and compares the difference with the one the engine publishes.
fn compare(
    subject: &Subject<'_>,
    go_on: impl Fn(&str, &Scene, Box<dyn Simulation>, &[u8]) -> Result<Trace, String>,
) -> Result<Evidence, String> {
    let fidelity = subject.capabilities().snapshot;
    let mut measured = 0.0f64;
    for (name, scene) in scenes_in_reach(subject) {
        let Saved { simulation, bytes, second_half: uninterrupted } = interrupted(subject, &scene)?;
        if fidelity == Fidelity::None {
            let mut other = subject.load(&scene.world)?;
            return match other.restore(&bytes) {
                Err(_) => Ok(Evidence::DoesNotApply("the engine declares no snapshots".to_string())),
                Ok(()) => Err("the engine declares no snapshots, but accepts one".to_string()),
            };
        }
        let restored = go_on(name, &scene, simulation, &bytes).map_err(|e| format!("{name}: {e}"))?;
        let apart = uninterrupted.distance(&restored);
        if fidelity == Fidelity::Exact && restored != uninterrupted {
            return Err(format!(
                "{name}: exact is claimed; positions end {apart:e} apart, or bits of the rest differ"
            ));
        }
        measured = measured.max(apart);
    }
    match fidelity {
        Fidelity::Approximate { difference } => {
            let honest = difference > 0.0 && measured <= difference && difference <= 10.0 * measured;
            let text = format!("{difference:e} is published, {measured:e} was measured");
            if honest { Ok(Evidence::Holds(text)) } else { Err(text) }
        }
        _ => Ok(Evidence::Holds("the same bits".to_string())),
    }
}

fn go_on(
    subject: &Subject<'_>,
    scene: &Scene,
    simulation: &mut dyn Simulation,
    bytes: &[u8],
) -> Result<Trace, String> {
    simulation.restore(bytes).map_err(|e| e.to_string())?;
    follow(simulation, &scene.inputs, subject.step_s, BEFORE..BEFORE + AFTER, 0.0)
}

fn same(subject: &Subject<'_>) -> Result<Evidence, String> {
    compare(subject, |_, scene, mut simulation, bytes| go_on(subject, scene, simulation.as_mut(), bytes))
}

fn fork(subject: &Subject<'_>) -> Result<Evidence, String> {
    compare(subject, |_, scene, _, bytes| {
        // Straight after loading, and after another motion.
        let mut second = subject.load(&scene.world)?;
        let first = go_on(subject, scene, second.as_mut(), bytes)?;
        second.set_state(3.0, &scene.q, &scene.v).map_err(|e| e.to_string())?;
        follow(second.as_mut(), &scene.inputs, subject.step_s, 0..3, 3.0)?;
        let again = go_on(subject, scene, second.as_mut(), bytes)?;
        if first != again && subject.capabilities().snapshot == Fidelity::Exact {
            return Err(format!("two forks of one snapshot end {:e} apart", first.distance(&again)));
        }
        Ok(first)
    })
}

fn fresh_process(subject: &Subject<'_>) -> Result<Evidence, String> {
    let Some(run) = subject.host.fresh_process else {
        return Ok(Evidence::DoesNotApply("this program cannot start itself again".to_string()));
    };
    compare(subject, |name, _, _, bytes| {
        let task = ResumeTask {
            spec: subject.settings.full_spec(),
            scene: name.to_string(),
            step_s: subject.step_s,
            pieces: [BEFORE, AFTER],
            snapshot: bytes.to_vec(),
        };
        let answer = run(&task)?;
        Trace::from_bytes(&answer).ok_or_else(|| "the other process returned an invalid trace".to_string())
    })
}

/// Tries to restore bytes that must be rejected without changing the state.
fn refuse(simulation: &mut dyn Simulation, bytes: &[u8], what: &str) -> Result<(), String> {
    let mut before = Trace::default();
    before.look(simulation);
    if simulation.restore(bytes).is_ok() {
        return Err(format!("{what} was accepted"));
    }
    let mut after = Trace::default();
    after.look(simulation);
    if before == after { Ok(()) } else { Err(format!("{what} was rejected but changed the state")) }
}

/// Continues after rejected snapshots and compares with a run without them.
fn unharmed(subject: &Subject<'_>, scene: &Scene, simulation: &mut dyn Simulation) -> Result<(), String> {
    let mut untouched = interrupted(subject, scene)?.simulation;
    let range = BEFORE + AFTER..BEFORE + AFTER + 5;
    let expected = follow(untouched.as_mut(), &scene.inputs, subject.step_s, range.clone(), 0.0)?;
    let found = follow(simulation, &scene.inputs, subject.step_s, range, 0.0)?;
    if found == expected { Ok(()) } else { Err("rejected snapshots changed the motion that followed".to_string()) }
}

fn damaged(subject: &Subject<'_>) -> Result<Evidence, String> {
    if subject.capabilities().snapshot == Fidelity::None {
        return Ok(Evidence::DoesNotApply("the engine has no snapshots".to_string()));
    }
    let scene = scenes::double_pendulum();
    let Saved { mut simulation, bytes, .. } = interrupted(subject, &scene)?;
    // Every truncation of short snapshots, a thousand of long ones.
    let stride = (bytes.len() / 1000).max(1);
    for cut in (0..bytes.len()).step_by(stride) {
        refuse(simulation.as_mut(), &bytes[..cut], &format!("a snapshot cut to {cut} of {} bytes", bytes.len()))?;
    }
    let random = Stream::new(1, 0, 0, Purpose::Statistics);
    for flip in 0..1000 {
        let mut wrong = bytes.clone();
        let bit = random.bits(flip, 0)[0] as usize % (8 * bytes.len());
        wrong[bit / 8] ^= 1 << (bit % 8);
        refuse(simulation.as_mut(), &wrong, &format!("a snapshot with bit {bit} flipped"))?;
    }
    let longer = [bytes.as_slice(), &[0]].concat();
    refuse(simulation.as_mut(), &longer, "a snapshot with a byte too many")?;
    unharmed(subject, &scene, simulation.as_mut())?;
    Ok(Evidence::Holds(format!(
        "{} truncations and 1000 flipped bits of {} bytes refused",
        bytes.len().div_ceil(stride),
        bytes.len()
    )))
}

fn foreign(subject: &Subject<'_>) -> Result<Evidence, String> {
    if subject.capabilities().snapshot == Fidelity::None {
        return Ok(Evidence::DoesNotApply("the engine has no snapshots".to_string()));
    }
    let scene = scenes::double_pendulum();
    let mut simulation = interrupted(subject, &scene)?.simulation;
    let mut tried = Vec::new();
    let mut offer = |simulation: &mut dyn Simulation, mut other: Box<dyn Simulation>, what: String| {
        let mut bytes = Vec::new();
        other.bodies(&mut vec![super::trace::NOWHERE(); other.layout().bodies.len()]);
        other.snapshot(&mut bytes);
        refuse(simulation, &bytes, &what).map(|()| tried.push(what))
    };
    offer(simulation.as_mut(), subject.load(&scenes::tumbling().world)?, "a snapshot of another world".to_string())?;
    let mut heavier = scene.world.clone();
    heavier.gravity.z = -9.82;
    offer(simulation.as_mut(), subject.load(&heavier)?, "a snapshot under another gravity".to_string())?;
    let other_step = Subject { step_s: 0.5 * subject.step_s, ..*subject };
    offer(simulation.as_mut(), other_step.load(&scene.world)?, "a snapshot with another step".to_string())?;
    for settings in other_settings(subject) {
        let options = LoadOptions { step_s: subject.step_s };
        if let Ok(other) = subject.engine.load(&scene.world, &settings, &options) {
            offer(simulation.as_mut(), other, format!("a snapshot of {}", settings.full_spec()))?;
        }
    }
    let foreign: [&[u8]; 3] = [b"", b"not a snapshot at all, but long enough to look like one", &[0; 4096]];
    for bytes in foreign {
        refuse(simulation.as_mut(), bytes, "bytes that are not a snapshot")?;
    }
    unharmed(subject, &scene, simulation.as_mut())?;
    Ok(Evidence::Holds(format!("{} foreign snapshots rejected", tried.len())))
}

/// The subject's settings with one of them changed: choices to every other value, numbers to their bounds.
fn other_settings(subject: &Subject<'_>) -> Vec<Settings> {
    let mut out = Vec::new();
    for setting in subject.settings.known() {
        let now = subject.settings.text(setting.key);
        let others: Vec<String> = match setting.kind {
            SettingKind::Choice(words) => words.iter().filter(|w| **w != now).map(ToString::to_string).collect(),
            SettingKind::Integer(low, high) => {
                [low, high].iter().map(ToString::to_string).filter(|x| x != now).collect()
            }
            SettingKind::Real(low, high) => {
                [low, high].iter().map(|x| format!("{x:?}")).filter(|x| x != now).collect()
            }
        };
        for other in others.into_iter().take(4) {
            let spec = super::refusals::with(subject, setting.key, &other);
            let resolved = spec.parse().ok().and_then(|spec| subject.engine.resolve(&spec).ok());
            out.extend(resolved.filter(|r| r != subject.settings));
        }
    }
    out
}
