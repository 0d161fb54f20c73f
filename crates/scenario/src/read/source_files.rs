//! Where files next to a scenario come from: the disk, or the binary itself.

use crate::catalogue;
use crate::file::scenario_file::ModelTable;
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

    /// Reads a model with the `.toml` next to it and the files its table names. `packages` are folders relative to the
    /// scenario; under `--confine` the caller alone says where files may lie.
    pub fn model(&self, table: &ModelTable, base: Option<Base>, packages: &[String]) -> Imported {
        let path = self.path(&table.file);
        match self {
            Files::Disk { folder, roots, confine } => {
                let mut resource_roots = roots.clone();
                let [sidecar, srdf] = [&table.sidecar, &table.srdf].map(|f| f.as_ref().map(|file| self.path(file)));
                let packages: Vec<PathBuf> = packages.iter().map(|folder| self.path(folder)).collect();
                if *confine {
                    let allowed = Resources::new(&folder.join("scenario"), roots).confined();
                    let named = [Some(&path), sidecar.as_ref(), srdf.as_ref()].into_iter().flatten();
                    if let Some(outside) = named.chain(&packages).find(|path| !allowed.allows(path)) {
                        return refused(outside);
                    }
                    resource_roots.push(folder.clone());
                }
                resource_roots.extend(packages);
                let options = ImportOptions { base, resource_roots, confine: *confine, srdf, sidecar };
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
