//! The built-in scenarios and suites are valid, complete, and the same from the binary as from the disk.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use veracity_model::Overrides;
use veracity_scenario::catalogue::{CATALOGUE, SUITES};
use veracity_scenario::{LoadOptions, Scenario, Study};

fn scenarios_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios")
}

fn built_in(name: &str) -> Scenario {
    Scenario::built_in(name).unwrap_or_else(|findings| panic!("{name}:\n{findings}"))
}

#[test]
fn every_scenario_loads_with_checks_reasons_and_a_mutation() {
    for entry in CATALOGUE {
        let scenario = built_in(entry.name);
        assert_eq!(scenario.name, entry.name);
        assert!(!scenario.checks.is_empty(), "{} demands nothing", entry.name);
        assert!(
            !scenario.source.is_empty() && !scenario.text.is_empty(),
            "{} says not where it comes from",
            entry.name
        );
        let mutation = scenario.mutation.as_ref().unwrap_or_else(|| panic!("{} has no mutation", entry.name));
        let mutated = scenario.with(&mutation.set).unwrap();
        assert_ne!(mutated.digest(), scenario.digest(), "{}: the mutation changes nothing", entry.name);
        for check in &scenario.checks {
            assert!(check.bound > 0.0 && check.reason.len() > 20, "{}: {check:?}", entry.name);
        }
    }
}

#[test]
fn every_suite_loads() {
    for entry in SUITES {
        let study = Study::built_in(entry.name).unwrap_or_else(|findings| panic!("{}:\n{findings}", entry.name));
        assert_eq!(study.name, entry.name);
    }
    let quick = Study::built_in("quick").unwrap();
    assert!(quick.expectations.iter().any(|e| e.answer == veracity_scenario::Expected::Rejected));
    // The tracking run was shortened, and keeps only the instants that are left.
    let tracking = quick.scenarios.iter().find(|s| s.name == "ur10_tracking").unwrap();
    assert_eq!(tracking.duration_ns, 10_000_000_000);
    assert_eq!(tracking.checks[0].options.at_s, [1.0, 10.0]);
    assert_eq!(Study::built_in("pendulum_sweep").unwrap().variations.len(), 12);
    assert_eq!(Study::built_in("bob_mass_sweep").unwrap().variations.len(), 5);
}

#[test]
fn the_binary_and_the_disk_hold_the_same() {
    for entry in CATALOGUE {
        let path = scenarios_folder().join(entry.file);
        let on_disk = Scenario::load(&path, &LoadOptions::default()).unwrap_or_else(|f| panic!("{f}"));
        assert_eq!(on_disk.digest(), built_in(entry.name).digest(), "{}", entry.name);
    }
}

#[test]
fn every_scenario_file_is_in_the_list() {
    let listed: BTreeSet<PathBuf> =
        CATALOGUE.iter().chain(SUITES).map(|e| scenarios_folder().join(e.file).canonicalize().unwrap()).collect();
    for folder in std::fs::read_dir(scenarios_folder()).unwrap().flatten().filter(|e| e.path().is_dir()) {
        for file in std::fs::read_dir(folder.path()).unwrap().flatten() {
            let name = file.file_name().into_string().unwrap();
            let beside_a_model = [".urdf.toml", ".sdf.toml", ".xml.toml"].iter().any(|end| name.ends_with(end));
            if name.ends_with(".toml") && !beside_a_model {
                let path = file.path().canonicalize().unwrap();
                assert!(listed.contains(&path), "{} is not in CATALOGUE or SUITES", path.display());
            }
        }
    }
}

/// Every number can be set, and a scenario with another number has another digest.
#[test]
fn every_number_can_be_set_and_changes_the_digest() {
    for entry in CATALOGUE {
        let scenario = built_in(entry.name);
        let before = scenario.digest();
        let numbers = scenario.free_numbers();
        assert!(numbers.len() > 20);
        // All numbers; of a very large world a fixed share, because each needs a validation of the whole world.
        let own = |path: &str| !path.starts_with("world/");
        let many = if scenario.world.placements.len() > 1 { 30 } else { 1000 };
        let share = (numbers.len() / many).max(1);
        for (i, (path, value)) in numbers.iter().enumerate().filter(|(i, (path, _))| own(path) || i % share == 0) {
            if (path.contains("/axis") || path.contains("_axis/")) && value.abs() == 1.0 {
                // An axis is normalised: a component along a coordinate axis cannot be changed alone.
                continue;
            }
            let changed = [1.25 * value + 0.125, 0.75 * value, 2.0 * value, 0.5 * value + 0.01]
                .into_iter()
                .filter(|new| new != value && !new.is_nan())
                .find_map(|new| scenario.with(&Overrides::new().set(path.as_str(), new)).ok());
            let Some(changed) = changed else {
                // Numbers whose values are dictated by others must be listed in `constrained`.
                assert!(constrained(path, *value), "{}: '{path}' = {value} ({i}) cannot be set", entry.name);
                continue;
            };
            assert_ne!(changed.digest(), before, "{}: '{path}' changes nothing", entry.name);
        }
    }
}

/// Numbers that cannot be changed individually.
fn constrained(path: &str, value: f64) -> bool {
    // An infinite limit cannot be changed by a small amount; products of inertia of a point mass would be impossible; a
    // controller's rate must divide the step; a PD has no integral part.
    value.is_infinite() || path.contains("/inertia/") || path.ends_with("/rate_hz") || path.ends_with("/ki")
}
