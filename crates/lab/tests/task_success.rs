//! `[stop]` ends a trial at the row in which its condition came true: the same row on every engine, and the one that a
//! closed form gives. A ball falls from rest: it is below the height h at t = √(2 (h₀ - h) / g).

mod support;

use std::path::Path;
use std::sync::Arc;
use support::{Folder, engines, run_in, study};
use veracity_lab::plan::{Case, Point};
use veracity_lab::{StudyResult, TrialVerdict, run_trial};
use veracity_model::Overrides;
use veracity_record::{Outcome, Record};
use veracity_scenario::{LoadOptions, Scenario};

const BALL: &str = r#"<robot name="ball"><link name="ball">
  <inertial><mass value="1"/><inertia ixx="0.004" iyy="0.004" izz="0.004" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><sphere radius="0.1"/></geometry></collision></link></robot>"#;

/// A ball released 2 m above the origin, and a level of 0.5 m: it gets there after 0.553 s.
const HEIGHTS: (f64, f64) = (2.0, 0.5);

fn scenario(folder: &Path, checks: &str) -> Scenario {
    std::fs::create_dir_all(folder).unwrap();
    std::fs::write(folder.join("ball.urdf"), BALL).unwrap();
    let text = format!(
        r#"
schema = 1
name = "falling_ball"
duration_s = 2
step_s = 0.001
[world]
models = [{{ file = "ball.urdf", base = "free" }}]
gravity_m_s2 = [0, 0, -9.81]
contact = false
[start.bodies.ball]
position_m = [0, 0, {}]
{checks}"#,
        HEIGHTS.0
    );
    Scenario::from_text(&text, &folder.join("ball.toml"), &LoadOptions::default()).unwrap_or_else(|f| panic!("{f}"))
}

fn stopping(extra: &str) -> String {
    format!(
        r#"
[[checks]]
name = "down"
metric = "fell"
of = "ball"
below_m = {}
reason = "Lower than this it cannot be caught."
{extra}
[stop]
when = ["down"]
"#,
        HEIGHTS.1
    )
}

fn run(folder: &Path, name: &str, scenario: Scenario, specs: &[&str]) -> StudyResult {
    let mut one = study(&["simple_pendulum"], specs);
    one.scenarios = vec![Arc::new(scenario)];
    run_in(&folder.join(name), &one, 1)
}

fn record(scenario: &Arc<Scenario>, spec: &str) -> Record {
    let case = Case::new(scenario, &Overrides::new()).unwrap();
    let point = Point {
        engine: spec.parse().unwrap(),
        step_ns: scenario.step_ns,
        seed: 0,
        index: 0,
        expected: None,
        expected_checks: Vec::new(),
    };
    run_trial(&engines().plan_trial(&case, 0, &point).unwrap(), None)
}

fn closed_form() -> f64 {
    (2.0 * (HEIGHTS.0 - HEIGHTS.1) / 9.81).sqrt()
}

#[test]
fn a_trial_stops_at_the_row_the_closed_form_gives_on_every_engine() {
    let folder = Folder::new("stop");
    let scenario = Arc::new(scenario(folder.path(), &stopping("")));
    for spec in ["native", "native:integrator=euler", "native:integrator=dop853", "rapier", "rapier:multibody"] {
        let record = record(&scenario, spec);
        let Outcome::Stopped { time, check, reason } = &record.outcome else {
            panic!("{spec}: {:?}", record.outcome)
        };
        // Rows are 10 ms apart; an explicit Euler step of 1 ms is late or early by half a step, g h t / 2 in height.
        let late = time - closed_form();
        assert!((-0.001..=0.01).contains(&late), "{spec}: stopped {late} s after the closed form");
        assert_eq!((check.as_str(), record.track.times.last()), ("down", Some(time)), "{spec}");
        assert!(reason.contains("height of 0.4"), "{spec}: {reason}");
    }
}

