//! Our mass matrix, bias efforts and accelerations agree with Pinocchio, MuJoCo and PyBullet, on the models shipped
//! here and on every URDF, SDF and MJCF file inside the wheels `pybullet` and `gymnasium`.
//!
//! `VERACITY_FULL=1` uses every file, otherwise every 40th of the thousand similar ones; with `VERACITY_WRITE_DOCS=1`
//! the full run writes `docs/import-coverage.md`, without it fails if that page is out of date.

mod peers;
mod support;

use peers::agreement::{Agreement, TOLERANCE};
use peers::coverage::{Row, Verdict, examine};
use peers::coverage_page::{NOT_LOADED, compared, page, without_measurements};
use peers::subject::Subject;
use peers::{Answer, Peer, files};
use std::path::Path;
use std::process::Command;
use veracity_model::Overrides;
use veracity_model::import::Base;

/// The lines `cargo xtask acceptance` collects.
fn report(rows: &[Row], what: &str) {
    let line = |peer: Peer| {
        let all = compared(rows, peer);
        (!all.is_empty()).then(|| format!("{what}, {} cases: {}", all.len(), Agreement::worst_of(&all)))
    };
    println!("ACCEPT agree-pinocchio: {}", line(Peer::Pinocchio).expect("Pinocchio compared something"));
    println!("ACCEPT agree-mujoco: {}", line(Peer::MuJoCo).expect("MuJoCo compared something"));
    println!("PyBullet: {}", line(Peer::PyBullet).unwrap_or("nothing to compare".into()));
}

/// Shipped models that no peer supports, each with the reason and with the test that covers it instead.
const WITHOUT_PEER: &[(&str, &str)] = &[
    (
        "balls/balls_125.sdf",
        "Pinocchio's reader takes more than 20 GB for 125 free bodies; `bouncing_49.sdf` holds such balls",
    ),
    ("balls/balls_666.sdf", "as the 125"),
    ("balls/balls_666_elastic.sdf", "as the 125"),
    (
        "hanging_chain/hanging_chain.sdf",
        "neither peer that reads SDF knows a ball joint; MuJoCo holds those of MJCF files",
    ),
    (
        "point_foot_walker/point_foot_walker.urdf",
        "no peer has a planar joint; held by its reduced map in `crates/cycle`",
    ),
    ("rimless_wheel/rimless_wheel.urdf", "no peer has a planar joint; held by its closed form in `crates/cycle`"),
    ("simplest_walker/simplest_walker.urdf", "no peer has a planar joint; held by its reduced map in `crates/cycle`"),
];

#[test]
fn shipped_models_agree() {
    let Some(python) = peers::python() else { return };
    let alone = |name: &str| WITHOUT_PEER.iter().any(|(file, _)| name.ends_with(file));
    let shipped = files::shipped();
    for (file, reason) in WITHOUT_PEER {
        assert!(shipped.iter().any(|shipped| shipped.name.ends_with(file)), "{file} is gone ({reason})");
    }
    // At full size those without a peer are tried again: a newer peer may support them.
    let asked = shipped.into_iter().filter(|file| peers::full() || !alone(&file.name)).collect();
    let rows = examine(&python, asked, 4);
    report(&rows, "models shipped");
    let wrong = |row: &Row| match row.verdict() {
        Verdict::DoesNotLoad(reason) if reason.starts_with("no peer to compare with") && alone(&row.file.name) => {
            None
        }
        Verdict::DoesNotLoad(reason) => Some(format!("{}: {reason}", row.file.name)),
        Verdict::Loads(_) if alone(&row.file.name) => {
            Some(format!("{} has a peer now: remove it from the list", row.file.name))
        }
        Verdict::Loads(_) | Verdict::Scenery => None,
    };
    let problems: Vec<String> = rows.iter().filter_map(wrong).collect();
    assert!(problems.is_empty(), "{problems:#?}");
    // Both libraries compared the robots that are more than a mechanism.
    for robot in
        ["ur10/ur10.urdf", "ur10/ur10_welded.urdf", "nao/nao_h21.urdf", "nao/nao_h25.urdf", "links/links.urdf"]
    {
        let row = rows.iter().find(|row| row.file.name.ends_with(robot)).unwrap_or_else(|| panic!("{robot} is gone"));
        let Verdict::Loads(peers) = row.verdict() else { panic!("{robot} is no scenery") };
        assert!(peers.contains(&Peer::Pinocchio) && peers.contains(&Peer::MuJoCo), "{robot}: only {peers:?}");
    }
}

