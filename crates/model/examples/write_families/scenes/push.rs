//! Cubes on the ground, each pushed in its own direction by a force just below or above the friction limit.
//!
//! Published: the idea. Chosen: the cubes of the incline; the scenarios define the forces.

use super::written::{END, Solid, Surface, single, world};

/// Number of cubes: one for each heading of the scenarios.
const COUNT: usize = 6;

pub fn files() -> Vec<(String, String)> {
    let surface = Surface { friction: 0.5, restitution: 0.0 };
    let mut text = world("push", 9.81, "Six cubes of 0.1 m and 1 kg on the ground, friction 0.5.");
    text += &single("ground", [0.0; 6], None, Solid::Ground, surface);
    for i in 0..COUNT {
        let place = [i as f64, 0.0, 0.05, 0.0, 0.0, 0.0];
        text += &single(&format!("cube_{i}"), place, Some(1.0), Solid::Box([0.1; 3]), surface);
    }
    vec![("push/push.sdf".to_string(), text + END)]
}
