//! Files with mistakes: each mistake gets one sentence with file, line and what to do, all of them at once. Valid files
//! are read.

use std::path::Path;
use veracity_scenario::{Expected, LoadOptions, Scenario, Study, starter};

/// A temporary folder, removed when the test ends.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = Self(std::env::temp_dir().join(format!("veracity-scenario-{}-{name}", std::process::id())));
        for (file, text) in starter::files() {
            let path = folder.0.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        folder
    }

    fn scenario(&self, text: &str) -> Result<Scenario, String> {
        let path = self.0.join("my_pendulum.toml");
        Scenario::from_text(text, &path, &LoadOptions::default())
            .map_err(|findings| findings.to_string().replace(&format!("{}/", self.0.display()), ""))
    }

    fn study(&self, text: &str) -> Result<Study, String> {
        let path = self.0.join("study.toml");
        std::fs::write(&path, text).unwrap();
        Study::load(&path, &LoadOptions::default())
            .map_err(|findings| findings.to_string().replace(&format!("{}/", self.0.display()), ""))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const GOOD: &str = include_str!("../src/starter/my_pendulum.toml");

/// The line of the first occurrence of a text in the starter.
fn line_of(text: &str) -> usize {
    1 + GOOD[..GOOD.find(text).unwrap()].matches('\n').count()
}

#[test]
fn the_starter_runs_as_it_is() {
    let folder = Folder::new("starter");
    let scenario = folder.scenario(GOOD).unwrap();
    assert_eq!(
        (scenario.duration_ns, scenario.step_ns, scenario.record_every_ns),
        (5_000_000_000, 1_000_000, 10_000_000)
    );
    assert_eq!(scenario.q, [1.05]);
    let study = Study::load(&folder.0.join("my_study.toml"), &LoadOptions::default()).unwrap();
    assert_eq!((study.variations.len(), study.steps_ns.len(), study.engines.len()), (3, 2, 3));
    // The controller in the comment is valid, too.
    let with_controller: String = GOOD
        .lines()
        .map(|line| match line.strip_prefix("# ") {
            Some(rest) if rest.starts_with("[[con") || rest.starts_with("joints.") || is_key(rest) => {
                format!("{rest}\n")
            }
            _ => format!("{line}\n"),
        })
        .collect();
    assert_eq!(folder.scenario(&with_controller).unwrap().controllers.len(), 1);
}

fn is_key(line: &str) -> bool {
    ["name = \"servo\"", "kind = \"pd\"", "rate_hz = 1000"].contains(&line)
}

/// Replaces a piece of the valid file; the message must contain the line of the piece and the given words.
#[test]
fn every_mistake_gets_a_sentence_at_its_line() {
    let folder = Folder::new("mistakes");
    let cases: &[(&str, &str, &[&str])] = &[
        ("duration_s = 5 ", "duration_ms = 5000 ", &["'duration_ms'", "write 'duration_s'"]),
        ("duration_s = 5 ", "duration_s = \"10 s\" ", &["must be a number", "the text \"10 s\"", "bare number"]),
        ("duration_s = 5 ", "duration_s = -5 ", &["'duration_s' is -5", "positive"]),
        ("duration_s = 5 ", "duration_s = 0 ", &["positive"]),
        ("duration_s = 5 ", "duration_s = 1e12 ", &["at most"]),
        ("duration_s = 5 ", "duration_s = nan ", &["finite"]),
        ("duration_s = 5 ", "duration_s = inf ", &["finite"]),
        ("duration_s = 5 ", "duration_s = 5.0005 ", &["not a multiple of the step", "write e.g."]),
        ("step_s = 0.001 ", "step_s = 1e-10 ", &["whole number of nanoseconds"]),
        ("rate_hz = 100\n", "rate_hz = 300\n", &["rate_hz", "nanoseconds"]),
        ("rate_hz = 100\n", "rate_hz = 1600\n", &["not a multiple of the step"]),
        ("name = \"my_pendulum\"", "name = \"My Pendulum!\"", &["is not a valid name", "lower case"]),
        ("title = \"My", "engine = \"native\"\ntitle = \"My", &["names no engine", "study"]),
        ("title = \"My", "titel = \"x\"\ntitle = \"My", &["'titel'", "did you mean 'title'"]),
        ("model = \"my_pendulum.urdf\"", "model = \"your_pendulum.urdf\"", &["your_pendulum.urdf", "does not exist"]),
        ("gravity_m_s2 = [0, 0, -9.81]", "gravity_m_s2 = [0, -9.81]", &["2 entries", "must have 3"]),
        ("gravity_m_s2 = [0, 0, -9.81]", "gravity_m_s2 = 9.81", &["must be a list"]),
        ("contact = false", "contact = \"no\"", &["true or false"]),
        ("positions = { hinge", "positions = { hing", &["no joint 'hing'", "did you mean 'hinge'"]),
        ("positions = { hinge = 1.05 }", "positions = { hinge = [1, 2] }", &["takes 1 numbers here, not 2"]),
        ("kind = \"closed_form\"", "kind = \"closed_from\"", &["'closed_from'", "did you mean 'closed_form'"]),
        ("form = \"pendulum\"", "form = \"pendulm\"", &["no closed form 'pendulm'", "did you mean 'pendulum'"]),
        ("{ joint = \"hinge\" }", "{ joint = \"elbow\" }", &["no joint 'elbow'"]),
        ("{ joint = \"hinge\" }", "{ jont = \"hinge\" }", &["no parameter 'jont'"]),
        (
            "metric = \"joint_error\"",
            "metric = \"joint_eror\"",
            &["no metric 'joint_eror'", "did you mean 'joint_error'"],
        ),
        (
            "metric = \"energy_error\"",
            "metric = \"grasp_published\"",
            &["name the bodies that are held with 'objects'", "the world has"],
        ),
        (
            "metric = \"energy_error\"",
            "metric = \"grasp_corrected\"\nobjects = [\"cube\"]\ngrippers = [\"finger\"]",
            &["'objects' names 'cube', which is not a body of the world"],
        ),
        (
            "metric = \"energy_error\"",
            "metric = \"energy_error\"\ngrippers = [\"finger\"]",
            &["'energy_error' has no 'grippers'; remove it"],
        ),
        ("of = \"hinge\"", "of = \"hinges\"", &["'hinges'", "did you mean 'hinge'"]),
        ("reference = \"exact\"", "reference = \"excat\"", &["no reference 'excat'", "did you mean 'exact'"]),
        ("bound = 0.005", "bound = -1", &["'bound' is -1", "at least 0"]),
        ("bound = 0.005", "bound = 0.005\nat_s = [7]", &["'at_s' is 7", "from 0 to 5"]),
        ("bound = 0.005", "# bound", &["has no 'bound'", "'at_least'"]),
        ("bound = 0.005", "bound = 0.005\nat_least = 0", &["several bounds", "keep one"]),
        ("bound = 0.005", "between = [1, 0]", &["larger number first", "swap"]),
        ("bound = 0.005", "between = [1]", &["1 entries", "must have 2"]),
        ("bound = 0.005", "bound = 0.005\nbelow_m = 1", &["'joint_error' has no 'below_m'; remove it"]),
        (
            "metric = \"energy_error\"",
            "metric = \"fell\"\ntilt_rad = 1",
            &["the metric 'fell': name a body with 'of'"],
        ),
        (
            "metric = \"energy_error\"",
            "metric = \"slip\"\nof = \"rod\"\nwith = \"floor\"",
            &["'with' names 'floor', which is not a body"],
        ),
        (
            "[[references]]",
            "[stop]\nwhen = [\"agnle\"]\n[[references]]",
            &["no check 'agnle'", "did you mean 'angle'"],
        ),
        (
            "[[references]]",
            "[stop]\nwhen = [\"angle\"]\n[[references]]",
            &["'joint_error' of 'angle' cannot stop a trial"],
        ),
        ("[[references]]", "[stop]\nwhen = []\n[[references]]", &["'when' is empty"]),
        ("reason = \"5 mm", "reason = \"\"\n# \"5 mm", &["'reason' is empty"]),
        ("reason = \"5 mm", "# reason = \"5 mm", &["has no 'reason'"]),
        ("schema = 1", "schema = 2", &["newer veracity"]),
        ("schema = 1", "schema = \"one\"", &["whole number"]),
    ];
    for (good, bad, words) in cases {
        assert!(GOOD.contains(good), "{good}");
        let message = folder.scenario(&GOOD.replacen(good, bad, 1)).expect_err(bad);
        let first = message.lines().next().unwrap();
        assert!(words.iter().all(|word| message.contains(word)), "{bad}\n{message}");
        assert_eq!(message.lines().count(), 1, "one sentence for one mistake: {bad}\n{message}");
        let line: usize = first.split(':').nth(1).and_then(|n| n.trim().parse().ok()).unwrap_or(0);
        let at = line_of(good);
        // A missing key is reported at its table; an added key is below.
        let near = if bad.starts_with('#') { at.saturating_sub(12)..=at } else { at..=at + 1 };
        assert!(near.contains(&line), "{bad}: line {line}, not {at}\n{message}");
    }
}

#[test]
fn all_mistakes_come_at_once() {
    let folder = Folder::new("all");
    let text = GOOD
        .replacen("duration_s = 5 ", "duration_s = -5 ", 1)
        .replacen("positions = { hinge", "positions = { elbow", 1)
        .replacen("metric = \"joint_error\"", "metric = \"joint\"", 1)
        .replacen("metric = \"energy_error\"", "metric = \"energy\"", 1);
    let message = folder.scenario(&text).unwrap_err();
    assert_eq!(message.lines().count(), 4, "{message}");
    let text = GOOD.replacen("duration_s = 5 ", "duration = 5 ", 1).replacen("contact = false", "contcat = false", 1);
    let message = folder.scenario(&text).unwrap_err();
    assert!(message.contains("'duration'") && message.contains("'contcat'"), "{message}");
}

#[test]
fn a_missing_mesh_and_broken_toml_are_told() {
    let folder = Folder::new("mesh");
    let urdf = include_str!("../src/starter/my_pendulum.urdf").replace(
        "<visual name=\"bar\">",
        "<collision name=\"c\"><geometry><mesh filename=\"gone.stl\"/></geometry></collision><visual name=\"bar\">",
    );
    std::fs::write(folder.0.join("my_pendulum.urdf"), urdf).unwrap();
    let told = match folder.scenario(GOOD) {
        Ok(scenario) => scenario.findings.to_string(),
        Err(message) => message,
    };
    assert!(told.contains("gone.stl") && told.contains("my_pendulum.urdf:1"), "{told}");
    let message = folder.scenario("schema = 1\nname = = 3\n").unwrap_err();
    assert!(message.starts_with("my_pendulum.toml:2: error"), "{message}");
}

#[test]
fn controllers_are_held_to_the_world() {
    let folder = Folder::new("controllers");
    let with = |law: &str| folder.scenario(&format!("{GOOD}\n{law}\n"));
    let good = "[[controllers]]\nname = \"servo\"\nkind = \"pd\"\nrate_hz = 1000\njoints.hinge = { kp = 20, kd = 2 }";
    let scenario = with(good).unwrap();
    let changed =
        scenario.with(&veracity_model::Overrides::new().set("controllers/servo/joints/hinge/kp", 30.0)).unwrap();
    assert_eq!(changed.controllers[0].joints["hinge"].kp, 30.0);
    assert_ne!(changed.digest(), scenario.digest());
    let line = GOOD.lines().count() + 2;
    for (bad, words) in [
        (good.replace("rate_hz = 1000", "rate_hz = 1024"), "whole number of the engine's steps"),
        (good.replace("joints.hinge", "joints.knee"), "knee"),
        (good.replace("kind = \"pd\"", "kind = \"pdf\""), "pdf"),
        (good.replace("kp = 20", "k_p = 20"), "'k_p'"),
        (good.replace("kp = 20", "kp = \"high\""), "must be a number"),
    ] {
        let message = with(&bad).expect_err(&bad);
        assert!(message.contains(words), "{bad}\n{message}");
        let found: usize = message.split(':').nth(1).unwrap().parse().unwrap();
        assert!((line..line + 6).contains(&found), "{bad}\n{message}");
    }
}

#[test]
fn a_recorded_table_is_a_reference() {
    let folder = Folder::new("recorded");
    std::fs::write(folder.0.join("run.csv"), "time_s,angle [rad],note\n0,1.05,1\n0.5,,2\n1,-0.3,3\n").unwrap();
    let reference = |column: &str| {
        let text = format!(
            "{GOOD}\n[[references]]\nname = \"run\"\nkind = \"recorded\"\nfile = \"run.csv\"\n\
             [[references.channels]]\njoint = \"hinge\"\ncolumns = [\"{column}\"]\nuncertainty = 0.001\n"
        );
        let scenario = folder.scenario(&text).unwrap();
        veracity_scenario::references::work_out(&scenario.references[1], &scenario, &[])
    };
    let truth = reference("angle").unwrap();
    // The empty cell is not a number.
    assert_eq!((&truth.channels[0].times[..], &truth.channels[0].values[..]), (&[0.0, 1.0][..], &[1.05, -0.3][..]));
    assert_eq!(truth.channels[0].uncertainty, [0.001, 0.001]);
    assert!(reference("angel").unwrap_err().to_string().contains("did you mean 'angle'"));
    let gone = format!("{GOOD}\n[[references]]\nname = \"run\"\nkind = \"recorded\"\nfile = \"gone.csv\"\n");
    assert!(folder.scenario(&gone).unwrap_err().contains("'gone.csv' does not exist"));
}

/// Whatever happens to a file, the result is a scenario or messages, never a panic.
#[test]
fn damaged_files_get_sentences() {
    let folder = Folder::new("damage");
    let controlled = format!(
        "{GOOD}\n[[controllers]]\nname = \"servo\"\nkind = \"pd\"\nrate_hz = 1000\njoints.hinge = {{ kp = 20, kd = 2 }}\n"
    );
    let lines: Vec<&str> = controlled.lines().collect();
    let mut damaged: Vec<String> = Vec::new();
    for i in 0..lines.len() {
        let without: Vec<&str> = lines.iter().enumerate().filter(|(k, _)| *k != i).map(|(_, l)| *l).collect();
        damaged.push(without.join("\n"));
        let value = lines[i].split_once('=').map(|(key, _)| key);
        for other in
            ["1e308", "-1", "[]", "{}", "\"\"", "nan", "[[1, 2], [3]]", "{ a = { b = [{}] } }", "9999999999999999999"]
        {
            let Some(key) = value else { continue };
            let mut changed: Vec<String> = lines.iter().map(|l| l.to_string()).collect();
            changed[i] = format!("{key} = {other}");
            damaged.push(changed.join("\n"));
        }
    }
    damaged.extend(
        (0..controlled.len())
            .step_by(7)
            .filter(|i| controlled.is_char_boundary(*i))
            .map(|i| controlled[..i].to_string()),
    );
    for text in damaged {
        if let Err(message) = folder.scenario(&text) {
            assert!(message.lines().all(|l| l.contains("error[") || l.contains("warning[")), "{message}");
        }
    }
}

const STUDY: &str = r#"
schema = 1
name = "s"
scenarios = ["my_pendulum.toml", "simple_pendulum"]
engines = ["native", { spec = "rapier:impulse,iters=4", steps_s = [0.002], scenarios = ["my_pendulum"] }]
samples = 4
seeds = [7]

[[vary]]
path = "duration_s"
values = [1, 2]
[[vary]]
path = "world/gravity/z"
distribution = "normal"
mean = -9.81
std = 0.01

[[expect]]
scenarios = ["my_pendulum"]
engines = ["native"]
answer = "accepted"
why = "order 4"
[[expect]]
scenarios = ["my_pendulum"]
engines = ["native"]
step_s = 0.005
answer = "rejected"
why = "says more"
"#;

#[test]
fn studies_lay_out_variations_and_expectations() {
    let folder = Folder::new("study");
    let study = folder.study(STUDY).unwrap();
    assert_eq!((study.scenarios.len(), study.variations.len()), (2, 8));
    // Lists by combination, samples within; a sample has the same number in every combination.
    let gravity = |i: usize| study.variations[i].get("world/gravity/z").unwrap();
    let duration = |i: usize| study.variations[i].get("duration_s").unwrap();
    assert_eq!([0, 3, 4, 7].map(duration), [1.0, 1.0, 2.0, 2.0]);
    assert_eq!((gravity(0), gravity(3)), (gravity(4), gravity(7)));
    assert_ne!(gravity(0), gravity(1));
    // More samples do not change the first ones.
    let more = folder.study(&STUDY.replace("samples = 4", "samples = 9")).unwrap();
    assert_eq!(more.variations[2].get("world/gravity/z"), Some(gravity(2)));
    let (native, rapier) = (&study.engines[0], &study.engines[1]);
    assert_eq!(study.steps_for(native, &study.scenarios[0]), [1_000_000]);
    assert_eq!(study.steps_for(rapier, &study.scenarios[0]), [2_000_000]);
    assert!(study.runs(rapier, &study.scenarios[0]) && !study.runs(rapier, &study.scenarios[1]));
    let expected = |step| study.expectation("my_pendulum", &native.spec, step, &[], None).map(|e| e.answer);
    assert_eq!((expected(1_000_000), expected(5_000_000)), (Some(Expected::Accepted), Some(Expected::Rejected)));
    assert_eq!(study.converged, None, "no reference engine unless the study names one");
}

#[test]
fn mistakes_in_studies_get_a_sentence() {
    let folder = Folder::new("study-mistakes");
    let cases: &[(&str, &str, &str)] = &[
        ("\"simple_pendulum\"]", "\"simple_pendulm\"]", "did you mean 'simple_pendulum'"),
        ("\"my_pendulum.toml\"", "\"your.toml\"", "does not exist"),
        ("\"native\", {", "\"nat ive\", {", "invalid engine spec"),
        ("steps_s = [0.002]", "steps_s = [0.003]", "does not divide"),
        ("steps_s = [0.002]", "steps_s = [-1]", "is not possible"),
        ("path = \"duration_s\"", "path = \"duraton_s\"", "there is no number 'duraton_s'"),
        ("samples = 4\n", "", "needs 'samples'"),
        ("std = 0.01", "sigma = 0.01", "'sigma'"),
        ("std = 0.01", "std = -0.01", "must not be negative"),
        ("answer = \"accepted\"", "answer = \"acepted\"", "did you mean 'accepted'"),
        ("engines = [\"native\"]\nanswer", "engines = [\"ode\"]\nanswer", "the study has no engine 'ode'"),
        ("name = \"s\"", "name = \"s\"\n[world]\n", "belongs in a scenario"),
    ];
    for (good, bad, words) in cases {
        assert!(STUDY.contains(good), "{good}");
        let message = folder.study(&STUDY.replacen(good, bad, 1)).expect_err(bad);
        assert!(message.contains(words), "{bad}\n{message}");
        assert!(message.lines().all(|l| l.starts_with("study.toml:")), "{message}");
    }
}

#[test]
fn editors_get_the_schema_the_reader_uses() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema");
    for (file, schema) in [
        ("scenario.json", starter::scenario_schema()),
        ("study.json", starter::study_schema()),
        ("trace.json", starter::trace_schema()),
    ] {
        let written = std::fs::read_to_string(folder.join(file)).unwrap_or_default();
        assert!(
            written == schema,
            "docs/schema/{file} is old: cargo run -p veracity-scenario --example write_schema"
        );
    }
}

