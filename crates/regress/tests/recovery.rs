//! Recordings whose truth is known: the offset is found within the stated interval, and another robot is not explained.
//!
//! Training runs and recordings are simulated by the native engine from different starts in the enclosure; recordings
//! get the noise of motion capture. Training rows are computed from poses with the same noise: features are
//! differences, and noise is part of them.

use veracity_engine::Engine;
use veracity_measure::Verdict;
use veracity_model::Overrides;
use veracity_regress::assess::{AssessOptions, Assessment, Learned, Side};
use veracity_regress::carried::{CarriedOptions, carried};
use veracity_regress::simulate::{Subject, simulate, with_noise};
use veracity_regress::svr::Settings;
use veracity_regress::{ModelKind, Motion, Rows};
use veracity_scenario::{LoadOptions, Scenario};

const OFFSET: &str = "world/weazelball/parameters/offset";
/// Motion capture of a small body: half a millimetre, a third of a degree.
const NOISE: (f64, f64) = (0.5e-3, 0.005);

fn full() -> bool {
    std::env::var("VERACITY_FULL").is_ok()
}

fn rolled(offset: f64, run: u32, seconds: f64, change: &[(&str, f64)]) -> Motion {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../studies/weazelball/scenario/weazelball_rolls.toml");
    let mut scenario = Scenario::load(file.as_ref(), &LoadOptions::default()).unwrap();
    scenario.duration_ns = (seconds * 1e9) as i64;
    let engine = &veracity_engine_native::ENGINE;
    let settings = engine.resolve(&"native:paradigm=stepping".parse().unwrap()).unwrap();
    let mut overrides = Overrides::new();
    overrides.insert(OFFSET, offset);
    // In the joint's frame x is up.
    overrides.insert("start/q/weazelball/world_to_shell/y", 0.08 * f64::from(3 * run % 7) - 0.24);
    overrides.insert("start/q/weazelball/world_to_shell/z", 0.09 * f64::from(run % 5) - 0.18);
    change.iter().for_each(|(path, value)| {
        overrides.insert(*path, *value);
    });
    let subject = Subject { body: "shell".into(), joint: Some("motor_joint".into()) };
    let name = format!("offset {offset:+} run {run}");
    let motion = simulate(engine, &settings, &scenario, &overrides, &subject, &name, &[offset]).unwrap();
    let seed = (offset * 16.0 + 1000.0) as u64 * 100 + u64::from(run);
    with_noise(motion, NOISE.0, NOISE.1, seed)
}

/// Runs of each value: a single recorded run can be beyond chance at 5 % only with at least 19 held-out pieces.
const RUNS: u32 = 5;

fn training(seconds: f64) -> (Vec<Motion>, Rows) {
    let offsets: &[i32] = if full() { &[-4, -3, -2, -1, 0, 1, 2, 3, 4] } else { &[-4, -2, 0, 2, 4] };
    let motions: Vec<Motion> = offsets
        .iter()
        .flat_map(|offset| (0..RUNS).map(move |run| rolled(f64::from(*offset), run, seconds, &[])))
        .collect();
    let rows = carried(&motions, &features()).rows;
    (motions, rows)
}

fn features() -> CarriedOptions {
    CarriedOptions { every: if full() { 6 } else { 10 }, ..CarriedOptions::default() }
}

fn look(learned: &Learned<'_>, recording: &[Motion]) -> Assessment {
    learned.ask(Side { rows: &carried(recording, &features()).rows, motions: recording }).unwrap()
}

fn options() -> AssessOptions {
    let settings = Settings { gamma: 0.05, c: 10.0, epsilon: 0.1, tolerance: 1e-2, ..Settings::default() };
    AssessOptions {
        model: ModelKind::Svr(settings),
        gamma: 0.05,
        blocks: 5,
        gap: 20,
        permutations: 0,
        permutation_rows: 1000,
        confidence: 0.95,
        seed: 0,
        expected: None,
    }
}

