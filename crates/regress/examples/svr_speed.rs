//! Times our support vector regression: one side of `cargo xtask bench regress`.
//!
//! ```text
//! svr_speed ROWS TOLERANCE CACHE_MIB THREADS [TABLE]
//! ```
//!
//! ROWS is a number or the archive of the published ODE set, of which nine tenths are used. Fits synthetic rows of the
//! published shape (30 features, nine values of the target) with the published settings, and writes them, scaled, to
//! TABLE as 64-bit numbers, the target last in each row, for the other side. Prints one line of JSON: wall time of the
//! fit in seconds, the final gap, steps, supports, the training error in per cent of one offset, and the program's peak
//! memory.
#![allow(clippy::disallowed_methods)] // It measures speed.

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;
use veracity_regress::datasets::weazelball::published::{OFFSET_STEP_M, training};
use veracity_regress::datasets::weazelball::wandering::wandering;
use veracity_regress::svr::{Points, Settings, Svr};
use veracity_regress::{Split, mean_absolute_error, scaling::Scaling};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("svr_speed: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let [count, tolerance, cache, threads, table @ ..] = arguments else {
        return Err("usage: svr_speed ROWS TOLERANCE CACHE_MIB THREADS [TABLE]".into());
    };
    let settings =
        Settings { tolerance: tolerance.parse()?, cache_bytes: cache.parse::<usize>()? << 20, ..Settings::default() };
    // In random order, as after a shuffled split: all rows but those held out.
    let (rows, share) = match count.parse::<usize>() {
        Ok(count) => {
            let rows = wandering(count.div_ceil(9) + 1, 5);
            let share = 1.0 - count as f64 / rows.len() as f64;
            (rows, share)
        }
        Err(_) => (training(Path::new(count), "ode")?, 0.1),
    };
    let which: Vec<u32> = Split::Shuffled { share, seed: 0 }.folds(&rows).remove(0).train;
    let all = rows.target(0);
    let y: Vec<f64> = which.iter().map(|k| all[*k as usize]).collect();
    let (width, scaled) = (rows.width(), Scaling::of(&rows, &which).apply(&rows, &which));
    drop(rows);
    if let [table] = table {
        let numbers = scaled.chunks_exact(width).zip(&y).flat_map(|(row, y)| row.iter().chain([y]));
        std::fs::write(table, numbers.flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>())?;
    }
    let points = Points::new(which.len(), width, |k| &scaled[k * width..(k + 1) * width]);
    drop(scaled);

    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.parse()?).build()?;
    let begun = Instant::now();
    let svr = pool.install(|| Svr::fit(&points, &y, &settings, &mut |_, _| ()));
    let wall_s = begun.elapsed().as_secs_f64();
    let found = pool.install(|| svr.predict(&points));
    let error_percent = 100.0 * mean_absolute_error(&found, &y) / OFFSET_STEP_M;
    let account = svr.account;
    println!(
        "{{\"rows\": {}, \"wall_s\": {wall_s}, \"gap\": {}, \"steps\": {}, \"supports\": {}, \"error_percent\": {error_percent}, \
         \"rows_found\": {}, \"rows_made\": {}, \"peak_mib\": {}}}",
        points.len(),
        account.gap,
        account.steps,
        account.supports,
        account.rows_found,
        account.rows_made,
        peak_mib()?
    );
    Ok(())
}

/// Peak memory of this process.
fn peak_mib() -> Result<f64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).ok_or("no VmHWM in /proc/self/status")?;
    let kib: f64 = line.split_whitespace().nth(1).ok_or("VmHWM has no number")?.parse()?;
    Ok(kib / 1024.0)
}
