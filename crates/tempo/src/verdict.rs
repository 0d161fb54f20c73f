//! Verdicts: whether a client meets its rate, from what was charged to it.
//!
//! ```text
//! (1)  rejected      it crashed, or activations are late or missing for a reason that is its own
//! (2)  cannot tell   its numbers are doubtful: a fault, or time that the host may have spent elsewhere
//! (3)  accepted      every activation in time
//! ```
//!
//! A client without a rate has a verdict only if it crashed (1) or its numbers are doubtful (2).

use crate::client_slot::ClientSlot;
use crate::coordinator::Mode;
use crate::outcome::{ClientStats, RateVerdict};
use veracity_measure::Verdict;

/// Share of a client's charged time that may be suspected stalls without making its verdict doubtful.
const SUSPECT_SHARE: f64 = 0.02;

/// Without real-time classes a thread may be woken this late without making the verdict doubtful [ns]: a few turns of the
/// scheduler's other threads.
const LATE_WAKEUP_NS: i64 = 10_000_000;

/// What is judged, besides the statistics.
#[derive(Clone, Copy, Debug)]
struct Judged {
    /// Period of the activations [ns]; `None` for a client without a rate.
    period_ns: Option<i64>,
    deadline_ns: i64,
    /// When its first activation was due [ns].
    first_due_ns: i64,
    simulated_ns: i64,
    real_time: bool,
}

/// Statistics of a client, with its verdict.
pub(crate) fn client_stats(slot: &ClientSlot, mode: Mode, real_time: bool, simulated_ns: i64) -> ClientStats {
    let mut stats = slot.stats.clone();
    let judged = Judged {
        period_ns: (slot.is_periodic() && mode == Mode::Consistent).then_some(slot.timing.period_ns),
        deadline_ns: slot.timing.deadline_ns,
        first_due_ns: slot.first_due_ns,
        simulated_ns,
        real_time: real_time || mode != Mode::Consistent,
    };
    stats.verdict = judge(&stats, judged);
    stats
}

