//! Readers for the formats robots are written in.
//!
//! [`load`] picks the reader by the root element. Every reader collects all problems as [`Findings`] and goes on;
//! what it does not support is a finding with code `unsupported`, never silence.

pub mod mesh;
pub mod mjcf;
pub mod resources;
pub mod sdf;
pub mod urdf;
pub mod xml;

use crate::finding::{Findings, Severity, Source};
use crate::world::World;
use resources::Resources;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the file cannot say and the reader must know.
#[derive(Clone, Debug, Default)]
pub struct ImportOptions {
    /// How the root of a URDF is held; `None` leaves it to the `.toml` beside the file, else to [`Base::default`].
    /// SDF and MJCF say it themselves.
    pub base: Option<Base>,
    /// Folders in which `package://NAME/…` and `model://NAME/…` are looked up, before the file's own ancestors.
    pub resource_roots: Vec<PathBuf>,
}

/// How the root body of a URDF is held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Base {
    /// Fixed to the world, as most arms.
    #[default]
    Fixed,
    /// Free, as walkers and flyers.
    Free,
}

/// What came out of a file.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The world; `None` when an error made it impossible.
    pub world: Option<World>,
    /// Everything the reader has to say.
    pub findings: Findings,
}

/// Reads a URDF, SDF or MJCF file.
pub fn load(path: &Path, options: &ImportOptions) -> Imported {
    let file: Arc<str> = path.display().to_string().into();
    match std::fs::read(path) {
        Ok(bytes) => load_bytes(&bytes, path, options),
        Err(e) => {
            let mut findings = Findings::new();
            let source = Some(Source { file, line: 0 });
            let text = format!("cannot be read: {e}; check the path and permissions");
            findings.add(Severity::Error, "file-read", source, "", text);
            Imported { world: None, findings }
        }
    }
}

/// Reads a model from memory. `path` names the file in messages and is where relative resources are looked for.
pub fn load_bytes(bytes: &[u8], path: &Path, options: &ImportOptions) -> Imported {
    let mut findings = Findings::new();
    let file: Arc<str> = path.display().to_string().into();
    let world = xml::with_document(bytes, &file, &mut findings, |root, findings| {
        let resources = Resources::new(path, &options.resource_roots);
        match root.name() {
            "robot" => urdf::read(root, &resources, options.base.unwrap_or_default(), findings),
            "sdf" | "gazebo" => sdf::read(root, &resources, findings),
            "mujoco" | "mujocoinclude" => mjcf::read(root, &resources, findings),
            other => {
                let text =
                    format!("the root element is <{other}>; a robot starts with <robot> (URDF), <sdf> or <mujoco>");
                findings.add(Severity::Error, "format", Some(root.source()), "", text);
                None
            }
        }
    });
    Imported { world: world.flatten(), findings }
}