#[test]
fn a_known_offset_is_found_and_another_robot_is_not_explained() {
    let seconds = if full() { 30.0 } else { 20.0 };
    let (motions, rows) = training(seconds);
    let learned = Learned::new(Side { rows: &rows, motions: &motions }, 0, &options(), &mut |_, _, _| ()).unwrap();
    let truths: &[f64] = if full() { &[-2.5, 0.0, 1.5, 3.0] } else { &[1.0] };
    for (k, truth) in truths.iter().enumerate() {
        let runs = [0, 1].map(|run| rolled(*truth, 7 + 2 * k as u32 + run, seconds, &[]));
        let found = look(&learned, &runs);
        println!(
            "ACCEPT regress-recovers-{k}: offset {truth} found as {:.2} ({:.2} to {:.2}), {} rows, honest error {:.2} ± {:.2} \
             (always the mean: {:.2}), {:.1} % out of reach, {}, {}: {}",
            found.estimate.estimate,
            found.estimate.low,
            found.estimate.high,
            found.predictions.len(),
            found.error.estimate,
            found.error.half_width(),
            found.constant_error,
            100.0 * found.support.out_of_reach,
            found.explanation.sentence(),
            found.verdict,
            found.reasons.join("; ")
        );
        assert!(found.estimate.holds(*truth), "{truth}: {:?}", found.estimate);
        assert_eq!(found.verdict, Verdict::Accepted, "{:?}", found.reasons);
        // The interval is informative: less than a third of the training range.
        assert!(found.estimate.half_width() < 8.0 / 3.0, "{:?}", found.estimate);
    }

    // How often no value explains a recording, and how often the interval misses the truth: values between those of the
    // grid, recordings of one run and of two.
    let truths: Vec<f64> =
        if full() { (0..16).map(|k| 0.5 * f64::from(k) - 3.75).collect() } else { vec![-2.5, 2.5] };
    let seeds = if full() { 3 } else { 1 };
    let (mut asked, mut alarms, mut missed) = (0, [0, 0], 0);
    for (k, truth) in truths.iter().enumerate() {
        for seed in 0..seeds {
            let first = 20 + 2 * (k as u32 * seeds + seed);
            let runs = [first, first + 1].map(|run| rolled(*truth, run, seconds, &[]));
            asked += 1;
            for (number, of) in [(0, &runs[..1]), (1, &runs[..])] {
                let found = look(&learned, of);
                alarms[number] += u32::from(!found.explanation.explained);
                missed += u32::from(number == 1 && !found.estimate.holds(*truth));
            }
        }
    }
    println!(
        "ACCEPT regress-recovers-rates: of {asked} made-up recordings at offsets between -3.75 and 3.75, {} of one run and {} of two runs \
         are explained by no value (stated: at most 5 %); {missed} of the 95 % intervals miss the truth",
        alarms[0], alarms[1]
    );
    // Of 48 with a probability of 5 % each, more than 7 occur about once in 350 times.
    let most = if full() { 7 } else { 1 };
    assert!(alarms.iter().all(|n| *n <= most) && missed <= most, "{alarms:?} {missed}");

    // Other robots and other worlds: a shell three times as heavy on a slippery floor, a shell twice as heavy, Mars.
    let shell = |factor: f64| ("world/weazelball/bodies/shell/mass", factor * 0.05);
    let slippery = ["0", "1"].map(|k| format!("world/weazelball/materials/shell~1ball/friction/{k}"));
    let strangers: [(&str, Vec<(&str, f64)>); 3] = [
        ("heavy and slippery", vec![shell(3.0), (&slippery[0], 0.05), (&slippery[1], 0.05)]),
        ("twice the mass", vec![shell(2.0)]),
        ("gravity 3.7", vec![("world/gravity/z", -3.7)]),
    ];
    for (k, (name, change)) in strangers.iter().enumerate() {
        for number in [1, 2] {
            let first = 8 + number + 4 * k as u32;
            let runs: Vec<Motion> = (first..first + number).map(|run| rolled(0.0, run, seconds, change)).collect();
            let found = look(&learned, &runs);
            println!(
                "ACCEPT regress-recovers-stranger-{k}-{number}: {name}, {number} runs, {}: {} (estimate {:.2}, {:.1} % out of \
                 reach; {})",
                found.verdict,
                found.reasons.join("; "),
                found.estimate.estimate,
                100.0 * found.support.out_of_reach,
                found.explanation.sentence()
            );
            // The other two are printed only: one run of 20 s with twice the mass moves within the variation of training
            // and is not found.
            if k > 0 {
                continue;
            }
            assert_eq!(found.verdict, Verdict::CannotTell, "{name}");
            // It is refused because it is unlike every value, and not for lack of pieces, which would refuse any
            // recording. One run of it leaves twelve rows away from walls, too few to compare.
            let compared = number == 1 || !found.explanation.cannot_tell();
            assert!(!found.explanation.explained && compared, "{name}: {:?}", found.explanation);
        }
    }
}
