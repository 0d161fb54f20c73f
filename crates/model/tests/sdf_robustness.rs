//! Damaged and hostile SDF: an error message or a world, never a panic, a hang or unbounded memory.

mod sdf_kinematics;

use proptest::prelude::*;
use sdf_kinematics::{body_poses, import, refusal, sdf};
use veracity_model::import::Imported;

/// A document with one of nearly everything.
const RICH: &str = "<?xml version='1.0'?><sdf version='1.11'><world name='w'><gravity>0 0 -9.8</gravity>
<physics type='ode'><max_step_size>0.001</max_step_size><ode><solver><iters>50</iters></solver></ode></physics>
<frame name='table' attached_to='robot'><pose relative_to='robot::base'>0 0 1 0 0 0</pose></frame>
<model name='robot' canonical_link='base' placement_frame='mount'><pose degrees='true'>1 2 3 10 20 30</pose>
 <self_collide>true</self_collide><frame name='mount' attached_to='base'><pose>0 0 1 0 0 0</pose></frame>
 <link name='base'><pose>0 0 1 0 0 0</pose><inertial><pose>0 0 0.1 0 0 0</pose><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy>
  <izz>1</izz><ixy>0.1</ixy></inertia></inertial><velocity_decay><linear>0.1</linear></velocity_decay>
  <collision name='c'><pose relative_to='mount'>0 0 0 0 0 0</pose><geometry><box><size>1 2 3</size></box></geometry>
   <surface><friction><ode><mu>0.5</mu><mu2>0.5</mu2><fdir1>1 0 0</fdir1></ode><torsional><patch_radius>0.1</patch_radius></torsional>
   </friction><bounce><restitution_coefficient>0.5</restitution_coefficient></bounce>
   <contact><collide_bitmask>3</collide_bitmask><ode><kp>1e12</kp></ode></contact></surface></collision>
  <visual name='v'><geometry><polyline><point>0 0</point><point>1 0</point><point>0 1</point><height>1</height></polyline></geometry></visual>
  <sensor name='s' type='imu'><update_rate>100</update_rate></sensor></link>
 <link name='arm'><pose relative_to='mount'>1 0 0 0 0.5 0</pose><inertial auto='true'><density>100</density></inertial>
  <collision name='c'><geometry><capsule><radius>0.1</radius><length>1</length></capsule></geometry></collision></link>
 <link name='rod'><pose relative_to='arm' rotation_format='quat_xyzw'>1 0 0 0 0 0 1</pose></link>
 <joint name='j1' type='revolute'><parent>base</parent><child>arm</child><pose>0 0 0 0 0 0</pose>
  <axis><xyz expressed_in='mount'>0 1 0</xyz><limit><lower>-1</lower><upper>1</upper><effort>10</effort></limit>
  <dynamics><damping>0.1</damping><friction>0.2</friction></dynamics></axis><sensor name='ft' type='force_torque'/></joint>
 <joint name='j2' type='universal'><parent>arm</parent><child>rod</child><axis><xyz>1 0 0</xyz></axis>
  <axis2><xyz>0 1 0</xyz></axis2></joint>
 <joint name='j3' type='ball'><parent>rod</parent><child>nested::base</child></joint>
 <joint name='j4' type='screw'><parent>base</parent><child>nested::tool</child><screw_thread_pitch>0.1</screw_thread_pitch>
  <axis><xyz>0 0 1</xyz><mimic joint='j1'><multiplier>2</multiplier><offset>1</offset><reference>0</reference></mimic></axis></joint>
 <joint name='j5' type='fixed'><parent>world</parent><child>base</child></joint>
 <model name='nested'><pose relative_to='base'>0 1 0 0 0 0</pose><link name='base'/><link name='tool'><pose>1 0 0 0 0 0</pose></link></model>
</model>
<model name='floor'><static>true</static><link name='base'><collision name='c'><geometry><plane><normal>0 0 1</normal></plane>
 </geometry></collision></link></model>
<joint name='hold' type='fixed'><parent>floor::base</parent><child>robot::rod</child></joint></world></sdf>";

const NUMBERS: [&str; 10] = ["NaN", "inf", "-inf", "1e308", "-1e308", "0", "-1", "1e-320", "x", ""];
const NAMES: [&str; 14] = [
    "base",
    "arm",
    "rod",
    "mount",
    "nested",
    "nested::base",
    "nested::tool",
    "robot",
    "robot::base",
    "world",
    "__model__",
    "j1",
    "table",
    "::",
];

/// Asserts that there is no world together with an error, and no NaN.
fn is_sound(found: &Imported) {
    let Some(world) = &found.world else {
        assert!(found.findings.has_errors(), "rejected without a finding");
        return;
    };
    assert!(!found.findings.has_errors(), "a world beside an error:\n{}", found.findings);
    for placement in &world.placements {
        let model = &placement.model;
        for pose in body_poses(model, &model.neutral_positions()) {
            // Lengths near the end of the range may overflow when added; angles must stay finite.
            assert!(pose.rotation.coords.iter().all(|x| x.is_finite()));
        }
    }
}

/// Byte ranges of numbers and names in the document.
fn words(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut out = Vec::new();
    let mut start = None;
    for (i, c) in text.char_indices() {
        let inside = c.is_ascii_alphanumeric() || "_:.-+".contains(c);
        match (inside, start) {
            (true, None) => start = Some(i),
            (false, Some(from)) => {
                out.push(from..i);
                start = None;
            }
            _ => {}
        }
    }
    out
}

