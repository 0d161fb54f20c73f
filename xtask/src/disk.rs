//! How much room there is for what a build makes: a full disk shows as errors of compilers that do not say so.

use crate::process;
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use std::process::Command;

/// What `cargo xtask test` writes from nothing, with a margin, in GB: `target/` and the packages it installs.
pub const NEEDED_GB: f64 = 12.0;

/// Room left for an ordinary user on the disk that holds the workspace, in GB.
pub fn free_gb(workspace: &Workspace) -> Result<f64> {
    let mut df = Command::new("df");
    let text = process::output_of(df.args(["--output=avail", "--block-size=1000"]).arg(&workspace.root))?;
    read(&text).with_context(|| format!("df printed `{}`", text.trim()))
}

/// A sentence for whoever begins with less room than a whole run takes.
pub fn warning(free_gb: f64) -> Option<String> {
    (free_gb < NEEDED_GB).then(|| {
        format!("disk: {free_gb:.1} GB are free, a whole run from nothing takes up to {NEEDED_GB:.0}; make room before you trust a failure")
    })
}

/// The number below df's heading, in thousands of bytes.
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
    fn too_little_room_is_said_and_enough_is_not() {
        assert!(warning(0.5 * NEEDED_GB).unwrap().contains("make room"));
        assert_eq!(warning(2.0 * NEEDED_GB), None);
    }
}
