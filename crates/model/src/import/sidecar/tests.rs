//! Valid sidecars, and the errors reported for invalid ones.

use super::Sidecar;
use crate::actuator::{Drive, Transmission, VelocityRule};
use crate::contact::StateCondition;
use crate::coupling::LoopKind;
use crate::geometry::Vec3;
use crate::import::{Base, ImportOptions, Imported, Place, load_parts};
use crate::joint::JointKind;
use crate::model::{BodyId, JointId, Model};
use crate::{Finding, Findings, Severity};
use proptest::prelude::*;
use std::path::Path;
use std::sync::Arc;

/// The example in the module's documentation without comment markers.
fn documented() -> String {
    let lines = include_str!("mod.rs").lines().filter_map(|l| l.strip_prefix("//!"));
    let inside = lines.skip_while(|l| !l.contains("```toml")).skip(1).take_while(|l| !l.contains("```"));
    inside.collect::<Vec<_>>().join("\n")
}

/// A robot with every name used in the example.
fn documented_robot() -> String {
    let link = |name: &str| {
        format!(
            "<link name=\"{name}\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial>\
             </link>"
        )
    };
    let joint = |name: &str, child: &str, kind: &str| {
        format!("<joint name=\"{name}\" type=\"{kind}\"><parent link=\"hub\"/><child link=\"{child}\"/></joint>")
    };
    let mut text = "<robot name=\"robot\">".to_string() + &link("hub") + &link("float");
    text += &joint("root", "float", "floating");
    for (name, child) in
        [("knee", "foot"), ("left", "rod"), ("right", "crank"), ("j4", "arm"), ("j5", "upper"), ("j6", "lower")]
    {
        text += &(link(child) + &joint(name, child, "continuous"));
    }
    text + "</robot>"
}

#[test]
fn the_documented_example_is_a_valid_sidecar() {
    let imported = import_with(&documented_robot(), &documented(), &ImportOptions::default());
    let world = imported.world.unwrap_or_else(|| panic!("{}", imported.findings));
    let m = &world.placements[0].model;
    let counts = [m.keyframes().len(), m.loops().len(), m.springs().len(), m.couplings().len(), m.actuators().len()];
    assert_eq!(counts, [1; 5]);
    assert_eq!(
        [m.contact_pairs().len(), m.materials().len(), m.collision_filters().len(), imported.known.len()],
        [1; 4]
    );
    assert_eq!(m.body(m.body_named("arm").unwrap()).inertia.com.z, 0.5);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn a_damaged_sidecar_is_used_whole_or_gets_a_sentence(
        cuts in prop::collection::vec((0.0..1.0f64, 0usize..60, prop::option::of("[ -~\n]{0,12}|nan|1e400|inf")), 1..4),
    ) {
        let mut text = documented();
        for (place, length, word) in cuts {
            let start = text.floor_char_boundary((place * text.len() as f64) as usize);
            let end = text.floor_char_boundary((start + length).min(text.len())).max(start);
            text.replace_range(start..end, word.as_deref().unwrap_or(""));
        }
        let imported = import_with(&documented_robot(), &text, &ImportOptions::default());
        prop_assert_eq!(imported.world.is_none(), imported.findings.has_errors());
    }
}

const ROBOT: &str = r#"<robot name="r"><link name="base"/>
  <link name="upper"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
    <collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="lower"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
  <joint name="hip" type="continuous"><parent link="base"/><child link="upper"/>
    <limit effort="5" velocity="6"/></joint>
  <joint name="knee" type="continuous"><parent link="upper"/><child link="lower"/><mimic joint="hip"/></joint></robot>"#;

fn import_with(model: &str, toml: &str, options: &ImportOptions) -> Imported {
    let mut findings = Findings::new();
    match Sidecar::parse(toml, &"r.urdf.toml".into(), &mut findings) {
        Ok(sidecar) => {
            load_parts(model.as_bytes(), &[sidecar], Place::Memory(Path::new("r.urdf")), options, findings)
        }
        Err(()) => Imported { world: None, findings, known: Vec::new() },
    }
}

fn import(toml: &str) -> Imported {
    import_with(ROBOT, &format!("schema = 1\n{toml}"), &ImportOptions::default())
}

fn model(toml: &str) -> Arc<Model> {
    let imported = import(toml);
    let world = imported.world.unwrap_or_else(|| panic!("{}", imported.findings));
    world.placements[0].model.clone()
}