#[test]
fn the_document_itself_loads() {
    let found = import(RICH);
    assert!(found.world.is_some(), "{}", found.findings);
    is_sound(&found);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn words_of_the_document_may_be_anything(changes in prop::collection::vec((any::<prop::sample::Index>(), 0usize..24), 1..5)) {
        let mut text = RICH.to_string();
        for (which, by) in changes {
            let places = words(&text);
            let place = places[which.index(places.len())].clone();
            let new = NUMBERS.iter().chain(&NAMES).nth(by).unwrap();
            text.replace_range(place, new);
        }
        is_sound(&import(&text));
    }

    #[test]
    fn parts_of_the_document_may_be_missing_or_doubled(
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0usize..200, any::<bool>()), 1..4),
    ) {
        let mut text = RICH.to_string();
        for (from, length, double) in cuts {
            let from = from.index(text.len());
            let to = (from + length).min(text.len());
            if double {
                let part = text[from..to].to_string();
                text.insert_str(to, &part);
            } else {
                text.replace_range(from..to, "");
            }
        }
        is_sound(&import(&text));
    }

    #[test]
    fn whole_elements_may_be_missing_or_doubled(
        picks in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 1..6),
    ) {
        let mut text = RICH.to_string();
        for (pick, double) in picks {
            let ranges = elements(&text);
            let range = ranges[pick.index(ranges.len())].clone();
            let part = text[range.clone()].to_string();
            text.replace_range(range, if double { format!("{part}{part}") } else { String::new() }.as_str());
            if elements(&text).is_empty() {
                break;
            }
        }
        is_sound(&import(&text));
    }
}

/// Byte ranges of all elements below the root.
fn elements(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut open = Vec::new();
    let mut out = Vec::new();
    for (start, _) in text.match_indices('<') {
        let end = start + text[start..].find('>').unwrap() + 1;
        match &text[start..end] {
            tag if tag.starts_with("<?") => {}
            tag if tag.starts_with("</") => {
                if let Some(from) = open.pop() {
                    out.push(from..end);
                }
            }
            tag if tag.ends_with("/>") => out.push(start..end),
            _ => open.push(start),
        }
    }
    // The last to close is the root.
    out.pop();
    out
}

#[test]
fn bombs_and_depths_are_refused() {
    let bomb = "<!DOCTYPE s [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]><sdf version='1.6'>&b;</sdf>";
    refusal(bomb, "xml");
    refusal(&sdf("1.6", &"<model name='m'>".repeat(1_000_000)), "xml");
    let deep = format!("{}{}", "<model name='m'>".repeat(200), "</model>".repeat(200));
    refusal(&sdf("1.6", &deep), "model-depth");
    refusal(&sdf("1.6", ""), "model-empty");
    refusal(&sdf("1.6", "<world name='w'/>"), "model-empty");
}

#[test]
fn numbers_that_are_none_are_refused_by_line() {
    for (old, new) in [("<mass>2</mass>", "<mass>NaN</mass>"), ("0 0 -9.8", "0 0 -inf"), ("10 20 30", "10 inf 30")] {
        assert!(RICH.contains(old));
        let found = import(&RICH.replace(old, new));
        assert!(found.world.is_none(), "{new} passes");
        assert!(found.findings.iter().any(|f| f.source.as_ref().is_some_and(|s| s.line > 0)), "{}", found.findings);
    }
}

#[test]
fn long_chains_and_rings_of_frames_take_linear_time() {
    // Recursion over these would crash the process, and quadratic time would take minutes.
    let count = 100_000;
    let frame =
        |i: usize, to: usize| format!("<frame name='f{i}' attached_to='f{to}'><pose>0 0 1e-5 0 0 0</pose></frame>");
    let chain: String = (1..count).map(|i| frame(i, i - 1)).collect();
    let text = |first: &str| sdf("1.7", &format!("<model name='m'><link name='a'/>{first}{chain}</model>"));
    let found = import(&text("<frame name='f0' attached_to='a'/>"));
    let world = found.world.expect("a chain is legal");
    let last = world.placements[0].model.frames().iter().find(|f| f.name == format!("f{}", count - 1)).unwrap();
    // The sum of 10^5 roundings of numbers up to one.
    assert!((last.body_from_frame.translation.z - (count - 1) as f64 * 1e-5).abs() < 1e-10);
    refusal(&text(&frame(0, count - 1)), "frame-cycle");
}

#[test]
fn many_links_and_joints_take_linear_time() {
    let count = 20_000;
    let links: String = (0..count).map(|i| format!("<link name='l{i}'/>")).collect();
    // Every joint's child is the first link: all other links are attached to it backwards.
    let star: String = (1..count)
        .map(|i| format!("<joint name='j{i}' type='ball'><parent>l{i}</parent><child>l0</child></joint>"))
        .collect();
    let found = import(&sdf("1.6", &format!("<model name='m'>{links}{star}</model>")));
    let world = found.world.expect("a star is legal");
    assert_eq!(world.placements[0].model.bodies().len(), count);
    assert_eq!(found.findings.count("joint-reversed"), count - 2);
}
