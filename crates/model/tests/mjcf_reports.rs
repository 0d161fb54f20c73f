//! Findings of the MJCF importer: every fault with file and line, and everything left out is reported.

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

/// One body with one hinge `j` and a ball `g` on it, followed by `more`.
fn with_body(more: &str) -> String {
    format!(
        "<mujoco><worldbody><body name='b'><joint name='j'/><geom name='g' size='0.1'/><site name='s' pos='0 0 1'/>\
         </body></worldbody>{more}</mujoco>"
    )
}

/// A folder used only by this test.
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

/// The cart-pole of dm_control and ManiSkill: its cart overlaps its rails, with contact disabled.
#[test]
fn a_file_can_switch_contact_off() {
    for (flag, contact) in [("<option><flag contact='disable'/></option>", false), ("<option/>", true)] {
        let imported = read(&with_body(flag));
        assert_eq!(imported.world.unwrap().contact, contact, "{flag}");
        assert_eq!(imported.findings.count("unsupported"), 0, "{flag}: {}", imported.findings);
    }
}

#[test]
fn what_is_not_supported_is_said_once_with_a_hint() {
    for (more, expected) in [
        ("<option viscosity='0.1'/>", "option viscosity"),
        ("<option><flag limit='disable'/></option>", "without joint limits"),
        ("<actuator><muscle joint='j'/><muscle joint='j'/></actuator>", "<muscle> in <actuator>"),
        ("<actuator><cylinder joint='j'/></actuator>", "<cylinder> in <actuator>"),
        ("<actuator><position joint='j' timeconst='0.1'/></actuator>", "dyntype filterexact"),
        ("<actuator><general joint='j' dyntype='integrator'/></actuator>", "dyntype integrator"),
        ("<actuator><motor site='s'/></actuator>", "an actuator on a site"),
        ("<deformable/>", "<deformable>"),
        ("<worldbody><geom size='1' surfacevel='1 0 0 0 0 0'/></worldbody>", "attribute 'surfacevel' of <geom>"),
        ("<worldbody><geom siz='1' size='1'/></worldbody>", "attribute 'siz' of <geom>"),
        ("<worldbody><gem/></worldbody>", "<gem> in <worldbody>"),
        (
            "<tendon><spatial stiffness='1' springlength='0 1'><site site='s'/><site site='s'/></spatial></tendon>",
            "dead band",
        ),
        ("<tendon><fixed stiffness='1'><joint joint='j' coef='1'/></fixed></tendon>", "fixed tendon"),
        ("<asset><mesh name='m' builtin='sphere'/></asset>", "a builtin mesh"),
        ("<asset><hfield name='h' file='h.png' size='1 1 1 1'/></asset>", "height field in a PNG file"),
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
    // Heights are scaled to 0 to 3 m; the file's second row is the one at the lowest y.
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
    // MuJoCo's rays point along the site's z, those of the model along x.
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
fn a_missing_mesh_is_as_bad_as_what_it_costs() {
    let missing = |geom: &str, inertial: &str| {
        read(&with_body(&format!(
            "<asset><mesh name='m' file='nowhere.stl'/></asset><worldbody><body name='k'><joint/>{inertial}\
             <geom type='mesh' mesh='m' {geom}/><geom size='1'/></body></worldbody>"
        )))
    };
    let worst = |imported: &Imported, code: &str| {
        imported.findings.iter().filter(|f| f.code == code).map(|f| f.severity).max()
    };
    let inertial = "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>";
    // Its mass counts: the body is wrong, although the rest loads. 36.7 kg were once lost without a report.
    for geom in ["mass='36.7'", "", "contype='0' conaffinity='0' mass='2'"] {
        let imported = missing(geom, "");
        assert_eq!(worst(&imported, "mass-lost"), Some(Severity::Error), "{geom}: {}", imported.findings);
        assert!(imported.world.is_some(), "{geom}: {}", imported.findings);
    }
    assert!(missing("mass='36.7'", "").findings.to_string().contains("body 'k' lacks 36.7 kg"));
    // A warning if something could touch it, a note if it is only drawn.
    let touched = missing("", inertial);
    assert_eq!((worst(&touched, "mass-lost"), worst(&touched, "mesh-missing")), (None, Some(Severity::Warning)));
    let drawn = missing("contype='0' conaffinity='0'", inertial);
    assert_eq!(
        (worst(&drawn, "mesh-missing"), worst(&drawn, "geom-left-out")),
        (Some(Severity::Note), Some(Severity::Note))
    );
    assert_eq!(drawn.findings.worst(), Some(Severity::Note), "{}", drawn.findings);
}

/// Files of sensors alone (mujoco_playground has eight) were accepted silently.
#[test]
fn a_sensor_that_names_a_missing_part_is_an_error() {
    for (sensor, wanted) in [
        ("<contact geom1='g' geom2='floor'/>", Some("<contact> names geom 'floor', which does not exist")),
        ("<subtreecom body='torso'/>", Some("<subtreecom> names body 'torso', which does not exist")),
        ("<framepos objtype='body' objname='b' reftype='site' refname='t'/>", Some("names site 't'")),
        ("<contact geom1='g' body2='b'/>", None),
        ("<framepos objtype='body' objname='b' reftype='site' refname='s'/>", None),
        ("<jointlimitpos joint='j'/>", None),
    ] {
        let imported = read(&with_body(&format!("<sensor>{sensor}</sensor>")));
        let said = imported.findings.to_string();
        match wanted {
            Some(words) => assert!(imported.world.is_none() && said.contains(words), "{sensor}: {said}"),
            None => assert_eq!(imported.world.map(|w| w.placements[0].model.sensors().len()), Some(1), "{said}"),
        }
    }
}

#[test]
fn bodies_that_are_left_out_are_an_error() {
    for part in [
        "<flexcomp name='f' type='grid' count='2 2 2'/>",
        "<composite type='cable'/>",
        "<attach model='m' prefix='p'/>",
        "<attach body='arm' prefix='p'/>",
    ] {
        let imported = read(&with_body(&format!("<worldbody>{part}</worldbody>")));
        assert!(imported.findings.has_errors() && imported.findings.count("mass-lost") == 1, "{}", imported.findings);
        assert!(imported.world.is_some());
    }
}

/// A tetrahedron of this size as an OBJ file: its volume is `size³ / 6`.
fn tetrahedron(size: f64) -> String {
    format!("v 0 0 0\nv {size} 0 0\nv 0 {size} 0\nv 0 0 {size}\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
}

#[test]
fn assets_of_included_files_are_found_where_mujoco_finds_them() {
    // Each layout was tried in MuJoCo 4.0.0: `meshdir` next to the main file first, then the included file's own folder
    // without `meshdir`; with `strippath` only the former.
    let part = "<mujoco><asset><mesh name='m' file='a.obj'/></asset><worldbody><body name='b'><joint/>\
                <geom type='mesh' mesh='m' density='6'/></body></worldbody></mujoco>";
    for (name, compiler, meshes, mass) in [
        ("main", "", &["a.obj"][..], Some(1.0)),
        ("own", "", &["sub/a.obj"], Some(1.0)),
        ("meshdir", "<compiler meshdir='md'/>", &["md/a.obj"], Some(1.0)),
        ("own-despite-meshdir", "<compiler meshdir='md'/>", &["sub/a.obj"], Some(1.0)),
        ("main-first", "", &["a.obj", "sub/a.obj"], Some(1.0)),
        ("nowhere", "", &["md/a.obj"], None),
        ("no-meshdir-below", "<compiler meshdir='md'/>", &["sub/md/a.obj"], None),
        ("stripped", "<compiler strippath='true'/>", &["sub/a.obj"], None),
    ] {
        let folder = folder(&format!("assets-{name}"));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(folder.join("sub/md")).unwrap();
        std::fs::create_dir_all(folder.join("md")).unwrap();
        std::fs::write(folder.join("main.xml"), format!("<mujoco>{compiler}<include file='sub/part.xml'/></mujoco>"))
            .unwrap();
        std::fs::write(folder.join("sub/part.xml"), part).unwrap();
        for (k, mesh) in meshes.iter().enumerate() {
            std::fs::write(folder.join(mesh), tetrahedron(1.0 + k as f64)).unwrap();
        }
        let imported = load(&folder.join("main.xml"), &ImportOptions::default());
        let found = imported.world.as_ref().map(|w| w.placements[0].model.mass());
        match mass {
            Some(mass) => assert!((found.unwrap() - mass).abs() < 1e-12, "{name}: {found:?} {}", imported.findings),
            None => assert_eq!(imported.findings.count("mass-lost"), 1, "{name}: {}", imported.findings),
        }
    }
}

#[test]
fn a_confined_model_reads_nothing_outside_its_folder() {
    let folder = folder("confined");
    std::fs::create_dir_all(folder.join("robot")).unwrap();
    std::fs::write(folder.join("secret.xml"), "<mujoco><worldbody><body name='secret'/></worldbody></mujoco>")
        .unwrap();
    std::fs::write(folder.join("a.obj"), tetrahedron(1.0)).unwrap();
    std::fs::write(folder.join("robot/include.xml"), "<mujoco><include file='../secret.xml'/></mujoco>").unwrap();
    let mesh = "<mujoco><asset><mesh name='m' file='../a.obj'/></asset><worldbody><body><joint/><geom type='mesh' mesh='m'/>\
                </body></worldbody></mujoco>";
    std::fs::write(folder.join("robot/mesh.xml"), mesh).unwrap();
    let confined = ImportOptions { confine: true, ..ImportOptions::default() };
    for (file, code) in [("include.xml", "include"), ("mesh.xml", "mesh-missing")] {
        let path = folder.join("robot").join(file);
        let free = load(&path, &ImportOptions::default());
        assert!(!free.findings.has_errors(), "{file}: {}", free.findings);
        let imported = load(&path, &confined);
        let said =
            imported.findings.iter().find(|f| f.code == code).unwrap_or_else(|| panic!("{}", imported.findings));
        assert!(said.text.contains("--confine"), "{file}: {said}");
        assert!(imported.findings.has_errors(), "{file}: {}", imported.findings);
    }
}

#[test]
fn a_binary_mesh_and_a_binary_height_field_are_read() {
    let folder = folder("binary");
    let floats = |list: &[f32]| list.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let integers = |list: &[i32]| list.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let mut msh = integers(&[4, 1, 1, 4]);
    msh.extend(floats(&[0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1.]));
    msh.extend(floats(&[0., 0., 1., 0.5, 0.5]));
    msh.extend(integers(&[0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]));
    std::fs::write(folder.join("m.msh"), &msh).unwrap();
    let mut field = integers(&[2, 3]);
    field.extend(floats(&[0., 1., 2., 3., 4., 5.]));
    std::fs::write(folder.join("h.bin"), field).unwrap();
    let text = "<mujoco><asset><mesh name='m' file='m.msh'/><hfield name='h' file='h.bin' size='1 2 3 0.1'/></asset>\
                <worldbody><geom type='hfield' hfield='h'/><body><joint/><geom type='mesh' mesh='m' density='6'/></body>\
                </worldbody></mujoco>";
    std::fs::write(folder.join("robot.xml"), text).unwrap();
    let imported = load(&folder.join("robot.xml"), &ImportOptions::default());
    let world = imported.world.unwrap_or_else(|| panic!("{}", imported.findings));
    let model = &world.placements[0].model;
    assert!((model.mass() - 1.0).abs() < 1e-12, "{}", model.mass());
    let Shape::HeightField(field) = &model.bodies()[0].shapes[0].shape else { panic!("a height field") };
    // In the file, unlike in 'elevation', the row of the lowest y comes first: MuJoCo's data are the file's.
    let expected = [0.0, 0.6, 1.2, 1.8, 2.4, 3.0];
    assert_eq!((field.size, field.counts), ([2.0, 4.0], [3, 2]));
    assert!(field.heights.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{:?}", field.heights);
    // If truncated, or with inconsistent counts, it is an error and not a panic.
    for broken in [&msh[..msh.len() - 4], &msh[..10], &[&[0xff; 16][..], &msh[16..]].concat()] {
        std::fs::write(folder.join("m.msh"), broken).unwrap();
        let imported = load(&folder.join("robot.xml"), &ImportOptions::default());
        assert_eq!(imported.findings.count("mesh-read"), 1, "{}", imported.findings);
    }
}

#[test]
fn a_primitive_fitted_to_a_mesh_has_the_sizes_mujoco_gives_it() {
    // Sizes, positions and masses printed by MuJoCo 4.0.0; the axes of a fitted shape have arbitrary sign, so only
    // these are compared.
    let wedge = "<mesh name='w' vertex='0 0 0  1 0 0  0 2 0  0 0 3  1 2 0'/>";
    let (b1, b2, b3) = (0.380910072772, 0.706204230225, 1.122188977701);
    let round = 0.543557151498;
    for (kind, sizes, mass) in [
        ("sphere", vec![0.736434426899], 1672.9804175828217),
        ("capsule", vec![round, 2.0 * 0.850410401952], 2251.401652052979),
        ("cylinder", vec![round, 2.0 * b3], 2083.2255585660814),
        ("ellipsoid", vec![b1, b2, b3], 1264.4666515873312),
        ("box", vec![2.0 * b1, 2.0 * b2, 2.0 * b3], 2414.953415699774),
    ] {
        let geom = format!("<geom type='{kind}' mesh='w' pos='1 2 3' euler='10 20 30'/>");
        let text =
            format!("<mujoco><asset>{wedge}</asset><worldbody><body><joint/>{geom}</body></worldbody></mujoco>");
        let model = model(&text);
        let shape = &model.bodies()[0].shapes[0];
        let ours = match &shape.shape {
            Shape::Sphere { radius } => vec![*radius],
            Shape::Capsule { radius, length } | Shape::Cylinder { radius, length } => vec![*radius, *length],
            Shape::Ellipsoid { radii } => radii.iter().copied().collect(),
            Shape::Box { size } => size.iter().copied().collect(),
            other => panic!("{}", other.name()),
        };
        // Twelve printed digits.
        let near = |a: f64, b: f64| (a - b).abs() < 1e-11 * b.abs().max(1.0);
        assert!(ours.len() == sizes.len() && ours.iter().zip(&sizes).all(|(a, b)| near(*a, *b)), "{kind}: {ours:?}");
        let place = shape.body_from_shape.translation.vector;
        let expected = [1.209304505206, 2.69893707854, 3.856331468733];
        assert!(place.iter().zip(expected).all(|(a, b)| near(*a, b)), "{kind}: {place}");
        assert!((model.mass() / mass - 1.0).abs() < 1e-9, "{kind}: {}", model.mass());
    }
}
