//! Joints of SDF files: axes by version, types, limits, trees, loops, couplings.

mod sdf_kinematics;

use sdf_kinematics::{apart, assert_pose, body_pose, body_poses, import, model, refusal, sdf, world};
use std::f64::consts::{FRAC_PI_2, TAU};
use veracity_model::geometry::{at, pose, quat_about};
use veracity_model::{BodyId, JointKind, LoopKind, Model, Pose, Vec3};

const INERTIAL: &str = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>";

fn link(name: &str, pose: &str) -> String {
    format!("<link name='{name}'><pose>{pose}</pose>{INERTIAL}</link>")
}

fn joint(name: &str, kind: &str, parent: &str, child: &str, inside: &str) -> String {
    format!("<joint name='{name}' type='{kind}'><parent>{parent}</parent><child>{child}</child>{inside}</joint>")
}

fn in_model(version: &str, parts: &[String]) -> String {
    sdf(version, &format!("<model name='m'><pose>3 1 4 0.1 0.5 0.9</pose>{}</model>", parts.concat()))
}

/// The axis in the model frame about which `body` rotates when `joint` moves.
fn axis_of(model: &Model, body: &str, joint: &str) -> Vec3 {
    let (rest, turned) = (body_pose(model, body, &[]), body_pose(model, body, &[(joint, 0.25)]));
    (turned.rotation * rest.rotation.inverse()).scaled_axis() / 0.25
}

/// One rotated link on the world whose axis is written as x.
fn axis_text(version: &str, axis: &str) -> String {
    let parts = [link("a", "0 0 1 0 0 1.5707963267948966"), joint("j", "revolute", "world", "a", axis)];
    in_model(version, &parts)
}

#[test]
fn the_axis_frame_follows_the_version() {
    let plain = "<axis><xyz>1 0 0</xyz></axis>";
    let flagged = "<axis><xyz>1 0 0</xyz><use_parent_model_frame>true</use_parent_model_frame></axis>";
    let named = "<axis><xyz expressed_in='__model__'>1 0 0</xyz></axis>";
    // The link is rotated by a quarter turn about z: its own x is the model's y.
    let cases = [
        ("1.4", plain, Vec3::x()),
        ("1.5", plain, Vec3::y()),
        ("1.5", flagged, Vec3::x()),
        ("1.6", plain, Vec3::y()),
        ("1.6", flagged, Vec3::x()),
        ("1.7", plain, Vec3::y()),
        ("1.7", named, Vec3::x()),
        ("1.7", flagged, Vec3::y()),
        ("1.11", named, Vec3::x()),
    ];
    for (version, axis, expected) in cases {
        let found = axis_of(&model(&axis_text(version, axis)), "a", "j");
        // The axis is recovered from a rotation by 0.25 rad: a few roundings.
        assert!((found - expected).norm() < 1e-14, "SDF {version}, {axis}: {found}");
    }
    // Content that has no meaning in its version is reported.
    assert_eq!(import(&axis_text("1.7", flagged)).findings.count("axis-frame"), 1);
    let not = flagged.replace("true", "false");
    assert_eq!(import(&axis_text("1.4", &not)).findings.count("axis-frame"), 1);
}

#[test]
fn an_axis_can_be_expressed_in_any_frame() {
    let parts = [
        format!("<frame name='f'><pose>0 0 0 0 {FRAC_PI_2} 0</pose></frame>"),
        link("a", "0 0 1 0 0 0.3"),
        joint("j", "prismatic", "world", "a", "<axis><xyz expressed_in='f'>1 0 0</xyz></axis>"),
    ];
    let m = model(&in_model("1.7", &parts));
    // f's x points down.
    assert_pose(&body_pose(&m, "a", &[("j", 0.2)]), &pose(Vec3::new(0.0, 0.0, 0.8), [0.0, 0.0, 0.3]));
}

