//! Reads triangle meshes from STL, OBJ, COLLADA and MuJoCo's MSH files.
//!
//! [`load`] selects the reader by the file extension. Whatever size a file claims, memory use stays proportional to the
//! bytes present, and no mesh has more than [`MAX_TRIANGLES`]. Geometry that cannot be read is an error for the whole
//! file: half a mesh would be worse than none, since the missing part would go unnoticed.

mod collada;
mod finder;
mod msh;
mod obj;
mod polygon;
mod stl;

pub use finder::MeshFinder;

use crate::geometry::Vec3;
use crate::mesh::TriangleMesh;
use std::path::{Path, PathBuf};

/// Maximum size of a mesh file [bytes].
pub const MAX_BYTES: u64 = 256 << 20;
/// Maximum number of triangles in one mesh.
pub const MAX_TRIANGLES: usize = 4_000_000;

/// Why a mesh could not be read, worded to follow `file:line: warning[mesh-read]:`.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("mesh '{}'{}: {fault}", .file.display(), .line.map(|l| format!(", line {l}")).unwrap_or_default())]
pub struct MeshError {
    /// The mesh file.
    pub file: PathBuf,
    /// The line, from 1, if the format has lines.
    pub line: Option<u32>,
    /// What is wrong.
    pub fault: MeshFault,
}

/// What is wrong with a mesh file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshFault {
    /// The operating system could not read it.
    #[error("cannot be read: {0}; check the path and permissions")]
    Read(String),
    /// Larger than [`MAX_BYTES`] or [`MAX_TRIANGLES`].
    #[error("{0}; simplify the mesh before using it in a simulation")]
    TooLarge(String),
    /// Format not supported.
    #[error("{0}; convert the mesh to STL, OBJ or COLLADA (.dae)")]
    Unsupported(String),
    /// A well-formed file without a single triangle.
    #[error("has no triangles; export it again")]
    Empty,
    /// Truncated, not a number, an index out of range, and so on.
    #[error("{0}; the file is damaged, export it again")]
    Malformed(String),
}

/// A reader's error: the line if there is one, and the fault.
type Fault = (Option<u32>, MeshFault);

/// A malformed file.
fn malformed(line: impl Into<Option<u32>>, text: impl Into<String>) -> Fault {
    (line.into(), MeshFault::Malformed(text.into()))
}

/// Supported formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshFormat {
    /// Stereolithography, binary or ASCII.
    Stl,
    /// Wavefront.
    Obj,
    /// COLLADA (.dae).
    Collada,
    /// MuJoCo's binary format (.msh).
    Msh,
}

impl MeshFormat {
    /// The format by the file extension, ignoring case.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "stl" => Some(Self::Stl),
            "obj" => Some(Self::Obj),
            "dae" => Some(Self::Collada),
            "msh" => Some(Self::Msh),
            _ => None,
        }
    }
}

/// Whose reading of an OBJ file: the format leaves open how a bent polygon is split and what its parts are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// The whole file.
    Whole,
    /// What MuJoCo makes of it: the first object, with its own split of polygons.
    MuJoCo,
}

/// Reads a mesh file and multiplies its coordinates by `scale`, which converts to metres. Vertices are welded.
pub fn load(path: &Path, scale: Vec3) -> Result<TriangleMesh, MeshError> {
    load_dialect(path, scale, Dialect::Whole).map(|(mesh, _)| mesh)
}

/// As [`load`]; also returns what MuJoCo leaves out of the file and the mesh therefore lacks, in sentences.
pub(super) fn load_as_mujoco(path: &Path) -> Result<(TriangleMesh, Vec<String>), MeshError> {
    load_dialect(path, Vec3::repeat(1.0), Dialect::MuJoCo)
}

fn load_dialect(path: &Path, scale: Vec3, dialect: Dialect) -> Result<(TriangleMesh, Vec<String>), MeshError> {
    let fail = |fault| MeshError { file: path.to_path_buf(), line: None, fault };
    let read_fault = |e: std::io::Error| fail(MeshFault::Read(e.to_string()));
    let size = std::fs::metadata(path).map_err(read_fault)?.len();
    if size > MAX_BYTES {
        let text = format!("has {size} bytes, more than the {MAX_BYTES} that are accepted");
        return Err(fail(MeshFault::TooLarge(text)));
    }
    let Some(format) = MeshFormat::of(path) else {
        let ending = path.extension().map_or("no ending".into(), |e| format!("the ending '.{}'", e.display()));
        return Err(fail(MeshFault::Unsupported(format!("has {ending}, which is not a supported format"))));
    };
    let bytes = crate::input::read_regular(path, MAX_BYTES).map_err(read_fault)?;
    let read = read_dialect(&bytes, format, scale, dialect);
    let (mut mesh, left_out) = read.map_err(|e| MeshError { file: path.to_path_buf(), ..e })?;
    mesh.file = Some(path.to_path_buf());
    Ok((mesh, left_out))
}

/// Reads a mesh from memory; see [`load`].
pub fn read(bytes: &[u8], format: MeshFormat, scale: Vec3) -> Result<TriangleMesh, MeshError> {
    read_dialect(bytes, format, scale, Dialect::Whole).map(|(mesh, _)| mesh)
}

fn read_dialect(
    bytes: &[u8],
    format: MeshFormat,
    scale: Vec3,
    dialect: Dialect,
) -> Result<(TriangleMesh, Vec<String>), MeshError> {
    let whole = |mesh| (mesh, Vec::new());
    let contents = match format {
        MeshFormat::Stl => stl::read(bytes).map(whole),
        MeshFormat::Obj => obj::read(bytes, dialect),
        MeshFormat::Collada => collada::read(bytes).map(whole),
        MeshFormat::Msh => msh::read(bytes).map(whole),
    };
    let checked = contents.and_then(|(mesh, left_out)| {
        if mesh.triangles.is_empty() {
            return Err((None, MeshFault::Empty));
        }
        let mesh = mesh.scaled(scale).welded();
        if !mesh.is_valid() {
            return Err(malformed(None, "a vertex is not a finite number after scaling"));
        }
        Ok((mesh, left_out))
    });
    checked.map_err(|(line, fault)| MeshError { file: PathBuf::new(), line, fault })
}

/// Parses a finite coordinate; the error shows the word.
fn coordinate(word: &str, line: u32) -> Result<f64, Fault> {
    match word.parse::<f64>() {
        Ok(x) if x.is_finite() => Ok(x),
        _ => {
            let shown: String = word.chars().take(40).collect();
            Err(malformed(line, format!("'{shown}' is not a coordinate")))
        }
    }
}

/// Stops a reader that exceeds [`MAX_TRIANGLES`].
fn check_count(triangles: usize) -> Result<(), Fault> {
    if triangles > MAX_TRIANGLES {
        let text = format!("has more than the {MAX_TRIANGLES} triangles that are accepted");
        return Err((None, MeshFault::TooLarge(text)));
    }
    Ok(())
}
