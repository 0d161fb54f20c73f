//! Checks that the documentation builds without warnings and without dead links.
//!
//! Doc comments give units in brackets, `Length [m]`, which rustdoc reads as a link to an item `m`. The workspace's lints
//! therefore allow unresolved links; this check finds them anyway and accepts only units.

use crate::process;
use crate::workspace::Workspace;
use anyhow::{Result, bail};
use serde_json::Value;

/// Units of one word. Units with a space or a slash, as `[N m]` or `[m/s]`, are not links to rustdoc.
const UNITS: &[&str] =
    &["m", "m²", "m³", "rad", "s", "ns", "Hz", "kg", "N", "J", "W", "K", "Pa", "V", "A", "Ω", "bytes", "steps"];

/// Builds the documentation of all crates; returns how many units in brackets were found.
pub fn check(workspace: &Workspace) -> Result<String> {
    let mut command = workspace.cargo(&["doc", "--no-deps", "--document-private-items", "--locked"]);
    command.args(crate::engines::workspace_arguments(workspace)).arg("--message-format=json");
    command.env("RUSTDOCFLAGS", "-Dwarnings --force-warn rustdoc::broken_intra_doc_links");
    let (output, status) = process::output_and_status_of(&mut command)?;
    let mut units = 0;
    let mut problems = Vec::new();
    for message in output.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        match judge(&message) {
            Judged::Nothing => {}
            Judged::Unit => units += 1,
            Judged::Problem(text) => problems.push(text),
        }
    }
    if !problems.is_empty() || !status.success() {
        bail!("the documentation has {} problem(s):\n{}", problems.len(), problems.join("\n"));
    }
    Ok(format!("documentation without warnings; {units} units in brackets"))
}

#[derive(Debug, PartialEq)]
enum Judged {
    Nothing,
    Unit,
    Problem(String),
}

/// Classifies one message of cargo.
fn judge(message: &Value) -> Judged {
    if message["reason"] != "compiler-message" {
        return Judged::Nothing;
    }
    let message = &message["message"];
    // Compiler lints are left to the clippy stage, which builds every target.
    let of_rustdoc = message["code"]["code"].as_str().is_some_and(|code| code.starts_with("rustdoc::"));
    let is_error = message["level"] == "error";
    if !of_rustdoc && !is_error {
        return Judged::Nothing;
    }
    let text = message["message"].as_str().unwrap_or("");
    let linked = text.strip_prefix("unresolved link to `").and_then(|rest| rest.strip_suffix('`'));
    if linked.is_some_and(|name| UNITS.contains(&name)) {
        return Judged::Unit;
    }
    Judged::Problem(message["rendered"].as_str().unwrap_or(text).trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(level: &str, code: &str, text: &str) -> Value {
        let message = serde_json::json!({ "level": level, "code": { "code": code }, "message": text });
        serde_json::json!({ "reason": "compiler-message", "message": message })
    }

    #[test]
    fn units_pass_and_dead_links_do_not() {
        let link = |name| message("warning", "rustdoc::broken_intra_doc_links", name);
        assert_eq!(judge(&link("unresolved link to `rad`")), Judged::Unit);
        let dead = "unresolved link to `Model::gone`";
        assert_eq!(judge(&link(dead)), Judged::Problem(dead.into()));
    }

    #[test]
    fn other_warnings_of_rustdoc_are_problems() {
        let bare = message("error", "rustdoc::bare_urls", "this URL is not a hyperlink");
        assert_eq!(judge(&bare), Judged::Problem("this URL is not a hyperlink".into()));
        assert_eq!(judge(&message("warning", "dead_code", "never used")), Judged::Nothing);
    }
}
