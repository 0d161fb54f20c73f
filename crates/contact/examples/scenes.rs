//! Runs the scenes used for speed measurements and prints steps per second together with penetration and slip.
//!
//! `cargo run --release -p veracity-contact --example scenes [NAME] [SOLVER] [TOLERANCE] [ITERATIONS]`
#![allow(clippy::disallowed_methods)] // It measures speed.

#[path = "../tests/support/mod.rs"]
mod support;

use std::time::{Duration, Instant};
use support::{Run, balls, block_row, pinch};
use veracity_contact::SteppingSettings;
use veracity_dynamics::ConstantEfforts;

fn main() {
    let mut args = std::env::args().skip(1);
    let only = args.next().filter(|n| n != "all");
    let mut settings = SteppingSettings::default();
    if let Some(solver) = args.next() {
        settings.solver = solver;
    }
    if let Some(tolerance) = args.next() {
        settings.tolerance = tolerance.parse().expect("a tolerance [m/s]");
    }
    if let Some(iterations) = args.next() {
        settings.iterations = iterations.parse().expect("a number of iterations");
    }
    let wanted = |name: &str| only.as_deref().is_none_or(|o| name.starts_with(o));
    if wanted("box") {
        let mut scene = support::Scene::rubbing(0.5);
        scene.ground(veracity_model::Pose::identity());
        let size = veracity_model::Vec3::repeat(0.1);
        let shape = veracity_model::Shape::Box { size };
        scene.loose(
            veracity_model::Inertia::solid_box(1.0, size),
            shape,
            veracity_model::geometry::at(0.0, 0.0, 0.05),
        );
        report("box", Run::new(&scene.world(), settings.clone()), 100_000, 1);
    }
    if wanted("pinch") {
        let (world, tau) = pinch();
        let mut run = Run::new(&world, settings.clone());
        run.efforts = Box::new(ConstantEfforts(tau));
        report("pinch", run, 10_000, 2);
    }
    if wanted("grid") {
        let world = balls(5, 0.05, 1.0, 0.5, 0.11, 0.1, 2e-3);
        report("grid", Run::new(&world, settings.clone()), 2_000, 1);
    }
    if wanted("666") {
        let world = balls(6, 0.1, 10.0, 0.0, 0.21, 0.101, 1e-3);
        report("666", Run::new(&world, settings.clone()), 10_000, 1);
    }
    for n in [1, 2, 3, 5, 8, 11] {
        if wanted(&format!("row{n}")) {
            let run = Run::new(&block_row(n, 100.0), settings.clone());
            report(&format!("row{n}"), run, 10_000, 2);
        }
    }
}

/// CPU time of this thread, where the system reports it (Linux), else time since `start`: the work of other programs
/// must not count.
fn clock(start: Instant) -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let ran = told.and_then(|text| text.split_whitespace().next()?.parse().ok());
    ran.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

/// Prints steps per second, and how far the body in `slot` has moved and turned.
fn report(name: &str, mut run: Run, steps: usize, slot: usize) {
    let before = run.motions()[slot].world_from_body;
    let epoch = Instant::now();
    let start = clock(epoch);
    let mut deepest: f64 = 0.0;
    let mut deepest_late: f64 = 0.0;
    let mut measuring = Duration::ZERO;
    let mut contacts = 0u64;
    for step in 0..steps {
        run.step(1e-3);
        contacts += u64::from(run.last.contacts);
        if step % 100 == 99 {
            let pause = clock(epoch);
            let depth = run.deepest();
            deepest = deepest.max(depth);
            if step * 10 >= steps * 8 {
                deepest_late = deepest_late.max(depth);
            }
            measuring += clock(epoch) - pause;
        }
    }
    let taken = (clock(epoch) - start - measuring).as_secs_f64();
    let after = run.motions()[slot].world_from_body;
    let slip = (after.translation.vector - before.translation.vector).norm();
    let turn = after.rotation.angle_to(&before.rotation);
    println!(
        "{name:8} {:9.0} steps/s  depth {deepest:.1e} (last fifth {deepest_late:.1e}) m  moved {slip:.1e} m {turn:.1e} rad  \
         iterations/step {:.1}  contacts {:.1}  unsolved {}  residual {:.1e}",
        steps as f64 / taken,
        run.iterations as f64 / steps as f64,
        contacts as f64 / steps as f64,
        run.unsolved,
        run.worst_residual,
    );
}
