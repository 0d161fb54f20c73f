//! Wavefront OBJ: vertices and faces.
//!
//! All objects and groups of a file become one mesh. [`Dialect::MuJoCo`] reads the file as MuJoCo does: of several
//! objects or groups only the first that has a face, with polygons split as [`polygon`] says. Colours, textures, normals,
//! lines and points do not bound a solid and are ignored.

use super::{Dialect, Fault, MeshFault, check_count, coordinate, malformed, polygon};
use crate::geometry::Vec3;
use crate::mesh::TriangleMesh;

/// Curved surfaces: ignoring them would leave a hole.
const FREE_FORM: [&str; 6] = ["cstype", "surf", "curv", "curv2", "bzp", "bsp"];

/// What was read of a file so far.
struct Reading {
    dialect: Dialect,
    mesh: TriangleMesh,
    /// Objects and groups that have a face.
    parts: usize,
    /// Whether a face belongs to a part that is not counted yet.
    starts_part: bool,
    /// Polygons of which MuJoCo leaves out a part, and the line of the first.
    cut_polygons: usize,
    cut_line: u32,
}

/// Reads a file; also returns what [`Dialect::MuJoCo`] leaves out, in sentences.
pub(super) fn read(bytes: &[u8], dialect: Dialect) -> Result<(TriangleMesh, Vec<String>), Fault> {
    if bytes.is_empty() {
        return Err(malformed(None, "is empty"));
    }
    // Comments and names may be in any encoding; numbers and keywords are ASCII.
    let text = String::from_utf8_lossy(bytes);
    let mesh = TriangleMesh::default();
    let mut reading = Reading { dialect, mesh, parts: 0, starts_part: true, cut_polygons: 0, cut_line: 0 };
    let mut continued = String::new();
    for (line, number) in text.lines().zip(1u32..) {
        // A backslash at the end continues a statement on the next line.
        if let Some(start) = line.trim_end().strip_suffix('\\') {
            continued += start;
            continued.push(' ');
        } else if continued.is_empty() {
            reading.statement(line, number)?;
        } else {
            continued += line;
            reading.statement(&std::mem::take(&mut continued), number)?;
        }
    }
    if !continued.is_empty() {
        return Err(malformed(None, "ends in the middle of a line"));
    }
    let left_out = reading.left_out();
    Ok((reading.mesh, left_out))
}

impl Reading {
    fn statement(&mut self, line: &str, number: u32) -> Result<(), Fault> {
        let line = line.split('#').next().unwrap_or("");
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let mut axis = || match words.next() {
                    Some(word) => coordinate(word, number),
                    None => Err(malformed(number, "a vertex has fewer than three coordinates")),
                };
                self.mesh.vertices.push(Vec3::new(axis()?, axis()?, axis()?));
                Ok(())
            }
            Some("o" | "g") => {
                self.starts_part = true;
                Ok(())
            }
            // `fo` is the face statement of the oldest files.
            Some("f" | "fo") => {
                let corners: Result<Vec<u32>, Fault> =
                    words.map(|word| vertex_number(word, self.mesh.vertices.len(), number)).collect();
                self.face(&corners?, number)
            }
            Some(word) if FREE_FORM.contains(&word) => {
                let text = format!("has a curved surface ('{word}'), which is not read");
                Err((Some(number), MeshFault::Unsupported(text)))
            }
            _ => Ok(()),
        }
    }

    fn face(&mut self, corners: &[u32], number: u32) -> Result<(), Fault> {
        // Two corners are a line, which some exporters write as a face; fewer are an error.
        if corners.len() < 2 {
            return Err(malformed(number, format!("a face has {} corners; expected at least 3", corners.len())));
        }
        if corners.len() > 2 && std::mem::take(&mut self.starts_part) {
            self.parts += 1;
        }
        match self.dialect {
            Dialect::Whole => self.mesh.triangles.extend(polygon::fan(corners)),
            Dialect::MuJoCo if self.parts > 1 => {}
            Dialect::MuJoCo => {
                let triangles = polygon::as_mujoco(corners, &self.mesh.vertices);
                if triangles.len() + 2 < corners.len() {
                    self.cut_polygons += 1;
                    self.cut_line = if self.cut_polygons == 1 { number } else { self.cut_line };
                }
                self.mesh.triangles.extend(triangles);
            }
        }
        check_count(self.mesh.triangles.len())
    }

    fn left_out(&self) -> Vec<String> {
        let mut out = Vec::new();
        if self.dialect == Dialect::MuJoCo && self.parts > 1 {
            out.push(format!(
                "has {} objects or groups with faces, of which MuJoCo reads the first only, and so does this importer: the \
                 mass of the others is missing; store each in its own file",
                self.parts
            ));
        }
        if self.cut_polygons > 0 {
            let polygons = if self.cut_polygons == 1 { "polygon" } else { "polygons" };
            out.push(format!(
                "has {} {polygons} of five or more corners (first in line {}) that MuJoCo does not fill, so the surface has \
                 holes there and here; export the mesh as triangles",
                self.cut_polygons, self.cut_line
            ));
        }
        out
    }
}

