//! A trace in the terminal: the answer first, then the evidence.

use super::EngineTrace;
use crate::output::Output;
use std::io::Write;
use veracity_measure::Verdict;
use veracity_measure::statistics::Interval;
use veracity_trace::TraceSetup;

/// Behaviours and margins shown of each engine.
const SHOWN: usize = 8;

/// The answer in one line.
pub fn answer(setup: &TraceSetup, traces: &[EngineTrace]) -> String {
    let Some(first) = traces.first() else { return "no engine".to_string() };
    let analysis = &first.analysis;
    let worst =
        traces.iter().flat_map(|t| t.analysis.gates.iter().map(move |g| (t, g))).max_by_key(|(_, g)| g.verdict);
    if let Some((trace, gate)) = worst {
        let (limit, seen) = (percent(gate.at_most), interval(&gate.probability));
        let needed = match gate.particles_needed {
            Some(n) => format!("; about {n} particles would decide it"),
            None => String::new(),
        };
        return format!(
            "{}: '{}' on {} has a probability of {seen}, allowed {limit}{needed}",
            gate.verdict, gate.outcome, trace.engine
        );
    }
    let mut text = match &analysis.outcomes[..] {
        [] => "cannot tell: no particle has an outcome".to_string(),
        [only] => format!(
            "every one of {} particles: '{}', at least {}",
            only.count,
            only.name,
            percent(only.probability.low)
        ),
        many => {
            let shares: Vec<String> =
                many.iter().map(|o| format!("'{}' {}", o.name, interval(&o.probability))).collect();
            shares.join(", ")
        }
    };
    if let Some(split) = analysis.splits.iter().find(|s| s.lasting && s.tolerances == 3) {
        text += &format!("; behaviour splits after {:.3} s", split.after_s);
    }
    if let Some(cause) = first.confirmed.iter().max_by_key(|s| s.changed).filter(|s| s.share.low > 0.0) {
        text += &format!("; {} decides", cause.feature);
    } else if let Some(ranked) = analysis.ranking.first().filter(|r| r.chance <= 0.05) {
        text += &format!("; {} separates best", ranked.feature);
    }
    if setup.particles < 20 {
        text += " (few particles: wide intervals)";
    }
    text
}

/// Outcomes that one engine shows and another does not.
pub fn differences(traces: &[EngineTrace]) -> Vec<String> {
    let mut out = Vec::new();
    for seen in traces {
        for outcome in &seen.analysis.outcomes {
            for other in traces.iter().filter(|t| t.engine != seen.engine) {
                let count = other.analysis.outcomes.iter().find(|o| o.name == outcome.name).map_or(0, |o| o.count);
                if count == 0 && other.analysis.decided > 0 {
                    out.push(format!(
                        "{} never shows '{}', which {} of {} particles have on {}: for example particle {}",
                        other.engine,
                        outcome.name,
                        outcome.count,
                        seen.analysis.decided,
                        seen.engine,
                        outcome.example
                    ));
                }
            }
        }
    }
    out
}

pub fn print(
    out: &mut Output,
    setup: &TraceSetup,
    traces: &[EngineTrace],
    answer: &str,
    differences: &[String],
) -> std::io::Result<()> {
    let paint = out.paint();
    let gates = traces.iter().flat_map(|t| &t.analysis.gates).map(|g| g.verdict).max();
    let shown = match gates {
        Some(Verdict::Accepted) => paint.good(answer),
        Some(Verdict::Rejected) => paint.bad(answer),
        Some(Verdict::CannotTell) => paint.doubtful(answer),
        None => paint.strong(answer),
    };
    writeln!(out, "{shown}")?;
    for difference in differences {
        writeln!(out, "{} {difference}", paint.doubtful("engines differ:"))?;
    }
    writeln!(out, "\n{}", paint.strong(&setup.title))?;
    for trace in traces {
        engine(out, trace)?;
    }
    Ok(())
}

fn engine(out: &mut Output, trace: &EngineTrace) -> std::io::Result<()> {
    let paint = out.paint();
    let analysis = &trace.analysis;
    let nominal =
        if trace.nominal.is_empty() { "has no outcome".to_string() } else { format!("'{}'", trace.nominal) };
    writeln!(
        out,
        "\n{}: {} particles decided, nominal particle {nominal}, {:.1} CPU-seconds",
        paint.strong(&trace.engine),
        analysis.decided,
        trace.cpu_s
    )?;
    for (count, why) in &analysis.undecided {
        writeln!(out, "  {} {count}: {}", paint.doubtful("undecided"), veracity_model::text::one_line(why))?;
    }
    for outcome in &analysis.outcomes {
        writeln!(
            out,
            "  {:>6}  {:<24} {}   e.g. particle {}",
            outcome.count,
            outcome.name,
            interval(&outcome.probability),
            outcome.example
        )?;
    }
    for gate in &analysis.gates {
        let verdict = match gate.verdict {
            Verdict::Accepted => paint.good("accepted"),
            Verdict::Rejected => paint.bad("rejected"),
            Verdict::CannotTell => paint.doubtful("cannot tell"),
        };
        let (seen, limit) = (interval(&gate.probability), percent(gate.at_most));
        writeln!(out, "  gate '{}': {verdict}: {seen}, allowed {limit}", gate.outcome)?;
    }
    splits(out, trace)?;
    let unseen = &analysis.unseen;
    writeln!(
        out,
        "  {} behaviours seen, effectively {:.1}; a new one in the next particle with probability {}, at most {}",
        unseen.behaviours,
        unseen.effective,
        percent(unseen.unseen),
        percent(unseen.unseen_at_most)
    )?;
    for behaviour in analysis.behaviours.iter().take(SHOWN) {
        let sequence = veracity_model::text::one_line(&behaviour.sequence.join(" > ")).into_owned();
        writeln!(out, "  {:>6}  {sequence}", behaviour.count)?;
    }
    if analysis.behaviours.len() > SHOWN {
        writeln!(out, "  {}", paint.quiet(format!("… and {} more (--json)", analysis.behaviours.len() - SHOWN)))?;
    }
    for (name, [least, median, most]) in &analysis.scalars {
        writeln!(out, "  {name}: {least:.4} … {median:.4} … {most:.4}")?;
    }
    margins(out, trace)?;
    if let Some(found) = &trace.splitting {
        writeln!(
            out,
            "  margin reaches zero with probability {:.2e} ({:.1e} to {:.1e}; splitting, {} trials; plain sampling would need {:.1e})",
            found.probability, found.low, found.high, found.trials, found.plain_trials
        )?;
        for warning in &found.warnings {
            writeln!(out, "    {} {warning}", paint.doubtful("warning:"))?;
        }
    }
    for (path, share) in trace.variance_shares.iter().flatten() {
        let (alone, total) = (interval(&share.alone), interval(&share.total));
        writeln!(out, "  variance of the margin from {path}: alone {alone}, with others {total}")?;
    }
    detections(out, trace)?;
    causes(out, trace)?;
    writeln!(out, "  digest of all records: {}", trace.digest)
}

