//! Tosses whose truth is known: simulated by the native engine, written as a table like the recorded one, read and
//! scored like it.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use veracity_engine::Engine;
use veracity_lab::{Engines, Lab, Session, SessionSetup, Silent, Store, Threads};
use veracity_mocap::turns::{conjugate, rotate};
use veracity_model::Overrides;
use veracity_regress::datasets::tosses::{Scores, TossEngine, TossPart, TossStudy, score};
use veracity_scenario::{LoadOptions, Scenario};

const STUDY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../studies/cube_toss/engines.toml");
const SCENARIO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../studies/cube_toss/scenario/cube_toss.toml");
const TOSSES: u32 = 6;

/// Writes a table of tosses simulated by the native engine below a data folder.
fn thrown(folder: &Path) {
    let scenario = Scenario::load(Path::new(SCENARIO), &LoadOptions::default()).unwrap();
    let engine = &veracity_engine_native::ENGINE;
    let settings = engine.resolve(&"native:paradigm=stepping".parse().unwrap()).unwrap();
    let mut table = String::from("toss,t,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n");
    for toss in 0..TOSSES {
        let k = f64::from(toss);
        let mut start = Overrides::new();
        for (path, value) in [
            ("q/cube/world_to_cube/z", 0.2 + 0.01 * k),
            ("q/cube/world_to_cube/roll", 0.4 * k),
            ("q/cube/world_to_cube/pitch", 0.3 - 0.1 * k),
            ("v/cube/world_to_cube/0", 3.0 - k),
            ("v/cube/world_to_cube/1", 2.0 + 0.5 * k),
            ("v/cube/world_to_cube/2", -1.0),
            ("v/cube/world_to_cube/3", 0.9 - 0.1 * k),
            ("v/cube/world_to_cube/4", 0.2 * k),
        ] {
            start.insert(format!("start/{path}"), value);
        }
        let changed = scenario.with(&start).unwrap_or_else(|f| panic!("{f}"));
        let (duration, step_ns) = (changed.duration_ns, changed.step_ns);
        let setup = SessionSetup { scenario: Arc::new(changed), overrides: Vec::new(), step_ns, seed: 0, index: 0 };
        let mut session = Session::open(engine, &settings, setup).unwrap_or_else(|r| panic!("{:?}", r.0));
        let body = session.layout().body("cube").unwrap();
        session.advance_to(duration);
        let record = session.finish();
        for row in 0..record.track.rows() {
            let (pose, twist) = (record.track.pose(row, body), record.track.twist(row, body));
            let spin = rotate(&conjugate(&[pose[3], pose[4], pose[5], pose[6]]), &[twist[0], twist[1], twist[2]]);
            let numbers = pose.iter().chain(&twist[3..]).chain(&spin);
            let numbers: Vec<String> = numbers.map(|x| format!("{x:.12}")).collect();
            writeln!(table, "{toss},{:.9},{}", f64::from(row as u32) / 148.0, numbers.join(",")).unwrap();
        }
    }
    let place = folder.join("cube-toss");
    std::fs::create_dir_all(&place).unwrap();
    std::fs::write(place.join("tosses.csv"), table).unwrap();
}

fn scored(folder: &Path, engines: &[(&str, &[(&str, f64)])]) -> Scores {
    let mut study = TossStudy::load(Path::new(STUDY)).unwrap();
    study.engines = engines
        .iter()
        .map(|(spec, set)| TossEngine {
            spec: (*spec).to_owned(),
            fitted: None,
            base: None,
            label: String::new(),
            set: set.iter().map(|(path, value)| ((*path).to_owned(), *value)).collect(),
        })
        .collect();
    let store = Store::open(&folder.join("results")).unwrap();
    let executor = Threads::new(2).unwrap();
    let list: [&'static dyn Engine; 1] = [&veracity_engine_native::ENGINE];
    let engines = Engines { list: &list, build: "test" };
    let stop = Arc::new(AtomicBool::new(false));
    let lab = Lab { engines, store: &store, executor: &executor, stop, fresh: false };
    score(&study, Path::new(STUDY).parent().unwrap(), folder, TossPart::All, &lab, &Silent)
        .unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn an_engine_reproduces_its_own_tosses_but_not_with_a_wrong_friction() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("tosses");
    let _ = std::fs::remove_dir_all(&folder);
    thrown(&folder);
    let rough: &[(&str, f64)] = &[
        ("world/cube/materials/cube~1faces/friction/0", 0.6),
        ("world/cube/materials/cube~1faces/friction/1", 0.6),
        ("world/table/materials/table~1top/friction/0", 0.6),
        ("world/table/materials/table~1top/friction/1", 0.6),
    ];
    let own = "native:paradigm=stepping";
    let found = scored(&folder, &[(own, &[]), (own, rough), ("nobody", &[])]);
    assert_eq!((found.tosses, found.left_out.len(), found.absent.len()), (TOSSES as usize, 0, 1));
    let [same, other] = &found.engines[..] else { panic!("two engines are here") };
    println!(
        "own tosses: {:.3} % {:.3} deg; friction 0.6: {:.2} % {:.2} deg; stays: {:.1} %",
        same.position_percent.estimate,
        same.rotation_deg.estimate,
        other.position_percent.estimate,
        other.rotation_deg.estimate,
        found.stays.position_percent.estimate
    );
    assert_eq!((same.finished, other.finished), (TOSSES as usize, TOSSES as usize));
    // A flight by steps of 0.7 ms is a parabola but for half a step's worth of velocity, 3 mm/s: 2 mm or 2 % of the
    // width after the toss's 0.6 s, and an impact at another speed adds about as much again.
    assert!(same.position_percent.estimate < 5.0 && same.rotation_deg.estimate < 3.0, "{same:?}");
    // Mutation: with another friction the same tosses are not reproduced.
    assert!(other.position_percent.estimate > 3.0 * same.position_percent.estimate, "{other:?}");
    assert!(found.stays.position_percent.estimate > other.position_percent.estimate);
}
