//! `<asset>`: meshes and height fields. Textures, materials and skins are only drawn.

use super::context::Context;
use super::defaults::{MAIN, class_of};
use super::node::Node;
use super::pose::unit_quat;
use crate::geometry::{Pose, Vec3};
use crate::import::mesh;
use crate::import::resources::NotFound;
use crate::mesh::TriangleMesh;
use crate::shape::HeightField;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How the mass properties of a mesh are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MeshInertia {
    /// From the convex hull.
    Convex,
    /// From the mesh as a closed solid.
    Exact,
    /// By MuJoCo's original rule: see [`super::mesh_inertia`].
    Legacy,
    /// With the mass on the surface.
    Shell,
}

/// A mesh that geoms refer to.
#[derive(Clone, Debug)]
pub(super) struct MeshAsset {
    /// The triangles, transformed and scaled as the asset specifies, but not recentred as MuJoCo does internally.
    pub mesh: Arc<TriangleMesh>,
    /// How its mass properties are computed.
    pub inertia: MeshInertia,
}

/// Assets that geoms may refer to. `None` is an asset that could not be read, which has been reported.
#[derive(Debug, Default)]
pub(super) struct Assets {
    /// Meshes by name.
    pub meshes: BTreeMap<String, Option<MeshAsset>>,
    /// Height fields by name.
    pub height_fields: BTreeMap<String, Option<Arc<HeightField>>>,
    /// Names of materials, which are only drawn.
    pub materials: BTreeSet<String>,
}

/// Maximum number of values in a height field.
const MAX_HEIGHTS: usize = 16_000_000;

/// Reads one `<asset>`.
pub(super) fn read(node: &Node, assets: &mut Assets, ctx: &mut Context<'_>) {
    ctx.check_attributes(node, "asset");
    for child in &node.children {
        match child.name.as_str() {
            "mesh" => {
                let mesh = read_mesh(child, ctx);
                insert(child, "mesh", mesh, &mut assets.meshes, ctx);
            }
            "hfield" => {
                let field = read_height_field(child, ctx);
                insert(child, "height field", field, &mut assets.height_fields, ctx);
            }
            "texture" | "material" | "skin" => {
                ctx.has_no_effect(&format!("{}s", child.name));
                assets.materials.extend(child.given_name().filter(|_| child.name == "material").map(str::to_string));
            }
            // Used by <attach>.
            "model" => {}
            other => {
                let what = format!("<{other}> in <asset>");
                ctx.unsupported(child, &what, "check its spelling");
            }
        }
    }
}

fn insert<T>(
    node: &Node,
    kind: &str,
    asset: Option<T>,
    into: &mut BTreeMap<String, Option<T>>,
    ctx: &mut Context<'_>,
) {
    match asset_name(node) {
        None => ctx.error(node, "name-empty", format!("a {kind} has neither name nor file; give it one")),
        Some(name) => {
            if into.contains_key(&name) {
                ctx.error(node, "name-clash", format!("two <{kind}> elements are called '{name}'; rename one"));
            }
            into.insert(name, asset);
        }
    }
}

/// The name geoms use for an asset: its name, else that of its file.
fn asset_name(node: &Node) -> Option<String> {
    let from_file = || Some(Path::new(node.attribute("file")?).file_stem()?.to_string_lossy().into_owned());
    node.given_name().map(str::to_string).or_else(from_file)
}

/// The file of an asset. As in MuJoCo it is looked up in `meshdir` next to the main file; an asset of an included file
/// is then looked up next to that file, without `meshdir`. With `strippath` only the first location is used.
fn find_file(node: &Node, name: &str, ctx: &mut Context<'_>) -> Option<PathBuf> {
    let stripped = Path::new(name).file_name().filter(|_| ctx.compiler(node).strip_path);
    let path = Path::new(&ctx.compiler(node).mesh_folder).join(stripped.map_or(Path::new(name), Path::new));
    let resources = ctx.resources_of(node);
    let missing = match resources.find(&path.to_string_lossy()) {
        Ok(found) => return Some(found),
        Err(missing) => missing,
    };
    let beside = resources.beside(Path::new(node.source.file.as_ref()));
    if stripped.is_none() && beside.folder() != resources.folder() {
        match beside.find(name) {
            Ok(found) => return Some(found),
            Err(more) => {
                let tried = missing.tried.into_iter().chain(more.tried).collect();
                let outside = missing.outside.or(more.outside);
                return not_found(node, &path, &NotFound { tried, outside }, ctx);
            }
        }
    }
    not_found(node, &path, &missing, ctx)
}

