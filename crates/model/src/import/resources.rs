//! Finds the files a model refers to.

use std::path::{Component, Path, PathBuf};

/// Where to look for meshes, included files and packages.
#[derive(Clone, Debug)]
pub struct Resources {
    folder: PathBuf,
    roots: Vec<PathBuf>,
}

impl Resources {
    /// Looks beside `file`, and for packages in `roots` and in every folder above `file`.
    pub fn new(file: &Path, roots: &[PathBuf]) -> Self {
        let folder = file.parent().map(Path::to_path_buf).unwrap_or_default();
        let folder = if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder };
        Self { folder, roots: roots.to_vec() }
    }

    /// The folder of the file.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The configured package roots.
    pub fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// The existing file meant by `uri`: `package://P/x`, `model://P/x`, `file:///x` or a path relative to the
    /// model file. `Err` lists the places that were tried.
    pub fn find(&self, uri: &str) -> Result<PathBuf, Vec<PathBuf>> {
        let mut tried = Vec::new();
        for candidate in self.candidates(uri) {
            if candidate.is_file() {
                return Ok(candidate);
            }
            tried.push(candidate);
        }
        Err(tried)
    }

    fn candidates(&self, uri: &str) -> Vec<PathBuf> {
        let package = uri.strip_prefix("package://").or_else(|| uri.strip_prefix("model://"));
        if let Some(rest) = package {
            let rest = Path::new(rest);
            // `package://robot/meshes/a.stl`: robot/ lies in a root, or is itself an ancestor of the file.
            let inside: PathBuf = rest.components().skip(1).collect();
            let name = rest.components().next();
            let mut out: Vec<PathBuf> = self.roots.iter().map(|r| r.join(rest)).collect();
            let absolute = std::path::absolute(&self.folder).unwrap_or_else(|_| self.folder.clone());
            for ancestor in absolute.ancestors() {
                if matches!((ancestor.file_name(), name), (Some(f), Some(Component::Normal(n))) if f == n) {
                    out.push(ancestor.join(&inside));
                }
                out.push(ancestor.join(rest));
            }
            return out;
        }
        let plain = uri.strip_prefix("file://").unwrap_or(uri);
        let plain = Path::new(plain);
        if plain.is_absolute() { vec![plain.to_path_buf()] } else { vec![self.folder.join(plain)] }
    }
}