const WALKER: &str = r#"<robot name="walker">
  <link name="slope"/>
  <joint name="base" type="planar"><parent link="slope"/><child link="leg"/><axis xyz="0 -1 0"/></joint>
  <link name="leg">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision name="heel"><geometry><sphere radius="0.1"/></geometry></collision>
    <collision name="toe"><origin xyz="1 0 0"/><geometry><sphere radius="0.1"/></geometry></collision>
  </link>
</robot>
"#;

const CYCLE: &str = r#"schema = 1
name = "walker"
duration_s = 5
[world]
model = "walker.urdf"
[cycle]
stance = "leg/heel"
strike = "leg/toe"
swap = [["leg", "leg"]]
shift = { "base/2" = 0.5 }
cyclic = ["base/0"]
[cycle.expect]
verdict = "stable"
source = "a test"
period_s = 1
period_bound_s = 1e-9
reason = "none"
"#;

#[test]
fn a_cycle_is_read_and_each_mistake_in_it_has_its_line() {
    let folder = Folder::new("cycle");
    std::fs::write(folder.0.join("walker.urdf"), WALKER).unwrap();
    let cycle = folder.scenario(CYCLE).unwrap().cycle.unwrap();
    assert_eq!((cycle.stance.body, cycle.stance.shape, cycle.strike.shape, cycle.released.shape), (1, 0, 1, 1));
    assert_eq!((cycle.shift, cycle.cyclic, cycle.longest_s), (vec![(2, 0.5)], vec![0], 5.0));
    assert_eq!(cycle.expect.unwrap().period_s, Some((1.0, 1e-9)));
    for (good, bad, line, words) in [
        ("\"leg/heel\"", "\"leg/hel\"", 7, "did you mean 'heel'?"),
        ("\"leg/heel\"", "\"heel\"", 7, "write body/shape"),
        ("\"leg/toe\"", "\"lg/toe\"", 8, "there is no body 'lg'"),
        ("[\"leg\", \"leg\"]", "[\"leg\", \"arm\"]", 9, "there is no body 'arm'"),
        ("swap", "strikes = 3\nswap", 9, "a stride has 1, or 2"),
        ("base/2", "base/3", 10, "is not a single position"),
        ("base/0", "bas/0", 11, "there is no joint 'bas/0'"),
        ("base/0", "base", 11, "is not a single position"),
        ("period_bound_s = 1e-9\n", "", 12, "go together"),
        ("\"stable\"", "\"stabel\"", 13, "did you mean 'stable'"),
        ("reason = \"none\"", "reason = \" \"", 12, "where the numbers and their bounds come from"),
        ("cyclic", "cylic", 11, "cyclic"),
        ("cyclic", "longest_s = -1\ncyclic", 11, "longest time a stride may take"),
    ] {
        assert!(CYCLE.contains(good), "{good}");
        let message = folder.scenario(&CYCLE.replacen(good, bad, 1)).expect_err(bad);
        assert!(message.contains(words), "{bad}\n{message}");
        assert!(message.contains(&format!("my_pendulum.toml:{line}:")), "{bad}\n{message}");
    }
}

