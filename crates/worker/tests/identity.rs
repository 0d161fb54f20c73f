//! Identity of a worker: it changes with the files it runs, and with nothing else.

mod trials;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use trials::{faulty, limits};
use veracity_engine::Engine;
use veracity_worker::WorkerEngine;

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("identity-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Copies a program in another process: here, a thread that forks while the copy is open for writing would keep it busy.
fn copy(from: &Path, to: &Path) {
    let done = std::process::Command::new("cp").arg(from).arg(to).status().unwrap();
    assert!(done.success());
}

fn script(path: &Path, text: &str) {
    // Under another name first: a script that is written in place may be found open by a process forked meanwhile.
    let new = path.with_extension("new");
    std::fs::write(&new, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(&new, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::rename(new, path).unwrap();
}

/// Identity of a newly started worker.
fn identity(launcher: &Path) -> String {
    let engine = WorkerEngine::new(launcher.to_path_buf(), limits());
    engine.try_hello().unwrap();
    let identity = engine.identity();
    assert_eq!(identity.len(), 64, "{identity}");
    identity
}

/// The launcher stays as it is; the program it starts is another one, as after an upgrade.
#[test]
fn a_program_behind_a_launcher_is_part_of_it() {
    let folder = folder("program");
    let (launcher, program) = (folder.join("veracity-engine-faulty"), folder.join("program"));
    copy(Path::new(&faulty()), &program);
    script(&launcher, &format!("exec '{}'", program.display()));
    let before = identity(&launcher);
    assert_eq!(identity(&launcher), before, "the same files are the same engine");
    // Another worker in the same folder is not part of it.
    std::fs::copy(faulty(), folder.join("veracity-engine-other")).unwrap();
    assert_eq!(identity(&launcher), before);
    let (longer, new) = (folder.join("longer"), folder.join("program.new"));
    let mut bytes = std::fs::read(&program).unwrap();
    bytes.push(0);
    std::fs::write(&longer, bytes).unwrap();
    std::fs::set_permissions(&longer, std::fs::Permissions::from_mode(0o755)).unwrap();
    copy(&longer, &new);
    std::fs::rename(new, &program).unwrap();
    assert_ne!(identity(&launcher), before, "another program is another engine");
}

/// The documented wrapper, a script behind it that starts the program, and a file that the script reads.
#[test]
fn scripts_behind_a_launcher_are_part_of_it() {
    let folder = folder("scripts");
    let launcher = folder.join("veracity-engine-faulty");
    let (inner, module) = (folder.join("inner.sh"), folder.join("module.sh"));
    script(&launcher, &format!("exec sh '{}'", inner.display()));
    script(&module, "LEVEL=1; export LEVEL");
    script(&inner, &format!(". '{}'\n'{}'", module.display(), faulty().display()));
    let first = identity(&launcher);
    script(&module, "LEVEL=2; export LEVEL");
    let second = identity(&launcher);
    assert_ne!(first, second, "a module of the script changed");
    script(&inner, &format!("LEVEL=3; export LEVEL\nexec '{}'", faulty().display()));
    let third = identity(&launcher);
    assert_ne!(second, third, "the script changed");
    script(&inner, &format!("LEVEL=4; export LEVEL\nexec '{}'", faulty().display()));
    assert_ne!(identity(&launcher), third, "a script that is gone when the program runs changed");
}
