//! The same controller in C and in Python: the pendulum stands in both.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use support::{client, config, python, run_with, stats_of};
use veracity_tempo::RunOptions;
use veracity_tempo::config::ClientConfig;

const C: &str = r#"
#include "veracity_client.h"
#include <stdio.h>
int main(void) {
  veracity_client *robot = veracity_client_connect();
  if (!robot) { fprintf(stderr, "%s\n", veracity_client_error()); return 1; }
  int64_t q = veracity_client_observation_place(robot, "hinge/position");
  int64_t v = veracity_client_observation_place(robot, "hinge/velocity");
  if (q < 0 || v < 0 || veracity_client_observation_place(robot, "elbow/position") != -1) return 2;
  double seen[16];
  while (veracity_client_wait(robot) == 1) {
    if (veracity_client_observe(robot, seen, 16, NULL) < 0) return 3;
    double effort = 60.0 * (-1.5707963267948966 - seen[q]) - 12.0 * seen[v];
    if (veracity_client_command(robot, &effort, 1) != 0) return 4;
  }
  double two[2] = {0, 0};
  if (veracity_client_command(robot, two, 2) != -1) return 5;
  fprintf(stderr, "%s\n", veracity_client_error());
  veracity_client_close(robot);
  return 0;
}
"#;

const PYTHON: &str = r#"
import veracity_client
robot = veracity_client.Client()
q, v = robot.observation_place("hinge/position"), robot.observation_place("hinge/velocity")
while robot.wait():
    time_ns, seen = robot.observe()
    robot.command([60.0 * (-1.5707963267948966 - seen[q]) - 12.0 * seen[v]])
"#;

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("languages-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn next_to_this_test(file: &str) -> PathBuf {
    std::env::current_exe().unwrap().parent().unwrap().join(file)
}

fn swings_up(it: ClientConfig, folder: &Path) {
    let options = RunOptions { output: Some(folder.to_path_buf()), ..RunOptions::default() };
    let run = run_with(&config(vec![it], 2.0), &options).unwrap();
    let it = stats_of(&run, "it");
    let said = std::fs::read_to_string(folder.join("it.stderr")).unwrap();
    assert!(it.troubles.is_empty() && it.ended.is_none(), "{it:?}: {said}");
    // e^-12 of a radian is left after 2 s.
    let q = *run.record.track.q.last().unwrap();
    assert!((q + std::f64::consts::FRAC_PI_2).abs() < 1e-3, "{q}: {said}");
    assert!(it.commands > 150, "{it:?}");
}

#[test]
fn c_swings_the_pendulum_up() {
    let folder = folder("c");
    let (source, program) = (folder.join("pd.c"), folder.join("pd"));
    std::fs::write(&source, C).unwrap();
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../client/include");
    let built = Command::new("cc")
        .args(["-O1", "-Wall", "-Werror", "-o"])
        .arg(&program)
        .arg(&source)
        .arg("-I")
        .arg(include)
        .arg(next_to_this_test("libveracity_client.a"))
        .args(["-lpthread", "-ldl", "-lm"])
        .status();
    assert!(built.is_ok_and(|s| s.success()), "a C compiler builds the test's program");
    let it = ClientConfig {
        program: program.to_str().unwrap().to_string(),
        ..client("it", &[], Some(1000.0), &["efforts/hinge"])
    };
    swings_up(it, &folder);
    let said = std::fs::read_to_string(folder.join("it.stderr")).unwrap();
    assert!(said.contains("2 numbers given, 1 expected"), "{said}");
}

#[test]
fn python_swings_the_pendulum_up() {
    let folder = folder("python");
    let module = Path::new(env!("CARGO_MANIFEST_DIR")).join("../client/python");
    let mut it = ClientConfig { program: python(), ..client("it", &["-c", PYTHON], Some(100.0), &["efforts/hinge"]) };
    it.environment.insert("PYTHONPATH".to_string(), module.to_str().unwrap().to_string());
    let library = next_to_this_test("libveracity_client.so").to_str().unwrap().to_string();
    it.environment.insert("VERACITY_CLIENT_LIBRARY".to_string(), library);
    swings_up(it, &folder);
}