/// The only error, which must be at this line.
fn complaint(toml: &str, line: u32) -> String {
    let imported = import(toml);
    assert!(imported.world.is_none());
    let errors: Vec<&Finding> = imported.findings.iter().filter(|f| f.severity == Severity::Error).collect();
    assert_eq!(errors.len(), 1, "{}", imported.findings);
    let source = errors[0].source.as_ref().unwrap();
    assert_eq!((&*source.file, source.line), ("r.urdf.toml", line), "{}", imported.findings);
    errors[0].text.clone()
}

#[test]
fn the_base_is_held_as_it_says_unless_the_caller_knows_better() {
    assert_eq!(model("base = \"free\"").joint(JointId(0)).kind, JointKind::Free);
    let fixed = ImportOptions { base: Some(Base::Fixed), ..Default::default() };
    let imported = import_with(ROBOT, "schema = 1\nbase = \"free\"", &fixed);
    assert_eq!(imported.world.unwrap().placements[0].model.joint(JointId(0)).kind, JointKind::Fixed);
    assert!(complaint("base = \"loose\"", 2).contains("free"));
}

#[test]
fn gravity_is_the_worlds() {
    let imported = import("gravity = [0, 0.5, -9.8]");
    assert_eq!(imported.world.unwrap().gravity, Vec3::new(0.0, 0.5, -9.8));
    assert!(complaint("gravity = [0, 0, nan]", 0).contains("gravity"));
}

#[test]
fn known_findings_come_along() {
    let imported = import("[[known]]\ncode = \"inertia-raw\"\nsubject = \"bodies/upper\"\nwhy = \"published so\"");
    let known = &imported.known[0];
    assert_eq!(known.source.to_string(), "r.urdf.toml:2");
    let mut findings = Findings::new();
    findings.add(Severity::Warning, "inertia-raw", None, "bodies/upper", "x");
    findings.add(Severity::Warning, "inertia-raw", None, "bodies/lower", "x");
    let covered: Vec<bool> = findings.iter().map(|f| known.covers(f)).collect();
    assert_eq!(covered, [true, false]);
}

#[test]
fn parameters_drive_numbers() {
    let m = model(
        "[parameters]\nm = 3\nl = { value = 0.5, text = \"length [m]\" }\n[derive]\n\"bodies/upper/mass\" = \"m * l\"",
    );
    assert_eq!(m.body(BodyId(1)).inertia.mass, 1.5);
    assert_eq!(m.parameters()[0].text, "length [m]");
    assert!(import("[derive]\n\"bodies/nobody/mass\" = \"1\"").world.is_none());
}

#[test]
fn keyframes_name_joints_and_the_rest_stays() {
    let m = model(
        "base = \"free\"\nstart = \"up\"\n[[keyframe]]\nname = \"up\"\n\
         q = { world_joint = [0, 0, 2, 1, 0, 0, 0], knee = 0.5 }\nv = { hip = -1 }\ncommand = { hip = 4 }",
    );
    let key = &m.keyframes()[0];
    assert_eq!(key.q, [0.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.5]);
    assert_eq!(key.v, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0]);
    assert_eq!(key.command, [4.0]);
    assert_eq!(m.initial_positions(), key.q);
    assert!(
        complaint("[[keyframe]]\nname = \"k\"\nq = { elbow = 1 }", 2).contains("available: world_joint, hip, knee")
    );
    assert!(complaint("[[keyframe]]\nname = \"k\"\nq = { hip = [1, 2] }", 2).contains("1 position numbers, and 2"));
    assert!(complaint("start = \"up\"", 2).contains("no keyframe 'up'"));
}

