//! Damaged URDF files give an error message: no panic, no hang, memory in proportion to the file.

mod mutations;

use mutations::{Mutation, damaged, mutations};
use proptest::prelude::*;
use std::path::Path;
use veracity_counting::{Counting, peak_bytes};
use veracity_model::import::{ImportOptions, Imported, load_bytes};

#[global_allocator]
static MEMORY: Counting = Counting;

/// Every element the importer supports.
const ROBOT: &str = r#"<?xml version="1.0"?>
<robot name="robot">
  <material name="red"><color rgba="1 0 0 1"/></material>
  <link name="base"/>
  <link name="upper">
    <inertial><origin xyz="0 0 0.1" rpy="0.1 0.2 0.3"/><mass value="2"/>
      <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual name="v"><origin xyz="0 0 1"/><geometry><box size="1 1 1"/></geometry><material name="red"/></visual>
    <collision><geometry><cylinder radius="0.1" length="1"/></geometry></collision>
    <collision><geometry><mesh filename="package://robot/a.stl" scale="1 1 1"/></geometry></collision>
    <contact><lateral_friction value="0.5"/><stiffness value="1000"/><damping value="10"/></contact>
  </link>
  <link name="lower"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
    <collision group="1" mask="2"><geometry><capsule radius="0.1" length="1"/></geometry></collision>
    <collision><geometry><plane normal="0 1 0"/></geometry></collision></link>
  <link name="tip"><visual><geometry><sphere radius="0.2"/></geometry></visual></link>
  <joint name="a" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 1" rpy="0 1 0"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="10" velocity="2"/><dynamics damping="1" friction="0.1"/></joint>
  <joint name="b" type="continuous"><parent link="upper"/><child link="lower"/><axis xyz="1 0 0"/>
    <mimic joint="a" multiplier="2" offset="0.5"/><limit effort="3" velocity="1"/></joint>
  <joint name="c" type="planar"><parent link="lower"/><child link="tip"/><origin quat_xyzw="0 0 0 1"/></joint>
  <transmission name="t"><type>transmission_interface/SimpleTransmission</type><joint name="a"/>
    <actuator name="m"><mechanicalReduction>1</mechanicalReduction></actuator></transmission>
  <gazebo reference="upper"><mu1>0.3</mu1><kp>1e6</kp><fdir1>1 0 0</fdir1><selfCollide>false</selfCollide></gazebo>
  <gazebo reference="a"><springStiffness>2</springStiffness></gazebo>
</robot>"#;

fn import(bytes: &[u8]) -> Imported {
    load_bytes(bytes, Path::new("robot.urdf"), &ImportOptions::default())
}

#[test]
fn the_undamaged_robot_loads() {
    let imported = import(ROBOT.as_bytes());
    let world = imported.world.unwrap_or_else(|| panic!("{}", imported.findings));
    assert_eq!(world.placements[0].model.bodies().len(), 4);
}

/// The damage must reach the importer: most of it must leave well-formed XML.
#[test]
fn damage_of_words_mostly_leaves_readable_xml() {
    let places = (0..200).map(|i| Mutation::Word(f64::from(i) / 200.0, "1e308"));
    let unreadable =
        places.filter(|m| import(&damaged(ROBOT.as_bytes(), std::slice::from_ref(m))).findings.count("xml") > 0);
    assert!(unreadable.count() < 100);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn a_damaged_robot_loads_whole_or_gets_a_sentence(mutations in mutations()) {
        let bytes = damaged(ROBOT.as_bytes(), &mutations);
        let (imported, peak) = peak_bytes(|| import(&bytes));
        // A parsed element takes some hundred bytes for at least four of text; a megabyte for everything else.
        prop_assert!(peak < 200 * bytes.len() + (1 << 20), "{peak} bytes for a file of {}", bytes.len());
        match &imported.world {
            Some(world) => {
                // A fault in one element is reported and the rest of the robot loads; `check` rejects it for that.
                let model = &world.placements[0].model;
                prop_assert!(model.bodies().iter().all(|b| b.inertia.is_finite()));
                for joint in model.joints() {
                    let pose = joint.parent_from_joint;
                    prop_assert!(pose.translation.vector.iter().chain(pose.rotation.coords.iter()).all(|x| x.is_finite()));
                }
            }
            None => prop_assert!(imported.findings.has_errors()),
        }
        for finding in &imported.findings {
            prop_assert!(!finding.text.is_empty());
            // The line exists in the file.
            let lines = bytes.iter().filter(|b| **b == b'\n').count() as u32 + 1;
            prop_assert!(finding.source.as_ref().is_none_or(|s| s.line <= lines), "{finding}");
        }
        let again = import(&bytes);
        prop_assert!(again.findings == imported.findings, "the same file says the same");
    }
}

#[test]
fn a_hundred_thousand_shapes_joints_and_followers_take_no_longer_than_they_must() {
    let mut text = "<robot name=\"r\"><link name=\"l0\">".to_string();
    for _ in 0..100_000 {
        text += "<collision name=\"c\"><geometry><sphere radius=\"1\"/></geometry></collision>";
    }
    text += "</link>";
    for i in 1..20_000 {
        let (parent, leader) = (i - 1, (i - 1).max(1));
        text +=
            &format!("<link name=\"l{i}\"/><joint name=\"j{i}\" type=\"continuous\"><parent link=\"l{parent}\"/>");
        text += &format!("<child link=\"l{i}\"/><limit effort=\"1\" velocity=\"1\"/>");
        text += &if i > 1 { format!("<mimic joint=\"j{leader}\"/></joint>") } else { "</joint>".into() };
    }
    text += "</robot>";
    // A second or two; work that grows with the square of the file would take minutes.
    let imported = import(text.as_bytes());
    let world = imported.world.unwrap_or_else(|| panic!("{}", imported.findings));
    assert_eq!(world.placements[0].model.couplings().len(), 19_998);
}
