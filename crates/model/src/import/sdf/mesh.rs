//! `<mesh>`: triangles from a file.

use super::super::mesh::load;
use super::super::xml::Element;
use super::reader::{Document, Reader};
use crate::finding::Severity;
use crate::geometry::Vec3;
use crate::mesh::TriangleMesh;
use crate::shape::Shape;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Meshes read so far, over all included documents: the same file at the same scale is read once and shared.
#[derive(Default)]
pub(super) struct Meshes {
    read: BTreeMap<(PathBuf, [u64; 3]), Result<Arc<TriangleMesh>, String>>,
}

impl Reader {
    /// Reads a mesh; `None` if it is missing or cannot be read, with a warning that states what is lost.
    pub fn mesh(
        &mut self,
        element: Element<'_>,
        document: Document<'_>,
        collides: bool,
        name: &str,
    ) -> Option<Shape> {
        self.known_attributes(element, &["optimization"]);
        let mut hull = false;
        match element.attribute("optimization").unwrap_or("").trim() {
            "" => {}
            "convex_hull" => hull = true,
            "convex_decomposition" => {
                self.unsupported(element, "convex decomposition of a mesh", "the triangles collide as they are");
            }
            other => {
                let shown: String = other.chars().take(40).collect();
                let text = format!("mesh optimization '{shown}' is unknown; the triangles are used as they are");
                element.warning(&mut self.findings, "geometry", name, text);
            }
        }
        for child in element.children() {
            match child.name() {
                "uri" | "scale" => {}
                "convex_decomposition" => {
                    self.left_out(
                        child,
                        "parameters of a convex decomposition",
                        "the triangles are used as they are",
                    );
                }
                "submesh" => {
                    self.unsupported(child, "a mesh with a <submesh>", "save the part as a file of its own");
                    return None;
                }
                _ => self.unknown(child, "mesh"),
            }
        }
        let Some(uri) = self.word(element, "uri") else {
            element.error(&mut self.findings, "geometry", name, format!("the <mesh> of '{name}' has no <uri>"));
            return None;
        };
        let scale = self.vector(element, "scale").unwrap_or_else(|| Vec3::repeat(1.0));
        let mesh = self.mesh_file(element, document, &uri, scale, collides, name)?;
        Some(if hull { Shape::Convex(mesh) } else { Shape::Mesh(mesh) })
    }

    fn mesh_file(
        &mut self,
        element: Element<'_>,
        document: Document<'_>,
        uri: &str,
        scale: Vec3,
        collides: bool,
        name: &str,
    ) -> Option<Arc<TriangleMesh>> {
        // Shapes that are only drawn affect no result.
        let (severity, lost) = match collides {
            true => (Severity::Warning, "it collides with nothing"),
            false => (Severity::Note, "it is not drawn"),
        };
        let path = match document.resources.find(uri) {
            Ok(path) => path,
            Err(missing) => {
                let text = format!(
                    "mesh '{uri}' of '{name}' was not found, so {lost}; {missing}: put the file there or name the folder \
                     of its model with --package-path"
                );
                self.findings.add(severity, "mesh-missing", Some(element.source()), name, text);
                return None;
            }
        };
        let key = (path.clone(), [scale.x, scale.y, scale.z].map(f64::to_bits));
        let read = self.meshes.read.entry(key);
        match read.or_insert_with(|| load(&path, scale).map(Arc::new).map_err(|e| e.to_string())) {
            Ok(mesh) => Some(mesh.clone()),
            Err(error) => {
                let text = format!("{error} ('{name}': {lost})");
                self.findings.add(severity, "mesh-read", Some(element.source()), name, text);
                None
            }
        }
    }
}