fn not_found(node: &Node, path: &Path, missing: &NotFound, ctx: &mut Context<'_>) -> Option<PathBuf> {
    let text =
        format!("the file '{}' was not found; {missing}: put the file there or correct meshdir", path.display());
    ctx.unread_asset(node, &asset_name(node).unwrap_or_default(), "mesh-missing", text);
    None
}

/// `content_type` gives the format in place of the file extension; this importer uses the extension.
fn check_content_type(node: &Node, file: &str, ctx: &mut Context<'_>) {
    let Some(given) = node.attribute("content_type") else { return };
    let ending = Path::new(file).extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    if given.rsplit(['/', '.']).next() != Some(ending.as_str()) {
        let what = format!("content_type '{given}' of a mesh in a file that ends in '.{ending}'");
        ctx.unsupported(node, &what, "the ending decides how the file is read; rename it");
    }
}

fn read_mesh(node: &Node, ctx: &mut Context<'_>) -> Option<MeshAsset> {
    ctx.check_attributes(node, "mesh");
    let class = class_of(node, MAIN, ctx);
    let full = ctx.defaults.complete(node, "mesh", class);
    if node.children.iter().any(|child| child.name == "plugin") {
        ctx.unsupported(node, "a mesh made by a plugin", "store the mesh in a file");
        return None;
    }
    let words = ["convex", "exact", "legacy", "shell"];
    let inertia = match full.keyword("inertia", &words, ctx.findings) {
        Some("convex") => MeshInertia::Convex,
        Some("exact") => MeshInertia::Exact,
        Some("shell") => MeshInertia::Shell,
        None if ctx.compiler(node).exact_mesh_inertia => MeshInertia::Exact,
        _ => MeshInertia::Legacy,
    };
    let raw = match (full.attribute("file"), full.has("vertex")) {
        (Some(name), false) => {
            let path = find_file(node, name, ctx)?;
            check_content_type(&full, name, ctx);
            match mesh::load_as_mujoco(&path) {
                Ok((mesh, left_out)) => {
                    for what in left_out {
                        ctx.warning(node, "mesh-partial", format!("the file '{}' {what}", path.display()));
                    }
                    mesh
                }
                Err(fault) => {
                    ctx.unread_asset(node, &asset_name(node).unwrap_or_default(), "mesh-read", fault.to_string());
                    return None;
                }
            }
        }
        (None, true) => inline_mesh(&full, ctx)?,
        (Some(_), true) => {
            ctx.error(node, "mesh", "a mesh has both 'file' and 'vertex'; keep one");
            return None;
        }
        (None, false) => {
            let text = if full.has("builtin") {
                ctx.unsupported(node, "a builtin mesh", "store the mesh in a file");
                return None;
            } else {
                "a mesh has neither 'file' nor 'vertex'; give one"
            };
            ctx.error(node, "mesh", text);
            return None;
        }
    };
    let position = full.vector("refpos", ctx.findings).unwrap_or_else(Vec3::zeros);
    let rotation = full.numbers::<4>("refquat", ctx.findings).and_then(|[w, x, y, z]| unit_quat(w, x, y, z));
    let scale = full.vector("scale", ctx.findings).unwrap_or_else(|| Vec3::repeat(1.0));
    let reference = Pose::from_parts(position.into(), rotation.unwrap_or_default());
    let mesh = raw.transformed(&reference.inverse()).scaled(scale);
    if !mesh.is_valid() {
        ctx.error(node, "mesh", "a vertex of the mesh is not a finite number; check vertices and scale");
        return None;
    }
    // A mesh without faces is the hull of its points.
    let mesh = if mesh.triangles.is_empty() {
        match mesh.convex_hull() {
            Some(hull) => hull,
            None => {
                ctx.error(node, "mesh", "the points of the mesh do not span a volume; give at least four");
                return None;
            }
        }
    } else {
        mesh
    };
    Some(MeshAsset { mesh: Arc::new(mesh), inertia })
}

