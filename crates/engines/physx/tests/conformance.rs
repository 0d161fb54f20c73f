//! The conformance suite over PhysX's specs, through its worker.

#[path = "../../../worker/tests/conforming/mod.rs"]
mod conforming;

use conforming::{conforms, crosscheck, engine, repeats};

const STICKS_LAST: (&str, &str) =
    ("event-contact", "under TGS the log has a stick after the rest of a box that has landed; under PGS it does not");

#[test]
fn tgs_as_it_comes() {
    conforms("physx", &[("contact-rest", "four sweeps leave a box at rest a speed of 1.7 mm/s"), STICKS_LAST]);
}

#[test]
fn tgs() {
    conforms("physx:iters=16", &[STICKS_LAST]);
}

#[test]
fn tgs_without_contact_cache() {
    conforms("physx:iters=16,contact_cache=dropped", &[STICKS_LAST]);
}

#[test]
fn pgs_as_it_comes() {
    conforms("physx:solver=pgs", &[("contact-friction", "a box on a slope creeps by 1.1 mm before it sticks")]);
}

#[test]
fn pgs() {
    conforms("physx:solver=pgs,iters=16,velocity_iters=4", &[]);
}

#[test]
fn two_runs_are_one() {
    for spec in ["physx", "physx:solver=pgs"] {
        println!("ACCEPT repeat-physx: {}", repeats(spec));
    }
}

/// Results of a separate C++ program on these two worlds, with PhysX's own hinges and without this adapter: the
/// pendulum's angle at 10 s [rad], and the chain's energies at 1 and 2 s over 98.1 J.
const BARE: [(&str, f64, [f64; 2]); 3] = [
    ("physx:solver=pgs,velocity_iters=0", -3.1e-1, [-5.5e-3, -4.8e-2]),
    ("physx:solver=tgs,velocity_iters=0", 3.6e-3, [1.0e-3, -1.6e-3]),
    ("physx:solver=tgs,iters=16,velocity_iters=0", -1.3e-3, [1.3e-3, 4.8e-4]),
];

#[test]
fn motions_are_those_of_the_bare_engine() {
    for (spec, bare_angle, bare_chain) in BARE {
        let (angle, energy) = crosscheck::pendulum_errors(&engine(), spec);
        // The bare engine's results are known to two digits: half a unit of the last one.
        let digit = 10f64.powf(bare_angle.abs().log10().floor() - 1.0);
        assert!(
            (angle - bare_angle).abs() < 0.5 * digit,
            "{spec}: the angle is off by {angle} rad, bare {bare_angle}"
        );
        let chain = crosscheck::chain_errors(&engine(), spec);
        // Another kind of hinge rounds differently, and a chain amplifies that: a twentieth of what PGS loses in a
        // second, far below the difference of any two of these solvers at 2 s.
        for (found, bare) in chain.iter().zip(bare_chain) {
            assert!(
                (found - bare).abs() < 0.05 * 5.5e-3,
                "{spec}: energies of the chain are off by {chain:?}, bare {bare_chain:?}"
            );
        }
        println!(
            "ACCEPT agree-physx: {spec}: pendulum {angle:.3e} rad, {energy:.2e} m g l at 10 s; chain {:.2e}, {:.2e}, {:.2e} at 1, 2, 5 s",
            chain[0], chain[1], chain[2]
        );
    }
}
