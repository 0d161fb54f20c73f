//! Where files next to a scenario come from: the disk, or the binary itself.

use crate::catalogue;
use std::path::{Component, Path, PathBuf};
use veracity_model::import::resources::Resources;
use veracity_model::import::{self, Base, ImportOptions, Imported};
use veracity_model::{Findings, Severity, Source};

/// Where files next to a scenario are.
pub(crate) enum Files {
    /// On disk.
    Disk {
        /// The scenario's folder.
        folder: PathBuf,
        /// Where packages are looked up.
        roots: Vec<PathBuf>,
        /// Whether files elsewhere are rejected.
        confine: bool,
    },
    /// Embedded in the binary.
    Embedded {
        /// Below `scenarios/`.
        folder: &'static str,
    },
}

impl Files {
    /// The path of a file next to the scenario, as messages show it.
    pub fn path(&self, file: &str) -> PathBuf {
        match self {
            Files::Disk { folder, .. } => folder.join(file),
            Files::Embedded { folder } => normal(&Path::new(folder).join(file)),
        }
    }

    /// Whether such a file exists.
    pub fn has(&self, file: &str) -> bool {
        let path = self.path(file);
        match self {
            Files::Disk { .. } => path.is_file(),
            Files::Embedded { .. } => catalogue::embedded(&path).is_some(),
        }
    }

    /// Reads a model with the `.toml` next to it.
    pub fn model(&self, file: &str, base: Option<Base>) -> Imported {
        let path = self.path(file);
        match self {
            Files::Disk { folder, roots, confine } => {
                let mut resource_roots = roots.clone();
                if *confine {
                    if !Resources::new(&folder.join("scenario"), roots).confined().allows(&path) {
                        return refused(&path);
                    }
                    resource_roots.push(folder.clone());
                }
                let options = ImportOptions { base, resource_roots, confine: *confine, ..ImportOptions::default() };
                import::load(&path, &options)
            }
            Files::Embedded { .. } => {
                let text = catalogue::embedded(&path).unwrap_or_default();
                let mut sidecar = path.clone().into_os_string();
                sidecar.push(".toml");
                let sidecar = catalogue::embedded(Path::new(&sidecar));
                let options = ImportOptions { base, ..ImportOptions::default() };
                import::load_text(text, sidecar, &path, &options)
            }
        }
    }
}

/// A model file outside the folders that `--confine` allows.
fn refused(path: &Path) -> Imported {
    let mut findings = Findings::new();
    let source = Some(Source { file: path.display().to_string().into(), line: 0 });
    let text =
        "is missing or lies outside the scenario's folder and the package paths, and --confine allows nothing else";
    findings.add(Severity::Error, "file-read", source, "", text);
    Imported { world: None, findings, known: Vec::new() }
}

/// The path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}
