//! The programs of `examples/` run and print what their first lines promise. Cargo builds them with the tests of this
//! package.

use std::path::PathBuf;
use std::process::Command;

/// Each program and what its output must contain.
const PROGRAMS: &[(&str, &[&str])] = &[
    ("check_robot", &["nao_h25.urdf: "]),
    // Twenty rows of a double pendulum, the last at 2 s.
    ("simulate", &["shoulder_rad", "     2.0 "]),
    // Impulse joints of Rapier stretch: the answer must not be that all are alike.
    ("compare_engines", &["native ", "rejected", "for "]),
    // Held near half a radian by its own law; gravity and a finite gain leave a small offset.
    ("own_controller", &["ended: Finished"]),
    ("vary", &["world/gravity/z = -9.81", "world/gravity/z = -1.60"]),
];

/// `target/<profile>/examples`, next to the folder of this test program.
fn examples() -> PathBuf {
    let here = std::env::current_exe().unwrap();
    here.parent().and_then(|deps| deps.parent()).unwrap().join("examples")
}

#[test]
fn every_example_runs_and_says_what_it_promises() {
    for (name, says) in PROGRAMS {
        let program = examples().join(name);
        assert!(program.is_file(), "{} is missing; `cargo test -p veracity` builds it", program.display());
        // Their results go to a temporary folder of this process alone.
        let folder = std::env::temp_dir().join(format!("veracity-example-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let ran = Command::new(&program).env("TMPDIR", &folder).output().unwrap();
        let text = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert!(ran.status.success(), "{name}: {text}{}", String::from_utf8_lossy(&ran.stderr));
        for part in *says {
            assert!(text.contains(part), "{name} does not say {part:?}:\n{text}");
        }
        if *name == "own_controller" {
            let last = text.lines().rev().find_map(|line| line.strip_suffix(" rad")).unwrap();
            let angle: f64 = last.split_whitespace().last().unwrap().parse().unwrap();
            // A PD law of 200 N m/rad against at most m g l of a few N m: within a tenth of a radian.
            assert!((angle - 0.5).abs() < 0.1, "held at {angle} rad");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
