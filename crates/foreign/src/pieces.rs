//! Bodies welded together by fixed joints are one rigid piece: one body of the foreign engine.
//!
//! A moving piece has its frame at its centre of mass, with the axes of its first body. (Rapier integrates the free
//! root of a multibody as if its origin were its centre of mass; here the two coincide.) Everything that hangs on the
//! world by fixed joints is the ground, piece 0, whose frame is the world's.

use crate::refusals::Refusals;
use veracity_model::{Body, Inertia, JointKind, Layout, Pose, World};

/// Index of the ground.
pub const GROUND: usize = 0;

/// Fraction of the largest principal moment below which a moment counts as zero, as for a rod, up to rounding.
const NO_MOMENT: f64 = 1e-12;

/// One rigid piece.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Name of its first body: the one on a moving joint.
    pub name: String,
    /// Mass and tensor in the piece's frame; the centre of mass is its origin.
    pub inertia: Inertia,
    /// Principal moments [kg m²]; those below rounding are zero.
    pub moments: [f64; 3],
    /// Axes of the principal moments in the piece's frame.
    pub piece_from_principal: veracity_model::Quat,
    /// Rate of decay of the velocity of the centre of mass [1/s].
    pub linear_damping: f64,
    /// Rate of decay of the angular velocity [1/s].
    pub angular_damping: f64,
    /// Factor on gravity.
    pub gravity_scale: f64,
}

/// All pieces, and the pose of each body of the layout in its piece.
#[derive(Clone, Debug)]
pub struct Pieces {
    /// The ground first.
    pub pieces: Vec<Piece>,
    /// For each body its piece.
    pub of_body: Vec<usize>,
    /// For each body its place in the piece.
    pub piece_from_body: Vec<Pose>,
}

impl Pieces {
    /// Builds the pieces of a world.
    pub fn new(world: &World, layout: &Layout, refusals: &mut Refusals) -> Self {
        let count = layout.bodies.len();
        let mut of_body = vec![GROUND; count];
        // First in the frame of the piece's first body; moved to its centre of mass when that is known.
        let mut root_from_body = vec![Pose::identity(); count];
        let mut members: Vec<Vec<usize>> = vec![Vec::new()];
        for (slot, place) in layout.bodies.iter().enumerate() {
            let placement = &world.placements[place.placement];
            let joint = &placement.model.joints()[place.body.0];
            if joint.kind == JointKind::Fixed {
                let parent_from_body = joint.parent_from_joint * joint.child_from_joint.inverse();
                let (piece, root_from_parent) = match place.parent {
                    Some(parent) => (of_body[parent], root_from_body[parent]),
                    None => (GROUND, placement.world_from_model),
                };
                of_body[slot] = piece;
                root_from_body[slot] = root_from_parent * parent_from_body;
            } else {
                of_body[slot] = members.len();
                members.push(Vec::new());
            }
            members[of_body[slot]].push(slot);
        }
        let body = |slot: usize| {
            let place = &layout.bodies[slot];
            &world.placements[place.placement].model.bodies()[place.body.0]
        };
        let mut pieces = Vec::with_capacity(members.len());
        for (index, members) in members.iter().enumerate() {
            let name = members.first().map_or("the ground", |slot| &layout.bodies[*slot].name);
            let mut inertia = members.iter().fold(Inertia::zero(), |sum, slot| {
                sum.combined(&body(*slot).inertia.transformed(&root_from_body[*slot]))
            });
            if let [only] = members[..]
                && index != GROUND
            {
                // Bit-identical to the model.
                inertia = body(only).inertia;
            }
            if index != GROUND {
                let piece_from_root = Pose::from_parts((-inertia.com).into(), nalgebra::UnitQuaternion::identity());
                for slot in members {
                    root_from_body[*slot] = piece_from_root * root_from_body[*slot];
                }
                inertia.com = veracity_model::Vec3::zeros();
            }
            let massive: Vec<&Body> = members.iter().map(|s| body(*s)).filter(|b| b.inertia.mass != 0.0).collect();
            pieces.push(piece(name, inertia, &massive, index == GROUND, refusals));
        }
        Self { pieces, of_body, piece_from_body: root_from_body }
    }
}

