//! All experiments: a file for each family and a row for each number.

mod acting;
mod beyond;
mod bounce;
mod com;
mod combination;
mod drives;
mod filters;
mod friction;
mod gravity;
pub(crate) mod ground;
mod inertia;
mod joint_frame;
mod joint_law;
mod limits;
mod rail;
mod shapes;
mod space;
mod start;
mod time_step;

use crate::experiment::Experiment;

/// In the order of the table.
pub static EXPERIMENTS: &[Experiment] = &[
    gravity::X,
    gravity::Y,
    gravity::Z,
    gravity::SCALE,
    inertia::MASS,
    inertia::XX,
    inertia::YY,
    inertia::ZZ,
    inertia::XY,
    inertia::XZ,
    inertia::YZ,
    com::X,
    com::Y,
    com::Z,
    joint_frame::HINGE_X,
    joint_frame::HINGE_Y,
    joint_frame::HINGE_Z,
    joint_frame::RAIL_X,
    joint_frame::RAIL_Y,
    joint_frame::RAIL_Z,
    joint_frame::ORIGIN_X,
    joint_frame::ORIGIN_Y,
    joint_frame::ORIGIN_Z,
    joint_frame::CHILD_X,
    joint_frame::CHILD_Y,
    joint_frame::CHILD_Z,
    joint_frame::TURN,
    joint_frame::PITCH,
    joint_law::RAIL_DAMPING,
    joint_law::HINGE_DAMPING,
    joint_law::SPRING,
    joint_law::REFERENCE,
    joint_law::DRY_SLIDING,
    joint_law::DRY_HOLDING,
    joint_law::ARMATURE,
    joint_law::HINGE_ARMATURE,
    acting::RAIL_EFFORT,
    acting::HINGE_EFFORT,
    acting::FORCE_X,
    acting::FORCE_Y,
    acting::FORCE_Z,
    acting::TORQUE_X,
    acting::TORQUE_Y,
    acting::TORQUE_Z,
    drives::GAIN,
    drives::AIM,
    drives::DAMPING,
    drives::AIM_SPEED,
    drives::FEED,
    drives::BOUND,
    start::PLACE_X,
    start::PLACE_Y,
    start::PLACE_Z,
    start::TURN_X,
    start::TURN_Y,
    start::VELOCITY_X,
    start::VELOCITY_Y,
    start::VELOCITY_Z,
    start::SPIN_X,
    start::SPIN_Y,
    start::SPIN_Z,
    start::HINGE_ANGLE,
    start::HINGE_SPEED,
    start::RAIL_PLACE,
    start::RAIL_SPEED,
    time_step::STEP,
    time_step::CLOCK,
    limits::RAIL_UPPER,
    limits::RAIL_LOWER,
    limits::HINGE_UPPER,
    limits::HINGE_LOWER,
    limits::SPEED,
    beyond::LINEAR_DRAG,
    beyond::ANGULAR_DRAG,
    beyond::POINT_SPRING,
    beyond::POINT_DAMPER,
    beyond::POINT_REST,
    beyond::RATIO,
    beyond::ROD,
    friction::ALONG,
    friction::DIAGONAL,
    friction::HOLDING,
    friction::FIRST,
    friction::SECOND,
    friction::TORSIONAL,
    friction::ROLLING,
    bounce::RESTITUTION,
    bounce::SOFTNESS,
    combination::FRICTION_MIN,
    combination::FRICTION_AVERAGE,
    combination::FRICTION_MULTIPLY,
    combination::FRICTION_MAX,
    combination::FRICTION_MEAN,
    combination::RESTITUTION_MIN,
    combination::RESTITUTION_AVERAGE,
    combination::RESTITUTION_MULTIPLY,
    combination::RESTITUTION_MAX,
    combination::RESTITUTION_MEAN,
    shapes::SPHERE,
    shapes::BOX_X,
    shapes::BOX_Y,
    shapes::BOX_Z,
    shapes::CAPSULE_RADIUS,
    shapes::CAPSULE_LENGTH,
    shapes::CYLINDER_RADIUS,
    shapes::CYLINDER_LENGTH,
    shapes::ELLIPSOID_X,
    shapes::ELLIPSOID_Y,
    shapes::ELLIPSOID_Z,
    shapes::OFFSET_X,
    shapes::OFFSET_Y,
    shapes::OFFSET_Z,
    shapes::TURNED,
    filters::NONE,
    filters::EXCLUDED,
    filters::GROUPS,
    filters::ONE_WILLING,
    filters::VISUAL,
    filters::SELF,
    filters::SWITCH,
    filters::ADJACENT,
    filters::ADJACENT_TOUCH,
];

#[cfg(test)]
mod tests {
    use super::EXPERIMENTS;

    #[test]
    fn names_are_unique_and_numbers_are_not_zero() {
        for (i, e) in EXPERIMENTS.iter().enumerate() {
            assert!(EXPERIMENTS[..i].iter().all(|o| o.name != e.name), "{} is listed twice", e.name);
            assert!(e.name.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{}", e.name);
            // A number that is zero cannot be distinguished from one that was dropped.
            assert!(e.given.is_finite() && e.given != 0.0 && !e.formula.is_empty(), "{}", e.name);
        }
    }
}
