//! The layer check: a crate may use lower layers, and crates of its own layer that its row lists.
//!
//! The layers are read from the table under the heading `## Layers` of ARCHITECTURE.md, so the page cannot become outdated:
//!
//! | layer | crate | uses on its own layer | what lives there |
//!
//! A crate is named by its folder below `crates/`. xtask is outside the layers and may use none of them. An edge followed
//! by `(tests)` is for tests only, and an edge that only tests use must say so.
//!
//! Within a layer no public type name occurs twice: [`crate::names`].

use crate::names;
use crate::table::markdown_cells;
use crate::workspace::{Member, Workspace};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;

const PAGE: &str = "ARCHITECTURE.md";
const HEADING: &str = "## Layers";

/// A crate's row in the table.
#[derive(Debug, PartialEq)]
struct Place {
    layer: u32,
    same_layer: Vec<Edge>,
    line: usize,
}

/// A crate used on the same layer.
#[derive(Debug, PartialEq)]
struct Edge {
    to: String,
    only_tests: bool,
}

/// Compares the workspace with the page; returns what was checked.
pub fn check(workspace: &Workspace) -> Result<String> {
    let path = workspace.root.join(PAGE);
    let page = std::fs::read_to_string(&path).with_context(|| format!("cannot read {PAGE}"))?;
    let places = places_in(&page)?;
    let members = workspace.members()?;
    let mut problems = problems(&places, &members);
    let crates: Vec<(String, u32)> =
        places.iter().map(|(name, place)| (format!("crates/{name}"), place.layer)).collect();
    if problems.is_empty() {
        problems = names::problems(&workspace.root, &crates)?;
    }
    if !problems.is_empty() {
        bail!("{} problem(s) with the layers:\n{}", problems.len(), problems.join("\n"));
    }
    let edges: usize = members.iter().map(|member| member.uses.len()).sum();
    Ok(format!(
        "{} crates, {edges} dependencies between them, all downward or listed; no public type name twice in a layer",
        places.len()
    ))
}

fn places_in(page: &str) -> Result<BTreeMap<String, Place>> {
    let mut places = BTreeMap::new();
    let mut inside = false;
    for (index, text) in page.lines().enumerate() {
        if text.starts_with("## ") {
            inside = text.trim() == HEADING;
        }
        let Some(cells) = markdown_cells(text).filter(|_| inside) else { continue };
        let line = index + 1;
        let [layer, name, same_layer, _what] = &cells[..] else {
            bail!("{PAGE}:{line}: the layer table has four columns: layer, crate, uses on its own layer, what");
        };
        // The heading and the rule below it are the only rows whose first cell is not a number.
        let Ok(layer) = layer.parse() else {
            if layer == "layer" || layer.starts_with("---") {
                continue;
            }
            bail!("{PAGE}:{line}: `{layer}` is not a layer number");
        };
        let place = Place { layer, same_layer: edges_in(same_layer), line };
        let name = name.trim_matches('`').to_owned();
        if let Some(first) = places.insert(name.clone(), place) {
            bail!("{PAGE}:{line}: `{name}` is already in line {}", first.line);
        }
    }
    if places.is_empty() {
        bail!("{PAGE}: no layer table under the heading `{HEADING}`");
    }
    Ok(places)
}

/// The names between backquotes, each with the mark that may follow it.
fn edges_in(cell: &str) -> Vec<Edge> {
    let parts: Vec<&str> = cell.split('`').collect();
    let edge = |pair: &[&str]| Edge {
        to: pair[0].to_owned(),
        only_tests: pair.get(1).is_some_and(|after| after.trim_start().starts_with("(tests)")),
    };
    parts[1..].chunks(2).map(edge).collect()
}

fn problems(places: &BTreeMap<String, Place>, members: &[Member]) -> Vec<String> {
    let mut problems = Vec::new();
    let folder_of: BTreeMap<&str, &str> =
        members.iter().filter_map(|m| Some((m.package.as_str(), m.folder.strip_prefix("crates/")?))).collect();

    for (name, place) in places {
        let line = place.line;
        if !folder_of.values().any(|folder| folder == name) {
            problems.push(format!("{PAGE}:{line}: crates/{name} does not exist; remove the row"));
        }
        for Edge { to: other, .. } in &place.same_layer {
            if places.get(other).is_none_or(|there| there.layer != place.layer) {
                problems.push(format!("{PAGE}:{line}: `{other}` is not on `{name}`'s own layer"));
            }
        }
    }
    for member in members {
        let manifest = format!("{}/Cargo.toml", member.folder);
        let Some(name) = folder_of.get(member.package.as_str()) else {
            if !member.uses.is_empty() {
                problems.push(format!("{manifest}: is outside the layers and may use none of them"));
            }
            continue;
        };
        let Some(place) = places.get(*name) else {
            problems.push(format!("{manifest}: `{name}` has no row in the layer table of {PAGE}; add one"));
            continue;
        };
        for used_package in &member.uses {
            let Some((used, there)) =
                folder_of.get(used_package.as_str()).and_then(|used| places.get_key_value(*used))
            else {
                problems.push(format!("{manifest}: uses `{used_package}`, which is outside the layers"));
                continue;
            };
            let listed = place.same_layer.iter().find(|edge| there.layer == place.layer && edge.to == *used);
            if let Some(edge) = listed {
                let only_tests = member.only_tests_use.contains(used_package);
                if edge.only_tests != only_tests {
                    let (is, mark) =
                        if only_tests { ("only by tests", "add") } else { ("by more than tests", "remove") };
                    let line = place.line;
                    problems.push(format!("{PAGE}:{line}: `{name}` uses `{used}` {is}; {mark} the mark (tests)"));
                }
            }
            if there.layer >= place.layer && listed.is_none() {
                problems.push(format!(
                    "{manifest}: `{name}` (layer {}) may not use `{used}` (layer {}): move the code down, or, on the \
                     same layer, list the edge in {PAGE}:{}",
                    place.layer, there.layer, place.line
                ));
            }
        }
    }
    problems.extend(cycle(places).map(|names| format!("{PAGE}: the listed edges form a cycle: {names}")));
    problems
}

