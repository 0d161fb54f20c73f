//! Readings of each kind of sensor compared with their exact values.

mod support;

use support::puppet::{Prescribed, Puppet, one_body};
use support::{ABLE, MS, run};
use veracity_control::{ControlError, ControlLoop, SensorConfig, Setup};
use veracity_engine::{BodyState, Capabilities};
use veracity_model::geometry::{at, pose, quat_about};
use veracity_model::{Layout, Pose, Vec3, World};
use veracity_record::ContactSample;

const G: f64 = 9.8;

fn sensor(kind: &str) -> SensorConfig {
    SensorConfig { name: "s".into(), kind: kind.into(), body: Some("b".into()), ..Default::default() }
}

/// The readings after 20 ms of ticks.
fn read(
    world: &World,
    config: SensorConfig,
    capabilities: Capabilities,
    mut puppet: Puppet,
) -> Result<(Vec<f64>, Vec<String>), ControlError> {
    let layout = Layout::new(world);
    let setup = Setup { world, layout: &layout, capabilities, step_ns: MS, seed: 1, trial: 0 };
    let mut control = ControlLoop::new(&setup, &[], &[config])?;
    let mut inputs = control.inputs();
    run(&mut control, &mut puppet, &mut inputs, 20 * MS, |_, _, _, _| ())?;
    let mut out = vec![f64::NAN; control.signals().len()];
    control.write_signals(20 * MS, &mut out);
    Ok((out, control.notes().to_vec()))
}

fn imu_reads(capabilities: Capabilities, config: SensorConfig, prescribed: fn(f64) -> Prescribed) -> Vec<f64> {
    let world = one_body();
    let puppet = Puppet::new(&world, prescribed);
    read(&world, config, capabilities, puppet).unwrap().0
}

fn near(found: &[f64], expected: &[f64], tolerance: f64) {
    let worst = found.iter().zip(expected).fold(0.0f64, |w, (a, b)| w.max((a - b).abs()));
    assert!(found.len() == expected.len() && worst <= tolerance, "{found:?} is not {expected:?}");
}

#[test]
fn an_imu_at_rest_reads_gravity_upwards() {
    let still = |_: f64| Prescribed::at_rest(at(1.0, 2.0, 3.0));
    near(&imu_reads(ABLE, sensor("imu"), still), &[0.0, 0.0, G, 0.0, 0.0, 0.0], 1e-15);
    // Lying on its side, its own y axis up.
    let side = SensorConfig { rpy_rad: Some([std::f64::consts::FRAC_PI_2, 0.0, 0.0]), ..sensor("imu") };
    near(&imu_reads(ABLE, side, still), &[0.0, G, 0.0, 0.0, 0.0, 0.0], 1e-14);
}

#[test]
fn a_falling_imu_reads_zero_with_or_without_the_engines_accelerations() {
    let fall = |t: f64| {
        let mut prescribed = Prescribed::at_rest(at(0.0, 0.0, 10.0 - 0.5 * G * t * t));
        prescribed.state.linear_velocity.z = -G * t;
        prescribed.linear_acceleration.z = -G;
        prescribed
    };
    near(&imu_reads(ABLE, sensor("imu"), fall), &[0.0; 6], 1e-15);
    // Differences of a velocity linear in time are exact to rounding of v / h.
    let blind = Capabilities { accelerations: false, ..ABLE };
    near(&imu_reads(blind, sensor("imu"), fall), &[0.0; 6], 1e-12);
}

/// 5 rad/s about z through the origin.
fn spin(t: f64) -> Prescribed {
    let mut prescribed = Prescribed::at_rest(Pose::from_parts(Vec3::zeros().into(), quat_about(&Vec3::z(), 5.0 * t)));
    prescribed.state.angular_velocity.z = 5.0;
    prescribed
}

