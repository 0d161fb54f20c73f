//! A campaign whose workers die in every way: each ends its own trial with the reason, the next trial is the same to
//! the last bit, and nothing is left behind. A separate test binary, so that everything this process holds belongs to
//! the campaign.

mod trials;

use trials::{alive, faulty, limits, trial};
use veracity_worker::WorkerEngine;

/// Worker resources of this process, and all files of shared memory.
#[derive(Debug, PartialEq)]
struct Held {
    children: usize,
    memories: usize,
    mappings: usize,
    named: usize,
}

fn held() -> Held {
    let children = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let children = children.map(|task| std::fs::read_to_string(task.path().join("children")).unwrap_or_default());
    let links = std::fs::read_dir("/proc/self/fd").unwrap().flatten().flat_map(|fd| std::fs::read_link(fd.path()));
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    Held {
        children: children.map(|list| list.split_whitespace().count()).sum(),
        memories: links.filter(|to| to.to_string_lossy().contains("memfd:veracity-worker")).count(),
        mappings: maps.lines().filter(|line| line.contains("memfd:veracity-worker")).count(),
        named: std::fs::read_dir("/dev/shm").map_or(0, |files| {
            files.flatten().filter(|file| file.file_name().to_string_lossy().contains("veracity")).count()
        }),
    }
}

#[test]
fn a_campaign_outlives_its_workers() {
    let before = held();
    assert_eq!((before.children, before.memories, before.mappings), (0, 0, 0));
    let engine = WorkerEngine::new(faulty(), limits());
    let sound = trial(&engine, "sound").unwrap();
    let mut table = String::new();
    for (fault, said) in [
        ("segv", "signal 11 (SIGSEGV)"),
        ("loop", "it took no step for 4 s"),
        ("sleep", "it took no step for 4 s"),
        ("memory", "memory allocation"),
        ("exit", "it exited with code 3"),
        ("panic", "a fault was requested"),
        ("kill", "signal 9 (SIGKILL)"),
    ] {
        let processes = engine.processes();
        let reason = trial(&engine, &format!("fault-{fault}")).unwrap_err();
        assert!(reason.contains(said) && reason.contains("after step 500"), "{fault}: {reason}");
        assert!(processes.iter().all(|process| !alive(*process)), "{fault} left a process behind");
        // The next trial of the campaign gives the same result, to the last bit.
        assert_eq!(trial(&engine, "sound").unwrap().to_bits(), sound.to_bits(), "after {fault}");
        // While the worker lives it holds memory, so the count below can fail.
        assert!(held().mappings > 0 && held().children > 0);
        table += &format!("{fault}: {reason}\n");
    }
    println!("{table}");
    drop(engine);
    let after = held();
    assert_eq!(after, before, "shared memory or a process is left behind");
    println!(
        "ACCEPT worker-faults: 7 kinds of death, 7 reasons, 8 sound trials of one result; {} processes, {} pieces of shared memory \
         and {} mappings left, {} files in /dev/shm as before",
        after.children, after.memories, after.mappings, after.named
    );
}
