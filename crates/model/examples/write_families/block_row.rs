//! A row of n blocks squeezed between two grippers: a world of n + 1 models.

#[path = "block_row_scenario.rs"]
mod scenario;
#[path = "block_row_spheres.rs"]
mod spheres;

/// Half the side of a block [m].
const HALF: f64 = 0.05;
const HEIGHT: f64 = 0.5;

/// The files of the family, by path under `scenarios/`.
pub fn files() -> Vec<(String, String)> {
    let both = (1..=11).flat_map(|n| {
        let name = format!("block_row/block_row_{n}.sdf");
        let scenario = format!("block_row/block_row_{n}.toml");
        [(format!("{name}.toml"), sidecar(n)), (name, sdf(n)), (scenario, scenario::holds(n))]
    });
    let file = |n: usize, what: &str| format!("block_row/block_row_{n}_{what}.toml");
    let margins = [1, 3, 11].map(|n| (file(n, "margin"), scenario::margin(n)));
    let slides = (1..=11).map(|n| (file(n, "slides"), scenario::slides(n)));
    both.chain(margins).chain(slides).chain(spheres::files()).collect()
}

/// Actuators, forces, and known faults of the grippers.
fn sidecar(count: usize) -> String {
    let force = 100 * count;
    format!(
        "# Written by the example write_families.\n\
         schema = 1\n\
         model = \"grippers\"\n\
         start = \"squeeze\"\n\n\
         [[actuator]]\njoint = \"l_gripper_actuator\"\n\n\
         [[actuator]]\njoint = \"r_gripper_actuator\"\n\n\
         [[keyframe]]\nname = \"squeeze\"\n\
         command = {{ l_gripper_actuator = {force}, r_gripper_actuator = -{force} }}\n{}{}",
        known("l_gripper"),
        known("r_gripper"),
    )
}

fn known(gripper: &str) -> String {
    format!(
        "\n[[known]]\ncode = \"inertia-proportion\"\nsubject = \"grippers/bodies/{gripper}\"\n\
         why = \"published as 6.667 kg m2, a thousand times that of a box of this size and mass\"\n"
    )
}

fn sdf(count: usize) -> String {
    let n = count as f64;
    let mut text = format!(
        "<?xml version=\"1.0\"?>\n\
         <!-- {count} cubes of 0.1 m and 1 kg in a row along y, faces touching, between two gripper boxes on sliders.\n\
         \x20    Each gripper pushes with {force} N. Written by the example write_families; README.md has the source of\n\
         \x20    the numbers. -->\n\
         <sdf version=\"1.9\">\n  <world name=\"block_row_{count}\">\n    <gravity>0 0 -9.8</gravity>\n    \
         <model name=\"grippers\">\n      <pose>0 0 {HEIGHT} 0 0 0</pose>\n      <self_collide>true</self_collide>\n",
        force = 100 * count,
    );
    let reach = round(HALF * n);
    let y = round(HALF + HALF * n);
    text += &gripper("l_gripper", -y, 0.0, reach);
    text += &gripper("r_gripper", y, -reach, 0.0);
    text += "    </model>\n";
    for i in 0..count {
        let y = round(HALF * (n - 1.0) - 2.0 * HALF * i as f64);
        text += &block(i, y);
    }
    text + "  </world>\n</sdf>\n"
}

/// Rounds, so that multiples of 0.05 are not printed as 0.15000000000000002.
fn round(metres: f64) -> f64 {
    // Adding zero turns -0 into 0.
    (metres * 1000.0).round() / 1000.0 + 0.0
}

fn gripper(name: &str, y: f64, lower: f64, upper: f64) -> String {
    format!(
        "      <link name=\"{name}\">\n\
         \x20       <pose>0 {y} 0 0 0 0</pose>\n\
         \x20       <inertial>\n\
         \x20         <mass>1</mass>\n\
         \x20         <inertia><ixx>6.667</ixx><iyy>6.667</iyy><izz>6.667</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia>\n\
         \x20       </inertial>\n{}\
         \x20     </link>\n\
         \x20     <joint name=\"{name}_actuator\" type=\"prismatic\">\n\
         \x20       <parent>world</parent>\n\
         \x20       <child>{name}</child>\n\
         \x20       <axis>\n\
         \x20         <xyz>0 1 0</xyz>\n\
         \x20         <limit><lower>{lower}</lower><upper>{upper}</upper></limit>\n\
         \x20         <dynamics><damping>0</damping><friction>0</friction></dynamics>\n\
         \x20       </axis>\n\
         \x20     </joint>\n",
        surface("0.2 0.1 0.2")
    )
}

fn block(index: usize, y: f64) -> String {
    format!(
        "    <model name=\"block_{index}\">\n\
         \x20     <pose>0 {y} {HEIGHT} 0 0 0</pose>\n\
         \x20     <link name=\"block\">\n\
         \x20       <inertial>\n\
         \x20         <mass>1</mass>\n\
         \x20         <inertia>\n\
         \x20           <ixx>0.0016667</ixx><iyy>0.0016667</iyy><izz>0.0016667</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz>\n\
         \x20         </inertia>\n\
         \x20       </inertial>\n{}\
         \x20     </link>\n\
         \x20   </model>\n",
        surface("0.1 0.1 0.1")
    )
}

/// A box that is drawn and collides, with the "high" friction of the study.
fn surface(size: &str) -> String {
    let geometry = format!("<geometry><box><size>{size}</size></box></geometry>");
    format!(
        "        <collision name=\"box\">\n\
         \x20         {geometry}\n\
         \x20         <surface><friction><ode><mu>100</mu><mu2>100</mu2></ode></friction></surface>\n\
         \x20       </collision>\n\
         \x20       <visual name=\"drawn\">{geometry}</visual>\n"
    )
}
