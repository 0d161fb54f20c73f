//! A repeated run, a run restored from a snapshot (through bytes, into a new simulation), and a run interrupted by a
//! snapshot are identical bit for bit.

mod support;

use support::{random_state, random_tree, shipped};
use veracity_dynamics::integrate::{INTEGRATORS, IntegratorSettings, State};
use veracity_dynamics::{NoEfforts, SmoothSimulation, Snapshot, System};
use veracity_model::Vec3;

fn bits(state: &State) -> Vec<u64> {
    state.q.iter().chain(&state.v).chain([&state.time]).map(|x| x.to_bits()).collect()
}

fn start(system: &System, integrator: &str, from: &Option<(Vec<f64>, Vec<f64>)>) -> SmoothSimulation {
    let mut s = SmoothSimulation::new(system.clone(), integrator, IntegratorSettings::default()).unwrap();
    if let Some((q, v)) = from {
        s.set_state(0.0, q, v).unwrap();
    }
    s
}

fn steps(s: &mut SmoothSimulation, count: usize) {
    for _ in 0..count {
        s.step(&mut NoEfforts, 1e-3).unwrap();
    }
}

#[test]
fn restored_runs_are_the_uninterrupted_run_bit_for_bit() {
    let tree = System::from_model(&random_tree(15, 8), Vec3::new(0.0, 0.0, -9.81)).unwrap();
    let state = random_state(&tree, 8);
    let loops = System::new(&shipped("bricard/bricard.sdf").world.unwrap()).unwrap();
    for (system, from) in [(tree, Some(state)), (loops, None)] {
        for entry in INTEGRATORS {
            let mut whole = start(&system, entry.name, &from);
            steps(&mut whole, 60);

            let mut again = start(&system, entry.name, &from);
            steps(&mut again, 25);
            let bytes = again.snapshot().to_bytes();
            steps(&mut again, 35);
            assert_eq!(bits(whole.state()), bits(again.state()), "{}: repeated", entry.name);

            let mut restored = start(&system, entry.name, &None);
            restored.restore(&Snapshot::from_bytes(&bytes).unwrap()).unwrap();
            steps(&mut restored, 35);
            assert_eq!(bits(whole.state()), bits(restored.state()), "{}: restored", entry.name);
        }
    }
}

#[test]
fn a_broken_or_foreign_snapshot_is_rejected_with_a_message() {
    let system = System::from_model(&random_tree(5, 2), Vec3::zeros()).unwrap();
    let s = SmoothSimulation::new(system.clone(), "rk4", IntegratorSettings::default()).unwrap();
    let bytes = s.snapshot().to_bytes();
    for cut in [0, 7, 8, 20, bytes.len() - 4] {
        assert!(Snapshot::from_bytes(&bytes[..cut]).is_err(), "cut at {cut}");
    }
    let mut huge = bytes.clone();
    huge[8..16].copy_from_slice(&u64::MAX.to_le_bytes());
    assert!(Snapshot::from_bytes(&huge).is_err());
    let mut other = SmoothSimulation::new(system, "euler", IntegratorSettings::default()).unwrap();
    let refused = other.restore(&Snapshot::from_bytes(&bytes).unwrap()).unwrap_err().to_string();
    assert!(refused.contains("rk4") && refused.contains("euler"), "{refused}");
}
