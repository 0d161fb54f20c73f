//! The sensor that sees a point of another body: its three limits compared with geometry.
//!
//! The eye is 1 m above the ground and looks along +x. A wall stands before it: its front is 2.9 m away, it reaches 2 m
//! to either side and 1 m above the eye. At 6 m its shadow is therefore 2 · 6 / 2.9 m wide to either side and 6 / 2.9 m
//! high.

mod support;

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};
use support::puppet::{Prescribed, Puppet};
use support::{ABLE, MS, run};
use veracity_control::config::PerGroup;
use veracity_control::{ControlError, ControlLoop, SensorConfig, Setup};
use veracity_engine::{Engine, LoadOptions};
use veracity_engine_native::ENGINE as NATIVE;
use veracity_model::geometry::at;
use veracity_model::{Body, Inertia, Joint, JointKind, Layout, ModelBuilder, Pose, Shape, Vec3, World};

const FRONT: f64 = 2.9;
const BEHIND: f64 = 6.0;

/// Ground with the eye, a ball `b`, and the wall, if there is one.
fn yard(wall: bool) -> World {
    let mut builder = ModelBuilder::new("yard");
    let fixed = |name: &str| Joint::new(name, JointKind::Fixed);
    let ground = Body::new("ground", Inertia::zero()).with_shape(Shape::Plane, Pose::identity());
    builder.add_body(ground, fixed("weld"), None);
    let ball =
        Body::new("b", Inertia::solid_sphere(1.0, 0.1)).with_shape(Shape::Sphere { radius: 0.1 }, Pose::identity());
    builder.add_body(ball, Joint::new("free", JointKind::Free), None);
    let mut stones = Body::new("wall", Inertia::zero());
    if wall {
        stones = stones.with_shape(Shape::Box { size: Vec3::new(0.2, 4.0, 2.0) }, at(FRONT + 0.1, 0.0, 1.0));
    }
    builder.add_body(stones, fixed("stands"), None);
    let mut world = World::with_model(builder.build().unwrap());
    (world.gravity, world.contact) = (Vec3::zeros(), false);
    world
}

fn eye() -> SensorConfig {
    SensorConfig {
        name: "eye".into(),
        kind: "sight".into(),
        body: Some("ground".into()),
        xyz_m: Some([0.0, 0.0, 1.0]),
        target: Some("b".into()),
        max_m: Some(100.0),
        ..Default::default()
    }
}

/// What it reads of a ball at rest: seen, x, y, z.
fn read(world: &World, config: SensorConfig, ball: Pose) -> Result<Vec<f64>, ControlError> {
    let layout = Layout::new(world);
    let setup = Setup { world, layout: &layout, capabilities: ABLE, step_ns: MS, seed: 1, trial: 0 };
    let mut control = ControlLoop::new(&setup, &[], &[config])?;
    let (mut inputs, mut puppet) = (control.inputs(), Puppet::new(world, move |_| Prescribed::at_rest(ball)));
    run(&mut control, &mut puppet, &mut inputs, 5 * MS, |_, _, _, _| ())?;
    let mut out = vec![f64::NAN; control.signals().len()];
    control.write_signals(5 * MS, &mut out);
    Ok(out)
}

fn sees(world: &World, config: SensorConfig, x: f64, y: f64, z: f64) -> bool {
    let found = read(world, config, at(x, y, z)).unwrap();
    assert!(found[0] == 1.0 || found == [0.0; 4], "not seen is zero throughout: {found:?}");
    found[0] == 1.0
}

#[test]
fn it_sees_up_to_its_range() {
    // 3, 4, 5: a distance without rounding.
    let far = |max_m: f64| SensorConfig { max_m: Some(max_m), ..eye() };
    let world = yard(true);
    assert_eq!(read(&world, far(5.0), at(0.0, 3.0, 5.0)).unwrap(), [1.0, 0.0, 3.0, 4.0]);
    assert_eq!(read(&world, far(5.0f64.next_down()), at(0.0, 3.0, 5.0)).unwrap(), [0.0; 4]);
}

#[test]
fn the_cone_ends_at_its_angle() {
    let cone = |half: f64| SensorConfig { half_view_rad: Some(half), ..eye() };
    let world = yard(true);
    // On the cone of 45 degrees, sideways and upwards; just outside.
    assert!(sees(&world, cone(FRAC_PI_4), 2.0, 2.0, 1.0) && sees(&world, cone(FRAC_PI_4), 2.0, 0.0, 3.0));
    assert!(!sees(&world, cone(FRAC_PI_4), 2.0, 2.0f64.next_up(), 1.0));
    assert!(!sees(&world, cone(FRAC_PI_4.next_down()), 2.0, 2.0, 1.0));
    // Straight behind: only without a cone. The cone turns with the sensor's frame.
    assert!(sees(&world, eye(), -2.0, 0.0, 1.0) && !sees(&world, cone(3.1), -2.0, 0.0, 1.0));
    let left = SensorConfig { rpy_rad: Some([0.0, 0.0, FRAC_PI_2]), ..cone(0.1) };
    assert!(sees(&world, left.clone(), 0.0, 2.0, 1.0) && !sees(&world, left, 2.0, 0.0, 1.0));
}

/// Whether what is at 6 m, so far to the side and above the eye, is in the wall's shadow.
fn hidden(y: f64, up: f64) -> bool {
    y.abs() <= 2.0 * BEHIND / FRONT && up <= BEHIND / FRONT
}

