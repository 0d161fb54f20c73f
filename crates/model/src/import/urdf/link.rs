//! `<link>`: mass, shapes and surface properties.

use super::super::mesh::MeshFinder;
use super::super::xml::Element;
use super::origin::origin;
use super::unread::Unread;
use super::{geometry, only, required_number};
use crate::body::{Body, BodyShape};
use crate::finding::Findings;
use crate::geometry::Vec3;
use crate::inertia::Inertia;
use crate::material::Material;
use std::collections::{BTreeMap, BTreeSet};

/// A link as read.
pub(super) struct Link {
    /// Everything except the surface material.
    pub body: Body,
    /// Surface material of its collision shapes, if the file specifies any property.
    pub surface: Option<Material>,
    /// Self-collision setting of `<gazebo>`.
    pub self_collide: Option<bool>,
}

impl Link {
    /// The surface material, created if missing.
    pub fn surface_mut(&mut self) -> &mut Material {
        let name = self.body.name.clone();
        self.surface.get_or_insert_with(|| Material { name, ..Material::default() })
    }
}

pub(super) fn read(
    element: Element<'_>,
    meshes: &mut MeshFinder<'_>,
    unread: &mut Unread,
    findings: &mut Findings,
) -> Link {
    // PyBullet marks a link as concave to keep its triangles; this importer always keeps them.
    unread.check(element, &["name", "concave"], &["inertial", "visual", "collision", "contact"]);
    let name = element.attribute("name").unwrap_or("").trim().to_string();
    let subject = format!("bodies/{name}");
    let inertia = only(element, "inertial", unread)
        .map_or_else(Inertia::zero, |inertial| read_inertial(inertial, &subject, unread, findings));
    let mut body = Body::new(name, inertia);
    body.source = Some(element.source());
    let mut names = ShapeNames::default();
    for part in ["collision", "visual"].iter().flat_map(|kind| element.children_named(kind)) {
        let name = names.make(part.attribute("name").unwrap_or("").trim(), part.name());
        if let Some(shape) = read_shape(part, name, &body.name, meshes, unread, findings) {
            body.shapes.push(shape);
        }
    }
    let mut link = Link { body, surface: None, self_collide: None };
    if let Some(contact) = only(element, "contact", unread) {
        read_contact(contact, &mut link, unread, findings);
    }
    link
}

/// Mass and tensor; the tensor is given about the centre of mass along the axes of the inertial's own origin.
fn read_inertial(element: Element<'_>, subject: &str, unread: &mut Unread, findings: &mut Findings) -> Inertia {
    unread.check(element, &[], &["origin", "mass", "inertia"]);
    let body_from_inertial = origin(element, unread, findings);
    let given = only(element, "mass", unread).inspect(|mass| unread.check(*mass, &["value"], &[]));
    let mass = match given.filter(|mass| mass.attribute("value").is_some()) {
        Some(mass) => mass.number("value", findings),
        None => {
            let text = "<inertial> has no <mass value=\"…\"/>, so the body has no mass here; give it one [kg]";
            element.error(findings, "mass-missing", subject, text);
            None
        }
    };
    let tensor = match only(element, "inertia", unread) {
        Some(inertia) => {
            unread.check(inertia, &["ixx", "ixy", "ixz", "iyy", "iyz", "izz"], &[]);
            let mut moment = |name| required_number(inertia, name, subject, findings).unwrap_or(0.0);
            let diagonal = ["ixx", "iyy", "izz"].map(&mut moment);
            // Tools that write principal axes may omit the products.
            let [ixy, ixz, iyz] = ["ixy", "ixz", "iyz"].map(|name| inertia.number(name, findings).unwrap_or(0.0));
            [diagonal[0], diagonal[1], diagonal[2], ixy, ixz, iyz]
        }
        None => {
            let text = "<inertial> has no <inertia>; the body is a point mass here, which cannot be turned";
            element.warning(findings, "inertia-missing", subject, text);
            [0.0; 6]
        }
    };
    Inertia::new(mass.unwrap_or(0.0), Vec3::zeros(), tensor).transformed(&body_from_inertial)
}

