//! What the MJCF reader says: every fault with file and line, nothing left out in silence.

use std::path::{Path, PathBuf};
use veracity_model::import::{ImportOptions, Imported, load, load_bytes};
use veracity_model::{Drive, JointKind, LoopKind, Model, SensorKind, Severity, Shape, Transmission, Vec3};

fn read(text: &str) -> Imported {
    load_bytes(text.as_bytes(), Path::new("robot.xml"), &ImportOptions::default())
}

/// The model of a document that must load.
fn model(text: &str) -> Model {
    let imported = read(text);
    let world = imported.world.unwrap_or_else(|| panic!("{}", imported.findings));
    Model::clone(&world.placements[0].model)
}

/// One body with one hinge `j` and a ball `g` on it, and what follows.
fn with_body(more: &str) -> String {
    format!(
        "<mujoco><worldbody><body name='b'><joint name='j'/><geom name='g' size='0.1'/><site name='s' pos='0 0 1'/>\
         </body></worldbody>{more}</mujoco>"
    )
}

/// A folder of this test alone.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("mjcf-{name}"));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn faults_name_the_file_the_line_and_what_to_do() {
    for (document, expected) in [
        ("<mujoco>\n<compiler coordinate='global'/></mujoco>", "robot.xml:2: error[global-coordinates]"),
        (
            "<mujoco>\n<worldbody>\n<geom size='x'/></worldbody></mujoco>",
            "robot.xml:3: error[number]: 'size' of <geom>",
        ),
        ("<mujoco><worldbody><geom size='-1'/></worldbody></mujoco>", "error[geom-size]"),
        ("<mujoco><worldbody><geom type='cube'/></worldbody></mujoco>", "expected one of sphere, plane"),
        ("<mujoco><worldbody><geom size='1' class='c'/></worldbody></mujoco>", "no default class 'c'"),
        ("<mujoco><worldbody><joint/></worldbody></mujoco>", "error[joint-in-world]"),
        ("<mujoco><worldbody><body><joint axis='0 0 0'/></body></worldbody></mujoco>", "error[joint-axis]"),
        ("<mujoco><worldbody><body><body><freejoint/></body></body></worldbody></mujoco>", "error[free-joint]"),
        ("<mujoco><worldbody><body><joint limited='true'/></body></worldbody></mujoco>", "limited but has no range"),
        ("<mujoco><worldbody><body pos='1 2'/></worldbody></mujoco>", "has 2 numbers; expected 3"),
        ("<mujoco><worldbody><body quat='0 0 0 0'/></worldbody></mujoco>", "has no direction"),
        ("<mujoco><worldbody><body quat='1 0 0 0' euler='1 2 3'/></worldbody></mujoco>", "orientation 2 times"),
        ("<mujoco><worldbody><body><inertial mass='1'/></body></worldbody></mujoco>", "lacks pos"),
        ("<mujoco><worldbody><body name='world'/></worldbody></mujoco>", "the world's own name"),
        ("<mujoco><worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>", "no mesh 'm'"),
        ("<mujoco><default class='x'/></mujoco>", "must be called 'main'"),
        ("<mujoco><compiler eulerseq='abc'/></mujoco>", "eulerseq 'abc'"),
    ] {
        let imported = read(document);
        let said = imported.findings.to_string();
        assert!(imported.world.is_none(), "{document} should not load");
        assert!(said.contains(expected), "{document}:\n{said}");
    }
}

#[test]
fn names_that_do_not_exist_are_faults_wherever_they_stand() {
    for more in [
        "<actuator><motor joint='x'/></actuator>",
        "<actuator><motor tendon='x'/></actuator>",
        "<actuator><motor/></actuator>",
        "<tendon><fixed><joint joint='x' coef='1'/></fixed></tendon>",
        "<tendon><spatial stiffness='1'><site site='s'/><site site='x'/></spatial></tendon>",
        "<equality><connect body1='x' anchor='0 0 0'/></equality>",
        "<equality><weld site1='x' site2='s'/></equality>",
        "<equality><joint joint1='x'/></equality>",
        "<contact><exclude body1='b' body2='x'/></contact>",
        "<contact><pair geom1='g' geom2='x'/></contact>",
        "<sensor><gyro site='x'/></sensor>",
        "<sensor><jointpos joint='x'/></sensor>",
        "<keyframe><key qpos='1 2 3'/></keyframe>",
    ] {
        let imported = read(&with_body(more));
        assert!(imported.world.is_none() && imported.findings.has_errors(), "{more}");
    }
}

