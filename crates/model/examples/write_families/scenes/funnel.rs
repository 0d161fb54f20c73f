//! Balls that fall into an inverted pyramid.
//!
//! Published: the idea, and what is counted. Chosen: four walls of 0.02 m at 45 degrees, 1 m long, closed at the tip;
//! 48 balls of 0.04 m radius and 1 kg in three layers of 4 x 4, the lowest 0.5 m above the tip, friction 0.3 (walls of
//! painted wood).

use super::written::{END, Place, Solid, Surface, link, round, single, world};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

const THICK: f64 = 0.02;
const LONG: f64 = 1.0;

pub fn files() -> Vec<(String, String)> {
    let surface = Surface { friction: 0.3, restitution: 0.0 };
    let mut text = world("funnel", 9.81, "48 balls over a pyramid of four walls that stands on its tip.");
    // A wall's inner face passes through the tip at the origin and rises at 45 degrees.
    let wall = |k: usize| -> (Solid, Place) {
        let yaw = FRAC_PI_2 * k as f64;
        let out = 0.5 * LONG * FRAC_PI_4.cos() + 0.5 * THICK * FRAC_PI_4.sin();
        let z = 0.5 * LONG * FRAC_PI_4.sin() - 0.5 * THICK * FRAC_PI_4.cos();
        let place = [round(out * yaw.cos()), round(out * yaw.sin()), round(z), 0.0, -FRAC_PI_4, yaw];
        (Solid::Box([LONG, 2.0 * LONG, THICK]), place)
    };
    let walls: Vec<(Solid, Place)> = (0..4).map(wall).collect();
    text += "    <model name=\"funnel\">\n      <static>true</static>\n";
    text += &link("walls", [0.0; 6], None, &walls, surface);
    text += "    </model>\n";
    let layers = [(4, 0.5), (4, 0.6), (4, 0.7)];
    let mut count = 0;
    for (side, z) in layers {
        for i in 0..side * side {
            let [x, y] = [i % side, i / side].map(|k| 0.1 * (k as f64 - 0.5 * (side as f64 - 1.0)));
            let place = [round(x), round(y), round(z), 0.0, 0.0, 0.0];
            text += &single(&format!("ball_{count}"), place, Some(1.0), Solid::Ball(0.04), surface);
            count += 1;
        }
    }
    vec![("funnel/funnel.sdf".to_string(), text + END)]
}
