//! The link check: every relative link in a Markdown page leads to an existing file and, after `#`, to an existing heading.

use crate::process;
use crate::workspace::Workspace;
use anyhow::{Result, bail};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Checks every Markdown page git knows; returns how many links were followed.
pub fn check(workspace: &Workspace) -> Result<String> {
    let root = &workspace.root;
    let mut git = Command::new("git");
    git.args(["ls-files", "--cached", "--others", "--exclude-standard", "*.md"]).current_dir(root);
    let (mut pages, mut followed, mut dead) = (0, 0, Vec::new());
    let mut known: BTreeMap<PathBuf, Vec<String>> = BTreeMap::new();
    for page in process::output_of(&mut git)?.lines() {
        let text = std::fs::read_to_string(root.join(page))?;
        let folder = Path::new(page).parent().unwrap_or(Path::new(""));
        pages += 1;
        for link in relative_links(&text) {
            followed += 1;
            let target = root.join(if link.path.is_empty() { PathBuf::from(page) } else { folder.join(link.path) });
            if !target.exists() {
                dead.push(format!("{page}:{}: {} does not exist", link.line, link.path));
                continue;
            }
            let Some(anchor) = link.anchor.filter(|_| target.extension().is_some_and(|e| e == "md")) else {
                continue;
            };
            if !known.contains_key(&target) {
                let headings = anchors(&std::fs::read_to_string(&target)?);
                known.insert(target.clone(), headings);
            }
            if !known[&target].iter().any(|heading| heading == anchor) {
                dead.push(format!("{page}:{}: {} has no heading #{anchor}", link.line, target.display()));
            }
        }
    }
    if !dead.is_empty() {
        bail!("{} dead link(s):\n{}", dead.len(), dead.join("\n"));
    }
    Ok(format!("{pages} pages, {followed} links, none dead"))
}

/// A relative link: `path#anchor`. The path is empty for a heading of the same page.
#[derive(Debug, PartialEq)]
struct Link<'a> {
    line: usize,
    path: &'a str,
    anchor: Option<&'a str>,
}

/// `](target)` and `src="target"` outside of code blocks.
fn relative_links(text: &str) -> Vec<Link<'_>> {
    let mut links = Vec::new();
    for (line, text) in prose(text) {
        let starts = |open: &'static str, close: char| {
            text.split(open).skip(1).filter_map(move |rest| rest.split_once(close).map(|(target, _)| target))
        };
        for target in starts("](", ')').chain(starts("src=\"", '"')).chain(starts("srcset=\"", '"')) {
            let (path, anchor) = target.split_once('#').map_or((target, None), |(path, anchor)| (path, Some(anchor)));
            if !path.contains("://") && !path.starts_with("mailto:") && !target.is_empty() {
                links.push(Link { line, path, anchor });
            }
        }
    }
    links
}

/// Anchors of the headings of a page, as GitHub makes them: lower case, without punctuation, blanks as hyphens; a repeated
/// heading gets a number.
fn anchors(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (_, line) in prose(text) {
        let Some(heading) = line.strip_prefix('#').map(|rest| rest.trim_start_matches('#')) else { continue };
        if !heading.starts_with(' ') {
            continue;
        }
        let slug: String = heading
            .trim()
            .to_lowercase()
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
            .map(|c| if c == ' ' { '-' } else { c })
            .collect();
        let repeated = found.iter().filter(|one| **one == slug || one.starts_with(&format!("{slug}-"))).count();
        if repeated > 0 && found.contains(&slug) {
            found.push(format!("{slug}-{repeated}"));
        } else {
            found.push(slug);
        }
    }
    found
}

/// Lines outside of code blocks, with their numbers from 1.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut in_code = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let fence = line.trim_start().starts_with("```");
        if fence {
            in_code = !in_code;
        }
        (!in_code && !fence).then_some((index + 1, line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_links_are_found_and_others_ignored() {
        let text = "See [a](docs/a.md#part), [b](https://b.org) and [c](#here).\n<img src=\"docs/x.svg\">\n```\n[d](no.md)\n```\n";
        let link = |line, path, anchor| Link { line, path, anchor };
        assert_eq!(
            relative_links(text),
            [link(1, "docs/a.md", Some("part")), link(1, "", Some("here")), link(2, "docs/x.svg", None)]
        );
    }

    #[test]
    fn anchors_are_those_of_github() {
        let text =
            "# The `[[file]]`, version 2\n## Pairs of bodies\n```\n# no heading\n```\n#no\n## Pairs of bodies\n";
        assert_eq!(anchors(text), ["the-file-version-2", "pairs-of-bodies", "pairs-of-bodies-1"]);
    }
}
