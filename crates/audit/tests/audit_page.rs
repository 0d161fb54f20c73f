//! The table at the end of docs/audit.md is generated from `EXPERIMENTS`.
//!
//! `VERACITY_WRITE=1 cargo test -p veracity-audit --test audit_page` rewrites it.

use std::path::Path;
use veracity_audit::EXPERIMENTS;

const MARK: &str = "<!-- below: written by crates/audit/tests/audit_page.rs -->\n";

fn list() -> String {
    let mut text =
        String::from("\n| number | group | given | read back as | may be approximated |\n|---|---|---|---|---|\n");
    for e in EXPERIMENTS {
        let unit = if e.unit.is_empty() { String::new() } else { format!(" {}", e.unit) };
        let tolerated =
            e.tolerated.map_or("no".to_string(), |t| format!("to {} %: {}", (t.within * 1e4).round() / 1e2, t.why));
        text += &format!("| `{}` | {} | {}{unit} | {} | {tolerated} |\n", e.name, e.group, e.given, e.formula);
    }
    text
}

#[test]
fn the_page_lists_every_experiment() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/audit.md");
    let page = std::fs::read_to_string(&file).unwrap();
    let (head, _) = page.split_once(MARK).expect("the page has the mark");
    let expected = format!("{head}{MARK}{}", list());
    if std::env::var_os("VERACITY_WRITE").is_some() {
        std::fs::write(&file, expected).unwrap();
    } else {
        assert!(page == expected, "docs/audit.md is out of date: run this test with VERACITY_WRITE=1");
    }
}
