//! README.md shows exactly what the command prints: every `$ veracity …` block, to the letter.

use std::path::Path;
use std::process::Command;

#[test]
fn the_samples_in_the_readme_are_what_the_command_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let mut samples = 0;
    for block in readme.split("```text\n").skip(1) {
        let block = block.split("```").next().unwrap();
        let Some((line, shown)) = block.strip_prefix("$ veracity ").and_then(|rest| rest.split_once('\n')) else {
            continue;
        };
        let run = Command::new(env!("CARGO_BIN_EXE_veracity"))
            .args(line.split_whitespace())
            .current_dir(&root)
            .env("NO_COLOR", "1")
            .env("VERACITY_WORKERS", "")
            .output()
            .unwrap();
        assert!(run.status.success(), "veracity {line}: {}", String::from_utf8_lossy(&run.stderr));
        assert_eq!(String::from_utf8(run.stdout).unwrap(), shown, "veracity {line}");
        samples += 1;
    }
    assert!(samples >= 2, "README.md shows the command at work");
}
