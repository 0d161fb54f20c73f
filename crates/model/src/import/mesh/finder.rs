//! Finds and reads the meshes of a model file, each once, and reports missing ones.

use super::{MeshError, load};
use crate::finding::{Findings, Severity};
use crate::geometry::Vec3;
use crate::import::resources::Resources;
use crate::import::xml::Element;
use crate::mesh::TriangleMesh;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Reads meshes for one model file. The same file at the same scale is read once and shared.
pub struct MeshFinder<'r> {
    resources: &'r Resources,
    read: BTreeMap<(PathBuf, [u64; 3]), Result<Arc<TriangleMesh>, MeshError>>,
}

impl<'r> MeshFinder<'r> {
    /// Searches the places given by `resources`.
    pub fn new(resources: &'r Resources) -> Self {
        Self { resources, read: BTreeMap::new() }
    }

    /// The mesh at `uri`, or `None` with a finding at `element` (`mesh-missing` or `mesh-read`) about `subject` that
    /// states what is `lost` without it: a missing collision shape that went unnoticed once invalidated a published
    /// study. For a mesh that is only drawn the finding is a note.
    pub fn get(
        &mut self,
        uri: &str,
        scale: Vec3,
        element: Element<'_>,
        subject: &str,
        (severity, lost): (Severity, &str),
        findings: &mut Findings,
    ) -> Option<Arc<TriangleMesh>> {
        let path = match self.resources.find(uri) {
            Ok(path) => path,
            Err(missing) => {
                let text = format!(
                    "mesh '{uri}' was not found, so {lost}; {missing}: put the file there or name its package's folder \
                     with --package-path"
                );
                findings.add(severity, "mesh-missing", Some(element.source()), subject, text);
                return None;
            }
        };
        let key = (path.clone(), [scale.x, scale.y, scale.z].map(f64::to_bits));
        let mesh = self.read.entry(key).or_insert_with(|| load(&path, scale).map(Arc::new));
        match mesh {
            Ok(mesh) => Some(mesh.clone()),
            Err(error) => {
                findings.add(severity, "mesh-read", Some(element.source()), subject, format!("{error} ({lost})"));
                None
            }
        }
    }
}