#[test]
fn loops_and_springs_close_what_the_tree_cannot() {
    let m = model(
        "[[loop]]\nname = \"pin\"\nkind = \"revolute\"\naxis = [0, 0, 2]\nbody_a = \"lower\"\n\
         frame_a = { xyz_m = [1, 2, 3], rpy_rad = [0, 0, 0.1] }\nframe_b = { quat_wxyz = [0, 1, 0, 0] }\n\
         [[loop]]\nname = \"rod\"\nkind = \"distance\"\nlength_m = 0.25\nbody_a = \"lower\"\nbody_b = \"base\"\n\
         [[spring]]\nname = \"s\"\nbody_a = \"upper\"\npoint_b_m = [0, 1, 0]\nstiffness_n_per_m = 10\nrest_length_m = 0.5",
    );
    let pin = &m.loops()[0];
    assert_eq!(pin.kind, LoopKind::Revolute { axis: Vec3::z() });
    assert_eq!((pin.body_a, pin.body_b), (Some(BodyId(2)), None));
    assert_eq!(pin.a_from_frame.translation.vector, Vec3::new(1.0, 2.0, 3.0));
    assert_eq!(m.loops()[1].kind, LoopKind::Distance { length: 0.25 });
    assert_eq!(m.loops()[1].source.as_ref().unwrap().to_string(), "r.urdf.toml:9");
    let spring = &m.springs()[0];
    assert_eq!((spring.body_a, spring.point_b, spring.stiffness), (Some(BodyId(1)), Vec3::y(), 10.0));
    let pinned = |rest: &str| complaint(&format!("[[loop]]\nname = \"l\"\nbody_a = \"upper\"\n{rest}"), 2);
    assert!(pinned("kind = \"revolute\"").contains("'axis'"));
    assert!(pinned("kind = \"distance\"").contains("'length_m'"));
    assert!(pinned("kind = \"weld\"\naxis = [1, 0, 0]").contains("does not use 'axis'"));
    let both = "kind = \"weld\"\nframe_a = { rpy_rad = [0, 0, 0], quat_wxyz = [1, 0, 0, 0] }";
    assert!(pinned(both).contains("keep one"));
    // The builder's own error about a loop from a frame to itself keeps the line.
    assert!(complaint("[[loop]]\nname = \"l\"\nkind = \"weld\"", 2).contains("two different bodies"));
}

#[test]
fn a_coupling_changes_the_one_its_follower_has() {
    let m = model("[[coupling]]\nfollower = \"knee\"\nshared_motor = true");
    assert_eq!(m.couplings().len(), 1);
    assert!(m.couplings()[0].shared_motor);
    assert_eq!(m.couplings()[0].coefficients, [0.0, 1.0]);
    let bare = ROBOT.replace("<mimic joint=\"hip\"/>", "");
    let toml = "schema = 1\n[[coupling]]\nfollower = \"knee\"\nleader = \"hip\"\ncoefficients = [0.1, -2]";
    let world = import_with(&bare, toml, &ImportOptions::default()).world.unwrap();
    let coupling = &world.placements[0].model.couplings()[0];
    assert_eq!((coupling.leader, coupling.coefficients.as_slice()), (Some(JointId(1)), &[0.1, -2.0][..]));
    assert!(complaint("[[coupling]]\nfollower = \"hip\"", 2).contains("follows nothing yet"));
}

#[test]
fn an_actuator_is_new_or_changes_the_one_of_its_name() {
    let m = model(
        "[[actuator]]\njoint = \"hip\"\nvelocity_rule = \"cut-pushing\"\nvelocity_limit_rad_s = 2\n\
         [[actuator]]\nname = \"servo\"\njoint = \"knee\"\ndrive = { kind = \"position\", kp = 7 }\neffort = 3\ngear = 2",
    );
    let [hip, servo] = m.actuators() else { panic!("{:?}", m.actuators()) };
    assert_eq!((hip.effort_range, hip.velocity_limit), ([-5.0, 5.0], 2.0));
    assert_eq!(hip.velocity_rule, VelocityRule::CutPushing);
    assert_eq!(servo.drive, Drive::Position { kp: 7.0, kd: 0.0 });
    assert_eq!(servo.transmission, Transmission::Joint { joint: JointId(2), dof: 0, gear: 2.0 });
    assert_eq!(servo.effort_range, [-3.0, 3.0]);
    assert!(complaint("[[actuator]]\nname = \"servo\"", 2).contains("no actuator 'servo'; available: hip"));
    assert!(complaint("[[actuator]]\neffort = 1", 2).contains("needs a 'joint'"));
    assert!(complaint("[[actuator]]\njoint = \"hip\"\neffort = 1\neffort_range = [0, 1]", 2).contains("keep one"));
    assert!(complaint("[[actuator]]\njoint = \"hip\"\nvelocity_rule = \"brake\"", 4).contains("cut-pushing"));
}