#[test]
fn a_spinning_imu_reads_omega_squared_r_inwards() {
    let arm = SensorConfig { xyz_m: Some([0.3, 0.0, 0.0]), ..sensor("imu") };
    let expected = [-25.0 * 0.3, 0.0, G, 0.0, 0.0, 5.0];
    near(&imu_reads(ABLE, arm.clone(), spin), &expected, 1e-13);
    // Differences lag by half a step: ω² r turned by ω h / 2 = 2.5 mrad, and shorter by its square over six.
    let blind = Capabilities { accelerations: false, ..ABLE };
    let found = imu_reads(blind, arm, spin);
    near(&found, &expected, 7.5 * 2.6e-3);
    assert!((found[1] - 7.5 * 2.5e-3).abs() < 1e-5, "the lag is that of half a step: {found:?}");
}

#[test]
fn differences_are_declared() {
    let world = one_body();
    let prescribed = |_: f64| Prescribed::at_rest(Pose::identity());
    let notes = |accelerations: bool| {
        let capabilities = Capabilities { accelerations, ..ABLE };
        read(&world, sensor("imu"), capabilities, Puppet::new(&world, prescribed)).unwrap().1
    };
    assert!(notes(true).is_empty());
    assert!(notes(false)[0].contains("sensor 's'") && notes(false)[0].contains("0.001 s"), "{:?}", notes(false));
}

#[test]
fn a_range_sensor_sees_the_ground_at_height_over_cosine() {
    let world = one_body();
    for degrees in [0.0f64, 20.0, 60.0, 80.0] {
        let tilt = degrees.to_radians();
        // +x turned down, then off the vertical by the tilt.
        let down = std::f64::consts::FRAC_PI_2 - tilt;
        let config = SensorConfig { rpy_rad: Some([0.0, down, 0.0]), max_m: Some(10.0), ..sensor("range") };
        let puppet = Puppet::new(&world, |_| Prescribed::at_rest(at(3.0, 1.0, 2.0)));
        let (found, _) = read(&world, config, ABLE, puppet).unwrap();
        let expected = (2.0 / tilt.cos()).min(10.0);
        assert!((found[0] - expected).abs() < 1e-12, "{degrees}°: {} is not {expected}", found[0]);
    }
    // Nothing is above: it reads its range. Its own body, which surrounds it, is not seen.
    let up = SensorConfig { rpy_rad: Some([0.0, -1.0, 0.0]), max_m: Some(10.0), ..sensor("range") };
    let puppet = Puppet::new(&world, |_| Prescribed::at_rest(at(0.0, 0.0, 2.0)));
    assert_eq!(read(&world, up, ABLE, puppet).unwrap().0, [10.0]);
}

#[test]
fn a_force_torque_sensor_moves_the_torque_to_its_own_origin() {
    let world = one_body();
    let able = Capabilities { reactions: true, ..ABLE };
    // The joint pushes up with 9.8 N at the body's origin; 0.2 m along x its moment is r × f = -0.2 · 9.8 about -y.
    let hold =
        |_: f64| Prescribed { reaction: ([0.0, 0.0, G], [0.0, 0.0, 1.0]), ..Prescribed::at_rest(at(0.0, 0.0, 1.0)) };
    let at_joint = SensorConfig { body: None, joint: Some("free".into()), ..sensor("force_torque") };
    let (found, _) = read(&world, at_joint.clone(), able, Puppet::new(&world, hold)).unwrap();
    near(&found, &[0.0, 0.0, G, 0.0, 0.0, 1.0], 1e-15);
    let aside = SensorConfig { xyz_m: Some([0.2, 0.0, 0.0]), ..at_joint.clone() };
    let (found, _) = read(&world, aside, able, Puppet::new(&world, hold)).unwrap();
    near(&found, &[0.0, 0.0, G, 0.0, 0.2 * G, 1.0], 1e-15);
    let refused = read(&world, at_joint, ABLE, Puppet::new(&world, hold)).unwrap_err();
    assert!(refused.what.contains("does not report the forces"), "{refused}");
}

