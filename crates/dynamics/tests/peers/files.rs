//! The model files: those shipped here and those inside the wheels.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A model file and what the page calls it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModelFile {
    /// Package and path inside it, e.g. `pybullet_data/r2d2.urdf`.
    pub name: String,
    pub path: PathBuf,
}

/// Every URDF, SDF and MJCF of `pybullet_data` and of gymnasium's MuJoCo environments, sorted by name.
pub fn in_wheels(python: &Path) -> Vec<ModelFile> {
    let ask = "import sysconfig; print(sysconfig.get_path('purelib')); print(sysconfig.get_path('platlib'))";
    let output = Command::new(python).args(["-c", ask]).output().expect("the interpreter starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut found = Vec::new();
    for package in ["pybullet_data", "gymnasium/envs/mujoco/assets"] {
        let folder = text.lines().map(|root| Path::new(root).join(package)).find(|folder| folder.is_dir());
        let folder = folder.unwrap_or_else(|| panic!("{package} is not installed for {}", python.display()));
        collect(&folder, package, &mut found);
    }
    found.sort();
    found
}

/// Every model file under `scenarios/`, sorted by name.
pub fn shipped() -> Vec<ModelFile> {
    let mut found = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios"), "scenarios", &mut found);
    found.sort();
    found
}

/// A subset of the wheels' files that is small enough for every run and still has one of each kind: all files except the
/// thousand random objects, and every 40th of those.
pub fn shortened(all: Vec<ModelFile>) -> Vec<ModelFile> {
    let (random, named): (Vec<_>, Vec<_>) = all.into_iter().partition(|f| f.name.contains("random_urdfs"));
    let mut chosen: Vec<ModelFile> = named.into_iter().chain(random.into_iter().step_by(40)).collect();
    chosen.sort();
    chosen
}

fn collect(folder: &Path, name: &str, found: &mut Vec<ModelFile>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    for entry in entries {
        let path = entry.expect("the folder can be listed").path();
        let Some(last) = path.file_name().and_then(|n| n.to_str()) else { continue };
        let name = format!("{name}/{last}");
        if path.is_dir() {
            collect(&path, &name, found);
        } else if path.extension().is_some_and(|e| e == "urdf" || e == "sdf" || e == "xml") {
            found.push(ModelFile { name, path });
        }
    }
}
