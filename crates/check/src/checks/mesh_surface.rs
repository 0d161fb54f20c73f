//! A mesh that does not enclose a solid, or encloses it inside out.
//!
//! A hole makes inside and outside a matter of taste: engines differ on contact, and volume and inertia do not exist.
//! For a mesh that is only drawn it changes no result and is a note.

use crate::Check;
use crate::context::{Context, Notes};
use veracity_model::mesh::Closure;
use veracity_model::{Findings, Severity, Shape};

pub(super) const CHECK: Check =
    Check { code: "mesh-surface", text: "meshes are closed, with their triangles facing out", run };

fn run(context: &Context<'_>) -> Findings {
    let mut notes = Notes::new(CHECK.code);
    for b in context.bodies() {
        for shape in &b.body.shapes {
            let Shape::Mesh(mesh) = &shape.shape else { continue };
            let Some(trouble) = describe(&mesh.welded().closure()) else { continue };
            let file = mesh.file.as_ref().and_then(|f| f.file_name());
            let file = file.map(|f| format!(" ({})", f.to_string_lossy())).unwrap_or_default();
            let severity = if shape.collides { Severity::Warning } else { Severity::Note };
            let text = format!("the mesh of shape '{}' of body '{}'{file} {trouble}", shape.name, b.body.name);
            let subject = format!("{}/shapes/{}", b.path(context), shape.name);
            notes.add(severity, &shape.source, subject, text);
        }
    }
    notes.done()
}

fn describe(closure: &Closure) -> Option<String> {
    if closure.open_edges > 0 {
        return Some(format!("is not closed: {} edges lack a triangle; close it", closure.open_edges));
    }
    if closure.flipped_edges > 0 {
        let edges = closure.flipped_edges;
        return Some(format!("has triangles facing both ways along {edges} edges; make all of them face out"));
    }
    closure.is_inside_out().then(|| "is inside out; reverse its triangles".to_string())
}