fn inline_mesh(node: &Node, ctx: &mut Context<'_>) -> Option<TriangleMesh> {
    let coordinates = node.list("vertex", ctx.findings)?;
    let vertices: Vec<Vec3> = coordinates.chunks_exact(3).map(Vec3::from_column_slice).collect();
    let indices = if node.has("face") { node.list("face", ctx.findings)? } else { Vec::new() };
    let valid = |i: &f64| *i >= 0.0 && i.fract() == 0.0 && *i < vertices.len() as f64;
    if coordinates.len() % 3 != 0 || indices.len() % 3 != 0 || !indices.iter().all(valid) {
        let text = "the mesh needs three coordinates for each vertex and three vertex numbers for each face";
        ctx.error(node, "mesh", text);
        return None;
    }
    let triangles = indices.chunks_exact(3).map(|c| [c[0] as u32, c[1] as u32, c[2] as u32]).collect();
    Some(TriangleMesh::new(vertices, triangles))
}

fn read_height_field(node: &Node, ctx: &mut Context<'_>) -> Option<Arc<HeightField>> {
    ctx.check_attributes(node, "hfield");
    let size = node.numbers::<4>("size", ctx.findings)?;
    if let Some(name) = node.attribute("file") {
        return height_field_file(node, name, size, ctx);
    }
    let rows = node.integer("nrow", ctx.findings).unwrap_or(0);
    let columns = node.integer("ncol", ctx.findings).unwrap_or(0);
    let count = usize::try_from(rows).ok().zip(usize::try_from(columns).ok()).and_then(|(r, c)| r.checked_mul(c));
    let Some(count) = count.filter(|count| (1..=MAX_HEIGHTS).contains(count)) else {
        ctx.error(node, "height-field", format!("a height field of {rows} by {columns} cannot be made"));
        return None;
    };
    // Without elevation the field is flat at any resolution: four corners are equivalent.
    let Some(heights) = node.list("elevation", ctx.findings) else {
        let size = [2.0 * size[0], 2.0 * size[1]];
        return Some(Arc::new(HeightField { size, counts: [2, 2], heights: vec![0.0; 4] }));
    };
    if heights.len() != count {
        let text = format!("'elevation' has {} numbers; nrow times ncol is {count}", heights.len());
        ctx.error(node, "height-field", text);
        return None;
    }
    // The file lists the row of the highest y first, like an image.
    let heights: Vec<f64> = heights.chunks_exact(columns as usize).rev().flatten().copied().collect();
    Some(height_field(heights, [columns as usize, rows as usize], size))
}

/// A height field whose heights, in any unit, are scaled to the height given by `size`.
fn height_field(mut heights: Vec<f64>, counts: [usize; 2], size: [f64; 4]) -> Arc<HeightField> {
    let low = heights.iter().copied().fold(f64::INFINITY, f64::min);
    let high = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let scale = if high > low { size[2] / (high - low) } else { 0.0 };
    heights.iter_mut().for_each(|h| *h = (*h - low) * scale);
    Arc::new(HeightField { size: [2.0 * size[0], 2.0 * size[1]], counts, heights })
}

/// MuJoCo's binary format: rows and columns as 32-bit integers, then the heights as floats, the row of the lowest y
/// first.
fn height_field_file(node: &Node, name: &str, size: [f64; 4], ctx: &mut Context<'_>) -> Option<Arc<HeightField>> {
    if Path::new(name).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png")) {
        ctx.unsupported(node, "a height field in a PNG file", "write the heights into 'elevation'");
        return None;
    }
    let path = find_file(node, name, ctx)?;
    let size_of_file = std::fs::metadata(&path).map_or(0, |m| m.len());
    let bytes = if size_of_file > 8 + 4 * MAX_HEIGHTS as u64 { Ok(Vec::new()) } else { std::fs::read(&path) };
    let words: Vec<[u8; 4]> = bytes.unwrap_or_default().as_chunks::<4>().0.to_vec();
    let counts =
        words.first_chunk::<2>().map(|head| head.map(|w| usize::try_from(i32::from_le_bytes(w)).unwrap_or(0)));
    let heights: Vec<f64> = words.iter().skip(2).map(|w| f64::from(f32::from_le_bytes(*w))).collect();
    match counts {
        Some([rows, columns])
            if rows * columns == heights.len() && !heights.is_empty() && heights.iter().all(|h| h.is_finite()) =>
        {
            Some(height_field(heights, [columns, rows], size))
        }
        _ => {
            let text =
                format!("the height field '{}' does not hold the heights its first 8 bytes promise", path.display());
            ctx.error(node, "height-field", text);
            None
        }
    }
}
