//! STL, binary and ASCII.
//!
//! A binary file may begin with the word `solid`, as ASCII files do, so the size decides: 84 bytes of header and count,
//! then exactly 50 bytes for each triangle. Normals are not read: the order of the corners defines the outside, and
//! exporters often leave zeros or NaN in the normals.

use super::{Fault, MeshFault, check_count, coordinate, malformed};
use crate::geometry::Vec3;
use crate::mesh::TriangleMesh;

const HEADER: usize = 84;
const RECORD: usize = 50;

pub(super) fn read(bytes: &[u8]) -> Result<TriangleMesh, Fault> {
    if bytes.is_empty() {
        return Err(malformed(None, "is empty"));
    }
    let claimed = claimed_triangles(bytes);
    let exact = claimed.is_some_and(|n| HEADER as u64 + RECORD as u64 * n == bytes.len() as u64);
    let text = if exact { None } else { std::str::from_utf8(bytes).ok() };
    match (text, claimed) {
        (Some(text), _) if starts_with_word(text, "solid") => read_ascii(text),
        (_, Some(n)) => read_binary(bytes, n),
        _ => {
            Err(malformed(None, "is too short for a binary STL and does not begin with 'solid' as an ASCII one does"))
        }
    }
}

fn claimed_triangles(bytes: &[u8]) -> Option<u64> {
    let count: [u8; 4] = bytes.get(HEADER - 4..HEADER)?.try_into().ok()?;
    Some(u64::from(u32::from_le_bytes(count)))
}

fn starts_with_word(text: &str, word: &str) -> bool {
    text.split_whitespace().next().is_some_and(|w| w.eq_ignore_ascii_case(word))
}

fn read_binary(bytes: &[u8], claimed: u64) -> Result<TriangleMesh, Fault> {
    let present = (bytes.len() - HEADER) / RECORD;
    if claimed > present as u64 {
        return Err(malformed(None, format!("says it has {claimed} triangles but holds {present}")));
    }
    // A few stray bytes at the end are harmless; space for a whole triangle means that the count is wrong.
    if claimed < present as u64 {
        return Err(malformed(None, format!("says it has {claimed} triangles but has room for {present}")));
    }
    check_count(present)?;
    let mut soup = Vec::with_capacity(3 * present);
    for (number, record) in bytes[HEADER..].chunks_exact(RECORD).enumerate() {
        for corner in record[12..48].chunks_exact(12) {
            let axis = |i: usize| f64::from(f32::from_le_bytes([0, 1, 2, 3].map(|b| corner[4 * i + b])));
            let vertex = Vec3::new(axis(0), axis(1), axis(2));
            if !vertex.iter().all(|x| x.is_finite()) {
                return Err(malformed(None, format!("triangle {number} has a corner that is not a finite number")));
            }
            soup.push(vertex);
        }
    }
    Ok(from_soup(soup))
}

/// Parses word by word, so that several statements on one line, or one spread over lines, read the same.
fn read_ascii(text: &str) -> Result<TriangleMesh, Fault> {
    let mut words = text.lines().zip(1u32..).flat_map(|(line, number)| {
        // The rest of a `solid` or `endsolid` line is a name, which may be any text.
        let named = starts_with_word(line, "solid") || starts_with_word(line, "endsolid");
        line.split_whitespace().take(if named { 1 } else { usize::MAX }).map(move |word| (word, number))
    });
    let mut soup = Vec::new();
    let mut corners_in_loop = 0;
    let mut open_solid = false;
    while let Some((word, line)) = words.next() {
        match word.to_ascii_lowercase().as_str() {
            "solid" => open_solid = true,
            "endsolid" => open_solid = false,
            "facet" | "outer" | "loop" | "endfacet" => {}
            // Three words, usually numbers, sometimes `nan`.
            "normal" => drop((words.next(), words.next(), words.next())),
            "vertex" => {
                let mut axis = || match words.next() {
                    Some((word, line)) => coordinate(word, line),
                    None => Err(malformed(line, "ends in the middle of a vertex")),
                };
                soup.push(Vec3::new(axis()?, axis()?, axis()?));
                corners_in_loop += 1;
                check_count(soup.len() / 3)?;
            }
            "endloop" if corners_in_loop != 3 => {
                return Err(malformed(line, format!("a facet has {corners_in_loop} vertices; expected 3")));
            }
            "endloop" => corners_in_loop = 0,
            _ => {
                let shown: String = word.chars().take(40).collect();
                return Err(malformed(line, format!("'{shown}' is not a word of an ASCII STL file")));
            }
        }
    }
    if open_solid || corners_in_loop != 0 {
        return Err(malformed(None, "ends without 'endsolid'"));
    }
    if soup.is_empty() { Err((None, MeshFault::Empty)) } else { Ok(from_soup(soup)) }
}

