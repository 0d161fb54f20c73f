//! An engine that starts elsewhere than the scenario says is named in the audit, before any ranking. The inspection
//! existed but could never fire: its only caller passed an empty list.

mod support;

use std::sync::Arc;
use support::{Folder, run_in, study};

#[test]
fn an_engine_that_moves_the_start_is_named_in_the_audit() {
    let folder = Folder::new("start");
    let mut one = study(&["four_bar_2"], &["native"]);
    let told = |one: &veracity_scenario::Study, name: &str| {
        let audit = run_in(&folder.path().join(name), one, 1).audit;
        let found = audit.into_iter().filter(|f| f.finding.code == "start-changed");
        found.map(|f| f.finding.text).collect::<Vec<_>>()
    };
    let mut scenario = (*one.scenarios[0]).clone();
    scenario.duration_ns = 10 * scenario.record_every_ns;
    scenario = scenario.within_its_duration();
    one.scenarios[0] = Arc::new(scenario.clone());
    assert_eq!(told(&one, "as_written"), Vec::<String>::new());
    // A milliradian off the closed loop: the engine closes it before it starts.
    scenario.q[0] += 1e-3;
    one.scenarios[0] = Arc::new(scenario);
    let found = told(&one, "moved");
    assert!(found.len() == 1 && found[0].contains("native changed the start by up to"), "{found:?}");
}