#[test]
fn the_wall_casts_the_shadow_of_geometry() {
    let (side, top) = (2.0 * BEHIND / FRONT, BEHIND / FRONT);
    let mut seen = 0;
    for y in [-side - 1e-9, -side + 1e-9, 0.0, 1.7, side - 1e-9, side + 1e-9] {
        for up in [-0.9, 0.0, top - 1e-9, top + 1e-9] {
            let found = sees(&yard(true), eye(), BEHIND, y, 1.0 + up);
            assert_eq!(found, !hidden(y, up), "{y} m aside, {up} m above the eye");
            seen += u32::from(found);
            // Without the wall the same place is seen.
            assert!(sees(&yard(false), eye(), BEHIND, y, 1.0 + up));
        }
    }
    assert_eq!(seen, 12, "both answers occur");
}

#[test]
fn points_on_the_wall_or_the_ground_are_not_hidden() {
    let world = yard(true);
    assert!(sees(&world, eye(), FRONT, 0.3, 1.2), "on its front");
    assert!(!sees(&world, eye(), FRONT + 1e-6, 0.3, 1.2), "a micrometre inside it");
    // From another body, so that the ground counts: a point on it is seen, one below is not.
    let from_wall = SensorConfig { body: Some("wall".into()), ..eye() };
    assert!(sees(&world, from_wall.clone(), 7.0, 1.0, 0.0) && !sees(&world, from_wall, 7.0, 1.0, -0.01));
}

#[test]
fn it_looks_at_a_point_of_the_body_and_neither_body_hides_it() {
    let world = yard(true);
    // The ball lies turned by 90 degrees about z, 2 m away: its point (1, 0, 0) is at y = 1.
    let ball = at(2.0, 0.0, 1.0) * veracity_model::geometry::pose(Vec3::zeros(), [0.0, 0.0, FRAC_PI_2]);
    let point = SensorConfig { target_xyz_m: Some([1.0, 0.0, 0.0]), ..eye() };
    let found = read(&world, point, ball).unwrap();
    let worst = found.iter().zip([1.0, 2.0, 1.0, 0.0]).fold(0.0f64, |w, (a, b)| w.max((a - b).abs()));
    assert!(worst < 1e-15, "{found:?}");
    // From inside the ball, through its surface, to the foot of the wall.
    let back = SensorConfig { body: Some("b".into()), xyz_m: None, target: Some("wall".into()), ..eye() };
    assert_eq!(read(&world, back, at(2.0, 0.0, 1.0)).unwrap(), [1.0, -2.0, 0.0, -1.0]);
    // The sensor at the point itself: nothing is in between.
    assert_eq!(read(&world, eye(), at(0.0, 0.0, 1.0)).unwrap(), [1.0, 0.0, 0.0, 0.0]);
}

#[test]
fn noise_applies_to_the_position_only() {
    let world = yard(true);
    let (noise_std, bias) = (PerGroup::Same(0.1), PerGroup::Same(0.5));
    let noisy = SensorConfig { noise_std, bias, ..eye() };
    let found = read(&world, noisy.clone(), at(2.0, 0.0, 1.0)).unwrap();
    // Five standard deviations about the bias.
    assert!(found[0] == 1.0 && found[1] != 2.5 && (found[1] - 2.5).abs() < 0.5, "{found:?}");
    assert_eq!(read(&world, noisy, at(BEHIND, 0.0, 1.0)).unwrap(), [0.0; 4], "a hidden point has no noise");
}

#[test]
fn on_an_engine_the_ball_goes_behind_the_wall_and_comes_out_again() {
    let world = yard(true);
    let layout = Layout::new(&world);
    let settings = NATIVE.resolve(&"native".parse().unwrap()).unwrap();
    let mut simulation = NATIVE.load(&world, &settings, &LoadOptions { step_s: 1e-3 }).unwrap();
    // Along y at 5 m/s, from 5 m left of the middle.
    let (q, v) = ([BEHIND, -5.0, 1.0, 1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 5.0, 0.0]);
    simulation.set_state(0.0, &q, &v).unwrap();
    let capabilities = NATIVE.capabilities(&settings);
    let setup = Setup { world: &world, layout: &layout, capabilities, step_ns: MS, seed: 1, trial: 0 };
    let mut control = ControlLoop::new(&setup, &[], &[eye()]).unwrap();
    let (mut inputs, mut row, mut turns) = (control.inputs(), vec![0.0; control.signals().len()], vec![(0, 1.0)]);
    run(&mut control, &mut *simulation, &mut inputs, 2000 * MS, |t, _, _, control| {
        control.write_signals(t, &mut row);
        if turns.last().unwrap().1 != row[0] {
            turns.push((t / MS, row[0]));
        }
    })
    .unwrap();
    // In at (5 - 4.1379) / 5 = 0.17241 s, out at 1.82759 s: the first sample after each.
    assert_eq!(turns, [(0, 1.0), (173, 0.0), (1828, 1.0)]);
}

#[test]
fn errors_give_the_path() {
    let refuse = |config: SensorConfig, path: &str, what: &str| {
        let error = read(&yard(true), config, Pose::identity()).unwrap_err();
        assert!(error.place == path && error.what.contains(what), "{error}");
    };
    refuse(SensorConfig { target: None, ..eye() }, "sensors/eye/target", "yard/ground, yard/b, yard/wall");
    refuse(SensorConfig { target: Some("c".into()), ..eye() }, "sensors/eye/target", "unknown body 'c'");
    refuse(SensorConfig { target: Some("ground".into()), ..eye() }, "sensors/eye/target", "itself");
    refuse(SensorConfig { max_m: None, ..eye() }, "sensors/eye/max_m", "give its range");
    refuse(SensorConfig { half_view_rad: Some(4.0), ..eye() }, "sensors/eye/half_view_rad", "at most π");
    refuse(SensorConfig { target_xyz_m: Some([f64::NAN; 3]), ..eye() }, "sensors/eye/target_xyz_m", "finite");
    refuse(SensorConfig { kind: "range".into(), ..eye() }, "sensors/eye/target", "has no key");
}