fn judge(stats: &ClientStats, judged: Judged) -> Option<RateVerdict> {
    let periodic = judged.period_ns.is_some();
    let margin = (stats.activations > 0 && periodic)
        .then(|| 1.0 - stats.worst_response_ns as f64 / judged.deadline_ns.max(1) as f64);
    let verdict = |verdict, reason: String| Some(RateVerdict { verdict, reason, margin });
    let us = |ns: i64| ns as f64 * 1e-3;
    let (worst, deadline) = (us(stats.worst_response_ns), us(judged.deadline_ns));
    if let Some(how) = stats.ended.as_ref().filter(|_| periodic || stats.failed) {
        return verdict(Verdict::Rejected, how.clone());
    }
    if let Some(trouble) = stats.troubles.first() {
        return verdict(Verdict::CannotTell, trouble.finding.text.clone());
    }
    if !judged.real_time && stats.threads > 1 && stats.worst_wakeup_ns > LATE_WAKEUP_NS {
        let what = format!(
            "one of its threads was woken {:.1} ms late: without CAP_SYS_NICE the order of its threads is left to this \
             machine",
            stats.worst_wakeup_ns as f64 * 1e-6
        );
        return verdict(Verdict::CannotTell, what);
    }
    let period_ns = judged.period_ns?;
    let expected = ((judged.simulated_ns - judged.first_due_ns).max(0) + period_ns - 1) / period_ns;
    let missed = stats.misses + stats.skipped;
    let suspect = stats.suspect_misses + stats.suspect_skipped;
    if missed > suspect {
        let what = format!(
            "{missed} of {expected} activations were late or skipped; worst {worst:.1} us of {deadline:.1} us"
        );
        return verdict(Verdict::Rejected, what);
    }
    if (stats.activations + stats.skipped) as i64 + 1 < expected {
        let what = format!("only {} of {expected} activations were completed", stats.activations);
        return verdict(Verdict::Rejected, what);
    }
    if suspect > 0 {
        let what = format!(
            "{suspect} activations were late or skipped, and each contains time in which the host may have run \
             something else on the core; run it again on a quieter machine"
        );
        return verdict(Verdict::CannotTell, what);
    }
    let share = stats.suspect_ns as f64 / stats.executed_ns.max(1) as f64;
    if share > SUSPECT_SHARE {
        let what = format!(
            "{:.1} % of its charged time are suspected stalls of the host; run it again on a quieter machine",
            100.0 * share
        );
        return verdict(Verdict::CannotTell, what);
    }
    verdict(Verdict::Accepted, format!("{} activations, worst {worst:.1} us of {deadline:.1} us", stats.activations))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::TimedFinding;
    use veracity_model::{Finding, Severity};

    const AT_100_HZ: Judged = Judged {
        period_ns: Some(10_000_000),
        deadline_ns: 10_000_000,
        first_due_ns: 0,
        simulated_ns: 1_000_000_000,
        real_time: true,
    };

    fn good() -> ClientStats {
        let worst_response_ns = 2_000_000;
        ClientStats { activations: 100, executed_ns: 100_000_000, worst_response_ns, ..ClientStats::default() }
    }

    fn word(change: impl FnOnce(&mut ClientStats), judged: Judged) -> &'static str {
        let mut stats = good();
        change(&mut stats);
        judge(&stats, judged).map_or("none", |v| v.verdict.text())
    }

    #[test]
    fn every_verdict_has_its_reason() {
        let planner = Judged { period_ns: None, ..AT_100_HZ };
        let (text, subject) = ("it sleeps".to_string(), "clients/pd".to_string());
        let sleeps =
            Finding { source: None, severity: Severity::Warning, code: "blocked-in-system-call", text, subject };
        let trouble = || vec![TimedFinding { time_ns: 0, finding: sleeps.clone() }];
        let crash = |s: &mut ClientStats| (s.ended, s.failed) = (Some("signal: 6".to_string()), true);
        assert_eq!(word(|_| (), AT_100_HZ), "accepted");
        assert_eq!(word(|s| s.misses = 1, AT_100_HZ), "rejected");
        assert_eq!(word(|s| s.skipped = 1, AT_100_HZ), "rejected");
        assert_eq!(word(|s| s.activations = 90, AT_100_HZ), "rejected");
        assert_eq!(word(crash, AT_100_HZ), "rejected");
        assert_eq!(word(|s| s.troubles = trouble(), AT_100_HZ), "cannot tell");
        // Lateness that the host may have caused is not evidence, unless there is other lateness.
        assert_eq!(word(|s| (s.misses, s.suspect_misses) = (2, 2), AT_100_HZ), "cannot tell");
        assert_eq!(word(|s| (s.misses, s.suspect_misses) = (3, 2), AT_100_HZ), "rejected");
        assert_eq!(word(|s| s.suspect_ns = 1_900_000, AT_100_HZ), "accepted");
        assert_eq!(word(|s| s.suspect_ns = 2_100_000, AT_100_HZ), "cannot tell");
        // Threads without real-time classes: doubtful only if one was woken late.
        let ordinary = Judged { real_time: false, ..AT_100_HZ };
        assert_eq!(word(|s| s.threads = 2, ordinary), "accepted");
        let late = |s: &mut ClientStats| (s.threads, s.worst_wakeup_ns) = (2, 11_000_000);
        assert_eq!(word(late, ordinary), "cannot tell");
        assert_eq!(word(late, AT_100_HZ), "accepted");
        // Without a rate: only a crash or a doubt.
        assert_eq!(word(|_| (), planner), "none");
        assert_eq!(word(|s| s.ended = Some("exit status: 0".to_string()), planner), "none");
        assert_eq!(word(crash, planner), "rejected");
        assert_eq!(word(|s| s.troubles = trouble(), planner), "cannot tell");
        // A late first activation, after work before the first wait, is not missing.
        let late_start = Judged { first_due_ns: 350_000_000, ..AT_100_HZ };
        assert_eq!(word(|s| s.activations = 65, late_start), "accepted");
    }
}
