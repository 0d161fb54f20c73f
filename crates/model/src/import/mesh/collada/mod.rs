//! COLLADA 1.4 and 1.5: the triangles of a scene, in metres with z up.
//!
//! A file holds geometries and a scene that places them: nested nodes, each with a chain of transforms, each instancing
//! geometries or further nodes by reference. [`geometry`] reads the first, this file walks the second. A file without a
//! scene gives all its geometries untransformed.

mod geometry;

use super::{Fault, MAX_BYTES, MeshFault, check_count, malformed};
use crate::finding::Findings;
use crate::geometry::{Vec3, quat_about};
use crate::import::xml::{self, Element};
use crate::mesh::TriangleMesh;
use nalgebra as na;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::rc::Rc;

/// Maximum depth of nodes followed through references; a cycle would never end.
const MAX_DEPTH: usize = 256;
/// Maximum number of elements visited in nodes: nodes that instance each other twice double the count at each level.
const MAX_VISITS: usize = 1_000_000;

const _: () = assert!(MAX_BYTES <= xml::MAX_BYTES as u64);

pub(super) fn read(bytes: &[u8]) -> Result<TriangleMesh, Fault> {
    if bytes.is_empty() {
        return Err(malformed(None, "is empty"));
    }
    let mut findings = Findings::new();
    let read = xml::with_document(bytes, &"".into(), &mut findings, |root, _| read_document(root));
    read.unwrap_or_else(|| {
        let first = findings.iter().next();
        let line = first.and_then(|f| f.source.as_ref()).map(|s| s.line).filter(|l| *l > 0);
        Err(malformed(line, first.map_or("is not XML".into(), |f| f.text.clone())))
    })
}

fn read_document(root: Element<'_>) -> Result<TriangleMesh, Fault> {
    if root.name() != "COLLADA" {
        let text = format!("the root element is <{}>; expected <COLLADA>", root.name());
        return Err(fault(&root, text));
    }
    let mut by_id = BTreeMap::new();
    collect_ids(root, &mut by_id);
    let mut scene = Scene {
        by_id,
        arrays: BTreeMap::new(),
        geometries: BTreeMap::new(),
        mesh: TriangleMesh::default(),
        visits: 0,
    };
    let upright = metres_with_z_up(root)?;

    let named = root.child("scene").and_then(|s| s.child("instance_visual_scene"));
    let visual_scene = match named {
        Some(instance) => Some(scene.referred(instance, "url", "visual_scene")?),
        None => root.child("library_visual_scenes").and_then(|l| l.child("visual_scene")),
    };
    match visual_scene {
        Some(visual_scene) => {
            for node in visual_scene.children_named("node") {
                scene.add_node(node, &upright, 0)?;
            }
        }
        None => {
            for library in root.children_named("library_geometries") {
                for geometry in library.children_named("geometry") {
                    scene.add_geometry(geometry, &upright)?;
                }
            }
        }
    }
    Ok(scene.mesh)
}

/// The file's unit and up axis as one transform. COLLADA's default is Y up.
fn metres_with_z_up(root: Element<'_>) -> Result<na::Matrix4<f64>, Fault> {
    let asset = root.child("asset");
    let metre = match asset.and_then(|a| a.child("unit")).and_then(|u| u.attribute("meter").map(|m| (u, m))) {
        Some((unit, word)) => word
            .trim()
            .parse::<f64>()
            .ok()
            .filter(|m| *m > 0.0 && m.is_finite())
            .ok_or_else(|| fault(&unit, format!("the unit '{word}' is not a number of metres")))?,
        None => 1.0,
    };
    let up = asset.and_then(|a| a.child("up_axis"));
    let columns = match up.map_or("Y_UP", |u| u.text()) {
        // Right, up and towards the viewer are x, z, -y with Z_UP; -y, x, z with X_UP; x, y, z with Y_UP.
        "Z_UP" => [Vec3::x(), Vec3::y(), Vec3::z()],
        "X_UP" => [Vec3::z(), -Vec3::x(), -Vec3::y()],
        "Y_UP" => [Vec3::x(), Vec3::z(), -Vec3::y()],
        other => {
            let text = format!("up_axis is '{other}'; expected X_UP, Y_UP or Z_UP");
            return Err(up.map_or_else(|| malformed(None, text.clone()), |u| fault(&u, text.clone())));
        }
    };
    Ok((na::Matrix3::from_columns(&columns) * metre).to_homogeneous())
}

struct Scene<'a> {
    by_id: BTreeMap<&'a str, Element<'a>>,
    /// Arrays and geometries already read, by the address of their element: an array shared by a thousand elements is
    /// read once.
    arrays: BTreeMap<usize, Rc<Vec<f64>>>,
    geometries: BTreeMap<usize, TriangleMesh>,
    mesh: TriangleMesh,
    visits: usize,
}