#[test]
fn the_row_of_a_stopped_trial_says_why_and_when_and_the_store_keeps_it() {
    let folder = Folder::new("stop-row");
    let energy = r#"
[[checks]]
name = "energy"
metric = "energy_error"
bound = 1e-6
reason = "Free fall of order four."
[[checks]]
name = "late energy"
metric = "energy_error"
until_s = 1.5
bound = 1e-6
reason = "Asks for more than is recorded."
"#;
    let scenario = scenario(folder.path(), &stopping(energy));
    for _ in ["computed", "from the store"] {
        let result = run(folder.path(), "store", scenario.clone(), &["native"]);
        let row = &result.rows[0];
        assert_eq!(row.verdict, TrialVerdict::Rejected, "{}", row.reason);
        let stopped = row.stopped.as_ref().unwrap();
        assert!((stopped.at_s - 0.56).abs() < 1e-9 && stopped.check == "down", "{stopped:?}");
        assert!(row.reason.contains("stopped at 0.56 s by 'down'"), "{}", row.reason);
        // For a check without a window the record counts to its end; one that names a later end cannot tell.
        let verdict = |name: &str| {
            let check = row.checks.iter().find(|c| c.name == name).unwrap();
            TrialVerdict::from(check.judgement.verdict)
        };
        assert_eq!((verdict("energy"), verdict("late energy")), (TrialVerdict::Accepted, TrialVerdict::CannotTell));
    }
}

#[test]
fn without_gravity_nothing_stops_and_a_bound_on_the_time_is_held() {
    let folder = Folder::new("no-stop");
    let floating =
        scenario(folder.path(), &stopping("")).with(&Overrides::new().set("world/gravity/z", -1e-3)).unwrap();
    let result = run(folder.path(), "floating", floating, &["native"]);
    let row = &result.rows[0];
    assert_eq!((row.verdict, &row.stopped, row.simulated_s), (TrialVerdict::Accepted, &None, 2.0), "{}", row.reason);
    // The same fall is accepted if the lower bound on its time is half a second, and rejected if it is one second.
    for (bound, verdict) in [
        ("at_least = 0.5", TrialVerdict::Accepted),
        ("at_least = 1", TrialVerdict::Rejected),
        ("at_most = 1", TrialVerdict::Accepted),
        ("between = [0.54, 0.57]", TrialVerdict::Accepted),
        ("between = [0.57, 0.6]", TrialVerdict::Rejected),
        // The instant lies between rows at 0.55 and 0.56 s.
        ("at_least = 0.555", TrialVerdict::CannotTell),
    ] {
        let checks = stopping("").replace("reason =", &format!("{bound}\nreason ="));
        let row = run(folder.path(), "bounded", scenario(folder.path(), &checks), &["native"]).rows.remove(0);
        assert_eq!(row.verdict, verdict, "{bound}: {}", row.reason);
    }
}

#[test]
fn a_converged_reference_is_known_beyond_the_stop() {
    let folder = Folder::new("stop-reference");
    let converged = r#"
[[checks]]
name = "place"
metric = "position_error"
of = "ball"
reference = "converged"
bound = 1e-6
reason = "Free fall of order four."
[[references]]
name = "converged"
kind = "converged"
"#;
    // The reference runs of a scenario with `[stop]` must not stop with it, nor be mistaken for its trials.
    let early = stopping(converged).replace("below_m = 0.5", "below_m = 1.99");
    let row = run(folder.path(), "store", scenario(folder.path(), &early), &["native"]).rows.remove(0);
    assert!(row.stopped.as_ref().is_some_and(|s| s.at_s < 0.06), "{:?}", row.stopped);
    let place = row.checks.iter().find(|c| c.name == "place").unwrap();
    assert_eq!(TrialVerdict::from(place.judgement.verdict), TrialVerdict::Accepted, "{}", place.judgement.reason);
}

#[test]
fn what_stops_a_trial_is_part_of_its_key_and_other_checks_are_not() {
    let folder = Folder::new("stop-key");
    let digest = |checks: &str| scenario(folder.path(), checks).digest();
    let with = stopping("");
    let without = with.split("[stop]").next().unwrap();
    assert_ne!(digest(&with), digest(without));
    assert_ne!(digest(&with), digest(&with.replace("below_m = 0.5", "below_m = 0.4")));
    assert_eq!(digest(without), digest(""));
    assert_eq!(digest(without), digest(&without.replace("below_m = 0.5", "below_m = 0.4")));
    // A bound decides the verdict, not where the record ends.
    assert_eq!(digest(&with), digest(&with.replace("reason =", "at_least = 1\nreason =")));
}

#[test]
fn the_rows_before_a_stop_are_those_of_the_trial_without_it() {
    let folder = Folder::new("stop-rows");
    let stopped = record(&Arc::new(scenario(folder.path(), &stopping(""))), "native");
    let whole = record(&Arc::new(scenario(folder.path(), stopping("").split("[stop]").next().unwrap())), "native");
    let rows = stopped.track.rows();
    assert!(rows > 50 && rows < whole.track.rows());
    assert_eq!(stopped.track.poses, whole.track.poses[..stopped.track.poses.len()]);
}
