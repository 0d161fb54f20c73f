//! The files of the short form. Whether they are possible is not listed here: `peers/judge.py` decides it, from first
//! principles and MuJoCo's results, independently of `check`.

/// Files whose numbers differ from the peer's for a known reason.
pub const DIFFERENT: &[(&str, &str)] = &[];

/// Files that are rejected although the judge finds them possible, each with the reason.
pub const FALSE_REJECTS: &[(&str, &str)] = &[];

/// Files of the short form, by the end of their path below `site-packages`.
pub const SHORT: &[&str] = &[
    "brax/envs/assets/ant.xml",
    "brax/envs/assets/half_cheetah.xml",
    "brax/envs/assets/hopper.xml",
    "brax/envs/assets/humanoid.xml",
    "brax/envs/assets/humanoidstandup.xml",
    "brax/envs/assets/inverted_double_pendulum.xml",
    "brax/envs/assets/inverted_pendulum.xml",
    "brax/envs/assets/pusher.xml",
    "brax/envs/assets/reacher.xml",
    "brax/envs/assets/swimmer.xml",
    "brax/envs/assets/walker2d.xml",
    "brax/test_data/capsule.xml",
    "brax/test_data/colour_objects.xml",
    "brax/test_data/convex_convex.xml",
    "brax/test_data/double_pendulum.xml",
    "brax/test_data/fluid_box.xml",
    "brax/test_data/fluid_ellipsoid.xml",
    "brax/test_data/nonzero_joint_ref.xml",
    "brax/test_data/single_pendulum_position.xml",
    "brax/test_data/solver_params_v2.xml",
    "brax/test_data/triple_pendulum_motor.xml",
    "brax/test_data/world_fromto.xml",
    "brax/test_data/world_self_collision.xml",
    "gymnasium_robotics/envs/assets/point/point.xml",
    "gymnasium_robotics/envs/multiagent_mujoco/assets/coupled_half_cheetah.xml",
    "anymal_b_simple_description/robots/anymal.urdf",
    "anymal_b_simple_description/robots/anymal-kinova.urdf",
    "anymal_c_simple_description/urdf/anymal.urdf",
    "b1_description/urdf/b1.urdf",
    "b1_description/urdf/b1-z1.urdf",
    "go1_description/urdf/go1.urdf",
    "hyq_description/robots/hyq_no_sensors.urdf",
    "pr2_description/urdf/pr2.urdf",
    "romeo_description/urdf/romeo_laas_small.urdf",
    "romeo_description/urdf/romeo_small.urdf",
    "tiago_description/robots/tiago.urdf",
    "tiago_description/robots/tiago_no_hand.urdf",
    "brax/test_data/double_prismatic.xml",
    "brax/test_data/prismaversal_3dof_joint.xml",
    "brax/test_data/single_spherical_pendulum.xml",
    "brax/test_data/single_universal_pendulum.xml",
    "brax/test_data/triple_prismatic.xml",
    "gymnasium_robotics/envs/assets/adroit_hand/adroit_door.xml",
    "gymnasium_robotics/envs/assets/adroit_hand/adroit_pen.xml",
    "gymnasium_robotics/envs/assets/hand/manipulate_block.xml",
    "gymnasium_robotics/envs/assets/hand/reach.xml",
    "gymnasium_robotics/envs/assets/fetch/reach.xml",
    "gymnasium_robotics/envs/assets/fetch/pick_and_place.xml",
];
