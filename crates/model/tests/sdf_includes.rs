//! Models from other files: found, placed, renamed, merged; and endless includes.

mod sdf_kinematics;

use sdf_kinematics::{assert_pose, body_pose};
use std::f64::consts::FRAC_PI_2;
use std::path::{Path, PathBuf};
use veracity_model::geometry::{at, pose};
use veracity_model::import::{ImportOptions, Imported, load};
use veracity_model::{JointKind, Vec3};

const INERTIAL: &str = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>";

/// Files below a folder used only by this test.
fn files(test: &str, list: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sdf_includes").join(test);
    let _ = std::fs::remove_dir_all(&folder);
    for (name, text) in list {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

fn read(folder: &Path, file: &str) -> Imported {
    load(&folder.join(file), &ImportOptions { resource_roots: vec![folder.join("models")], ..Default::default() })
}

fn arm() -> String {
    format!(
        "<sdf version='1.8'><model name='arm'><pose>9 9 9 0 0 0</pose><link name='base'><pose>0 0 1 0 0 0</pose>{INERTIAL}</link>\
         <link name='tip'><pose relative_to='base'>1 0 0 0 0 0</pose>{INERTIAL}</link>\
         <joint name='j' type='revolute'><parent>base</parent><child>tip</child>\
         <axis><xyz expressed_in='__model__'>0 0 1</xyz></axis></joint>\
         <frame name='mount' attached_to='base'><pose>0 0 -1 0 0 0</pose></frame></model></sdf>"
    )
}

const CONFIG: &str = "<model><name>arm</name><sdf version='1.4'>old.sdf</sdf><sdf version='1.8'>arm.sdf</sdf>\
                      <sdf version='1.99'>future.sdf</sdf></model>";

#[test]
fn an_included_model_takes_its_name_place_and_standing_from_the_include() {
    let world = "<sdf version='1.8'><world name='w'><include><uri>model://arm</uri></include>\
                 <include><uri>model://arm</uri><name>second</name><pose>1 2 3 0 0 0</pose><static>true</static></include>\
                 </world></sdf>";
    let folder =
        files("place", &[("w.sdf", world), ("models/arm/model.config", CONFIG), ("models/arm/arm.sdf", &arm())]);
    let found = read(&folder, "w.sdf");
    let world = found.world.unwrap_or_else(|| panic!("{}", found.findings));
    let names: Vec<_> = world.placements.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["arm", "second"]);
    assert_eq!(world.placements[0].world_from_model, at(9.0, 9.0, 9.0));
    assert_eq!(world.placements[1].world_from_model, at(1.0, 2.0, 3.0));
    assert_eq!(world.placements[0].model.dof_count(), 7);
    assert_eq!(world.placements[1].model.dof_count(), 0);
}

#[test]
fn a_model_is_found_by_folder_file_and_config() {
    for (uri, files_there) in [
        ("model://arm", vec![("models/arm/model.sdf", arm())]),
        ("model://arm/arm.sdf", vec![("models/arm/arm.sdf", arm())]),
        ("beside/arm.sdf", vec![("beside/arm.sdf", arm())]),
        ("model://arm/", vec![("models/arm/model.config", CONFIG.to_string()), ("models/arm/arm.sdf", arm())]),
    ] {
        let world = format!("<sdf version='1.8'><world name='w'><include><uri>{uri}</uri></include></world></sdf>");
        let mut list: Vec<(&str, &str)> = files_there.iter().map(|(n, t)| (*n, t.as_str())).collect();
        list.push(("w.sdf", &world));
        let folder = files("found", &list);
        let found = read(&folder, "w.sdf");
        assert!(found.world.is_some(), "{uri}: {}", found.findings);
    }
    let world = "<sdf version='1.8'><world name='w'><include><uri>model://nobody</uri></include></world></sdf>";
    let found = read(&files("lost", &[("w.sdf", world)]), "w.sdf");
    assert!(
        found.world.is_none() && found.findings.to_string().contains("models/nobody/model.sdf"),
        "{}",
        found.findings
    );
    let network = world.replace("model://nobody", "https://example.org/arm");
    let found = read(&files("network", &[("w.sdf", &network)]), "w.sdf");
    assert!(found.findings.to_string().contains("network"), "{}", found.findings);
}

#[test]
fn an_included_document_keeps_its_own_rules() {
    // In 1.4 the axis is in the model frame, even if a 1.8 world includes it.
    let old = format!(
        "<sdf version='1.4'><model name='m'><link name='a'><pose>0 0 0 0 0 {FRAC_PI_2}</pose>{INERTIAL}</link>\
         <joint name='j' type='prismatic'><parent>world</parent><child>a</child><axis><xyz>1 0 0</xyz></axis></joint></model></sdf>"
    );
    let new = old.replace("1.4", "1.6");
    for (text, expected) in [(old, Vec3::x()), (new, Vec3::y())] {
        let world = "<sdf version='1.8'><world name='w'><include><uri>m.sdf</uri></include></world></sdf>";
        let folder = files("rules", &[("w.sdf", world), ("m.sdf", &text)]);
        let m = read(&folder, "w.sdf").world.unwrap().placements[0].model.clone();
        assert!((body_pose(&m, "a", &[("j", 0.5)]).translation.vector - expected * 0.5).norm() < 1e-15);
    }
}

#[test]
fn a_nested_include_is_placed_by_its_placement_frame() {
    let robot = format!(
        "<sdf version='1.8'><model name='robot'><link name='body'><pose>0 5 0 0 0 0</pose>{INERTIAL}</link>\
         <include><uri>arm.sdf</uri><name>left</name><pose relative_to='body'>0 0 2 0 0 0</pose>\
         <placement_frame>mount</placement_frame></include>\
         <joint name='m' type='fixed'><parent>body</parent><child>left::base</child></joint></model></sdf>"
    );
    let folder = files("nested", &[("robot.sdf", &robot), ("arm.sdf", &arm())]);
    let found = read(&folder, "robot.sdf");
    let m = found.world.unwrap_or_else(|| panic!("{}", found.findings)).placements[0].model.clone();
    // mount is the model's origin (base one up, mount one down again), so the arm's frame is at (0, 5, 2).
    assert_pose(&body_pose(&m, "left::base", &[]), &at(0.0, 5.0, 3.0));
    assert_pose(&body_pose(&m, "left::tip", &[]), &at(1.0, 5.0, 3.0));
}

#[test]
fn a_merged_include_gives_its_parts_to_the_model() {
    let robot = format!(
        "<sdf version='1.9'><model name='robot'><link name='body'>{INERTIAL}</link>\
         <include merge='true'><uri>arm.sdf</uri><pose relative_to='body'>0 0 2 {FRAC_PI_2} 0 0</pose></include>\
         <joint name='m' type='fixed'><parent>body</parent><child>base</child></joint></model></sdf>"
    );
    let folder = files("merged", &[("robot.sdf", &robot), ("arm.sdf", &arm())]);
    let found = read(&folder, "robot.sdf");
    let m = found.world.unwrap_or_else(|| panic!("{}", found.findings)).placements[0].model.clone();
    let arm_frame = pose(Vec3::new(0.0, 0.0, 2.0), [FRAC_PI_2, 0.0, 0.0]);
    assert_pose(&body_pose(&m, "base", &[]), &(arm_frame * at(0.0, 0.0, 1.0)));
    // __model__ of the merged model is at the merged model's pose: the joint rotates about its z.
    let turned = arm_frame * at(1.0, 0.0, 1.0) * pose(Vec3::zeros(), [0.0, 0.0, 0.4]);
    assert_pose(&body_pose(&m, "tip", &[("j", 0.4)]), &turned);
    assert!(matches!(m.joint(m.joint_named("j").unwrap()).kind, JointKind::Continuous { .. }));
}

#[test]
fn models_that_include_themselves_are_refused_with_the_circle() {
    let include = |uri: &str| format!("<include><uri>{uri}</uri></include>");
    let model = |name: &str, inside: &str| {
        format!("<sdf version='1.8'><model name='{name}'><link name='{name}'>{INERTIAL}</link>{inside}</model></sdf>")
    };
    let folder = files("self", &[("a.sdf", &model("a", &include("a.sdf")))]);
    let found = read(&folder, "a.sdf");
    assert!(found.world.is_none());
    assert!(found.findings.to_string().contains("error[include-cycle]"), "{}", found.findings);

    let world = format!("<sdf version='1.8'><world name='w'>{}</world></sdf>", include("a.sdf"));
    let list =
        [("w.sdf", world), ("a.sdf", model("a", &include("b.sdf"))), ("b.sdf", model("b", &include("./a.sdf")))];
    let list: Vec<_> = list.iter().map(|(n, t)| (*n, t.as_str())).collect();
    let found = read(&files("circle", &list), "w.sdf");
    assert!(found.findings.to_string().contains("a.sdf -> b.sdf -> a.sdf"), "{}", found.findings);
}

#[test]
fn models_that_double_at_every_level_are_stopped() {
    // Twenty files, each including the next twice: a million models if followed.
    let list: Vec<(String, String)> = (0..20)
        .map(|i| {
            let next = format!("<include><uri>{}.sdf</uri><name>x</name></include><include><uri>{0}.sdf</uri><name>y</name></include>", i + 1);
            (format!("{i}.sdf"), format!("<sdf version='1.8'><model name='m'><link name='l'>{INERTIAL}</link>{next}</model></sdf>"))
        })
        .chain([("20.sdf".to_string(), arm())])
        .collect();
    let list: Vec<_> = list.iter().map(|(n, t)| (n.as_str(), t.as_str())).collect();
    let found = read(&files("bomb", &list), "0.sdf");
    assert!(found.world.is_none());
    assert!(found.findings.to_string().contains("error[include-limit]"), "{}", found.findings);
}

#[test]
fn the_simulators_own_floor_and_lamp_are_at_hand() {
    let fuel = "https://fuel.gazebosim.org/1.0/OpenRobotics/models";
    let include = |uri: &str| format!("<include><uri>{uri}</uri></include>");
    for (sun, ground) in [
        ("model://sun".to_string(), "model://ground_plane".to_string()),
        (format!("{fuel}/Sun"), format!("{fuel}/Ground Plane")),
    ] {
        let world = format!("<sdf version='1.8'><world name='w'>{}{}</world></sdf>", include(&sun), include(&ground));
        let found = read(&files("stock", &[("w.sdf", &world)]), "w.sdf");
        assert_eq!(found.findings.count("stock-model"), 1, "{}", found.findings);
        let world = found.world.unwrap_or_else(|| panic!("{}", found.findings));
        let floor = &world.placements[0].model;
        assert_eq!((floor.name(), floor.dof_count()), ("ground_plane", 0));
        assert_eq!(floor.materials()[0].friction, [100.0, 50.0]);
    }
    // A file of that name takes precedence over the built-in model.
    let world = format!("<sdf version='1.8'><world name='w'>{}</world></sdf>", include("model://ground_plane"));
    let folder = files("own", &[("w.sdf", &world), ("models/ground_plane/model.sdf", &arm())]);
    assert_eq!(read(&folder, "w.sdf").world.unwrap().placements[0].name, "arm");
}
