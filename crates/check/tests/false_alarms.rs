//! Wrong verdicts on public robots, each reduced to a few lines: sound robots that were rejected, and an impossible one
//! that was accepted.

use std::path::{Path, PathBuf};
use veracity_check::{InspectionReport, Verdict, inspect, inspect_world};
use veracity_model::geometry::at;
use veracity_model::import::{Base, ImportOptions, load, load_text};
use veracity_model::{
    Body, Inertia, Joint, JointKind, LoopJoint, LoopKind, ModelBuilder, Pose, Severity, Vec3, World,
};

/// A folder with files, used only by this test.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("false-alarms-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    for (file, text) in files {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

fn judge(text: &str, file: &str, options: &ImportOptions) -> InspectionReport {
    inspect(&load_text(text, None, Path::new(file), options))
}

fn severity_of(report: &InspectionReport, code: &str) -> Option<Severity> {
    report.entries.iter().filter(|e| e.finding.code == code).map(|e| e.finding.severity).max()
}

/// A base and an arm of 1 kg on a hinge, with these tensors.
fn arm(base: &str, arm: &str) -> String {
    format!(
        "<robot name='r'><link name='base'><inertial><mass value='1e-6'/><inertia {base}/></inertial></link>\
         <link name='arm'><inertial><mass value='1'/><inertia {arm}/></inertial></link>\
         <joint name='j' type='continuous'><parent link='base'/><child link='arm'/><axis xyz='0 0 1'/></joint></robot>"
    )
}

const SOUND: &str = "ixx='0.1' iyy='0.1' izz='0.1'";
/// The tensor that ANYmal, HyQ, Go1 and B1 have on links intended to be negligible.
const RANK_ONE: &str = "ixx='1e-6' iyy='1e-6' izz='1e-6' ixy='1e-6' ixz='1e-6' iyz='1e-6'";

#[test]
fn six_equal_entries_are_an_error_on_a_link_and_on_a_base_held_by_default() {
    let free = ImportOptions { base: Some(Base::Free), ..Default::default() };
    let fixed = ImportOptions { base: Some(Base::Fixed), ..Default::default() };
    let default = ImportOptions::default();
    for (what, text, options, expected) in [
        ("link", arm(SOUND, RANK_ONE), &default, Severity::Error),
        ("free base", arm(RANK_ONE, SOUND), &free, Severity::Error),
        ("base held by default", arm(RANK_ONE, SOUND), &default, Severity::Error),
        // If the base is fixed explicitly, its inertia never matters.
        ("base fixed on request", arm(RANK_ONE, SOUND), &fixed, Severity::Warning),
    ] {
        let report = judge(&text, "r.urdf", options);
        assert_eq!(severity_of(&report, "inertia-triangle"), Some(expected), "{what}: {:#?}", report.entries);
        assert_eq!(report.verdict == Some(Verdict::Rejected), expected == Severity::Error, "{what}");
    }
}

#[test]
fn moments_of_a_point_mass_have_no_sign() {
    // iCub's r_hip_2 and r_upper_leg: 0.5 and 2 kg with moments of 1e-20 kg m² of either sign.
    for tensor in [
        "ixx='-5.42101e-20' iyy='-5.42101e-20' izz='0'",
        "ixx='4.07610024e-18' iyy='-1.80242487e-22' izz='0'",
        "ixx='0' iyy='0' izz='0' ixy='1.35525e-20'",
    ] {
        let text = arm(SOUND, tensor).replace("<axis xyz='0 0 1'/>", "<origin xyz='0 0 1'/><axis xyz='0 0 1'/>");
        let text = text.replace("<link name='arm'><inertial>", "<link name='arm'><inertial><origin xyz='1 0 0'/>");
        let report = judge(&text, "r.urdf", &ImportOptions { base: Some(Base::Fixed), ..Default::default() });
        assert_eq!(severity_of(&report, "inertia-negative"), None, "{tensor}: {:#?}", report.entries);
        assert_eq!(severity_of(&report, "inertia-triangle"), None, "{tensor}: {:#?}", report.entries);
        assert_eq!(severity_of(&report, "inertia-raw"), None, "{tensor}: {:#?}", report.entries);
        assert_eq!(report.verdict, Some(Verdict::Accepted), "{tensor}: {:#?}", report.entries);
    }
    // A micrometre is a real length: -1e-12 kg m² of 1 kg is still negative.
    let report = judge(&arm(SOUND, "ixx='-1e-12' iyy='1e-12' izz='1e-12'"), "r.urdf", &ImportOptions::default());
    assert_eq!(severity_of(&report, "inertia-negative"), Some(Severity::Error));
}

