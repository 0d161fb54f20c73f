//! Finds the files a model refers to.
//!
//! A model may refer to any file: `../meshes/a.stl`, `/opt/robot/a.stl`, `package://robot/../a.stl` and links are
//! followed, since packages of real robots use all of them. For untrusted files, [`Resources::confined`] allows only
//! files in the model's own folder and in the resource roots, after links and `..` are resolved.

use std::fmt;
use std::path::{Component, Path, PathBuf};

/// Where to look for meshes, included files and packages.
#[derive(Clone, Debug)]
pub struct Resources {
    folder: PathBuf,
    roots: Vec<PathBuf>,
    /// Folders, with links resolved, that every file must be in; `None` allows any file.
    bounds: Option<Vec<PathBuf>>,
}

/// A file that was not found, or that may not be read.
#[derive(Clone, Debug, PartialEq)]
pub struct NotFound {
    /// The paths tried.
    pub tried: Vec<PathBuf>,
    /// The first of them that exists but is outside the allowed folders.
    pub outside: Option<PathBuf>,
}

impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(outside) = &self.outside {
            return write!(
                f,
                "'{}' exists but lies outside the model's folder and the package paths, and --confine allows nothing else",
                outside.display()
            );
        }
        let places: Vec<String> = self.tried.iter().take(3).map(|p| p.display().to_string()).collect();
        write!(f, "looked at {}", places.join(", "))?;
        match self.tried.len().saturating_sub(3) {
            0 => Ok(()),
            more => write!(f, " and {more} more places"),
        }
    }
}

impl Resources {
    /// Searches next to `file`, and for packages in `roots` and in every folder above `file`.
    pub fn new(file: &Path, roots: &[PathBuf]) -> Self {
        Self { folder: folder_of(file), roots: roots.to_vec(), bounds: None }
    }

    /// The same, but restricted to files in the folder of the file and in the roots.
    pub fn confined(mut self) -> Self {
        let allowed = std::iter::once(&self.folder).chain(&self.roots);
        self.bounds = Some(allowed.filter_map(|folder| folder.canonicalize().ok()).collect());
        self
    }

    /// For a file included by this one: searches next to that file, with the same roots and bounds.
    pub fn beside(&self, file: &Path) -> Self {
        Self { folder: folder_of(file), ..self.clone() }
    }

    /// The folder of the file.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether a file may be read.
    pub fn allows(&self, file: &Path) -> bool {
        let Some(bounds) = &self.bounds else { return true };
        file.canonicalize().is_ok_and(|real| bounds.iter().any(|folder| real.starts_with(folder)))
    }

    /// The existing file that `uri` refers to: `package://P/x`, `model://P/x`, `file:///x` or a path relative to the
    /// model file, else to a root.
    pub fn find(&self, uri: &str) -> Result<PathBuf, NotFound> {
        let mut missing = NotFound { tried: Vec::new(), outside: None };
        for candidate in self.candidates(uri) {
            if candidate.is_file() {
                if self.allows(&candidate) {
                    return Ok(candidate);
                }
                missing.outside.get_or_insert_with(|| candidate.clone());
            }
            missing.tried.push(candidate);
        }
        Err(missing)
    }

    fn candidates(&self, uri: &str) -> Vec<PathBuf> {
        let package = uri.strip_prefix("package://").or_else(|| uri.strip_prefix("model://"));
        if let Some(rest) = package {
            // `package:///robot/…`, with no package before the path, occurs in files of example-robot-data.
            let rest = Path::new(rest.trim_start_matches('/'));
            // `package://robot/meshes/a.stl`: robot/ is in a root, or is itself a parent folder of the file.
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

fn folder_of(file: &Path) -> PathBuf {
    let folder = file.parent().map(Path::to_path_buf).unwrap_or_default();
    if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A temporary folder, removed when the test ends.
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
        assert!(tried.tried.iter().any(|p| p.ends_with("arm/meshes/none.stl")));
        assert!(resources.find("package://").is_err() && resources.find("").is_err());
    }

    #[test]
    fn confined_files_stay_in_their_folder_and_the_roots() {
        let folder = folder_with(&["arm/arm.urdf", "arm/meshes/a.stl", "secret.stl", "roots/leg/c.stl"]);
        let roots = [folder.0.join("roots")];
        let free = Resources::new(&folder.0.join("arm/arm.urdf"), &roots);
        let confined = free.clone().confined();
        let absolute = folder.0.join("secret.stl").display().to_string();
        std::os::unix::fs::symlink(folder.0.join("secret.stl"), folder.0.join("arm/link.stl")).unwrap();
        for uri in ["../secret.stl", "package://arm/../secret.stl", &absolute, "link.stl", "meshes/../../secret.stl"]
        {
            assert!(free.find(uri).is_ok(), "{uri}");
            let refused = confined.find(uri).unwrap_err();
            assert!(refused.outside.is_some() && refused.to_string().contains("--confine"), "{uri}: {refused}");
        }
        for uri in ["meshes/a.stl", "package://leg/c.stl", "meshes/../meshes/a.stl"] {
            assert!(confined.find(uri).is_ok(), "{uri}");
        }
        // An included file searches next to itself, within the bounds of the main file.
        let inner = confined.beside(&folder.0.join("arm/meshes/part.xml"));
        assert!(inner.find("a.stl").is_ok() && inner.find("../../secret.stl").is_err());
    }
}