#[test]
fn a_contact_sensor_reads_the_mean_normal_force_or_one() {
    let world = one_body();
    let touch = |impulse: [f64; 3]| ContactSample {
        time: 0.0,
        body_a: Some(1),
        body_b: Some(0),
        point: [0.0; 3],
        normal: [0.0, 0.0, 1.0],
        gap: 0.0,
        impulse,
    };
    let with = |contacts: Vec<ContactSample>, binary: bool| {
        let mut puppet = Puppet::new(&world, |_| Prescribed::at_rest(Pose::identity()));
        puppet.contacts = contacts;
        read(&world, SensorConfig { binary: Some(binary), ..sensor("contact") }, ABLE, puppet).unwrap().0[0]
    };
    // Two points, 1 mN s and 2 mN s over 1 ms; friction does not count.
    let both = vec![touch([5e-3, 0.0, 1e-3]), touch([0.0, 0.0, 2e-3])];
    assert!((with(both.clone(), false) - 3.0).abs() < 1e-12);
    assert_eq!((with(both, true), with(Vec::new(), true), with(Vec::new(), false)), (1.0, 0.0, 0.0));
}

#[test]
fn a_pose_sensor_reads_its_own_frame() {
    let world = one_body();
    let config = SensorConfig { xyz_m: Some([0.3, 0.0, 0.0]), ..sensor("pose") };
    let prescribed = |_: f64| Prescribed {
        state: BodyState {
            world_from_body: pose(Vec3::new(1.0, 2.0, 3.0), [0.0, 0.0, std::f64::consts::FRAC_PI_2]),
            angular_velocity: Vec3::new(0.0, 0.0, 2.0),
            linear_velocity: Vec3::new(0.5, 0.0, 0.0),
        },
        ..Prescribed::at_rest(Pose::identity())
    };
    let (found, _) = read(&world, config, ABLE, Puppet::new(&world, prescribed)).unwrap();
    let half = std::f64::consts::FRAC_1_SQRT_2;
    // Arm (0, 0.3, 0) in the world, so that turning adds ω × r = (-0.6, 0, 0).
    near(&found, &[1.0, 2.3, 3.0, half, 0.0, 0.0, half, -0.1, 0.0, 0.0, 0.0, 0.0, 2.0], 1e-14);
}

#[test]
fn errors_give_the_path() {
    let world = one_body();
    let refuse = |config: SensorConfig, path: &str, what: &str| {
        let puppet = Puppet::new(&world, |_| Prescribed::at_rest(Pose::identity()));
        let error = read(&world, config, ABLE, puppet).unwrap_err();
        assert!(error.place == path && error.what.contains(what), "{error}");
    };
    refuse(
        sensor("lidar"),
        "sensors/s/kind",
        "encoder, effort, imu, gps, attitude, force_torque, contact, range, pose, sight",
    );
    refuse(SensorConfig { body: None, ..sensor("imu") }, "sensors/s/body", "give the body it is on");
    refuse(SensorConfig { body: Some("c".into()), ..sensor("imu") }, "sensors/s/body", "one/ground, one/b");
    refuse(sensor("range"), "sensors/s/max_m", "give its range");
    refuse(SensorConfig { max_m: Some(1.0), ..sensor("imu") }, "sensors/s/max_m", "has no key");
    refuse(SensorConfig { rate_hz: Some(300.0), ..sensor("imu") }, "sensors/s/period_s", "whole number");
    refuse(
        SensorConfig { model_sensor: Some("x".into()), ..sensor("imu") },
        "sensors/s/model_sensor",
        "no sensor 'x'",
    );
    let short = veracity_control::config::PerGroup::Each(vec![0.1]);
    refuse(SensorConfig { noise_std: short, ..sensor("imu") }, "sensors/s/noise_std", "specific_force, angular_rate");
}
