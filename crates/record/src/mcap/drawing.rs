//! The shapes of all bodies as markers, written once: they are locked to the bodies' frames and move with them.

use super::cdr::CdrWriter;
use super::messages::stamp;
use veracity_model::geometry::at;
use veracity_model::{Body, BodyShape, Layout, Pose, Shape, TriangleMesh, Vec3, World};

/// How a marker is drawn; the numbers are those of `visualization_msgs/Marker`.
#[derive(Clone, Copy)]
enum Kind {
    Cube = 1,
    Sphere = 2,
    Cylinder = 3,
    Triangles = 11,
}

/// One marker, in the frame of its shape.
struct Piece {
    kind: Kind,
    shape_from_piece: Pose,
    scale: Vec3,
    corners: Vec<Vec3>,
}

/// Drawn thickness of a disc and a plane, which have none [m].
const THIN: f64 = 1e-3;
/// Drawn size of a plane, which is unbounded [m].
const PLANE_SIDE: f64 = 10.0;

/// The markers of a world, at a time.
pub fn markers(world: &World, layout: &Layout, time_s: f64) -> CdrWriter {
    let mut all = Vec::new();
    for (slot, place) in layout.bodies.iter().enumerate() {
        let body = &world.placements[place.placement].model.bodies()[place.body.0];
        for shape in drawn(body) {
            all.extend(pieces(&shape.shape).into_iter().map(|piece| (slot, shape, piece)));
        }
    }
    let mut message = CdrWriter::new();
    message.length(all.len());
    for (id, (slot, shape, piece)) in all.iter().enumerate() {
        stamp(&mut message, time_s);
        message.text(&layout.bodies[*slot].name).text(&shape.name).i32(id as i32).i32(piece.kind as i32).i32(0);
        let place = shape.body_from_shape * piece.shape_from_piece;
        let (shift, turn) = (place.translation.vector, place.rotation);
        message.f64s(&[shift.x, shift.y, shift.z, turn.i, turn.j, turn.k, turn.w]);
        message.f64s(piece.scale.as_slice());
        for part in colour(*slot) {
            message.f32(part);
        }
        // No expiry, and moving with its frame.
        message.i32(0).u32(0).u8(1);
        message.length(piece.corners.len());
        for corner in &piece.corners {
            message.f64s(corner.as_slice());
        }
        message.length(0).text("").text("").u8(0);
    }
    message
}

/// The visual shapes of a body; its collision shapes if it has none.
pub fn drawn(body: &Body) -> Vec<&BodyShape> {
    let visible: Vec<&BodyShape> = body.shapes.iter().filter(|shape| shape.visible).collect();
    if visible.is_empty() { body.shapes.iter().collect() } else { visible }
}

fn pieces(shape: &Shape) -> Vec<Piece> {
    let solid = |kind, x, y, z| Piece {
        kind,
        shape_from_piece: Pose::identity(),
        scale: Vec3::new(x, y, z),
        corners: Vec::new(),
    };
    match shape {
        Shape::Sphere { radius } => vec![solid(Kind::Sphere, 2.0 * radius, 2.0 * radius, 2.0 * radius)],
        Shape::Box { size } => vec![solid(Kind::Cube, size.x, size.y, size.z)],
        Shape::Ellipsoid { radii } => vec![solid(Kind::Sphere, 2.0 * radii.x, 2.0 * radii.y, 2.0 * radii.z)],
        Shape::Cylinder { radius, length } => vec![solid(Kind::Cylinder, 2.0 * radius, 2.0 * radius, *length)],
        Shape::Disc { radius } => vec![solid(Kind::Cylinder, 2.0 * radius, 2.0 * radius, THIN)],
        Shape::Capsule { radius, length } => {
            let end = |z| Piece {
                shape_from_piece: at(0.0, 0.0, z),
                ..solid(Kind::Sphere, 2.0 * radius, 2.0 * radius, 2.0 * radius)
            };
            vec![end(-0.5 * length), solid(Kind::Cylinder, 2.0 * radius, 2.0 * radius, *length), end(0.5 * length)]
        }
        Shape::Plane => {
            let slab = solid(Kind::Cube, PLANE_SIDE, PLANE_SIDE, THIN);
            vec![Piece { shape_from_piece: at(0.0, 0.0, -0.5 * THIN), ..slab }]
        }
        Shape::HeightField(field) => vec![triangles(&field_mesh(field))],
        Shape::Convex(mesh) => vec![triangles(&mesh.convex_hull().unwrap_or_else(|| (**mesh).clone()))],
        Shape::Mesh(mesh) => vec![triangles(mesh)],
    }
}

fn triangles(mesh: &TriangleMesh) -> Piece {
    let corners = mesh.triangles.iter().filter_map(|triangle| mesh.corners(*triangle)).flatten().collect();
    Piece { kind: Kind::Triangles, shape_from_piece: Pose::identity(), scale: Vec3::new(1.0, 1.0, 1.0), corners }
}

fn field_mesh(field: &veracity_model::shape::HeightField) -> TriangleMesh {
    let [columns, rows] = field.counts;
    let quad = |k: usize| {
        let (a, b, c, d) = (k as u32, k as u32 + 1, (k + columns) as u32, (k + columns) as u32 + 1);
        [[a, b, d], [a, d, c]]
    };
    let corner = |k: &usize| k % columns + 1 < columns && k / columns + 1 < rows;
    TriangleMesh::new(field_vertices(field), (0..columns * rows).filter(corner).flat_map(quad).collect())
}

/// The points of the grid.
pub fn field_vertices(field: &veracity_model::shape::HeightField) -> Vec<Vec3> {
    let [columns, rows] = field.counts;
    let place = |index: usize, count: usize, size: f64| size * (index as f64 / (count - 1) as f64 - 0.5);
    let vertex = |(k, height): (usize, &f64)| {
        Vec3::new(place(k % columns, columns, field.size[0]), place(k / columns, rows, field.size[1]), *height)
    };
    field.heights.iter().enumerate().map(vertex).collect()
}

/// Neighbouring bodies in different colours, all readable on light and dark backgrounds: red, green, blue, opacity.
fn colour(slot: usize) -> [f32; 4] {
    const COLOURS: [[f32; 3]; 6] = [
        [0.30, 0.55, 0.85],
        [0.90, 0.55, 0.20],
        [0.35, 0.70, 0.45],
        [0.80, 0.40, 0.45],
        [0.55, 0.45, 0.75],
        [0.55, 0.55, 0.55],
    ];
    let [r, g, b] = COLOURS[slot % COLOURS.len()];
    [r, g, b, 1.0]
}
