//! A round tower of blocks, each block bridging two below.
//!
//! Published: six floors on eight base blocks. Chosen: floors of eight blocks each, 0.23 x 0.1 x 0.1 m and 1 kg, in a
//! ring of 0.35 m, every floor rotated by half a block, friction 0.8 (dry stone): each block rests on two ends of 0.09
//! m, far from sliding or tipping, so that a tower falls only because of numerical errors.

use super::written::{END, Solid, Surface, round, single, world};
use std::f64::consts::PI;

const FLOORS: usize = 6;
const PER_FLOOR: usize = 8;
const RING: f64 = 0.35;
const BLOCK: [f64; 3] = [0.1, 0.23, 0.1];

pub fn files() -> Vec<(String, String)> {
    let mut text = world("tower", 9.81, "A round tower: six floors of eight blocks.");
    let surface = Surface { friction: 0.8, restitution: 0.0 };
    text += &single("ground", [0.0; 6], None, Solid::Ground, surface);
    for floor in 0..FLOORS {
        for i in 0..PER_FLOOR {
            let angle = (i as f64 + 0.5 * (floor % 2) as f64) * 2.0 * PI / PER_FLOOR as f64;
            let z = BLOCK[2] * (floor as f64 + 0.5);
            let place = [round(RING * angle.cos()), round(RING * angle.sin()), round(z), 0.0, 0.0, angle];
            text += &single(&format!("block_{floor}_{i}"), place, Some(1.0), Solid::Box(BLOCK), surface);
        }
    }
    vec![("tower/tower.sdf".to_string(), text + END)]
}
