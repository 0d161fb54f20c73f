//! Balls dropped on plates, each pair with its own restitution.
//!
//! Published: the idea (apex e² h). Chosen: radius 0.1 m, 1 kg, falling by 1 m (so that apexes are e² metres), no friction.

use super::written::{END, Solid, Surface, single, world};

const RESTITUTIONS: [f64; 5] = [0.25, 0.5, 0.75, 0.9, 1.0];

pub fn files() -> Vec<(String, String)> {
    let mut text = world("bounce", 9.81, "Balls of 0.1 m radius and 1 kg, 1 m over plates of their own restitution.");
    for (i, &restitution) in RESTITUTIONS.iter().enumerate() {
        let surface = Surface { friction: 0.0, restitution };
        let x = i as f64;
        let plate = [x, 0.0, -0.05, 0.0, 0.0, 0.0];
        text += &single(&format!("plate_{i}"), plate, None, Solid::Box([0.5, 0.5, 0.1]), surface);
        let ball = [x, 0.0, 1.1, 0.0, 0.0, 0.0];
        text += &single(&format!("ball_{i}"), ball, Some(1.0), Solid::Ball(0.1), surface);
    }
    vec![("bounce/bounce.sdf".to_string(), text + END)]
}
