//! Holds `clippy.toml` to what ARCHITECTURE.md says of it: hash tables and wall clocks are refused.

use crate::workspace::Workspace;
use std::process::Command;

/// What clippy says of a file of one function, under the workspace's configuration.
fn said_of(text: &str) -> String {
    let workspace = Workspace::open().unwrap();
    let folder = workspace.target().join("tmp").join(format!("lints-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("tried.rs");
    std::fs::write(&file, text).unwrap();
    let mut clippy = Command::new("clippy-driver");
    clippy.env("CLIPPY_CONF_DIR", &workspace.root).arg(&file).args(["--crate-type=lib", "--edition=2024"]);
    let out = clippy.args(["--emit=metadata", "--out-dir"]).arg(&folder).output().expect("clippy is installed");
    std::fs::remove_dir_all(&folder).unwrap();
    String::from_utf8_lossy(&out.stderr).into_owned()
}

#[test]
fn hash_tables_and_wall_clocks_are_refused() {
    for (text, lint) in [
        ("pub fn f() { let _ = std::collections::HashMap::<u8, u8>::new(); }", "disallowed"),
        ("use std::collections::HashSet;\npub fn f(_: HashSet<u8>) {}", "disallowed"),
        ("pub fn f() -> std::time::Instant { std::time::Instant::now() }", "disallowed"),
        ("pub fn f() -> std::time::SystemTime { std::time::SystemTime::now() }", "disallowed"),
    ] {
        let said = said_of(text);
        assert!(said.contains(lint), "{text}: {said}");
    }
    let said = said_of("pub fn f() { let _ = std::collections::BTreeMap::<u8, u8>::new(); }");
    assert!(!said.contains("disallowed"), "{said}");
}