#[test]
fn what_is_not_supported_is_said_once_with_a_hint() {
    for (more, expected) in [
        ("<option viscosity='0.1'/>", "option viscosity"),
        ("<option><flag contact='disable'/></option>", "without contacts"),
        ("<actuator><muscle joint='j'/><muscle joint='j'/></actuator>", "<muscle> in <actuator>"),
        ("<actuator><cylinder joint='j'/></actuator>", "<cylinder> in <actuator>"),
        ("<actuator><position joint='j' timeconst='0.1'/></actuator>", "dyntype filterexact"),
        ("<actuator><general joint='j' dyntype='integrator'/></actuator>", "dyntype integrator"),
        ("<actuator><motor site='s'/></actuator>", "an actuator on a site"),
        ("<deformable/>", "<deformable>"),
        ("<worldbody><replicate count='3'><geom size='1'/></replicate></worldbody>", "<replicate>"),
        ("<worldbody><geom size='1' surfacevel='1 0 0 0 0 0'/></worldbody>", "attribute 'surfacevel' of <geom>"),
        ("<worldbody><geom siz='1' size='1'/></worldbody>", "attribute 'siz' of <geom>"),
        ("<worldbody><gem/></worldbody>", "<gem> in <worldbody>"),
        (
            "<tendon><spatial stiffness='1' springlength='0 1'><site site='s'/><site site='s'/></spatial></tendon>",
            "dead band",
        ),
        ("<tendon><fixed stiffness='1'><joint joint='j' coef='1'/></fixed></tendon>", "fixed tendon"),
        ("<asset><mesh name='m' builtin='sphere'/></asset>", "a builtin mesh"),
        ("<asset><hfield name='h' file='h.png' size='1 1 1 1'/></asset>", "height field in a file"),
        ("<equality><flex flex='f'/></equality>", "<flex> in <equality>"),
        ("<sensors/>", "<sensors> in <mujoco>"),
    ] {
        let imported = read(&with_body(more));
        assert!(imported.world.is_some(), "{more}: {}", imported.findings);
        assert_eq!(imported.findings.count("unsupported"), 1, "{more}: {}", imported.findings);
        let said = imported.findings.to_string();
        assert!(said.contains(expected) && said.contains("was left out; "), "{more}: {said}");
    }
}

#[test]
fn what_is_only_drawn_is_one_note() {
    let imported = read(&with_body(
        "<visual/><statistic extent='1'/><asset><texture builtin='flat'/><material name='m'/></asset>\
         <worldbody><light/><camera/></worldbody>",
    ));
    assert_eq!(imported.findings.len(), 1, "{}", imported.findings);
    let note = imported.findings.iter().next().unwrap();
    assert_eq!(note.severity, Severity::Note);
    assert!(note.text.ends_with("<statistic>, <visual>, cameras, lights, materials, textures"), "{}", note.text);
}

#[test]
fn included_files_become_part_of_the_document() {
    let folder = folder("include");
    std::fs::create_dir_all(folder.join("parts")).unwrap();
    let main =
        "<mujoco><include file='parts/arm.xml'/><actuator><include file='parts/motor.xml'/></actuator></mujoco>";
    std::fs::write(folder.join("main.xml"), main).unwrap();
    let arm = "<mujoco><worldbody><body name='arm'>\n<joint name='j'/><geom size='0.1'/></body></worldbody></mujoco>";
    std::fs::write(folder.join("parts/arm.xml"), arm).unwrap();
    std::fs::write(folder.join("parts/motor.xml"), "<mujocoinclude><motor joint='j'/></mujocoinclude>").unwrap();
    let imported = load(&folder.join("main.xml"), &ImportOptions::default());
    let model = imported.world.unwrap().placements[0].model.clone();
    assert_eq!((model.bodies().len(), model.actuators().len()), (1, 1));
    let source = model.joints()[0].source.as_ref().unwrap();
    assert!(source.file.ends_with("arm.xml") && source.line == 2, "{source}");
}

