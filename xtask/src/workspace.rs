//! The workspace as cargo sees it.

use crate::process;
use anyhow::{Context, Result};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The workspace this program belongs to.
pub struct Workspace {
    /// The folder of the top `Cargo.toml`.
    pub root: PathBuf,
}

/// One of our packages.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// The package's name, e.g. `veracity-model`.
    pub package: String,
    /// Its folder from the root, e.g. `crates/model`.
    pub folder: String,
    /// The packages of this workspace it uses, in `Cargo.toml`'s order, for building, running or testing.
    pub uses: Vec<String>,
    /// Those of them that only its tests, examples and benchmarks use.
    pub only_tests_use: Vec<String>,
}

impl Workspace {
    /// The workspace this program was built in.
    pub fn open() -> Result<Self> {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = manifest.parent().context("xtask lives in a folder of the workspace")?;
        Ok(Self { root: root.to_path_buf() })
    }

    /// The folder for build results.
    pub fn target(&self) -> PathBuf {
        self.root.join("target")
    }

    /// `cargo` in the root.
    pub fn cargo(&self, arguments: &[&str]) -> std::process::Command {
        let mut command = process::cargo();
        command.args(arguments).current_dir(&self.root);
        command
    }

    /// Everything `cargo metadata` knows, dependencies included.
    pub fn metadata(&self) -> Result<Value> {
        let text = process::output_of(&mut self.cargo(&["metadata", "--format-version", "1", "--locked"]))?;
        serde_json::from_str(&text).context("cargo metadata did not print JSON")
    }

    /// Our own packages, in order of name.
    pub fn members(&self) -> Result<Vec<Member>> {
        let text = process::output_of(&mut self.cargo(&["metadata", "--format-version", "1", "--no-deps"]))?;
        let metadata: Value = serde_json::from_str(&text).context("cargo metadata did not print JSON")?;
        members_in(&metadata, &self.root)
    }
}

fn members_in(metadata: &Value, root: &Path) -> Result<Vec<Member>> {
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let mut members = Vec::new();
    for package in packages {
        let name = package["name"].as_str().context("a package without a name")?;
        let manifest = Path::new(package["manifest_path"].as_str().context("a package without a manifest")?);
        let folder = manifest.parent().unwrap_or(manifest);
        let folder = folder.strip_prefix(root).unwrap_or(folder).to_string_lossy().into_owned();
        let dependencies = package["dependencies"].as_array().context("a package without dependencies")?;
        let mut uses: Vec<String> = Vec::new();
        // A dependency with a path is in this workspace; `null`, `build` and `dev` kinds all count.
        let ours = || dependencies.iter().filter(|dependency| dependency["path"].is_string());
        for dependency in ours() {
            let used = dependency["name"].as_str().context("a dependency without a name")?;
            if !uses.iter().any(|known| known == used) {
                uses.push(used.to_owned());
            }
        }
        let shipped = |used: &String| ours().any(|d| d["name"] == used.as_str() && d["kind"] != "dev");
        let only_tests_use = uses.iter().filter(|used| !shipped(used)).cloned().collect();
        members.push(Member { package: name.to_owned(), folder, uses, only_tests_use });
    }
    members.sort_by(|a, b| a.package.cmp(&b.package));
    Ok(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_dependencies_with_a_path_are_ours() {
        let metadata = serde_json::json!({ "packages": [{
            "name": "veracity-check",
            "manifest_path": "/r/crates/check/Cargo.toml",
            "dependencies": [
                { "name": "libm", "path": null, "kind": null },
                { "name": "veracity-model", "path": "/r/crates/model", "kind": null },
                { "name": "veracity-model", "path": "/r/crates/model", "kind": "dev" },
                { "name": "veracity-counting", "path": "/r/crates/counting", "kind": "dev" },
            ],
        }]});
        let members = members_in(&metadata, Path::new("/r")).unwrap();
        let expected = Member {
            package: "veracity-check".into(),
            folder: "crates/check".into(),
            uses: vec!["veracity-model".into(), "veracity-counting".into()],
            only_tests_use: vec!["veracity-counting".into()],
        };
        assert_eq!(members, [expected]);
    }

    #[test]
    fn this_workspace_has_its_xtask() {
        let members = Workspace::open().unwrap().members().unwrap();
        assert!(members.iter().any(|member| member.package == "xtask" && member.folder == "xtask"));
    }
}
