//! Third-party robots: numbers compared with MuJoCo and Pinocchio, and verdicts compared with an independent judge.
//!
//! The short form uses the models of the wheels that `cargo xtask venv` installs. If `VERACITY_STRANGERS` names a
//! folder of unpacked repositories and wheels (subfolders called `NAME@VERSION`), the full form also inspects those and
//! compares docs/public-robots.md with the result; `VERACITY_WRITE_DOCS=1` writes the page.

#[path = "strangers/files.rs"]
mod files;
#[path = "strangers/labels.rs"]
mod labels;
#[path = "strangers/numbers.rs"]
mod numbers;
#[path = "strangers/page.rs"]
mod page;

use files::{Collection, python, strangers, wheels};
use labels::{DIFFERENT, FALSE_REJECTS, SHORT};
use numbers::{Opinion, Peer, ask, differences, opinions};
use std::path::{Path, PathBuf};
use veracity_check::{InspectionReport, Verdict, inspect};
use veracity_model::import::{ImportOptions, Imported, load};

fn full() -> bool {
    std::env::var_os("VERACITY_FULL").is_some()
}

/// Our result and the peer's answers for a file.
struct Seen {
    path: PathBuf,
    imported: Imported,
    peer: Peer,
    opinion: Opinion,
}

impl Seen {
    fn ends_with(&self, end: &str) -> bool {
        self.path.ends_with(end)
    }
}

/// The wheels' files of the short form; in full form all of them, and those named by `VERACITY_STRANGERS`.
fn look(python: &Path) -> Vec<Seen> {
    let mut collections: Vec<Collection> = wheels(python);
    if full() {
        collections.extend(strangers().unwrap_or_default());
    }
    let mut files: Vec<PathBuf> = collections.into_iter().flat_map(|c| c.files).collect();
    files.retain(|file| full() || SHORT.iter().any(|end| file.ends_with(end)));
    let (peers, opinions) = (ask(python, &files), opinions(python, &files));
    let see = |((path, peer), opinion): ((PathBuf, Peer), Opinion)| {
        let imported = load(&path, &ImportOptions::default());
        Seen { path, imported, peer, opinion }
    };
    files.into_iter().zip(peers).zip(opinions).map(see).collect()
}

