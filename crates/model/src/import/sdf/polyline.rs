//! `<polyline>`: a polygon in x and y, extruded along z from 0 to its height.
//!
//! The caps are triangulated by ear clipping: a corner is an ear if it turns left and no other corner lies in the
//! triangle it forms with its neighbours; every simple polygon has two. O(n³) at worst, so the number of corners is
//! bounded.

use super::super::xml::Element;
use crate::finding::Findings;
use crate::geometry::Vec3;
use crate::mesh::TriangleMesh;

/// Maximum number of corners.
const MAX_CORNERS: usize = 1000;

type Corner = [f64; 2];

/// The solid, or `None` with the reason recorded.
pub(super) fn extrude(element: Element<'_>, findings: &mut Findings) -> Option<TriangleMesh> {
    let mut corners: Vec<Corner> = Vec::new();
    let mut height = 1.0;
    for child in element.children() {
        match child.name() {
            "point" => corners.push(child.text_numbers::<2>(findings)?),
            "height" => height = child.text_number(findings)?,
            other => element.unsupported(findings, "polyline", &format!("<{other}> in <polyline>"), "remove it"),
        }
    }
    if corners.len() > 1 && corners.first() == corners.last() {
        corners.pop();
    }
    let refuse = |findings: &mut Findings, text: String| {
        element.error(findings, "geometry", "polyline", text);
        None
    };
    if corners.len() < 3 || corners.len() > MAX_CORNERS {
        return refuse(findings, format!("a polyline needs 3 to {MAX_CORNERS} points; this has {}", corners.len()));
    }
    if !(height > 0.0 && height.is_finite()) {
        return refuse(findings, format!("the height of a polyline is positive; this is {height}"));
    }
    if signed_area(&corners) < 0.0 {
        corners.reverse();
    }
    match clip_ears(&corners) {
        Some(cap) => Some(solid(&corners, &cap, height)),
        None => refuse(findings, "the polyline crosses itself or encloses no area; draw a simple polygon".into()),
    }
}

fn solid(corners: &[Corner], cap: &[[usize; 3]], height: f64) -> TriangleMesh {
    let n = corners.len();
    let at = |z: f64| corners.iter().map(move |c| Vec3::new(c[0], c[1], z));
    let vertices = at(0.0).chain(at(height)).collect();
    let mut triangles = Vec::with_capacity(2 * cap.len() + 2 * n);
    for &[a, b, c] in cap {
        triangles.push([a as u32, c as u32, b as u32]);
        triangles.push([(a + n) as u32, (b + n) as u32, (c + n) as u32]);
    }
    for i in 0..n {
        let (a, b) = (i as u32, ((i + 1) % n) as u32);
        let (a_up, b_up) = (a + n as u32, b + n as u32);
        triangles.push([a, b, b_up]);
        triangles.push([a, b_up, a_up]);
    }
    TriangleMesh { vertices, triangles, file: None }
}

/// Triangles over the corners of a counter-clockwise polygon; `None` if it is not simple.
fn clip_ears(corners: &[Corner]) -> Option<Vec<[usize; 3]>> {
    let mut left: Vec<usize> = (0..corners.len()).collect();
    let mut triangles = Vec::new();
    while left.len() > 3 {
        let n = left.len();
        let ear = (0..n).find(|&i| {
            let [a, b, c] = [left[(i + n - 1) % n], left[i], left[(i + 1) % n]];
            turn(corners[a], corners[b], corners[c]) > 0.0
                && !left
                    .iter()
                    .any(|&p| ![a, b, c].contains(&p) && inside(corners[p], corners[a], corners[b], corners[c]))
        })?;
        triangles.push([left[(ear + n - 1) % n], left[ear], left[(ear + 1) % n]]);
        left.remove(ear);
    }
    let [a, b, c] = [left[0], left[1], left[2]];
    (turn(corners[a], corners[b], corners[c]) > 0.0).then_some(())?;
    triangles.push([a, b, c]);
    // A self-intersecting polygon may yield ears, but their areas do not add up to its own.
    let area: f64 = triangles.iter().map(|t| 0.5 * turn(corners[t[0]], corners[t[1]], corners[t[2]])).sum();
    let whole = signed_area(corners);
    (whole.is_finite() && (area - whole).abs() <= 1e-9 * whole).then_some(triangles)
}

/// Twice the signed area of a triangle: positive for a left turn at `b`.
fn turn(a: Corner, b: Corner, c: Corner) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

fn inside(p: Corner, a: Corner, b: Corner, c: Corner) -> bool {
    turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0
}

fn signed_area(corners: &[Corner]) -> f64 {
    let n = corners.len();
    (0..n).map(|i| (corners[i], corners[(i + 1) % n])).map(|(a, b)| 0.5 * (a[0] * b[1] - a[1] * b[0])).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn volume(mesh: &TriangleMesh) -> f64 {
        let corner = |i: u32| mesh.vertices[i as usize];
        mesh.triangles.iter().map(|t| corner(t[0]).dot(&corner(t[1]).cross(&corner(t[2]))) / 6.0).sum()
    }

    #[test]
    fn an_l_shape_encloses_its_area_times_its_height() {
        let corners = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]];
        let mesh = solid(&corners, &clip_ears(&corners).unwrap(), 0.5);
        // Outward triangles of a closed solid: the divergence theorem gives the volume, (2 + 2) · 0.5.
        assert!((volume(&mesh) - 2.0).abs() < 1e-14);
        assert_eq!(mesh.triangles.len(), 2 * 4 + 2 * 6);
    }

    #[test]
    fn a_bow_tie_is_refused() {
        assert!(clip_ears(&[[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]).is_none());
    }
}