#[test]
fn a_screw_advances_by_its_pitch() {
    let screw = |version: &str, pitch: &str| {
        let axis = format!("{pitch}<axis><xyz>0 0 1</xyz></axis>");
        let m = model(&in_model(version, &[link("a", "0 0 0 0 0 0"), joint("j", "screw", "world", "a", &axis)]));
        body_pose(&m, "a", &[("j", TAU)]).translation.z
    };
    // Metres per revolution, right-handed: it takes precedence over the older one.
    let both = "<screw_thread_pitch>0.004</screw_thread_pitch><thread_pitch>7</thread_pitch>";
    assert!((screw("1.10", both) - 0.004).abs() < 1e-15);
    // Radians per metre, left-handed: one revolution is -2π/500 m.
    assert!((screw("1.6", "<thread_pitch>500</thread_pitch>") + TAU / 500.0).abs() < 1e-15);
    assert!((screw("1.10", "") - 1.0).abs() < 1e-15);
    assert!((screw("1.9", "") + TAU).abs() < 1e-14);
}

#[test]
fn universal_turns_about_the_first_axis_in_the_parent_and_the_second_in_the_child() {
    for kind in ["universal", "revolute2"] {
        let axes = "<axis><xyz>1 0 0</xyz><limit><upper>1</upper></limit></axis><axis2><xyz>0 1 0</xyz><limit><upper>2</upper></limit></axis2>";
        let m = model(&in_model("1.6", &[link("a", "0 0 0 0 0 0"), joint("j", kind, "world", "a", axes)]));
        let found = body_poses(&m, &[0.4, 0.7])[0].rotation;
        let expected = quat_about(&Vec3::x(), 0.4) * quat_about(&Vec3::y(), 0.7);
        assert!(found.angle_to(&expected) < 1e-7);
        assert_eq!(m.joints()[0].dofs.iter().map(|d| d.upper).collect::<Vec<_>>(), [1.0, 2.0]);
    }
}

#[test]
fn limits_and_dynamics_are_read_and_their_ways_of_saying_none() {
    let axis = "<axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>2</upper><effort>30</effort><velocity>4</velocity></limit>\
                <dynamics><damping>0.5</damping><friction>0.25</friction><spring_reference>0.1</spring_reference>\
                <spring_stiffness>8</spring_stiffness></dynamics></axis>";
    let hinge = |axis: &str| {
        model(&in_model("1.6", &[link("a", "0 0 0 0 0 0"), joint("j", "revolute", "world", "a", axis)])).joints()[0]
            .clone()
    };
    let j = hinge(axis);
    assert!(matches!(j.kind, JointKind::Revolute { .. }));
    let d = j.dofs[0];
    assert_eq!([d.lower, d.upper, d.effort_limit, d.velocity_limit], [-1.0, 2.0, 30.0, 4.0]);
    assert_eq!([d.damping, d.friction, d.spring_reference, d.stiffness], [0.5, 0.25, 0.1, 8.0]);

    let none = "<axis><xyz>0 0 1</xyz><limit><lower>-1e16</lower><upper>1e+16</upper><effort>-1</effort><velocity>-1</velocity></limit></axis>";
    let j = hinge(none);
    assert!(matches!(j.kind, JointKind::Continuous { .. }));
    assert_eq!(j.dofs[0], veracity_model::Dof::default());
    let infinite = none.replace("1e+16", "inf").replace("-1e16", "-inf");
    assert_eq!(hinge(&infinite).dofs[0], veracity_model::Dof::default());
}

#[test]
fn equal_limits_fix_a_joint_where_they_are() {
    let text = |kind: &str, at: f64| {
        let axis = format!("<axis><xyz>0 0 1</xyz><limit><lower>{at}</lower><upper>{at}</upper></limit></axis>");
        in_model("1.6", &[link("a", "0 0 1 0 0 0"), joint("j", kind, "world", "a", &axis)])
    };
    let found = import(&text("revolute", 0.0));
    assert_eq!(found.findings.count("locked-joint"), 1);
    let m = &found.world.unwrap().placements[0].model;
    assert_eq!(m.joints()[0].kind, JointKind::Fixed);
    assert!(m.warnings().count("locked-joint") == 1);
    assert_pose(&body_pose(m, "a", &[]), &at(0.0, 0.0, 1.0));
    assert_pose(&body_pose(&model(&text("prismatic", 0.5)), "a", &[]), &at(0.0, 0.0, 1.5));
    assert_pose(&body_pose(&model(&text("revolute", 0.5)), "a", &[]), &pose(Vec3::z(), [0.0, 0.0, 0.5]));
}

