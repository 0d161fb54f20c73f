//! Convex hull of points by Quickhull (Barber, Dobkin and Huhdanpaa, ACM TOMS 1996) with exact orientation tests.
//!
//! Points are added one at a time: the facets visible from a new point are removed, and each edge of the hole's rim
//! (the horizon) gets a facet to the point. Whether a facet is visible from a point is the sign of a determinant,
//! computed by an adaptive exact predicate (Shewchuk 1997): with consistent signs the visible facets always form one
//! connected patch and its rim one simple cycle, for any points. A facet is not visible from a point in its plane, so
//! duplicates and coplanar points need no special treatment and no tolerance.
//!
//! Cost is n log n in practice. Only overflow or underflow can break the predicate; coordinates are scaled by a power
//! of two first, and a rim that is not a simple cycle returns `None` instead of a panic.

use crate::geometry::Vec3;
use std::collections::BTreeMap;

/// A set of points counts as flat below this thickness relative to its extent: a thousand roundings of a coordinate.
const FLAT: f64 = 1e-13;

struct Facet {
    /// Counter-clockwise seen from outside.
    corners: [u32; 3],
    /// The facet across the edge from corner `i` to corner `i + 1`.
    across: [usize; 3],
    /// Points outside this facet that have not been added.
    outside: Vec<u32>,
    removed: bool,
}

/// Triangles of the hull over the given points, counter-clockwise from outside, in a fixed order.
pub(super) fn convex_hull(points: &[Vec3]) -> Option<Vec<[u32; 3]>> {
    let points = scaled(points)?;
    let sees = |corners: [u32; 3], p: u32| volume_sign(&points, corners, p) > 0.0;
    let mut facets = first_tetrahedron(&points)?;
    let (corners, rest): (Vec<u32>, Vec<u32>) =
        (0..points.len() as u32).partition(|i| facets.iter().any(|f| f.corners.contains(i)));
    debug_assert_eq!(corners.len(), 4);
    for p in rest {
        if let Some(facet) = facets.iter_mut().find(|f| sees(f.corners, p)) {
            facet.outside.push(p);
        }
    }

    let mut waiting: Vec<usize> = (0..4).collect();
    while let Some(start) = waiting.pop() {
        if facets[start].removed || facets[start].outside.is_empty() {
            continue;
        }
        let apex = farthest(&points, &facets[start]);
        let (seen, rim) = patch_and_rim(&mut facets, start, |corners| sees(corners, apex));
        let mut orphans: Vec<u32> = Vec::new();
        for facet in seen {
            orphans.append(&mut facets[facet].outside);
        }
        let first_new = facets.len();
        close_rim(&mut facets, &rim, apex)?;
        // A point outside a removed facet that is still outside the hull is outside one of the new facets: the plane of
        // a new facet lies between the planes of the visible and the hidden facet at its rim edge.
        for p in orphans.into_iter().filter(|p| *p != apex) {
            if let Some(facet) = facets[first_new..].iter_mut().find(|f| sees(f.corners, p)) {
                facet.outside.push(p);
            }
        }
        waiting.extend(first_new..facets.len());
    }
    Some(facets.iter().filter(|f| !f.removed).map(|f| f.corners).collect())
}

/// Scales by a power of two, which is exact, so that products of three differences stay in range.
fn scaled(points: &[Vec3]) -> Option<Vec<Vec3>> {
    let largest = points.iter().map(|p| p.amax()).fold(0.0, f64::max);
    if points.len() < 4 || !points.iter().all(|p| p.iter().all(|x| x.is_finite())) || largest == 0.0 {
        return None;
    }
    let (_, exponent) = libm::frexp(largest);
    Some(points.iter().map(|p| p.map(|x| libm::scalbn(x, -exponent))).collect())
}

/// Six times the volume of the tetrahedron from the facet up to the point; the sign is exact.
fn volume_sign(points: &[Vec3], corners: [u32; 3], p: u32) -> f64 {
    let at = |i: u32| {
        let v = points[i as usize];
        robust::Coord3D { x: v.x, y: v.y, z: v.z }
    };
    // Shewchuk's predicate is positive for a point below a counter-clockwise triangle.
    -robust::orient3d(at(corners[0]), at(corners[1]), at(corners[2]), at(p))
}

