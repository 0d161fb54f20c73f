//! Balls suspended between two pylons.
//!
//! Published: the idea, and that their number is increased until failure. Chosen: nine balls of 0.05 m radius and 1 kg
//! on ten links of 0.25 m, pylons 2 m apart: the chain starts as a V, 0.75 m deep (a triangle of 1.25, 1 and 0.75 m),
//! and swings into its catenary. The balls do not touch each other.

use super::written::{END, numbers, round, world};

const BALLS: usize = 9;
const LINK: f64 = 0.25;
const HALF_SPAN: f64 = 1.0;
const HALF_LENGTH: f64 = 1.25;
const DEPTH: f64 = 0.75;
const TOP: f64 = 2.0;

pub fn files() -> Vec<(String, String)> {
    let name = "hanging_chain/hanging_chain.sdf".to_string();
    vec![(format!("{name}.toml"), sidecar()), (name, sdf())]
}

/// Position of ball `i`, from the top of one pylon (0) to that of the other (`BALLS + 1`).
fn place(i: usize) -> [f64; 3] {
    let along = LINK * i as f64;
    let (x, down) = if along <= HALF_LENGTH {
        (along * HALF_SPAN / HALF_LENGTH, along * DEPTH / HALF_LENGTH)
    } else {
        let back = 2.0 * HALF_LENGTH - along;
        (2.0 * HALF_SPAN - back * HALF_SPAN / HALF_LENGTH, back * DEPTH / HALF_LENGTH)
    };
    [round(x - HALF_SPAN), 0.0, round(TOP - down)]
}

fn sdf() -> String {
    let mut text = world("hanging_chain", 9.81, "Nine balls on ten massless links between two pylons.");
    text += "    <model name=\"chain\">\n      <self_collide>false</self_collide>\n";
    for i in 1..=BALLS {
        // A ball carries the link above it: its frame is at the ball, its joint at the end of the link.
        let [above, here] = [place(i - 1), place(i)];
        let arm: Vec<f64> = (0..3).map(|k| round(above[k] - here[k])).collect();
        let moment = 0.4 * 0.05 * 0.05;
        let parent = if i == 1 { "world".to_string() } else { format!("ball_{}", i - 1) };
        text += &format!(
            "      <link name=\"ball_{i}\">\n        <pose>{} 0 0 0</pose>\n        <inertial>\n          <mass>1</mass>\n          \
             <inertia><ixx>{moment}</ixx><iyy>{moment}</iyy><izz>{moment}</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia>\n        \
             </inertial>\n        <visual name=\"ball\"><geometry><sphere><radius>0.05</radius></sphere></geometry></visual>\n      \
             </link>\n      <joint name=\"link_{i}\" type=\"ball\">\n        <pose>{} 0 0 0</pose>\n        \
             <parent>{parent}</parent>\n        <child>ball_{i}</child>\n      </joint>\n",
            numbers(&here),
            numbers(&arm),
        );
    }
    text + "    </model>\n" + END
}

fn sidecar() -> String {
    let (last, end) = (place(BALLS), place(BALLS + 1));
    let arm: Vec<f64> = (0..3).map(|k| round(end[k] - last[k])).collect();
    format!(
        "# Written by the example write_families.\nschema = 1\nmodel = \"chain\"\n\n[[loop]]\nname = \"link_{}\"\nkind = \"ball\"\n\
         body_a = \"ball_{BALLS}\"\nframe_a = {{ xyz_m = [{}, {}, {}] }}\nframe_b = {{ xyz_m = [{}, {}, {}] }}\n",
        BALLS + 1,
        arm[0],
        arm[1],
        arm[2],
        end[0],
        end[1],
        end[2]
    )
}