impl<'a> Scene<'a> {
    /// The element an attribute refers to with `#id`, which must have this tag.
    fn referred(&self, from: Element<'a>, attribute: &str, tag: &str) -> Result<Element<'a>, Fault> {
        let reference = from.attribute(attribute).unwrap_or("");
        let found = reference.strip_prefix('#').and_then(|id| self.by_id.get(id)).filter(|e| e.name() == tag);
        found.copied().ok_or_else(|| fault(&from, format!("'{reference}' is not a <{tag}> of this file")))
    }

    fn add_node(&mut self, node: Element<'a>, outer: &na::Matrix4<f64>, depth: usize) -> Result<(), Fault> {
        self.visits += 1 + node.children().count();
        if depth > MAX_DEPTH || self.visits > MAX_VISITS {
            return Err(fault(&node, "nodes refer to each other in a circle".into()));
        }
        let mut placed = *outer;
        // Transforms precede everything they act on.
        for child in node.children() {
            if let Some(transform) = transform(child)? {
                placed *= transform;
            }
        }
        for child in node.children() {
            match child.name() {
                "node" => self.add_node(child, &placed, depth + 1)?,
                "instance_node" => {
                    let shown = self.referred(child, "url", "node")?;
                    self.add_node(shown, &placed, depth + 1)?;
                }
                "instance_geometry" => {
                    let shown = self.referred(child, "url", "geometry")?;
                    self.add_geometry(shown, &placed)?;
                }
                "instance_controller" => {
                    let text = "has a skinned or morphed shape (instance_controller), which is not read".to_string();
                    return Err((Some(child.source().line), MeshFault::Unsupported(text)));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn add_geometry(&mut self, element: Element<'a>, placed: &na::Matrix4<f64>) -> Result<(), Fault> {
        let part = match self.geometries.entry(place(&element)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(vacant) => vacant.insert(geometry::read(element, &self.by_id, &mut self.arrays)?),
        };
        check_count(self.mesh.triangles.len() + part.triangles.len())?;
        let first = self.mesh.vertices.len() as u32;
        let linear: na::Matrix3<f64> = placed.fixed_view::<3, 3>(0, 0).into();
        let shift: Vec3 = placed.fixed_view::<3, 1>(0, 3).into();
        self.mesh.vertices.extend(part.vertices.iter().map(|v| linear * v + shift));
        // A mirrored part has its triangles reversed, so that their outside stays outside.
        let mirrored = linear.determinant() < 0.0;
        let turned = |[a, b, c]: [u32; 3]| if mirrored { [a, c, b] } else { [a, b, c] };
        self.mesh.triangles.extend(part.triangles.iter().map(|t| turned(t.map(|i| first + i))));
        Ok(())
    }
}

/// A transform element as a matrix; `None` for any other element.
fn transform(element: Element<'_>) -> Result<Option<na::Matrix4<f64>>, Fault> {
    let text = element.text();
    Ok(Some(match element.name() {
        "matrix" => na::Matrix4::from_row_slice(&exactly::<16>(&element, text)?),
        "translate" => na::Matrix4::new_translation(&Vec3::from(exactly::<3>(&element, text)?)),
        "scale" => na::Matrix4::new_nonuniform_scaling(&Vec3::from(exactly::<3>(&element, text)?)),
        "rotate" => {
            let [x, y, z, degrees] = exactly::<4>(&element, text)?;
            let axis = Vec3::new(x, y, z);
            let norm = axis.norm();
            if degrees == 0.0 {
                na::Matrix4::identity()
            } else if norm > 0.0 && norm.is_finite() {
                quat_about(&(axis / norm), degrees.to_radians()).to_homogeneous()
            } else {
                return Err(fault(&element, "a rotation has no axis".into()));
            }
        }
        name @ ("lookat" | "skew") => {
            let text = format!("places a node with <{name}>, which is not read");
            return Err((Some(element.source().line), MeshFault::Unsupported(text)));
        }
        _ => return Ok(None),
    }))
}

fn exactly<const N: usize>(element: &Element<'_>, text: &str) -> Result<[f64; N], Fault> {
    let numbers = numbers(element, text)?;
    let count = numbers.len();
    numbers.try_into().map_err(|_| fault(element, format!("<{}> has {count} numbers; expected {N}", element.name())))
}

fn numbers(element: &Element<'_>, text: &str) -> Result<Vec<f64>, Fault> {
    let parse = |word: &str| match word.parse::<f64>() {
        Ok(x) if x.is_finite() => Ok(x),
        _ => {
            let shown: String = word.chars().take(40).collect();
            Err(fault(element, format!("'{shown}' in <{}> is not a finite number", element.name())))
        }
    };
    text.split_whitespace().map(parse).collect()
}

fn collect_ids<'a>(element: Element<'a>, by_id: &mut BTreeMap<&'a str, Element<'a>>) {
    if let Some(id) = element.attribute("id") {
        by_id.entry(id).or_insert(element);
    }
    element.children().for_each(|child| collect_ids(child, by_id));
}

/// Identity of an element.
fn place(element: &Element<'_>) -> usize {
    element.raw().as_ptr() as usize
}

fn fault(element: &Element<'_>, text: String) -> Fault {
    malformed(element.source().line, text)
}

#[cfg(test)]
mod tests;