#[test]
fn a_joint_followed_backwards_keeps_the_meaning_and_sign_of_its_position() {
    // c is attached to the world; p is attached to c through a joint whose parent is p.
    let (p, c) = (pose(Vec3::new(1.0, 2.0, 3.0), [0.3, 0.2, 0.1]), pose(Vec3::new(-1.0, 0.5, 2.0), [-0.4, 0.6, 1.2]));
    let j = pose(Vec3::new(0.2, -0.3, 0.4), [0.7, -0.2, 0.5]);
    let axis = Vec3::new(0.6, 0.0, 0.8);
    for (kind, moved) in [
        ("revolute", Pose::from_parts(Vec3::zeros().into(), quat_about(&axis, 0.6))),
        ("prismatic", at(0.6 * 0.6, 0.0, 0.8 * 0.6)),
        ("screw", Pose::from_parts((axis * (0.6 * 0.1 / TAU)).into(), quat_about(&axis, 0.6))),
    ] {
        let inside = "<screw_thread_pitch>0.1</screw_thread_pitch><pose>0.2 -0.3 0.4 0.7 -0.2 0.5</pose>\
                      <axis><xyz>0.6 0 0.8</xyz><limit><lower>-1</lower><upper>2</upper></limit></axis>";
        let parts = [
            link("p", "1 2 3 0.3 0.2 0.1"),
            link("c", "-1 0.5 2 -0.4 0.6 1.2"),
            joint("hold", "fixed", "world", "c", ""),
            joint("j", kind, "p", "c", inside),
        ];
        let found = import(&in_model("1.10", &parts));
        assert_eq!(found.findings.count("joint-reversed"), 1, "{}", found.findings);
        let m = found.world.unwrap().placements[0].model.clone();
        assert_eq!(m.parent(m.body_named("p").unwrap()), m.body_named("c"));
        assert_pose(&body_pose(&m, "p", &[]), &p);
        assert_pose(&body_pose(&m, "c", &[]), &c);
        // p_from_c(q) = p_from_j · T(q) · c_from_j⁻¹, with p_from_j as posed.
        let expected = (p.inverse() * c * j) * moved * j.inverse();
        let found = body_pose(&m, "p", &[("j", 0.6)]).inverse() * body_pose(&m, "c", &[("j", 0.6)]);
        assert_pose(&found, &expected);
        let limits = m.joint(m.joint_named("j").unwrap()).dofs[0];
        assert_eq!([limits.lower, limits.upper], [-1.0, 2.0]);
    }
}

#[test]
fn a_universal_joint_followed_backwards_swaps_its_angles_and_says_so() {
    let axes = "<axis><xyz>1 0 0</xyz><limit><upper>1</upper></limit></axis><axis2><xyz>0 1 0</xyz><limit><upper>2</upper></limit></axis2>";
    let parts = [
        link("p", "0 0 0 0 0 0"),
        link("c", "0 0 0 0 0 0"),
        joint("h", "fixed", "world", "c", ""),
        joint("j", "universal", "p", "c", axes),
    ];
    let found = import(&in_model("1.6", &parts));
    assert!(found.findings.to_string().contains("warning[joint-reversed]"));
    let m = found.world.unwrap().placements[0].model.clone();
    let poses = body_poses(&m, &[0.7, 0.4]);
    let p_from_c = poses[1].rotation.inverse() * poses[0].rotation;
    let expected = quat_about(&Vec3::x(), 0.4) * quat_about(&Vec3::y(), 0.7);
    assert!(p_from_c.angle_to(&expected) < 1e-7);
    assert_eq!(m.joints()[1].dofs.iter().map(|d| d.upper).collect::<Vec<_>>(), [2.0, 1.0]);
}

