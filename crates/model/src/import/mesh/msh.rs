//! MuJoCo's own binary mesh format (.msh), little endian:
//!
//! ```text
//! i32 vertices, normals, texture coordinates, faces
//! f32 vertex[vertices][3], normal[normals][3], texture[textures][2]
//! i32 face[faces][3]
//! ```

use super::{Fault, check_count, malformed};
use crate::geometry::Vec3;
use crate::mesh::TriangleMesh;

pub(super) fn read(bytes: &[u8]) -> Result<TriangleMesh, Fault> {
    let words: Vec<[u8; 4]> = bytes.as_chunks::<4>().0.to_vec();
    let [vertices, normals, textures, faces] = match words.first_chunk::<4>() {
        Some(header) => header.map(i32::from_le_bytes),
        None => return Err(malformed(None, "is shorter than its header of 16 bytes")),
    };
    let counts = [vertices, normals, textures, faces].map(usize::try_from);
    let [Ok(vertices), Ok(normals), Ok(textures), Ok(faces)] = counts else {
        return Err(malformed(None, "has a negative count in its header"));
    };
    check_count(faces)?;
    let total =
        [3 * vertices, 3 * normals, 2 * textures, 3 * faces].iter().try_fold(4usize, |a, b| a.checked_add(*b));
    if total != Some(words.len()) || !bytes.len().is_multiple_of(4) {
        let text = format!("has {} bytes, which do not fit the counts in its header", bytes.len());
        return Err(malformed(None, text));
    }
    let number = |at: usize| f64::from(f32::from_le_bytes(words[at]));
    let vertex = |i: usize| Vec3::new(number(4 + 3 * i), number(5 + 3 * i), number(6 + 3 * i));
    let points: Vec<Vec3> = (0..vertices).map(vertex).collect();
    let first_face = 4 + 3 * vertices + 3 * normals + 2 * textures;
    let triangles: Result<Vec<[u32; 3]>, Fault> = (0..faces)
        .map(|f| {
            let corner = |k: usize| i32::from_le_bytes(words[first_face + 3 * f + k]);
            let triangle = [corner(0), corner(1), corner(2)];
            match triangle.map(u32::try_from) {
                [Ok(a), Ok(b), Ok(c)] if [a, b, c].iter().all(|i| (*i as usize) < vertices) => Ok([a, b, c]),
                _ => Err(malformed(None, format!("face {f} names a vertex that does not exist"))),
            }
        })
        .collect();
    Ok(TriangleMesh::new(points, triangles?))
}
