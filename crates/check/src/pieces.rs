//! Groups of bodies welded by fixed joints, each as one rigid piece.

use veracity_model::{BodyId, Inertia, JointId, JointKind, Model, Pose};

/// Bodies that move as one.
#[derive(Clone, Debug)]
pub struct WeldedGroup {
    /// The first body, carried by a moving joint or by the world.
    pub root: BodyId,
    /// The joint that carries it.
    pub joint: JointId,
    /// The parent piece, if any.
    pub parent: Option<usize>,
    /// Whether it is fixed to the world.
    pub fixed: bool,
    /// Inertia of all its bodies together, in the frame of the root.
    pub inertia: Inertia,
}

/// The pieces of a model, parents before children.
pub fn pieces(model: &Model) -> Vec<WeldedGroup> {
    let mut found: Vec<WeldedGroup> = Vec::new();
    let places = places(model);
    for (i, (body, joint)) in model.bodies().iter().zip(model.joints()).enumerate() {
        let (piece, root_from_body) = &places[i];
        if let Some(piece) = found.get_mut(*piece) {
            piece.inertia = piece.inertia.combined(&body.inertia.transformed(root_from_body));
        } else {
            found.push(WeldedGroup {
                root: BodyId(i),
                joint: JointId(i),
                parent: joint.parent.map(|p| places[p.0].0),
                fixed: joint.kind == JointKind::Fixed,
                inertia: body.inertia,
            });
        }
    }
    found
}

/// For each body, the index of its piece and its pose in the frame of the piece's root.
pub fn places(model: &Model) -> Vec<(usize, Pose)> {
    let mut places: Vec<(usize, Pose)> = Vec::new();
    let mut count = 0;
    for joint in model.joints() {
        let above = joint.parent.map(|p| places[p.0]);
        if let (JointKind::Fixed, Some((piece, root_from_parent))) = (joint.kind, above) {
            places.push((piece, root_from_parent * joint.parent_from_joint * joint.child_from_joint.inverse()));
        } else {
            places.push((count, Pose::identity()));
            count += 1;
        }
    }
    places
}