#[test]
fn a_ring_is_closed_by_a_loop_joint_that_holds_as_posed() {
    let hinge = |name: &str, p: &str, c: &str| joint(name, "revolute", p, c, "<axis><xyz>0 1 0</xyz></axis>");
    let parts = [
        link("crank", "0 0 0 0 0 0"),
        link("coupler", "0 0 1 0 1.2 0"),
        link("rocker", "2 0 0 0 0.4 0"),
        hinge("j1", "world", "crank"),
        hinge("j2", "crank", "coupler"),
        hinge("j3", "world", "rocker"),
        hinge("j4", "coupler", "rocker"),
    ];
    let found = import(&in_model("1.6", &parts));
    let m = found.world.unwrap().placements[0].model.clone();
    assert_eq!(m.dof_count(), 3);
    let l = &m.loops()[0];
    assert_eq!((l.name.as_str(), l.kind), ("j4", LoopKind::Revolute { axis: Vec3::y() }));
    assert_eq!((l.body_a, l.body_b), (m.body_named("coupler"), m.body_named("rocker")));
    let poses = body_poses(&m, &m.neutral_positions());
    let frame = |body: Option<BodyId>, f: &Pose| poses[body.unwrap().0] * f;
    assert_pose(&frame(l.body_a, &l.a_from_frame), &frame(l.body_b, &l.b_from_frame));
    assert_eq!(m.collision_filters().len(), 1);
}

#[test]
fn loops_take_the_kind_of_their_joint_or_are_refused() {
    let ring = |kind: &str, inside: &str| {
        let hinge = |name: &str, p: &str, c: &str| joint(name, "revolute", p, c, "<axis><xyz>0 1 0</xyz></axis>");
        let parts = [
            link("a", "0 0 0 0 0 0"),
            link("b", "1 0 0 0 0 0"),
            hinge("j1", "world", "a"),
            hinge("j2", "world", "b"),
            joint("last", kind, "a", "b", inside),
        ];
        in_model("1.6", &parts)
    };
    let kind = |text: &str| model(text).loops()[0].kind;
    let axis = "<axis><xyz>0 0 1</xyz></axis>";
    assert_eq!(kind(&ring("fixed", "")), LoopKind::Weld);
    assert_eq!(kind(&ring("ball", "")), LoopKind::Ball);
    assert_eq!(kind(&ring("prismatic", axis)), LoopKind::Prismatic { axis: Vec3::z() });
    let two = |second: &str| format!("{axis}<axis2><xyz>{second}</xyz></axis2>");
    let universal = LoopKind::Universal { axis_a: Vec3::z(), axis_b: Vec3::x() };
    assert_eq!(kind(&ring("universal", &two("1 0 0"))), universal);
    refusal(&ring("universal", &two("1 0 1")), "loop-joint");
    refusal(&ring("screw", &format!("<thread_pitch>1</thread_pitch>{axis}")), "loop-joint");
    let damped = "<axis><xyz>0 0 1</xyz><dynamics><damping>1</damping></dynamics></axis>";
    assert!(import(&ring("revolute", damped)).findings.to_string().contains("closes a loop; its limits"));
}

#[test]
fn what_nothing_holds_floats_once_for_each_part_the_canonical_part_first() {
    let text = sdf(
        "1.8",
        &format!(
            "<model name='m' canonical_link='d'>{}{}{}{}{}{}</model>",
            link("a", "1 0 0 0 0 0"),
            link("b", "2 0 0 0 0 0"),
            link("c", "3 0 0 0 0 0"),
            link("d", "4 0 0 0 0 0"),
            joint("ab", "ball", "b", "a", ""),
            joint("cd", "fixed", "c", "d", "")
        ),
    );
    let m = model(&text);
    let order: Vec<_> = m.joints().iter().map(|j| (m.body(j.child).name.as_str(), j.kind.name())).collect();
    assert_eq!(order, [("c", "free"), ("d", "fixed"), ("b", "free"), ("a", "ball")]);
    for (name, x) in [("a", 1.0), ("b", 2.0), ("c", 3.0), ("d", 4.0)] {
        assert_pose(&body_pose(&m, name, &[]), &at(x, 0.0, 0.0));
    }
}

#[test]
fn a_static_model_stands_and_its_joints_are_idle() {
    let parts = [
        link("a", "1 0 0 0 0 0"),
        link("b", "2 0 0 0 0 0"),
        joint("j", "revolute", "a", "b", "<axis><xyz>0 0 1</xyz></axis>"),
    ];
    let text = sdf("1.6", &format!("<model name='m'><static>1</static>{}</model>", parts.concat()));
    let found = import(&text);
    assert_eq!(found.findings.count("joint-idle"), 1);
    let m = found.world.unwrap().placements[0].model.clone();
    assert!(m.joints().iter().all(|j| j.kind == JointKind::Fixed && j.parent.is_none()));
    assert_pose(&body_pose(&m, "b", &[]), &at(2.0, 0.0, 0.0));
    // Without <static> it moves.
    assert_eq!(model(&text.replace("<static>1</static>", "")).dof_count(), 7);
}

