//! The grasp with triangle meshes in place of boxes, with the same surfaces and the same poses: a unit cube tessellated at three
//! densities, scaled to the sizes of the boxes.

use std::collections::BTreeMap;

/// Squares along an edge of the cube: 12, 48 and 192 triangles.
const DENSITIES: [usize; 3] = [1, 2, 4];

const FOLDER: &str = "../studies/grasp/meshes";

/// The files, by path under `scenarios/`. `arm` and `sidecar` are those of the arm with unit inertias, `scenario` is that of its
/// grasp.
pub fn files(arm: &str, sidecar: &str, scenario: &str) -> Vec<(String, String)> {
    let mut out = Vec::new();
    for k in DENSITIES {
        let triangles = 12 * k * k;
        out.push((format!("{FOLDER}/cube_{triangles}.obj"), cube(k)));
        let mesh = |size: &str| format!("<mesh filename=\"cube_{triangles}.obj\" scale=\"{size}\"/>");
        out.push((format!("{FOLDER}/arm_{triangles}.urdf"), with_meshes(arm, &mesh)));
        out.push((format!("{FOLDER}/arm_{triangles}.urdf.toml"), sidecar.to_string()));
        out.push((format!("{FOLDER}/block_{triangles}.urdf"), with_meshes(BLOCK, &mesh)));
        out.push((format!("{FOLDER}/block_{triangles}.urdf.toml"), BLOCK_SIDECAR.to_string()));
        for (name, hand, block) in
            [("mesh_block", false, true), ("mesh_hand", true, false), ("mesh_both", true, true)]
        {
            let arm_file =
                if hand { format!("arm_{triangles}.urdf") } else { "../../../scenarios/ur10/ur10_1x.urdf".into() };
            let block_file =
                if block { format!("block_{triangles}.urdf") } else { "../../../scenarios/ur10/block.urdf".into() };
            let text = scenario
                .replace("../../docs", "../../../docs")
                .replace("name = \"ur10_grasp\"", &format!("name = \"{name}_{triangles}\""))
                .replace("file = \"ur10_1x.urdf\"", &format!("file = \"{arm_file}\""))
                .replace("file = \"block.urdf\"", &format!("file = \"{block_file}\"\nname = \"block\""))
                .replace(
                    "title = \"UR10 carries a block in its hand\"",
                    &format!("title = \"UR10 carries a block, {}\"", name.replace('_', " ")),
                );
            out.push((format!("{FOLDER}/{name}_{triangles}.toml"), text));
        }
    }
    out
}

/// Every collision box as a mesh; boxes that are drawn stay.
fn with_meshes(urdf: &str, mesh: &dyn Fn(&str) -> String) -> String {
    let mut out = String::new();
    let mut colliding = false;
    for line in urdf.lines() {
        colliding = (colliding || line.contains("<collision")) && !line.contains("</collision>");
        match line.split_once("<box size=\"").and_then(|(before, rest)| Some((before, rest.split_once("\"/>")?))) {
            Some((before, (size, after))) if colliding => out += &format!("{before}{}{after}\n", mesh(size)),
            _ => out += &format!("{line}\n"),
        }
    }
    out
}

/// A unit cube about the origin, each face k x k squares of two triangles, outward; points are shared.
fn cube(k: usize) -> String {
    let mut points: BTreeMap<[usize; 3], usize> = BTreeMap::new();
    let mut order: Vec<[usize; 3]> = Vec::new();
    let mut index = |p: [usize; 3]| {
        *points.entry(p).or_insert_with(|| {
            order.push(p);
            order.len()
        })
    };
    let mut faces = String::new();
    for axis in 0..3 {
        for side in [0, k] {
            for (i, j) in (0..k).flat_map(|i| (0..k).map(move |j| (i, j))) {
                let at = |a: usize, b: usize| {
                    let mut p = [side; 3];
                    (p[(axis + 1) % 3], p[(axis + 2) % 3]) = (i + a, j + b);
                    p
                };
                let mut corners = [at(0, 0), at(1, 0), at(1, 1), at(0, 1)].map(&mut index);
                if side == 0 {
                    corners.reverse();
                }
                let [a, b, c, d] = corners;
                faces += &format!("f {a} {b} {c}\nf {a} {c} {d}\n");
            }
        }
    }
    let point = |p: &[usize; 3]| {
        let [x, y, z] = p.map(|n| n as f64 / k as f64 - 0.5);
        format!("v {x} {y} {z}\n")
    };
    format!("# Written by the example write_families.\n{}{faces}", order.iter().map(point).collect::<String>())
}

const BLOCK: &str = r#"<?xml version="1.0"?>
<!-- The object of the grasp as a mesh. Written by the example write_families; ../../../scenarios/ur10/README.md has the numbers. -->
<robot name="block">
  <link name="block">
    <inertial>
      <mass value="0.12"/>
      <inertia ixx="1.568e-5" iyy="1.568e-5" izz="1.568e-5" ixy="0" ixz="0" iyz="0"/>
    </inertial>
    <collision name="cube">
      <geometry><box size="0.028 0.028 0.028"/></geometry>
    </collision>
  </link>
</robot>
"#;

const BLOCK_SIDECAR: &str = r#"# Written by the example write_families.
schema = 1
base = "free"
gravity = [0, 0, -9.8]
start = "start"

[[material]]
name = "high friction"
bodies = ["block"]
friction = [100, 100]

[[keyframe]]
name = "start"
q = { world_joint = [1.1843, 0.342, 1.0116, 1, 0, 0, 0] }
"#;