#[test]
fn a_scenario_names_a_sidecar_of_its_own_which_is_applied_last() {
    let folder = Folder::new("sidecar");
    std::fs::write(
        folder.0.join("my_pendulum.urdf.toml"),
        "schema = 1\n[[joint]]\njoint = \"hinge\"\ndamping = 1\nfriction = 2\n",
    )
    .unwrap();
    std::fs::write(folder.0.join("mine.toml"), "schema = 1\n[[joint]]\njoint = \"hinge\"\ndamping = 3\n").unwrap();
    let text = |more: &str| {
        format!(
            "schema = 1\nname = \"one\"\nduration_s = 1\n[world]\ngravity_m_s2 = [0, 0, -9.81]\n{more}\n[[world.models]]\nfile = \"my_pendulum.urdf\"\n"
        )
    };
    let dofs = |text: &str| {
        let scenario = folder.scenario(text).unwrap_or_else(|e| panic!("{e}"));
        let dof = scenario.world.placements[0].model.joints().iter().find(|j| j.name == "hinge").unwrap().dofs[0];
        (dof.damping, dof.friction)
    };
    assert_eq!(dofs(&text("")), (1.0, 2.0), "the one beside the model");
    assert_eq!(dofs(&(text("") + "sidecar = \"mine.toml\"\n")), (3.0, 2.0), "then the scenario's");
    let missing = folder.scenario(&(text("") + "sidecar = \"no.toml\"\n")).unwrap_err();
    assert!(missing.contains("'no.toml' does not exist") && missing.contains("my_pendulum.toml:"), "{missing}");
    let missing = folder.scenario(&text("package_paths = [\"nowhere\"]")).unwrap_err();
    assert!(missing.contains("'nowhere' is not a folder"), "{missing}");
}

