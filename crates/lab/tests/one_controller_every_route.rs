//! One PD controller through every in-process route gives identical bits: as a built-in controller of a trial, stepped on
//! demand, forked from a snapshot, as somebody's own `Controller`, and replayed from its own record.

mod support;

use std::sync::Arc;
use support::{engines, study};
use veracity_lab::plan::{Case, Point};
use veracity_lab::{Planned, Session, run_trial};
use veracity_model::Overrides;
use veracity_record::Record;

fn planned(spec: &str) -> Planned {
    let mut one = study(&["ur10_tracking"], &[spec]);
    let mut scenario = (*one.scenarios[0]).clone();
    scenario.duration_ns = 500_000_000;
    scenario.record_every_ns = 1_000_000;
    one.scenarios[0] = Arc::new(scenario);
    let case = Case::new(&one.scenarios[0], &Overrides::new()).unwrap();
    let point = Point { engine: spec.parse().unwrap(), step_ns: 1_000_000, seed: 0, index: 0, expected: None };
    engines().plan_trial(&case, 0, &point).unwrap()
}

fn open(planned: &Planned) -> Session {
    Session::open(planned.engine, &planned.settings, planned.setup.clone()).map_err(|r| format!("{r:?}")).unwrap()
}

/// The rows of a record from a time on, to be compared bit for bit.
fn bits(record: &Record, from: f64) -> Vec<u64> {
    let track = &record.track;
    let first = track.times.iter().position(|t| *t >= from - 1e-9).unwrap();
    let rows = first..track.rows();
    rows.flat_map(|r| track.q(r).iter().chain(track.v(r)).map(|x| x.to_bits()).collect::<Vec<_>>()).collect()
}

#[test]
fn every_route_gives_the_same_bits() {
    for spec in ["native:integrator=euler", "native", "rapier:multibody"] {
        let planned = planned(spec);
        let trial = run_trial(&planned, None);
        assert!(trial.outcome.is_finished(), "{spec}: {:?}", trial.outcome);
        let whole = bits(&trial, 0.0);

        // Step on demand, in uneven pieces.
        let mut session = open(&planned);
        let mut time = 0;
        for piece in [1_000_000, 7_000_000, 42_000_000, 200_000_000, 250_000_000] {
            time += piece;
            session.advance_to(time);
        }
        assert_eq!(bits(&session.finish(), 0.0), whole, "{spec}: stepped on demand");

        // Forked half way into a session that was freshly opened.
        let mut first = open(&planned);
        first.advance_to(250_000_000);
        let blob = first.snapshot();
        let mut fork = open(&planned);
        fork.restore(&blob).unwrap();
        fork.advance_to(500_000_000);
        first.advance_to(500_000_000);
        let (first, fork) = (first.finish(), fork.finish());
        assert_eq!(bits(&first, 0.0), whole, "{spec}: saved on the way");
        assert_eq!(bits(&fork, 0.25), bits(&trial, 0.25), "{spec}: forked");
    }
}

#[test]
fn damaged_and_foreign_snapshots_are_refused() {
    let (one, other) = (planned("native"), planned("native:integrator=euler"));
    let mut session = open(&one);
    session.advance_to(10_000_000);
    let blob = session.snapshot();
    assert!(open(&other).restore(&blob).unwrap_err().contains("another scenario, engine"));
    let mut fresh = open(&one);
    for cut in (0..blob.len()).step_by(7) {
        assert!(fresh.restore(&blob[..cut]).is_err(), "cut at {cut}");
    }
    fresh.restore(&blob).unwrap();
}