#[test]
fn a_massless_base_is_fixed_aloud() {
    let base = format!("<link name='base'><pose>0 0 1 0 0 0</pose>{}</link>", INERTIAL.replace("<mass>1", "<mass>0"));
    let found = import(&in_model("1.6", &[base, link("a", "0 0 0 0 0 0"), joint("j", "ball", "base", "a", "")]));
    assert_eq!(found.findings.count("massless-base"), 1);
    let m = found.world.unwrap().placements[0].model.clone();
    assert_eq!(m.joints()[0].kind, JointKind::Fixed);
    assert_pose(&body_pose(&m, "base", &[]), &at(0.0, 0.0, 1.0));
}

#[test]
fn a_link_called_world_is_a_link_in_old_files_only() {
    let parts = [link("world", "0 0 1 0 0 0"), link("a", "0 0 2 0 0 0"), joint("j", "fixed", "world", "a", "")];
    let found = import(&in_model("1.6", &parts));
    assert_eq!(found.findings.count("name-reserved"), 1);
    let m = found.world.unwrap().placements[0].model.clone();
    assert_eq!(m.joints()[0].kind, JointKind::Free);
    assert_eq!(m.parent(m.body_named("a").unwrap()), m.body_named("world"));
    refusal(&in_model("1.7", &parts), "name-reserved");
}

#[test]
fn a_mimic_becomes_a_coupling() {
    let axis = "<axis><xyz>0 0 1</xyz></axis>";
    let mimic = "<axis><xyz>0 0 1</xyz><mimic joint='lead'><multiplier>2</multiplier><offset>0.5</offset>\
                 <reference>0.1</reference></mimic></axis>";
    let text = |mimic: &str| {
        let parts = [
            link("a", "0 0 0 0 0 0"),
            link("b", "0 0 0 0 0 0"),
            joint("follow", "prismatic", "world", "a", mimic),
            joint("lead", "revolute", "world", "b", axis),
        ];
        in_model("1.11", &parts)
    };
    let m = model(&text(mimic));
    let c = &m.couplings()[0];
    assert_eq!((Some(c.follower), c.leader), (m.joint_named("follow"), m.joint_named("lead")));
    // follower = 2 (leader - 0.1) + 0.5
    assert!((c.coefficients[0] - 0.3).abs() < 1e-15 && c.coefficients[1] == 2.0);
    refusal(&text(&mimic.replace("'lead'", "'nobody'")), "mimic");
    refusal(&text(&mimic.replace("'lead'", "'lead' axis='axis2'")), "mimic");
    refusal(&text(&mimic.replace("'lead'", "'follow'")), "coupling-joint");
}

#[test]
fn a_gearbox_couples_the_hinges_of_its_links() {
    // Two wheels on one housing. The second hinge is written from the wheel to the housing, about the opposite axis.
    let gear = |first: &str, second: &str| {
        let inside = "<gearbox_ratio>3</gearbox_ratio><gearbox_reference_body>housing</gearbox_reference_body>\
                      <axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 1</xyz></axis2>";
        let parts = [
            link("housing", "0 0 0 0 0 0"),
            link("in", "0 0 0 0 0 0"),
            link("out", "1 0 0 0 0 0"),
            joint("h", "fixed", "world", "housing", ""),
            first.to_string(),
            second.to_string(),
            joint("gears", "gearbox", "in", "out", inside),
        ];
        in_model("1.6", &parts)
    };
    let hinge = |name: &str, p: &str, c: &str, z: &str| {
        joint(name, "revolute", p, c, &format!("<axis><xyz>0 0 {z}</xyz></axis>"))
    };
    // theta_out = -3 theta_in in every case; the positions change sign with each reversal of axis or direction.
    for (first, second, expected) in [
        (hinge("a", "housing", "in", "1"), hinge("b", "housing", "out", "1"), -3.0),
        (hinge("a", "housing", "in", "-1"), hinge("b", "housing", "out", "1"), 3.0),
        (hinge("a", "housing", "in", "1"), hinge("b", "out", "housing", "1"), 3.0),
        (hinge("a", "in", "housing", "-1"), hinge("b", "housing", "out", "1"), -3.0),
    ] {
        let m = model(&gear(&first, &second));
        let c = &m.couplings()[0];
        assert_eq!((c.leader, Some(c.follower)), (m.joint_named("a"), m.joint_named("b")));
        assert_eq!(c.coefficients, [0.0, expected]);
        // Compared with the angles themselves: rotate both hinges as coupled and compare the wheels.
        let at = [("a", 0.1), ("b", expected * 0.1)];
        let angle = |body: &str| body_pose(&m, body, &at).rotation.scaled_axis().z;
        assert!((angle("out") + 3.0 * angle("in")).abs() < 1e-14);
    }
    refusal(&gear(&hinge("a", "housing", "in", "1"), &joint("b", "ball", "housing", "out", "")), "gearbox");
}

