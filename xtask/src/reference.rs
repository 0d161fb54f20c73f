//! `cargo xtask reference`: docs/reference.md, every key of every input file, made from the schemas in docs/schema.
//!
//! The schemas are made from the types that read the files, and tests hold them to those; a test here holds the page to
//! the schemas.

use crate::workspace::Workspace;
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;

/// Schema, heading and what the file is.
const FILES: &[(&str, &str, &str)] = &[
    (
        "scenario.json",
        "Scenario",
        "What is tried; `veracity run FILE`, `compare FILE`. Explained in [scenarios.md](scenarios.md).",
    ),
    (
        "study.json",
        "Study",
        "Scenarios by engines by steps by variations; `veracity study FILE`. Explained in [scenarios.md](scenarios.md#a-study).",
    ),
    (
        "sidecar.json",
        "Sidecar",
        "`MODEL.urdf.toml` next to `MODEL.urdf`: what the model's format cannot express. A scenario may name one of its own.",
    ),
    (
        "tempo_input.json",
        "Programs",
        "A scenario and the programs that drive it; `veracity tempo run FILE`. Explained in [tempo.md](tempo.md).",
    ),
    (
        "trace.json",
        "Trace",
        "A scenario with uncertain numbers; `veracity trace FILE`. Explained in [traces.md](traces.md).",
    ),
    (
        "calibration.json",
        "Calibration",
        "Parameters to fit to recordings; `veracity calibrate FILE`. Explained in [calibrate.md](calibrate.md).",
    ),
];
const PAGE: &str = "docs/reference.md";

/// Checks the page, or writes it with `--write`.
pub fn command(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let page = page(&workspace.root)?;
    let path = workspace.root.join(PAGE);
    if arguments.iter().any(|a| a == "--write") {
        std::fs::write(&path, page)?;
        println!("wrote {PAGE}");
        return Ok(());
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    ensure!(there == page, "{PAGE} is older than docs/schema; run `cargo xtask reference --write`");
    println!("{PAGE} has every key of docs/schema");
    Ok(())
}

fn page(root: &Path) -> Result<String> {
    let mut out =
        "# Every key of every input file\n\nMade by `cargo xtask reference --write` from [schema](schema), which \
                   editors use to complete keys. Keys in **bold** must be given.\n"
            .to_string();
    for (file, heading, text) in FILES {
        let path = root.join("docs/schema").join(file);
        let schema = std::fs::read_to_string(&path).with_context(|| format!("no {}", path.display()))?;
        let schema: Value = serde_json::from_str(&schema).with_context(|| path.display().to_string())?;
        let _ = write!(out, "\n## {heading}\n\n{text}\n");
        table(&mut out, &schema);
        for (name, definition) in schema["$defs"].as_object().into_iter().flatten() {
            if is_table(definition) || !choices(definition).is_empty() {
                let _ = write!(out, "\n### {heading}: {name}\n\n{}\n", sentence(definition));
                table(&mut out, definition);
                for choice in choices(definition) {
                    let _ = write!(out, "{choice}");
                }
            }
        }
    }
    Ok(out)
}

fn is_table(schema: &Value) -> bool {
    schema["properties"].as_object().is_some_and(|p| !p.is_empty())
}

fn table(out: &mut String, schema: &Value) {
    let Some(properties) = schema["properties"].as_object() else { return };
    let required = schema["required"].as_array();
    let needed = |key: &str| required.is_some_and(|list| list.iter().any(|k| k == key));
    *out += "\n| key | value | meaning |\n|---|---|---|\n";
    for (key, value) in properties {
        let shown = if needed(key) { format!("**`{key}`**") } else { format!("`{key}`") };
        let _ = writeln!(out, "| {shown} | {} | {} |", kind(value), sentence(value));
    }
}

/// Lines for a choice between tables or words.
fn choices(schema: &Value) -> Vec<String> {
    let list = schema["oneOf"].as_array().or(schema["anyOf"].as_array());
    let line = |choice: &Value| {
        let text = sentence(choice);
        if is_table(choice) {
            let keys = choice["properties"].as_object().into_iter().flatten();
            let keys: Vec<String> = keys.map(|(key, value)| format!("`{key}` ({})", kind(value))).collect();
            return format!("- {}{}{text}\n", keys.join(", "), if text.is_empty() { "" } else { ": " });
        }
        format!("- {}{}{text}\n", kind(choice), if text.is_empty() { "" } else { ": " })
    };
    let lines: Vec<String> = list.into_iter().flatten().map(line).collect();
    match (lines.is_empty(), schema["enum"].as_array()) {
        (true, Some(words)) => words.iter().map(|word| format!("- `{word}`\n")).collect(),
        _ if lines.is_empty() => lines,
        _ => std::iter::once("\n".to_string()).chain(lines).collect(),
    }
}

/// What a value is, in a few words.
fn kind(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        return reference.rsplit('/').next().unwrap_or(reference).to_string();
    }
    if let Some(word) = schema["const"].as_str() {
        return format!("`\"{word}\"`");
    }
    if let Some(words) = schema["enum"].as_array() {
        return words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    }
    if let Some(list) = schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
        let kinds = list.iter().filter(|s| s["type"] != "null").map(kind);
        return kinds.collect::<Vec<_>>().join(" or ");
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).filter(|t| *t != "null").collect(),
        _ => Vec::new(),
    };
    let name = |t: &&str| match *t {
        "array" => match (schema["minItems"].as_u64(), schema["maxItems"].as_u64()) {
            (Some(low), Some(high)) if low == high => format!("list of {low} {}", kind(&schema["items"])),
            _ => format!("list of {}", kind(&schema["items"])),
        },
        "object" if schema["additionalProperties"].is_object() => {
            format!("table of {}", kind(&schema["additionalProperties"]))
        }
        "object" => "table".to_string(),
        "integer" => "whole number".to_string(),
        "boolean" => "true or false".to_string(),
        other => other.to_string(),
    };
    types.iter().map(name).collect::<Vec<_>>().join(" or ")
}

/// The description in one line, safe in a table.
fn sentence(schema: &Value) -> String {
    let text = schema["description"].as_str().unwrap_or("").split_whitespace().collect::<Vec<_>>().join(" ");
    without_item_links(&text).replace('|', "\\|")
}

/// `[text](crate::ITEM)` leads somewhere in rustdoc only: its text remains.
fn without_item_links(text: &str) -> String {
    let mut out = text.to_string();
    while let Some(middle) = out.find("](crate::") {
        let (Some(open), Some(close)) = (out[..middle].rfind('['), out[middle..].find(')')) else { break };
        out.replace_range(middle..=middle + close, "");
        out.replace_range(open..=open, "");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_every_key_of_every_schema() {
        let root = Workspace::open().unwrap().root;
        let page = page(&root).unwrap();
        assert_eq!(
            std::fs::read_to_string(root.join(PAGE)).unwrap_or_default(),
            page,
            "cargo xtask reference --write"
        );
        for key in ["duration_s", "package_paths", "sidecar", "spring_reference", "samples"] {
            assert!(page.contains(&format!("`{key}`")), "{key}");
        }
    }
}
