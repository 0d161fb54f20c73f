//! Small robots, each testing one rule of the format.

use crate::import::{Base, ImportOptions, Imported, load_bytes};
use crate::inertia::Inertia;
use crate::joint::JointKind;
use crate::model::{BodyId, JointId, Model};
use crate::shape::Shape;
use crate::{Severity, Transmission, Vec3, VelocityRule, geometry};
use std::path::Path;
use std::sync::Arc;

fn import(inside: &str) -> Imported {
    let text = format!("<robot name=\"r\">\n{inside}\n</robot>");
    load_bytes(text.as_bytes(), Path::new("r.urdf"), &ImportOptions::default())
}

fn model(inside: &str) -> (Arc<Model>, String) {
    let imported = import(inside);
    let world = imported.world.unwrap_or_else(|| panic!("{}", imported.findings));
    (world.placements[0].model.clone(), imported.findings.to_string())
}

/// The codes of all findings, errors first.
fn codes(inside: &str) -> Vec<&'static str> {
    let imported = import(inside);
    assert!(imported.world.is_none() == crate::import::is_fatal(&imported.findings));
    let mut all: Vec<_> = imported.findings.iter().map(|f| (std::cmp::Reverse(f.severity), f.code)).collect();
    all.sort();
    all.into_iter().map(|(_, code)| code).collect()
}

fn two_links(joint: &str) -> String {
    format!("<link name=\"a\"/><link name=\"b\"/>{joint}")
}

fn joint(kind: &str, inside: &str) -> String {
    format!("<joint name=\"j\" type=\"{kind}\"><parent link=\"a\"/><child link=\"b\"/>{inside}</joint>")
}

#[test]
fn the_tensor_is_turned_into_link_axes() {
    let (m, said) = model(
        r#"<link name="a"><inertial><origin xyz="1 2 3" rpy="0.3 -0.2 0.9"/><mass value="2"/>
           <inertia ixx="0.4" iyy="0.5" izz="0.6" ixy="0.01" ixz="0.02" iyz="-0.03"/></inertial></link>"#,
    );
    assert_eq!(said, "");
    let r = geometry::quat_from_rpy(0.3, -0.2, 0.9).to_rotation_matrix();
    let own = Inertia::new(2.0, Vec3::zeros(), [0.4, 0.5, 0.6, 0.01, 0.02, -0.03]);
    let got = m.body(BodyId(0)).inertia;
    assert_eq!(got.com, Vec3::new(1.0, 2.0, 3.0));
    // Two products of 3x3 matrices with entries below one.
    assert!((got.tensor - r * own.tensor * r.transpose()).norm() < 1e-15);
    assert_eq!(got.mass, 2.0);
}

#[test]
fn joint_frames_axes_and_limits_are_as_written() {
    let inside = r#"<origin xyz="0.1 0.2 0.3" rpy="0 0 1.5707963267948966"/><axis xyz="0 2 0"/>
        <limit lower="-1" upper="2" effort="30" velocity="4"/><dynamics damping="0.5" friction="0.25"/>"#;
    let (m, said) = model(&two_links(&joint("revolute", inside)));
    assert_eq!(said, "");
    let j = m.joint(m.joint_named("j").unwrap());
    assert_eq!(j.kind, JointKind::Revolute { axis: Vec3::y() });
    let turned = j.parent_from_joint * geometry::Vec3::x();
    // libm's sine of the nearest double to π/2 is 1 to rounding.
    assert!((turned - Vec3::y()).norm() < 1e-15);
    assert_eq!(j.parent_from_joint.translation.vector, Vec3::new(0.1, 0.2, 0.3));
    assert_eq!(j.child_from_joint, geometry::Pose::identity());
    let d = j.dofs[0];
    assert_eq!((d.lower, d.upper, d.effort_limit, d.velocity_limit), (-1.0, 2.0, 30.0, 4.0));
    assert_eq!((d.damping, d.friction), (0.5, 0.25));
}

