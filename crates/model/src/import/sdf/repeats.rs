//! Elements that may occur once but occur twice with different contents: it is not known which is intended.

use super::super::xml::Element;
use crate::finding::Findings;
use std::collections::BTreeMap;

/// Elements that may be repeated.
const REPEATABLE: [&str; 15] = [
    "world",
    "model",
    "link",
    "joint",
    "frame",
    "include",
    "collision",
    "visual",
    "sensor",
    "plugin",
    "light",
    "physics",
    "polyline",
    "point",
    "gripper",
];

/// Elements whose contents are not read, or only kept verbatim.
const NOT_READ: [&str; 15] = [
    "plugin",
    "gui",
    "scene",
    "light",
    "actor",
    "state",
    "material",
    "sensor",
    "population",
    "road",
    "heightmap",
    "physics",
    "wind",
    "audio",
    "gripper",
];

/// Reports every contradiction below `element`.
pub(super) fn report_contradictions(element: Element<'_>, findings: &mut Findings) {
    let mut first: BTreeMap<&str, Element<'_>> = BTreeMap::new();
    for child in element.children() {
        let name = child.name();
        if NOT_READ.contains(&name) {
            continue;
        }
        report_contradictions(child, findings);
        if REPEATABLE.contains(&name) {
            continue;
        }
        match first.get(name) {
            None => {
                first.insert(name, child);
            }
            Some(other) if other.raw() == child.raw() => {}
            Some(other) => {
                let text = format!(
                    "<{name}> stands twice in <{}> and says different things (first on line {}); keep one",
                    element.name(),
                    other.source().line
                );
                child.error(findings, "contradiction", name, text);
            }
        }
    }
}
