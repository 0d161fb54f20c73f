//! Tests that `clippy.toml` forbids hash tables and wall clocks, as ARCHITECTURE.md says.

use crate::workspace::Workspace;
use std::process::Command;

/// Clippy's output on a file with this text, under the workspace's configuration.
fn clippy_output(text: &str) -> String {
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
fn hash_tables_and_wall_clocks_are_forbidden() {
    for (text, lint) in [
        ("pub fn f() { let _ = std::collections::HashMap::<u8, u8>::new(); }", "disallowed"),
        ("use std::collections::HashSet;\npub fn f(_: HashSet<u8>) {}", "disallowed"),
        ("pub fn f() -> std::time::Instant { std::time::Instant::now() }", "disallowed"),
        ("pub fn f() -> std::time::SystemTime { std::time::SystemTime::now() }", "disallowed"),
    ] {
        let output = clippy_output(text);
        assert!(output.contains(lint), "{text}: {output}");
    }
    let output = clippy_output("pub fn f() { let _ = std::collections::BTreeMap::<u8, u8>::new(); }");
    assert!(!output.contains("disallowed"), "{output}");
}
