//! Damaged models and scenarios: every reader terminates, without a panic and in bounded memory, whatever was done to
//! its file.

#[path = "../../model/tests/mutants/mod.rs"]
mod mutants;

use mutants::{Seed, hold};
use std::path::{Path, PathBuf};
use veracity_model::import::{ImportOptions, load_bytes, load_text};
use veracity_scenario::{LoadOptions, Scenario, Study};

#[global_allocator]
static MEMORY: veracity_counting::Counting = veracity_counting::Counting;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios")
}

/// Files with an extension below a folder, only the smaller ones: a mutant is read whole each time.
fn files(folder: &Path, ending: &str, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, ending, out);
        } else if path.to_string_lossy().ends_with(ending) && path.metadata().unwrap().len() < 40_000 {
            out.push(path);
        }
    }
}

fn found(ending: &str) -> Vec<PathBuf> {
    let mut out = Vec::new();
    files(&root(), ending, &mut out);
    assert!(!out.is_empty(), "no file ends with {ending}");
    out
}

const SDF: &str = r#"<?xml version="1.0"?>
<sdf version="1.9"><world name="w"><gravity>0 0 -9.81</gravity>
  <model name="m"><pose>0 0 1 0 0 0</pose>
    <link name="a"><inertial><mass>1</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial>
      <collision name="c"><geometry><box><size>1 1 1</size></box></geometry></collision></link>
    <link name="b"><pose relative_to="a">1 0 0 0 0 0</pose><inertial><mass>2</mass></inertial></link>
    <joint name="j" type="revolute"><parent>a</parent><child>b</child>
      <axis><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>1</upper></limit></axis></joint>
  </model></world></sdf>
"#;

const MJCF: &str = r#"<mujoco model="m"><compiler angle="degree"/><option timestep="0.002" gravity="0 0 -9.81"/>
  <default><geom density="1000" friction="1 0.005 0.0001"/><default class="x"><joint damping="0.1"/></default></default>
  <worldbody><geom type="plane" size="1 1 0.1"/>
    <body name="a" pos="0 0 1"><freejoint/><geom name="g" type="capsule" fromto="0 0 0 0.1 0 0" size="0.02"/>
      <body name="b" pos="0.1 0 0"><joint name="h" class="x" axis="0 1 0" range="-90 90"/><geom size="0.05" mass="1"/>
        <site name="s" pos="0 0 0"/></body></body></worldbody>
  <actuator><position name="p" joint="h" kp="10"/></actuator><sensor><jointpos joint="h"/></sensor>
  <keyframe><key name="k" qpos="0 0 1 1 0 0 0 0.1"/></keyframe></mujoco>
"#;

#[test]
fn damaged_models_scenarios_and_studies_are_refused_or_read() {
    let count = if std::env::var_os("VERACITY_FULL").is_some() { 600_000 } else { 600 };
    let options = ImportOptions::default();
    let model = |name: &'static str| {
        let options = options.clone();
        move |bytes: &[u8]| drop(load_bytes(bytes, Path::new(name), &options))
    };
    let (urdf, sdf, mjcf) = (model("m.urdf"), model("m.sdf"), model("m.xml"));
    let sound_urdf = std::fs::read_to_string(root().join("pendulum/pendulum.urdf")).unwrap();
    let sidecar = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        drop(load_text(&sound_urdf, Some(&text), Path::new("m.urdf"), &options));
    };
    let scenario = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        drop(Scenario::from_text(&text, &root().join("pendulum/x.toml"), &LoadOptions::default()));
    };
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("mutant-{}.toml", std::process::id()));
    let study = |bytes: &[u8]| {
        std::fs::write(&place, bytes).unwrap();
        drop(Study::load(&place, &LoadOptions::default()));
    };
    let mut seeds = vec![
        Seed { name: "sdf", bytes: SDF.into(), read: &sdf },
        Seed { name: "mjcf", bytes: MJCF.into(), read: &mjcf },
    ];
    let bytes = |path: &PathBuf| std::fs::read(path).unwrap();
    let urdfs = found(".urdf");
    let sidecars = found(".urdf.toml");
    let scenarios = ["pendulum/simple_pendulum.toml", "pendulum/pendulum_with_ball.toml"].map(|f| root().join(f));
    let studies = found(".toml").into_iter().filter(|p| p.parent().is_some_and(|f| f.ends_with("suites")));
    seeds.extend(urdfs.iter().map(|p| Seed { name: "urdf", bytes: bytes(p), read: &urdf }));
    seeds.extend(sidecars.iter().map(|p| Seed { name: "sidecar", bytes: bytes(p), read: &sidecar }));
    seeds.extend(scenarios.iter().map(|p| Seed { name: "scenario", bytes: bytes(p), read: &scenario }));
    seeds.extend(studies.map(|p| Seed { name: "study", bytes: bytes(&p), read: &study }));
    let told = hold(&seeds, count);
    let _ = std::fs::remove_file(&place);
    assert!(told.failures.is_empty(), "{}", told.failures.join("\n"));
    println!(
        "ACCEPT mutants-models: {} mutants sum; {} panics sum; {:.0} MiB max",
        told.mutants,
        told.failures.len(),
        told.peak_bytes as f64 / 1048576.0
    );
}
