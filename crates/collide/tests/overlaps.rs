//! Overlapping pairs of a world: the model's collision rules, one by one.

use veracity_collide::{Configuration, Overlaps, overlaps};
use veracity_model::geometry::at;
use veracity_model::{
    Body, BodyId, ContactPair, Inertia, Joint, JointId, JointKind, ModelBuilder, Placement, Pose, Shape,
    StateCondition, Vec3, World,
};

fn ball(name: &str) -> Body {
    let inertia = Inertia::solid_sphere(1.0, 0.5);
    Body::new(name, inertia).with_shape(Shape::Sphere { radius: 0.5 }, Pose::identity())
}

/// Balls of radius 0.5 on sliders, each attached to the previous one, 0.4 apart: every pair except the two ends overlaps.
fn row(count: usize, kind: JointKind) -> ModelBuilder {
    let mut builder = ModelBuilder::new("row");
    let mut parent = None;
    for i in 0..count {
        let joint = Joint::new(format!("slide{i}"), kind).at(at(0.4, 0.0, 0.0));
        parent = Some(builder.add_body(ball(&format!("ball{i}")), joint, parent));
    }
    builder
}

fn found(world: &World) -> Overlaps {
    // At neutral every joint frame coincides, so poses are products down the tree.
    let world_from_body = world
        .placements
        .iter()
        .map(|placement| {
            let mut poses: Vec<Pose> = Vec::new();
            for joint in placement.model.joints() {
                let parent = joint.parent.map_or(placement.world_from_model, |p| poses[p.0]);
                poses.push(parent * joint.parent_from_joint * joint.child_from_joint.inverse());
            }
            poses
        })
        .collect();
    let q = world.placements.iter().map(|p| p.model.neutral_positions()).collect();
    overlaps(world, &Configuration { q, world_from_body })
}

fn pairs(builder: ModelBuilder) -> Vec<(usize, usize)> {
    let world = World::with_model(builder.build().unwrap());
    found(&world).found.iter().map(|o| (o.a.body.0, o.b.body.0)).collect()
}

const SLIDE: fn() -> JointKind = || JointKind::prismatic(Vec3::x());

#[test]
fn neighbours_are_excluded_unless_the_model_lets_them_collide() {
    assert_eq!(pairs(row(4, SLIDE())), [(0, 2), (1, 3)]);
    let mut builder = row(4, SLIDE());
    builder.adjacent_bodies_collide(true);
    assert_eq!(pairs(builder), [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]);
}

#[test]
fn the_depth_is_in_metres() {
    let world = World::with_model(row(3, SLIDE()).build().unwrap());
    let overlap = found(&world).found[0];
    // Centres 0.8 apart, radii 0.5 each.
    assert!((overlap.gap.depth() - 0.2).abs() < 1e-15);
    assert!((overlap.gap.normal + Vec3::x()).norm() < 1e-15);
}

#[test]
fn welded_bodies_are_one_piece() {
    // The first is fixed to the world, all others to it: nothing can move.
    assert_eq!(pairs(row(4, JointKind::Fixed)), []);
    // ball1 welded to ball0: ball2 is a neighbour of both, ball3 of neither.
    let mut builder = row(4, SLIDE());
    builder.joint_mut(JointId(1)).kind = JointKind::Fixed;
    builder.joint_mut(JointId(1)).dofs.clear();
    assert_eq!(pairs(builder), [(1, 3)]);
}

#[test]
fn bodies_joined_by_a_free_joint_may_touch() {
    assert_eq!(pairs(row(2, JointKind::Free)), [(0, 1)]);
}

#[test]
fn filters_groups_and_the_self_collision_setting_are_applied() {
    let mut builder = row(3, SLIDE());
    builder.exclude_contact(BodyId(2), BodyId(0));
    assert_eq!(pairs(builder), []);
    let mut builder = row(3, SLIDE());
    builder.self_collide(false);
    assert_eq!(pairs(builder), []);
    let mut builder = row(3, SLIDE());
    // Neither is in a group the other may touch; one match would be enough.
    builder.body_mut(BodyId(2)).shapes[0].mask = 0b10;
    builder.body_mut(BodyId(0)).shapes[0].mask = 0b10;
    assert_eq!(pairs(builder), []);
    let mut builder = row(3, SLIDE());
    builder.body_mut(BodyId(2)).shapes[0].collides = false;
    assert_eq!(pairs(builder), []);
}

#[test]
fn a_contact_pair_is_live_while_its_condition_holds() {
    let pair = |above, below| ContactPair {
        name: "tip".into(),
        a: BodyId(0),
        b: Some(BodyId(2)),
        material: None,
        conditions: vec![StateCondition::JointPosition { joint: JointId(1), above, below }],
    };
    let mut builder = row(3, SLIDE());
    builder.add_contact_pair(pair(-0.1, 0.1));
    assert_eq!(pairs(builder), [(0, 2)]);
    let mut builder = row(3, SLIDE());
    builder.add_contact_pair(pair(0.1, 0.2));
    assert_eq!(pairs(builder), []);
}

#[test]
fn models_of_one_world_touch_and_the_ground_does_not_touch_the_ground() {
    let mut ground = ModelBuilder::new("ground");
    let plane = Body::new("plane", Inertia::zero()).with_shape(Shape::Plane, Pose::identity());
    ground.add_body(plane, Joint::new("fixed", JointKind::Fixed), None);
    let ground = std::sync::Arc::new(ground.build().unwrap());
    let robot = std::sync::Arc::new(row(1, JointKind::Free).build().unwrap());
    let place = |name: &str, model: &std::sync::Arc<_>, z| Placement {
        name: name.into(),
        model: std::sync::Arc::clone(model),
        world_from_model: at(0.0, 0.0, z),
    };
    let mut world = World::with_model(row(1, JointKind::Free).build().unwrap());
    world.placements = vec![place("ground", &ground, 0.0), place("robot", &robot, 0.3), place("hill", &ground, 0.2)];
    let overlaps = found(&world);
    let depths: Vec<_> = overlaps.found.iter().map(|o| (o.a.placement, o.b.placement, o.gap.depth())).collect();
    assert_eq!(depths.len(), 2);
    assert!(depths[0].0 == 0 && depths[0].1 == 1 && (depths[0].2 - 0.2).abs() < 1e-15);
    assert!(depths[1].0 == 1 && depths[1].1 == 2 && (depths[1].2 - 0.4).abs() < 1e-15);
    assert!(overlaps.unmeasured.is_empty());
}
