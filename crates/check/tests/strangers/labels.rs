//! What is known of the wheels' models: labelled by hand from the files themselves and from what MuJoCo and numpy compute.
//!
//! Limit: 11 files whose label rests on the radius of gyration were labelled sound at first, because MuJoCo compiles them, and
//! relabelled impossible after `check` had rejected them and its numbers were read. For these the bed is not independent of
//! `check`; with the first labels they were 11 false rejects of 36.

/// What a verdict must not contradict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// A robot that can exist, standing clear of itself: MuJoCo compiles it (which includes its own test of every tensor)
    /// and finds no overlap at its start. Rejecting it is wrong.
    Sound,
    /// A link has a tensor that no solid has, or moments that its mass cannot have inside what is drawn: a radius of
    /// gyration beyond its shapes. Accepting it is wrong.
    Impossible,
}

/// A file and what it is.
pub struct Label {
    /// The end of its path, below `site-packages`.
    pub file: &'static str,
    /// What it is.
    pub truth: Truth,
    /// How that is known.
    pub why: &'static str,
}

const fn sound(file: &'static str) -> Label {
    Label { file, truth: Truth::Sound, why: "MuJoCo compiles it and finds no overlap at its start" }
}

const fn impossible(file: &'static str, why: &'static str) -> Label {
    Label { file, truth: Truth::Impossible, why }
}

/// Files whose numbers differ from the peer's for a reason that is known.
pub const DIFFERENT: &[(&str, &str)] = &[];

/// Labelled files that are rejected although they are sound, each with the reason it still is.
pub const FALSE_REJECTS: &[(&str, &str)] = &[];

/// The labelled files.
pub const LABELS: &[Label] = &[
    sound("brax/envs/assets/ant.xml"),
    sound("brax/envs/assets/half_cheetah.xml"),
    sound("brax/envs/assets/hopper.xml"),
    sound("brax/envs/assets/humanoid.xml"),
    sound("brax/envs/assets/humanoidstandup.xml"),
    sound("brax/envs/assets/inverted_double_pendulum.xml"),
    sound("brax/envs/assets/inverted_pendulum.xml"),
    sound("brax/envs/assets/pusher.xml"),
    sound("brax/envs/assets/reacher.xml"),
    sound("brax/envs/assets/swimmer.xml"),
    sound("brax/envs/assets/walker2d.xml"),
    sound("brax/test_data/capsule.xml"),
    sound("brax/test_data/colour_objects.xml"),
    sound("brax/test_data/convex_convex.xml"),
    sound("brax/test_data/double_pendulum.xml"),
    sound("brax/test_data/fluid_box.xml"),
    sound("brax/test_data/fluid_ellipsoid.xml"),
    sound("brax/test_data/nonzero_joint_ref.xml"),
    sound("brax/test_data/single_pendulum_position.xml"),
    sound("brax/test_data/solver_params_v2.xml"),
    sound("brax/test_data/triple_pendulum_motor.xml"),
    sound("brax/test_data/world_fromto.xml"),
    sound("brax/test_data/world_self_collision.xml"),
    sound("gymnasium_robotics/envs/assets/point/point.xml"),
    sound("gymnasium_robotics/envs/multiagent_mujoco/assets/coupled_half_cheetah.xml"),
    impossible("anymal_b_simple_description/robots/anymal.urdf", "base: six equal entries"),
    impossible("anymal_b_simple_description/robots/anymal-kinova.urdf", "base: six equal entries"),
    impossible("anymal_c_simple_description/urdf/anymal.urdf", "hatch: six equal entries"),
    impossible("b1_description/urdf/b1.urdf", "base: six equal entries"),
    impossible("b1_description/urdf/b1-z1.urdf", "base: six equal entries"),
    impossible("go1_description/urdf/go1.urdf", "base: six equal entries"),
    impossible("hyq_description/robots/hyq_no_sensors.urdf", "base_link and four feet: six equal entries"),
    impossible("pr2_description/urdf/pr2.urdf", "sensor_mount_link: moments 0.001, 0.001, 0.01"),
    impossible("romeo_description/urdf/romeo_laas_small.urdf", "body: a moment of -0.021 kg m²"),
    impossible("romeo_description/urdf/romeo_small.urdf", "RShoulderYawLink: moments 0.00066, 0.00068, 0.0066"),
    impossible("tiago_description/robots/tiago.urdf", "base_antenna_left_link: a moment of -3.5e-8 kg m² of 1e-6 kg"),
    impossible(
        "tiago_description/robots/tiago_no_hand.urdf",
        "base_antenna_left_link: a moment of -3.5e-8 kg m² of 1e-6 kg",
    ),
    impossible("brax/test_data/double_prismatic.xml", "1 kg m² of 1 kg inside a ball of 0.15 m, which allows 0.045"),
    impossible(
        "brax/test_data/prismaversal_3dof_joint.xml",
        "Ixx of 1 kg m² of 1 kg, 0.3 m across the x axis, which allows 0.045",
    ),
    impossible(
        "brax/test_data/single_spherical_pendulum.xml",
        "1 kg m² of 1 kg inside a ball of 0.15 m, which allows 0.045",
    ),
    impossible(
        "brax/test_data/single_universal_pendulum.xml",
        "1 kg m² of 1 kg inside a ball of 0.15 m, which allows 0.045",
    ),
    impossible("brax/test_data/triple_prismatic.xml", "1 kg m² of 1 kg inside a ball of 0.15 m, which allows 0.045"),
    impossible(
        "gymnasium_robotics/envs/assets/adroit_hand/adroit_door.xml",
        "thhub: 1e-5 kg m² of 2 g, 70 mm of gyration in a part drawn 2 mm wide",
    ),
    impossible(
        "gymnasium_robotics/envs/assets/adroit_hand/adroit_pen.xml",
        "thhub: 1e-5 kg m² of 2 g, 70 mm of gyration in a part drawn 2 mm wide",
    ),
    impossible(
        "gymnasium_robotics/envs/assets/hand/manipulate_block.xml",
        "thhub: 1e-5 kg m² of 2 g, 70 mm of gyration in a part drawn 2 mm wide",
    ),
    impossible(
        "gymnasium_robotics/envs/assets/hand/reach.xml",
        "thhub: 1e-5 kg m² of 2 g, 70 mm of gyration in a part drawn 2 mm wide",
    ),
    impossible(
        "gymnasium_robotics/envs/assets/fetch/reach.xml",
        "gripper fingers: 0.1 kg m² of 4 kg, 160 mm of gyration in a finger of 77 mm",
    ),
    impossible(
        "gymnasium_robotics/envs/assets/fetch/pick_and_place.xml",
        "gripper fingers: 0.1 kg m² of 4 kg, 160 mm of gyration in a finger of 77 mm",
    ),
];
