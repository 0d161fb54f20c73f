//! Importers for robot model formats.
//!
//! [`load`] selects the importer by the root element. Every importer collects all problems as [`Findings`] and
//! continues; anything it does not support is a finding with code `unsupported`. Properties that a format cannot
//! express are given in a `.toml` next to the file; see [`sidecar`].

pub mod mesh;
pub mod mjcf;
pub mod resources;
pub mod sdf;
pub mod sidecar;
mod srdf;
pub mod urdf;
pub mod xml;

use crate::finding::{Finding, Findings, Severity, Source};
use crate::world::World;
use resources::Resources;
use sidecar::{KnownFinding, Sidecar};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Settings that the file cannot express and the importer needs.
#[derive(Clone, Debug, Default)]
pub struct ImportOptions {
    /// How the root of a URDF is attached; `None` uses the `.toml` next to the file, else [`Base::default`]. SDF and
    /// MJCF specify it themselves.
    pub base: Option<Base>,
    /// Folders in which `package://NAME/…` and `model://NAME/…` are looked up, before the parent folders of the file.
    pub resource_roots: Vec<PathBuf>,
    /// Whether files may be read only from the folder of the model and from `resource_roots`: for untrusted files.
    pub confine: bool,
    /// The SRDF that belongs to a URDF; `None` looks for one of the same name next to it and in `../srdf`.
    pub srdf: Option<PathBuf>,
    /// A sidecar applied after the one next to the file: what one scenario adds to the model.
    pub sidecar: Option<PathBuf>,
}

/// How the root body of a URDF is attached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Base {
    /// Fixed to the world, as for most arms.
    #[default]
    Fixed,
    /// Free, as for walkers and flyers.
    Free,
}

/// Result of an import.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The world; `None` if an error prevented it.
    pub world: Option<World>,
    /// All findings of the importer. Warnings are also recorded on the models, so that they reach every record.
    pub findings: Findings,
    /// Findings the sidecar expects, from the importer or from an inspection.
    pub known: Vec<KnownFinding>,
}

/// Reads a URDF, SDF or MJCF file, with the `<file>.toml` next to it if there is one.
pub fn load(path: &Path, options: &ImportOptions) -> Imported {
    let mut findings = Findings::new();
    let bytes = match crate::input::read(path, xml::MAX_BYTES as u64) {
        Ok(bytes) => bytes,
        Err(e) => {
            let source = Some(Source { file: path.display().to_string().into(), line: 0 });
            let text = format!("cannot be read: {e}; check the path and permissions");
            findings.add(Severity::Error, "file-read", source, "", text);
            return Imported { world: None, findings, known: Vec::new() };
        }
    };
    let beside = Sidecar::beside(path, &mut findings);
    let named = options.sidecar.as_deref().map(|path| Sidecar::named(path, &mut findings)).transpose();
    match (beside, named) {
        (Ok(beside), Ok(named)) => {
            let sidecars: Vec<Sidecar> = beside.into_iter().chain(named).collect();
            load_parts(&bytes, &sidecars, Place::Disk(path), options, findings)
        }
        _ => {
            // The model's own problems are still reported, but without its sidecars there is no model.
            let imported = load_parts(&bytes, &[], Place::Disk(path), options, findings);
            Imported { world: None, ..imported }
        }
    }
}

/// Reads a model from memory. `path` names the file in messages and is the base of relative resources; no sidecar is
/// read.
pub fn load_bytes(bytes: &[u8], path: &Path, options: &ImportOptions) -> Imported {
    load_parts(bytes, &[], Place::Memory(path), options, Findings::new())
}

/// Reads a model from text in memory: the file and its `.toml` sidecar. `path` names the file in messages.
pub fn load_text(text: &str, sidecar: Option<&str>, path: &Path, options: &ImportOptions) -> Imported {
    let mut findings = Findings::new();
    let file: Arc<str> = format!("{}.toml", path.display()).into();
    match sidecar.map(|text| Sidecar::parse(text, &file, &mut findings)).transpose() {
        Ok(sidecar) => {
            let sidecars: Vec<Sidecar> = sidecar.into_iter().collect();
            load_parts(text.as_bytes(), &sidecars, Place::Memory(path), options, findings)
        }
        Err(()) => Imported { world: None, findings, known: Vec::new() },
    }
}

/// Origin of a document; messages and relative resources use the path either way.
#[derive(Clone, Copy)]
enum Place<'p> {
    /// A file, which may have an SRDF next to it.
    Disk(&'p Path),
    /// Text under this name.
    Memory(&'p Path),
}

fn load_parts(
    bytes: &[u8],
    sidecars: &[Sidecar],
    place: Place<'_>,
    options: &ImportOptions,
    mut findings: Findings,
) -> Imported {
    let (Place::Disk(path) | Place::Memory(path)) = place;
    let file: Arc<str> = path.display().to_string().into();
    // The last one decides, as for everything else in it.
    let base = options.base.or_else(|| sidecars.iter().rev().find_map(Sidecar::base));
    let world = xml::with_document(bytes, &file, &mut findings, |root, findings| {
        let resources = Resources::new(path, &options.resource_roots);
        let resources = if options.confine { resources.confined() } else { resources };
        for sidecar in sidecars.iter().filter(|s| s.base().is_some() && root.name() != "robot") {
            sidecar.warn(findings, "base", "'base' is for URDF; this file defines how its bodies are held");
        }
        match root.name() {
            "robot" => {
                let world = urdf::read(root, &resources, base, findings)?;
                match place {
                    Place::Disk(_) => Some(srdf::apply(path, options.srdf.as_deref(), &resources, world, findings)),
                    Place::Memory(_) => Some(world),
                }
            }
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
    let mut world = world.flatten();
    for sidecar in sidecars {
        world = world.and_then(|world| sidecar::apply(sidecar, world, &mut findings));
    }
    if let Some(world) = &mut world {
        record_warnings(world, &findings);
    }
    Imported { world, findings, known: sidecars.iter().flat_map(Sidecar::known).collect() }
}

/// Errors about one part of a robot. The rest is still loaded, so that it is inspected as well; the error remains, and
/// such a model is never run.
const OF_ONE_PART: [&str; 4] = ["mass-lost", "mass-missing", "mimic", "shape-number"];

/// Whether the findings contain an error that leaves no model at all.
fn is_fatal(findings: &Findings) -> bool {
    findings.iter().any(|f| f.severity == Severity::Error && !OF_ONE_PART.contains(&f.code))
}

/// Warnings that an importer did not attach to a particular model are recorded on every model of the file.
fn record_warnings(world: &mut World, findings: &Findings) {
    type Key = (&'static str, Option<Source>, String);
    let key = |f: &Finding| -> Key { (f.code, f.source.clone(), f.text.clone()) };
    let placed: BTreeSet<Key> = world.placements.iter().flat_map(|p| p.model.warnings.iter().map(key)).collect();
    let open: Vec<&Finding> =
        findings.iter().filter(|f| f.severity == Severity::Warning && !placed.contains(&key(f))).collect();
    if open.is_empty() {
        return;
    }
    for placement in &mut world.placements {
        let model = Arc::make_mut(&mut placement.model);
        open.iter().for_each(|warning| model.warnings.push((*warning).clone()));
    }
}
