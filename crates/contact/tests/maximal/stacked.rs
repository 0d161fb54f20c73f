//! "Stacked joints" (USARSim's comparison of engines): four blocks in a row, one motor joint held at an angle.
//!
//! No sizes were published. Chosen, before the first run: cubes of 0.2 m and 2 kg in a row along x, the first hinged to the world by a
//! motor about y that is to hold it 30 degrees up, the others locked to the one before by hinges whose two limits are
//! one; nothing but gravity acts. The motor is a position drive that gives way by 0.1 degrees under the weight when all is
//! solved exactly, so that the error seen is the solver's. The error is how far the joints' angles, added up, are from what was
//! asked for. Everything else is the default of time stepping, but for the solver.
//!
//! Published (sizes unknown): 2 to 3 degrees at 1/50 s and 8 iterations, flat below 1/200 s. Ours is flat from the same step on
//! and far worse above it: Gauss-Seidel by single rows on a cantilever of four equal blocks.

use crate::*;
use veracity_dynamics::ActuatorCommands;
use veracity_model::{Actuator, Drive, JointId};

const ANGLE: f64 = -30.0_f64 * std::f64::consts::PI / 180.0;

fn world() -> World {
    let mut builder = ModelBuilder::new("stacked");
    let mut parent = None;
    for i in 0..4 {
        let inertia = Inertia::solid_box(2.0, Vec3::repeat(0.2)).transformed(&at(0.1, 0.0, 0.0));
        let joint = Joint::new(format!("j{i}"), JointKind::revolute(Vec3::y())).at(at(
            if i == 0 { 0.0 } else { 0.2 },
            0.0,
            0.0,
        ));
        let locked = joint.each_dof(|d| {
            if i > 0 {
                (d.lower, d.upper) = (0.0, 0.0);
            }
        });
        parent = Some(builder.add_body(Body::new(format!("block{i}"), inertia), locked, parent));
    }
    // 8 kg at 0.4 m: 27 N m; 0.1 degrees under that is 16 kN m/rad.
    let drive = Drive::Position { kp: 1.6e4, kd: 1.6e3 };
    builder.add_actuator(Actuator { drive, ..Actuator::effort("motor", JointId(0)) });
    World::with_model(builder.build().unwrap())
}

/// What the drive gives way by under the weight of all blocks [degrees]: the error that no solver can take away.
fn drive_error() -> f64 {
    (8.0 * 9.81 * 0.4 * ANGLE.cos() / 1.6e4).to_degrees()
}

/// Error of the last block's direction, worst of the last half of two seconds [degrees].
fn error(solver: &str, step_s: f64, iterations: u32, warm_start: bool) -> f64 {
    let settings = SteppingSettings { solver: solver.into(), iterations, warm_start, ..Default::default() };
    let mut maximal = Maximal::new(&world(), settings).unwrap();
    let mut state = start(vec![ANGLE, 0.0, 0.0, 0.0], vec![0.0; 4]);
    let mut command = ActuatorCommands(vec![ANGLE]);
    let (steps, mut worst) = ((2.0 / step_s).round() as usize, 0.0_f64);
    for step in 0..steps {
        maximal.step(&mut command, &mut state, step_s).unwrap();
        if 2 * step >= steps {
            let sum: f64 = state.q.iter().sum();
            worst = worst.max((sum - ANGLE).abs().to_degrees());
        }
    }
    worst
}

#[test]
fn stacked_joints_give_way_when_the_step_is_large_and_the_iterations_few() {
    let rates = [50.0, 100.0, 200.0, 500.0, 1000.0];
    let row = |iterations: u32, warm: bool| rates.map(|rate| error("pgs", 1.0 / rate, iterations, warm));
    let mut warm = Vec::new();
    let mut cold = Vec::new();
    for iterations in [4, 8, 16, 32] {
        for (name, warm_start, table) in [("warm", true, &mut warm), ("cold", false, &mut cold)] {
            let errors = row(iterations, warm_start);
            println!(
                "ACCEPT maximal-stacked-{name}-{iterations}: {errors:.2?} degrees at 1/50, 1/100, 1/200, 1/500, 1/1000 s"
            );
            table.push(errors);
        }
    }
    let own = drive_error();
    // As published: degrees at 1/50 s and 8 iterations; flat from 1/200 s on, at what the drive itself gives way.
    assert!(warm[1][0] > 2.0, "{warm:?}");
    for error in &warm[1][2..] {
        assert!((error - own).abs() < 0.5 * own, "{warm:?}");
    }
    // Without the impulses of the last step each one begins from nothing: the error is in proportion to step and sweeps.
    for errors in &cold {
        assert!(errors.windows(2).all(|pair| pair[1] < 0.7 * pair[0]), "{cold:?}");
    }
    for column in 0..rates.len() {
        assert!(cold.windows(2).all(|pair| pair[1][column] < 0.7 * pair[0][column]), "{cold:?}");
    }
}

#[test]
fn solved_to_the_end_only_the_drive_gives_way() {
    // The control: the error above is the solver's.
    for rate in [50.0, 1000.0] {
        let error = error("newton", 1.0 / rate, 1000, true);
        assert!((error / drive_error() - 1.0).abs() < 0.01, "{rate}: {error}");
    }
}
