//! The UR10 arm with the Schunk MPG-80 hand: the published inertias ("control"), the study's variants kx
//! (mass k^-level kg, inertia k^-level kg m2 along the chain), and each with the block welded into the hand.
//!
//! Every link frame is parallel to the model frame at zero angles, so that axes, centres of mass and tensors below are
//! those of the model frame. The source rotates some link frames; README.md has the correspondence.

#[path = "ur10_meshes.rs"]
mod meshes;
#[path = "ur10_scenario.rs"]
mod scenario;

/// A link: name, the joint frame it starts at in the model frame at zero angles, mass, centre of mass, diagonal of
/// the inertia about it, and its place in the chain (the exponent of the variants).
struct Link {
    name: &'static str,
    origin: [f64; 3],
    mass: f64,
    com: [f64; 3],
    inertia: [f64; 3],
    level: i32,
}

const fn link(name: &'static str, origin: [f64; 3], mass: f64, com: [f64; 3], inertia: [f64; 3], level: i32) -> Link {
    Link { name, origin, mass, com, inertia, level }
}

const HAND: [f64; 3] = [1.1843, 0.256, 0.0116];

/// Base to fingers. The tensors of upper arm and forearm are rotated: their long axis is x here.
const LINKS: [Link; 10] = [
    link("base_link", [0.0, 0.0, 0.0], 4.0, [0.0; 3], [0.00610633, 0.00610633, 0.01125], 0),
    link("shoulder_link", [0.0, 0.0, 0.1273], 7.778, [0.0; 3], [0.0314743, 0.0314743, 0.0218756], 1),
    link("upper_arm_link", [0.0, 0.220941, 0.1273], 12.93, [0.306, 0.0, 0.0], [0.0363656, 0.421754, 0.421754], 2),
    link("forearm_link", [0.612, 0.049041, 0.1273], 3.87, [0.28615, 0.0, 0.0], [0.0108844, 0.11107, 0.11107], 3),
    link("wrist_1_link", [1.1843, 0.049041, 0.1273], 1.96, [0.0; 3], [0.00510825, 0.00510825, 0.0055125], 4),
    link("wrist_2_link", [1.1843, 0.163941, 0.1273], 1.96, [0.0; 3], [0.00510825, 0.00510825, 0.0055125], 5),
    link("wrist_3_link", [1.1843, 0.163941, 0.0116], 0.202, [0.0; 3], [0.000526462, 0.000526462, 0.000568125], 6),
    link("hand", HAND, 0.96, [0.0, 0.035, 0.0], [0.00053312, 0.00065312, 0.000904], 7),
    link("l_finger", HAND, 0.12, [-0.0205, 0.0798, 0.0], [9.5236e-6, 7.2e-6, 5.2036e-6], 8),
    link("r_finger", HAND, 0.12, [0.0205, 0.0798, 0.0], [9.5236e-6, 7.2e-6, 5.2036e-6], 8),
];

