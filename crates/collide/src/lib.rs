//! Gaps between shapes: the distance between two solids, or the depth of their overlap.
//!
//! [`gap()`] takes two shapes of the model with their poses and returns a [`Gap`]: the signed distance with bounds
//! that contain the truth, the points where it is measured, and the normal from the second shape to the first.
//! A [`Ray`] measures the distance to a shape along a line.
//! [`overlaps`] finds every overlapping pair of shapes of a world that the model's rules allow to touch.
//! Unsupported cases are returned as a value, [`GapError`].
//!
//! Convex shapes are exact support functions (see `convex`): nothing is tessellated, and closed forms come out of the
//! same formula. Distances between them are parry's GJK and EPA, or finite lists of normals where those are exact.
//!
//! A [`ContactScene`] lists every contact point at which the bodies of a world touch or are about to, with a name that is
//! the same from step to step.
//!
//! Deliberately absent: impulses and motion. Poses are an input.
//!
//! ```
//! use veracity_collide::gap;
//! use veracity_model::{Shape, Vec3, geometry::at};
//!
//! let ball = Shape::Sphere { radius: 0.5 };
//! let table = Shape::Box { size: Vec3::new(2.0, 2.0, 0.1) };
//! let found = gap(&ball, &at(0.3, 0.2, 1.0), &table, &at(0.0, 0.0, 0.0)).unwrap();
//! assert!((found.distance - 0.45).abs() < 1e-15 && (found.normal - Vec3::z()).norm() < 1e-15);
//! ```

mod collider;
pub mod contact;
mod convex;
mod convex_pair;
mod gap;
mod named;
mod overlap;
mod pairs;
mod plane;
mod point_core;
mod ray;
mod surface;

pub use collider::Collider;
pub use contact::{ContactPoint, ContactScene, GuardedNumber, Make};
pub use gap::{Gap, GapError, collider_gap, collider_gap_within, gap};
pub use named::NamedPairs;
pub use overlap::{Configuration, Overlap, Overlaps, ShapeId, Unmeasured, overlaps};
pub use pairs::{TouchRules, some_may_touch};
pub use ray::Ray;
