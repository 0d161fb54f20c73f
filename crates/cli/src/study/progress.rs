//! Progress on a terminal: a bar with the time left; plain lines elsewhere.
#![allow(clippy::disallowed_methods)] // The progress bar.

use crate::output::complain;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use veracity_lab::conclusion::counted;
use veracity_lab::{Progress, Row};

/// Progress bar of a study.
pub struct Bar {
    bar: ProgressBar,
    threads: usize,
    terminal: bool,
    /// When the study began, and when the last plain line was printed.
    times: Mutex<(Instant, Instant)>,
}

/// Wall time left, from the CPU time left: by the pace so far (threads, references and judging included) once a second
/// of CPU time was measured, until then as if all threads were always busy.
fn wall_left_s(elapsed_s: f64, done_cpu_s: f64, left_cpu_s: f64, threads: usize) -> f64 {
    let pace = if done_cpu_s >= 1.0 { elapsed_s / done_cpu_s } else { 1.0 / threads.max(1) as f64 };
    left_cpu_s * pace
}

/// Interval of the progress lines printed without a terminal.
const PLAIN_EVERY: Duration = Duration::from_secs(10);

impl Bar {
    /// Progress bar for `threads` threads; hidden if `quiet`.
    pub fn new(threads: usize, quiet: bool) -> Self {
        let terminal = std::io::stderr().is_terminal() && !quiet;
        let target = if terminal { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(0), target);
        let style = ProgressStyle::with_template(
            "  {bar:28.cyan/dim} {pos}/{len}  {elapsed} elapsed, {prefix} left  {wide_msg:.dim}",
        );
        if let Ok(style) = style {
            bar.set_style(style.progress_chars("━━─"));
        }
        Self { bar, threads, terminal, times: Mutex::new((Instant::now(), Instant::now())) }
    }

    /// Removes the bar.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Progress for Bar {
    fn planned(&self, trials: usize, stored: usize, estimate_cpu_s: f64) {
        // One bar may be used for several studies in sequence.
        *self.times.lock().unwrap_or_else(|p| p.into_inner()) = (Instant::now(), Instant::now());
        self.bar.set_position(0);
        self.bar.set_length(trials as u64);
        self.bar.enable_steady_tick(Duration::from_millis(200));
        let wall = wall_left_s(0.0, 0.0, estimate_cpu_s, self.threads);
        self.bar.set_prefix(duration(wall));
        let found = if stored > 0 { format!(", {stored} of them stored") } else { String::new() };
        let text = format!("{}{found}, {}", counted(trials, "trial"), estimate(wall));
        if self.terminal {
            self.bar.println(format!("  {text}"));
        } else {
            complain(format!("veracity: {text}"));
        }
    }

    fn reference(&self, scenario: &str) {
        self.bar.set_message(format!("converged reference of {scenario}"));
    }

    fn boundary(&self, accepted: &Row, axis: &str) {
        let message = format!("boundary along {axis} of {} on {}", accepted.scenario, accepted.engine);
        self.bar.set_message(veracity_model::text::one_line(&message).into_owned());
    }

    fn finished(&self, row: &Row, _ran: bool) {
        let message = format!("{} on {}", row.scenario, row.engine);
        self.bar.set_message(veracity_model::text::one_line(&message).into_owned());
        self.bar.inc(1);
    }

    fn left(&self, done_cpu_s: f64, left_cpu_s: f64) {
        let mut times = self.times.lock().unwrap_or_else(|p| p.into_inner());
        let (begun, last) = &mut *times;
        let left = duration(wall_left_s(begun.elapsed().as_secs_f64(), done_cpu_s, left_cpu_s, self.threads));
        let (done, all) = (self.bar.position(), self.bar.length().unwrap_or(0));
        if !self.terminal && last.elapsed() > PLAIN_EVERY && done < all {
            *last = Instant::now();
            complain(format!("veracity: {done} of {all} trials, {left} left"));
        }
        self.bar.set_prefix(left);
    }
}

/// `about 12 s`, `under a second`.
fn estimate(seconds: f64) -> String {
    if seconds < 1.0 { duration(seconds) } else { format!("about {}", duration(seconds)) }
}

/// In a readable unit: `under a second`, `12 s`, `3 min`, `2.5 h`.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1.0 => "under a second".to_string(),
        s if s < 100.0 => format!("{s:.0} s"),
        s if s < 6000.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn durations_are_readable() {
        let shown = [0.2, 12.4, 185.0, 9000.0].map(super::duration);
        assert_eq!(shown, ["under a second", "12 s", "3 min", "2.5 h"]);
        assert_eq!([0.2, 12.4].map(super::estimate), ["under a second", "about 12 s"]);
    }

    #[test]
    fn the_pace_so_far_decides_how_long_the_rest_takes() {
        // Nothing measured: 8 s of CPU time on four threads.
        assert_eq!(super::wall_left_s(0.1, 0.0, 8.0, 4), 2.0);
        // 2 s of CPU time took 3 s: references, or a busy machine.
        assert_eq!(super::wall_left_s(3.0, 2.0, 8.0, 4), 12.0);
    }
}
