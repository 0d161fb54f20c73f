//! Finds workers: executables with a certain prefix in certain folders.

use std::path::{Path, PathBuf};

/// Prefix of a worker's file name.
const PREFIX: &str = "veracity-engine-";

/// Workers in the folders of `VERACITY_WORKERS` (separated by colons), or, without it, next to this program; the first
/// of two with the same name. Sorted by name: `ode`, `mujoco`, `mujoco@3.17`.
pub fn find() -> Vec<(String, PathBuf)> {
    let folders: Vec<PathBuf> = match std::env::var_os("VERACITY_WORKERS") {
        Some(list) => std::env::split_paths(&list).collect(),
        None => std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.to_path_buf())).into_iter().collect(),
    };
    let mut found: Vec<(String, PathBuf)> = Vec::new();
    for folder in folders {
        for (name, path) in in_folder(&folder) {
            if found.iter().all(|(known, _)| *known != name) {
                found.push((name, path));
            }
        }
    }
    found.sort();
    found
}

fn in_folder(folder: &Path) -> Vec<(String, PathBuf)> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let named = |entry: std::fs::DirEntry| {
        let file = entry.file_name();
        let name = file.to_str()?.strip_prefix(PREFIX)?;
        let word = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "@.-_".contains(c));
        // Cargo writes `NAME.d` next to each executable.
        let executable = word && !name.ends_with(".d") && is_executable(&entry.path());
        executable.then(|| (name.to_string(), entry.path()))
    };
    entries.flatten().filter_map(named).collect()
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}