#[test]
fn an_origin_may_be_a_quaternion_but_not_two_things() {
    let quat = r#"<origin quat_xyzw="0 0 0.7071067811865476 0.7071067811865476"/>"#;
    let (m, _) = model(&two_links(&joint("fixed", quat)));
    let turned = m.joint(JointId(1)).parent_from_joint * Vec3::x();
    assert!((turned - Vec3::y()).norm() < 1e-15);
    assert_eq!(codes(&two_links(&joint("fixed", r#"<origin rpy="0 0 0" quat_xyzw="0 0 0 1"/>"#))), ["origin-twice"]);
    assert_eq!(codes(&two_links(&joint("fixed", r#"<origin quat_xyzw="0 0 0 0"/>"#)))[0], "number");
}

#[test]
fn every_joint_type_is_known_and_no_other() {
    let kind = |word: &str| {
        let (m, said) =
            model(&two_links(&joint(word, "<limit lower=\"0\" upper=\"1\" effort=\"1\" velocity=\"1\"/>")));
        (m.joint(JointId(1)).kind, said)
    };
    let axis = Vec3::x();
    assert_eq!(kind("fixed").0, JointKind::Fixed);
    assert_eq!(kind("revolute"), (JointKind::Revolute { axis }, "".into()));
    assert_eq!(kind("prismatic"), (JointKind::Prismatic { axis }, "".into()));
    assert_eq!(kind("continuous").0, JointKind::Continuous { axis });
    assert!(kind("continuous").1.contains("a position limit on a continuous joint"));
    assert_eq!(kind("floating").0, JointKind::Free);
    assert_eq!(kind("ball").0, JointKind::Ball);
    assert_eq!(kind("spherical").0, JointKind::Ball);
    match kind("planar").0 {
        // The axis is the plane's normal.
        JointKind::Planar { x_axis, y_axis } => assert!((x_axis.cross(&y_axis) - axis).norm() < 1e-15),
        other => panic!("{other:?}"),
    }
    assert_eq!(codes(&two_links(&joint("hinge", ""))), ["joint-type"]);
    assert_eq!(codes(&two_links(&joint("planar", "<axis xyz=\"0 0 0\"/>"))), ["joint-axis"]);
    assert_eq!(codes(&two_links(&joint("continuous", "<axis xyz=\"0 0 0\"/>"))), ["joint-axis"]);
    // A fixed joint ignores its axis.
    assert_eq!(codes(&two_links(&joint("fixed", "<axis xyz=\"0 0 0\"/>"))), [""; 0]);
}

#[test]
fn missing_limits_free_the_joint_and_are_said() {
    let (m, said) = model(&two_links(&joint("revolute", "")));
    assert!(said.contains("r.urdf:2: warning[limit-missing]"), "{said}");
    assert_eq!(m.joint(JointId(1)).dofs[0].lower, f64::NEG_INFINITY);
    assert_eq!(codes(&two_links(&joint("revolute", "<limit effort=\"1\" velocity=\"1\"/>"))), ["limit-missing"]);
    assert_eq!(codes(&two_links(&joint("continuous", ""))), [""; 0]);
    let (m, _) = model(&two_links(&joint("prismatic", "<limit upper=\"0.04\" effort=\"1\" velocity=\"1\"/>")));
    assert_eq!((m.joint(JointId(1)).dofs[0].lower, m.joint(JointId(1)).dofs[0].upper), (0.0, 0.04));
    assert_eq!(codes(&two_links(&joint("continuous", "<limit effort=\"-1\" velocity=\"1\"/>"))), ["limit-negative"]);
}

#[test]
fn children_may_come_before_parents_and_file_order_is_kept_otherwise() {
    let link = |n: &str| format!("<link name=\"{n}\"/>");
    let fixed = |n: &str, p: &str, c: &str| {
        format!("<joint name=\"{n}\" type=\"fixed\"><parent link=\"{p}\"/><child link=\"{c}\"/></joint>")
    };
    let text = [
        link("leaf"),
        link("root"),
        link("z"),
        link("a"),
        fixed("z-leaf", "z", "leaf"),
        fixed("root-z", "root", "z"),
        fixed("root-a", "root", "a"),
    ]
    .concat();
    let (m, _) = model(&text);
    let names: Vec<&str> = m.bodies().iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["root", "z", "leaf", "a"]);
    let joints: Vec<&str> = m.joints().iter().map(|j| j.name.as_str()).collect();
    assert_eq!(joints, ["world_joint", "root-z", "z-leaf", "root-a"]);
    assert_eq!(m.parent(BodyId(2)), Some(BodyId(1)));
}

#[test]
fn what_is_no_tree_gets_a_sentence() {
    let fixed = |n: &str, p: &str, c: &str| {
        format!("<joint name=\"{n}\" type=\"fixed\"><parent link=\"{p}\"/><child link=\"{c}\"/></joint>")
    };
    assert_eq!(codes(""), ["tree-empty"]);
    assert_eq!(codes(&two_links("")), ["tree-roots"]);
    assert_eq!(codes(&two_links(&(fixed("j", "a", "b") + &fixed("k", "b", "a")))), ["tree-circle"]);
    assert_eq!(codes(&two_links(&fixed("j", "b", "b"))), ["tree-circle"]);
    assert_eq!(codes(&two_links(&(fixed("j", "a", "b") + &fixed("k", "a", "b")))), ["tree-two-parents"]);
    assert_eq!(codes(&two_links(&fixed("j", "a", "c"))), ["joint-link"]);
    assert_eq!(codes(&two_links("<joint name=\"j\" type=\"fixed\"/>")), ["joint-link", "joint-link"]);
    assert_eq!(codes("<link name=\"a\"/><link name=\"a\"/>"), ["name-clash"]);
    assert_eq!(codes("<link/>"), ["name-empty"]);
    let far_circle =
        "<link name=\"c\"/><link name=\"d\"/>".to_string() + &fixed("k", "c", "d") + &fixed("l", "d", "c");
    assert_eq!(codes(&two_links(&(fixed("j", "a", "b") + &far_circle))), ["tree-circle"]);
}

#[test]
fn the_root_is_fixed_or_free_as_asked_under_a_name_of_its_own() {
    let text =
        two_links("<joint name=\"world_joint\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>");
    let text = format!("<robot name=\"r\">{text}</robot>");
    for (base, kind) in [(Base::Fixed, JointKind::Fixed), (Base::Free, JointKind::Free)] {
        let options = ImportOptions { base: Some(base), ..Default::default() };
        let world = load_bytes(text.as_bytes(), Path::new("r.urdf"), &options).world.unwrap();
        let root = world.placements[0].model.joint(JointId(0)).clone();
        assert_eq!((root.kind, root.name.as_str()), (kind, "world_joint_"));
    }
}

#[test]
fn shapes_collide_or_are_seen_as_written() {
    let (m, said) = model(
        r#"<link name="a">
        <visual name="v"><geometry><box size="1 2 3"/></geometry></visual>
        <visual><geometry><sphere radius="0.5"/></geometry></visual>
        <collision name="v"><origin xyz="0 0 1"/><geometry><cylinder radius="0.1" length="2"/></geometry></collision>
        <collision><geometry><capsule radius="0.1" length="2"/></geometry></collision>
        <collision><origin xyz="1 0 0"/><geometry><plane normal="1 0 0"/></geometry></collision></link>"#,
    );
    assert_eq!(said, "");
    let shapes = &m.body(BodyId(0)).shapes;
    let names: Vec<(&str, &str, bool, bool)> =
        shapes.iter().map(|s| (s.name.as_str(), s.shape.name(), s.collides, s.visible)).collect();
    assert_eq!(
        names,
        [
            ("v", "cylinder", true, false),
            ("collision0", "capsule", true, false),
            ("collision1", "plane", true, false),
            ("v_visual0", "box", false, true),
            ("visual0", "sphere", false, true),
        ]
    );
    assert_eq!(shapes[0].body_from_shape.translation.vector, Vec3::z());
    // The plane is solid below its z axis, which must point along the normal.
    assert!((shapes[2].body_from_shape.rotation * Vec3::z() - Vec3::x()).norm() < 1e-15);
    assert_eq!(shapes[3].shape, Shape::Box { size: Vec3::new(1.0, 2.0, 3.0) });
}

#[test]
fn a_shape_that_is_lost_is_said_loudly() {
    let shape = |kind: &str, geometry: &str| format!("<link name=\"a\"><{kind}>{geometry}</{kind}></link>");
    let mesh = "<geometry><mesh filename=\"package://none/a.stl\"/></geometry>";
    let (m, said) = model(&shape("collision", mesh));
    assert!(m.body(BodyId(0)).shapes.is_empty());
    assert!(said.contains("warning[mesh-missing]") && said.contains("nothing will touch it"), "{said}");
    assert!(model(&shape("visual", mesh)).1.contains("this visual of link 'a' is left out"));
    assert_eq!(codes(&shape("collision", "")), ["shape-missing"]);
    assert_eq!(codes(&shape("collision", "<geometry/>")), ["shape-missing"]);
    assert_eq!(codes(&shape("collision", "<geometry><mesh/></geometry>")), ["mesh-missing"]);
    assert_eq!(codes(&shape("collision", "<geometry><torus/></geometry>")), ["unsupported"]);
    assert_eq!(codes(&shape("collision", "<geometry><box/></geometry>")), ["shape-number"]);
    assert_eq!(codes(&shape("visual", "<geometry><sphere radius=\"0\"/></geometry>")), ["shape-size"]);
    assert_eq!(codes(&shape("collision", "<geometry><sphere radius=\"0\"/></geometry>")), ["shape-size"]);
    assert_eq!(
        codes(&shape("collision", "<geometry><sphere radius=\"1\"/><box size=\"1 1 1\"/></geometry>")),
        ["shape-missing"]
    );
}

#[test]
fn mimic_joints_follow() {
    let text = |mimic: &str| {
        two_links("")
            + "<link name=\"c\"/><joint name=\"lead\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/></joint>"
            + "<joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"c\"/>"
            + mimic
            + "</joint>"
    };
    let (m, said) = model(&text("<mimic joint=\"lead\" multiplier=\"-2\" offset=\"0.5\"/>"));
    assert_eq!(said, "");
    let c = &m.couplings()[0];
    assert_eq!((c.follower, c.leader), (m.joint_named("j").unwrap(), m.joint_named("lead")));
    assert_eq!(c.coefficients, [0.5, -2.0]);
    assert_eq!(model(&text("<mimic joint=\"lead\"/>")).0.couplings()[0].coefficients, [0.0, 1.0]);
    assert_eq!(codes(&text("<mimic joint=\"nobody\"/>")), ["mimic"]);
    assert_eq!(codes(&text("<mimic joint=\"j\"/>"))[0], "mimic-circle");
    let circle =
        text("<mimic joint=\"lead\"/>").replacen("<child link=\"b\"/>", "<child link=\"b\"/><mimic joint=\"j\"/>", 1);
    assert_eq!(codes(&circle), ["mimic-circle"]);
}

const LIMIT: &str = "<limit effort=\"7\" velocity=\"3\"/>";

#[test]
fn joints_with_an_effort_limit_are_driven_when_nothing_else_is_said() {
    let (m, _) = model(&two_links(&joint("continuous", LIMIT)));
    let a = &m.actuators()[0];
    assert_eq!((a.name.as_str(), a.effort_range, a.velocity_limit), ("j", [-7.0, 7.0], 3.0));
    assert_eq!(a.velocity_rule, VelocityRule::Ignore);
    assert!(model(&two_links(&joint("continuous", ""))).0.actuators().is_empty());
}

#[test]
fn transmissions_drive_what_they_name_and_nothing_else() {
    let transmission = |kind: &str, joint: &str| {
        format!(
            "<transmission name=\"t\"><type>{kind}</type><joint name=\"{joint}\"/><actuator name=\"motor\">\
             <mechanicalReduction>50</mechanicalReduction></actuator></transmission>"
        )
    };
    let simple = "transmission_interface/SimpleTransmission";
    let robot = two_links(&joint("continuous", LIMIT));
    let (m, said) = model(&(robot.clone() + &transmission(simple, "j")));
    assert_eq!(m.actuators().len(), 1);
    assert_eq!(m.actuators()[0].name, "motor");
    assert_eq!(m.actuators()[0].transmission, Transmission::Joint { joint: JointId(1), dof: 0, gear: 1.0 });
    assert!(said.contains("note[unsupported]: a <mechanicalReduction> other than 1"), "{said}");
    assert!(codes(&(robot.clone() + &transmission(simple, "k"))).contains(&"transmission-joint"));
    let (m, said) = model(&(robot.clone() + &transmission("x/DifferentialTransmission", "j")));
    assert!(m.actuators().is_empty() && said.contains("DifferentialTransmission"), "{said}");
    // The same motor twice, as in a published arm.
    let twice = robot + &transmission(simple, "j") + &transmission(simple, "j");
    let (m, said) = model(&twice);
    let names: Vec<&str> = m.actuators().iter().map(|a| a.name.as_str()).collect();
    assert_eq!(names, ["motor", "j"]);
    assert!(said.contains("warning[name-clash]"), "{said}");
}

#[test]
fn ros2_control_drives_joints_with_a_command() {
    let robot = two_links(&joint("continuous", LIMIT));
    let system = "<ros2_control name=\"s\" type=\"system\"><hardware/><joint name=\"j\">\
                  <command_interface name=\"position\"/><state_interface name=\"position\"/></joint></ros2_control>";
    let (m, said) = model(&(robot.clone() + system));
    assert_eq!(m.actuators()[0].name, "j");
    assert!(said.contains("the actuator accepts efforts"), "{said}");
    let silent = system.replace("<command_interface name=\"position\"/>", "");
    assert!(model(&(robot + &silent)).0.actuators().is_empty());
}

#[test]
fn surfaces_come_from_contact_and_gazebo_blocks() {
    let (m, said) = model(
        r#"<link name="a"><collision><geometry><sphere radius="1"/></geometry></collision>
           <contact><lateral_friction value="0.7"/><rolling_friction value="0.01"/><spinning_friction value="0.02"/>
             <restitution value="0.3"/><stiffness value="3e4"/><damping value="1e3"/><contact_erp value="1"/></contact>
           </link>
           <gazebo reference="a"><mu2>0.4</mu2><kd value="10"/><fdir1 value="1 0 0"/><turnGravityOff>true</turnGravityOff>
           <material>Gazebo/Red</material></gazebo>"#,
    );
    assert_eq!(said.lines().count(), 1, "{said}");
    let body = m.body(BodyId(0));
    let material = &m.materials()[body.shapes[0].material.unwrap().0];
    assert_eq!((material.name.as_str(), material.friction), ("a", [0.7, 0.4]));
    assert_eq!((material.rolling_friction, material.torsional_friction, material.restitution), (0.01, 0.02, 0.3));
    assert_eq!((material.stiffness, material.friction_direction), (Some(3e4), Some(Vec3::x())));
    let settings: Vec<String> =
        material.engine_settings.iter().map(|(engine, key, value)| format!("{engine} {key} {value}")).collect();
    assert_eq!(settings, ["bullet damping 1e3", "bullet contact_erp 1", "gazebo kd 10"]);
    assert_eq!(body.gravity_scale, 0.0);
}

#[test]
fn gazebo_blocks_are_read_or_reported() {
    let robot = two_links(&joint("continuous", ""));
    let (m, _) = model(&(robot.clone() + "<gazebo reference=\"j\"><springStiffness>4</springStiffness></gazebo>"));
    assert_eq!(m.joint(JointId(1)).dofs[0].stiffness, 4.0);
    assert_eq!(codes(&(robot.clone() + "<gazebo reference=\"k\"/>")), ["gazebo-reference"]);
    let plugins = "<gazebo><plugin name=\"p\"/></gazebo><gazebo><plugin name=\"q\"/></gazebo>";
    let said = import(&(robot.clone() + plugins)).findings.to_string();
    assert!(said.contains("<plugin> in a <gazebo> block is not supported and was left out (2 times"), "{said}");
    let (m, _) = model(&(robot.clone() + "<gazebo reference=\"a\"><selfCollide>false</selfCollide></gazebo>"));
    assert_eq!((m.collision_filters().len(), m.self_collide()), (1, true));
    let (m, _) = model(&(robot + "<gazebo><self_collide>false</self_collide></gazebo>"));
    assert!(!m.self_collide());
}

#[test]
fn unknown_things_are_said_once_with_a_count() {
    let link = |n: u8| format!("<link name=\"l{n}\" colour=\"red\"><odour/></link>");
    let fixed =
        |n: u8| format!("<joint name=\"j{n}\" type=\"fixed\"><parent link=\"l0\"/><child link=\"l{n}\"/></joint>");
    let text = [link(0), link(1), link(2), fixed(1), fixed(2)].join("\n");
    let said = import(&text).findings.to_string();
    assert_eq!(
        said,
        "r.urdf:2: warning[unsupported]: attribute 'colour' of <link> is not supported and was left out (3 times, \
         first here); remove it, or check that the result does not depend on it\n\
         r.urdf:2: warning[unsupported]: <odour> in <link> is not supported and was left out (3 times, first here); \
         remove it, or check that the result does not depend on it\n"
    );
}

#[test]
fn xacro_is_sent_to_xacro() {
    for text in [
        "<xacro:macro name=\"m\" xmlns:xacro=\"x\"/>",
        "<link name=\"${prefix}base\"/>",
        "<link name=\"a\"><visual><geometry><mesh filename=\"$(find p)/a.stl\"/></geometry></visual></link>",
    ] {
        let imported = import(text);
        assert_eq!(imported.findings.count("xacro"), 1);
        assert!(imported.findings.to_string().contains("xacro file.xacro > file.urdf"));
    }
    // An expanded file keeps the namespace declaration.
    let expanded = b"<robot name=\"r\" xmlns:xacro=\"http://ros.org/wiki/xacro\"><link name=\"a\"/></robot>";
    assert!(load_bytes(expanded, Path::new("r.urdf"), &ImportOptions::default()).world.is_some());
}

#[test]
fn inertials_that_say_too_little_are_said() {
    let inertial = |inside: &str| format!("<link name=\"a\"><inertial>{inside}</inertial></link>");
    assert_eq!(codes(&inertial("<mass value=\"1\"/>")), ["inertia-missing"]);
    assert_eq!(codes(&inertial("<inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/>")), ["mass-missing"]);
    assert_eq!(codes(&inertial("<mass/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/>")), ["mass-missing"]);
    assert_eq!(codes(&inertial("<mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\"/>")), ["attribute-missing"]);
    assert_eq!(codes(&inertial("<mass value=\"nan\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/>")), ["number"]);
    assert_eq!(codes(&inertial("<mass value=\"inf\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/>")), ["not-finite"]);
    assert_eq!(codes("<link name=\"a\"/>"), [""; 0]);
    let worst = import(&inertial("<mass value=\"1\"/>")).findings.worst();
    assert_eq!(worst, Some(Severity::Warning));
}

#[test]
fn a_fault_of_one_part_leaves_the_rest_of_the_robot() {
    let sound = r#"<link name="a"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>"#;
    for (part, code, severity) in [
        (
            r#"<link name="b"><inertial><inertia ixx="1" iyy="1" izz="1"/></inertial></link>"#,
            "mass-missing",
            Severity::Error,
        ),
        (
            r#"<link name="b"><collision><geometry><box size="0 0 0"/></geometry></collision></link>"#,
            "shape-size",
            Severity::Warning,
        ),
        (r#"<link name="b"><drake:proximity_properties/></link>"#, "extension", Severity::Warning),
    ] {
        let imported = import(&format!("{sound}{part}{}", joint("continuous", "<axis xyz=\"0 0 1\"/>")));
        let found =
            imported.findings.iter().find(|f| f.code == code).unwrap_or_else(|| panic!("{}", imported.findings));
        assert_eq!(found.severity, severity, "{}", imported.findings);
        assert!(found.source.as_ref().is_some_and(|s| s.line > 0));
        let world = imported.world.unwrap_or_else(|| panic!("{code}: {}", imported.findings));
        let model = &world.placements[0].model;
        assert_eq!((model.bodies().len(), model.dof_count(), model.mass()), (2, 1, 2.0), "{code}");
    }
    // A joint that mimics a missing one moves independently, and that is an error.
    let lonely = import(&two_links(&joint("continuous", "<mimic joint=\"nobody\"/>")));
    assert!(
        lonely.findings.has_errors() && lonely.world.is_some_and(|w| w.placements[0].model.couplings().is_empty())
    );
}
