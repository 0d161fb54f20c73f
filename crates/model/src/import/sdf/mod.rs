//! Reads SDF 1.4 to 1.11.
//!
//! Four steps in sequence:
//!
//! 1. **Read**: elements become descriptions (`description`), with included documents inserted (`world_element`,
//!    `model_element`, `link`, `joint`, …). Unsupported content goes into the reader's ledger.
//! 2. **Flatten**: nested models become flat lists; every name is resolved and every frame placed (`scopes`, `frames`,
//!    `flatten`).
//! 3. **Span**: the graph of links and joints becomes a tree with loop-closing joints (`tree`, `motion`).
//! 4. **Build**: bodies, joints, loops, couplings and sensors go into the model (`assemble`, `group`, …).
//!
//! A body's frame is the link's frame, and `q = 0` is the configuration in the file, as in Gazebo. `version` lists the
//! rules that changed between versions.

mod assemble;
mod builtin;
mod couplings;
mod description;
mod equipment;
mod flatten;
mod frames;
mod geometry;
mod group;
mod include;
mod joint;
mod link;
mod mesh;
mod model_element;
mod motion;
mod polyline;
mod pose;
mod reader;
mod repeats;
mod scopes;
mod self_collision;
mod sensor;
mod surface;
mod tree;
mod version;
mod world_element;

use super::resources::Resources;
use super::xml::Element;
use crate::finding::{Findings, Severity};
use crate::world::World;
use reader::{Document, Reader};
use std::path::Path;
use version::Version;

/// Reads the document; `None` if an error prevents a model.
pub fn read(root: Element<'_>, resources: &Resources, findings: &mut Findings) -> Option<World> {
    let version = Version::of(root, findings)?;
    let mut reader = Reader::default();
    let file = root.source().file;
    reader.includes.enter(&resources.folder().join(Path::new(&*file).file_name().unwrap_or_default()));
    let document = Document { version, resources };
    reader.known_attributes(root, &["version"]);
    repeats::report_contradictions(root, &mut reader.findings);

    let worlds: Vec<_> = root.children_named("world").collect();
    let text = match worlds.first() {
        Some(world) => {
            for child in root.children().filter(|c| c.name() != "world") {
                let text = format!("<{}> is next to a <world>; only the world is read", child.name());
                child.warning(&mut reader.findings, "unsupported", child.name(), text);
            }
            let text = reader.world(*world, document);
            for other in &worlds[1..] {
                let name = other.attribute("name").unwrap_or("");
                let what =
                    format!("the document has {} worlds; '{}' is read, '{name}' is not", worlds.len(), text.name);
                reader.findings.add(Severity::Warning, "several-worlds", Some(other.source()), name, what);
            }
            text
        }
        None => reader.bare_models(root, document),
    };
    let mut met = Findings::new();
    // A document with errors is still assembled, so that all errors are reported together.
    let world = assemble::assemble(&text, &mut met);
    let mut all = reader.finish();
    all.extend(met);
    let failed = all.has_errors();
    findings.extend(all);
    world.filter(|_| !failed)
}
