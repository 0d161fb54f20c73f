//! Identity of a worker: a digest of every file that decides what it computes.
//!
//! A launcher is not enough: a line of shell may start another script tomorrow, and the library an engine loads may be
//! upgraded. So a worker that has said hello is inspected from outside: its launcher, every file that it and its
//! children have mapped (programs, libraries), every file named on their command lines (scripts) with the files of the
//! same extension in its folder (modules), and the files its hello names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use veracity_model::Digest;

/// Files larger than this [bytes] are identified by size and modification time instead of their content.
const LARGEST: u64 = 1 << 30;
/// A longer launcher is not read as a script [bytes].
const LARGEST_SCRIPT: u64 = 1 << 16;
/// Most files in the folder of a script that are included.
const MOST_IN_FOLDER: usize = 1000;

/// The digest, over paths and contents. `processes` are the worker and its children; `named` are files it names itself.
pub fn of(launcher: &Path, processes: &[u32], named: &[String]) -> String {
    let mut files: BTreeSet<PathBuf> = BTreeSet::new();
    follow(launcher, &mut files);
    files.extend(named.iter().map(PathBuf::from));
    for id in processes {
        files.extend(mapped(*id));
        for script in on_command_line(*id) {
            files.extend(in_same_folder(&script));
            files.insert(script);
        }
    }
    let mut parts: Vec<Vec<u8>> = Vec::new();
    for file in files {
        parts.push(file.as_os_str().as_encoded_bytes().to_vec());
        parts.push(content(&file));
    }
    Digest::of_parts(parts.iter().map(Vec::as_slice)).to_string()
}

/// A launcher, and if it is a script every file that it names, recursively: after `exec` a script is no longer visible.
fn follow(launcher: &Path, files: &mut BTreeSet<PathBuf>) {
    if !files.insert(launcher.to_path_buf()) || files.len() > MOST_IN_FOLDER {
        return;
    }
    let small = fs::metadata(launcher).is_ok_and(|about| about.is_file() && about.len() < LARGEST_SCRIPT);
    let text = if small { fs::read(launcher).unwrap_or_default() } else { Vec::new() };
    if !text.starts_with(b"#!") {
        return;
    }
    let folder = launcher.parent().unwrap_or(Path::new(""));
    let text = String::from_utf8_lossy(&text);
    let words = text.split(|c: char| c.is_whitespace() || "'\"=;()".contains(c)).filter(|w| w.contains(['/', '.']));
    for path in words.map(|word| folder.join(word)).filter(|path| path.is_file()) {
        follow(&path, files);
    }
}

/// Files that a process has mapped. A file replaced since is `… (deleted)`: another path, another digest.
fn mapped(id: u32) -> BTreeSet<PathBuf> {
    let maps = fs::read(format!("/proc/{id}/maps")).unwrap_or_default();
    let text = String::from_utf8_lossy(&maps);
    // `address perms offset dev inode   path`: the path is the rest of the line after five fields.
    let path = |line: &str| line.find('/').map(|at| line[at..].to_string());
    let files = text.lines().filter_map(path).filter(|p| !p.starts_with("/memfd:") && !p.starts_with("/dev/"));
    files.map(PathBuf::from).collect()
}

/// Regular files among the arguments of a process.
fn on_command_line(id: u32) -> Vec<PathBuf> {
    let line = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
    let folder = fs::read_link(format!("/proc/{id}/cwd")).unwrap_or_default();
    let arguments = line.split(|b| *b == 0).filter(|a| !a.is_empty());
    let paths = arguments.map(|a| folder.join(String::from_utf8_lossy(a).as_ref()));
    paths.filter(|p| p.is_file()).collect()
}

/// Files of the same kind in the folder of a script: what it may import. A program without extension has none.
fn in_same_folder(script: &Path) -> Vec<PathBuf> {
    let (Some(kind), Some(folder)) = (script.extension(), script.parent()) else { return Vec::new() };
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let files = entries.flatten().map(|e| e.path());
    let mut files: Vec<PathBuf> = files.filter(|p| p.extension() == Some(kind) && p.is_file()).collect();
    files.sort();
    files.truncate(MOST_IN_FOLDER);
    files
}

/// The digest of a file's bytes; for a file that cannot be read, its metadata.
fn content(path: &Path) -> Vec<u8> {
    let Ok(about) = fs::metadata(path) else { return b"absent".to_vec() };
    let stamp = [about.dev(), about.ino(), about.len(), about.mtime() as u64, about.mtime_nsec() as u64];
    if !about.is_file() {
        return b"no file".to_vec();
    }
    // Many engines map the same libraries: each is read once by this program while it is the same file.
    static READ: Mutex<BTreeMap<[u64; 5], Vec<u8>>> = Mutex::new(BTreeMap::new());
    if let Some(digest) = READ.lock().unwrap_or_else(|p| p.into_inner()).get(&stamp) {
        return digest.clone();
    }
    let small = about.len() <= LARGEST;
    let digest = match small.then(|| fs::read(path)) {
        Some(Ok(bytes)) => Digest::of(&bytes).0.to_vec(),
        _ => stamp.iter().flat_map(|n| n.to_le_bytes()).collect(),
    };
    READ.lock().unwrap_or_else(|p| p.into_inner()).insert(stamp, digest.clone());
    digest
}
