//! The audit is green over engines that honour what they load, and red for exactly the number that is lost on the way.

mod dropping;

use dropping::holding::hold;
use dropping::mutations::MUTATIONS;
use veracity_audit::EXPERIMENTS;

#[test]
fn every_experiment_has_a_mutation_and_every_mutation_an_experiment() {
    let experiments: Vec<_> = EXPERIMENTS.iter().map(|e| e.name).collect();
    let mutations: Vec<_> = MUTATIONS.iter().map(|(name, _)| *name).collect();
    assert_eq!(experiments, mutations, "the two lists are in one order");
}

#[test]
fn native() {
    hold(&veracity_engine_native::ENGINE, "native", 1, 105);
}

#[test]
fn native_stepping() {
    hold(&veracity_engine_native::ENGINE, "native:paradigm=stepping", 3, 105);
}

#[test]
fn native_event() {
    hold(&veracity_engine_native::ENGINE, "native:paradigm=event", 3, 105);
}

#[test]
fn native_penalty() {
    hold(&veracity_engine_native::ENGINE, "native:paradigm=penalty", 3, 105);
}

#[test]
fn rapier_impulse() {
    hold(&veracity_engine_rapier::ENGINE, "rapier:impulse", 1, 95);
}

#[test]
fn rapier_multibody() {
    hold(&veracity_engine_rapier::ENGINE, "rapier:multibody", 3, 95);
}