/// One test, because reading the files takes most of the time: numbers, then verdicts.
#[test]
fn robots_nobody_here_wrote_are_read_and_judged_right() {
    let Some(python) = python() else { return };
    let seen = look(&python);
    let (agree, wrong) = compare(&seen);
    let read = seen.iter().filter(|s| s.peer.refused().is_none()).count();
    println!(
        "{agree} of {read} files that MuJoCo or Pinocchio reads agree; {} are refused by them",
        seen.len() - read
    );
    let verdicts = judge(&seen);
    assert!(wrong.is_empty(), "{} of {read} files differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(agree >= 40, "only {agree} files were compared; `cargo xtask venv` installs the wheels");
    println!("ACCEPT strangers-numbers: {agree} of {read} models agree, {} for known reasons not", read - agree);
    verdicts.hold();
}

/// Compares the numbers of every file that the peer reads; returns how many agree, and the differences.
fn compare(seen: &[Seen]) -> (usize, Vec<String>) {
    let mut agree = 0;
    let mut wrong = Vec::new();
    for s in seen.iter().filter(|s| s.peer.refused().is_none()) {
        let list = match &s.imported.world {
            Some(world) => differences(world, &s.peer),
            None => vec![format!("no model here, {} reads it: {}", s.peer.name, s.imported.findings)],
        };
        let known = DIFFERENT.iter().find(|(file, _)| s.ends_with(file));
        match (list.is_empty(), known) {
            (true, _) => agree += 1,
            (false, Some((file, why))) => println!("different because {why}: {file}: {}", list.join("; ")),
            (false, None) => wrong.push(format!("{}: {}", s.path.display(), list.join("; "))),
        }
    }
    (agree, wrong)
}

/// Comparison of the verdicts with those of the judge.
#[derive(Default)]
struct Verdicts {
    impossible: usize,
    possible: usize,
    open: usize,
    false_accepts: Vec<String>,
    /// Rejected although possible, for a listed reason.
    listed: usize,
    false_rejects: Vec<String>,
}

fn judge(seen: &[Seen]) -> Verdicts {
    let mut out = Verdicts::default();
    for s in seen {
        let report = inspect(&s.imported);
        let what = || format!("{}: {}: {}", s.path.display(), s.opinion.why.join("; "), summary(&report));
        let known = FALSE_REJECTS.iter().find(|(file, _)| s.ends_with(file));
        match (s.opinion.label.as_str(), report.verdict) {
            ("impossible", verdict) => {
                out.impossible += 1;
                if verdict == Some(Verdict::Accepted) {
                    out.false_accepts.push(what());
                }
            }
            ("possible", verdict) => {
                out.possible += 1;
                match (verdict == Some(Verdict::Rejected), known) {
                    (true, Some((_, why))) => {
                        out.listed += 1;
                        println!("rejected although possible, because {why}: {}", what());
                    }
                    (true, None) => out.false_rejects.push(what()),
                    (false, Some(_)) => out.false_rejects.push(format!("{} is listed but was not rejected", what())),
                    (false, None) => {}
                }
            }
            _ => out.open += 1,
        }
    }
    out
}

impl Verdicts {
    fn hold(self) {
        let Self { impossible, possible, open, false_accepts, listed, false_rejects } = self;
        assert!(false_accepts.is_empty(), "accepted although impossible:\n{}", false_accepts.join("\n"));
        assert!(false_rejects.is_empty(), "false rejects not listed:\n{}", false_rejects.join("\n"));
        assert!(impossible >= 15 && possible >= 15, "only {impossible} impossible and {possible} possible files");
        println!(
            "ACCEPT strangers-verdicts: false accepts 0 of {impossible}, false rejects {listed} of {possible}, {open} left open"
        );
    }
}

/// The judge can fail a file: a possible file becomes impossible when one number changes, and `check` agrees.
#[test]
fn the_judge_and_the_check_see_one_wrong_number() {
    let Some(python) = python() else { return };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("judged");
    std::fs::create_dir_all(&folder).unwrap();
    let link = |mass: &str, ixx: &str| {
        format!(
            "<robot name='r'><link name='base'/><link name='arm'><inertial><mass value='{mass}'/><inertia ixx='{ixx}' \
             iyy='0.02' izz='0.02' ixy='0' ixz='0' iyz='0'/></inertial><visual><geometry><box size='0.5 0.5 0.5'/></geometry>\
             </visual></link><joint name='j' type='continuous'><parent link='base'/><child link='arm'/><axis xyz='0 1 0'/>\
             </joint></robot>"
        )
    };
    let mut wanted = Vec::new();
    let mut files = Vec::new();
    for (name, text, label) in [
        ("sound.urdf", link("1", "0.02"), "possible"),
        // 0.05 > 0.02 + 0.02
        ("triangle.urdf", link("1", "0.05"), "impossible"),
        ("negative.urdf", link("1", "-0.02"), "impossible"),
        ("mass.urdf", link("-1", "0.02"), "impossible"),
        // A radius of gyration of 4.5 m in a cube of 0.5 m.
        ("gyration.urdf", link("0.001", "0.02"), "impossible"),
    ] {
        let file = folder.join(name);
        std::fs::write(&file, text).unwrap();
        wanted.push(label);
        files.push(file);
    }
    for ((file, opinion), label) in files.iter().zip(opinions(&python, &files)).zip(wanted) {
        assert_eq!(opinion.label, label, "{}: {:?}", file.display(), opinion.why);
        let report = inspect(&load(file, &ImportOptions::default()));
        let expected = if label == "possible" { Verdict::Accepted } else { Verdict::Rejected };
        assert_eq!(report.verdict, Some(expected), "{}: {}", file.display(), summary(&report));
    }
}

fn summary(report: &InspectionReport) -> String {
    report.reasons.join(", ")
}

#[test]
fn the_page_of_public_robots_is_up_to_date() {
    let Some(collections) = strangers() else {
        println!("NOT RUN: VERACITY_STRANGERS names no folder of public robots; the page is not checked");
        assert!(page_path().is_file(), "docs/public-robots.md is missing");
        return;
    };
    let python = python().expect("the page has what MuJoCo and Pinocchio read");
    let peers: Vec<Vec<Peer>> = collections.iter().map(|c| ask(&python, &c.files)).collect();
    let text = page::write(&collections, &peers);
    if std::env::var_os("VERACITY_WRITE_DOCS").is_some() {
        std::fs::write(page_path(), text).unwrap();
        return;
    }
    let committed = std::fs::read_to_string(page_path()).unwrap();
    assert!(committed == text, "docs/public-robots.md is out of date; write it with VERACITY_WRITE_DOCS=1");
    println!("ACCEPT strangers-page: {} files judged", collections.iter().map(|c| c.files.len()).sum::<usize>());
}

fn page_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/public-robots.md")
}
