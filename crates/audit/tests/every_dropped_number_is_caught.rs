//! The audit accepts engines that honour what they load, and rejects exactly the number that is dropped on the way.

mod dropping;

use dropping::holding::{Shortened, WHOLE, hold};
use dropping::mutations::MUTATIONS;
use veracity_audit::EXPERIMENTS;

#[test]
fn every_experiment_has_a_mutation_and_every_mutation_an_experiment() {
    let experiments: Vec<_> = EXPERIMENTS.iter().map(|e| e.name).collect();
    let mutations: Vec<_> = MUTATIONS.iter().map(|(name, _)| *name).collect();
    assert_eq!(experiments, mutations, "the two lists are in one order");
}

/// For a later spec of an engine whose first one tries every mutation.
const THIRD: Shortened = Shortened { audited_every: 1, dropped_every: 3 };

#[test]
fn native() {
    hold(&veracity_engine_native::ENGINE, "native", WHOLE, 105, &[]);
}

#[test]
fn native_stepping() {
    hold(&veracity_engine_native::ENGINE, "native:paradigm=stepping", THIRD, 105, &[]);
}

#[test]
fn native_event() {
    hold(&veracity_engine_native::ENGINE, "native:paradigm=event", THIRD, 105, &[]);
}

#[test]
fn native_penalty() {
    hold(&veracity_engine_native::ENGINE, "native:paradigm=penalty", THIRD, 105, &[]);
}

#[test]
fn rapier_impulse() {
    hold(&veracity_engine_rapier::ENGINE, "rapier:impulse", WHOLE, 95, &[]);
}

#[test]
fn rapier_multibody() {
    hold(&veracity_engine_rapier::ENGINE, "rapier:multibody", THIRD, 95, &[]);
}
