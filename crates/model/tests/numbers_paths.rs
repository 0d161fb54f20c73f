//! Every number has one path; listing, reading and setting agree.

mod numbers_fixture;

use numbers_fixture::one_of_everything;
use std::collections::BTreeSet;
use veracity_model::{Joint, JointKind, Material, Model, ModelBuilder, Overrides, Pose, Vec3, World};

/// Rotations are given as angles: they may change by the rounding of a conversion; everything else is exact.
fn is_angle(path: &str) -> bool {
    ["roll", "pitch", "yaw"].iter().any(|a| path.ends_with(&format!("/{a}"))) && path != "joints/screw/pitch"
}

#[test]
fn every_path_is_listed_once_and_reads_what_was_listed() {
    let model = one_of_everything();
    let numbers = model.numbers();
    let paths: BTreeSet<&str> = numbers.iter().map(|(p, _)| p.as_str()).collect();
    assert_eq!(paths.len(), numbers.len());
    for (path, value) in &numbers {
        assert_eq!(model.number(path).map(f64::to_bits), Some(value.to_bits()), "{path}");
    }
    for path in [
        "bodies/base~1left~01/mass",
        "bodies/body1/inertia/ixy",
        "bodies/base~1left~01/shapes/shape1/size/z",
        "bodies/base~1left~01/shapes/shape7/size/y",
        "joints/free/dofs/5/damping",
        "joints/revolute/axis/x",
        "joints/revolute/effort_limit",
        "joints/screw/pitch",
        "joints/ball/origin/yaw",
        "loops/cardan/axis_b/y",
        "couplings/gear/coefficients/1",
        "springs/spring/point_b/z",
        "materials/rigid/friction/1",
        "actuators/motor3/bias/2",
        "actuators/tendon/terms/1",
        "sensors/sonar/rate_hz",
        "contact_pairs/foot/conditions/1/below",
        "keyframes/home/q/3",
        "initial/3",
        "parameters/length",
    ] {
        assert!(paths.contains(path), "{path} is missing");
    }
}

#[test]
fn setting_every_number_to_its_own_value_changes_nothing() {
    let model = one_of_everything();
    let same: Overrides = model.free_numbers().into_iter().collect();
    // Equality of f64 fields: bit for bit except for the sign of zero, rotations included, since nothing was changed.
    assert_eq!(model.with(&same).unwrap(), model);
    assert_eq!(model.with(&Overrides::new()).unwrap(), model);
}

#[test]
fn every_number_can_be_changed_alone_and_nothing_else_moves() {
    let model = one_of_everything();
    let before = model.numbers();
    for (path, value) in &before {
        // Sizes must stay positive; a direction must rotate, not only grow.
        let new = match value.is_finite() {
            _ if path.contains("axis") || path.contains("direction") => 0.5 - value,
            true => value * 1.25 + 0.0625,
            false => 7.5,
        };
        let changed = model.with(&Overrides::new().set(path.as_str(), new));
        let Ok(changed) = changed else {
            // The axes of a plane must stay normal to each other: one of them alone cannot rotate.
            assert!(path.starts_with("joints/planar/"), "{path}: {}", changed.unwrap_err());
            continue;
        };
        let family = path.rsplit_once('/').map(|(family, _)| family).unwrap();
        for ((p, old), (_, now)) in before.iter().zip(changed.numbers()) {
            let in_family = p.starts_with(family) && (is_angle(p) || family.contains("axis"));
            let in_direction = p.contains("friction_direction") && path.contains("friction_direction");
            if p == path && !in_family && !in_direction {
                assert_eq!(now, new, "{path}");
            } else if p != path && !in_family && !in_direction {
                assert_eq!(now.to_bits(), old.to_bits(), "{path} moved {p}");
            }
        }
        assert!(changed != model, "{path} was not set");
    }
}

#[test]
fn angles_are_set_as_roll_pitch_yaw_and_axes_keep_unit_length() {
    let model = one_of_everything();
    let o = Overrides::new().set("joints/ball/origin/roll", 0.1).set("joints/ball/origin/pitch", 0.2);
    let turned = model.with(&o.set("joints/ball/origin/yaw", -0.3)).unwrap();
    let joint = turned.joint(turned.joint_named("ball").unwrap());
    let expected = veracity_model::geometry::quat_from_rpy(0.1, 0.2, -0.3);
    assert_eq!(joint.parent_from_joint.rotation, expected);
    let o = Overrides::new().set("joints/revolute/axis/x", 3.0).set("joints/revolute/axis/y", 0.0);
    let tilted = model.with(&o.set("joints/revolute/axis/z", 4.0)).unwrap();
    assert_eq!(
        tilted.joint(tilted.joint_named("revolute").unwrap()).kind,
        JointKind::Revolute { axis: Vec3::new(0.6, 0.0, 0.8) }
    );
    let none = (["x", "y", "z"]).iter().map(|a| (format!("joints/revolute/axis/{a}"), 0.0)).collect();
    assert_eq!(model.with(&none).unwrap_err().count("joint-axis"), 1);
}