#[test]
fn a_file_that_includes_itself_or_a_circle_is_refused() {
    let folder = folder("cycle");
    std::fs::write(folder.join("self.xml"), "<mujoco><include file='self.xml'/></mujoco>").unwrap();
    std::fs::write(folder.join("a.xml"), "<mujoco><include file='b.xml'/></mujoco>").unwrap();
    std::fs::write(folder.join("b.xml"), "<mujoco><include file='./a.xml'/></mujoco>").unwrap();
    std::fs::write(folder.join("missing.xml"), "<mujoco>\n<include file='nowhere.xml'/></mujoco>").unwrap();
    for (file, expected) in [
        ("self.xml", "included a second time"),
        ("a.xml", "included a second time"),
        ("missing.xml", "missing.xml:2: error[include]: the included file 'nowhere.xml' was not found; looked at"),
    ] {
        let imported = load(&folder.join(file), &ImportOptions::default());
        assert!(imported.world.is_none());
        assert!(imported.findings.to_string().contains(expected), "{}", imported.findings);
    }
}

#[test]
fn includes_end_at_a_depth() {
    let folder = folder("deep");
    for i in 0..40 {
        let text = format!("<mujoco><include file='{}.xml'/></mujoco>", i + 1);
        std::fs::write(folder.join(format!("{i}.xml")), text).unwrap();
    }
    let imported = load(&folder.join("0.xml"), &ImportOptions::default());
    assert!(imported.world.is_none() && imported.findings.to_string().contains("deep"), "{}", imported.findings);
}

#[test]
fn several_joints_of_a_body_become_a_chain_of_named_links() {
    let model = model(
        "<mujoco><worldbody><body name='hip'><joint name='x' axis='1 0 0'/><joint axis='0 1 0'/><joint name='z'/>\
         <geom size='0.1'/></body></worldbody></mujoco>",
    );
    let bodies: Vec<&str> = model.bodies().iter().map(|b| b.name.as_str()).collect();
    let joints: Vec<&str> = model.joints().iter().map(|j| j.name.as_str()).collect();
    assert_eq!(bodies, ["hip#x", "hip#joint1", "hip"]);
    assert_eq!(joints, ["x", "hip#joint1", "z"]);
    assert!(model.bodies()[..2].iter().all(|b| b.inertia.mass == 0.0) && model.bodies()[2].inertia.mass > 0.0);
}

#[test]
fn a_run_starts_where_the_file_shows_the_robot() {
    let model = model(
        "<mujoco><worldbody><body pos='1 2 3'><freejoint/><geom size='0.1'/></body>\
         <body><joint type='slide' ref='1.25'/><geom size='0.1'/></body></worldbody></mujoco>",
    );
    assert_eq!(model.initial_positions(), [1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0, 1.25]);
    assert_eq!(model.joints()[0].kind, JointKind::Free);
}

#[test]
fn gravity_and_options_reach_the_world() {
    let document = with_body("<option gravity='1 2 3' timestep='0.004'><flag energy='enable'/></option>");
    let world = read(&document).world.unwrap();
    assert_eq!(world.gravity, Vec3::new(1.0, 2.0, 3.0));
    let settings: Vec<(&str, &str, &str)> =
        world.engine_settings.iter().map(|(a, b, c)| (a.as_str(), b.as_str(), c.as_str())).collect();
    assert_eq!(settings, [("mujoco", "timestep", "0.004"), ("mujoco", "flag/energy", "enable")]);
    let none = read(&with_body("<option><flag gravity='disable'/></option>")).world.unwrap();
    assert_eq!(none.gravity, Vec3::zeros());
}

