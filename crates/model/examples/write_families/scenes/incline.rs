//! Cubes on ramps in six headings, just below and just above the slip angle.
//!
//! Published: the idea (slip angle atan μ, isotropy over heading). Chosen: cubes of 0.1 m and 1 kg, friction 0.5 (a
//! common dry contact, and a cube does not tip before it slides), 0.01 degree to either side (the required accuracy of
//! the angle), and headings that are not a symmetry of a pyramid with four or eight sides.

use super::written::{END, Place, Solid, Surface, single, world};

const FRICTION: f64 = 0.5;
const HEADINGS_DEG: [f64; 6] = [0.0, 15.0, 30.0, 45.0, 117.0, 250.0];
const SLAB: [f64; 3] = [1.0, 0.4, 0.1];
const SIDE: f64 = 0.1;
/// Distance between ramps, so that none touches another [m].
const SPACING: f64 = 2.0;

/// The files just below and just above the slip angle.
pub fn files() -> Vec<(String, String)> {
    let file = |name: &str, offset_deg: f64| (format!("incline/{name}.sdf"), sdf(name, offset_deg));
    vec![file("incline_holds", -0.01), file("incline_slides", 0.01)]
}

fn sdf(name: &str, offset_deg: f64) -> String {
    let angle = FRICTION.atan() + offset_deg.to_radians();
    let about = format!("Six cubes of 0.1 m and 1 kg on ramps at atan(0.5) {offset_deg:+} degrees, in six headings.");
    let mut text = world(name, 9.81, &about);
    let surface = Surface { friction: FRICTION, restitution: 0.0 };
    for (i, heading) in HEADINGS_DEG.iter().enumerate() {
        let yaw = heading.to_radians();
        let middle = [SPACING * i as f64, 0.0, 1.0];
        let at = |along: f64, out: f64| -> Place {
            // Pitch rotates x downwards; then yaw.
            let (x, z) = (along * angle.cos() + out * angle.sin(), -along * angle.sin() + out * angle.cos());
            [middle[0] + x * yaw.cos(), middle[1] + x * yaw.sin(), middle[2] + z, 0.0, angle, yaw]
        };
        text += &single(&format!("ramp_{i}"), at(0.0, 0.0), None, Solid::Box(SLAB), surface);
        let cube = at(-0.3, 0.5 * (SLAB[2] + SIDE));
        text += &single(&format!("cube_{i}"), cube, Some(1.0), Solid::Box([SIDE; 3]), surface);
    }
    text + END
}
