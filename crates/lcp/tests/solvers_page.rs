//! docs/solvers.md is generated from the list of solvers and the head comment of each solver's file.
//!
//! `VERACITY_WRITE=1 cargo test -p veracity-lcp --test solvers_page` rewrites the page.

use std::path::{Path, PathBuf};
use veracity_lcp::{Cone, Law, SOLVERS, SolverEntry};

fn page_file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/solvers.md")
}

/// The comment at the head of a solver's file; `sor` is documented in the file of `pgs`.
fn head_comment(name: &str) -> Option<String> {
    let file = format!("{}/src/solvers/{name}.rs", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&file).ok()?;
    let lines = text.lines().take_while(|l| l.starts_with("//!"));
    Some(lines.map(|l| l.trim_start_matches("//!").strip_prefix(' ').unwrap_or("")).collect::<Vec<_>>().join("\n"))
}

fn cones(entry: &SolverEntry) -> String {
    let law = Law::Friction { mu: [0.5, 0.5] };
    let all = [(Cone::Exact, "exact"), (Cone::Pyramid { sides: 4 }, "pyramid"), (Cone::Box, "box")];
    let supported: Vec<&str> =
        all.iter().filter(|(c, _)| (entry.refuses)(&law, *c).is_none()).map(|(_, n)| *n).collect();
    supported.join(", ")
}

fn turning(entry: &SolverEntry) -> &'static str {
    let supports = |law: Law| [Cone::Exact, Cone::Box].iter().any(|cone| (entry.refuses)(&law, *cone).is_none());
    match (
        supports(Law::Torsion { mu: [0.5, 0.5], torsion: 0.1 }),
        supports(Law::Rolling { mu: [0.5, 0.5], torsion: 0.1, rolling: 0.1 }),
    ) {
        (true, true) => "torsion, rolling",
        (true, false) => "torsion",
        _ => "none",
    }
}

fn expected() -> String {
    let mut page = String::from(
        "# Contact solvers\n\n\
         A contact step solves for impulses `λ` with `w = A λ + b` under a law for each contact, limit and joint. Any of these\n\
         solvers can be named in an engine spec. Each returns its status, its iterations, and the natural residual [m/s] of the\n\
         impulses it returns: their distance from the law, as a velocity. What a solver guarantees is tested on all problems of\n\
         `crates/lcp/src/fixtures`.\n\n\
         Every answer is checked before it moves a body (`crates/lcp/src/checked.rs`). An answer that is worse than no impulses\n\
         and than the start, or not finite, and every answer of a pivoting solver (`lemke`, `dantzig`) that misses the tolerance,\n\
         is rejected; the default solver then computes the impulses, and the step counts as not solved by the requested solver.\n\
         Answers of sweeping solvers that miss the tolerance are used and counted as not solved.\n\n\
         This page is written by a test from the list `SOLVERS` and the solvers' own files.\n\n\
         | solver | method | friction cones | torsion and rolling | relaxation |\n|---|---|---|---|---|\n",
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
