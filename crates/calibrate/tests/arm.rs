//! An arm driven by recorded torques, and a cube thrown onto a table: known parameters are found within intervals that
//! cover at the stated rate; recordings that contradict each other are named; settings are searched for.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use veracity_calibrate::{Calibration, CalibrationFit, CheapestSettings, cheapest, fit};
use veracity_engine::Engine;
use veracity_engine::random::{Purpose, Stream};
use veracity_lab::{Engines, Lab, Session, SessionSetup, Store, Threads};
use veracity_measure::Verdict;
use veracity_model::Overrides;
use veracity_record::Record;
use veracity_scenario::{LoadOptions, Scenario};

const ENGINES: &[&'static dyn Engine] = &[&veracity_engine_native::ENGINE];
const STUDIES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../studies");

fn full() -> bool {
    std::env::var("VERACITY_FULL").is_ok()
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("calibrate-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn with_lab<T>(folder: &Path, work: impl FnOnce(&Lab<'_>) -> T) -> T {
    let store = Store::open(&folder.join("store")).unwrap();
    let executor = Threads::new(2).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let lab = Lab {
        engines: Engines { list: ENGINES, build: "test" },
        store: &store,
        executor: &executor,
        stop,
        fresh: false,
    };
    let out = work(&lab);
    drop(lab);
    store.close().unwrap();
    out
}

fn run(folder: &Path, text: &str) -> CalibrationFit {
    let file = Calibration::parse(text, "test.toml").unwrap_or_else(|e| panic!("{e}"));
    with_lab(folder, |lab| fit(&file, folder, None, None, lab)).unwrap_or_else(|e| panic!("{e}"))
}

fn simulate(scenario: &Scenario, spec: &str) -> Record {
    let engine = &veracity_engine_native::ENGINE;
    let settings = engine.resolve(&spec.parse().unwrap()).unwrap();
    let (step_ns, scenario) = (scenario.step_ns, Arc::new(scenario.clone()));
    let setup = SessionSetup { scenario, overrides: Vec::new(), step_ns, seed: 0, index: 0 };
    let mut session = Session::open(engine, &settings, setup).unwrap_or_else(|e| panic!("{:?}", e.0));
    session.run_to_end();
    session.finish()
}

fn with(scenario: &Scenario, set: &[(&str, f64)]) -> Scenario {
    let mut overrides = Overrides::new();
    set.iter().for_each(|(path, value)| overrides.insert(*path, *value));
    scenario.with(&overrides).unwrap_or_else(|e| panic!("{e}"))
}

const ARM: [&str; 4] = [
    "world/double_pendulum/joints/shoulder/friction",
    "world/double_pendulum/joints/shoulder/damping",
    "world/double_pendulum/joints/elbow/friction",
    "world/double_pendulum/joints/elbow/armature",
];

/// Torques of an excitation, [N m].
fn torques(t: f64, seed: u64) -> [f64; 2] {
    let phase = 0.7 * seed as f64;
    [
        0.9 * libm::sin(6.0 * t + phase) + 0.4 * libm::sin(15.0 * t),
        0.5 * libm::sin(9.0 * t - phase) + 0.2 * libm::sin(23.0 * t),
    ]
}

/// A recording of the arm: torques as commanded, positions with noise. The torques act `delay` later.
fn record_arm(truth: &[f64; 4], delay: f64, sigma: f64, seed: u64, path: &Path) {
    let file = format!("{STUDIES}/double_pendulum/scenario/double_pendulum.toml");
    let scenario = Scenario::load(file.as_ref(), &LoadOptions::default()).unwrap();
    let set: Vec<(&str, f64)> = ARM.iter().copied().zip(*truth).chain([("duration_s", 1.0)]).collect();
    let mut scenario = with(&scenario, &set);
    let rows: Vec<f64> = (0..=260).map(|k| 0.004 * f64::from(k)).collect();
    let list = |values: Vec<f64>| values.iter().map(|x| format!("{x:?}")).collect::<Vec<_>>().join(", ");
    let times = list(std::iter::once(0.0).chain(rows.iter().map(|t| ((t + delay) * 1e9).round() * 1e-9)).collect());
    let values = |j: usize| {
        list(std::iter::once(torques(0.0, seed)[j]).chain(rows.iter().map(|t| torques(*t, seed)[j])).collect())
    };
    let text = format!(
        "name = \"replay\"\nkind = \"schedule\"\n[efforts.shoulder]\ntimes_s = [{times}]\nvalues = [{}]\ninterpolation = \"linear\"\n\
         [efforts.elbow]\ntimes_s = [{times}]\nvalues = [{}]\ninterpolation = \"linear\"\n",
        values(0),
        values(1)
    );
    scenario.controllers.push(toml::from_str(&text).unwrap());
    let record = simulate(&scenario, "native:paradigm=stepping");
    let stream = Stream::new(seed, 5, 0, Purpose::SensorNoise);
    let mut text = "time_s,q1,q2,tau1,tau2\n".to_owned();
    for t in &rows {
        let row = record.track.times.iter().position(|x| (x - t).abs() < 1e-6);
        let position = |j: usize| match row {
            Some(row) => format!("{:?}", record.track.q(row)[j] + sigma * stream.normal(row as u64, j as u32)),
            None => String::new(),
        };
        let tau = torques(*t, seed);
        text += &format!("{t:?},{},{},{:?},{:?}\n", position(0), position(1), tau[0], tau[1]);
    }
    std::fs::write(path, text).unwrap();
}

fn arm_file(recordings: &[&str], extra: &str) -> String {
    let parameter = |path: &str, low: f64, high: f64| {
        format!("[[parameters]]\npath = \"{path}\"\nlow = {low}\nhigh = {high}\nscale = \"log\"\n")
    };
    let bounds = [(0.02, 0.5), (0.005, 0.2), (0.02, 0.5), (0.0005, 0.02)];
    let parameters: String = ARM.iter().zip(bounds).map(|(p, (low, high))| parameter(p, low, high)).collect();
    let recording = |file: &&str| {
        let held = if file.starts_with("held") { "hold_out = true\n" } else { "" };
        format!(
            "[[recordings]]\nfile = \"{file}\"\n{held}set = {{ duration_s = 1 }}\n\
             [[recordings.replay]]\ncolumn = \"tau1\"\neffort_of = \"shoulder\"\nbetween = \"linear\"\n\
             [[recordings.replay]]\ncolumn = \"tau2\"\neffort_of = \"elbow\"\nbetween = \"linear\"\n\
             [[recordings.channels]]\nposition_of_joint = \"shoulder\"\ncolumns = [\"q1\"]\nsigma = 0.003\n\
             [[recordings.channels]]\nposition_of_joint = \"elbow\"\ncolumns = [\"q2\"]\nsigma = 0.003\n"
        )
    };
    let recordings: String = recordings.iter().map(recording).collect();
    format!(
        "schema = 1\nname = \"arm\"\ntitle = \"arm\"\nscenario = \"{STUDIES}/double_pendulum/scenario/double_pendulum.toml\"\n\
         engine = \"native:paradigm=stepping\"\n{parameters}\
         [[parameters]]\ninput = \"delay_s\"\nlow = -0.01\nhigh = 0.03\n{recordings}\
         [search]\nstarts = 3\nrefine = 1\n{extra}"
    )
}

#[test]
fn friction_damping_armature_and_delay_of_an_arm_are_found_at_the_stated_rate() {
    let folder = folder("arm");
    let repetitions = if full() { 100 } else { 3 };
    let mut covered = [0; 5];
    for k in 0..repetitions {
        let truth = [0.1 + 0.001 * k as f64, 0.03, 0.08 + 0.0005 * k as f64, 0.003];
        let delay = 0.0043 + 0.0001 * k as f64;
        record_arm(&truth, delay, 0.003, 2 * k, &folder.join("a.csv"));
        record_arm(&truth, delay, 0.003, 2 * k + 1, &folder.join("held.csv"));
        let found = run(&folder, &arm_file(&["a.csv", "held.csv"], ""));
        for (i, truth) in truth.iter().chain([&delay]).enumerate() {
            let p = &found.parameters[i];
            covered[i] += u32::from((p.low..=p.high).contains(truth));
            assert!(p.determined, "{p:?}");
        }
        // A tenth of a millisecond, where rows are 4 ms apart.
        assert!((found.parameters[4].estimate - delay).abs() < 5e-4, "{:?} of {delay}", found.parameters[4]);
        assert_eq!(found.verdict, Verdict::Accepted, "{:?}", found.reasons);
    }
    println!(
        "ACCEPT calibrate-arm: of {repetitions} simulated recordings, 95 % intervals cover friction of the shoulder in {}, its damping in {}, \
         friction of the elbow in {}, its armature in {}, the delay in {}",
        covered[0], covered[1], covered[2], covered[3], covered[4]
    );
    // At full size the stated 90 to 99 of 100; of three at 95 %, fewer than one occurs once in 8000 times.
    let range = if full() { 90..=99 } else { 1..=3 };
    assert!(covered.iter().all(|n| range.contains(n)), "{covered:?}");
}

#[test]
fn recordings_that_contradict_each_other_are_named_and_a_profile_agrees_with_the_curvature() {
    let folder = folder("contradiction");
    let truth = [0.1, 0.03, 0.08, 0.003];
    for (name, seed, friction) in [("a.csv", 1, 0.1), ("b.csv", 2, 0.1), ("c.csv", 3, 0.13)] {
        record_arm(&[friction, truth[1], truth[2], truth[3]], 0.004, 0.003, seed, &folder.join(name));
    }
    let found = run(&folder, &arm_file(&["a.csv", "b.csv"], "profile = true\n"));
    assert!(found.contradictions.is_empty(), "{:?}", found.contradictions);
    assert_eq!(found.verdict, Verdict::Accepted, "{:?}", found.reasons);
    let curved = run(&folder, &arm_file(&["a.csv", "b.csv"], ""));
    for (p, c) in found.parameters.iter().zip(&curved.parameters) {
        // The model is nearly linear within the intervals: their lengths differ by less than a fifth.
        let ratio = (p.high - p.low) / (c.high - c.low);
        assert!((0.8..1.25).contains(&ratio), "{ratio}: {p:?} {c:?}");
    }
    let found = run(&folder, &arm_file(&["a.csv", "b.csv", "c.csv"], ""));
    let said = found.contradictions.join("; ");
    assert!(
        said.contains("c.csv contradicts the other recordings") && said.contains("shoulder/friction"),
        "{said} {found:?}"
    );
    assert_eq!(found.verdict, Verdict::CannotTell);
}

const CUBE: [&str; 2] =
    ["world/cube/materials/cube~1faces/friction/0", "world/cube/materials/cube~1faces/restitution"];
const CUBE_ALSO: [&[&str]; 2] = [
    &[
        "world/cube/materials/cube~1faces/friction/1",
        "world/table/materials/table~1top/friction/0",
        "world/table/materials/table~1top/friction/1",
    ],
    &["world/table/materials/table~1top/restitution"],
];

/// A cube that lands flat with a speed along the table: it bounces and slides.
const THROW: [(&str, f64); 4] = [
    ("duration_s", 0.33783800),
    ("start/q/cube/world_to_cube/z", 0.0824),
    ("start/v/cube/world_to_cube/3", 0.8),
    ("start/v/cube/world_to_cube/5", -1.5),
];

fn record_cube(truth: [f64; 2], seed: u64, path: &Path) {
    let file = format!("{STUDIES}/cube_toss/scenario/cube_toss.toml");
    let scenario = Scenario::load(file.as_ref(), &LoadOptions::default()).unwrap();
    let mut set = THROW.to_vec();
    for i in 0..2 {
        set.extend(std::iter::once(&CUBE[i]).chain(CUBE_ALSO[i]).map(|path| (*path, truth[i])));
    }
    let record = simulate(&with(&scenario, &set), "native:paradigm=stepping");
    let body = record.layout().body("cube").or_else(|| record.layout().body("cube/cube")).unwrap();
    let stream = Stream::new(seed, 6, 0, Purpose::SensorNoise);
    let mut text = "time_s,x,y,z\n".to_owned();
    for row in 0..record.track.rows() {
        let p = record.track.pose(row, body);
        let cell = |axis: usize| p[axis] + 0.001 * stream.normal(row as u64, axis as u32);
        text += &format!("{:?},{:?},{:?},{:?}\n", record.track.times[row], cell(0), cell(1), cell(2));
    }
    std::fs::write(path, text).unwrap();
}

#[test]
fn friction_and_restitution_of_a_cube_are_found_at_the_stated_rate() {
    let folder = folder("cube");
    let repetitions = if full() { 100 } else { 4 };
    let scenario = format!("{STUDIES}/cube_toss/scenario/cube_toss.toml");
    let parameter = |i: usize, low: f64, high: f64| {
        format!("[[parameters]]\npath = \"{}\"\nalso = {:?}\nlow = {low}\nhigh = {high}\n", CUBE[i], CUBE_ALSO[i])
    };
    let set: Vec<String> = THROW.iter().map(|(path, value)| format!("\"{path}\" = {value:?}")).collect();
    let text = format!(
        "schema = 1\nname = \"cube\"\ntitle = \"cube\"\nscenario = \"{scenario}\"\nengine = \"native:paradigm=stepping\"\n{}{}\
         [[recordings]]\nfile = \"a.csv\"\nset = {{ {} }}\n[[recordings.channels]]\nposition_of = \"cube/cube\"\n\
         columns = [\"x\", \"y\", \"z\"]\nsigma = 0.001\n[search]\nstarts = 7\nrefine = 1\n",
        parameter(0, 0.05, 0.5),
        parameter(1, 0.05, 0.7),
        set.join(", ")
    );
    let mut covered = [0; 2];
    for k in 0..repetitions {
        let truth = [0.15 + 0.001 * k as f64, 0.3 + 0.002 * k as f64];
        record_cube(truth, k, &folder.join("a.csv"));
        let found = run(&folder, &text);
        for (i, truth) in truth.iter().enumerate() {
            let p = &found.parameters[i];
            covered[i] += u32::from((p.low..=p.high).contains(truth));
            assert!((p.estimate - truth).abs() < 0.03, "{p:?} of {truth}");
        }
    }
    println!(
        "ACCEPT calibrate-cube: of {repetitions} simulated recordings, 95 % intervals cover the friction in {} and the restitution in {}",
        covered[0], covered[1]
    );
    // Of four at 95 %, fewer than two occur once in 2000 times.
    let range = if full() { 90..=99 } else { 2..=4 };
    assert!(covered.iter().all(|n| range.contains(n)), "{covered:?}");
}

#[test]
fn the_cheapest_settings_that_hold_are_found() {
    let folder = folder("cheapest");
    let text = "schema = 1\nname = \"cheap\"\ntitle = \"cheap\"\nscenario = \"simple_pendulum\"\nengine = \"native:integrator=rk4\"\n\
                [[parameters]]\nsetting = \"step_s\"\nlow = 1e-4\nhigh = 0.05\nscale = \"log\"\nstart = 1e-4\n\
                [search]\ngoal = \"cheapest\"\nmethod = \"cma_es\"\nbudget = 40\nstarts = 7\nrefine = 1\n";
    let file = Calibration::parse(text, "test.toml").unwrap_or_else(|e| panic!("{e}"));
    let found: CheapestSettings =
        with_lab(&folder, |lab| cheapest(&file, &folder, lab)).unwrap_or_else(|e| panic!("{e}"));
    let best = found.best.unwrap();
    // CPU time is noisy, the number of steps is not: the answer takes longer steps than the start and is accepted.
    assert!(best.step_s > 2.0 * found.start.step_s && best.verdict == "accepted", "{best:?} {:?}", found.start);
    // A number of the world is not a setting.
    let wrong = text.replace("setting = \"step_s\"", "path = \"world/gravity/z\"");
    let file = Calibration::parse(&wrong, "test.toml").unwrap_or_else(|e| panic!("{e}"));
    let error = with_lab(&folder, |lab| cheapest(&file, &folder, lab)).unwrap_err().to_string();
    assert!(error.contains("'world/gravity/z' is not a setting"), "{error}");
}

#[test]
fn an_engine_setting_is_fitted() {
    // The stiffness of compliant contact shows in how deep a resting cube sinks.
    let folder = folder("setting");
    let file = format!("{STUDIES}/cube_toss/scenario/cube_toss.toml");
    let scenario = Scenario::load(file.as_ref(), &LoadOptions::default()).unwrap();
    let start = [("duration_s", 0.33783800), ("start/q/cube/world_to_cube/z", 0.0524)];
    let record = simulate(&with(&scenario, &start), "native:paradigm=penalty,stiffness=500");
    let body = record.layout().body("cube/cube").unwrap();
    let stream = Stream::new(3, 7, 0, Purpose::SensorNoise);
    let mut text = "time_s,x,y,z\n".to_owned();
    for row in 0..record.track.rows() {
        let p = record.track.pose(row, body);
        let cell = |axis: usize| p[axis] + 1e-5 * stream.normal(row as u64, axis as u32);
        text += &format!("{:?},{:?},{:?},{:?}\n", record.track.times[row], cell(0), cell(1), cell(2));
    }
    std::fs::write(folder.join("a.csv"), text).unwrap();
    let text = format!(
        "schema = 1\nname = \"s\"\ntitle = \"s\"\nscenario = \"{file}\"\nengine = \"native:paradigm=penalty\"\n\
         [[parameters]]\nsetting = \"stiffness\"\nlow = 100\nhigh = 10000\nscale = \"log\"\n[[recordings]]\nfile = \"a.csv\"\n\
         set = {{ duration_s = 0.337838, \"start/q/cube/world_to_cube/z\" = 0.0524 }}\n\
         [[recordings.channels]]\nposition_of = \"cube/cube\"\ncolumns = [\"x\", \"y\", \"z\"]\nsigma = 1e-5\n[search]\nstarts = 7\nrefine = 1\n"
    );
    let found = run(&folder, &text);
    let p = &found.parameters[0];
    assert!(p.name == "engine/stiffness" && (p.estimate / 500.0 - 1.0).abs() < 0.02, "{p:?}");
    assert!((p.low..=p.high).contains(&500.0), "{p:?}");
}
