//! A plate pushed over 25 balls.
//!
//! Published: 5 x 5 balls of 1 kg under a plate of 10 kg, pushed along its diagonal with 150 N, friction 0.4 on the
//! ground and 0.8 on balls and plate. Chosen: balls of 0.1 m radius, 4 m apart, a plate of 20 x 20 x 0.01 m. The plate
//! moves ahead of the balls by 2 t² metres, which unloads the rear ones; the corner ball slips once its load has fallen
//! by a tenth, which happens later the farther apart the balls are: at 4 m after 0.39 s.

use super::written::{END, Solid, Surface, round, single, world};

const SPACING: f64 = 4.0;
const RADIUS: f64 = 0.1;
const PLATE: [f64; 3] = [20.0, 20.0, 0.01];

pub fn files() -> Vec<(String, String)> {
    let mut text = world("rolling", 9.81, "5 x 5 balls of 1 kg between the ground and a plate of 10 kg.");
    let surface = |friction| Surface { friction, restitution: 0.0 };
    text += &single("ground", [0.0; 6], None, Solid::Ground, surface(0.4));
    let plate = [0.0, 0.0, round(2.0 * RADIUS + 0.5 * PLATE[2]), 0.0, 0.0, 0.0];
    text += &single("plate", plate, Some(10.0), Solid::Box(PLATE), surface(0.8));
    for i in 0..25 {
        let [x, y] = [i % 5, i / 5].map(|k| SPACING * (k as f64 - 2.0));
        text += &single(
            &format!("ball_{i}"),
            [x, y, RADIUS, 0.0, 0.0, 0.0],
            Some(1.0),
            Solid::Ball(RADIUS),
            surface(0.8),
        );
    }
    vec![("rolling/rolling.sdf".to_string(), text + END)]
}