#[test]
fn what_may_be_absent_is_infinite() {
    let model = one_of_everything();
    assert_eq!(model.number("materials/rigid/stiffness"), Some(f64::INFINITY));
    let o = Overrides::new().set("materials/rigid/stiffness", 1e6).set("materials/default/stiffness", f64::INFINITY);
    let changed = model.with(&o).unwrap();
    assert_eq!(changed.materials()[1].stiffness, Some(1e6));
    assert_eq!(changed.materials()[0].stiffness, None);
    assert_eq!(Material::default().stiffness, None);
}

#[test]
fn an_unknown_path_names_the_nearest_ones() {
    let model = one_of_everything();
    let refused = model.with(&Overrides::new().set("bodies/body1/mas", 1.0).set("zzz", 1.0)).unwrap_err();
    assert_eq!(refused.count("override-path"), 2);
    assert!(refused.to_string().contains("nearest are 'bodies/body1/mass'"), "{refused}");
    let refused = model.with(&Overrides::new().set("bodies/body1/mass", f64::NAN)).unwrap_err();
    assert_eq!(refused.count("override-value"), 1);
}

#[test]
fn a_changed_model_is_validated_again() {
    let model = one_of_everything();
    let o = Overrides::new().set("bodies/base~1left~01/shapes/shape0/radius", -0.1);
    assert_eq!(model.with(&o).unwrap_err().count("not-finite"), 1);
    let o = Overrides::new().set("bodies/body1/mass", f64::INFINITY);
    assert_eq!(model.with(&o).unwrap_err().count("not-finite"), 1);
}

#[test]
fn links_is_another_word_for_bodies() {
    let model = one_of_everything();
    assert_eq!(model.number("links/body1/mass"), Some(1.3));
    let changed = model.with(&Overrides::new().set("links/body1/mass", 2.0)).unwrap();
    assert_eq!(changed.number("bodies/body1/mass"), Some(2.0));
    let both = Overrides::new().set("links/body1/mass", 2.0).set("bodies/body1/mass", 3.0);
    assert_eq!(model.with(&both).unwrap_err().count("override-twice"), 1);
}

#[test]
fn a_world_reaches_its_models_its_places_and_gravity() {
    let mut world = World::with_model(small("arm"));
    let mut other = world.placements[0].clone();
    other.name = "gravity".into();
    other.world_from_model = Pose::translation(1.0, 0.0, 0.0);
    world.placements.push(other);
    let same: Overrides = world.numbers().into_iter().collect();
    assert_eq!(world.with(&same).unwrap(), world);

    let o = Overrides::new()
        .set("world/gravity/z", -1.62)
        .set("world/arm/links/bob/mass", 2.0)
        .set("world/gravity/bodies/bob/mass", 3.0)
        .set("world/gravity/origin/x", 4.0);
    let changed = world.with(&o).unwrap();
    assert_eq!(changed.gravity.z, -1.62);
    assert_eq!(changed.placements[0].model.mass(), 2.0);
    assert_eq!(changed.placements[1].model.mass(), 3.0);
    assert_eq!(changed.placements[1].world_from_model.translation.x, 4.0);
    assert_eq!(changed.number("world/arm/links/bob/mass"), Some(2.0));
    assert_eq!(changed.number("world/gravity/z"), Some(-1.62));

    let wrong = Overrides::new().set("world/arm/links/bob/mas", 1.0).set("world/arn/bodies/bob/mass", 1.0);
    let refused = world.with(&wrong.set("world/gravity/w", 1.0).set("gravity/z", 1.0)).unwrap_err();
    assert_eq!(refused.count("override-path"), 4, "{refused}");
    assert!(refused.to_string().contains("'world/arm/bodies/bob/mass'"), "{refused}");
}

fn small(name: &str) -> Model {
    let mut b = ModelBuilder::new(name);
    let bob = veracity_model::Body::new("bob", veracity_model::Inertia::point_mass(1.0, Vec3::x()));
    b.add_body(bob, Joint::new("hinge", JointKind::revolute(Vec3::y())), None);
    b.build().unwrap()
}
