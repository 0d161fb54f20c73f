//! Maximal compared with reduced coordinates: the same motion as the step shrinks, and the cost of joints as rows.

mod chains;
mod efforts;
mod stacked;

use veracity_contact::stepping::SteppingSettings;
use veracity_contact::{Maximal, Paradigm, Stepping};
use veracity_dynamics::integrate::State;
use veracity_dynamics::{Efforts, NoEfforts};
use veracity_model::geometry::at;
use veracity_model::{Body, Inertia, Joint, JointKind, ModelBuilder, Vec3, World};

/// Links of 1 kg, 0.5 m along x with a section of 0.1 m, each hinged to the end of the previous one; axes alternate
/// between y and z.
fn chain(links: usize, kind: impl Fn(usize) -> JointKind, change: impl Fn(&mut veracity_model::Dof)) -> World {
    let mut builder = ModelBuilder::new("chain");
    let mut parent = None;
    for i in 0..links {
        let size = Vec3::new(0.5, 0.1, 0.1);
        let inertia = Inertia::solid_box(1.0, size).transformed(&at(0.25, 0.0, 0.0));
        let joint = Joint::new(format!("j{i}"), kind(i)).at(at(if i == 0 { 0.0 } else { 0.5 }, 0.0, 0.0));
        parent = Some(builder.add_body(Body::new(format!("link{i}"), inertia), joint.each_dof(&change), parent));
    }
    World::with_model(builder.build().unwrap())
}

fn hinges(i: usize) -> JointKind {
    JointKind::revolute(if i.is_multiple_of(2) { Vec3::y() } else { Vec3::z() })
}

fn start(q: Vec<f64>, v: Vec<f64>) -> State {
    State { time: 0.0, q, v }
}

/// Runs to a time and returns the state there.
fn to_time(paradigm: &mut dyn Paradigm, efforts: &mut dyn Efforts, mut state: State, time_s: f64, h: f64) -> State {
    for _ in 0..(time_s / h).round() as usize {
        paradigm.step(efforts, &mut state, h).unwrap();
    }
    state
}

/// The same motion in both coordinates, reduced first.
fn both(world: &World, efforts: &mut dyn Efforts, state: &State, time_s: f64, h: f64) -> [State; 2] {
    let settings = SteppingSettings::default();
    let mut reduced = Stepping::new(world, settings.clone()).unwrap();
    let mut maximal = Maximal::new(world, settings).unwrap();
    let mut run = |p: &mut dyn Paradigm| to_time(p, efforts, state.clone(), time_s, h);
    [run(&mut reduced), run(&mut maximal)]
}

/// Largest difference of joint positions.
fn apart(states: &[State; 2]) -> f64 {
    states[0].q.iter().zip(&states[1].q).fold(0.0, |worst, (a, b)| (a - b).abs().max(worst))
}

fn none() -> NoEfforts {
    NoEfforts
}
