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
    /// model file, else to a root. `Err` lists the places that were tried.
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
        if plain.is_absolute() {
            return vec![plain.to_path_buf()];
        }
        std::iter::once(&self.folder).chain(&self.roots).map(|folder| folder.join(plain)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of its own that goes when the test ends.
    struct Folder(PathBuf);

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn folder_with(files: &[&str]) -> Folder {
        let name = format!("veracity-resources-{}-{}", std::process::id(), files.join("-").replace('/', "_"));
        let folder = Folder(std::env::temp_dir().join(name));
        for file in files {
            let path = folder.0.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, b"x").unwrap();
        }
        folder
    }

    #[test]
    fn a_package_is_an_ancestor_a_neighbour_or_in_a_root() {
        let folder = folder_with(&["arm/urdf/arm.urdf", "arm/meshes/a.stl", "hand/meshes/b.stl", "roots/leg/c.stl"]);
        let roots = [folder.0.join("roots")];
        let resources = Resources::new(&folder.0.join("arm/urdf/arm.urdf"), &roots);
        let found = |uri: &str| resources.find(uri).map(|p| p.canonicalize().unwrap());
        let real = |file: &str| Ok(folder.0.join(file).canonicalize().unwrap());
        assert_eq!(found("package://arm/meshes/a.stl"), real("arm/meshes/a.stl"));
        assert_eq!(found("package://hand/meshes/b.stl"), real("hand/meshes/b.stl"));
        assert_eq!(found("model://leg/c.stl"), real("roots/leg/c.stl"));
        assert_eq!(found("../meshes/a.stl"), real("arm/meshes/a.stl"));
        assert_eq!(found("leg/c.stl"), real("roots/leg/c.stl"));
        assert_eq!(
            found(&format!("file://{}", folder.0.join("arm/meshes/a.stl").display())),
            real("arm/meshes/a.stl")
        );
        let tried = resources.find("package://arm/meshes/none.stl").unwrap_err();
        assert!(tried.iter().any(|p| p.ends_with("arm/meshes/none.stl")));
        assert!(resources.find("package://").is_err() && resources.find("").is_err());
    }
}
