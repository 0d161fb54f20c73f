//! Grippers and objects of a grasp are named. They used to be inferred from joints: every link of an arm counted as a
//! gripper, and a block held perfectly still in the fingers of a moving arm got a value of thousands of joules.

mod synthetic;

use synthetic::{Case, record_of, times};
use veracity_measure::grasp::Roles;
use veracity_measure::{Options, metrics};
use veracity_model::geometry::at;
use veracity_model::{Body, Inertia, Joint, JointKind, Layout, ModelBuilder, Vec3, World};

/// Rates of shoulder and wrist [rad/s].
const TURN: [f64; 2] = [0.5, -0.8];

/// Two fingers on a wrist on an upper arm of 1 m carry a block, without slip.
fn carried(rows: usize) -> Case {
    let mut builder = ModelBuilder::new("arm");
    let solid = |name: &str| Body::new(name, Inertia::solid_box(1.0, Vec3::repeat(0.1)));
    let hinge = |name: &str| Joint::new(name, JointKind::revolute(Vec3::z()));
    let upper = builder.add_body(solid("upper"), hinge("shoulder"), None);
    let wrist = builder.add_body(solid("wrist"), hinge("wrist_joint").at(at(1.0, 0.0, 0.0)), Some(upper));
    for (name, y) in [("left", -0.1), ("right", 0.1)] {
        let slider = Joint::new(format!("{name}_slider"), JointKind::prismatic(Vec3::y())).at(at(0.1, y, 0.0));
        builder.add_body(solid(name), slider, Some(wrist));
    }
    builder.add_body(solid("block"), Joint::new("free", JointKind::Free), None);
    record_of(World::with_model(builder.build().unwrap()), &times(0.01, rows), |t| {
        let (first, both) = (TURN[0] * t, (TURN[0] + TURN[1]) * t);
        let (s1, c1) = first.sin_cos();
        let (s2, c2) = both.sin_cos();
        let rate = TURN[0] + TURN[1];
        let place = [c1 + 0.1 * c2, s1 + 0.1 * s2, 0.0];
        let speed = [-TURN[0] * s1 - 0.1 * rate * s2, TURN[0] * c1 + 0.1 * rate * c2, 0.0];
        let (half_sin, half_cos) = (0.5 * both).sin_cos();
        let mut q = vec![first, TURN[1] * t, 0.0, 0.0];
        q.extend(place);
        q.extend([half_cos, 0.0, 0.0, half_sin]);
        let mut v = vec![TURN[0], TURN[1], 0.0, 0.0, 0.0, 0.0, rate];
        v.extend(speed);
        (q, v)
    })
}

fn named(grippers: &[&str], objects: &[&str]) -> Options {
    let list = |names: &[&str]| names.iter().map(ToString::to_string).collect();
    Options { grippers: list(grippers), objects: list(objects), ..Options::default() }
}

fn measure(metric: &str, case: &Case, options: &Options) -> Result<f64, String> {
    let found = (metrics::find(metric).unwrap().measure)(&case.subject(), None, options);
    found.map(|m| m.value).map_err(|e| e.to_string())
}

#[test]
fn only_named_bodies_are_grippers() {
    let case = carried(101);
    let fingers = named(&["left", "right"], &["block"]);
    let value = measure("grasp_corrected", &case, &fingers).unwrap();
    // Positions of order one are rounded to 2e-16 m: over a step of 1 ms, ½ (2e-13 m/s)², a few times over.
    assert!(value < 1e-23, "{value:e}");
    // In the published metric the hand's own rotation counts: v_g - v_b of origins 0.1 m apart, and nothing else.
    let turning = 0.5 * (0.1f64 * (TURN[0] + TURN[1])).powi(2);
    let value = measure("grasp_published", &case, &fingers).unwrap();
    assert!((value / turning - 1.0).abs() < 1e-9, "{value:e} {turning:e}");
    // What inference from joints gave: the upper arm and the wrist count too.
    let all = named(&["upper", "wrist", "left", "right"], &["block"]);
    let value = measure("grasp_published", &case, &all).unwrap();
    assert!(value > 1e3, "{value:e}");
}

#[test]
fn roles_that_are_missing_unknown_or_double_get_a_sentence() {
    let case = carried(3);
    for metric in ["grasp_published", "grasp_corrected"] {
        let refused = |options: &Options, part: &str| {
            let why = measure(metric, &case, options).unwrap_err();
            assert!(why.contains(part), "{why}");
        };
        refused(&named(&[], &["block"]), "name the bodies that hold with 'grippers'; the world has arm/upper");
        refused(&named(&["left"], &[]), "name the bodies that are held with 'objects'");
        refused(&named(&["left", "lefft"], &["block"]), "'grippers' names 'lefft', which is not a body of the world");
        refused(&named(&["left", "arm/left"], &["block"]), "twice");
        refused(&named(&["left", "block"], &["block"]), "is among 'grippers' and 'objects'");
        let with_of = Options { of: Some("block".into()), ..named(&["left"], &["block"]) };
        refused(&with_of, "objects = [\"block\"]");
    }
}

/// Two placements of one model: a short name is ambiguous.
#[test]
fn an_ambiguous_name_gets_the_full_ones() {
    let mut world = (*carried(3).record.world).clone();
    let mut second = world.placements[0].clone();
    second.name = "other".to_string();
    world.placements.push(second);
    let roles = Roles::new(&Layout::new(&world), &named(&["left"], &["arm/block"]));
    let why = roles.unwrap_err().to_string();
    assert!(why.contains("'left', which is ambiguous; write one of arm/left, other/left"), "{why}");
}
