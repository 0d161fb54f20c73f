//! A box in a tight cage, shaken.
//!
//! Published: the idea. Chosen: a cube of 0.1 m and 1 kg between six walls with 0.1 mm of clearance on every side, a
//! cage of 10 kg on a slider along the room's diagonal, friction 0.5.

use super::written::{END, Place, Solid, Surface, link, single, slider, world};

const SIDE: f64 = 0.1;
const ROOM: f64 = 1e-4;
const WALL: f64 = 0.02;

pub fn files() -> Vec<(String, String)> {
    let surface = Surface { friction: 0.5, restitution: 0.0 };
    let mut text = world("caged_box", 9.81, "A cube of 0.1 m between six walls with 0.1 mm of room on every side.");
    let half = 0.5 * SIDE + ROOM + 0.5 * WALL;
    let wide = SIDE + 2.0 * ROOM + 2.0 * WALL;
    let wall = |axis: usize, side: f64| -> (Solid, Place) {
        let mut size = [wide; 3];
        size[axis] = WALL;
        let mut place = [0.0; 6];
        place[axis] = side * half;
        (Solid::Box(size), place)
    };
    let walls: Vec<(Solid, Place)> = (0..3).flat_map(|axis| [wall(axis, -1.0), wall(axis, 1.0)]).collect();
    text += "    <model name=\"cage\">\n";
    text += &link("cage", [0.0; 6], Some(10.0), &walls, surface);
    // The diagonal of the room, so that every wall is hit.
    let third = (1.0f64 / 3.0).sqrt();
    text += &slider("shaker", "cage", [third; 3], [-1.0, 1.0]);
    text += "    </model>\n";
    text += &single("box", [0.0; 6], Some(1.0), Solid::Box([SIDE; 3]), surface);
    let sidecar = "# Written by the example write_families.\nschema = 1\nmodel = \"cage\"\n\n[[actuator]]\njoint = \"shaker\"\n";
    vec![("cage/caged_box.sdf.toml".to_string(), sidecar.to_string()), ("cage/caged_box.sdf".to_string(), text + END)]
}
