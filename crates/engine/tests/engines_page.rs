//! The table at the end of docs/engines.md is generated from `CLAIMS`.
//!
//! `VERACITY_WRITE=1 cargo test -p veracity-engine --test engines_page` rewrites the table.

use std::path::{Path, PathBuf};
use veracity_engine::conformance::CLAIMS;

/// Everything below this line of the page is generated here.
const MARK: &str = "<!-- below: written by crates/engine/tests/engines_page.rs -->\n";

fn page_file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/engines.md")
}

fn table() -> String {
    let mut out = String::from("\n| claim | says |\n|---|---|\n");
    for claim in CLAIMS {
        out += &format!("| `{}` | {} |\n", claim.name, claim.says);
    }
    out
}

#[test]
fn the_page_lists_every_claim() {
    let found = std::fs::read_to_string(page_file()).unwrap();
    let (by_hand, _) = found.split_once(MARK).expect("the page has the mark");
    let expected = format!("{by_hand}{MARK}{}", table());
    if std::env::var_os("VERACITY_WRITE").is_some() {
        std::fs::write(page_file(), &expected).unwrap();
        return;
    }
    assert!(found == expected, "docs/engines.md is out of date; run this test with VERACITY_WRITE=1");
}