/// A rocker on two parallel hinges whose pin is off by `gap` along the hinges, where nothing can move it.
fn linkage(gap: f64) -> World {
    let mut builder = ModelBuilder::new("linkage");
    let rod = |name: &str| {
        Body::new(name, Inertia::solid_box(1.0, Vec3::new(0.1, 0.1, 1.0)).transformed(&at(0.0, 0.0, 0.5)))
    };
    let hinge = |name: &str, place: Pose| Joint::new(name, JointKind::revolute(Vec3::y())).at(place);
    let crank = builder.add_body(rod("crank"), hinge("a", Pose::identity()), None);
    let coupler = builder.add_body(rod("coupler"), hinge("b", at(0.0, 0.0, 1.0)), Some(crank));
    builder.add_loop(LoopJoint {
        name: "pin".into(),
        kind: LoopKind::Ball,
        body_a: None,
        body_b: Some(coupler),
        a_from_frame: at(1.0, gap, 1.5),
        b_from_frame: at(0.0, 0.0, 1.0),
        source: None,
    });
    // Closed in the plane: two rods of 1 m reach (1, 1.5), by the law of cosines.
    let (bearing, half) = (1.0f64.atan2(1.5), (0.5 * 1.0f64.hypot(1.5)).acos());
    builder.start_at(vec![bearing - half, 2.0 * half]);
    World::with_model(builder.build().unwrap())
}

#[test]
fn a_loop_open_by_36_nanometres_is_rounding() {
    for (gap, expected) in
        [(36e-9, Some(Severity::Note)), (5e-5, Some(Severity::Note)), (1e-3, Some(Severity::Error))]
    {
        let report = inspect_world(&linkage(gap));
        assert_eq!(severity_of(&report, "loop-open"), expected, "{gap}: {:#?}", report.entries);
        assert_eq!(report.verdict == Some(Verdict::Rejected), expected == Some(Severity::Error), "{gap}");
    }
}

/// Two links that overlap with the joint at zero and are clear at one radian and more.
const FOLDED: &str = "<worldbody><body name='a'><freejoint/><geom type='box' size='0.5 0.1 0.1'/>\
    <body name='b' pos='0 0 0.3'><joint name='j' axis='0 0 1'/><geom type='box' size='0.05 0.05 0.05' mass='1'/>\
    <body name='c'><joint name='k' axis='0 1 0'/><geom type='box' pos='0 0 -0.3' size='0.1 0.1 0.1' mass='1'/></body>\
    </body></body></worldbody>";

#[test]
fn the_pose_judged_is_the_one_the_file_starts_at() {
    let keys = "<keyframe><key name='low' qpos='0 0 1 1 0 0 0 0 0'/><key name='home' qpos='0 0 1 1 0 0 0 0 2.5'/></keyframe>";
    let bare = judge(&format!("<mujoco>{FOLDED}</mujoco>"), "r.xml", &ImportOptions::default());
    assert_eq!((severity_of(&bare, "overlap"), bare.verdict), (Some(Severity::Error), Some(Verdict::Rejected)));
    assert_eq!(bare.pose.as_deref(), Some("the initial positions"));

    let home = judge(&format!("<mujoco>{FOLDED}{keys}</mujoco>"), "r.xml", &ImportOptions::default());
    assert_eq!(home.pose.as_deref(), Some("keyframe 'home'"));
    assert_eq!(home.verdict, Some(Verdict::Accepted), "{:#?}", home.entries);
    // A run without an explicit start begins elsewhere, where they do overlap: that is reported too.
    let warned = home.entries.iter().find(|e| e.finding.code == "overlap").unwrap();
    assert_eq!(warned.finding.severity, Severity::Warning);
    assert!(
        warned.finding.text.starts_with("at the initial positions, not at keyframe 'home'"),
        "{}",
        warned.finding
    );

    let first = keys.replace("home", "other");
    let low = judge(&format!("<mujoco>{FOLDED}{first}</mujoco>"), "r.xml", &ImportOptions::default());
    assert_eq!((low.pose.as_deref(), low.verdict), (Some("keyframe 'low'"), Some(Verdict::Rejected)));
}

