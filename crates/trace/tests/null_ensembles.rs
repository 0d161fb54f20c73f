//! Ensembles in which behaviour does not divide: timing jitter only, permuted simultaneous footfalls, chattering contact. At 5 % each
//! detector may raise at most 16 alarms in 200 repetitions (97.5 % binomial bound). And one in which it does: the published curb.

use std::path::Path;
use veracity_engine::random::{Purpose, Stream};
use veracity_record::{Event, EventKind};
use veracity_scenario::{LoadOptions, TraceSetup};
use veracity_trace::symbols::{TOLERANCES, symbols};
use veracity_trace::{Analysis, Bundle, Fate, Particle, Summary, analyse};

fn setup() -> TraceSetup {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/ball_over_wall/trace.toml");
    TraceSetup::load(&file, &LoadOptions::default()).unwrap_or_else(|findings| panic!("{findings}"))
}

fn event(time: f64, pair: &str) -> Event {
    Event {
        time,
        time_error: 0.0,
        substep: 0,
        pair: pair.to_string(),
        ordinal: 1,
        kind: EventKind::Impact,
        normal_speed: 0.1,
        tangential_speed: 0.0,
        normal_impulse: 0.1,
        tangential_impulse: 0.0,
        gap: 0.0,
    }
}

/// Makes the events of a particle from its random stream.
type Events<'a> = &'a dyn Fn(&Stream) -> Vec<Event>;
/// The same by the particle's number, with the shift of its final state.
type Shifted<'a> = &'a dyn Fn(u64, &Stream) -> (Vec<Event>, f64);

/// An ensemble of `n` particles; `log` makes the events and the shift of the final state of each from its random stream.
fn ensemble(setup: &TraceSetup, run: u64, n: u64, log: Shifted) -> Analysis {
    let particle = |k: u64| {
        let stream = Stream::new(71, run * 10_000 + k, 0, Purpose::Statistics);
        let (mut events, shift) = log(k, &stream);
        events.sort_by(|a, b| a.time.total_cmp(&b.time));
        let outcome = if shift > 0.0 { "strikes" } else { "clears" };
        let mut summary = Summary::without_run(Fate::Outcome(outcome.into()));
        summary.symbols = TOLERANCES.map(|t| symbols(&events, &setup.events, t));
        summary.end_s = 2.0;
        // A smooth margin, and final states with one mode.
        let values: Vec<f64> = (0..2).map(|lane| stream.normal(1, lane)).collect();
        summary.margin = Some(1.0 + 0.1 * values[0]);
        summary.last_q = (0..4).map(|lane| stream.normal(2, lane) + 0.3 * values[0] + shift).collect();
        Particle { number: k, values, summary }
    };
    analyse(setup, &Bundle::of(&(0..=n).map(particle).collect::<Vec<_>>()))
}

const FEET: [&str; 4] = ["RH ground", "LH ground", "RF ground", "LF ground"];

/// Footfalls a quarter of a second apart with jitter.
fn walk(stream: &Stream) -> Vec<Event> {
    (0..8)
        .map(|i| event(0.25 * (f64::from(i) + 1.0) + 0.01 * stream.normal(3, i as u32), FEET[i as usize % 4]))
        .collect()
}

/// Diagonal feet land together, in any order.
fn trot(stream: &Stream) -> Vec<Event> {
    (0..4)
        .flat_map(|i| {
            let at = 0.4 * (f64::from(i) + 1.0) + 0.01 * stream.normal(3, i as u32);
            // Within half of the least tolerance of 2.5 ms.
            let apart = 0.001 * (stream.uniform(4, i as u32) - 0.5);
            let pair = if i % 2 == 0 { [FEET[0], FEET[3]] } else { [FEET[1], FEET[2]] };
            [event(at, pair[0]), event(at + apart, pair[1])]
        })
        .collect()
}

/// Every footfall chatters a few times within milliseconds.
fn chatter(stream: &Stream) -> Vec<Event> {
    let mut out = Vec::new();
    for (i, fall) in walk(stream).iter().enumerate() {
        let bounces = (5.0 * stream.uniform(5, i as u32)) as u32;
        out.push(fall.clone());
        out.extend((1..=bounces).map(|b| event(fall.time + 0.003 * f64::from(b), &fall.pair)));
    }
    out
}

#[test]
fn null_ensembles_raise_few_alarms() {
    let setup = setup();
    let full = std::env::var_os("VERACITY_FULL").is_some();
    // 200 repetitions at 5 %: 16. Shortened, 60: 7 (the same tail).
    let (repetitions, most) = if full { (200, 16) } else { (60, 7) };
    let kinds: [(&str, Events); 3] = [("jitter", &walk), ("permuted", &trot), ("chatter", &chatter)];
    for (name, log) in kinds {
        let mut alarms: std::collections::BTreeMap<&str, usize> = Default::default();
        for run in 0..repetitions {
            for found in ensemble(&setup, run, 40, &|_, stream| (log(stream), 0.0)).detections {
                *alarms.entry(found.detector).or_default() += usize::from(found.alarm);
            }
        }
        println!("ACCEPT trace-null-{name}: alarms of {repetitions}: {alarms:?}");
        assert_eq!(alarms.len(), veracity_trace::detectors::DETECTORS.len());
        assert!(alarms.values().all(|count| *count <= most), "{name}: {alarms:?}");
    }
}

#[test]
fn the_published_curb_is_found_with_24_particles() {
    let setup = setup();
    // Every third particle strikes with its right front foot and ends elsewhere; seeds as the curb study has them.
    let curb = |strikes: &dyn Fn(u64) -> bool, run: u64| {
        ensemble(&setup, run, 24, &|k, stream| {
            let mut events = walk(stream);
            if strikes(k) {
                events.push(event(0.65, "RF obstacle"));
            }
            (events, if strikes(k) { 8.0 } else { 0.0 })
        })
    };
    for name in ["branches", "event_clusters", "entropy", "modes", "normal_parts", "agreement"] {
        let seen = |analysis: &Analysis| analysis.detections.iter().any(|d| d.detector == name && d.alarm);
        let found = (0..20).filter(|&run| seen(&curb(&|k| k % 3 == 0, run))).count();
        assert!(found >= 18, "{name}: {found} of 20");
    }
    // The same event without a consequence is a graze that re-joins.
    let harmless = ensemble(&setup, 3, 24, &|k, stream| {
        let mut events = walk(stream);
        events.extend((k % 3 == 0).then(|| event(0.65, "RF obstacle")));
        (events, 0.0)
    });
    assert!(!harmless.splits.is_empty() && harmless.splits.iter().all(|s| !s.lasting), "{:?}", harmless.splits);
}