/// A tetrahedron of well-separated points; `None` if all points lie in a plane.
fn first_tetrahedron(points: &[Vec3]) -> Option<Vec<Facet>> {
    let best = |measure: &dyn Fn(&Vec3) -> f64| {
        let mut best = (0usize, f64::NEG_INFINITY);
        for (i, p) in points.iter().enumerate() {
            let m = measure(p);
            if m > best.1 {
                best = (i, m);
            }
        }
        best
    };
    let (a, _) = best(&|p| -p.x);
    let (b, extent) = best(&|p| (p - points[a]).norm());
    let along = points[b] - points[a];
    let (c, area) = best(&|p| along.cross(&(p - points[a])).norm());
    let normal = along.cross(&(points[c] - points[a]));
    let (d, volume) = best(&|p| normal.dot(&(p - points[a])).abs());
    let solid = area > FLAT * extent * extent && volume > FLAT * extent * area;
    let [a, b, c, d] = [a, b, c, d].map(|i| i as u32);
    let side = volume_sign(points, [a, b, c], d);
    if !solid || side == 0.0 {
        return None;
    }
    let [a, b] = if side > 0.0 { [b, a] } else { [a, b] };
    let facet = |corners, across| Facet { corners, across, outside: Vec::new(), removed: false };
    Some(vec![
        facet([a, b, c], [1, 2, 3]),
        facet([b, a, d], [0, 3, 2]),
        facet([c, b, d], [0, 1, 3]),
        facet([a, c, d], [0, 2, 1]),
    ])
}

/// The waiting point highest above the facet's plane; the choice affects speed, not the result.
fn farthest(points: &[Vec3], facet: &Facet) -> u32 {
    let [a, b, c] = facet.corners.map(|i| points[i as usize]);
    let normal = (b - a).cross(&(c - a));
    let height = |i: u32| normal.dot(&(points[i as usize] - a));
    facet.outside.iter().copied().fold(facet.outside[0], |best, i| if height(i) > height(best) { i } else { best })
}

/// An edge of the rim in the direction of the removed facet, and the remaining facet on its other side.
struct RimEdge {
    from: u32,
    to: u32,
    stays: usize,
}

/// Removes the connected visible facets, starting from one of them; returns them and the edges around them.
fn patch_and_rim(facets: &mut [Facet], start: usize, seen: impl Fn([u32; 3]) -> bool) -> (Vec<usize>, Vec<RimEdge>) {
    facets[start].removed = true;
    let mut patch = vec![start];
    let mut next = 0;
    let mut rim = Vec::new();
    while let Some(&facet) = patch.get(next) {
        next += 1;
        for side in 0..3 {
            let other = facets[facet].across[side];
            if facets[other].removed {
                continue;
            }
            if seen(facets[other].corners) {
                facets[other].removed = true;
                patch.push(other);
            } else {
                let corners = facets[facet].corners;
                rim.push(RimEdge { from: corners[side], to: corners[(side + 1) % 3], stays: other });
            }
        }
    }
    (patch, rim)
}