/// Joint, parent, type, axis, limits, in the order of the links they carry.
type JointRow = (&'static str, &'static str, &'static str, &'static str, &'static str);
const JOINTS: [JointRow; 10] = [
    ("world_joint", "world", "fixed", "", ""),
    ("shoulder_pan_joint", "base_link", "revolute", "0 0 1", ARM_330),
    ("shoulder_lift_joint", "shoulder_link", "revolute", "0 1 0", ARM_330),
    ("elbow_joint", "upper_arm_link", "revolute", "0 1 0", ARM_150),
    ("wrist_1_joint", "forearm_link", "revolute", "0 1 0", ARM_54),
    ("wrist_2_joint", "wrist_1_link", "revolute", "0 0 -1", ARM_54),
    ("wrist_3_joint", "wrist_2_link", "revolute", "0 1 0", ARM_54),
    ("fixed_hand_to_wrist", "wrist_3_link", "fixed", "", ""),
    ("l_finger_actuator", "hand", "prismatic", "1 0 0", L_FINGER),
    ("r_finger_actuator", "hand", "prismatic", "1 0 0", R_FINGER),
];

const ARM_330: &str = r#"lower="-6.28319" upper="6.28319" effort="330" velocity="2.16""#;
const ARM_150: &str = r#"lower="-6.28319" upper="6.28319" effort="150" velocity="3.15""#;
const ARM_54: &str = r#"lower="-6.28319" upper="6.28319" effort="54" velocity="3.2""#;
/// URDF requires an effort and a velocity; the fingers have no limit on either.
const L_FINGER: &str = r#"lower="0" upper="0.014" effort="1e30" velocity="1e30""#;
const R_FINGER: &str = r#"lower="-0.014" upper="0" effort="1e30" velocity="1e30""#;

/// Mass and inertia of the links at each level of a variant; `None` is the published arm.
type Variant = (&'static str, Option<fn(i32) -> (f64, f64)>);
const VARIANTS: [Variant; 6] = [
    ("", None),
    ("_1x", Some(|_| (1.0, 1.0))),
    ("_2x", Some(|level| powers(2.0, level))),
    ("_3x", Some(rounded_by_hand)),
    ("_4x", Some(|level| powers(4.0, level))),
    ("_10x", Some(|level| powers(10.0, level))),
];

fn powers(k: f64, level: i32) -> (f64, f64) {
    // Division gives the shortest decimal form of 10^-n, multiplication does not.
    let value = 1.0 / k.powi(level);
    (value, value)
}

/// The source rounds 3^-level by hand; at level 1 mass and inertia differ in their last digit.
fn rounded_by_hand(level: i32) -> (f64, f64) {
    const VALUES: [f64; 9] =
        [1.0, 0.3333, 0.1111, 0.03703333, 0.01234444, 0.004114813, 0.001371604, 0.0004572013, 0.0001524004];
    let inertia = VALUES[level as usize];
    (if level == 1 { 0.33333 } else { inertia }, inertia)
}

/// The files of the family, by path under `scenarios/`.
pub fn files() -> Vec<(String, String)> {
    let unit = &VARIANTS[1];
    let grasps = scenario::files();
    let meshes = meshes::files(&urdf("ur10_1x", unit, false), &sidecar(unit, false), &grasps[0].1);
    let both = VARIANTS.iter().flat_map(|v| [(v, false), (v, true)]);
    both.flat_map(|(variant, welded)| {
        let name = format!("ur10{}{}", variant.0, if welded { "_welded" } else { "" });
        let file = format!("ur10/{name}.urdf");
        [(format!("{file}.toml"), sidecar(variant, welded)), (file, urdf(&name, variant, welded))]
    })
    .chain(grasps)
    .chain(meshes)
    .collect()
}

/// Gravity as in the published logs, the rule at the velocity limit, the surfaces, and known findings that are
/// intended.
fn sidecar(variant: &Variant, welded: bool) -> String {
    let mut text = "# Written by the example write_families.\n\
                    schema = 1\n\
                    base = \"fixed\"\n\
                    gravity = [0, 0, -9.8]\n\
                    self_collide = false\n\n\
                    [[material]]\nname = \"high friction\"\n"
        .to_string();
    let rough = if welded { r#"["l_finger", "r_finger", "block"]"# } else { r#"["l_finger", "r_finger"]"# };
    text += &format!("bodies = {rough}\nfriction = [100, 100]\n");
    for (joint, _, kind, ..) in JOINTS {
        if kind == "revolute" {
            text += &format!("\n[[actuator]]\njoint = \"{joint}\"\nvelocity_rule = \"cut-pushing\"\n");
        }
    }
    let mut known = |code: &str, why: &str| text += &format!("\n[[known]]\ncode = \"{code}\"\nwhy = \"{why}\"\n");
    if variant.1.is_some() {
        known(
            "inertia-proportion",
            "the variants have inertias of k^-level kg m2 by design, whatever the size of the link",
        );
    }
    if ["_1x", "_4x", "_10x"].contains(&variant.0) {
        known("density", "the variants have masses of k^-level kg by design, whatever the size of the link");
    }
    if variant.0 == "_10x" && welded {
        known("mass-ratio", "the block weighs 0.12 kg behind a wrist of 1e-5 kg by design");
    }
    text
}

fn urdf(name: &str, variant: &Variant, welded: bool) -> String {
    let what = if welded { ", fingers locked and the block welded into the hand" } else { "" };
    let mut text = format!(
        "<?xml version=\"1.0\"?>\n\
         <!-- UR10 with Schunk MPG-80 hand{what}.\n\
         \x20    Written by the example write_families; README.md has the source of the numbers. -->\n\
         <robot name=\"{name}\">\n  <link name=\"world\"/>\n"
    );
    for (i, (link, (joint, parent, kind, axis, limit))) in LINKS.iter().zip(JOINTS).enumerate() {
        let kind = if welded && kind == "prismatic" { "fixed" } else { kind };
        let from = LINKS.iter().find(|l| l.name == parent).map_or([0.0, 0.0, -1.0], |l| l.origin);
        let xyz: Vec<String> = (0..3).map(|k| metres(link.origin[k] - from[k])).collect();
        let moving = match kind {
            "fixed" => String::new(),
            _ => format!("    <axis xyz=\"{axis}\"/>\n    <limit {limit}/>\n"),
        };
        text += &format!(
            "  <joint name=\"{joint}\" type=\"{kind}\">\n\
             \x20   <parent link=\"{parent}\"/>\n\
             \x20   <child link=\"{}\"/>\n\
             \x20   <origin xyz=\"{}\"/>\n{moving}\
             \x20 </joint>\n",
            link.name,
            xyz.join(" "),
        );
        let (mass, [ixx, iyy, izz]) = match variant.1 {
            None => (link.mass, link.inertia),
            Some(of_level) => {
                let (mass, inertia) = of_level(link.level);
                (mass, [inertia; 3])
            }
        };
        let [x, y, z] = link.com;
        text += &format!(
            "  <link name=\"{}\">\n\
             \x20   <inertial>\n\
             \x20     <origin xyz=\"{x} {y} {z}\"/>\n\
             \x20     <mass value=\"{mass}\"/>\n\
             \x20     <inertia ixx=\"{ixx}\" iyy=\"{iyy}\" izz=\"{izz}\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/>\n\
             \x20   </inertial>\n{}\
             \x20 </link>\n",
            link.name,
            shapes(i),
        );
    }
    if welded {
        text += WELDED_BLOCK;
    }
    text + "</robot>\n"
}

/// A difference of two tabulated lengths without the rounding error of binary subtraction.
fn metres(x: f64) -> String {
    format!("{}", (x * 1e7).round() / 1e7 + 0.0)
}

/// The boxes of the hand and fingers as published; the shapes of the arm are only drawn, sized by eye.
fn shapes(link: usize) -> String {
    let boxed = |name: &str, size: &str, at: &str| {
        format!(
            "    <collision name=\"{name}\">\n      <origin xyz=\"{at}\"/>\n      \
             <geometry><box size=\"{size}\"/></geometry>\n    </collision>\n    \
             <visual name=\"{name}_drawn\">\n      <origin xyz=\"{at}\"/>\n      \
             <geometry><box size=\"{size}\"/></geometry>\n    </visual>\n"
        )
    };
    let drawn = |at: &str, rpy: &str, radius: f64, length: f64| {
        format!(
            "    <visual name=\"drawn\">\n      <origin xyz=\"{at}\" rpy=\"{rpy}\"/>\n      \
             <geometry><cylinder radius=\"{radius}\" length=\"{length}\"/></geometry>\n    </visual>\n"
        )
    };
    const ALONG_X: &str = "0 1.5707963267948966 0";
    const ALONG_Y: &str = "1.5707963267948966 0 0";
    match LINKS[link].name {
        "base_link" => drawn("0 0 0.03", "0 0 0", 0.09, 0.06),
        "shoulder_link" => drawn("0 0.06 0", ALONG_Y, 0.075, 0.17),
        "upper_arm_link" => drawn("0.306 0 0", ALONG_X, 0.06, 0.612),
        "forearm_link" => drawn("0.28615 0 0", ALONG_X, 0.05, 0.5723),
        "wrist_1_link" => drawn("0 0.05745 0", ALONG_Y, 0.045, 0.1149),
        "wrist_2_link" => drawn("0 0 -0.05785", "0 0 0", 0.045, 0.1157),
        "wrist_3_link" => drawn("0 0.046 0", ALONG_Y, 0.045, 0.092),
        "hand" => {
            boxed("palm", "0.08 0.07 0.042", "0 0.035 0")
                + &boxed("upper_tab", "0.006 0.012 0.012", "-0.043 0.036 0.009")
                + &boxed("lower_tab", "0.006 0.012 0.012", "-0.043 0.036 -0.009")
        }
        "l_finger" => boxed("fingertip", "0.012 0.0194 0.024", "-0.0205 0.0798 0"),
        _ => boxed("fingertip", "0.012 0.0194 0.024", "0.0205 0.0798 0"),
    }
}

/// The block at its start in the study, held permanently: world (1.1843, 0.342, 1.0116), that is 86 mm out of the hand.
const WELDED_BLOCK: &str = r#"  <joint name="hold" type="fixed">
    <parent link="hand"/>
    <child link="block"/>
    <origin xyz="0 0.086 0"/>
  </joint>
  <link name="block">
    <inertial>
      <mass value="0.12"/>
      <inertia ixx="1.568e-5" iyy="1.568e-5" izz="1.568e-5" ixy="0" ixz="0" iyz="0"/>
    </inertial>
    <collision name="cube">
      <geometry><box size="0.028 0.028 0.028"/></geometry>
    </collision>
    <visual name="cube_drawn">
      <geometry><box size="0.028 0.028 0.028"/></geometry>
    </visual>
  </link>
"#;
