//! Findings on a terminal: one line for each kind, with a count, and paths as short as they can be.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use veracity_model::{Finding, Source};

/// The first finding of each kind and how many more there are, in the order of the first. A robot with forty odd links
/// has one problem, not forty.
pub fn by_kind<'a, K: Ord>(
    findings: impl Iterator<Item = &'a Finding>,
    kind: impl Fn(&Finding) -> K,
) -> Vec<(&'a Finding, usize)> {
    let mut out: Vec<(&Finding, usize)> = Vec::new();
    let mut place: BTreeMap<K, usize> = BTreeMap::new();
    for finding in findings {
        match place.get(&kind(finding)) {
            Some(at) => out[*at].1 += 1,
            None => {
                place.insert(kind(finding), out.len());
                out.push((finding, 0));
            }
        }
    }
    out
}

/// A finding in a line, with its file relative to the current folder where that is shorter, and the number of others of
/// its kind.
pub fn line(finding: &Finding, more: usize) -> String {
    line_in(finding, more, None)
}

/// The same with the file relative to a folder that was named before.
pub fn line_in(finding: &Finding, more: usize, folder: Option<&Path>) -> String {
    let source = finding.source.as_ref().map(|source| {
        let file = Path::new(&*source.file);
        let inside = folder.and_then(|folder| file.strip_prefix(folder).ok());
        let shown = inside.map_or_else(|| shown_from_here(file), |inside| inside.display().to_string());
        Source { file: shown.into(), line: source.line }
    });
    let shown = Finding { source, ..finding.clone() };
    if more == 0 { shown.to_string() } else { format!("{shown} (and {more} more of the kind)") }
}

/// The folder that holds the files of all findings, if naming it once saves room: at least two findings, and a long path.
pub fn common_folder<'a>(findings: impl Iterator<Item = &'a Finding>) -> Option<PathBuf> {
    let files: Vec<&Path> = findings.filter_map(|f| f.source.as_ref()).map(|s| Path::new(&*s.file)).collect();
    let first = files.first()?.parent()?;
    let holds_all = |folder: &&Path| files.iter().all(|file| file.starts_with(folder));
    let folder = first.ancestors().find(holds_all)?;
    (files.len() > 1 && shown_from_here(folder).len() >= LONG_PATH).then(|| folder.to_path_buf())
}

/// Characters of a folder that is named once rather than in every line.
const LONG_PATH: usize = 20;

/// A path as seen from the current folder, if that is shorter.
pub fn shown_from_here(path: &Path) -> String {
    shorter(path, &std::env::current_dir().unwrap_or_default())
}

/// A path as seen from a folder, if that is shorter.
fn shorter(path: &Path, here: &Path) -> String {
    let plain = path.display().to_string();
    if !path.is_absolute() || !here.is_absolute() {
        return plain;
    }
    let (mine, theirs): (Vec<Component<'_>>, Vec<Component<'_>>) =
        (here.components().collect(), path.components().collect());
    let shared = mine.iter().zip(&theirs).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n(Component::ParentDir, mine.len() - shared);
    let relative: PathBuf = up.chain(theirs[shared..].iter().copied()).collect();
    let relative = relative.display().to_string();
    if relative.len() < plain.len() && !relative.is_empty() { relative } else { plain }
}

#[cfg(test)]
mod tests {
    use super::*;
    use veracity_model::Severity;

    #[test]
    fn a_path_is_shown_from_here_where_that_is_shorter() {
        let here = Path::new("/home/me/study");
        let shown = |path: &str| shorter(Path::new(path), here);
        assert_eq!(shown("/home/me/study/robots/ur5.urdf"), "robots/ur5.urdf");
        assert_eq!(shown("/home/me/robots/ur5.urdf"), "../robots/ur5.urdf");
        assert_eq!(shown("/usr/x.urdf"), "/usr/x.urdf");
        assert_eq!(shown("robots/ur5.urdf"), "robots/ur5.urdf");
    }

    #[test]
    fn a_long_folder_is_named_once() {
        let finding = |file: &str| Finding {
            source: Some(Source { file: file.into(), line: 3 }),
            severity: Severity::Warning,
            code: "density",
            text: "too light".to_string(),
            subject: String::new(),
        };
        let far = ["/opt/a/very/long/path/robots/a.urdf", "/opt/a/very/long/path/meshes/b.stl"].map(finding);
        let folder = common_folder(far.iter()).unwrap();
        assert_eq!(folder, Path::new("/opt/a/very/long/path"));
        let line = line_in(&far[0], 0, Some(&folder));
        assert_eq!(line, "robots/a.urdf:3: warning[density]: too light");
        // One finding, or a short folder: the path stays in the line.
        assert_eq!(common_folder(far[..1].iter()), None);
        assert_eq!(common_folder(["x/a.urdf", "x/b.urdf"].map(finding).iter()), None);
    }

    #[test]
    fn forty_findings_of_a_kind_are_one_line() {
        let finding = |code, n: u32| Finding {
            source: Some(Source { file: "a.urdf".into(), line: n }),
            severity: Severity::Warning,
            code,
            text: format!("link {n}"),
            subject: String::new(),
        };
        let all: Vec<Finding> = (1..=40).map(|n| finding("density", n)).chain([finding("names", 7)]).collect();
        let lines: Vec<String> = by_kind(all.iter(), |f| f.code).iter().map(|(f, more)| line(f, *more)).collect();
        assert_eq!(
            lines,
            ["a.urdf:1: warning[density]: link 1 (and 39 more of the kind)", "a.urdf:7: warning[names]: link 7"]
        );
    }
}
