//! Rows of blocks for engines whose contact knows spheres and planes only: each block is eight spheres at its corners, tangent to
//! its faces, and each gripper a plane where its face was. Blocks touch at four points of an interface instead of a square.

use super::{HALF, scenario, sdf, sidecar, surface};

/// Radius of a corner [m].
const RADIUS: f64 = 0.01;

const FOLDER: &str = "../studies/grasp/spheres";

/// The files, by path under `scenarios/`.
pub fn files() -> Vec<(String, String)> {
    (1..=11)
        .flat_map(|n| {
            let name = format!("{FOLDER}/sphere_row_{n}");
            [
                (format!("{name}.sdf"), spheres(n)),
                (format!("{name}.sdf.toml"), sidecar(n)),
                (format!("{name}.toml"), scene(n)),
            ]
        })
        .collect()
}

fn spheres(count: usize) -> String {
    let boxes = sdf(count).replace("<self_collide>true</self_collide>", "<self_collide>false</self_collide>");
    let gripper = surface("0.2 0.1 0.2");
    boxes.replace(&surface("0.1 0.1 0.1"), &corners()).replacen(&gripper, &face(1), 1).replacen(
        &gripper,
        &face(-1),
        1,
    )
}

const ROUGH: &str = "<surface><friction><ode><mu>100</mu><mu2>100</mu2></ode></friction></surface>";

fn corners() -> String {
    let at = HALF - RADIUS;
    let mut out = String::new();
    for i in 0..8 {
        let [x, y, z] = [0, 1, 2].map(|k| if i >> k & 1 == 0 { -at } else { at });
        out += &format!(
            "        <collision name=\"corner_{i}\">\n          <pose>{x} {y} {z} 0 0 0</pose>\n          \
             <geometry><sphere><radius>{RADIUS}</radius></sphere></geometry>\n          {ROUGH}\n        </collision>\n"
        );
    }
    out + "        <visual name=\"drawn\"><geometry><box><size>0.1 0.1 0.1</size></box></geometry></visual>\n"
}

/// The inner face of a gripper, which looks along y.
fn face(towards: i32) -> String {
    let y = HALF * f64::from(towards);
    format!(
        "        <collision name=\"face\">\n          <pose>0 {y} 0 0 0 0</pose>\n          \
         <geometry><plane><normal>0 {towards} 0</normal><size>0.2 0.2</size></plane></geometry>\n          {ROUGH}\n        \
         </collision>\n        <visual name=\"drawn\"><geometry><box><size>0.2 0.1 0.2</size></box></geometry></visual>\n"
    )
}

fn scene(count: usize) -> String {
    let text = scenario::holds(count)
        .replace("../../docs", "../../../docs")
        .replace(&format!("\"block_row_{count}\""), &format!("\"sphere_row_{count}\""))
        .replace(&format!("block_row_{count}.sdf"), &format!("sphere_row_{count}.sdf"))
        .replace("between grippers\"", "between grippers, spheres at the corners\"");
    // The surfaces of the mutation have other names here.
    text.split("\n[mutation]").next().unwrap_or_default().to_string()
}