#[test]
fn package_paths_of_a_scenario_are_relative_to_it() {
    let folder = Folder::new("packages");
    let (meshes, triangle) = (
        folder.0.join("deps/stones/meshes"),
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n",
    );
    std::fs::create_dir_all(&meshes).unwrap();
    std::fs::write(meshes.join("stone.obj"), triangle).unwrap();
    let stone = r#"<robot name="stone"><link name="stone"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
      <collision><geometry><mesh filename="package://stones/meshes/stone.obj"/></geometry></collision></link></robot>"#;
    std::fs::write(folder.0.join("stone.urdf"), stone).unwrap();
    let text = |more: &str| {
        format!(
            "schema = 1\nname = \"one\"\nduration_s = 1\n[world]\nmodel = \"stone.urdf\"\ngravity_m_s2 = [0, 0, -9.81]\n{more}\n"
        )
    };
    let shapes = |text: &str| {
        let scenario = folder.scenario(text).unwrap_or_else(|e| panic!("{e}"));
        (scenario.world.placements[0].model.bodies()[0].shapes.len(), scenario.findings.to_string())
    };
    let (without, findings) = shapes(&text(""));
    assert!(without == 0 && findings.contains("stone.obj"), "the mesh is found without a path: {findings}");
    assert_eq!(shapes(&text("package_paths = [\"deps\"]")).0, 1);
}