/// A cycle among the edges listed within layers, if there is one. Edges between layers go down and cannot close one.
fn cycle(places: &BTreeMap<String, Place>) -> Option<String> {
    // Repeatedly remove every crate that uses no remaining crate; what stays is on a cycle or uses one.
    let mut left: Vec<&String> = places.keys().collect();
    loop {
        let (stay, gone): (Vec<&String>, Vec<&String>) =
            left.iter().partition(|name| places[**name].same_layer.iter().any(|edge| left.contains(&&edge.to)));
        if gone.is_empty() {
            let names: Vec<&str> = stay.iter().map(|name| name.as_str()).collect();
            return (!names.is_empty()).then(|| names.join(", "));
        }
        left = stay;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE_TEXT: &str = "\
# A page
| 9 | `elsewhere` | | a table of another section |
## Layers
| layer | crate | uses on its own layer | what lives there |
|---|---|---|---|
| 2 | `dynamics` | `collide` | motion |
| 2 | `collide` | | gaps |
| 1 | `model` | | data |
## Next
| 7 | `other` | | not read |
";

    fn member(folder: &str, uses: &[&str]) -> Member {
        let package = format!("veracity-{folder}");
        let uses = uses.iter().map(|used| format!("veracity-{used}")).collect();
        Member { package, folder: format!("crates/{folder}"), uses, only_tests_use: Vec::new() }
    }

    fn problems_with(page: &str, members: &[Member]) -> String {
        problems(&places_in(page).unwrap(), members).join("\n")
    }

    #[test]
    fn downward_and_listed_edges_pass() {
        let members =
            [member("collide", &["model"]), member("dynamics", &["model", "collide"]), member("model", &[])];
        assert_eq!(problems_with(PAGE_TEXT, &members), "");
    }

    #[test]
    fn upward_edge_fails() {
        let members = [member("collide", &[]), member("dynamics", &[]), member("model", &["dynamics"])];
        let text = problems_with(PAGE_TEXT, &members);
        assert!(
            text.contains("crates/model/Cargo.toml: `model` (layer 1) may not use `dynamics` (layer 2)"),
            "{text}"
        );
    }

    #[test]
    fn unlisted_edge_on_the_same_layer_fails() {
        let members = [member("collide", &["dynamics"]), member("dynamics", &[]), member("model", &[])];
        assert!(problems_with(PAGE_TEXT, &members).contains("`collide` (layer 2) may not use `dynamics` (layer 2)"));
    }

    #[test]
    fn edge_of_tests_is_marked_and_only_such_an_edge() {
        let mut dynamics = member("dynamics", &["collide"]);
        dynamics.only_tests_use = vec!["veracity-collide".into()];
        let unmarked = [member("collide", &[]), dynamics.clone(), member("model", &[])];
        let text = problems_with(PAGE_TEXT, &unmarked);
        assert!(text.contains("`dynamics` uses `collide` only by tests; add the mark (tests)"), "{text}");

        let page = PAGE_TEXT.replace("`collide` | motion", "`collide` (tests) | motion");
        assert_eq!(problems_with(&page, &unmarked), "");
        let marked = [member("collide", &[]), member("dynamics", &["collide"]), member("model", &[])];
        let text = problems_with(&page, &marked);
        assert!(text.contains("uses `collide` by more than tests; remove the mark (tests)"), "{text}");
    }

    #[test]
    fn cycle_of_listed_edges_fails() {
        let page = PAGE_TEXT.replace("`collide` | |", "`collide` | `dynamics` |");
        let members = [member("collide", &[]), member("dynamics", &[]), member("model", &[])];
        let text = problems_with(&page, &members);
        assert!(text.contains("form a cycle: collide, dynamics"), "{text}");
    }

    #[test]
    fn crate_without_row_and_row_without_crate_fail() {
        let members = [member("collide", &[]), member("dynamics", &[]), member("lcp", &[])];
        let text = problems_with(PAGE_TEXT, &members);
        assert!(text.contains("`lcp` has no row"), "{text}");
        assert!(text.contains("crates/model does not exist"), "{text}");
    }

    #[test]
    fn page_without_the_table_fails() {
        assert!(places_in("# nothing here\n").is_err());
    }
}
