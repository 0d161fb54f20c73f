//! Names, patterns, hypotheses and published results of a study: what they mean and what is refused, with its line.

use std::path::Path;
use veracity_scenario::{ClaimWord, LoadOptions, Study};

const HEAD: &str = "schema = 1\nname = \"s\"\nengines = [\"native\", \"native:iters=5\"]\n";

fn study(rest: &str) -> Result<Study, String> {
    let folder = std::env::temp_dir().join(format!(
        "veracity-evidence-{}-{:?}",
        std::process::id(),
        std::thread::current().id()
    ));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("s.toml");
    std::fs::write(&path, format!("{HEAD}{rest}")).unwrap();
    let found = Study::load(Path::new(&path), &LoadOptions::default()).map_err(|f| f.to_string());
    let _ = std::fs::remove_dir_all(&folder);
    found
}

#[test]
fn one_scenario_may_be_used_under_several_names_and_a_star_sets_every_number_that_fits() {
    let found = study(
        "scenarios = [\"block_row_2\", { scenario = \"block_row_2\", name = \"margin\", set = { \"world/*/materials/*/friction/*\" = 0.06 } }]\n",
    )
    .unwrap();
    let frictions = |name: &str| -> Vec<f64> {
        let scenario = found.scenarios.iter().find(|s| s.name == name).unwrap();
        scenario.numbers().into_iter().filter(|(p, _)| p.contains("/friction/")).map(|(_, x)| x).collect()
    };
    // Two grippers share a surface, each block has one; two directions each.
    assert_eq!(frictions("block_row_2"), [100.0; 6]);
    assert_eq!(frictions("margin"), [0.06; 6]);
    let digests: Vec<_> = found.scenarios.iter().map(|s| s.digest()).collect();
    assert_ne!(digests[0], digests[1]);
}

#[test]
fn a_cap_of_the_study_holds_for_every_scenario() {
    let found = study("cpu_cap_s = 7\nscenarios = [\"block_row_1\", \"simple_pendulum\"]\n").unwrap();
    assert!(found.scenarios.iter().all(|s| s.cpu_cap_s == 7.0));
}

#[test]
fn hypotheses_and_published_cells_are_read() {
    let found = study(
        "scenarios = [\"block_row_1\", \"block_row_2\"]\nshow = [\"place\", \"lost\"]\n\
         [[hypotheses]]\nname = \"H\"\ntext = \"longer rows move more\"\ncontrol = { scenario = \"block_row_1\" }\n\
         change = { scenario = \"block_row_2\" }\ncheck = \"place\"\nsays = \"worse\"\nfactor = 2\n\
         [[published]]\nscenario = \"block_row_1\"\nengines = [\"native\"]\nvalue = \"held\"\n",
    )
    .unwrap();
    let evidence = &found.evidence;
    assert_eq!(evidence.shown, ["place", "lost"]);
    let h = &evidence.hypotheses[0];
    assert_eq!((h.says, h.factor, h.control.scenario.as_deref()), (ClaimWord::Worse, 2.0, Some("block_row_1")));
    assert_eq!(evidence.published[0].value, "held");
}

#[test]
fn what_cannot_be_meant_is_refused_with_a_sentence() {
    let two = "scenarios = [\"block_row_1\", \"block_row_2\"]\n";
    let claim = |control: &str, change: &str, check: &str| {
        format!(
            "{two}[[hypotheses]]\nname = \"H\"\ntext = \"t\"\ncontrol = {control}\nchange = {change}\ncheck = \"{check}\"\nsays = \"same\"\n"
        )
    };
    let (one, other) = ("{ scenario = \"block_row_1\" }", "{ scenario = \"block_row_2\" }");
    for (text, part) in [
        ("scenarios = [\"block_row_1\", \"block_row_1\"]\n".to_string(), "name = …"),
        (
            "scenarios = [{ scenario = \"block_row_1\", set = { \"world/*/nothing\" = 1 } }]\n".to_string(),
            "fits 'world/*/nothing'",
        ),
        ("scenarios = [{ scenario = \"block_row_1\", name = \"Upper\" }]\n".to_string(), "not a valid name"),
        (format!("{two}show = [\"plaice\"]\n"), "no scenario here has a check 'plaice'"),
        (claim(one, one, "place"), "are the same"),
        (claim(one, "{ engine = \"native\" }", "place"), "only one of control and change"),
        (claim(one, other, "plaice"), "'plaice'"),
        (claim(one, "{ scenario = \"block_row_9\" }", "place"), "no scenario 'block_row_9'"),
        (claim("{ engine = \"native\" }", "{ engine = \"ode\" }", "place"), "no engine 'ode'"),
        (
            claim(one, other, "place").replace("says = \"same\"", "says = \"same\"\nfactor = 1"),
            "must be greater than 1",
        ),
        (
            format!("{two}[[published]]\nscenario = \"block_row_1\"\nengines = [\"ode\"]\nvalue = \"x\"\n"),
            "no engine 'ode'",
        ),
    ] {
        let why = study(&text).unwrap_err();
        assert!(why.contains(part), "{part} is missing:\n{why}");
        assert!(why.contains("s.toml:"), "{why}");
    }
}
