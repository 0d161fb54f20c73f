//! A tempo run for the terminal.

use crate::output::Output;
use std::io::Write;
use veracity_measure::Verdict;
use veracity_tempo::outcome::{TimedFinding, rate_question};
use veracity_tempo::{Channels, Run};

/// What programs may observe and command.
pub fn channels(channels: &Channels, out: &mut Output) -> std::io::Result<()> {
    let paint = out.paint();
    for (title, list) in [("observations", &channels.observations), ("commands", &channels.commands)] {
        writeln!(out, "{}", paint.strong(title))?;
        let width = list.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        for (name, unit) in list {
            writeln!(out, "  {name:<width$}  {unit}")?;
        }
    }
    Ok(())
}

pub fn print(run: &Run, mode: &str, out: &mut Output) -> std::io::Result<()> {
    let paint = out.paint();
    let (summary, us) = (&run.summary, |ns: i64| ns as f64 * 1e-3);
    let seconds = summary.simulated_ns as f64 * 1e-9;
    // Every setting of the engine is in the JSON and in the record.
    let engine = run.head.engine.split(':').next().unwrap_or_default();
    writeln!(out, "{}: {seconds} s on {engine}, {mode}", paint.strong(&run.head.scenario))?;
    for client in &summary.clients {
        let (computed, waited) = (client.executed_ns as f64 * 1e-9, client.waited_ns as f64 * 1e-9);
        writeln!(out, "  {}: computed {computed:.4} s, waited {waited:.4} s", paint.strong(&client.name))?;
        if client.activations > 0 {
            writeln!(
                out,
                "    {} activations, {} late, {} skipped, {} over budget; mean response {:.1} us, worst {:.1} us, jitter {:.1} us",
                client.activations,
                client.misses,
                client.skipped,
                client.overruns,
                us(client.total_response_ns) / client.activations as f64,
                us(client.worst_response_ns),
                us(client.worst_jitter_ns)
            )?;
        }
        for TimedFinding { time_ns, finding } in client.troubles.iter().chain(&client.notes) {
            let kind = paint.doubtful(format!("{}[{}]", finding.severity, finding.code));
            writeln!(out, "    {kind} at {:.6} s: {}", *time_ns as f64 * 1e-9, finding.text)?;
        }
        if let Some(verdict) = &client.verdict {
            let word = match verdict.verdict {
                Verdict::Accepted => paint.good(verdict.verdict.text()),
                Verdict::Rejected => paint.bad(verdict.verdict.text()),
                Verdict::CannotTell => paint.doubtful(verdict.verdict.text()),
            };
            let margin = verdict.margin.map(|m| format!(", margin {:.1} %", 100.0 * m)).unwrap_or_default();
            let asked = rate_question(summary.cpu_scale);
            writeln!(out, "    {asked}: {word}: {}{margin}", verdict.reason)?;
        }
    }
    if mode != "replay" {
        let delta = &summary.delta;
        writeln!(
            out,
            "  Delta - h: p50 {:.1} us, p99 {:.1} us, at most {:.1} us (h = {:.1} us); {} suspected stalls",
            us(delta.quantile(0.5)),
            us(delta.quantile(0.99)),
            us(delta.max()),
            us(delta.step_ns),
            summary.stalls.len()
        )?;
    }
    let cost = &summary.cost;
    writeln!(
        out,
        "  coordination {:.3} % of simulated time ({:.4} s of CPU); dynamics {:.4} s, clients {:.4} s, wall {:.4} s",
        100.0 * cost.coordinator_cpu_s / seconds.max(1e-9),
        cost.coordinator_cpu_s,
        cost.dynamics_cpu_s,
        cost.clients_cpu_s,
        cost.wall_s
    )?;
    for note in &summary.notes {
        writeln!(out, "  {note}")?;
    }
    writeln!(out, "  digest {}", run.record.digest())
}
