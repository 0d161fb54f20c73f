//! Free disk space: compilers that run out of it fail with misleading errors.

use crate::process;
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use std::process::Command;

/// Space that `cargo xtask test` from scratch needs, with a margin in GB: `target/` and the packages it installs.
pub const NEEDED_GB: f64 = 12.0;

/// Space available to an ordinary user on the disk of the workspace in GB.
pub fn free_gb(workspace: &Workspace) -> Result<f64> {
    let mut df = Command::new("df");
    let text = process::output_of(df.args(["--output=avail", "--block-size=1000"]).arg(&workspace.root))?;
    read(&text).with_context(|| format!("df printed `{}`", text.trim()))
}

/// A warning when there is less space than a full run needs.
pub fn warning(free_gb: f64) -> Option<String> {
    (free_gb < NEEDED_GB).then(|| {
        format!("disk: {free_gb:.1} GB free, a full run from scratch needs up to {NEEDED_GB:.0}; free some space before trusting a failure")
    })
}

/// Reads df's number of kilobytes below its heading; returns GB.
fn read(text: &str) -> Option<f64> {
    let thousands: f64 = text.lines().nth(1)?.trim().parse().ok()?;
    Some(thousands / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_below_the_heading_is_read_in_gigabytes() {
        assert_eq!(read("   Avail\n12500000\n"), Some(12.5));
        assert_eq!(read("Avail\n"), None);
        assert!(free_gb(&Workspace::open().unwrap()).unwrap() > 0.0);
    }

    #[test]
    fn too_little_space_gives_a_warning() {
        assert!(warning(0.5 * NEEDED_GB).unwrap().contains("free some space"));
        assert_eq!(warning(2.0 * NEEDED_GB), None);
    }
}
