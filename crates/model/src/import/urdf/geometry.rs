//! `<geometry>`: the shape, and its pose in the visual or collision it belongs to.

use super::super::mesh::MeshFinder;
use super::super::xml::Element;
use super::required_number;
use super::unread::Unread;
use crate::finding::{Findings, Severity};
use crate::geometry::{Pose, Vec3, frame_with_z};
use crate::shape::Shape;

/// The shape inside a `<visual>` or `<collision>`; `None` if there is no usable shape, which has been reported.
pub(super) fn read(
    element: Element<'_>,
    link: &str,
    subject: &str,
    meshes: &mut MeshFinder<'_>,
    unread: &mut Unread,
    findings: &mut Findings,
) -> Option<(Shape, Pose)> {
    // Shapes that are only drawn affect no result.
    let (severity, lost) = match element.name() {
        "collision" => (
            Severity::Warning,
            format!("this collision shape of link '{link}' is left out and nothing will touch it"),
        ),
        _ => (Severity::Note, format!("this visual of link '{link}' is left out")),
    };
    let Some(geometry) = super::only(element, "geometry", unread) else {
        let text = format!("<{}> has no <geometry>, so {lost}; give it one", element.name());
        findings.add(severity, "shape-missing", Some(element.source()), subject, text);
        return None;
    };
    let mut children = geometry.children().filter(|c| {
        // Some files put the colour here.
        let colour = c.name() == "material";
        if colour {
            unread.appearance(*c);
        }
        !colour
    });
    let Some(child) = children.next() else {
        let text = format!("<geometry> is empty, so {lost}; give it a shape");
        findings.add(severity, "shape-missing", Some(geometry.source()), subject, text);
        return None;
    };
    for extra in children {
        let text = format!("<geometry> holds more than one shape and <{}> is left out; one shape each", extra.name());
        findings.add(severity, "shape-missing", Some(extra.source()), subject, text);
    }

    // An unreadable number loses this shape, not the robot.
    let mut faults = Findings::new();
    let found = read_one(child, subject, meshes, unread, (severity, &lost), &mut faults);
    for fault in faults {
        if fault.severity == Severity::Error {
            let severity = if severity >= Severity::Warning { Severity::Error } else { Severity::Warning };
            findings.add(severity, "shape-number", fault.source, subject, format!("{}, so {lost}", fault.text));
        } else {
            findings.add(fault.severity, fault.code, fault.source, fault.subject, fault.text);
        }
    }
    found
}

/// One shape, with the problems found.
fn read_one(
    child: Element<'_>,
    subject: &str,
    meshes: &mut MeshFinder<'_>,
    unread: &mut Unread,
    (severity, lost): (Severity, &str),
    findings: &mut Findings,
) -> Option<(Shape, Pose)> {
    let attributes: &[&str] = match child.name() {
        "sphere" => &["radius"],
        "box" => &["size"],
        "cylinder" | "capsule" => &["radius", "length"],
        "plane" => &["normal"],
        _ => &["filename", "scale"],
    };
    let mut number = |name: &str| required_number(child, name, subject, findings);
    let shape = match child.name() {
        "sphere" => Shape::Sphere { radius: number("radius")? },
        "cylinder" => match (number("radius")?, number("length")?) {
            // A cylinder of zero length is a disc: the sharp rim of a walker's foot.
            (radius, 0.0) => Shape::Disc { radius },
            (radius, length) => Shape::Cylinder { radius, length },
        },
        "capsule" => Shape::Capsule { radius: number("radius")?, length: number("length")? },
        "box" => match child.vector("size", findings) {
            Some(size) => Shape::Box { size },
            None => {
                if child.attribute("size").is_none() {
                    child.error(findings, "attribute-missing", subject, "<box> has no 'size'; give it three lengths");
                }
                return None;
            }
        },
        "plane" => {
            unread.check(child, attributes, &[]);
            let normal = child.vector("normal", findings).unwrap_or_else(Vec3::z);
            let norm = normal.norm();
            if !(norm > 0.0 && norm.is_finite()) {
                child.error(findings, "number", subject, "the normal of <plane> has no direction");
                return None;
            }
            return Some((Shape::Plane, Pose::from_parts(Vec3::zeros().into(), frame_with_z(&(normal / norm)))));
        }
        "mesh" => {
            let file = child.attribute("filename").unwrap_or("").trim();
            let scale = match child.attribute("scale") {
                Some(_) => child.vector("scale", findings)?,
                None => Vec3::repeat(1.0),
            };
            unread.check(child, attributes, &[]);
            if file.is_empty() {
                let text = format!("<mesh> has no 'filename', so {lost}");
                findings.add(severity, "mesh-missing", Some(child.source()), subject, text);
                return None;
            }
            Shape::Mesh(meshes.get(file, scale, child, subject, (severity, lost), findings)?)
        }
        other => {
            let text = format!("shape <{other}> is not supported, so {lost}; use a box, sphere, cylinder or mesh");
            findings.add(severity, "unsupported", Some(child.source()), subject, text);
            return None;
        }
    };
    unread.check(child, attributes, &[]);
    if !shape.size_is_positive() {
        // Some files hide a link this way, or keep a placeholder for a removed collision shape.
        let text =
            format!("a size of the {} is not positive, so {lost}; give it its size or remove it", shape.name());
        findings.add(severity, "shape-size", Some(child.source()), subject, text);
        return None;
    }
    Some((shape, Pose::identity()))
}
