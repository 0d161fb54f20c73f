//! The examples of docs/scenarios.md are read as they are, and their closed form applies.

use std::path::Path;
use veracity_scenario::{LoadOptions, Scenario, Study, references, starter};

/// The TOML blocks of the page that this test holds, in order.
fn examples() -> Vec<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scenarios.md");
    let page = std::fs::read_to_string(page).unwrap();
    page.split("docs.rs -->\n```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap().to_string()).collect()
}

#[test]
fn the_worked_examples_are_read_and_worked_out() {
    let folder = std::env::temp_dir().join(format!("veracity-docs-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (name, urdf) = &starter::files()[0];
    std::fs::write(folder.join(name), urdf).unwrap();
    let [scenario_text, task_text, study_text] = examples().try_into().expect("a scenario, a task and a study");
    std::fs::write(folder.join("swing.toml"), scenario_text).unwrap();
    std::fs::write(folder.join("swings.toml"), study_text).unwrap();
    let scenario = Scenario::load(&folder.join("swing.toml"), &LoadOptions::default());
    let task = Scenario::from_text(&task_text, &folder.join("task.toml"), &LoadOptions::default());
    let study = Study::load(&folder.join("swings.toml"), &LoadOptions::default());
    std::fs::remove_dir_all(&folder).unwrap();
    let scenario = scenario.unwrap_or_else(|findings| panic!("{findings}"));
    let study = study.unwrap_or_else(|findings| panic!("{findings}"));
    let task = task.unwrap_or_else(|findings| panic!("{findings}"));
    assert_eq!((task.checks.len(), task.stop.as_slice()), (3, &["at the bottom".to_string()][..]));
    assert_eq!((study.scenarios.len(), study.variations.len()), (2, 3));
    let truth = references::work_out(&scenario.references[0], &scenario, &[0.0, 1.0, 5.0]).unwrap();
    let angle = &truth.channels[0];
    // Through an elliptic function and its inverse: a few roundings.
    assert!((angle.values[0] - 1.05).abs() < 1e-14);
    // It swings: after 5 s it is elsewhere, and never beyond the angle of release.
    assert!(angle.values.iter().all(|a| a.abs() <= 1.05 + 1e-12) && (angle.values[2] - 1.05).abs() > 0.1);
    // The mutation leaves the range of the formula, and the formula reports it.
    let mutated = scenario.with(&scenario.mutation.as_ref().unwrap().set).unwrap();
    let refused = references::work_out(&mutated.references[0], &mutated, &[1.0]).unwrap_err();
    assert!(refused.to_string().contains("damping"), "{refused}");
}