#[test]
fn an_srdf_gives_the_pose_and_the_pairs_that_do_not_touch() {
    let link = |name: &str, size: f64| {
        format!(
            "<link name='{name}'><inertial><mass value='1'/><inertia ixx='0.01' iyy='0.01' izz='0.01'/></inertial>\
             <collision><geometry><box size='{size} {size} {size}'/></geometry></collision></link>"
        )
    };
    let joint = |name: &str, parent: &str, child: &str| {
        format!(
            "<joint name='{name}' type='prismatic'><parent link='{parent}'/><child link='{child}'/><axis xyz='1 0 0'/>\
             <limit lower='0' upper='5' effort='1' velocity='1'/></joint>"
        )
    };
    let urdf = format!(
        "<robot name='r'>{}{}{}{}{}</robot>",
        link("a", 0.2),
        link("b", 0.2),
        link("c", 0.2),
        joint("ab", "a", "b"),
        joint("bc", "b", "c")
    );
    let state = "<robot name='r'><group_state name='home' group='g'><joint name='ab' value='1'/></group_state>\
                 <group_state name='home' group='h'><joint name='bc' value='1'/></group_state></robot>";
    let pairs = "<robot name='r'><disable_collisions link1='a' link2='c' reason='Never'/>\
                 <disable_collisions link1='a' link2='gone' reason='Never'/></robot>";
    let rejected = folder("bare", &[("urdf/r.urdf", &urdf)]);
    let report = inspect(&load(&rejected.join("urdf/r.urdf"), &ImportOptions::default()));
    assert_eq!(report.verdict, Some(Verdict::Rejected), "{:#?}", report.entries);
    for (name, files, pose) in [
        ("state", [("urdf/r.urdf", urdf.as_str()), ("srdf/r.srdf", state)], "keyframe 'home'"),
        ("pairs", [("urdf/r.urdf", urdf.as_str()), ("urdf/r.srdf", pairs)], "the initial positions"),
    ] {
        let folder = folder(name, &files);
        let report = inspect(&load(&folder.join("urdf/r.urdf"), &ImportOptions::default()));
        assert_eq!(
            (report.verdict, report.pose.as_deref()),
            (Some(Verdict::Accepted), Some(pose)),
            "{:#?}",
            report.entries
        );
    }
    // Untrusted files are confined: ../srdf is outside the folder of the URDF.
    let confined = ImportOptions { confine: true, ..Default::default() };
    let report = inspect(&load(
        &folder("confined", &[("urdf/r.urdf", &urdf), ("srdf/r.srdf", state)]).join("urdf/r.urdf"),
        &confined,
    ));
    assert_eq!(report.pose.as_deref(), Some("the initial positions"));
}

/// An arm of 1 kg with the inertia of a rod of 0.6 m, with these shapes, and parts fixed to it.
fn rod(shapes: &str, fixed: &str) -> String {
    format!(
        "<robot name='r'><link name='base'/><link name='arm'><inertial><mass value='1'/>\
         <inertia ixx='0.03' iyy='0.03' izz='0.001'/></inertial>{shapes}</link>\
         <joint name='j' type='continuous'><parent link='base'/><child link='arm'/><axis xyz='0 1 0'/></joint>{fixed}</robot>"
    )
}

