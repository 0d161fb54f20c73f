//! The committed files of each family equal the output of the program that writes them.

#[path = "../examples/write_families/block_row.rs"]
mod block_row;
#[path = "../examples/write_families/chain.rs"]
mod chain;
#[path = "../examples/write_families/four_bar.rs"]
mod four_bar;
#[path = "../examples/write_families/scenes/mod.rs"]
mod scenes;
#[path = "../examples/write_families/ur10.rs"]
mod ur10;

use std::path::Path;

#[test]
fn committed_files_are_those_the_program_writes() {
    let scenarios = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let families = [chain::files(), four_bar::files(), block_row::files(), ur10::files(), scenes::files()];
    let mut count = 0;
    for (name, text) in families.into_iter().flatten() {
        let committed = std::fs::read_to_string(scenarios.join(&name)).unwrap_or_default();
        let line = committed.lines().zip(text.lines()).position(|(a, b)| a != b).map(|i| i + 1);
        assert!(
            committed == text,
            "scenarios/{name} (line {line:?}) is not what the program writes; run \
             `cargo run -p veracity-model --example write_families`"
        );
        count += 1;
    }
    // 3 chains, 1 with a sidecar; 2 rows of windows, 11 of blocks and 12 arms, all with one; 25 scenarios of blocks, 33 files of blocks with spheres; 10 of arms that grasp, 24 files with meshes; 26 scenes.
    assert_eq!(count, 174);
}
