//! Speed and energy error of RK4 on a robot: our side of `cargo xtask bench dynamics`.
//!
//! ```text
//! rk4_speed ROBOT.urdf fixed|free STEPS
//! ```
//!
//! `fixed` starts at rest in the zero position under gravity; `free` floats without gravity, every joint turning at
//! 1 rad/s. `bench/mujoco_rk4.c` is the other side and says what the numbers mean; both print the same line of JSON.

use rustix::time::{ClockId, clock_gettime};
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use veracity_dynamics::integrate::IntegratorSettings;
use veracity_dynamics::{NoEfforts, SmoothSimulation, System};
use veracity_model::import::{Base, ImportOptions, load};
use veracity_model::{Body, Findings, Model, ModelBuilder, Vec3};

const STEP_S: f64 = 1e-3;
const GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.81);
const PROBE_STEPS: usize = 200;
const EARLY_STEPS: usize = 2000;
/// [rad/s] in the base's frame.
const BASE_ANGULAR_VELOCITY: [f64; 3] = [0.3, 0.5, 0.7];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("rk4_speed: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let [file, base, steps] = arguments else {
        return Err("usage: rk4_speed ROBOT.urdf fixed|free STEPS".into());
    };
    let base = match base.as_str() {
        "fixed" => Base::Fixed,
        "free" => Base::Free,
        other => return Err(format!("'{other}' is neither fixed nor free").into()),
    };
    let steps: usize = steps.parse()?;
    if steps <= EARLY_STEPS {
        return Err(format!("{steps} steps are too few; give more than {EARLY_STEPS}").into());
    }
    let system = prepare(Path::new(file), base)?;
    let (q, v) = (system.neutral_positions().to_vec(), start_velocities(&system, base));
    let dofs = system.dof_count();
    let settings = IntegratorSettings { step_s: STEP_S, ..IntegratorSettings::default() };
    let mut simulation = SmoothSimulation::new(system, "rk4", settings)?;

    // Energy, evaluated after every step, in a separate run.
    simulation.set_state(0.0, &q, &v)?;
    let start = simulation.energy();
    let (mut worst, mut peak_kinetic) = (0.0_f64, start.kinetic);
    let (mut kinetic_at_probe, mut early_error) = (0.0, 0.0);
    for step in 1..=steps {
        simulation.step(&mut NoEfforts, STEP_S)?;
        let now = simulation.energy();
        worst = worst.max((now.total() - start.total()).abs());
        peak_kinetic = peak_kinetic.max(now.kinetic);
        if step == PROBE_STEPS {
            kinetic_at_probe = now.kinetic;
        }
        if step == EARLY_STEPS {
            early_error = worst / peak_kinetic;
        }
    }

    simulation.set_state(0.0, &q, &v)?;
    let begun = cpu_seconds();
    for _ in 0..steps {
        simulation.step(&mut NoEfforts, STEP_S)?;
    }
    let used = cpu_seconds() - begun;

    let (steps_per_s, energy_error) = (steps as f64 / used, worst / peak_kinetic);
    println!(
        "{{\"dofs\": {dofs}, \"steps_per_s\": {steps_per_s:e}, \"early_error\": {early_error:e}, \
         \"energy_error\": {energy_error:e}, \"kinetic_at_probe\": {kinetic_at_probe:e}}}"
    );
    Ok(())
}

/// The robot without anything that dissipates energy.
fn prepare(file: &Path, base: Base) -> Result<System, Box<dyn Error>> {
    let imported = load(file, &ImportOptions { base: Some(base), ..ImportOptions::default() });
    let Some(world) = imported.world else { return Err(imported.findings.into()) };
    let [placement] = &world.placements[..] else { return Err("a URDF has one robot".into()) };
    let gravity = if base == Base::Free { Vec3::zeros() } else { GRAVITY };
    Ok(System::from_model(&bare(&placement.model)?, gravity)?)
}

/// Velocities at the start; positions are neutral.
fn start_velocities(system: &System, base: Base) -> Vec<f64> {
    if base == Base::Fixed {
        return vec![0.0; system.dof_count()];
    }
    let mut v = vec![1.0; system.dof_count()];
    v[..3].copy_from_slice(&BASE_ANGULAR_VELOCITY);
    v[3..6].fill(0.0);
    v
}

/// Bodies and joints only, without couplings, damping, dry friction and springs, as `bench/compile_for_mujoco.py` does.
fn bare(model: &Model) -> Result<Model, Findings> {
    let mut builder = ModelBuilder::new(model.name());
    for (body, joint) in model.bodies().iter().zip(model.joints()) {
        let body = Body { linear_damping: 0.0, angular_damping: 0.0, ..body.clone() };
        let joint = joint.clone().each_dof(|dof| (dof.damping, dof.friction, dof.stiffness) = (0.0, 0.0, 0.0));
        let parent = joint.parent;
        builder.add_body(body, joint, parent);
    }
    builder.build()
}

fn cpu_seconds() -> f64 {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    now.tv_sec as f64 + 1e-9 * now.tv_nsec as f64
}
