//! Where the bodies of a world touch or are about to: every point, its normal and its gap, with a name that stays.
//!
//! [`ContactScene`] is made once for a world. [`ContactScene::find`] takes the places of all bodies and lists the
//! [`ContactPoint`]s; [`ContactScene::evaluate`] gives one of them again at other places, and [`ContactScene::make_of`] says
//! what it is made of.
//!
//! | pair | points | how |
//! |---|---|---|
//! | anything on a plane | a ball's lowest point, a capsule's ends, corners, rims | `against_plane`: closed forms |
//! | balls, capsules | one, or both ends of the length two capsules have in common | `round`: closed forms |
//! | ball on box, cylinder, disc, ellipsoid | the nearest | `point_core`: closed forms |
//! | capsule on box, hull | both ends over a face, the nearest of an edge | `segment_polytope`: closed forms |
//! | box, hull, convex mesh on each other | the corners of the overlap of two faces, the crossing of two edges | `polytope_pair`: separating axes and clipping |
//! | cylinder, disc, ellipsoid on box, hull, each other | the outline over a face; else the nearest | `curved`: closed forms; else GJK |
//! | anything on a mesh that is not convex | corners on flat parts, sharp edges that cross, balls on both | `boundary_pair`: each its closed form |
//!
//! A pair has at most 24 points. Where two faces look at each other within a hundredth of a radian they count as flat on
//! each other, and gaps are then right to half the square of that angle, five parts in a hundred thousand of the gap.
//!
//! Points on edges between shapes whose surface goes on as one, tiles of a floor for example, are not listed: `seam`.
//!
//! Deeper than half a thickness in a mesh that is not convex there is one point, by the search for a gap. Not seen: crossings
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

pub use guard::{Guard, GuardedNumber};
pub use make::Make;
pub use scene::{ContactPoint, ContactScene, NotFinite, SceneShape};