fn piece(name: &str, inertia: Inertia, massive: &[&Body], ground: bool, refusals: &mut Refusals) -> Piece {
    let first = |value: fn(&Body) -> f64, default| massive.first().map_or(default, |b| value(b));
    let linear_damping = first(|b| b.linear_damping, 0.0);
    let angular_damping = first(|b| b.angular_damping, 0.0);
    let gravity_scale = first(|b| b.gravity_scale, 1.0);
    if !ground && massive.len() > 1 {
        // Drag on each part's own centre of mass is drag on the whole only if turning decays at the same rate.
        let drag = |b: &&Body| (b.linear_damping, b.angular_damping) == (linear_damping, linear_damping);
        let none = linear_damping == 0.0 && angular_damping == 0.0;
        if !(massive.iter().all(drag)
            || none && massive.iter().all(|b| b.linear_damping == 0.0 && b.angular_damping == 0.0))
        {
            refusals.add(
                format!("drag that differs between or within the bodies welded to '{name}'"),
                "give all of them one rate for both linear_damping and angular_damping, or none",
            );
        }
        if massive.iter().any(|b| b.gravity_scale != gravity_scale) {
            refusals.add(
                format!("gravity that differs between the bodies welded to '{name}'"),
                "give all of them the same gravity_scale",
            );
        }
    }
    let (moments, axes) = principal(&inertia);
    if !ground && (inertia.mass < 0.0 || moments.iter().any(|m| *m < 0.0)) {
        refusals.add(
            format!("the negative mass or moment of '{name}'"),
            "correct its inertia: `veracity check` names it",
        );
    }
    Piece {
        name: name.to_string(),
        inertia,
        moments,
        piece_from_principal: axes,
        linear_damping,
        angular_damping,
        gravity_scale,
    }
}

/// Principal moments and axes. A diagonal tensor keeps its own axes, so that no rounding is added.
fn principal(inertia: &Inertia) -> ([f64; 3], veracity_model::Quat) {
    let t = &inertia.tensor;
    let diagonal = t[(0, 1)] == 0.0 && t[(0, 2)] == 0.0 && t[(1, 2)] == 0.0;
    let (values, axes) = if diagonal {
        (t.diagonal(), nalgebra::Matrix3::identity())
    } else {
        let eigen = nalgebra::SymmetricEigen::new(*t);
        (eigen.eigenvalues, eigen.eigenvectors)
    };
    // A rotation, not a reflection.
    let axes = if axes.determinant() < 0.0 { -axes } else { axes };
    let largest = values.amax();
    let clean = |m: f64| if m.abs() <= NO_MOMENT * largest { 0.0 } else { m };
    let rotation = nalgebra::Rotation3::from_matrix_unchecked(axes);
    ([clean(values.x), clean(values.y), clean(values.z)], veracity_model::Quat::from_rotation_matrix(&rotation))
}

#[cfg(test)]
mod tests {
    use super::*;
    use veracity_model::geometry::{at, pose};
    use veracity_model::{Joint, ModelBuilder, Vec3};

    #[test]
    fn two_half_boxes_welded_are_one_box_at_its_centre() {
        let mut builder = ModelBuilder::new("m");
        let half = || Body::new("left", Inertia::solid_box(1.0, Vec3::new(1.0, 2.0, 3.0)));
        let left = builder.add_body(half(), Joint::new("free", JointKind::Free), None);
        let right = Body { name: "right".into(), ..half() };
        builder.add_body(right, Joint::new("weld", JointKind::Fixed).at(at(1.0, 0.0, 0.0)), Some(left));
        let world = World::with_model(builder.build().unwrap());
        let mut refusals = Refusals::default();
        let pieces = Pieces::new(&world, &Layout::new(&world), &mut refusals);
        refusals.result().unwrap();
        assert_eq!(pieces.of_body, [1, 1]);
        let whole = Inertia::solid_box(2.0, Vec3::new(2.0, 2.0, 3.0));
        // Exact arithmetic on these numbers up to a few roundings.
        assert!((pieces.pieces[1].inertia.tensor - whole.tensor).norm() < 1e-14);
        assert_eq!(pieces.piece_from_body[0].translation.vector, Vec3::new(-0.5, 0.0, 0.0));
        assert_eq!(pieces.piece_from_body[1].translation.vector, Vec3::new(0.5, 0.0, 0.0));
    }

    #[test]
    fn principal_axes_give_the_tensor_back_and_a_rod_has_a_moment_of_zero() {
        let turned = Inertia::new(2.0, Vec3::zeros(), [0.5, 0.6, 0.7, 0.0, 0.0, 0.0])
            .transformed(&pose(Vec3::zeros(), [0.3, -1.0, 2.0]));
        let (moments, axes) = principal(&turned);
        let r = axes.to_rotation_matrix();
        let back = r * nalgebra::Matrix3::from_diagonal(&moments.into()) * r.transpose();
        // Eigenvalues of a symmetric matrix of order one come with a few roundings.
        assert!((back - turned.tensor).norm() < 1e-14);
        let rod = Inertia::thin_rod(1.0, Vec3::new(0.3, 0.4, 1.2));
        assert_eq!(principal(&rod).0.iter().filter(|m| **m == 0.0).count(), 1);
    }
}