#[test]
fn rows_of_a_height_field_run_from_the_lowest_y() {
    let model = model(
        "<mujoco><asset><hfield name='h' nrow='2' ncol='3' size='1 2 3 0.1' elevation='1 2 3  4 5 6'/></asset>\
         <worldbody><geom type='hfield' hfield='h'/></worldbody></mujoco>",
    );
    let Shape::HeightField(field) = &model.bodies()[0].shapes[0].shape else { panic!("a height field") };
    assert_eq!((field.size, field.counts), ([2.0, 4.0], [3, 2]));
    // Heights are spread over 0 to 3 m; the file's second row is the one at the lowest y.
    let expected = [1.8, 2.4, 3.0, 0.0, 0.6, 1.2];
    assert!(field.heights.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{:?}", field.heights);
}

#[test]
fn sensors_keep_their_place() {
    let model = model(&with_body(
        "<sensor><gyro name='gyro' site='s' noise='0.01'/><jointpos joint='j'/><rangefinder site='s' cutoff='5'/>\
         <force site='s'/><subtreecom body='b'/></sensor>",
    ));
    let sensors = model.sensors();
    assert_eq!(sensors[0].kind, SensorKind::Imu);
    assert_eq!((sensors[0].noise_std, sensors[0].body_from_sensor.translation.z), (0.01, 1.0));
    assert!(matches!(sensors[1].kind, SensorKind::Encoder { .. }));
    assert_eq!(sensors[2].kind, SensorKind::Range { max: 5.0 });
    // MuJoCo's rays leave along the site's z, ours along x.
    let ray = sensors[2].body_from_sensor.rotation * Vec3::x();
    assert!((ray - Vec3::z()).norm() < 1e-15, "{ray}");
    assert!(matches!(sensors[3].kind, SensorKind::ForceTorque { .. }));
    assert!(matches!(&sensors[4].kind, SensorKind::Other { kind, .. } if kind == "subtreecom"));
}

#[test]
fn a_contact_pair_carries_its_own_friction() {
    let model = model(
        "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/><body name='b'><freejoint/>\
         <geom name='g' size='0.1'/></body></worldbody><contact><pair name='p' geom1='floor' geom2='g' condim='4' \
         friction='0.3 0.4 0.05'/></contact></mujoco>",
    );
    let pair = &model.contact_pairs()[0];
    let material = &model.materials()[pair.material.unwrap().0];
    assert_eq!((material.friction, material.torsional_friction), ([0.3, 0.4], 0.05));
}

#[test]
fn an_inactive_equality_is_left_out_with_a_note() {
    let imported = read(&with_body("<equality><connect body1='b' anchor='0 0 0' active='false'/></equality>"));
    assert!(imported.world.unwrap().placements[0].model.loops().is_empty());
    assert_eq!(imported.findings.count("inactive"), 1);
    let active = model(&with_body("<equality><connect body1='b' anchor='0 0 0'/></equality>"));
    assert_eq!(active.loops()[0].kind, LoopKind::Ball);
}

#[test]
fn an_actuator_that_is_left_out_takes_its_command_out_of_keyframes() {
    let model = model(&with_body(
        "<actuator><motor joint='j' gear='2'/><muscle joint='j'/><velocity joint='j' kv='3'/></actuator>\
         <keyframe><key ctrl='10 20 30'/></keyframe>",
    ));
    assert_eq!(model.keyframes()[0].command, [10.0, 30.0]);
    assert_eq!(model.actuators()[1].drive, Drive::Velocity { kd: 3.0 });
    assert!(matches!(model.actuators()[0].transmission, Transmission::Joint { gear: 2.0, .. }));
}

#[test]
fn a_missing_mesh_costs_its_geom_and_says_so() {
    let imported = read(&with_body(
        "<asset><mesh name='m' file='nowhere.stl'/></asset><worldbody><body><joint/><geom type='mesh' mesh='m'/>\
         <geom size='1'/></body></worldbody>",
    ));
    assert!(imported.world.is_some());
    assert_eq!((imported.findings.count("mesh-missing"), imported.findings.count("geom-left-out")), (1, 1));
}