/// Builds a mesh from three vertices for each triangle.
fn from_soup(soup: Vec<Vec3>) -> TriangleMesh {
    let triangles = (0..soup.len() as u32 / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    TriangleMesh::new(soup, triangles)
}

#[cfg(test)]
mod tests {
    use super::super::{MeshFault, MeshFormat, read};
    use crate::geometry::Vec3;
    use crate::mesh::TriangleMesh;

    fn binary(mesh: &TriangleMesh, header: &[u8]) -> Vec<u8> {
        let mut bytes = header.to_vec();
        bytes.resize(80, 0);
        bytes.extend((mesh.triangles.len() as u32).to_le_bytes());
        for t in &mesh.triangles {
            bytes.extend([0; 12]);
            for v in mesh.corners(*t).unwrap() {
                v.iter().for_each(|x| bytes.extend((*x as f32).to_le_bytes()));
            }
            bytes.extend([0; 2]);
        }
        bytes
    }

    fn ascii(mesh: &TriangleMesh) -> String {
        let mut text = "solid box with a vertex in its name\n".to_string();
        for t in &mesh.triangles {
            text += "facet normal nan nan nan\n outer loop\n";
            for v in mesh.corners(*t).unwrap() {
                text += &format!("  vertex {} {:e} {}\n", v.x, v.y, v.z);
            }
            text += " endloop\nendfacet\n";
        }
        text + "endsolid box\n"
    }

    fn stl(bytes: &[u8]) -> Result<TriangleMesh, super::super::MeshError> {
        read(bytes, MeshFormat::Stl, Vec3::new(1.0, 1.0, 1.0))
    }

    #[test]
    fn both_kinds_give_the_same_box() {
        let cuboid = TriangleMesh::cuboid(Vec3::new(1.0, 2.0, 0.5));
        for header in [&b"exported"[..], b"solid but binary"] {
            let mesh = stl(&binary(&cuboid, header)).unwrap();
            assert_eq!(mesh.vertices.len(), 8);
            assert_eq!(mesh.closure().signed_volume, 1.0);
        }
        let mesh = stl(ascii(&cuboid).as_bytes()).unwrap();
        assert_eq!(mesh.closure().signed_volume, 1.0);
        let loud = ascii(&cuboid).to_ascii_uppercase().replace("NAN", "0");
        assert_eq!(stl(loud.as_bytes()).unwrap().closure().signed_volume, 1.0);
    }

    #[test]
    fn a_count_of_four_thousand_million_is_a_sentence_not_an_allocation() {
        let mut bytes = vec![0u8; 100];
        bytes[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
        let error = stl(&bytes).unwrap_err();
        assert!(error.to_string().contains("says it has 4294967295 triangles but holds 0"), "{error}");
    }

    #[test]
    fn damaged_files_get_a_sentence() {
        let cuboid = TriangleMesh::cuboid(Vec3::new(1.0, 2.0, 0.5));
        let whole = binary(&cuboid, b"x");
        assert!(stl(&[]).unwrap_err().to_string().contains("is empty"));
        assert!(stl(&whole[..whole.len() - 1]).is_err());
        let mut extra = whole.clone();
        extra.extend([0; 50]);
        assert!(stl(&extra).unwrap_err().to_string().contains("room for 13"));
        let mut nan = whole.clone();
        nan[84 + 12..84 + 16].copy_from_slice(&f32::NAN.to_le_bytes());
        assert!(stl(&nan).unwrap_err().to_string().contains("not a finite number"));
        let text = ascii(&cuboid);
        assert!(stl(&text.as_bytes()[..text.len() - 30]).is_err());
        let error = stl(text.replacen("vertex -5", "vertex x5", 1).replacen("vertex -0", "vertex y", 1).as_bytes());
        assert_eq!(error.unwrap_err().line, Some(4));
        assert_eq!(stl(b"solid nothing\nendsolid\n").unwrap_err().fault, MeshFault::Empty);
    }
}
