//! A cycle for the terminal.

use crate::output::Output;
use std::io::Write;
use veracity_cycle::judgement::Judgement;
use veracity_cycle::{CycleAnalysis, Stability, Walker};
use veracity_model::Layout;
use veracity_scenario::Scenario;

pub fn print(
    scenario: &Scenario,
    walker: &Walker,
    outcome: &CycleAnalysis,
    continuation_steps: Option<usize>,
    judgement: Option<&Judgement>,
    out: &mut Output,
) -> std::io::Result<()> {
    let paint = out.paint();
    let stability = outcome.stability();
    let word = match stability {
        Stability::Stable => paint.good(stability.word()),
        Stability::Unstable | Stability::NoCycle => paint.bad(stability.word()),
        Stability::CannotTell => paint.doubtful(stability.word()),
    };
    writeln!(out, "{}: {word}", paint.strong(&scenario.name))?;
    if let Some(why) = walker.doubled() {
        writeln!(out, "  the two legs are not equal, so a stride is two steps: {why}")?;
    }
    if let Some(steps) = continuation_steps {
        let plural = if steps == 1 { "" } else { "s" };
        writeln!(out, "  followed from the cycle of the scenario as written in {steps} step{plural}")?;
    }
    match outcome {
        CycleAnalysis::NoCycle(why) => writeln!(out, "  {why}")?,
        CycleAnalysis::Cycle(cycle) => {
            let period = cycle.period_s;
            writeln!(out, "  period {:.12} ± {:.1e} s", period.value, period.error)?;
            writeln!(out, "  P(x) - x is {:.1e} after {} Newton steps", cycle.residual, cycle.iterations)?;
            let events: Vec<String> =
                cycle.events.iter().map(|e| format!("{} at {:.6} s", e.what, e.time_s)).collect();
            writeln!(out, "  in a stride: {}", events.join(", "))?;
            let renamed = if walker.strikes() == 1 { ", legs renamed" } else { "" };
            writeln!(out, "\n  fixed point, just after the strike{renamed}")?;
            fixed_point(scenario, walker, &cycle.state, &cycle.state_error, out)?;
            writeln!(out, "\n  Floquet multipliers of a stride")?;
            for m in &cycle.multipliers {
                let (value, size) = (m.value, m.modulus());
                writeln!(
                    out,
                    "    {:>14.10} {:>+14.10} i   modulus {size:.10} ± {:.1e}",
                    value.re, value.im, m.error
                )?;
            }
            if let Some(saltation) = &cycle.saltation {
                writeln!(
                    out,
                    "    by saltation matrices within {:.1e} of these; along the motion 1 to {:.1e}",
                    saltation.distance, saltation.flow_defect
                )?;
            }
        }
    }
    let Some(judgement) = judgement else { return Ok(()) };
    writeln!(out, "\n  expected: {}", judgement.expected.word())?;
    for held in &judgement.held {
        let says = if held.is_good() { paint.good("within") } else { paint.bad("beyond") };
        writeln!(out, "    {}: off by {:.1e}, {says} {:.0e}", held.what, held.distance, held.bound)?;
    }
    let verdict = if judgement.is_good() { paint.good("as expected") } else { paint.bad("not as expected") };
    writeln!(out, "  {verdict}")
}

/// Joint by joint: positions, velocities, and the largest error of each.
fn fixed_point(
    scenario: &Scenario,
    walker: &Walker,
    state: &[f64],
    error: &[f64],
    out: &mut Output,
) -> std::io::Result<()> {
    let layout = Layout::new(&scenario.world);
    let (q, v) = (walker.positions(state), walker.velocities(state));
    let most = |errors: &[f64]| errors.iter().fold(0.0, |m: f64, x| m.max(*x));
    let row = |numbers: &[f64]| numbers.iter().map(|x| format!("{x:.15}")).collect::<Vec<_>>().join(" ");
    for joint in layout.joints.iter().filter(|j| j.kind.dof_count() > 0) {
        let (nq, nv) = (joint.kind.position_count(), joint.kind.dof_count());
        let of_q = most(&error[joint.v..joint.v + nv]);
        let of_v = most(&error[layout.dof_count() + joint.v..layout.dof_count() + joint.v + nv]);
        writeln!(out, "    {}  q {} ± {of_q:.1e}", joint.name, row(&q[joint.q..joint.q + nq]))?;
        writeln!(out, "    {}  v {} ± {of_v:.1e}", joint.name, row(&v[joint.v..joint.v + nv]))?;
    }
    Ok(())
}