/// The vertex in `7`, `7/1`, `7//2` or `7/1/2`. Indices count from 1; negative ones count back from the latest.
fn vertex_number(word: &str, present: usize, line: u32) -> Result<u32, Fault> {
    let index: Option<i64> = word.split('/').next().and_then(|w| w.parse().ok());
    let from_zero = index.and_then(|i| match i {
        1.. => Some(i - 1),
        ..=-1 => Some(i + present as i64),
        0 => None,
    });
    match from_zero {
        Some(i) if (0..present as i64).contains(&i) => Ok(i as u32),
        _ => {
            let shown: String = word.chars().take(40).collect();
            Err(malformed(line, format!("'{shown}' is not a vertex; {present} are known at this line")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Dialect, MeshError, MeshFault, MeshFormat, read};
    use crate::geometry::Vec3;
    use crate::mesh::TriangleMesh;

    fn obj(text: &str) -> Result<TriangleMesh, MeshError> {
        read(text.as_bytes(), MeshFormat::Obj, Vec3::new(1.0, 1.0, 1.0))
    }

    const CORNERS: &str = "v 0 0 0\nv 1 0 0 1.0\nv 1 1 0 0.5 0.5 0.5\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n";

    #[test]
    fn quads_slashes_and_negative_numbers_make_a_cube() {
        let faces = "# a cube\nmtllib a.mtl\no cube\nusemtl red\nvt 0 0\nvn 0 0 1\n\
                     f 1/1/1 4/1/1 3/1/1 2/1/1\nf 5//1 6//1 7//1 8//1\ng side\nf 1/1 2/1 6/1 5/1 # comment\n\
                     f -7 -6 -2 -3\ns off\nf 3 4 8 7\nf 4 1 \\\n 5 8\n";
        let mesh = obj(&(CORNERS.to_string() + faces)).unwrap();
        let closure = mesh.closure();
        assert!(closure.is_closed() && (closure.signed_volume - 1.0).abs() < 1e-15, "{closure:?}");
    }

    #[test]
    fn several_objects_become_one_mesh() {
        let tetrahedron = "f 1 3 2\nf 1 2 5\nf 1 5 3\nf 2 3 5\n";
        let second = "o second\nv 5 0 0\nv 6 0 0\nv 5 1 0\nv 5 0 1\nf -4 -2 -3\nf -4 -3 -1\nf -4 -1 -2\nf -3 -2 -1\n";
        let mesh = obj(&(CORNERS.to_string() + "o first\n" + tetrahedron + second)).unwrap();
        assert_eq!(mesh.triangles.len(), 8);
        assert!(mesh.closure().is_closed());
    }

    #[test]
    fn a_polygon_that_is_not_convex_keeps_its_area() {
        // An L of three unit squares, one unit thick: some triangles of the fan overlap.
        let l = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
        let mut text = String::new();
        for z in [0.0, 1.0] {
            l.iter().for_each(|p| text += &format!("v {} {} {z}\n", p[0], p[1]));
        }
        text += "f 3 2 1 6 5 4\nf 9 10 11 12 7 8\n";
        for i in 1..=6 {
            let j = i % 6 + 1;
            text += &format!("f {i} {j} {} {}\n", j + 6, i + 6);
        }
        let mass = obj(&text).unwrap().solid_inertia(1.0).unwrap().mass;
        assert!((mass - 3.0).abs() < 1e-15, "{mass}");
    }

    #[test]
    fn damaged_files_get_a_sentence_with_a_line() {
        let line = |text: &str| obj(&(CORNERS.to_string() + text)).unwrap_err().line;
        assert_eq!(line("f 1 2 9\n"), Some(9));
        assert_eq!(line("f 0 1 2\n"), Some(9));
        assert_eq!(line("f -9 1 2\n"), Some(9));
        assert_eq!(line("\nf 1\n"), Some(10));
        assert_eq!(obj(&(CORNERS.to_string() + "f 1 2\n")).unwrap_err().fault, MeshFault::Empty);
        assert_eq!(line("v 1 nan 2\n"), Some(9));
        assert_eq!(line("v 1 2\n"), Some(9));
        assert_eq!(line("f 1 2 99999999999999999999999\n"), Some(9));
        assert!(matches!(obj("curv2 1 2\n").unwrap_err().fault, MeshFault::Unsupported(_)));
        assert_eq!(obj(CORNERS).unwrap_err().fault, MeshFault::Empty);
        assert!(obj("").is_err());
    }

    fn as_mujoco(text: &str) -> (TriangleMesh, Vec<String>) {
        super::read(text.as_bytes(), Dialect::MuJoCo).unwrap()
    }

    #[test]
    fn mujoco_reads_the_first_object_with_faces() {
        let tetrahedron = "f 1 3 2\nf 1 2 5\nusemtl red\nf 1 5 3\nf 2 3 5\n";
        let (mesh, left_out) = as_mujoco(&(CORNERS.to_string() + "g empty\no first\n" + tetrahedron));
        assert_eq!((mesh.triangles.len(), left_out.len()), (4, 0));
        let second = "g second\nf 5 6 7\n";
        let (mesh, left_out) = as_mujoco(&(CORNERS.to_string() + "o first\n" + tetrahedron + second));
        assert_eq!(mesh.triangles.len(), 4);
        assert!(left_out[0].contains("has 2 objects"), "{left_out:?}");
    }

    #[test]
    fn mujoco_splits_a_bent_quadrilateral_along_its_shorter_diagonal() {
        // Corner 3 is lifted; the diagonal from 2 to 4 is the shorter one.
        let (mesh, _) = as_mujoco("v 0 0 0\nv 1 0 0\nv 1.5 1.5 1\nv 0 1 0\nf 1 2 3 4\n");
        assert_eq!(mesh.triangles, [[0, 1, 3], [1, 2, 3]]);
        let (mesh, _) = as_mujoco("v 0 0 0\nv 2 0 0\nv 0.5 0.5 1\nv 0 2 0\nf 1 2 3 4\n");
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
    }

    /// Two pentagons as MuJoCo 4.0.1 compiles them: it makes 3 triangles of the first, and 1 of the second (bent),
    /// whose first ear is at the last corner tried.
    #[test]
    fn mujoco_leaves_a_hole_where_its_ears_end() {
        let polygon = |corners: &[[f64; 3]; 5]| {
            let list: String = corners.iter().map(|[x, y, z]| format!("v {x} {y} {z}\n")).collect();
            as_mujoco(&(list + "f 1 2 3 4 5\n"))
        };
        let (mesh, left_out) =
            polygon(&[[1.0, 0.0, 0.0], [0.3, 1.0, 0.0], [-0.8, 0.6, 0.0], [-0.8, -0.6, 0.0], [0.3, -1.0, 0.0]]);
        assert_eq!((mesh.triangles.len(), left_out.len()), (3, 0));
        let (mesh, left_out) =
            polygon(&[[2.5, -2.6, 5.8], [1.6, -2.1, 5.9], [1.6, -2.3, 5.8], [2.2, -2.4, 4.4], [2.5, -2.9, 5.6]]);
        assert_eq!(mesh.triangles, [[4, 0, 1]]);
        assert!(left_out[0].contains("(first in line 6)"), "{left_out:?}");
    }
}
