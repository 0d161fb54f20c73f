//! Energy and momentum summed over bodies from poses and twists equal those in joint coordinates.

mod synthetic;

use std::path::Path;
use synthetic::{Case, record_of};
use veracity_dynamics::{System, Workspace, energy};
use veracity_engine::random::{Purpose, Stream};
use veracity_measure::energy::EnergyOfRows;
use veracity_measure::machine::Machine;
use veracity_measure::metrics::momentum_error::momentum_of_row;
use veracity_model::import::{ImportOptions, load};
use veracity_model::{JointKind, Vec3, World};

const MODELS: &[&str] = &[
    "chain/chain30.urdf",
    "ur10/ur10.urdf",
    "nao/nao_h25.urdf",
    "andrews/andrews.urdf",
    "governor/governor.urdf",
    "pendulum/pendulum.urdf",
];

fn shipped(name: &str) -> World {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios").join(name);
    let imported = load(&path, &ImportOptions::default());
    imported.world.unwrap_or_else(|| panic!("{}", imported.findings))
}

/// Ten random states, whether constraints hold or not: the energy of a state does not require it.
fn random_states(world: &World, trial: u64) -> Case {
    let stream = Stream::new(2, trial, 0, Purpose::Sampling);
    let times: Vec<f64> = (0..10).map(f64::from).collect();
    let model = &world.placements[0].model;
    record_of(world.clone(), &times, |t| {
        let mut lane = 0;
        let mut any = |size: f64| {
            lane += 1;
            size * (2.0 * stream.uniform(t as u64, lane) - 1.0)
        };
        let mut q: Vec<f64> = (0..model.position_count()).map(|_| any(3.0)).collect();
        let mut at = 0;
        for joint in model.joints() {
            let quaternion = match joint.kind {
                JointKind::Ball => Some(at),
                JointKind::Free => Some(at + 3),
                _ => None,
            };
            if let Some(at) = quaternion {
                let norm = q[at..at + 4].iter().map(|x| x * x).sum::<f64>().sqrt();
                q[at..at + 4].iter_mut().for_each(|x| *x /= norm);
            }
            at += joint.kind.position_count();
        }
        (q, (0..model.dof_count()).map(|_| any(5.0)).collect())
    })
}

#[test]
fn energy_from_poses_is_that_of_the_joint_coordinates() {
    for (trial, name) in MODELS.iter().enumerate() {
        let world = shipped(name);
        let system = System::new(&world).unwrap();
        let mut ws = Workspace::new(&system);
        let case = random_states(&world, trial as u64);
        let subject = case.subject();
        let by_poses = EnergyOfRows::new(&subject).unwrap();
        for row in 0..case.record.track.rows() {
            let expected = energy::energy(&system, &mut ws, case.record.track.q(row), case.record.track.v(row));
            let found = by_poses.row(row);
            for (a, b) in [
                (found.energy.kinetic, expected.kinetic),
                (found.energy.gravity, expected.gravity),
                (found.energy.elastic, expected.elastic),
            ] {
                // Both are sums of the same terms in a different order; the chain is thirty links deep.
                assert!((a - b).abs() <= 1e-12 * found.terms, "{name}: {a} and not {b}");
            }
        }
    }
}

#[test]
fn momentum_from_poses_is_that_of_the_joint_coordinates() {
    for (trial, name) in MODELS.iter().enumerate() {
        let world = shipped(name);
        let system = System::new(&world).unwrap();
        let mut ws = Workspace::new(&system);
        let case = random_states(&world, trial as u64);
        let subject = case.subject();
        let machine = Machine::new(&subject);
        for row in 0..case.record.track.rows() {
            let (q, v) = (case.record.track.q(row), case.record.track.v(row));
            let about_origin = energy::momentum(&system, &mut ws, q, v);
            let (_, centre) = energy::centre_of_mass(&system, &mut ws, q);
            let linear = Vec3::from(about_origin.linear);
            let angular = Vec3::from(about_origin.angular) - Vec3::from(centre).cross(&linear);
            let found = momentum_of_row(&subject, &machine, row);
            assert!((found.linear - linear).norm() <= 1e-12 * found.terms[0], "{name}");
            // About the origin the terms are larger by the distance of the centre of mass.
            let size = found.terms[1] + Vec3::from(centre).norm() * found.terms[0];
            assert!((found.angular - angular).norm() <= 1e-12 * size, "{name}");
        }
    }
}
