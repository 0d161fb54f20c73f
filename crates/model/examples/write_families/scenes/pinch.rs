//! Objects held between two plates that slide towards each other.
//!
//! | file | published | chosen |
//! |---|---|---|
//! | `pinch` | a cube of 0.1 m and 1 kg, friction 1, between plates of 0.04 x 0.1 x 0.1 m and 1 kg at x = ±0.07 m and z = 1 m, pushed with 100 N each | |
//! | `creep` | a capsule of 45 g, pinched at 1.01 to 95 times the force needed to hold it | radius 0.01 m, 0.05 m long between the balls, lying across the fingers; friction 0.5; four of them, 0.5 m apart |
//!
//! The scenarios define the forces.

use super::written::{END, Solid, Surface, link, single, slider, world};
use std::f64::consts::FRAC_PI_2;

/// Margins of the four capsules.
const COUNT: usize = 4;

pub fn files() -> Vec<(String, String)> {
    let mut out = Vec::new();
    let surface = Surface { friction: 1.0, restitution: 0.0 };
    let mut text = world("pinch", 9.81, "A cube of 0.1 m and 1 kg between two plates on sliders.");
    text += "    <model name=\"hand\">\n";
    text += &plate("left", [-0.07, 0.0, 1.0], [0.04, 0.1, 0.1], surface);
    text += &plate("right", [0.07, 0.0, 1.0], [0.04, 0.1, 0.1], surface);
    text += "    </model>\n";
    text += &single("cube", [0.0, 0.0, 1.0, 0.0, 0.0, 0.0], Some(1.0), Solid::Box([0.1; 3]), surface);
    out.push(("pinch/pinch.sdf".to_string(), text + END));
    out.push(("pinch/pinch.sdf.toml".to_string(), sidecar(&["left".to_string(), "right".to_string()])));

    let surface = Surface { friction: 0.5, restitution: 0.0 };
    let mut text = world("creep", 9.81, "Four capsules of 45 g, each between two plates on sliders.");
    text += "    <model name=\"hands\">\n";
    let mut fingers = Vec::new();
    for i in 0..COUNT {
        for (side, x) in [("left", -0.02), ("right", 0.02)] {
            let name = format!("{side}_{i}");
            // Half of the plate's thickness beyond the capsule's radius.
            text += &plate(&name, [x, 0.5 * i as f64, 1.0], [0.02, 0.1, 0.1], surface);
            fingers.push(name);
        }
    }
    text += "    </model>\n";
    for i in 0..COUNT {
        let place = [0.0, 0.5 * i as f64, 1.0, FRAC_PI_2, 0.0, 0.0];
        text += &single(&format!("capsule_{i}"), place, Some(0.045), Solid::Capsule(0.01, 0.05), surface);
    }
    out.push(("pinch/creep.sdf".to_string(), text + END));
    out.push(("pinch/creep.sdf.toml".to_string(), sidecar(&fingers)));
    out
}

/// A plate of 1 kg on a slider along x.
fn plate(name: &str, [x, y, z]: [f64; 3], size: [f64; 3], surface: Surface) -> String {
    let body = link(name, [x, y, z, 0.0, 0.0, 0.0], Some(1.0), &[(Solid::Box(size), [0.0; 6])], surface);
    body + &slider(&format!("{name}_slider"), name, [1.0, 0.0, 0.0], [-1.0, 1.0])
}

fn sidecar(plates: &[String]) -> String {
    let model = if plates.len() == 2 { "hand" } else { "hands" };
    let head = format!("# Written by the example write_families.\nschema = 1\nmodel = \"{model}\"\n");
    plates.iter().fold(head, |text, name| text + &format!("\n[[actuator]]\njoint = \"{name}_slider\"\n"))
}
