//! README.md shows exactly what the command prints: every `$ veracity …` block, to the letter. An ellipsis stands for
//! anything, across lines where it has a line to itself: times, which no two machines share, and what is left out.

use std::path::Path;
use std::process::Command;

/// Whether a text is made of these parts in order, the first at its start and the last at its end.
fn fits(text: &str, shown: &str) -> bool {
    let parts: Vec<&str> = shown.split('…').collect();
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return false };
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    if parts.len() == 1 {
        return rest.is_empty();
    }
    for part in &parts[1..parts.len() - 1] {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

#[test]
fn ellipses_stand_for_anything_and_nothing_else_does() {
    assert!(fits("a 12 b\nc\n", "a … b\n…"));
    assert!(fits("abc", "abc") && !fits("abcd", "abc"));
    assert!(!fits("a 12 c", "a … b") && !fits("x a 12 b", "a … b"));
}

#[test]
fn the_samples_in_the_readme_are_what_the_command_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let results = std::env::temp_dir().join(format!("veracity-readme-{}", std::process::id()));
    let mut samples = 0;
    for block in readme.split("```text\n").skip(1) {
        let block = block.split("```").next().unwrap();
        let sample = block.strip_prefix("$ veracity ").and_then(|rest| rest.split_once('\n'));
        let (line, shown) = sample.unwrap_or_else(|| panic!("a sample without its command:\n{block}"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_veracity"));
        command.args(line.split_whitespace()).current_dir(&root);
        if line.starts_with("compare") {
            command.arg("--out").arg(&results);
        }
        let run = command.env("NO_COLOR", "1").env("VERACITY_WORKERS", "").output().unwrap();
        // 1: some engine was not accepted, as the sample shows.
        assert_ne!(run.status.code(), Some(2), "veracity {line}: {}", String::from_utf8_lossy(&run.stderr));
        let printed = String::from_utf8(run.stdout).unwrap();
        assert!(fits(&printed, shown), "veracity {line} prints\n{printed}\nand README.md shows\n{shown}");
        samples += 1;
    }
    let _ = std::fs::remove_dir_all(results);
    assert!(samples >= 5, "README.md shows the command at work");
}
