//! A failure of a worker ends its own trial with the reason.

use std::time::Duration;
use veracity_engine::{Inputs, Samples};
use veracity_worker::{Limits, WorkerEngine};

mod trials;

use trials::{alive, faulty, limits, load, trial};

#[test]
fn output_of_a_worker_has_no_effect() {
    let engine = WorkerEngine::new(faulty(), limits());
    assert_eq!(trial(&engine, "fault-print"), trial(&engine, "sound"));
}

#[test]
fn a_worker_killed_from_outside_ends_only_its_own_trial() {
    let engine = WorkerEngine::new(faulty(), limits());
    let (mut first, mut second) = (load(&engine, "first"), load(&engine, "second"));
    let processes = engine.processes();
    assert_eq!(processes.len(), 2, "each simulation has its own worker");
    let inputs = Inputs::none(1);
    let mut none = Samples::none(first.layout());
    first.advance(0.1, &inputs, &mut none).unwrap();
    let pid = rustix::process::Pid::from_raw(processes[0] as i32).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    let trouble = first.advance(0.2, &inputs, &mut none).unwrap_err();
    assert!(trouble.reason.contains("signal 9 (SIGKILL)"), "{trouble}");
    assert_eq!(trouble.time, 0.1, "the time it had reached");
    assert_eq!(first.q().len(), 1, "the last known state can still be read");
    second.advance(0.2, &inputs, &mut none).unwrap();
}

/// Asked to stop, a worker in an endless loop is ended after the grace period.
#[test]
fn a_worker_that_does_not_stop_is_ended() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    let patient = Limits { patience: Duration::from_secs(3600), ..limits() };
    let engine = WorkerEngine::new(faulty(), patient);
    let mut simulation = load(&engine, "fault-loop");
    let mut samples = Samples::none(simulation.layout());
    let stop = Arc::new(AtomicBool::new(false));
    samples.set_stop(Arc::clone(&stop));
    let asks = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        stop.store(true, Ordering::Relaxed);
    });
    let trouble = simulation.advance(1.0, &Inputs::none(1), &mut samples).unwrap_err();
    assert!(trouble.reason.contains("was ended"), "{trouble}");
    asks.join().unwrap();
}

/// CPU time of a worker counts for the thread that loaded it, while it is loaded.
#[test]
fn cpu_time_of_a_worker_counts_for_its_thread() {
    use veracity_engine::helpers::cpu_s_here;
    let engine = WorkerEngine::new(faulty(), limits());
    let mut simulation = load(&engine, "long");
    let mut none = Samples::none(simulation.layout());
    simulation.advance(50.0, &Inputs::none(1), &mut none).unwrap();
    // Fifty thousand steps take measurable time.
    assert!(cpu_s_here() > 0.0);
    drop(simulation);
    assert_eq!(cpu_s_here(), 0.0);
}

/// A worker that is being written when it is started (by a linker, or through a file that a process forked a moment ago
/// still holds) is waited for.
#[test]
fn a_worker_that_is_still_being_written_is_waited_for() {
    use std::os::unix::fs::PermissionsExt;
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("veracity-engine-faulty");
    std::fs::copy(faulty(), &path).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let writer = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
    let refused = std::process::Command::new(&path).spawn().unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::ExecutableFileBusy, "otherwise this test shows nothing");
    let writes = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        drop(writer);
    });
    WorkerEngine::new(path, limits()).try_hello().unwrap();
    writes.join().unwrap();
}

#[test]
fn a_program_that_is_not_a_worker_is_an_error() {
    for program in ["/bin/true", "/bin/cat", "/nonexistent"] {
        let engine = WorkerEngine::new(program.into(), limits());
        let why = engine.try_hello().unwrap_err();
        assert!(why.contains("worker"), "{program}: {why}");
    }
}

/// One process, many worlds: more simulations than there may be workers share them, and each has its own state.
#[test]
fn many_worlds_share_workers_when_there_are_too_many() {
    let engine = WorkerEngine::new(faulty(), limits());
    let mut all: Vec<_> = (0..40).map(|i| load(&engine, &format!("world-{i}"))).collect();
    assert_eq!(engine.processes().len(), 32);
    let inputs = Inputs::none(1);
    for (i, simulation) in all.iter_mut().enumerate() {
        simulation.set_state(0.0, &[0.01 * i as f64], &[0.0]).unwrap();
    }
    for simulation in &mut all {
        let mut none = Samples::none(simulation.layout());
        simulation.advance(0.1, &inputs, &mut none).unwrap();
    }
    let mut ends: Vec<u64> = all.iter().map(|s| s.q()[0].to_bits()).collect();
    ends.sort_unstable();
    ends.dedup();
    assert_eq!(ends.len(), 40);
    let processes = engine.processes();
    drop(all);
    drop(engine);
    assert!(processes.iter().all(|process| !alive(*process)), "workers outlive their engine");
}
