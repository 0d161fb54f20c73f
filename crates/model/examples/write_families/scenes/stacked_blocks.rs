//! A stack of blocks on one motor.
//!
//! Published: the bottom block is fixed to the world, the next one is connected to it by a revolute joint, further
//! blocks are stacked on that by fixed joints (four bodies, four joints); a very stiff spring holds the revolute joint
//! at an angle while gravity loads the stack. README.md states what was chosen, and why. Gravity is tilted instead of
//! the stack: the loads are the same, and zero is the commanded angle. The very stiff spring is a joint between two
//! stops 2e-5 rad apart (with equal stops SDF means a fixed joint). The fixed joints close loops between free bodies,
//! so that engines in maximal coordinates have to hold them; a fixed joint of the tree would merge three bodies into
//! one.

use super::written::{END, Solid, Surface, link, round};

/// Side of a block [m].
const SIDE: f64 = 0.1;

pub fn files() -> Vec<(String, String)> {
    let surface = Surface { friction: 0.5, restitution: 0.0 };
    // All digits, so that its length is that of gravity.
    let gravity = [9.81 * 0.5, 0.0, -9.81 * 0.75f64.sqrt()];
    let mut text = format!(
        "<?xml version=\"1.0\"?>\n<!-- Four blocks of 1 kg, one on the other, the lowest fixed; gravity is tilted by 30 \
         degrees.\n     Written by the example write_families; README.md has the source of the numbers. -->\n<sdf version=\"1.9\">\n  \
         <world name=\"stacked_blocks\">\n    <gravity>{} {} {}</gravity>\n    <model name=\"stack\">\n      \
         <self_collide>false</self_collide>\n",
        gravity[0], gravity[1], gravity[2]
    );
    for i in 0..4 {
        let z = round(SIDE * (i as f64 + 0.5));
        let solid = [(Solid::Box([SIDE; 3]), [0.0; 6])];
        text += &link(&format!("block_{i}"), [0.0, 0.0, z, 0.0, 0.0, 0.0], Some(1.0), &solid, surface);
    }
    text += "      <joint name=\"foot\" type=\"fixed\">\n        <parent>world</parent>\n        <child>block_0</child>\n      \
             </joint>\n      <joint name=\"motor\" type=\"revolute\">\n        <pose>0 0 -0.05 0 0 0</pose>\n        \
             <parent>block_0</parent>\n        <child>block_1</child>\n        <axis>\n          <xyz>0 1 0</xyz>\n          \
             <limit><lower>-0.00001</lower><upper>0.00001</upper></limit>\n        </axis>\n      </joint>\n";
    let mut sidecar = String::from("# Written by the example write_families.\nschema = 1\n");
    for i in 2..4 {
        sidecar += &format!(
            "\n[[loop]]\nname = \"fixed_{i}\"\nkind = \"weld\"\nbody_a = \"block_{}\"\nframe_a = {{ xyz_m = [0, 0, 0.05] }}\n\
             body_b = \"block_{i}\"\nframe_b = {{ xyz_m = [0, 0, -0.05] }}\n",
            i - 1
        );
    }
    vec![
        ("stacked_blocks/stacked_blocks.sdf".to_string(), text + "    </model>\n" + END),
        ("stacked_blocks/stacked_blocks.sdf.toml".to_string(), sidecar),
    ]
}
