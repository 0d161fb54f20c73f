//! Contact points of a world: where bodies touch or are about to, with normal, gap and a persistent name.
//!
//! [`ContactScene`] is created once for a world. [`ContactScene::find`] takes the poses of all bodies and lists the
//! [`ContactPoint`]s; [`ContactScene::evaluate`] recomputes one of them at other poses, and [`ContactScene::make_of`] returns
//! its construction.
//!
//! | pair | points | method |
//! |---|---|---|
//! | anything on a plane | a ball's lowest point, a capsule's ends, corners, rims | `against_plane`: closed forms |
//! | balls, capsules | one, or both ends of the common length of two capsules | `round`: closed forms |
//! | ball on box, cylinder, disc, ellipsoid | the nearest | `point_core`: closed forms |
//! | capsule on box, hull | both ends over a face, the nearest of an edge | `segment_polytope`: closed forms |
//! | box, hull, convex mesh on each other | the corners of the overlap of two faces, the crossing of two edges | `polytope_pair`: separating axes and clipping |
//! | cylinder, disc, ellipsoid on box, hull, each other | the outline over a face; else the nearest | `curved`: closed forms; else GJK |
//! | anything on a mesh that is not convex | corners on flat parts, sharp edges that cross, balls on both | `boundary_pair`: each its closed form |
//!
//! A pair has at most 24 points. Two faces that are opposite within a hundredth of a radian count as flat on each other, and
//! gaps are then accurate to half the square of that angle, five parts in a hundred thousand of the gap.
//!
//! Points on edges between shapes with a common surface, tiles of a floor for example, are not listed: `seam`.
//!
//! Deeper than half a thickness in a mesh that is not convex there is one point, by the search for a gap. Not found: crossings
//! of a round rim with the edges of a mesh beyond the one nearest point; two corners of meshes that come near each other
//! before they overlap.

mod against_plane;
mod boundary;
mod boundary_pair;
mod broad;
mod curved;
mod feature;
mod form;
mod guard;
mod make;
mod meet;
mod polytope;
mod polytope_pair;
mod round;
mod scene;
mod seam;
mod segment_polytope;

pub use guard::{GuardedNumber, PairGuard};
pub use make::Make;
pub use scene::{ContactPoint, ContactScene, NotFinite, SceneShape};