/// A cube with this side length.
fn cube(kind: &str, side: f64) -> String {
    format!("<{kind}><geometry><box size='{side} {side} {side}'/></geometry></{kind}>")
}

/// Inertia beyond the drawn shapes is rejected only if they show the size of the body.
#[test]
fn inertia_beyond_what_is_drawn_rejects_only_if_the_drawing_is_the_body() {
    // 0.03 kg m² of 1 kg: 24 times what a cube of 50 mm can have, 1 / 6 of what one of 600 mm can.
    let small = cube("visual", 0.05);
    let hull = "<link name='hull'><visual><geometry><box size='0.1 0.1 0.6'/></geometry></visual></link>\
        <joint name='weld' type='fixed'><parent link='arm'/><child link='hull'/></joint>";
    let unread = "<visual><geometry><mesh filename='arm.glb'/></geometry></visual>";
    for (what, text, expected) in [
        ("drawn too small", rod(&small, ""), Some(Severity::Error)),
        ("drawn large enough", rod(&cube("visual", 0.6), ""), None),
        ("drawn in a link that is fixed to it", rod(&small, hull), None),
        ("collision shapes alone", rod(&cube("collision", 0.05), ""), Some(Severity::Warning)),
        ("a drawing that was not read", rod(&format!("{small}{unread}"), ""), Some(Severity::Warning)),
        // 8 mm³ of osmium weigh 0.2 g.
        ("a marker", rod(&cube("visual", 0.002), ""), Some(Severity::Warning)),
        // A hull that moves relative to the arm is another body.
        ("drawn beyond a joint", rod(&small, &hull.replace("'fixed'", "'floating'")), Some(Severity::Error)),
    ] {
        let report = judge(&text, "r.urdf", &ImportOptions::default());
        assert_eq!(severity_of(&report, "inertia-proportion"), expected, "{what}: {:#?}", report.entries);
    }
}

/// Elements for appearance, published data or solver settings leave no gap in the model: Solo, G1, Talos and Barkour
/// have these.
#[test]
fn parts_without_effect_on_motion_leave_the_verdict_alone() {
    let sound = |collision: &str, joint: &str, more: &str| {
        format!(
            "<robot name='r'><link name='base'/><link name='arm'><inertial><mass value='1'/>\
             <inertia ixx='0.1' iyy='0.1' izz='0.1'/></inertial><collision>{collision}<geometry><box size='1 1 1'/>\
             </geometry></collision></link><joint name='j' type='continuous' {joint}><parent link='base'/>\
             <child link='arm'/><axis xyz='0 1 0'/></joint>{more}</robot>"
        )
    };
    let block = |of: &str, inside: &str| sound("", "", &format!("<gazebo reference='{of}'>{inside}</gazebo>"));
    for text in [
        sound("<material name='grey'/>", "", ""),
        sound("", "dont_collapse='true'", ""),
        block("j", "<provideFeedback>true</provideFeedback><implicitSpringDamper>1</implicitSpringDamper>"),
        block("arm", "<maxVel>0.1</maxVel><minDepth>0.001</minDepth><sensor type='imu' name='s'/>"),
    ] {
        let report = judge(&text, "r.urdf", &ImportOptions::default());
        assert_eq!(report.verdict, Some(Verdict::Accepted), "{text}: {:#?}", report.entries);
    }
    let plugin = sound("", "", "<gazebo><plugin name='p' filename='f.so'/></gazebo>");
    let report = judge(&plugin, "r.urdf", &ImportOptions::default());
    assert_eq!(report.verdict, Some(Verdict::CannotTell), "a plugin may push: {:#?}", report.entries);
}

const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

#[test]
fn a_mesh_that_names_its_format_is_read() {
    let mujoco = |kind: &str| {
        format!(
            "<mujoco><asset><mesh name='m' file='a.obj' content_type='{kind}'/></asset><worldbody><body><freejoint/>\
             <geom type='mesh' mesh='m'/></body></worldbody></mujoco>"
        )
    };
    let files = [("a.obj", TETRAHEDRON), ("r.xml", &mujoco("model/obj")), ("wrong.xml", &mujoco("model/stl"))];
    let folder = folder("content-type", &files);
    let verdict = |file: &str| inspect(&load(&folder.join(file), &ImportOptions::default())).verdict;
    assert_eq!(verdict("r.xml"), Some(Verdict::Accepted));
    assert_eq!(verdict("wrong.xml"), Some(Verdict::CannotTell));
}

