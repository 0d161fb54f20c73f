//! Poses of links in SDF files: frames, nesting, placement, and cycles, which are rejected.

mod sdf_kinematics;

use sdf_kinematics::{assert_pose, body_pose, import, model, refusal, sdf, world};
use std::f64::consts::{FRAC_PI_2, PI};
use veracity_model::geometry::{at, pose};
use veracity_model::{JointKind, Quat, Vec3};

const INERTIAL: &str = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>";

fn link(name: &str, pose: &str) -> String {
    format!("<link name='{name}'>{pose}{INERTIAL}</link>")
}

#[test]
fn a_floating_link_starts_where_it_is_posed() {
    for version in ["1.4", "1.6", "1.8", "1.11"] {
        let m = model(&sdf(
            version,
            &format!(
                "<model name='m'><pose>9 9 9 0 0 1</pose>{}</model>",
                link("a", "<pose>1 2 3 0.1 0.2 0.3</pose>")
            ),
        ));
        assert_eq!(m.joints()[0].kind, JointKind::Free);
        assert_pose(&body_pose(&m, "a", &[]), &pose(Vec3::new(1.0, 2.0, 3.0), [0.1, 0.2, 0.3]));
    }
}

#[test]
fn the_model_pose_goes_to_the_placement() {
    let w = world(&sdf("1.6", &format!("<model name='m'><pose>1 2 3 0 0 1.5</pose>{}</model>", link("a", ""))));
    assert_eq!(w.placements[0].world_from_model, pose(Vec3::new(1.0, 2.0, 3.0), [0.0, 0.0, 1.5]));
    assert_eq!(w.gravity, Vec3::new(0.0, 0.0, -9.8));
}

#[test]
fn a_joint_frame_is_posed_in_its_child_and_keeps_its_digits() {
    let m = model(&sdf(
        "1.6",
        &format!(
            "<model name='m'>{}{}<joint name='j' type='revolute'><parent>a</parent><child>b</child>\
             <pose>0.1 0.2 0.3 0 0 0.7</pose><axis><xyz>0 0 1</xyz></axis></joint></model>",
            link("a", "<pose>1 0 0 0 0 0</pose>"),
            link("b", "<pose>0 2 0 0 0 1</pose>")
        ),
    ));
    let j = m.joint(m.joint_named("j").unwrap());
    assert_eq!(j.child_from_joint, pose(Vec3::new(0.1, 0.2, 0.3), [0.0, 0.0, 0.7]));
    assert_pose(&body_pose(&m, "b", &[]), &pose(Vec3::new(0.0, 2.0, 0.0), [0.0, 0.0, 1.0]));
    // Rotation about the joint's origin, which is at b_from_j in the link.
    let anchor = pose(Vec3::new(0.0, 2.0, 0.0), [0.0, 0.0, 1.0]) * at(0.1, 0.2, 0.3);
    let turned = anchor * pose(Vec3::zeros(), [0.0, 0.0, 0.5]) * at(-0.1, -0.2, -0.3);
    assert_pose(&body_pose(&m, "b", &[("j", 0.5)]), &turned);
}

#[test]
fn relative_to_follows_links_joints_and_frames_in_any_order() {
    // c is placed in frame f, f in joint j, j in its child b, b in link a, a in the model; written in reverse order.
    let m = model(&sdf(
        "1.7",
        &format!(
            "<model name='m'>{}<frame name='f'><pose relative_to='j'>0 0 1 0 0 0</pose></frame>\
             <joint name='j' type='fixed'><parent>a</parent><child>b</child><pose>0 1 0 0 0 {FRAC_PI_2}</pose></joint>\
             {}{}</model>",
            link("c", "<pose relative_to='f'>1 0 0 0 0 0</pose>"),
            link("b", "<pose relative_to='a'>1 0 0 0 0 0</pose>"),
            link("a", "<pose>5 0 0 0 0 0</pose>"),
        ),
    ));
    assert_pose(&body_pose(&m, "b", &[]), &at(6.0, 0.0, 0.0));
    // j at (6, 1, 0) rotated by a quarter turn; f one above; c one along f's x, which is y.
    assert_pose(&body_pose(&m, "c", &[]), &pose(Vec3::new(6.0, 2.0, 1.0), [0.0, 0.0, FRAC_PI_2]));
}

