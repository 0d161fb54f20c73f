//! `<geom>`: a shape with its surface and, if the body does not specify its mass, the mass it contributes.
//!
//! MuJoCo uses half sizes, the model's shapes full sizes. A mesh stays in the coordinates of its file; MuJoCo recentres
//! it internally, which moves nothing in the world.

use super::asset::{Assets, MeshAsset, MeshInertia};
use super::context::Context;
use super::defaults::class_of;
use super::node::Node;
use super::pose::{self, direction};
use super::{fit, mesh_inertia, shell_inertia};
use crate::finding::{Severity, Source};
use crate::geometry::{Pose, Vec3, frame_with_z};
use crate::inertia::Inertia;
use crate::material::Material;
use crate::shape::Shape;

/// A geom as read.
#[derive(Clone, Debug)]
pub(super) struct Geom {
    /// The name in the file.
    pub name: Option<String>,
    /// The shape.
    pub shape: Shape,
    /// Its pose in the body.
    pub body_from_geom: Pose,
    /// Its mass properties, in the body frame; `None` if geoms of its group do not count or they cannot be computed.
    pub inertia: Option<Inertia>,
    /// `contype`.
    pub group: u32,
    /// `conaffinity`.
    pub mask: u32,
    /// Its surface; the name is set later.
    pub surface: Material,
    /// Its position in the file.
    pub source: Source,
}

/// Density if a geom gives none [kg/m³].
const WATER: f64 = 1000.0;
/// Slide, spin and roll friction if a geom gives none.
const FRICTION: [f64; 3] = [1.0, 0.005, 0.0001];

/// Reads a geom in a frame at `body_from_frame`; `None` if it cannot be built, which has been reported.
pub(super) fn read(
    node: &Node,
    class: &str,
    body_from_frame: &Pose,
    assets: &Assets,
    ctx: &mut Context<'_>,
) -> Option<Geom> {
    ctx.check_attributes(node, "geom");
    ctx.check_children(node, &[]);
    let class = class_of(node, class, ctx);
    let full = ctx.defaults.complete(node, "geom", class);
    if let Some(name) = full.attribute("material").filter(|name| !assets.materials.contains(*name)) {
        let text =
            format!("there is no material '{name}'; MuJoCo rejects the file, although materials are only drawn");
        ctx.warn_once(node, "material-missing", &text);
    }
    let (shape, frame_from_geom) = shape_and_pose(&full, assets, ctx)?;
    let body_from_geom = body_from_frame * frame_from_geom;
    let inertia = weigh(&full, &shape, assets, ctx).map(|inertia| inertia.transformed(&body_from_geom));
    let mut bits = |name: &str| match full.integer(name, ctx.findings) {
        None => 1,
        // A 32-bit mask; files write all bits as -1 or as 4294967295.
        Some(value) => value as u32,
    };
    let (group, mask) = (bits("contype"), bits("conaffinity"));
    // MuJoCo collides with the convex hull; a mesh that is only drawn keeps its triangles.
    let shape = match shape {
        Shape::Mesh(mesh) if group != 0 || mask != 0 => Shape::Convex(mesh),
        other => other,
    };
    let surface = surface(&full, group != 0 || mask != 0, ctx);
    let name = node.given_name().map(str::to_string);
    Some(Geom { name, shape, body_from_geom, inertia, group, mask, surface, source: node.source.clone() })
}

