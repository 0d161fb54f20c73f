//! Every claim of the conformance suite can fail: the native engine with one defect at a time fails the claim named for
//! that defect, and each claim catches at least one defect.

mod broken;

use broken::{BREAKS, Broken};
use std::sync::Mutex;
use veracity_engine::conformance::{CLAIMS, Host, Subject, process, try_claim};
use veracity_engine::{Engine, EngineSpec};

#[global_allocator]
static ALLOCATOR: veracity_counting::Counting = veracity_counting::Counting;

/// The suite runs this in a separate process; run directly it does nothing. The defect is passed in the spec's version.
#[test]
fn resume_task() {
    if std::env::var_os(process::VARIABLE).is_some() {
        let name = std::env::var("VERACITY_BREAK").unwrap_or_default();
        let found = BREAKS.iter().find(|b| b.name == name).expect("the parent names a break");
        process::answer_if_asked(&Broken(found));
    }
}

/// One at a time: some defects use a static counter.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn is_caught(name: &str) -> Result<(), String> {
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let found = BREAKS.iter().find(|b| b.name == name).expect("a break of this name");
    let engine = Broken(found);
    let spec: EngineSpec = found.spec.parse().unwrap();
    let settings = engine.resolve(&spec).unwrap();
    let fresh_process = |resume_task: &process::ResumeTask| {
        let mut child = std::process::Command::new(std::env::current_exe().unwrap());
        child.args(["resume_task", "--exact", "--test-threads=1", "--quiet"]).env("VERACITY_BREAK", found.name);
        process::ask(child, resume_task)
    };
    let host = Host { fresh_process: Some(&fresh_process), allocations: Some(veracity_counting::allocations) };
    let subject = Subject { engine: &engine, settings: &settings, step_s: 1e-3, host };
    for claim in CLAIMS.iter().filter(|c| found.caught_by.contains(&c.name)) {
        if let Ok(evidence) = try_claim(claim, &subject) {
            return Err(format!("'{}' is not caught by {}: {evidence:?}", found.name, claim.name));
        }
    }
    Ok(())
}

#[test]
fn every_break_is_caught_by_the_claims_it_names() {
    let missed: Vec<String> = BREAKS.iter().filter_map(|b| is_caught(b.name).err()).collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn every_claim_catches_a_break() {
    for b in BREAKS {
        assert!(b.caught_by.iter().all(|name| CLAIMS.iter().any(|c| c.name == *name)), "{} names no claim", b.name);
    }
    let idle: Vec<&str> =
        CLAIMS.iter().map(|c| c.name).filter(|name| !BREAKS.iter().any(|b| b.caught_by.contains(name))).collect();
    assert!(idle.is_empty(), "no break shows that these claims can fail: {idle:?}");
}

#[test]
fn unbroken_the_wrapper_passes() {
    let engine = Broken(&broken::NOTHING);
    let settings = engine.resolve(&"native".parse().unwrap()).unwrap();
    let subject = Subject { engine: &engine, settings: &settings, step_s: 1e-3, host: Host::default() };
    let failed: Vec<String> =
        CLAIMS.iter().filter_map(|c| try_claim(c, &subject).err().map(|e| format!("{}: {e}", c.name))).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