#[test]
fn a_frame_moves_with_what_it_is_attached_to_and_stands_where_it_is_relative_to() {
    let m = model(&sdf(
        "1.8",
        &format!(
            "<model name='m'>{}{}<frame name='tool' attached_to='b'><pose relative_to='a'>0 0 2 0 0 0</pose></frame>\
             <frame name='tip' attached_to='tool'><pose>0 0 1 0 0 0</pose></frame>\
             <frame name='base'/></model>",
            link("a", "<pose>1 0 0 0 0 0</pose>"),
            link("b", "<pose>4 0 0 0 0 0</pose>")
        ),
    ));
    let frame = |name: &str| m.frames().iter().find(|f| f.name == name).unwrap();
    assert_eq!(frame("tool").body, m.body_named("b"));
    assert_pose(&frame("tool").body_from_frame, &at(-3.0, 0.0, 2.0));
    // By default an attached frame is placed at the frame it is attached to.
    assert_eq!(frame("tip").body, m.body_named("b"));
    assert_pose(&frame("tip").body_from_frame, &at(-3.0, 0.0, 3.0));
    // Without attachment it is attached to the model, hence to its canonical link.
    assert_eq!(frame("base").body, m.body_named("a"));
    assert_pose(&frame("base").body_from_frame, &at(-1.0, 0.0, 0.0));
}

#[test]
fn collisions_can_be_placed_in_any_frame_of_the_model() {
    let m = model(&sdf(
        "1.7",
        &format!(
            "<model name='m'><frame name='f'><pose>0 0 5 0 0 0</pose></frame><link name='a'><pose>1 0 0 0 0 {PI}</pose>\
             {INERTIAL}<collision name='c'><pose relative_to='f'>0 1 0 0 0 0</pose>\
             <geometry><sphere><radius>1</radius></sphere></geometry></collision></link></model>"
        ),
    ));
    assert_pose(&m.bodies()[0].shapes[0].body_from_shape, &pose(Vec3::new(1.0, -1.0, 5.0), [0.0, 0.0, PI]));
}

#[test]
fn nested_models_are_placed_in_each_other_and_named_by_their_path() {
    let inner =
        format!("<model name='inner'><pose>0 0 1 0 0 0</pose>{}</model>", link("tip", "<pose>0 1 0 0 0 0</pose>"));
    let m = model(&sdf(
        "1.8",
        &format!(
            "<model name='robot'>{}<model name='arm'><pose relative_to='base'>0 0 2 0 0 {FRAC_PI_2}</pose>{}{inner}\
             <joint name='j' type='fixed'><parent>hand</parent><child>inner::tip</child></joint></model>\
             <joint name='shoulder' type='revolute'><parent>base</parent><child>arm::hand</child>\
             <axis><xyz expressed_in='arm::inner'>1 0 0</xyz></axis></joint></model>",
            link("base", "<pose>10 0 0 0 0 0</pose>"),
            link("hand", "<pose>1 0 0 0 0 0</pose>"),
        ),
    ));
    let names: Vec<_> = m.bodies().iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["base", "arm::hand", "arm::inner::tip"]);
    assert_pose(&body_pose(&m, "arm::hand", &[]), &pose(Vec3::new(10.0, 1.0, 2.0), [0.0, 0.0, FRAC_PI_2]));
    assert_pose(&body_pose(&m, "arm::inner::tip", &[]), &pose(Vec3::new(9.0, 0.0, 3.0), [0.0, 0.0, FRAC_PI_2]));
    // The axis is the inner model's x, which is the robot's y.
    let turned =
        at(10.0, 1.0, 2.0) * pose(Vec3::zeros(), [0.0, 0.3, 0.0]) * pose(Vec3::zeros(), [0.0, 0.0, FRAC_PI_2]);
    assert_pose(&body_pose(&m, "arm::hand", &[("shoulder", 0.3)]), &turned);
}

#[test]
fn a_placement_frame_stands_where_the_model_is_posed() {
    let inside = format!(
        "{}<frame name='grip' attached_to='a'><pose>0 0 3 0 0 0</pose></frame>",
        link("a", "<pose>1 0 0 0 0 0</pose>")
    );
    let w = world(&sdf(
        "1.8",
        &format!("<model name='m' placement_frame='grip'><pose>0 0 0 {FRAC_PI_2} 0 0</pose>{inside}</model>"),
    ));
    // world_from_model · (1, 0, 3) is the origin and its rotation is a quarter turn about x.
    let grip = w.placements[0].world_from_model * at(1.0, 0.0, 3.0);
    assert_pose(&grip, &pose(Vec3::zeros(), [FRAC_PI_2, 0.0, 0.0]));

    let nested = model(&sdf(
        "1.8",
        &format!(
            "<model name='outer' placement_frame='m::grip'>{}<model name='m' placement_frame='grip'>\
             <pose relative_to='base'>0 0 7 0 0 0</pose>{inside}</model></model>",
            link("base", "<pose>0 5 0 0 0 0</pose>")
        ),
    ));
    assert_pose(&body_pose(&nested, "m::a", &[]), &at(0.0, 5.0, 4.0));
}