#[test]
fn a_package_may_be_named_after_three_slashes() {
    let text =
        rod("<collision><geometry><mesh filename='package:///robot/meshes/a.obj'/></geometry></collision>", "");
    let folder = folder("three-slashes", &[("robot/urdf/r.urdf", &text), ("robot/meshes/a.obj", TETRAHEDRON)]);
    let report = inspect(&load(&folder.join("robot/urdf/r.urdf"), &ImportOptions::default()));
    assert_eq!(report.verdict, Some(Verdict::Accepted), "{:#?}", report.entries);
}

/// The soft foot of mujoco_menagerie: all the mass of its scene comes from `<attach>`, which is not supported.
#[test]
fn mass_that_is_not_read_leaves_the_verdict_open() {
    let scene = |more: &str| {
        format!(
            "<mujoco><asset><model name='m' file='m.xml'/></asset><worldbody><body name='stand'><joint type='slide'/>\
             <attach model='m' body='foot' prefix='a'/></body>{more}</worldbody></mujoco>"
        )
    };
    let report = judge(&scene(""), "r.xml", &ImportOptions::default());
    assert_eq!(severity_of(&report, "massless-leaf"), Some(Severity::Error), "{:#?}", report.entries);
    assert_eq!(report.verdict, Some(Verdict::CannotTell), "{:#?}", report.reasons);
    // Faults of other bodies still count.
    let ball = "<body pos='0 0 5'><freejoint/><geom size='0.1'/></body>";
    let report = judge(&scene(&ball.repeat(2)), "r.xml", &ImportOptions::default());
    assert_eq!(severity_of(&report, "overlap"), Some(Severity::Error), "{:#?}", report.entries);
    assert_eq!(report.verdict, Some(Verdict::Rejected), "{:#?}", report.reasons);
}

/// Atlas and Valkyrie (collision groups by name), OP2 (an unexpanded macro), a racing car and a quadrotor (scales of
/// four and of one number): Pinocchio reads them, but this importer gave no model.
#[test]
fn a_fault_of_one_part_costs_that_part() {
    let robot = |collision: &str, link: &str| {
        format!(
            "<robot name='r' xmlns:xacro='x'><link name='base'/><link name='arm'><inertial><mass value='2'/>\
             <inertia ixx='0.1' iyy='0.1' izz='0.1'/></inertial>{collision}{link}</link><joint name='j' type='continuous'>\
             <parent link='base'/><child link='arm'/><axis xyz='0 1 0'/></joint></robot>"
        )
    };
    let sphere = "<collision group='arm'><geometry><sphere radius='0.3'/></geometry></collision>";
    let scaled =
        |scale: &str| format!("<collision><geometry><mesh filename='a.obj' scale='{scale}'/></geometry></collision>");
    for (text, code, verdict) in [
        (robot(sphere, ""), "unsupported", Verdict::CannotTell),
        (robot("", "<xacro:grey/>"), "unsupported", Verdict::CannotTell),
        (robot(&scaled("1 1 1 1"), ""), "shape-number", Verdict::Rejected),
        (robot(&scaled("0.001"), ""), "shape-number", Verdict::Rejected),
    ] {
        let imported = load_text(&text, None, Path::new("r.urdf"), &ImportOptions::default());
        let world = imported.world.as_ref().unwrap_or_else(|| panic!("{text}: {}", imported.findings));
        let model = &world.placements[0].model;
        assert_eq!((model.mass(), model.dof_count()), (2.0, 1), "{text}");
        assert_eq!(imported.findings.count(code), 1, "{text}: {}", imported.findings);
        assert_eq!(inspect(&imported).verdict, Some(verdict), "{text}: {}", imported.findings);
    }
}
