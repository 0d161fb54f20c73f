//! Builds a double pendulum in code, moves it on an engine and prints where it goes: `cargo run -p veracity --example simulate`.

use std::error::Error;
use veracity::engine::{Engine, Inputs, LoadOptions, Samples};
use veracity::model::{Body, Inertia, Joint, JointKind, ModelBuilder, Pose, Vec3, World};
use veracity::native::ENGINE;

fn main() -> Result<(), Box<dyn Error>> {
    let mut builder = ModelBuilder::new("double_pendulum");
    let link = |name: &str| Body::new(name, Inertia::point_mass(1.0, Vec3::new(0.0, 0.0, -1.0)));
    let hinge = |name: &str| Joint::new(name, JointKind::revolute(Vec3::y()));
    let upper = builder.add_body(link("upper"), hinge("shoulder"), None);
    let mut elbow = hinge("elbow");
    elbow.parent_from_joint = Pose::translation(0.0, 0.0, -1.0);
    builder.add_body(link("lower"), elbow, Some(upper));
    let world = World::with_model(builder.build()?);

    let settings = ENGINE.resolve(&"native:dop853,tolerance=1e-10".parse()?)?;
    let mut simulation = ENGINE.load(&world, &settings, &LoadOptions { step_s: 1e-3 })?;
    simulation.set_state(0.0, &[1.0, 0.5], &[0.0, 0.0])?;
    let mut samples = Samples::none(simulation.layout());
    println!("  time_s  shoulder_rad  elbow_rad");
    for tenth in 1..=20 {
        let time_s = 0.1 * f64::from(tenth);
        simulation.advance(time_s, &Inputs::none(2), &mut samples)?;
        println!("{time_s:8.1} {:13.6} {:10.6}", simulation.q()[0], simulation.q()[1]);
    }
    Ok(())
}
