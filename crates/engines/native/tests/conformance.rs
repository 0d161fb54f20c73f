//! The conformance suite over the native engine, under each of its integrators and paradigms.

use veracity_engine::conformance::{self, Host, Subject, process};
use veracity_engine::{Engine, LoadOptions, Samples};
use veracity_engine_native::ENGINE;

#[global_allocator]
static ALLOCATOR: veracity_counting::Counting = veracity_counting::Counting;

/// The suite runs this in a separate process; run directly it does nothing.
#[test]
fn resume_task() {
    process::answer_if_asked(&ENGINE);
}

fn hold(spec: &str) {
    hold_but(spec, &[]);
}

/// Tests a spec against all claims except some, each with its reason.
fn hold_but(spec: &str, exceptions: &[(&str, &str)]) {
    let settings = ENGINE.resolve(&spec.parse().unwrap()).unwrap();
    let fresh_process = |resume_task: &process::ResumeTask| process::in_this_test_binary("resume_task", resume_task);
    let host = Host { fresh_process: Some(&fresh_process), allocations: Some(veracity_counting::allocations) };
    let subject = Subject { engine: &ENGINE, settings: &settings, step_s: 1e-3, host };
    match conformance::hold(&subject, exceptions) {
        Ok(table) => println!("{table}"),
        Err(broken) => panic!("{broken}"),
    }
}

#[test]
fn euler_conforms() {
    hold("native:euler");
}

#[test]
fn rk4_conforms() {
    hold("native:rk4");
}

#[test]
fn dop853_conforms() {
    hold("native:dop853");
}

#[test]
fn midpoint_conforms() {
    hold("native:midpoint");
}

#[test]
fn implicit_conforms() {
    hold("native:implicit");
}

#[test]
fn stepping_conforms() {
    hold("native:paradigm=stepping");
}

#[test]
fn stepping_in_maximal_coordinates_conforms() {
    hold("native:paradigm=stepping,coordinates=maximal");
}

#[test]
fn penalty_conforms() {
    let why = "a stiff contact is over within a millisecond; smaller steps see it bounce";
    hold_but("native:paradigm=penalty", &[("contact-bounce", why)]);
}

#[test]
fn event_conforms() {
    hold("native:paradigm=event");
}

/// The reason of the exception above: with smaller steps a ball of restitution 1/2 rises to a quarter of its height.
#[test]
fn compliant_contacts_bounce_where_the_step_resolves_them() {
    let scene = conformance::scenes::ball_above_ground(0.05, 0.5);
    let settings = ENGINE.resolve(&"native:paradigm=penalty".parse().unwrap()).unwrap();
    let off = |step_s: f64| {
        let options = LoadOptions { step_s };
        let mut simulation = ENGINE.load(&scene.world, &settings, &options).unwrap();
        simulation.set_state(0.0, &scene.q, &scene.v).unwrap();
        let mut highest = 0.0f64;
        let mut none = Samples::none(simulation.layout());
        // From after the impact to after the top: 0.101 s and 0.05 s.
        for n in (105..170).map(f64::from) {
            simulation.advance((n * 1e-3 / step_s).round() * step_s, &scene.inputs, &mut none).unwrap();
            highest = highest.max(simulation.q()[2] - 0.1);
        }
        (highest - 0.0125).abs()
    };
    let (coarse, fine) = (off(2e-5), off(5e-6));
    // Order 1: four times the steps, a quarter of the error; a factor of two is not noise.
    assert!(fine < 0.5 * coarse && fine < 2e-3, "{coarse:e} {fine:e}");
}
