//! Stacked cubes, and a single one.
//!
//! | file | published | chosen |
//! |---|---|---|
//! | `stack` | boxes with a small gap at the start | ten cubes of 0.1 m and 1 kg, 1 mm between them, friction 0.5: as high as a person would build |
//! | `mass_ratio` | a heavy box on a light one, ratio 1 to 1e6 | cubes of 0.1 m; the light one has 1 kg |
//! | `cube` | a cube at rest for hours | 0.1 m, 1 kg, friction 0.5 |

use super::written::{END, Solid, Surface, round, single, world};

const SIDE: f64 = 0.1;

const HEAVY: &str = "# Written by the example write_families.\nschema = 1\nmodel = \"cube_1\"\n\n[[known]]\ncode = \"density\"\n\
    subject = \"cube_1/bodies/cube_1\"\nwhy = \"the ratio of masses is the experiment, not the stuff\"\n";

pub fn files() -> Vec<(String, String)> {
    let surface = Surface { friction: 0.5, restitution: 0.0 };
    let pile = |name: &str, about: &str, gap: f64, masses: &[f64]| {
        let mut text = world(name, 9.81, about);
        text += &single("ground", [0.0; 6], None, Solid::Ground, surface);
        for (i, &mass) in masses.iter().enumerate() {
            let z = round(SIDE * (i as f64 + 0.5) + gap * (i as f64 + 1.0));
            let place = [0.0, 0.0, z, 0.0, 0.0, 0.0];
            text += &single(&format!("cube_{i}"), place, Some(mass), Solid::Box([SIDE; 3]), surface);
        }
        (format!("stacks/{name}.sdf"), text + END)
    };
    vec![
        pile("stack", "Ten cubes of 0.1 m and 1 kg, a millimetre over each other.", 1e-3, &[1.0; 10]),
        pile("mass_ratio", "A cube of 1000 t on one of 1 kg.", 0.0, &[1.0, 1e6]),
        ("stacks/mass_ratio.sdf.toml".to_string(), HEAVY.to_string()),
        pile("cube", "A cube of 0.1 m and 1 kg on the ground.", 0.0, &[1.0]),
    ]
}