#[test]
fn frames_of_the_world_place_models() {
    let w = world(&sdf(
        "1.8",
        &format!(
            "<world name='w'><gravity>0 0 0</gravity><frame name='table' attached_to='first'><pose>0 0 1 0 0 0</pose></frame>\
             <model name='second'><pose relative_to='table'>1 0 0 0 0 0</pose>{}</model>\
             <model name='first'><pose>0 3 0 0 0 0</pose>{}</model></world>",
            link("a", ""),
            link("b", "")
        ),
    ));
    assert_pose(&w.placements[0].world_from_model, &at(1.0, 3.0, 1.0));
}

#[test]
fn quaternions_and_degrees_are_read() {
    let m = model(&sdf(
        "1.9",
        &format!(
            "<model name='m'>{}{}</model>",
            link("a", "<pose rotation_format='quat_xyzw'>1 2 3 0 0 0.6 0.8</pose>"),
            link("b", "<pose degrees='true'>0 0 0 0 0 90</pose>")
        ),
    ));
    let a = body_pose(&m, "a", &[]);
    assert!(a.rotation.angle_to(&Quat::new_normalize(nalgebra::Quaternion::new(0.8, 0.0, 0.0, 0.6))) < 1e-7);
    assert_eq!(a.translation.vector, Vec3::new(1.0, 2.0, 3.0));
    assert_pose(&body_pose(&m, "b", &[]), &pose(Vec3::zeros(), [0.0, 0.0, FRAC_PI_2]));
    let long = link("a", "<pose rotation_format='quat_xyzw'>1 2 3 0 0 0 2</pose>");
    refusal(&sdf("1.9", &format!("<model name='m'>{long}</model>")), "pose");
}

#[test]
fn circles_are_refused_with_their_names() {
    let body = format!(
        "<model name='m'>{}{}{}</model>",
        link("a", "<pose relative_to='b'/>"),
        link("b", "<pose relative_to='c'/>"),
        link("c", "<pose relative_to='a'/>")
    );
    let said = refusal(&sdf("1.7", &body), "frame-cycle");
    assert!(said.contains("a -> b -> c -> a"), "{said}");
    // The same without the last step is valid.
    model(&sdf("1.7", &body.replace("relative_to='a'", "relative_to='__model__'")));

    let attached = format!(
        "<model name='m'>{}<frame name='f' attached_to='g'><pose relative_to='a'/></frame>\
         <frame name='g' attached_to='f'><pose relative_to='a'/></frame></model>",
        link("a", "")
    );
    let said = refusal(&sdf("1.7", &attached), "frame-cycle");
    assert!(said.contains("attached to itself"), "{said}");
}

#[test]
fn names_that_mean_nothing_or_two_things_are_refused() {
    let one = |inside: &str| sdf("1.7", &format!("<model name='m'>{}{inside}</model>", link("a", "")));
    let said = refusal(&one("<frame name='f'><pose relative_to='nowhere'/></frame>"), "frame-unknown");
    assert!(said.contains("nowhere"), "{said}");
    refusal(&one("<frame name='f' attached_to='nowhere'/>"), "frame-unknown");
    refusal(&one("<frame name='a'/>"), "name-clash");
    refusal(&one("<frame name='world'/>"), "name-reserved");
    refusal(&one("<joint name='j' type='fixed'><parent>a</parent><child>b</child></joint>"), "joint-end");
    refusal(&one("<joint name='j' type='fixed'><parent>a</parent><child>a</child></joint>"), "joint-end");
}

#[test]
fn before_1_7_a_joint_may_share_the_name_of_a_link() {
    let text = |version: &str| {
        let joint = "<joint name='b' type='fixed'><parent>a</parent><child>b</child></joint>";
        sdf(version, &format!("<model name='m'>{}{}{joint}</model>", link("a", ""), link("b", "")))
    };
    model(&text("1.6"));
    refusal(&text("1.7"), "name-clash");
}

#[test]
fn a_pose_frame_of_1_6_is_ignored_aloud() {
    let text =
        sdf("1.6", &format!("<model name='m'>{}</model>", link("a", "<pose frame='elsewhere'>1 0 0 0 0 0</pose>")));
    let found = import(&text);
    assert_eq!(found.findings.count("pose-frame"), 1);
    assert_pose(&body_pose(&found.world.unwrap().placements[0].model, "a", &[]), &at(1.0, 0.0, 0.0));
    assert_eq!(import(&text.replace("elsewhere", "")).findings.count("pose-frame"), 0);
}
