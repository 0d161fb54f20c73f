//! Writes the model families in `scenarios/`: chains, rows of four-bar windows, rows of blocks, the inertia variants of
//! the UR10, scenes with contact.
//!
//! `cargo run -p veracity-model --example write_families` rewrites them in place; the test `shipped_families` compares
//! the committed files with this program's output.

mod block_row;
mod chain;
mod four_bar;
mod scenes;
mod ur10;

use std::path::Path;

fn main() -> std::io::Result<()> {
    let scenarios = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let families = [chain::files(), four_bar::files(), block_row::files(), ur10::files(), scenes::files()];
    for (name, text) in families.into_iter().flatten() {
        let path = scenarios.join(&name);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(&path, text)?;
        println!("scenarios/{name}");
    }
    Ok(())
}
