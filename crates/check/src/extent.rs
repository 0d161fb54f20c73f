//! Bounding boxes and volumes of shapes.

use veracity_collide::Collider;
use veracity_model::{BodyShape, Inertia, Pose, Shape, Vec3};

/// An axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// Lowest corner [m].
    pub low: Vec3,
    /// Highest corner [m].
    pub high: Vec3,
}

impl Extent {
    /// The box around shapes, with `pose` mapping their body frame to the result's frame; `None` if none of them is
    /// bounded.
    pub fn of_shapes<'a>(shapes: impl IntoIterator<Item = &'a BodyShape>, pose: &Pose) -> Option<Self> {
        shapes.into_iter().filter_map(|s| Self::of_shape(s, pose)).reduce(Self::union)
    }

    /// The box around one shape; `None` if it is unbounded or has no points.
    pub fn of_shape(shape: &BodyShape, pose: &Pose) -> Option<Self> {
        if matches!(shape.shape, Shape::HeightField(_)) {
            return None;
        }
        let [low, high] = Collider::new(&shape.shape).ok()?.bounds(&(pose * shape.body_from_shape))?;
        Some(Self { low, high })
    }

    /// The box around both.
    pub fn union(self, other: Self) -> Self {
        Self { low: self.low.inf(&other.low), high: self.high.sup(&other.high) }
    }

    /// Side lengths [m].
    pub fn size(&self) -> Vec3 {
        self.high - self.low
    }

    /// Length of the diagonal [m].
    pub fn diagonal(&self) -> f64 {
        self.size().norm()
    }

    /// Distance of a point from the box [m]; zero inside.
    pub fn distance(&self, point: &Vec3) -> f64 {
        (self.low - point).sup(&(point - self.high)).sup(&Vec3::zeros()).norm()
    }
}

/// The shapes filled with material of density one, in the body frame. Overlaps count twice; open meshes count as their
/// convex hull. `None` if nothing has volume.
pub fn solid<'a>(shapes: impl IntoIterator<Item = &'a BodyShape>) -> Option<Inertia> {
    let filled = |s: &BodyShape| {
        let inertia = s.shape.solid_inertia(1.0).or_else(|| match &s.shape {
            Shape::Mesh(mesh) => mesh.convex_hull_inertia(1.0),
            _ => None,
        })?;
        (inertia.mass > 0.0 && inertia.is_finite()).then(|| inertia.transformed(&s.body_from_shape))
    };
    shapes.into_iter().filter_map(filled).reduce(|a, b| a.combined(&b))
}
