//! The name check: within a layer no two public types have the same name, so that a reader of one layer can say a name
//! without saying the crate.
//!
//! Types are read from the sources of each crate, line by line: `pub struct`, `enum`, `trait`, `union` and `type`, up to
//! the file's own tests. `pub` in a private module counts as well: what only the crate uses is `pub(crate)` or `pub(super)`.

use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A name that may occur twice in one layer, with the reason.
struct Exception {
    layer: u32,
    name: &'static str,
    why: &'static str,
}

const EXCEPTIONS: &[Exception] = &[];

/// Where a type is defined: `file:line`.
type Definitions = BTreeMap<(u32, String), Vec<String>>;

/// Reads the sources of all crates; returns one sentence for each name that occurs twice in a layer. `crates` are
/// folders from the root with their layers.
pub fn problems(root: &Path, crates: &[(String, u32)]) -> Result<Vec<String>> {
    let mut definitions = Definitions::new();
    for (folder, layer) in crates {
        for file in rust_files(&root.join(folder).join("src"))? {
            let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
            let shown = file.strip_prefix(root).unwrap_or(&file).display();
            for (line, name) in types_in(&text) {
                definitions.entry((*layer, name.to_owned())).or_default().push(format!("{shown}:{line}"));
            }
        }
    }
    Ok(repeated(&definitions, EXCEPTIONS))
}

fn repeated(definitions: &Definitions, exceptions: &[Exception]) -> Vec<String> {
    let excepted = |layer: u32, name: &str| exceptions.iter().any(|e| e.layer == layer && e.name == name);
    let mut problems: Vec<String> = definitions
        .iter()
        .filter(|((layer, name), at)| at.len() > 1 && !excepted(*layer, name))
        .map(|((layer, name), at)| {
            format!("{}: layer {layer} has another public type `{name}` ({}); rename one", at[0], at[1..].join(", "))
        })
        .collect();
    for e in exceptions {
        if definitions.get(&(e.layer, e.name.to_owned())).is_none_or(|at| at.len() < 2) {
            problems.push(format!(
                "xtask/src/names.rs: `{}` occurs at most once in layer {}; remove the exception ({})",
                e.name, e.layer, e.why
            ));
        }
    }
    problems
}

/// Names of public types with their lines.
fn types_in(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let own_code = text.lines().take_while(|line| line.trim() != "#[cfg(test)]");
    own_code.enumerate().filter_map(|(index, line)| {
        let item = line.trim_start().strip_prefix("pub ")?;
        let item = item.strip_prefix("unsafe ").unwrap_or(item);
        let name =
            ["struct ", "enum ", "trait ", "union ", "type "].iter().find_map(|kind| item.strip_prefix(kind))?;
        let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
        Some((index + 1, &name[..end]))
    })
}

/// In order of path.
fn rust_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_types_are_read_with_their_lines() {
        let text = "pub struct Pair<T> {\nstruct Hidden;\npub(crate) enum Inner {}\n    pub trait Shape: Send {\npub type Row = f64;\n\
                    pub fn free() {}\n#[cfg(test)]\nmod tests {\n    pub struct InTests;\n";
        assert_eq!(types_in(text).collect::<Vec<_>>(), [(1, "Pair"), (4, "Shape"), (5, "Row")]);
    }

    fn twice(other_layer: u32) -> Definitions {
        let mut definitions = Definitions::new();
        definitions.entry((2, "Guard".into())).or_default().push("a.rs:1".into());
        definitions.entry((other_layer, "Guard".into())).or_default().push("b.rs:2".into());
        definitions
    }

    #[test]
    fn name_twice_in_one_layer_fails() {
        let found = repeated(&twice(2), &[]);
        assert_eq!(found, ["a.rs:1: layer 2 has another public type `Guard` (b.rs:2); rename one"]);
        assert!(repeated(&twice(3), &[]).is_empty(), "the same name in two layers passes");
    }

    #[test]
    fn exceptions_pass_and_stale_exceptions_fail() {
        let exception = [Exception { layer: 2, name: "Guard", why: "a test" }];
        assert!(repeated(&twice(2), &exception).is_empty());
        assert!(repeated(&twice(3), &exception)[0].contains("remove the exception"));
    }
}
