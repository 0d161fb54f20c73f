//! Reads a robot and prints what is wrong with it: `cargo run -p veracity --example check_robot -- robot.urdf`.

use std::path::PathBuf;
use veracity::check::inspect;
use veracity::model::import::{self, ImportOptions};

fn main() {
    let shipped = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/nao/nao_h25.urdf"));
    let file = std::env::args().nth(1).map_or(shipped, PathBuf::from);
    let imported = import::load(&file, &ImportOptions::default());
    let report = inspect(&imported);
    for entry in &report.entries {
        println!("{}", entry.finding);
    }
    match report.verdict {
        Some(verdict) => println!("{}: {verdict:?}", file.display()),
        None => println!("{}: no model could be read", file.display()),
    }
}