#[test]
fn a_joint_of_the_world_makes_one_model_of_two() {
    let text = sdf(
        "1.10",
        &format!(
            "<world name='w'><gravity>0 0 -1</gravity><model name='arm'><pose>1 0 0 0 0 0</pose>{}</model>\
             <model name='alone'>{}</model><model name='tool'><pose>0 0 5 0 0 0</pose>{}</model>{}</world>",
            link("a", "0 0 1 0 0 0"),
            link("b", "0 0 0 0 0 0"),
            link("t", "0 1 0 0 0 0"),
            joint("grip", "fixed", "arm::a", "tool::t", "")
        ),
    );
    let w = world(&text);
    assert_eq!(w.placements.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(), ["arm+tool", "alone"]);
    let m = &w.placements[0].model;
    assert_eq!(m.parent(m.body_named("tool::t").unwrap()), m.body_named("arm::a"));
    assert_pose(&body_pose(m, "arm::a", &[]), &at(1.0, 0.0, 1.0));
    assert_pose(&body_pose(m, "tool::t", &[]), &at(0.0, 1.0, 5.0));
}

#[test]
fn joints_of_frames_join_the_links_the_frames_move_with() {
    let parts = [
        link("a", "0 0 0 0 0 0"),
        link("b", "0 0 2 0 0 0"),
        "<frame name='socket' attached_to='b'><pose>0 0 -1 0 0 0</pose></frame>".to_string(),
        joint("j", "revolute", "a", "socket", "<axis><xyz>1 0 0</xyz></axis>"),
    ];
    let m = model(&in_model("1.8", &parts));
    assert_eq!(m.parent(m.body_named("b").unwrap()), m.body_named("a"));
    // The joint is in the frame that is its child: b swings about z = 1.
    assert_pose(
        &body_pose(&m, "b", &[("j", 0.3)]),
        &(at(0.0, 0.0, 1.0) * pose(Vec3::zeros(), [0.3, 0.0, 0.0]) * at(0.0, 0.0, 1.0)),
    );
}

#[test]
fn an_initial_position_is_where_a_run_starts() {
    let axis = "<axis><xyz>0 0 1</xyz><initial_position>0.4</initial_position></axis>";
    let parts = [link("a", "0 0 0 0 0 0"), joint("j", "revolute", "world", "a", axis)];
    let m = model(&in_model("1.6", &parts));
    assert_eq!((m.initial_positions(), m.neutral_positions()), (vec![0.4], vec![0.0]));
    assert!(apart(&body_poses(&m, &m.initial_positions())[0], &pose(Vec3::zeros(), [0.0, 0.0, 0.4])) < 1e-7);
}

#[test]
fn limits_of_a_continuous_joint_are_ignored_aloud() {
    let axis = "<axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>1</upper></limit></axis>";
    let found = import(&in_model("1.6", &[link("a", "0 0 0 0 0 0"), joint("j", "continuous", "world", "a", axis)]));
    assert_eq!(found.findings.count("joint-limits"), 1);
    let m = found.world.unwrap().placements[0].model.clone();
    assert_eq!(m.joints()[0].dofs[0], veracity_model::Dof::default());
}