/// Adds a facet from each rim edge to the apex, linked to its neighbours; `None` if the rim is not a simple cycle.
fn close_rim(facets: &mut Vec<Facet>, rim: &[RimEdge], apex: u32) -> Option<()> {
    let first_new = facets.len();
    let starting_at: BTreeMap<u32, usize> = rim.iter().enumerate().map(|(i, e)| (e.from, first_new + i)).collect();
    let ending_at: BTreeMap<u32, usize> = rim.iter().enumerate().map(|(i, e)| (e.to, first_new + i)).collect();
    if rim.len() < 3 || starting_at.len() != rim.len() || ending_at.len() != rim.len() {
        return None;
    }
    for (i, edge) in rim.iter().enumerate() {
        let after = *starting_at.get(&edge.to)?;
        let before = *ending_at.get(&edge.from)?;
        let corners = [edge.from, edge.to, apex];
        facets.push(Facet { corners, across: [edge.stays, after, before], outside: Vec::new(), removed: false });
        let stays = &mut facets[edge.stays];
        let side = (0..3).find(|s| stays.corners[*s] == edge.to && stays.corners[(s + 1) % 3] == edge.from)?;
        stays.across[side] = first_new + i;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::TriangleMesh;
    use super::*;
    use proptest::prelude::*;

    fn cloud(points: Vec<Vec3>) -> TriangleMesh {
        TriangleMesh::new(points, Vec::new())
    }

    /// Asserts that the mesh is closed, oriented outward, and has no point outside any facet: together these define a
    /// hull.
    fn assert_is_hull(points: &[Vec3]) {
        let triangles = convex_hull(points).expect("spans a volume");
        let closure = TriangleMesh::new(points.to_vec(), triangles.clone()).closure();
        assert!(closure.is_closed() && closure.crowded_edges == 0 && closure.signed_volume > 0.0, "{closure:?}");
        let scaled = scaled(points).unwrap();
        for t in triangles {
            assert!((0..points.len() as u32).all(|p| volume_sign(&scaled, t, p) <= 0.0));
        }
    }

    #[test]
    fn hull_of_a_filled_grid_is_the_box() {
        // All degeneracies at once: points inside faces, on edges, inside the volume, and each one twice.
        let mut points = Vec::new();
        for i in 0..5 * 5 * 5 {
            let p = Vec3::new((i % 5) as f64, (i / 5 % 5) as f64, (i / 25) as f64) * 0.1;
            points.extend([p, p]);
        }
        assert_is_hull(&points);
        let hull = cloud(points).convex_hull().unwrap();
        let volume = hull.closure().signed_volume;
        assert!((volume - 0.4f64.powi(3)).abs() < 1e-16, "{volume}");
    }

    #[test]
    fn flat_straight_and_single_points_have_no_hull() {
        let plane = |i: i32| Vec3::new(f64::from(i % 7), f64::from(i % 5), 0.3 * f64::from(i % 7) - f64::from(i % 5));
        assert_eq!(cloud((0..35).map(plane).collect()).convex_hull(), None);
        assert_eq!(cloud((0..9).map(|i| Vec3::new(1.0, 2.0, 3.0) * f64::from(i)).collect()).convex_hull(), None);
        assert_eq!(cloud(vec![Vec3::new(1.0, 1.0, 1.0); 10]).convex_hull(), None);
        assert_eq!(cloud(vec![Vec3::new(f64::NAN, 0.0, 1.0); 10]).convex_hull(), None);
        assert_eq!(cloud(Vec::new()).convex_hull(), None);
    }

    #[test]
    fn huge_and_tiny_solids_have_a_hull() {
        for size in [1e-150, 1e300] {
            let mesh = TriangleMesh::cuboid(Vec3::new(size, size, size));
            assert_eq!(mesh.convex_hull().unwrap().triangles.len(), 12);
        }
    }

    proptest! {
        #[test]
        fn random_clouds_have_a_hull(seed in prop::collection::vec(prop::array::uniform3(-1.0f64..1.0), 8..60)) {
            let points: Vec<Vec3> = seed.iter().map(|p| Vec3::from(*p)).collect();
            assert_is_hull(&points);
        }

        #[test]
        fn clouds_on_a_coarse_grid_have_a_hull_or_are_flat(
            seed in prop::collection::vec(prop::array::uniform3(0u8..3), 4..40),
            tilt in -1.0f64..1.0,
        ) {
            // Rotating a grid turns exact coplanarity into coplanarity up to rounding: the hard case.
            let turn = crate::geometry::quat_from_rpy(tilt, 0.3, -tilt);
            let points: Vec<Vec3> =
                seed.iter().map(|p| turn * Vec3::new(f64::from(p[0]), f64::from(p[1]), f64::from(p[2]))).collect();
            if convex_hull(&points).is_some() {
                assert_is_hull(&points);
            }
        }
    }
}