#[test]
fn contacts_and_surfaces() {
    let m = model(
        "self_collide = false\nadjacent_bodies_collide = true\n[[joint]]\njoint = \"knee\"\narmature = 0.25\n\
         [[material]]\nname = \"rubber\"\nbodies = [\"upper\"]\nfriction = [0.5, 0.25]\nstiffness_n_per_m = 1e4\n\
         [[contact_pair]]\nname = \"scuff\"\na = \"upper\"\nmaterial = \"rubber\"\n\
         conditions = [{ joint = \"knee\", position = [0.1, inf] }]\n[[exclude]]\na = \"lower\"\nb = \"base\"",
    );
    assert!(!m.self_collide() && m.adjacent_bodies_collide());
    assert_eq!(m.joint(JointId(2)).dofs[0].armature, 0.25);
    let material = &m.materials()[m.body(BodyId(1)).shapes[0].material.unwrap().0];
    assert_eq!((material.friction, material.stiffness), ([0.5, 0.25], Some(1e4)));
    let expected = StateCondition::JointPosition { joint: JointId(2), above: 0.1, below: f64::INFINITY };
    assert_eq!(m.contact_pairs()[0].conditions, [expected]);
    assert_eq!(m.contact_pairs()[0].b, None);
    assert_eq!((m.collision_filters()[0].a, m.collision_filters()[0].b), (BodyId(0), BodyId(2)));
    let pair = "[[contact_pair]]\nname = \"p\"\na = \"upper\"\n";
    assert!(complaint(&format!("{pair}material = \"ice\""), 2).contains("no material 'ice'; available: none"));
    assert!(complaint(&format!("{pair}conditions = [{{ joint = \"knee\" }}]"), 2).contains("'position'"));
    assert!(complaint("[[exclude]]\na = \"upper\"\nb = \"upper\"", 2).contains("itself"));
}

#[test]
fn unknown_keys_are_errors_that_list_the_known_ones() {
    assert!(complaint("\ngravty = [0, 0, 0]", 3).contains("`gravity`"));
    assert!(complaint("[[spring]]\nname = \"s\"\nstifness = 1", 4).contains("`stiffness_n_per_m`"));
    complaint("[[spring]\n", 2);
    let drive = complaint("[[actuator]]\njoint = \"hip\"\ndrive = { kind = \"spring\" }", 4);
    assert!(drive.contains("position"), "{drive}");
}

#[test]
fn the_schema_is_asked_for_and_a_newer_one_refused() {
    let says = |toml: &str| import_with(ROBOT, toml, &ImportOptions::default()).findings.to_string();
    assert!(says("base = \"free\"").contains("write schema = 1"));
    let newer = says("# new\nschema = 2\nfuture = true");
    assert!(newer.starts_with("r.urdf.toml:2: error[sidecar]: has schema 2; this program reads schema 1"));
    assert!(says("schema = \"one\"").contains("r.urdf.toml:1"));
}

#[test]
fn several_models_need_a_choice() {
    let sdf = "<sdf version=\"1.6\"><world name=\"w\">\
               <model name=\"one\"><link name=\"l\"/></model><model name=\"two\"><link name=\"l\"/></model></world></sdf>";
    let joint = "[[keyframe]]\nname = \"k\"\n";
    let with = |toml: &str| import_with(sdf, &format!("schema = 1\n{toml}"), &ImportOptions::default());
    assert!(with(joint).findings.to_string().contains("the file has 2 models"));
    assert!(with(&format!("model = \"three\"\n{joint}")).findings.to_string().contains("available: one, two"));
    let world = with(&format!("model = \"two\"\n{joint}")).world.unwrap();
    let counts: Vec<usize> = world.placements.iter().map(|p| p.model.keyframes().len()).collect();
    assert_eq!(counts, [0, 1]);
    let said = with(&format!("model = \"two\"\nbase = \"free\"\n{joint}")).findings.to_string();
    assert!(said.contains("r.urdf.toml:3: warning[sidecar]: 'base' is for URDF"), "{said}");
}

#[test]
fn warnings_reach_the_model() {
    let lost = ROBOT.replace("<sphere radius=\"0.1\"/>", "<mesh filename=\"none.stl\"/>");
    let imported = import_with(&lost, "schema = 1", &ImportOptions::default());
    let model = &imported.world.unwrap().placements[0].model;
    assert_eq!(model.warnings().count("mesh-missing"), 1);
}

#[test]
fn editors_get_the_schema_of_the_types_that_are_read() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/sidecar.json");
    let written = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        written == super::json_schema(),
        "docs/schema/sidecar.json is old: cargo run -p veracity-scenario --example write_schema"
    );
}

#[test]
fn an_infinite_stiffness_is_rigid_and_a_finite_one_is_kept() {
    let stiffness = |text: &str| {
        let imported =
            import(&format!("[[material]]\nname = \"rubber\"\nbodies = [\"upper\"]\nstiffness_n_per_m = {text}\n"));
        let world = imported.world.unwrap_or_else(|| panic!("{}", imported.findings));
        world.placements[0].model.materials().iter().find(|m| m.name == "rubber").and_then(|m| m.stiffness)
    };
    assert_eq!((stiffness("inf"), stiffness("2e4")), (None, Some(2e4)));
}
