//! `<compiler>`: settings for reading the rest of the file.

use super::context::Context;
use super::node::Node;
use crate::geometry::Vec3;
use std::f64::consts::PI;

/// When mass properties are computed from the geoms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InertiaFromGeom {
    /// Never: every body specifies its own.
    Never,
    /// Always, overriding the body's own.
    Always,
    /// If the body does not specify them.
    WhenMissing,
}

/// The combined settings of all `<compiler>` elements; the last value wins.
#[derive(Clone, Debug)]
pub(super) struct Compiler {
    /// Whether angles are in degrees.
    pub degrees: bool,
    /// Axes of `euler`: x, y or z, and whether the axis rotates with the frame.
    pub euler: [(Vec3, bool); 3],
    /// Whether giving a range enables its limit.
    pub autolimits: bool,
    /// When mass properties are computed from the geoms.
    pub inertia_from_geom: InertiaFromGeom,
    /// Geom groups that contribute to them.
    pub inertia_groups: [i64; 2],
    /// Minimum mass of a body [kg].
    pub bound_mass: f64,
    /// Minimum principal moment of a body [kg m²].
    pub bound_inertia: f64,
    /// Total mass of all bodies [kg].
    pub total_mass: Option<f64>,
    /// Whether impossible moments are replaced by their mean.
    pub balance_inertia: bool,
    /// Folder of meshes and height fields.
    pub mesh_folder: String,
    /// Whether folders in file names are removed.
    pub strip_path: bool,
    /// Whether primitives are fitted to the bounding box of a mesh instead of its inertia.
    pub fit_aabb: bool,
    /// Whether meshes are exact solids (an older notation for the mesh's own `inertia="exact"`).
    pub exact_mesh_inertia: bool,
}

impl Default for Compiler {
    fn default() -> Self {
        Self {
            degrees: true,
            euler: [(Vec3::x(), true), (Vec3::y(), true), (Vec3::z(), true)],
            autolimits: true,
            inertia_from_geom: InertiaFromGeom::WhenMissing,
            inertia_groups: [0, 5],
            bound_mass: 0.0,
            bound_inertia: 0.0,
            total_mass: None,
            balance_inertia: false,
            mesh_folder: String::new(),
            strip_path: false,
            fit_aabb: false,
            exact_mesh_inertia: false,
        }
    }
}

impl Compiler {
    /// Converts an angle of the file to radians.
    pub fn angle(&self, value: f64) -> f64 {
        if self.degrees { value / 180.0 * PI } else { value }
    }
}

/// Reads one `<compiler>`, overriding earlier ones.
pub(super) fn read(node: &Node, ctx: &mut Context<'_>) {
    ctx.check_attributes(node, "compiler");
    let mut c = ctx.compiler(node).clone();
    let f = &mut *ctx.findings;
    if let Some(word) = node.keyword("angle", &["degree", "radian"], f) {
        c.degrees = word == "degree";
    }
    if let Some(word) = node.keyword("coordinate", &["local", "global"], f)
        && word == "global"
    {
        let text = "coordinate=\"global\" is no longer part of MJCF; load and save the file in MuJoCo 2.3.3 or older \
                    to convert it";
        node.error(f, "global-coordinates", text);
    }
    if let Some(sequence) = node.attribute("eulerseq") {
        match euler_axes(sequence) {
            Some(axes) => c.euler = axes,
            None => node.error(f, "keyword", format!("eulerseq '{sequence}' is not three of x, y, z, X, Y, Z")),
        }
    }
    if let Some(word) = node.keyword("inertiafromgeom", &["false", "true", "auto"], f) {
        c.inertia_from_geom = match word {
            "false" => InertiaFromGeom::Never,
            "true" => InertiaFromGeom::Always,
            _ => InertiaFromGeom::WhenMissing,
        };
    }
    if let Some([low, high]) = node.numbers::<2>("inertiagrouprange", f) {
        c.inertia_groups = [low as i64, high as i64];
    }
    c.autolimits = node.flag("autolimits", f).unwrap_or(c.autolimits);
    c.bound_mass = node.number("boundmass", f).unwrap_or(c.bound_mass);
    c.bound_inertia = node.number("boundinertia", f).unwrap_or(c.bound_inertia);
    c.balance_inertia = node.flag("balanceinertia", f).unwrap_or(c.balance_inertia);
    c.fit_aabb = node.flag("fitaabb", f).unwrap_or(c.fit_aabb);
    c.strip_path = node.flag("strippath", f).unwrap_or(c.strip_path);
    c.exact_mesh_inertia = node.flag("exactmeshinertia", f).unwrap_or(c.exact_mesh_inertia);
    if let Some(total) = node.number("settotalmass", f) {
        c.total_mass = (total > 0.0).then_some(total);
    }
    if let Some(folder) = node.attribute("assetdir") {
        c.mesh_folder = folder.into();
    }
    if let Some(folder) = node.attribute("meshdir") {
        c.mesh_folder = folder.into();
    }
    ctx.compilers[node.scope] = c;

    if node.flag("fusestatic", ctx.findings) == Some(true) {
        ctx.note(
            node,
            "fusestatic",
            "fusestatic: bodies without joints stay bodies of their own; they move the same",
        );
    }
    if node.flag("discardvisual", ctx.findings) == Some(true) {
        ctx.note(node, "discardvisual", "discardvisual: shapes that are only drawn are kept; they change no motion");
    }
    if node.flag("alignfree", ctx.findings) == Some(true) {
        let hint = "positions of free bodies are those of the body frame as written";
        ctx.unsupported(node, "compiler alignfree", hint);
    }
}

fn euler_axes(sequence: &str) -> Option<[(Vec3, bool); 3]> {
    let axes: Option<Vec<(Vec3, bool)>> = sequence
        .chars()
        .map(|letter| {
            let axis = match letter.to_ascii_lowercase() {
                'x' => Vec3::x(),
                'y' => Vec3::y(),
                'z' => Vec3::z(),
                _ => return None,
            };
            Some((axis, letter.is_ascii_lowercase()))
        })
        .collect();
    axes?.try_into().ok()
}