fn shape_and_pose(node: &Node, assets: &Assets, ctx: &mut Context<'_>) -> Option<(Shape, Pose)> {
    let kinds = ["sphere", "plane", "hfield", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf"];
    let kind = match node.attribute("type") {
        None => "sphere",
        Some(_) => node.keyword("type", &kinds, ctx.findings)?,
    };
    if kind == "sdf" {
        ctx.unsupported(node, "a geom of type sdf", "use a mesh or a primitive");
        return None;
    }
    let mut size = node.up_to::<3>("size", [0.0; 3], ctx.findings);
    let mut place = pose::read(node, ctx);
    if kind != "mesh" && node.has("mesh") {
        let (mesh_from_geom, fitted) = fitted(node, kind, assets, ctx)?;
        (place, size) = (place * mesh_from_geom, fitted);
    }
    if node.has("fromto") {
        let ends = node.numbers::<6>("fromto", ctx.findings)?;
        (place, size) = stretch(node, kind, ends, size, ctx)?;
    }
    let needed = match kind {
        "sphere" => 1,
        "capsule" | "cylinder" => 2,
        "ellipsoid" | "box" => 3,
        _ => 0,
    };
    if size[..needed].iter().any(|x| !(x.is_finite() && *x > 0.0)) {
        let text = format!("a {kind} geom needs {needed} positive size(s), but has {:?}", &size[..needed]);
        ctx.error(node, "geom-size", text);
        return None;
    }
    if kind == "plane" && size[2] <= 0.0 {
        let text = "the third size of a plane (its grid, only drawn) is not positive; MuJoCo rejects the file";
        ctx.warn_once(node, "geom-size", text);
    }
    let shape = match kind {
        "sphere" => Shape::Sphere { radius: size[0] },
        "capsule" => Shape::Capsule { radius: size[0], length: 2.0 * size[1] },
        "cylinder" => Shape::Cylinder { radius: size[0], length: 2.0 * size[1] },
        "ellipsoid" => Shape::Ellipsoid { radii: Vec3::from(size) },
        "box" => Shape::Box { size: Vec3::from(size) * 2.0 },
        "plane" => Shape::Plane,
        "mesh" => Shape::Mesh(asset(node, "mesh", &assets.meshes, ctx)?.mesh.clone()),
        _ => Shape::HeightField(asset(node, "hfield", &assets.height_fields, ctx)?.clone()),
    };
    Some((shape, place))
}

/// Pose in the mesh and sizes of a primitive fitted to the mesh it names.
fn fitted(node: &Node, kind: &str, assets: &Assets, ctx: &mut Context<'_>) -> Option<(Pose, [f64; 3])> {
    let mesh = asset(node, "mesh", &assets.meshes, ctx)?;
    if ctx.compiler(node).fit_aabb {
        ctx.unsupported(node, "fitting a primitive to a mesh with fitaabb", "give the geom its own size");
        return None;
    }
    let scale = node.number("fitscale", ctx.findings).unwrap_or(1.0);
    let fitted = mesh_of_density(mesh, 1.0).and_then(|inertia| fit::primitive(kind, &inertia, scale));
    if fitted.is_none() {
        ctx.error(node, "geom-size", format!("no {kind} can be fitted to the mesh, which encloses no volume"));
    }
    fitted
}

/// The mass of a geom that could not be built.
#[derive(Clone, Debug)]
pub(super) struct Lost {
    /// `mass`, if the file gives it; `None` if it depends on a volume.
    pub mass: Option<f64>,
    /// The element.
    pub node: Node,
}

/// The mass lost with a geom that was left out; `None` if it does not contribute mass.
pub(super) fn lost_mass(node: &Node, class: &str, ctx: &mut Context<'_>) -> Option<Lost> {
    let class = class_of(node, class, ctx);
    let full = ctx.defaults.complete(node, "geom", class);
    let group = full.integer("group", ctx.findings).unwrap_or(0);
    let [low, high] = ctx.compiler(node).inertia_groups;
    let mass = full.number("mass", ctx.findings);
    let density = full.number("density", ctx.findings).unwrap_or(WATER);
    let weighs = mass.map_or(density > 0.0, |mass| mass > 0.0);
    let has_volume = !matches!(full.attribute("type"), Some("plane" | "hfield"));
    ((low..=high).contains(&group) && weighs && has_volume).then(|| Lost { mass, node: node.clone() })
}

/// The asset that an attribute names.
fn asset<'a, T>(
    node: &Node,
    attribute: &str,
    assets: &'a std::collections::BTreeMap<String, Option<T>>,
    ctx: &mut Context<'_>,
) -> Option<&'a T> {
    let Some(name) = node.attribute(attribute) else {
        ctx.error(node, "reference", format!("a geom of type {attribute} names no {attribute}"));
        return None;
    };
    match assets.get(name) {
        Some(Some(asset)) => Some(asset),
        // Could not be read, which has been reported at the asset.
        Some(None) => {
            let touches = ["contype", "conaffinity"].iter().any(|bits| node.integer(bits, ctx.findings) != Some(0));
            // Shapes that are only drawn affect no result; lost mass is reported with its body.
            let severity = if touches { Severity::Warning } else { Severity::Note };
            ctx.needs_asset(name, severity);
            let text = format!("the geom is left out because its {attribute} '{name}' was not read");
            ctx.findings.add(severity, "geom-left-out", Some(node.source.clone()), "geom", text);
            None
        }
        None => {
            ctx.error(node, "reference", format!("there is no {attribute} '{name}' in <asset>"));
            None
        }
    }
}

