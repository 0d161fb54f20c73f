//! Assembles a document from the files it includes.
//!
//! As in MuJoCo, `<include file="…"/>` is replaced by the children of the included file's root, the file is looked up
//! next to the main file (then next to the including one), and a file may appear only once in the whole model, which
//! rules out cycles.

use super::node::Node;
use crate::finding::{Findings, Severity};
use crate::import::resources::Resources;
use crate::import::xml::{self, Element, MAX_BYTES, MAX_DEPTH};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Maximum depth of nested includes.
const MAX_INCLUDE_DEPTH: usize = 16;
/// Maximum number of elements in the assembled document.
const MAX_ELEMENTS: usize = 1_000_000;

/// The document under `root` with every include replaced; `None` if it exceeds the limits.
pub(super) fn assemble(root: Element<'_>, resources: &Resources, findings: &mut Findings) -> Option<Node> {
    let main = PathBuf::from(root.source().file.as_ref());
    let mut assembly = Assembly { resources, files: vec![identity(&main)], elements: 0, too_large: false };
    let top = assembly.copy(root, 1, 0, findings)?;
    (!assembly.too_large).then_some(top)
}

struct Assembly<'r> {
    resources: &'r Resources,
    files: Vec<PathBuf>,
    elements: usize,
    too_large: bool,
}

impl Assembly<'_> {
    fn copy(&mut self, element: Element<'_>, depth: usize, includes: usize, findings: &mut Findings) -> Option<Node> {
        self.elements += 1;
        if depth > MAX_DEPTH || self.elements > MAX_ELEMENTS {
            if !self.too_large {
                let text = format!(
                    "the model with its included files has more than {MAX_ELEMENTS} elements or is nested deeper \
                     than {MAX_DEPTH}; no robot is"
                );
                element.error(findings, "xml", "", text);
            }
            self.too_large = true;
            return None;
        }
        let mut node = Node {
            name: element.name().to_string(),
            attributes: element.attributes().map(|(k, v)| (k.to_string(), v.to_string())).collect(),
            children: Vec::new(),
            source: element.source(),
            scope: 0,
        };
        self.copy_children(element, &mut node.children, depth, includes, findings);
        Some(node)
    }

    fn copy_children(
        &mut self,
        element: Element<'_>,
        into: &mut Vec<Node>,
        depth: usize,
        includes: usize,
        findings: &mut Findings,
    ) {
        for child in element.children() {
            if self.too_large {
                return;
            }
            if child.name() == "include" {
                self.include(child, into, depth, includes, findings);
            } else if let Some(copy) = self.copy(child, depth + 1, includes, findings) {
                into.push(copy);
            }
        }
    }

    fn include(
        &mut self,
        element: Element<'_>,
        into: &mut Vec<Node>,
        depth: usize,
        includes: usize,
        findings: &mut Findings,
    ) {
        let Some(name) = element.attribute("file") else {
            element.error(findings, "include", "", "<include> names no file; write file=\"…\"");
            return;
        };
        if includes >= MAX_INCLUDE_DEPTH {
            let text = format!("files are included more than {MAX_INCLUDE_DEPTH} deep at '{name}'; flatten them");
            element.error(findings, "include", "", text);
            return;
        }
        let beside = self.resources.beside(Path::new(element.source().file.as_ref()));
        let path = match self.resources.find(name).or_else(|missing| beside.find(name).map_err(|_| missing)) {
            Ok(path) => path,
            Err(missing) => {
                element.error(
                    findings,
                    "include",
                    "",
                    format!("the included file '{name}' was not found; {missing}"),
                );
                return;
            }
        };
        let identity = identity(&path);
        if self.files.contains(&identity) {
            let text = format!(
                "'{name}' is included a second time; a file may be part of a model only once (and not of itself)"
            );
            element.error(findings, "include", "", text);
            return;
        }
        self.files.push(identity);
        let bytes = match std::fs::metadata(&path).map(|m| m.len()) {
            Ok(size) if size > MAX_BYTES as u64 => {
                let text = format!("the included file '{name}' is larger than {} MiB", MAX_BYTES >> 20);
                element.error(findings, "include", "", text);
                return;
            }
            _ => crate::input::read_regular(&path, MAX_BYTES as u64),
        };
        let bytes = match bytes {
            Ok(bytes) => bytes,
            Err(e) => {
                element.error(findings, "include", "", format!("the included file '{name}' cannot be read: {e}"));
                return;
            }
        };
        let file: Arc<str> = path.display().to_string().into();
        let read = xml::with_document(&bytes, &file, findings, |root, findings| {
            self.copy_children(root, into, depth, includes + 1, findings);
        });
        if read.is_none() {
            let text = format!("the included file '{name}' could not be read; see the finding in that file");
            findings.add(Severity::Error, "include", Some(element.source()), "", text);
        }
    }
}

/// Paths of the same file have the same identity.
fn identity(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}
