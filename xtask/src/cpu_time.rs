//! CPU time of child processes, which is independent of the load of the machine.

use anyhow::{Context, Result};
use std::time::Duration;

/// Ticks per second in which Linux reports CPU time to user space, on every architecture.
const TICKS_PER_SECOND: f64 = 100.0;

/// User and system time of all children waited for so far, with their own children [s].
///
/// Read from `/proc/self/stat`, fields `cutime` and `cstime` of proc(5). Processes that were not waited for are missing;
/// cargo, rustc, libtest and pip wait for all of theirs.
pub fn children() -> Result<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat")
        .context("cannot measure CPU time: /proc/self/stat is not readable (only Linux is supported)")?;
    parse(&stat).context("/proc/self/stat does not have the format of proc(5)")
}

fn parse(stat: &str) -> Option<Duration> {
    // The program's name, in parentheses, may contain spaces and parentheses: count from the last one.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |index: usize| fields.get(index)?.parse::<f64>().ok();
    // Fields 16 and 17 of the line, the first after the name being field 3.
    Some(Duration::from_secs_f64((ticks(13)? + ticks(14)?) / TICKS_PER_SECOND))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_with_parentheses_does_not_shift_the_fields() {
        let stat = "42 (a ) b (c) S 1 2 3 4 5 6 7 8 9 10 11 12 250 50 20 0 1 0 9";
        assert_eq!(parse(stat), Some(Duration::from_secs(3)));
    }

    #[test]
    fn cpu_time_of_a_child_is_counted() {
        let before = children().unwrap();
        let loop_of_a_shell = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
        let status = std::process::Command::new("sh").args(["-c", loop_of_a_shell]).status().unwrap();
        assert!(status.success());
        // 200 000 iterations of a shell loop take at least one tick of 10 ms on any current machine.
        assert!(children().unwrap() > before);
    }
}
