//! The link check: every relative link in a Markdown page leads to an existing file.

use crate::process;
use crate::workspace::Workspace;
use anyhow::{Result, bail};
use std::path::Path;
use std::process::Command;

/// Checks every Markdown page git knows; returns how many links were followed.
pub fn check(workspace: &Workspace) -> Result<String> {
    let root = &workspace.root;
    let mut git = Command::new("git");
    git.args(["ls-files", "--cached", "--others", "--exclude-standard", "*.md"]).current_dir(root);
    let (mut pages, mut followed, mut dead) = (0, 0, Vec::new());
    for page in process::output_of(&mut git)?.lines() {
        let text = std::fs::read_to_string(root.join(page))?;
        let folder = Path::new(page).parent().unwrap_or(Path::new(""));
        pages += 1;
        for (line, target) in relative_links(&text) {
            followed += 1;
            if !root.join(folder).join(target).exists() {
                dead.push(format!("{page}:{line}: {target} does not exist"));
            }
        }
    }
    if !dead.is_empty() {
        bail!("{} dead link(s):\n{}", dead.len(), dead.join("\n"));
    }
    Ok(format!("{pages} pages, {followed} links to files, none dead"))
}

/// Line and path of `](path)` and `src="path"`, without the part after `#`, outside of code blocks.
fn relative_links(text: &str) -> Vec<(usize, &str)> {
    let mut links = Vec::new();
    let mut in_code = false;
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        if in_code {
            continue;
        }
        let starts = |open: &'static str, close: char| {
            line.split(open).skip(1).filter_map(move |rest| rest.split_once(close).map(|(target, _)| target))
        };
        for target in starts("](", ')').chain(starts("src=\"", '"')).chain(starts("srcset=\"", '"')) {
            let path = target.split('#').next().unwrap_or("");
            if !path.is_empty() && !path.contains("://") && !path.starts_with("mailto:") {
                links.push((index + 1, path));
            }
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_files_are_found_and_others_ignored() {
        let text = "See [a](docs/a.md#part), [b](https://b.org) and [c](#here).\n<img src=\"docs/x.svg\">\n```\n[d](no.md)\n```\n";
        assert_eq!(relative_links(text), [(1, "docs/a.md"), (2, "docs/x.svg")]);
    }
}
