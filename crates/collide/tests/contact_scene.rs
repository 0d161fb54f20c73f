//! The scene as a whole: the search misses no pair, names persist along a motion, conditions and materials are applied.

mod scenes;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use scenes::scene;
use veracity_collide::contact::{ContactScene, GuardedNumber};
use veracity_model::geometry::{at, pose};
use veracity_model::{
    Body, ContactPair, Inertia, Joint, JointId, JointKind, Layout, Material, ModelBuilder, Pose, Shape,
    StateCondition, Vec3, World,
};

fn shapes() -> Vec<Shape> {
    let mut all = vec![Shape::Plane];
    for i in 0..20 {
        let s = 0.05 + 0.01 * f64::from(i);
        all.push(match i % 5 {
            0 => Shape::Sphere { radius: s },
            1 => Shape::Box { size: Vec3::new(s, 2.0 * s, 1.5 * s) },
            2 => Shape::Capsule { radius: 0.5 * s, length: s },
            3 => Shape::Cylinder { radius: 0.5 * s, length: s },
            _ => Shape::Sphere { radius: 0.3 * s },
        });
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, rng_seed: RngSeed::Fixed(3), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_search_misses_no_pair_and_does_not_depend_on_earlier_calls(
        places in prop::collection::vec((prop::array::uniform3(-0.5f64..0.5), prop::array::uniform3(-3.0f64..3.0)), 21),
        reach in prop::collection::vec(0.0f64..0.05, 21), margin in 0.0f64..0.05,
    ) {
        let all = shapes();
        let mut used = scene(&all);
        let mut poses: Vec<Pose> = places.iter().map(|(t, rpy)| pose(Vec3::from(*t), *rpy)).collect();
        poses[0] = Pose::identity();
        let mut found = Vec::new();
        // Searched at other poses first, so that the order of the sweep differs.
        let before: Vec<Pose> = poses.iter().rev().copied().collect();
        used.find(&before, &reach, margin, &mut found).unwrap();
        used.find(&poses, &reach, margin, &mut found).unwrap();
        let mut fresh = Vec::new();
        scene(&all).find(&poses, &reach, margin, &mut fresh).unwrap();
        prop_assert_eq!(&found, &fresh);
        // Each pair of shapes separately, without a search.
        let mut alone = Vec::new();
        let mut pair_points = Vec::new();
        for a in 0..all.len() {
            for b in a + 1..all.len() {
                let mut two = scene(&[all[a].clone(), all[b].clone()]);
                let limit = margin + reach[a] + reach[b];
                two.find(&[poses[a], poses[b]], &[0.0; 2], limit, &mut pair_points).unwrap();
                alone.extend(pair_points.iter().map(|p| (a as u32, b as u32, p.feature, p.gap)));
            }
        }
        let mine: Vec<_> = found.iter().map(|p| (p.body_a, p.body_b, p.feature, p.gap)).collect();
        // margin + reach + reach is summed in a different order.
        prop_assert_eq!(mine.len(), alone.len());
        prop_assert_eq!(mine, alone);
    }
}

#[test]
fn names_persist_along_a_smooth_motion() {
    // A box sliding and slowly turning on a larger one, a capsule rolling on it, a ball rolling over its edge.
    let table = Shape::Box { size: Vec3::new(2.0, 2.0, 0.2) };
    let shapes = [
        table,
        Shape::Box { size: Vec3::new(0.2, 0.3, 0.1) },
        Shape::Capsule { radius: 0.05, length: 0.3 },
        Shape::Sphere { radius: 0.1 },
    ];
    let mut scene = scene(&shapes);
    let (mut found, mut names) = (Vec::new(), Vec::new());
    let mut changes = 0;
    for step in 0..1000 {
        let t = f64::from(step) * 1e-3;
        let quarter = std::f64::consts::FRAC_PI_2;
        let poses = [
            Pose::identity(),
            pose(
                Vec3::new(-0.5 + 0.3 * t, 0.2 * t, 0.15 + 1e-7 * libm::sin(50.0 * t)),
                [1e-7 * libm::cos(9.0 * t), 0.0, t],
            ),
            pose(Vec3::new(0.5, -0.5 + 0.2 * t, 0.15), [quarter, 0.0, quarter])
                * pose(Vec3::zeros(), [0.0, 0.0, 4.0 * t]),
            at(0.9 + 0.2 * t, 0.7, 0.2 - 1e-6),
        ];
        scene.find(&poses, &[0.0; 4], 1e-3, &mut found).unwrap();
        let now: Vec<(u32, u64)> = found.iter().map(|p| (p.pair, p.feature)).collect();
        if now != names {
            changes += 1;
            names = now;
        }
    }
    // Once at the start, and once when the ball has rolled so far over the edge that it is out of the margin.
    assert_eq!(changes, 2);
}

#[test]
fn a_feature_followed_along_a_motion_is_smooth() {
    // A box rocks on another about its edge: the four corners are followed by name, also those that lift off.
    let cube = Shape::Box { size: Vec3::repeat(0.2) };
    let mut scene = scene(&[Shape::Box { size: Vec3::new(1.0, 1.0, 0.2) }, cube]);
    let place = |angle: f64| {
        let edge = at(0.1, 0.0, 0.1);
        [Pose::identity(), edge * pose(Vec3::zeros(), [0.0, angle, 0.0]) * at(-0.1, 0.0, 0.1)]
    };
    let mut found = Vec::new();
    scene.find(&place(0.0), &[0.0; 2], 1e-3, &mut found).unwrap();
    assert_eq!(found.len(), 4);
    for p in &found {
        let arm = 0.1 - p.point_b.x;
        for angle in [1e-6, 1e-3, 0.1, 0.5] {
            let then = scene.evaluate(p.pair, p.feature, &place(angle)).unwrap();
            // The corner rises by its arm times the sine.
            assert!((then.gap - arm * libm::sin(angle)).abs() < 1e-15, "{then:?}");
        }
    }
}

#[test]
fn conditions_and_materials_of_named_pairs_are_found_by_pair() {
    let mut builder = ModelBuilder::new("w");
    let ground = Body::new("ground", Inertia::zero()).with_shape(Shape::Plane, Pose::identity());
    builder.add_body(ground, Joint::new("fixed", JointKind::Fixed), None);
    let ball = Body::new("ball", Inertia::solid_sphere(1.0, 0.1))
        .with_shape(Shape::Sphere { radius: 0.1 }, Pose::identity());
    let ball = builder.add_body(ball, Joint::new("slide", JointKind::prismatic(Vec3::z())), None);
    let rubber = builder.add_material(Material { name: "rubber".into(), ..Material::default() });
    builder.add_contact_pair(ContactPair {
        name: "foot".into(),
        a: ball,
        b: None,
        material: Some(rubber),
        conditions: vec![StateCondition::JointVelocity { joint: JointId(1), above: -1.0, below: 0.0 }],
    });
    let world = World::with_model(builder.build().unwrap());
    let mut scene = ContactScene::new(&world, &Layout::new(&world)).unwrap();
    let poses = [Pose::identity(), at(0.0, 0.0, 0.05)];
    let mut found = Vec::new();
    scene.judge_guards(&[0.05], &[-0.5]);
    scene.find(&poses, &[0.0; 2], 0.0, &mut found).unwrap();
    assert_eq!(found.len(), 1);
    let pair = found[0].pair;
    assert_eq!(scene.material_of(pair), Some((0, rubber)));
    assert_eq!(scene.guards_of(pair).collect::<Vec<_>>(), [0]);
    assert_eq!(scene.guards()[0].numbers, [GuardedNumber::Velocity { index: 0, above: -1.0, below: 0.0 }]);
    assert!(scene.is_live(pair));
    scene.judge_guards(&[0.05], &[0.5]);
    scene.find(&poses, &[0.0; 2], 0.0, &mut found).unwrap();
    assert!(found.is_empty() && !scene.is_live(pair));
    scene.set_live(0, true);
    scene.find(&poses, &[0.0; 2], 0.0, &mut found).unwrap();
    assert_eq!(found.len(), 1);
}

#[test]
fn a_pose_with_nan_is_reported_with_its_body() {
    let mut scene = scene(&[Shape::Plane, Shape::Sphere { radius: 0.1 }]);
    let poses = [Pose::identity(), at(0.0, f64::NAN, 0.0)];
    let trouble = scene.find(&poses, &[0.0; 2], 0.0, &mut Vec::new()).unwrap_err();
    assert_eq!(trouble.body, 1);
    assert!(trouble.to_string().contains("body 1"));
}