/// One `<visual>` or `<collision>`; `None` if it could not be read, which has been reported.
fn read_shape(
    element: Element<'_>,
    name: String,
    link: &str,
    meshes: &mut MeshFinder<'_>,
    unread: &mut Unread,
    findings: &mut Findings,
) -> Option<BodyShape> {
    let collides = element.name() == "collision";
    let (attributes, children): (&[&str], &[&str]) = if collides {
        (&["name", "concave", "group", "mask"], &["origin", "geometry", "material"])
    } else {
        (&["name"], &["origin", "geometry", "material"])
    };
    unread.check(element, attributes, children);
    if let Some(material) = element.child("material") {
        unread.appearance(material);
    }
    let subject = format!("bodies/{link}/shapes/{name}");
    let body_from_element = origin(element, unread, findings);
    let (shape, element_from_shape) = geometry::read(element, link, &subject, meshes, unread, findings)?;
    let mut out = BodyShape::new(name, shape, body_from_element * element_from_shape);
    out.collides = collides;
    out.visible = !collides;
    out.source = Some(element.source());
    if element.attribute("group").is_some() || element.attribute("mask").is_some() {
        read_filter(element, &subject, &mut out, findings);
    }
    Some(out)
}

/// Names for the shapes of one link: those in the file if given, made unique.
#[derive(Default)]
struct ShapeNames {
    taken: BTreeSet<String>,
    made: BTreeMap<String, usize>,
}

impl ShapeNames {
    /// URDF allows the same name on a visual and a collision, and no name at all.
    fn make(&mut self, given: &str, kind: &str) -> String {
        if !given.is_empty() && self.taken.insert(given.to_string()) {
            return given.to_string();
        }
        let stem = if given.is_empty() { kind.to_string() } else { format!("{given}_{kind}") };
        let next = self.made.entry(stem.clone()).or_default();
        loop {
            let name = format!("{stem}{next}");
            *next += 1;
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// PyBullet's collision groups. PyBullet requires a match in both directions; this model requires one.
fn read_filter(element: Element<'_>, subject: &str, shape: &mut BodyShape, findings: &mut Findings) {
    let mut bits = |name: &str, default: u32| match element.attribute(name).map(|w| w.trim().parse::<i64>()) {
        None => default,
        // -1 is the usual notation for "all".
        Some(Ok(bits)) => bits as u32,
        // Drake's groups have names (Atlas, Valkyrie).
        Some(Err(_)) => {
            let what = format!("a collision {name} that is not a whole number");
            element.unsupported(findings, subject, &what, "the shape touches what any other touches");
            default
        }
    };
    (shape.group, shape.mask) = (bits("group", 1), bits("mask", u32::MAX));
    if shape.group == 0 || shape.mask == 0 {
        // In PyBullet an empty group or mask touches nothing at all.
        shape.collides = false;
        shape.visible = false;
        let text = "an empty collision group or mask: this shape touches nothing, as in PyBullet";
        element.warning(findings, "collision-off", subject, text);
    } else {
        let text = "collision groups are PyBullet's, where both shapes must be willing to touch; here one is enough";
        element.warning(findings, "collision-filter", subject, text);
    }
}

/// PyBullet's `<contact>`: surface properties, and settings that only Bullet understands.
fn read_contact(element: Element<'_>, link: &mut Link, unread: &mut Unread, findings: &mut Findings) {
    const READ: [&str; 5] = ["lateral_friction", "rolling_friction", "spinning_friction", "restitution", "stiffness"];
    const CARRIED: [&str; 5] = ["damping", "contact_cfm", "contact_erp", "inertia_scaling", "friction_anchor"];
    unread.check(element, &[], &[&READ[..], &CARRIED[..]].concat());
    let subject = format!("bodies/{}", link.body.name);
    let surface = link.surface_mut();
    for child in element.children() {
        let name = child.name();
        if CARRIED.contains(&name) {
            unread.check(child, &["value"], &[]);
            let value = child.attribute("value").unwrap_or("true");
            surface.engine_settings.push(("bullet".into(), name.into(), value.into()));
        } else if READ.contains(&name) {
            unread.check(child, &["value"], &[]);
            let Some(value) = required_number(child, "value", &subject, findings) else { continue };
            match name {
                "lateral_friction" => surface.friction = [value; 2],
                "rolling_friction" => surface.rolling_friction = value,
                "spinning_friction" => surface.torsional_friction = value,
                "restitution" => surface.restitution = value,
                _ => surface.stiffness = Some(value),
            }
        }
    }
}
