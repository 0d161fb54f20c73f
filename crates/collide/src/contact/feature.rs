//! The name of a contact point of a pair: the features of the two shapes that touch there.
//!
//! A kind and up to three numbers (faces, edges, corners, ends) in 64 bits. The same features give the same name at
//! every step, whatever the motion in between.

use veracity_model::{Pose, Vec3};

/// Bits of each of the three numbers.
const BITS: u32 = 19;
const MASK: u64 = (1 << BITS) - 1;

/// Largest count of faces, edges, corners or triangles that can be named.
pub(crate) const MOST: usize = 1 << BITS;

/// The kinds of features that touch. "First" and "second" are the shapes of the pair in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The nearest points of two shapes of which one is smooth.
    Nearest = 0,
    /// A corner (0) of a shape over a plane.
    Corner = 1,
    /// The lowest point of a rim (0), or of the point a number (1) of quarter turns further on.
    LowRim = 2,
    /// A point fixed on a rim (0), a number (1) of quarter turns from the shape's x axis.
    FixedRim = 3,
    /// Face (0) of the first, corner (1) of the second.
    FaceCorner = 4,
    /// Face (0) of the second, corner (1) of the first.
    CornerFace = 5,
    /// Face (0) of the first, its corner (1), face (2) of the second that it faces.
    OwnCornerFirst = 6,
    /// Face (0) of the second, its corner (1), face (2) of the first that it faces.
    OwnCornerSecond = 7,
    /// Face (0) of the first, its edge (1), edge (2) of the second that crosses it.
    CrossFirst = 8,
    /// Face (0) of the second, its edge (1), edge (2) of the first that crosses it.
    CrossSecond = 9,
    /// Edge (0) of the first, edge (1) of the second, as lines.
    EdgeEdge = 10,
    /// Edge (0) of the first, edge (1) of the second, their nearest points.
    NearEdges = 11,
    /// Face (0), end (1) of a capsule.
    FaceEnd = 12,
    /// Face (0), its edge (1), where a capsule crosses it.
    FaceSide = 13,
    /// Edge (0) and a capsule, or two capsules: their nearest points.
    Beside = 14,
    /// Edge (0) alongside a capsule, or two capsules: end (1) of their common length; 0 and 1 are the first segment's, 2 and
    /// 3 the second's.
    Alongside = 15,
    /// A flat part (0) of the first's surface, a corner (1) of the second.
    PatchCorner = 16,
    /// A flat part (0) of the second's surface, a corner (1) of the first.
    CornerPatch = 17,
    /// Sharp edge (0) of the first's surface, sharp edge (1) of the second's.
    SharpEdges = 18,
    /// Flat part, or sharp edge or corner counted on from there (0), of a surface near a ball or an end (1) of a capsule.
    SurfaceBall = 19,
    /// Face (0) of a solid, point (1) of a round one that faces it.
    FaceRound = 20,
    /// Face (0) of a solid, its corner (1) under a round one.
    FaceUnder = 21,
    /// Edge (0) of a face, side (1) of the outline of a round solid that crosses it.
    FaceOutline = 22,
}

const KINDS: [Kind; 23] = [
    Kind::Nearest,
    Kind::Corner,
    Kind::LowRim,
    Kind::FixedRim,
    Kind::FaceCorner,
    Kind::CornerFace,
    Kind::OwnCornerFirst,
    Kind::OwnCornerSecond,
    Kind::CrossFirst,
    Kind::CrossSecond,
    Kind::EdgeEdge,
    Kind::NearEdges,
    Kind::FaceEnd,
    Kind::FaceSide,
    Kind::Beside,
    Kind::Alongside,
    Kind::PatchCorner,
    Kind::CornerPatch,
    Kind::SharpEdges,
    Kind::SurfaceBall,
    Kind::FaceRound,
    Kind::FaceUnder,
    Kind::FaceOutline,
];

/// A kind with its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Feature {
    pub kind: Kind,
    pub numbers: [usize; 3],
}

impl Feature {
    pub const NEAREST: u64 = 0;

    pub fn pack(kind: Kind, numbers: [usize; 3]) -> u64 {
        let [x, y, z] = numbers.map(|n| n as u64 & MASK);
        (kind as u64) << (3 * BITS) | x << (2 * BITS) | y << BITS | z
    }

    pub fn unpack(code: u64) -> Option<Self> {
        let kind = *KINDS.get((code >> (3 * BITS)) as usize)?;
        let number = |shift: u32| (code >> shift & MASK) as usize;
        Some(Self { kind, numbers: [number(2 * BITS), number(BITS), number(0)] })
    }
}

/// One point of a pair, in the frame given by the function that returns it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spot {
    pub feature: u64,
    pub point_a: Vec3,
    pub point_b: Vec3,
    /// From the second to the first.
    pub normal: Vec3,
    pub gap: f64,
}

impl Spot {
    pub fn swapped(self) -> Self {
        Self { point_a: self.point_b, point_b: self.point_a, normal: -self.normal, ..self }
    }

    pub fn transformed(self, outer_from_inner: &Pose) -> Self {
        let place = |p: Vec3| outer_from_inner.rotation * p + outer_from_inner.translation.vector;
        Self {
            point_a: place(self.point_a),
            point_b: place(self.point_b),
            normal: outer_from_inner.rotation * self.normal,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_comes_back_with_its_numbers() {
        for (i, kind) in KINDS.into_iter().enumerate() {
            assert_eq!(kind as usize, i);
            let numbers = [MOST - 1, i, 77];
            assert_eq!(Feature::unpack(Feature::pack(kind, numbers)), Some(Feature { kind, numbers }));
        }
        assert_eq!(Feature::unpack(u64::MAX), None);
    }
}
