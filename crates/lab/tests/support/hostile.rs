//! Every way in which a worker breaks the protocol, and what its trial must report.
#![allow(dead_code)] // Each test uses some of it.

use std::path::{Path, PathBuf};
use std::time::Duration;
use veracity_worker::{Limits, WorkerEngine};

/// Result of a trial of a hostile worker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End {
    /// The trial fails, with this text.
    Failed(&'static str),
    /// The motion ends where the engine's numbers become invalid, with this text.
    BrokeDown(&'static str),
    /// Nothing can run, with this text.
    NotExpressible(&'static str),
    /// The attack has no effect.
    Finished,
}

use End::{BrokeDown, Failed, Finished, NotExpressible};

/// Modes of `examples/hostile_worker.rs`.
pub const KINDS: &[(&str, End)] = &[
    // The greeting.
    ("other-protocol", Failed("speaks version 99 of the protocol")),
    ("hello-empty", Failed("sent an invalid hello")),
    ("hello-garbage", Failed("sent an invalid hello")),
    ("hello-long", Failed("bytes are too long")),
    ("hello-short", Failed("a message ends in the middle of a field")),
    ("name-empty", Failed("'' is not a valid engine name")),
    ("name-native", Failed("it calls itself 'native'")),
    ("name-path", Failed("is not a valid engine name")),
    ("name-markup", Failed("is not a valid engine name")),
    ("name-escape", Failed("is not a valid engine name")),
    ("setting-twice", Failed("it has the setting 'k' twice")),
    ("default-outside", Failed("the default of 'k' is '10': it must be a whole number from 1 to 9")),
    ("default-no-choice", Failed("the default of 'k' is 'c': it must be one of a, b")),
    ("range-nan", Failed("the setting 'k' has no valid value")),
    ("capabilities-garbage", Failed("sent invalid capabilities")),
    ("capabilities-impossible", Failed("invalid difference of its snapshots: -1")),
    ("no-hint", NotExpressible("a feature it does not name")),
    ("refuses-nothing", Failed("it refused a world without naming a feature")),
    // Messages.
    ("message-long", Failed("8 bytes too many")),
    ("message-short", Failed("it sent an invalid message")),
    ("part-and-sleep", Failed("it began a message and stopped")),
    ("half-a-note", Failed("it began a message and stopped")),
    ("drips", Failed("it began a message and stopped")),
    ("endless-parts", Failed("the parts of a message do not add up")),
    ("empty-parts", Failed("the parts of a message do not add up")),
    ("eight-gib", Failed("a message of 8192 MiB; at most 1024 MiB are read")),
    ("wrong-number", Failed("an answer to request")),
    ("answers-twice", Failed("an answer to request")),
    ("answers-unasked", Failed("an answer to request 77")),
    ("unknown-status", Failed("status 42")),
    // The shared memory: sealed, so that neither has an effect.
    ("truncates", Finished),
    ("grows", Finished),
    ("count-beyond", Failed("a message counts 1152921504606846976 elements")),
    ("rows-many", Failed("rows, requested")),
    ("rows-few", Failed("rows, requested")),
    ("rows-none", Failed("received 0 rows")),
    ("rows-back", Failed("received a row of")),
    ("rows-time-nan", Failed("received a row of NaN s")),
    ("rows-nan", BrokeDown("contains NaN or infinity")),
    ("rows-infinite", BrokeDown("contains NaN or infinity")),
    ("row-quaternion-zero", Failed("a quaternion of norm 0")),
    ("energies-wrong", Failed("energies for")),
    ("bodies-wrong", Failed("numbers instead of")),
    ("quaternion-zero", Failed("a quaternion of norm 0")),
    ("contact-nobody", Failed("a contact of body 1000")),
    ("time-still", Failed("ended at 0 s")),
    ("time-ahead", Failed("ended at 1000000000 s")),
    ("time-nan", Failed("ended at NaN s")),
    // The process.
    ("exits-at-once", Failed("it exited with code 0")),
    ("exits-with-code", Failed("it exited with code 9")),
    ("exits-in-batch", Failed("it exited with code 0")),
    ("aborts", Failed("signal 6 (SIGABRT)")),
    ("kills-itself", Failed("signal 9 (SIGKILL)")),
    ("eats-memory", Failed("signal 6 (SIGABRT)")),
    ("sleeps-before", Failed("it took no step for")),
    ("sleeps-in-batch", Failed("it took no step for")),
    ("sleeps-after", Failed("it took no step for")),
    ("sleeps-ignoring-term", Failed("it took no step for")),
    ("sleeps-then-answers", Failed("it took no step for")),
    ("counts-asleep", Failed("it reported steps for")),
    ("prints-for-ever", Finished),
    ("child-holds-pipe", Failed("it exited with code 5")),
    ("child-daemon", Failed("it exited with code 6")),
    ("child-of-the-living", Failed("it took no step for")),
];

/// Short, to keep the test short; far longer than a reply takes on a busy machine.
pub fn limits() -> Limits {
    Limits {
        patience: Duration::from_secs(2),
        grace: Duration::from_millis(500),
        memory: 512 << 20,
        ..Limits::default()
    }
}

/// A worker of one kind: a link whose name selects the kind.
pub fn worker(folder: &Path, kind: &str) -> WorkerEngine {
    WorkerEngine::new(program(folder, kind), limits())
}

/// The link.
pub fn program(folder: &Path, kind: &str) -> PathBuf {
    let exe = std::env::current_exe().unwrap();
    let program = exe.ancestors().nth(2).unwrap().join("examples/hostile_worker");
    assert!(program.is_file(), "{} is not built; run cargo build --example hostile_worker", program.display());
    std::fs::create_dir_all(folder).unwrap();
    let link = folder.join(format!("veracity-engine-{kind}"));
    std::os::unix::fs::symlink(program, &link).unwrap();
    link
}

/// Resources of workers that this process holds, and processes anywhere that were started from a folder.
#[derive(Debug, PartialEq)]
pub struct Held {
    children: Vec<String>,
    descriptors: usize,
    mappings: usize,
    elsewhere: Vec<String>,
}

pub fn held() -> Held {
    let read = |path: PathBuf| std::fs::read_to_string(path).unwrap_or_default();
    let tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let children = tasks.flat_map(|task| {
        read(task.path().join("children")).split_whitespace().map(str::to_string).collect::<Vec<_>>()
    });
    let mark = format!("VERACITY_WORKER_MARK={}-", std::process::id());
    let others = std::fs::read_dir("/proc").unwrap().flatten();
    let marked = others.filter(|p| {
        String::from_utf8_lossy(&std::fs::read(p.path().join("environ")).unwrap_or_default()).contains(&mark)
    });
    Held {
        children: children.collect(),
        descriptors: std::fs::read_dir("/proc/self/fd").unwrap().count(),
        mappings: read("/proc/self/maps".into())
            .lines()
            .filter(|line| line.contains("memfd:veracity-worker"))
            .count(),
        elsewhere: marked.map(|p| read(p.path().join("cmdline")).replace('\0', " ")).collect(),
    }
}
