//! Model files not made for these tests.

use crate::worlds::*;
use std::sync::Arc;
use veracity_contact::{Paradigm, Penalty, PenaltySettings};
use veracity_dynamics::ConstantEfforts;
use veracity_dynamics::integrate::State;
use veracity_model::geometry::at;
use veracity_model::{Body, Inertia, Joint, JointKind, ModelBuilder, Placement, Pose, Shape, World};

fn shipped(name: &str) -> World {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios").join(name);
    let imported = veracity_model::import::load(&path, &Default::default());
    imported.world.unwrap_or_else(|| panic!("{}", imported.findings))
}

/// The file's world over a plane at a height.
fn over_ground(name: &str, height: f64) -> World {
    let mut world = shipped(name);
    let mut builder = ModelBuilder::new("ground");
    let ground = Body::new("ground", Inertia::solid_sphere(1.0, 1.0)).with_shape(Shape::Plane, Pose::identity());
    builder.add_body(ground, Joint::new("ground", JointKind::Fixed), None);
    world.placements.push(Placement {
        name: "ground".into(),
        model: Arc::new(builder.build().unwrap()),
        world_from_model: at(0.0, 0.0, height),
    });
    world
}

fn initial(world: &World) -> State {
    let q: Vec<f64> = world.placements.iter().flat_map(|p| p.model.initial_positions()).collect();
    let v = vec![0.0; world.placements.iter().map(|p| p.model.dof_count()).sum()];
    State { time: 0.0, q, v }
}

#[test]
fn shipped_models_fall_to_the_ground_without_gaining_energy() {
    // Each begins some centimetres above the ground.
    for (name, ground) in
        [("nao/nao_h25.urdf", -0.38), ("tinkertoy/tinkertoy.urdf", -0.02), ("weazelball/weazelball.sdf", -0.2)]
    {
        let world = over_ground(name, ground);
        let state = initial(&world);
        let mut run = Run { penalty: Penalty::new(&world, PenaltySettings::default()).unwrap(), state };
        let start = run.energy();
        let (mut least, mut worst, mut lowest, mut touched) = (start, 0.0_f64, 0.0_f64, false);
        for _ in 0..600 {
            run.steps(1, 1e-3);
            let now = run.energy();
            worst = worst.max(now - run.penalty.stored_energy() - least);
            least = least.min(now);
            lowest = lowest.min(run.penalty.touches().iter().fold(0.0, |a, t| t.gap.min(a)));
            touched |= run.penalty.touches().iter().any(|t| t.impulse[2] != 0.0);
        }
        let moved = start - least;
        println!("{name}: lost {moved:.2e} J, grew {worst:.1e} J, deepest {:.1} um", -1e6 * lowest);
        assert!(touched, "{name} touches nothing");
        // Velocity products of trees are explicit: an error of the order of the step in the exchanged energy. The ball
        // lies on the floor of its own file and is pushed out of the overlap caused by the file's rounded digits.
        assert!(worst < 0.02 * moved + 1e-4 * start.abs(), "{name}: {worst} of {moved}");
    }
}

#[test]
fn every_shipped_row_of_blocks_is_held_by_a_row_of_springs() {
    let lengths: &[usize] = if full() { &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] } else { &[1, 2, 11] };
    for &n in lengths {
        let world = shipped(&format!("block_row/block_row_{n}.sdf"));
        let mut state = initial(&world);
        let start = state.q.clone();
        let mut efforts = ConstantEfforts(vec![0.0; state.v.len()]);
        (efforts.0[0], efforts.0[1]) = (100.0 * n as f64, -100.0 * n as f64);
        let mut penalty = Penalty::new(&world, PenaltySettings::default()).unwrap();
        let (mut place, mut turn) = (0.0_f64, 0.0_f64);
        let mut iterations = 0;
        for _ in 0..2000 {
            iterations += penalty.step(&mut efforts, &mut state, 1e-3).unwrap().iterations;
            for (now, then) in state.q[2..].chunks_exact(7).zip(start[2..].chunks_exact(7)) {
                place = place.max((0..3).map(|k| (now[k] - then[k]).powi(2)).sum::<f64>().sqrt());
                turn = turn.max(2.0 * (now[4] * now[4] + now[5] * now[5] + now[6] * now[6]).sqrt());
            }
        }
        println!(
            "ACCEPT penalty-row-shipped-{n}: {:.2} um and {turn:.1e} rad in 2 s, {:.1} Newton steps each",
            1e6 * place,
            f64::from(iterations) / 2000.0
        );
        // As for time stepping.
        assert!(place < 20e-6 && turn < 1e-4, "n {n}: {place} {turn}");
    }
}
