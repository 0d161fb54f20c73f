//! A worker that breaks the protocol fails its own trial, with the reason, and leaves nothing behind. A separate test
//! program, so that everything this process holds belongs to this test.

#[path = "support/hostile.rs"]
mod hostile;
mod support;

use hostile::{End, KINDS, held, worker};
use std::sync::Arc;
use support::{Folder, study};
use veracity_engine::Engine;
use veracity_lab::{Session, SessionSetup};
use veracity_record::{Outcome, Record};

/// A tenth of a second of a pendulum.
fn trial(engine: &dyn Engine) -> Record {
    let mut scenario = (*study(&["simple_pendulum"], &["native"]).scenarios[0]).clone();
    scenario.duration_ns = 100_000_000;
    let (scenario, step_ns) = (Arc::new(scenario), 1_000_000);
    let setup = SessionSetup { scenario, overrides: Vec::new(), step_ns, seed: 0, index: 0 };
    let settings = engine.resolve(&engine.name().parse().unwrap()).unwrap();
    match Session::open(engine, &settings, setup.clone()) {
        Ok(mut session) => {
            session.advance_to(100_000_000);
            session.finish()
        }
        Err(refusal) => veracity_lab::session::refused_record(engine, &settings, &setup, refusal),
    }
}

#[test]
fn every_kind_of_hostile_worker_costs_its_own_trial_and_no_more() {
    let folder = Folder::new("hostile");
    let before = held();
    let mut wrong = Vec::new();
    for (kind, end) in KINDS {
        let engine = worker(folder.path(), kind);
        // `list` asks every installed worker for these.
        let _ = (engine.name(), engine.version(), engine.about(), engine.settings());
        let record = trial(&engine);
        let fits = match (&record.outcome, end) {
            (Outcome::Failed { reason }, End::Failed(words)) => reason.contains(words),
            (Outcome::BrokeDown { reason, .. }, End::BrokeDown(words)) => reason.contains(words),
            (Outcome::NotExpressible { features }, End::NotExpressible(words)) => features[0].contains(words),
            (Outcome::Finished, End::Finished) => true,
            _ => false,
        };
        let said = record.outcome.to_string();
        let plain = !said.chars().any(char::is_control);
        drop(engine);
        let left = held();
        println!("{kind}: {said}");
        if !fits || !plain || left != before || record.track.fault().is_some() {
            wrong.push(format!("{kind}: {said}\n    wanted {end:?}, left {left:?}"));
        }
    }
    assert!(wrong.is_empty(), "before {before:?}\n{}", wrong.join("\n"));
    let harmless = KINDS.iter().filter(|(_, end)| matches!(end, End::Finished)).count();
    println!(
        "ACCEPT hostile-workers: {} kinds of hostile worker, {} end their own trial with the reason, {harmless} do no harm; no process, \
         descriptor or mapping left",
        KINDS.len(),
        KINDS.len() - harmless
    );
}
