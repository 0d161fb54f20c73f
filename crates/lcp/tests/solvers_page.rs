//! docs/solvers.md is made of the list and of what each solver's file says of itself.
//!
//! `VERACITY_WRITE=1 cargo test -p veracity-lcp --test solvers_page` writes the page anew.

use std::path::{Path, PathBuf};
use veracity_lcp::{Cone, Law, SOLVERS, SolverEntry};

fn page_file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/solvers.md")
}

/// The comment at the head of a solver's file; over-relaxation is told in the file of what it relaxes.
fn head_comment(name: &str) -> Option<String> {
    let file = format!("{}/src/solvers/{name}.rs", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&file).ok()?;
    let lines = text.lines().take_while(|l| l.starts_with("//!"));
    Some(lines.map(|l| l.trim_start_matches("//!").strip_prefix(' ').unwrap_or("")).collect::<Vec<_>>().join("\n"))
}

fn cones(entry: &SolverEntry) -> String {
    let law = Law::Friction { mu: [0.5, 0.5] };
    let all = [(Cone::Exact, "exact"), (Cone::Pyramid { sides: 4 }, "pyramid"), (Cone::Box, "box")];
    let taken: Vec<&str> = all.iter().filter(|(c, _)| (entry.refuses)(&law, *c).is_none()).map(|(_, n)| *n).collect();
    taken.join(", ")
}

fn turning(entry: &SolverEntry) -> &'static str {
    let takes = |law: Law| [Cone::Exact, Cone::Box].iter().any(|cone| (entry.refuses)(&law, *cone).is_none());
    match (
        takes(Law::Torsion { mu: [0.5, 0.5], torsion: 0.1 }),
        takes(Law::Rolling { mu: [0.5, 0.5], torsion: 0.1, rolling: 0.1 }),
    ) {
        (true, true) => "torsion, rolling",
        (true, false) => "torsion",
        _ => "none",
    }
}

fn expected() -> String {
    let mut page = String::from(
        "# Solvers of contact problems\n\n\
         A step through contact asks for impulses `λ` with `w = A λ + b` under a law for each contact, limit and joint. Any of\n\
         these solvers can be named in an engine spec. Each returns its status, its iterations, and the natural residual [m/s]\n\
         of the impulses it returns: how far they are from the law, as a velocity. What a solver guarantees is held by the\n\
         tests over all problems of `crates/lcp/src/fixtures`.\n\n\
         Every answer is measured before a body moves by it (`crates/lcp/src/checked.rs`). One that is worse than no impulses and\n\
         than the start, or not finite, and every answer of a pivoting solver (`lemke`, `dantzig`) that misses the tolerance, is\n\
         rejected; the default solver then finds the impulses, and the step counts as not solved by the solver that was asked\n\
         for. Answers of sweeping solvers that miss the tolerance are used and counted as not solved.\n\n\
         This page is written by a test from the list `SOLVERS` and the solvers' own files.\n\n\
         | solver | what it is | friction cones | turning friction | relaxation |\n|---|---|---|---|---|\n",
    );
    for entry in SOLVERS {
        let relaxes = if entry.relaxes { "yes" } else { "no" };
        page += &format!(
            "| [`{0}`](#{0}) | {1} | {2} | {3} | {relaxes} |\n",
            entry.name,
            entry.text,
            cones(entry),
            turning(entry)
        );
    }
    for entry in SOLVERS {
        page += &format!("\n## `{}`\n\n**Guarantees.** {}\n", entry.name, entry.guarantees);
        if let Some(comment) = head_comment(entry.name) {
            page += &format!("\n{comment}\n");
        }
    }
    page
}

#[test]
fn the_page_says_what_the_files_say() {
    let expected = expected();
    if std::env::var_os("VERACITY_WRITE").is_some() {
        std::fs::write(page_file(), &expected).unwrap();
    }
    let found = std::fs::read_to_string(page_file()).unwrap_or_default();
    assert!(found == expected, "docs/solvers.md is out of date; run this test with VERACITY_WRITE=1");
}

#[test]
fn names_are_those_of_files_and_are_unique() {
    for (k, entry) in SOLVERS.iter().enumerate() {
        assert!(SOLVERS[..k].iter().all(|other| other.name != entry.name));
        assert!(entry.name == "sor" || head_comment(entry.name).is_some(), "{} has no file", entry.name);
    }
}