/// Pose and sizes of a geom given by its two ends. MuJoCo's z axis points from the second end to the first.
fn stretch(
    node: &Node,
    kind: &str,
    [ax, ay, az, bx, by, bz]: [f64; 6],
    mut size: [f64; 3],
    ctx: &mut Context<'_>,
) -> Option<(Pose, [f64; 3])> {
    let (from, to) = (Vec3::new(ax, ay, az), Vec3::new(bx, by, bz));
    let (half, z) = (0.5 * (from - to).norm(), direction(from - to));
    let (true, Some(z)) = (["capsule", "cylinder", "box", "ellipsoid"].contains(&kind), z) else {
        let text =
            format!("'fromto' needs a capsule, cylinder, box or ellipsoid and two different ends; this is a {kind}");
        ctx.error(node, "geom-size", text);
        return None;
    };
    match kind {
        "capsule" | "cylinder" => size[1] = half,
        _ => size = [size[0], size[0], half],
    }
    Some((Pose::from_parts(((from + to) * 0.5).into(), frame_with_z(&z)), size))
}

/// The mass properties of the geom in its own frame.
fn weigh(node: &Node, shape: &Shape, assets: &Assets, ctx: &mut Context<'_>) -> Option<Inertia> {
    let group = node.integer("group", ctx.findings).unwrap_or(0);
    let [low, high] = ctx.compiler(node).inertia_groups;
    if !(low..=high).contains(&group) || matches!(shape, Shape::Plane | Shape::HeightField(_)) {
        return None;
    }
    let shell = node.flag("shellinertia", ctx.findings).unwrap_or(false);
    let of_density = |density: f64| match shape {
        Shape::Mesh(_) => {
            let mesh = node.attribute("mesh").and_then(|name| assets.meshes.get(name)?.as_ref());
            mesh.and_then(|mesh| mesh_of_density(mesh, density))
        }
        other if shell => shell_inertia::of_shape(other, density),
        other => other.solid_inertia(density),
    };
    let mass = node.number("mass", ctx.findings);
    let density = node.number("density", ctx.findings).unwrap_or(WATER);
    let inertia = match mass {
        Some(mass) => of_density(1.0).map(|unit| {
            let factor = mass / unit.mass;
            Inertia { mass, com: unit.com, tensor: unit.tensor * factor }
        }),
        None => of_density(density),
    };
    match inertia {
        Some(inertia) if inertia.is_finite() && inertia.mass >= 0.0 => Some(inertia),
        Some(_) => {
            ctx.error(node, "mass", "the mass of the geom is negative or not finite; check size, mass and density");
            None
        }
        None => {
            let text = "the mesh encloses no volume that could be weighed (is it closed?); the geom adds no mass";
            ctx.warning(node, "mesh-open", text);
            None
        }
    }
}

/// Mass properties of a mesh by its own rule.
fn mesh_of_density(asset: &MeshAsset, density: f64) -> Option<Inertia> {
    match asset.inertia {
        MeshInertia::Convex => asset.mesh.convex_hull_inertia(density),
        MeshInertia::Exact => asset.mesh.solid_inertia(density),
        MeshInertia::Shell => asset.mesh.shell_inertia(density),
        MeshInertia::Legacy => mesh_inertia::legacy(&asset.mesh, density),
    }
}

/// Friction as a material, with the solver settings kept verbatim.
fn surface(node: &Node, collides: bool, ctx: &mut Context<'_>) -> Material {
    let [slide, spin, roll] = node.up_to::<3>("friction", FRICTION, ctx.findings);
    let dimensions = node.integer("condim", ctx.findings).unwrap_or(3);
    if dimensions == 1 && collides {
        let text = "condim=\"1\": MuJoCo lets two such geoms touch without friction, but not one of them and a geom \
                    with condim 3 or more; the model keeps the friction of each for every contact";
        ctx.warn_once(node, "condim", text);
    }
    let kept = ["condim", "friction", "solref", "solimp", "solmix", "priority", "margin", "gap"];
    let words =
        kept.iter().filter_map(|name| Some(("mujoco".into(), name.to_string(), node.attribute(name)?.into())));
    Material {
        friction: [slide, slide],
        // These act only if the contact dimension is large enough.
        torsional_friction: if dimensions >= 4 { spin } else { 0.0 },
        rolling_friction: if dimensions >= 6 { roll } else { 0.0 },
        engine_settings: words.collect(),
        ..Material::default()
    }
}
