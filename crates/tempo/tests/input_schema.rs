//! The schema of the input file in docs/schema is that of the type that reads it.

use std::path::Path;
use veracity_tempo::config::json_schema;
use veracity_tempo::policies::POLICIES;

#[test]
fn the_schema_is_that_of_the_file() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/tempo_input.json");
    let now = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tempo_input.json");
    std::fs::write(&now, json_schema()).unwrap();
    let old = std::fs::read_to_string(path).unwrap_or_default();
    let how = format!("copy {} over it, then run `cargo xtask reference --write`", now.display());
    assert!(old == json_schema(), "docs/schema/tempo_input.json is old: {how}");
}

#[test]
fn every_policy_is_named_where_it_can_be_chosen() {
    let schema = json_schema();
    for policy in POLICIES {
        assert!(schema.contains(policy.name()), "docs of `policy` lack {}", policy.name());
    }
}
