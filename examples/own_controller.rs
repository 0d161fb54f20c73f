//! Closes a loop around an engine with a function: `cargo run -p veracity --example own_controller`.
//!
//! A pendulum is held at half a radian by a PD law that runs at 1 kHz and acts 2 ms later.

use std::error::Error;
use std::sync::Arc;
use veracity::control::{ChannelLayout, Command, ControllerPart, Memoryless, Observation, Timing};
use veracity::engine::Engine;
use veracity::lab::{Session, SessionSetup};
use veracity::native::ENGINE;
use veracity::scenario::Scenario;

/// Wanted angle [rad].
const TARGET: f64 = 0.5;

fn main() -> Result<(), Box<dyn Error>> {
    let scenario = Scenario::built_in("simple_pendulum").map_err(|findings| findings.to_string())?;
    let (duration_ns, step_ns) = (scenario.duration_ns, scenario.step_ns);
    let setup = SessionSetup { scenario: Arc::new(scenario), overrides: Vec::new(), step_ns, seed: 0, index: 0 };
    let settings = ENGINE.resolve(&"native".parse()?)?;
    let session = Session::open_with(&ENGINE, &settings, setup, |around, _| {
        let moving = around.layout.joints.iter().find(|joint| joint.kind.dof_count() > 0);
        let joint = moving.expect("the pendulum has a hinge").name.clone();
        let command = Arc::new(ChannelLayout { channels: vec![(format!("efforts/{joint}"), "N m".to_string())] });
        let timing = Timing { period_ns: 1_000_000, phase_ns: 0, latency_ns: 2_000_000, deadline_ns: None };
        let law = move |_time_ns: i64, seen: &Observation, command: &mut Command| {
            let read = |what: &str| seen.layout.place(&format!("{joint}/{what}")).map_or(0.0, |i| seen.values[i]);
            command.values[0] = 200.0 * (TARGET - read("position")) - 40.0 * read("velocity");
        };
        let controller = Box::new(Memoryless(law));
        Ok(vec![ControllerPart { name: "hold".to_string(), timing, controller, command, noise: Default::default() }])
    });
    let mut session = session.map_err(|refusal| format!("{:?}", refusal.0))?;
    for tenth in 1..=10 {
        session.advance_to(duration_ns * tenth / 10);
        println!("{:6.2} s  {:9.6} rad", session.time_ns() as f64 * 1e-9, session.simulation().q()[0]);
    }
    let record = session.finish();
    println!("ended: {:?}", record.outcome);
    Ok(())
}
