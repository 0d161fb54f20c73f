//! Points on the shapes of a body, for viewers that draw point clouds but not markers.

use super::cdr::CdrWriter;
use super::drawing::{drawn, field_vertices};
use super::messages::stamp;
use std::f64::consts::PI;
use veracity_model::{Body, Shape, Vec3};

/// Points around a ring, and steps along straight edges.
const AROUND: usize = 24;
const ALONG: usize = 9;
/// Drawn size of a plane, as in the markers [m].
const PLANE_SIDE: f64 = 10.0;

/// The points of a body's shapes in its frame, at a time; `None` if it has no shape.
pub fn points(body: &Body, frame: &str, time_s: f64) -> Option<CdrWriter> {
    let mut points = Vec::new();
    for shape in drawn(body) {
        let place = |point: Vec3| shape.body_from_shape.transform_point(&point.into()).coords;
        points.extend(on_shape(&shape.shape).into_iter().map(place));
    }
    if points.is_empty() {
        return None;
    }
    const FLOAT32: u8 = 7;
    const POINT_BYTES: usize = 12;
    let mut message = CdrWriter::new();
    stamp(&mut message, time_s);
    message.text(frame).u32(1).u32(points.len() as u32);
    message.length(3);
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
        message.text(name).u32(4 * axis as u32).u8(FLOAT32).u32(1);
    }
    // Little endian; bytes of a point and of all; the points; all of them finite.
    message.u8(0).u32(POINT_BYTES as u32).u32((POINT_BYTES * points.len()) as u32);
    message.length(POINT_BYTES * points.len());
    for value in points.iter().flat_map(|point| point.iter()) {
        for byte in (*value as f32).to_le_bytes() {
            message.u8(byte);
        }
    }
    message.u8(1);
    Some(message)
}

fn on_shape(shape: &Shape) -> Vec<Vec3> {
    match shape {
        Shape::Sphere { radius } => ball(Vec3::new(*radius, *radius, *radius), |_| 0.0),
        Shape::Ellipsoid { radii } => ball(*radii, |_| 0.0),
        Shape::Capsule { radius, length } => {
            let ends =
                ball(Vec3::new(*radius, *radius, *radius), |z| if z < 0.0 { -0.5 * length } else { 0.5 * length });
            ends.into_iter().chain(side(*radius, *length)).collect()
        }
        Shape::Cylinder { radius, length } => {
            let caps = [0.0, 0.5]
                .into_iter()
                .flat_map(|part| [-0.5, 0.5].into_iter().flat_map(move |end| ring(part * radius, end * length)));
            side(*radius, *length).into_iter().chain(caps).collect()
        }
        Shape::Disc { radius } => ring(*radius, 0.0),
        Shape::Box { size } => {
            let corners = (0..3).flat_map(|axis| [-0.5, 0.5].into_iter().map(move |end| (axis, end)));
            corners.flat_map(|(axis, end)| face(axis, end)).map(|point| point.component_mul(size)).collect()
        }
        Shape::Plane => face(2, 0.0).into_iter().map(|point| point * PLANE_SIDE).collect(),
        Shape::HeightField(field) => field_vertices(field),
        Shape::Convex(mesh) | Shape::Mesh(mesh) => mesh.vertices.clone(),
    }
}

/// Rings from pole to pole, each shifted along z by `shift` of its height on the unit ball.
fn ball(radii: Vec3, shift: impl Fn(f64) -> f64) -> Vec<Vec3> {
    let rings = (0..=ALONG).flat_map(|step| {
        let (width, height) = libm::sincos(PI * step as f64 / ALONG as f64);
        ring(width, height)
    });
    rings.map(|point| point.component_mul(&radii) + Vec3::new(0.0, 0.0, shift(point.z))).collect()
}

fn side(radius: f64, length: f64) -> Vec<Vec3> {
    steps().into_iter().flat_map(|z| ring(radius, z * length)).collect()
}

fn ring(radius: f64, z: f64) -> Vec<Vec3> {
    let point = |step: usize| {
        let (sine, cosine) = libm::sincos(2.0 * PI * step as f64 / AROUND as f64);
        Vec3::new(radius * cosine, radius * sine, z)
    };
    (0..AROUND).map(point).collect()
}

/// A grid over the face of the unit cube normal to `axis`.
fn face(axis: usize, end: f64) -> Vec<Vec3> {
    let point = |(u, v): (f64, f64)| {
        let mut point = Vec3::zeros();
        (point[axis], point[(axis + 1) % 3], point[(axis + 2) % 3]) = (end, u, v);
        point
    };
    steps().into_iter().flat_map(|u| steps().into_iter().map(move |v| (u, v))).map(point).collect()
}

/// From -1/2 to 1/2.
fn steps() -> Vec<f64> {
    (0..=ALONG).map(|step| step as f64 / ALONG as f64 - 0.5).collect()
}