#[test]
fn files_in_the_wheels_agree() {
    let Some(python) = peers::python() else { return };
    let all = files::in_wheels(&python);
    // The wheels are pinned: fewer files means that some were not found.
    assert_eq!(all.len(), 1095 + 15 + 26 + 14, "the wheels contain a different number of files");
    let chosen = if peers::full() { all } else { files::shortened(all) };
    let rows = examine(&python, chosen, 3);
    report(&rows, "files in wheels");

    let mut problems = Vec::new();
    let mut loads = 0;
    for row in &rows {
        let known = NOT_LOADED.iter().find(|known| known.name == row.file.name);
        match (row.verdict(), known) {
            (Verdict::Loads(_), None) => loads += 1,
            (Verdict::Scenery, None) => {}
            (Verdict::DoesNotLoad(reason), Some(known)) if reason.contains(&format!("[{}]", known.code)) => {}
            (verdict, _) => problems.push(format!("{}: {verdict:?}", row.file.name)),
        }
    }
    println!("ACCEPT import-coverage: {loads} of {} files load", rows.len());
    assert!(problems.is_empty(), "{problems:#?}");
    if peers::full() {
        hold_page(&page(&rows));
    }
}

/// Writes the page, or fails if it is out of date.
fn hold_page(page: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/import-coverage.md");
    if std::env::var_os("VERACITY_WRITE_DOCS").is_some() {
        std::fs::write(&path, page).expect("the page can be written");
        return;
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    let stale = without_measurements(&written) != without_measurements(page);
    assert!(!stale, "docs/import-coverage.md is out of date; run this test with VERACITY_WRITE_DOCS=1");
}

/// The mutations that must break the comparison: one of our numbers off by a millionth, or a moment of inertia, of which
/// only a part acts on a joint, by a ten-thousandth.
#[test]
fn a_change_of_a_millionth_is_detected() {
    let Some(python) = peers::python() else { return };
    let file = files::shipped().into_iter().find(|f| f.name.ends_with("nao_h25.urdf")).expect("the robot is shipped");
    let right = Subject::read(&file.name, &file.path, Some(Base::Free), 2).expect("the robot loads");
    let answers = Peer::Pinocchio.ask(&python, &[&right]);
    let Answer::Numbers { states, .. } = &answers[0] else { panic!("{:?}", answers[0]) };
    let measured = Agreement::measure(&right, states);
    assert!(measured.holds(), "{measured}");

    let model = &right.world.placements[0].model;
    let seen = |path: &str, change: f64| {
        let value = model.number(path).unwrap_or_else(|| panic!("no number {path}"));
        let wrong = model.with(&Overrides::new().set(path, value + change)).expect("a small change is possible");
        let mut world = right.world.clone();
        world.placements[0].model = wrong.into();
        let wrong = Subject::new(&file.name, &file.path, world, 2).expect("still a system");
        let measured = Agreement::measure(&wrong, states);
        // With a margin: a check that barely detects a millionth would miss it on the next robot.
        assert!(!measured.holds() && measured.each.max(measured.bias) > 10.0 * TOLERANCE, "{path}: {measured}");
    };
    // A millionth of a gripper of 0.1 % of the robot's mass is below the bound by definition.
    let weighty = model.bodies().iter().filter(|b| b.inertia.mass > 0.01 * model.mass());
    for body in weighty {
        seen(&format!("bodies/{}/mass", body.name), 1e-6 * body.inertia.mass);
        seen(&format!("bodies/{}/com/x", body.name), 1e-6);
        let ixx = body.inertia.tensor[(0, 0)];
        seen(&format!("bodies/{}/inertia/ixx", body.name), 1e-4 * ixx);
    }
    for joint in model.joints().iter().filter(|j| j.kind.dof_count() == 1) {
        seen(&format!("joints/{}/origin/x", joint.name), 1e-6);
        seen(&format!("joints/{}/origin/roll", joint.name), 1e-6);
    }

    let mut world = right.world.clone();
    world.gravity.z *= 1.0 + 1e-6;
    let heavier = Subject::new(&file.name, &file.path, world, 2).expect("still a system");
    assert!(!Agreement::measure(&heavier, states).holds(), "gravity");
}

#[test]
fn a_peer_that_dies_or_refuses_costs_one_answer() {
    let Some(python) = peers::python() else { return };
    // One job ends its process, one raises, one answers: three answers come, in order.
    let script = "import os, sys; sys.path.insert(0, sys.argv[1])\n\
                  import job_server, numpy\n\
                  def answer(job, notes):\n\
                  \x20   if job['id'] == 0: os.abort()\n\
                  \x20   if job['id'] == 1: raise ValueError('not this one')\n\
                  \x20   return [(numpy.eye(1), numpy.zeros(1))]\n\
                  job_server.serve(answer)";
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers");
    let shell = Command::new(&python)
        .args(["-B", "-c", script])
        .arg(&folder)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn();
    let mut child = shell.expect("the interpreter starts");
    let jobs = "{\"id\": 0}\n{\"id\": 1}\n{\"id\": 2}\n";
    std::io::Write::write_all(&mut child.stdin.take().expect("piped"), jobs.as_bytes()).expect("it listens");
    let output = child.wait_with_output().expect("it ends");
    let answers = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines: Vec<&str> = answers.lines().collect();
    assert_eq!(lines.len(), 3, "{answers}");
    assert!(lines[0].contains("died of signal SIGABRT"), "{answers}");
    assert!(lines[1].contains("not this one"), "{answers}");
    assert!(lines[2].contains("\"mass\": [1.0]"), "{answers}");
}
