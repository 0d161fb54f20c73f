//! The licence check: no dependency has stricter terms than our own MIT or Apache-2.0.

use crate::process;
use crate::spdx;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::path::Path;

/// Licences that demand no more than attribution and keeping the notice.
pub const ALLOWED: &[&str] = &[
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "Unlicense",
    "CC0-1.0",
    "Unicode-3.0",
];

/// Checks every package in `Cargo.lock`, for all platforms and including tests; returns their number.
pub fn check(workspace: &Workspace) -> Result<String> {
    check_packages(&workspace.metadata()?)
}

/// The same for a separate workspace.
pub fn check_manifest(workspace: &Workspace, manifest: &Path) -> Result<String> {
    let mut cargo = workspace.cargo(&["metadata", "--format-version", "1", "--locked", "--manifest-path"]);
    let text = process::output_of(cargo.arg(manifest))?;
    check_packages(&serde_json::from_str(&text).context("cargo metadata did not print JSON")?)
}

fn check_packages(metadata: &Value) -> Result<String> {
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let problems: Vec<String> = packages.iter().filter_map(problem).collect();
    if !problems.is_empty() {
        bail!("{} package(s) with a licence that is not on the list:\n{}", problems.len(), problems.join("\n"));
    }
    Ok(format!("{} packages, every licence on the list", packages.len()))
}

fn problem(package: &Value) -> Option<String> {
    let licence = package["license"].as_str().unwrap_or("");
    if spdx::allows(licence, ALLOWED) {
        return None;
    }
    let name = package["name"].as_str().unwrap_or("(unnamed)");
    let version = package["version"].as_str().unwrap_or("?");
    let stated = if licence.is_empty() { "states no licence".to_owned() } else { format!("is under `{licence}`") };
    Some(format!("{name} {version} {stated}; use another package, or argue for the licence in xtask/src/licences.rs"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_and_missing_licences_are_named() {
        let gpl = serde_json::json!({ "name": "tight", "version": "1.0.0", "license": "GPL-3.0-only" });
        assert!(problem(&gpl).unwrap().starts_with("tight 1.0.0 is under `GPL-3.0-only`"));
        let none = serde_json::json!({ "name": "mute", "version": "0.1.0", "license": null });
        assert!(problem(&none).unwrap().starts_with("mute 0.1.0 states no licence"));
        let mit = serde_json::json!({ "name": "free", "version": "1.0.0", "license": "MIT OR GPL-2.0" });
        assert_eq!(problem(&mit), None);
    }
}