fn splits(out: &mut Output, trace: &EngineTrace) -> std::io::Result<()> {
    let paint = out.paint();
    if trace.analysis.splits.is_empty() && trace.analysis.decided > 0 {
        writeln!(out, "  no split: every particle has the same events")?;
    }
    for split in trace.analysis.splits.iter().take(SHOWN) {
        let kind = match (split.tolerances, split.lasting) {
            (3, true) => paint.bad("split"),
            (3, false) => paint.quiet("re-joins"),
            _ => paint.quiet("depends on event tolerances"),
        };
        let ways: Vec<String> =
            split.branches.iter().map(|b| format!("{} ({} of it)", b.next, interval(&b.probability))).collect();
        writeln!(
            out,
            "  {kind} after {:.3} s: {}",
            split.after_s,
            veracity_model::text::one_line(&ways.join(" | "))
        )?;
    }
    Ok(())
}

fn margins(out: &mut Output, trace: &EngineTrace) -> std::io::Result<()> {
    for margin in trace.analysis.margins.iter().take(SHOWN) {
        let range = format!("{:.3e} … {:.3e} … {:.3e} {}", margin.least, margin.median, margin.most, margin.unit);
        let estimate = match &margin.form {
            Some(form) => format!(
                "; below zero with probability {:.2e} ({:.1e} to {:.1e}, linear extrapolation)",
                form.probability, form.low, form.high
            ),
            None => format!("; no extrapolation: {}", margin.why_not),
        };
        writeln!(out, "  {}: {range}, {} of {} below zero{estimate}", margin.name, margin.below, margin.of)?;
    }
    Ok(())
}

fn detections(out: &mut Output, trace: &EngineTrace) -> std::io::Result<()> {
    let paint = out.paint();
    for found in &trace.analysis.detections {
        let name = if found.alarm { paint.bad(found.detector) } else { paint.quiet(found.detector) };
        writeln!(out, "  {name}: {}", veracity_model::text::one_line(&found.finding))?;
    }
    Ok(())
}

fn causes(out: &mut Output, trace: &EngineTrace) -> std::io::Result<()> {
    let analysis = &trace.analysis;
    if analysis.ranked_outcome.is_empty() {
        return Ok(());
    }
    writeln!(out, "  what separates '{}' from the rest:", analysis.ranked_outcome)?;
    for ranked in analysis.ranking.iter().take(5) {
        let sure = if ranked.chance <= 0.05 { "" } else { ", not significant" };
        let (low, high) = (ranked.interval.low, ranked.interval.high);
        let chance = ranked.chance;
        writeln!(
            out,
            "    {:.3} ({low:.3} to {high:.3})  {} (by chance {chance:.1e}{sure})",
            ranked.auc, ranked.feature
        )?;
    }
    for effect in analysis.margin_effects.iter().take(3).filter(|e| e.chance <= 0.05) {
        let Interval { estimate, low, high, .. } = effect.effect;
        writeln!(
            out,
            "    margin changes by {estimate:.3e} ({low:.2e} to {high:.2e}) per standard deviation of {}",
            effect.feature
        )?;
    }
    for swapped in &trace.confirmed {
        writeln!(
            out,
            "    swapping only {} changes the outcome in {} of {} pairs",
            swapped.feature, swapped.changed, swapped.pairs
        )?;
        if let Some(t) = &swapped.threshold {
            writeln!(
                out,
                "      particle {} changes from '{}' to '{}' at {:.9e} ± {:.1e}",
                t.particle, t.below, t.above, t.value, t.error
            )?;
        }
    }
    Ok(())
}

fn percent(p: f64) -> String {
    format!("{:.3}", 100.0 * p).trim_end_matches('0').trim_end_matches('.').to_string() + " %"
}

fn interval(p: &Interval) -> String {
    format!("{:.1} % ({:.1} to {:.1} %)", 100.0 * p.estimate, 100.0 * p.low, 100.0 * p.high)
}
