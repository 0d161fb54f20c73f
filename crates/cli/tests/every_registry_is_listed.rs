//! `veracity list` shows every registry: a public slice of entries that users choose from is read by `commands/list.rs`, or is
//! named here with the reason why it is not a list of its own.

use std::path::{Path, PathBuf};

const SHOWN_ELSEWHERE: &[(&str, &str)] = &[
    ("CLAIMS", "the conformance suite of engines, in docs/engines.md"),
    ("COMMANDS", "`veracity --help`"),
    ("ENGINES", "the facade's copy of the built-in engines, which `list engines` shows"),
    ("FIXTURES", "problems that test the solvers"),
    ("LENGTHS", "units that recordings may use, in docs/mocap.md"),
    ("LIBRARIES", "`veracity engines`"),
    ("QUANTITIES", "what `veracity regress` compares; all of it is in every result"),
    ("SESSIONS", "recordings of one published data set"),
    ("SETTINGS", "settings of an engine, which `list engines` shows"),
    ("TIMES", "units that recordings may use, in docs/mocap.md"),
    ("WORKERS", "`veracity engines`"),
];

#[test]
fn every_public_slice_of_entries_is_a_list() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let list = std::fs::read_to_string(crates.join("cli/src/commands/list.rs")).unwrap();
    let mut found = Vec::new();
    for file in sources(crates) {
        let text = std::fs::read_to_string(&file).unwrap();
        found.extend(text.lines().filter_map(|line| registry(line).map(str::to_string)));
    }
    found.sort();
    found.dedup();
    assert!(found.len() > 25, "the search for slices does not work: {found:?}");
    let reads = |name: &str| list.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name);
    let elsewhere = |name: &str| SHOWN_ELSEWHERE.iter().any(|(other, _)| *other == name);
    let missing: Vec<_> = found.iter().filter(|name| !reads(name) && !elsewhere(name)).collect();
    assert!(missing.is_empty(), "no list of `veracity list` shows {missing:?}");
    let stale: Vec<_> = SHOWN_ELSEWHERE.iter().filter(|(name, _)| !found.iter().any(|f| f == name)).collect();
    assert!(stale.is_empty(), "no longer there: {stale:?}");
}

/// The name of a public slice of structures or pairs, not of plain words or numbers.
fn registry(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("pub const ").or_else(|| line.strip_prefix("pub static "))?;
    let (name, kind) = rest.split_once(": &")?;
    let element = kind.trim_start_matches("'static ").strip_prefix('[')?;
    let plain = ["&str", "u8", "f64", "usize", "i64", "u32"];
    let entries =
        !plain.iter().any(|p| element.starts_with(&format!("{p}]")) || element.starts_with(&format!("{p};")));
    (entries && name.chars().all(|c| c.is_ascii_uppercase() || c == '_')).then_some(name)
}

/// Rust files below every `src`.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().to_string();
        if path.is_dir() && name != "tests" && name != "target" {
            found.extend(sources(&path));
        } else if name.ends_with(".rs") && path.components().any(|c| c.as_os_str() == "src") {
            found.push(path);
        }
    }
    found
}
