//! Robots nobody here wrote: numbers beside those of MuJoCo and Pinocchio, and verdicts beside what is known of the files.
//!
//! The short form takes the models of the wheels that `cargo xtask venv` installs. With `VERACITY_STRANGERS` naming a folder of
//! unpacked repositories and wheels (subfolders called `NAME@VERSION`), the full form also judges those and holds
//! docs/public-robots.md to what comes out; `VERACITY_WRITE_DOCS=1` writes the page.

#[path = "strangers/files.rs"]
mod files;
#[path = "strangers/labels.rs"]
mod labels;
#[path = "strangers/numbers.rs"]
mod numbers;
#[path = "strangers/page.rs"]
mod page;

use files::{Collection, python, strangers, wheels};
use labels::{DIFFERENT, FALSE_REJECTS, LABELS, Truth};
use numbers::{Peer, ask, differences};
use std::path::{Path, PathBuf};
use veracity_check::{Report, Verdict, audit};
use veracity_model::import::{ImportOptions, Imported, load};

fn full() -> bool {
    std::env::var_os("VERACITY_FULL").is_some()
}

/// A file as both sides see it.
struct Seen {
    path: PathBuf,
    imported: Imported,
    peer: Peer,
}

impl Seen {
    fn ends_with(&self, end: &str) -> bool {
        self.path.ends_with(end)
    }
}

/// The labelled files of the wheels; in full form all of them, and what `VERACITY_STRANGERS` names.
fn look(python: &Path) -> Vec<Seen> {
    let mut collections: Vec<Collection> = wheels(python);
    if full() {
        collections.extend(strangers().unwrap_or_default());
    }
    let mut files: Vec<PathBuf> = collections.into_iter().flat_map(|c| c.files).collect();
    files.retain(|file| full() || LABELS.iter().any(|label| file.ends_with(label.file)));
    let peers = ask(python, &files);
    let see = |(path, peer): (PathBuf, Peer)| {
        let imported = load(&path, &ImportOptions::default());
        Seen { path, imported, peer }
    };
    files.into_iter().zip(peers).map(see).collect()
}

/// One test, because reading the files is most of the work: numbers, then verdicts.
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

/// Compares the numbers of every file that the peer reads; gives how many agree, and what differs.
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

/// Verdicts beside what is known.
#[derive(Default)]
struct Verdicts {
    impossible: usize,
    sound: usize,
    false_accepts: Vec<String>,
    false_rejects: Vec<String>,
}

fn judge(seen: &[Seen]) -> Verdicts {
    let mut out = Verdicts::default();
    for s in seen {
        let label = LABELS.iter().find(|label| s.ends_with(label.file));
        let links = s.peer.impossible();
        let impossible = !links.is_empty() || label.is_some_and(|l| l.truth == Truth::Impossible);
        if !impossible && label.is_none() {
            continue;
        }
        let report = audit(&s.imported);
        let what = || format!("{}: {}: {}", s.path.display(), label.map_or("", |l| l.why), summary(&report));
        if impossible {
            out.impossible += 1;
            if report.verdict != Some(Verdict::Rejected) {
                out.false_accepts.push(format!("{} {links:?}", what()));
            }
        } else {
            out.sound += 1;
            let listed = FALSE_REJECTS.iter().any(|(file, _)| s.ends_with(file));
            match (report.verdict == Some(Verdict::Rejected), listed) {
                (true, true) => println!("rejected although sound, as listed: {}", what()),
                (true, false) => out.false_rejects.push(what()),
                (false, true) => {
                    out.false_rejects.push(format!("{} is listed as a false reject but was accepted", what()))
                }
                (false, false) => {}
            }
        }
    }
    out
}

impl Verdicts {
    fn hold(self) {
        let Self { impossible, sound, false_accepts, false_rejects } = self;
        assert!(false_accepts.is_empty(), "not rejected although impossible:\n{}", false_accepts.join("\n"));
        assert!(false_rejects.is_empty(), "false rejects not listed:\n{}", false_rejects.join("\n"));
        assert!(impossible >= 20 && sound >= 20, "only {impossible} impossible and {sound} sound files were found");
        println!(
            "ACCEPT strangers-verdicts: false accepts 0 of {impossible}, false rejects {} of {sound}",
            FALSE_REJECTS.len()
        );
    }
}

fn summary(report: &Report) -> String {
    report.reasons.join(", ")
}

#[test]
fn the_page_of_public_robots_is_up_to_date() {
    let Some(collections) = strangers() else {
        println!("NOT RUN: VERACITY_STRANGERS names no folder of public robots; the page is not checked");
        assert!(page_path().is_file(), "docs/public-robots.md is missing");
        return;
    };
    let text = page::write(&collections, |file| audit(&load(file, &ImportOptions::default())));
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
