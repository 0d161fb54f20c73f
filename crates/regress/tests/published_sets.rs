//! The published training sets with the published settings: the published numbers, and the error without leakage.

mod sets;

use veracity_measure::statistics::{mean, standard_deviation};
use veracity_regress::datasets::weazelball::published;
use veracity_regress::support::{LEAST_SUPPORT, MOST_OUT_OF_REACH};
use veracity_regress::{Fitted, Fold, MODELS, Rows, Split, mean_absolute_error, support};

fn full() -> bool {
    std::env::var("VERACITY_FULL").is_ok()
}

/// Error in per cent of one offset on some rows.
fn error(fitted: &Fitted, rows: &Rows, which: &[u32]) -> f64 {
    let y = rows.target(0);
    let truth: Vec<f64> = which.iter().map(|k| y[*k as usize]).collect();
    100.0 * mean_absolute_error(&fitted.predict(0, rows, which), &truth) / sets::STEP
}

fn fit(rows: &Rows, fold: &Fold) -> Fitted {
    Fitted::new(rows, &fold.train, &(MODELS[0].usual)(), &mut |_, _, _| ())
}

struct Bounds {
    engine: &'static str,
    train: std::ops::RangeInclusive<f64>,
    held_out: std::ops::RangeInclusive<f64>,
    tail: std::ops::RangeInclusive<f64>,
}

const PUBLISHED: [Bounds; 2] = [
    Bounds { engine: "ode", train: 4.33..=4.53, held_out: 6.3..=7.5, tail: 163.0..=169.0 },
    Bounds { engine: "dart", train: 4.3..=5.0, held_out: 16.0..=18.0, tail: 98.0..=104.0 },
];

#[test]
fn the_printed_errors_are_those_of_neighbours() {
    for bounds in PUBLISHED {
        let mut rows = sets::training(bounds.engine);
        if !full() {
            // Every run's first 5 s: in shortened form only the leakage is shown, not the published numbers.
            rows = first_rows(&rows, 500);
        }
        let seeds = if full() { 10 } else { 1 };
        let (mut train, mut held_out) = (Vec::new(), Vec::new());
        let mut gap: f64 = 0.0;
        for seed in 0..seeds {
            let fold = Split::Shuffled { share: 0.1, seed }.folds(&rows).remove(0);
            let fitted = fit(&rows, &fold);
            gap = gap.max(fitted.account(0).unwrap().gap);
            train.push(error(&fitted, &rows, &fold.train));
            held_out.push(error(&fitted, &rows, &fold.test));
        }
        let later = Split::Tail { share: 0.1 }.folds(&rows).remove(0);
        let tail = error(&fit(&rows, &later), &rows, &later.test);
        println!(
            "ACCEPT svr-published-{}: training {:.2} % (deviation {:.2}), shuffled held out {:.2} % ({:.2}), last tenth in \
             time {tail:.1} %, {} and {} rows, {seeds} splits, largest gap {gap:.2e} m",
            bounds.engine,
            mean(&train),
            if seeds > 1 { standard_deviation(&train) } else { 0.0 },
            mean(&held_out),
            if seeds > 1 { standard_deviation(&held_out) } else { 0.0 },
            later.train.len(),
            later.test.len(),
        );
        assert!(gap < 1e-3);
        // The error of a shuffled split is a tenth of the map's error a moment later: leakage.
        assert!(tail > 2.0 * mean(&held_out), "{tail} {held_out:?}");
        if full() {
            assert!(bounds.train.contains(&mean(&train)), "{}: training {train:?}", bounds.engine);
            assert!(bounds.held_out.contains(&mean(&held_out)), "{}: held out {held_out:?}", bounds.engine);
            assert!(bounds.tail.contains(&tail), "{}: tail {tail}", bounds.engine);
        }
    }
}

#[test]
fn recorded_rows_are_out_of_reach_and_said_to_be() {
    let Some(folder) = sets::data() else { return };
    let recorded = published::recorded(&folder.join("svr/testset-01-06.tar.gz"), &[1, 2, 3, 4, 5, 6]).unwrap();
    let every = if full() { 1 } else { 20 };
    let which: Vec<u32> = (0..recorded.len() as u32).step_by(every).collect();
    // 1e-8 and 0.25 are for all ten sessions; the six available lie a little nearer.
    for (engine, median) in [("ode", 1e-9..=1e-7), ("dart", 0.2..=0.35)] {
        let rows = sets::training(engine);
        let fold = Split::Shuffled { share: 0.1, seed: 0 }.folds(&rows).remove(0);
        // Support depends on the rows alone: any map will do.
        let fitted = Fitted::new(&rows, &fold.train, &(MODELS[2].usual)(), &mut |_, _, _| ());
        let found = support(&fitted, 0.1, (&rows, &fold.train), &recorded, &which);
        let worst = &found.strangers[0];
        // Held-out rows of the set itself are within reach by the same threshold.
        let held: Vec<u32> = fold.test.iter().copied().step_by(10).collect();
        let own = support(&fitted, 0.1, (&rows, &fold.train), &rows, &held);
        println!(
            "ACCEPT svr-support-{engine}: median largest kernel value {:.1e}, {:.1} % of {} recorded rows below {LEAST_SUPPORT:.3} \
             (of its own rows, held out: median {:.3}, {:.1} %); farthest column {} ({:.1} deviations; {})",
            found.median,
            100.0 * found.out_of_reach,
            which.len(),
            own.median,
            100.0 * own.out_of_reach,
            worst.column,
            worst.median_deviations,
            worst.hint
        );
        assert!(median.contains(&found.median), "{engine}: {}", found.median);
        assert!(found.out_of_reach > MOST_OUT_OF_REACH);
        // The published sets' own rows have medians of 0.99 and 0.94; the start of a run, from rest, has few
        // neighbours.
        assert!(own.median > 0.9, "{engine}: {}", own.median);
        assert!(own.out_of_reach < MOST_OUT_OF_REACH, "{engine}: {}", own.out_of_reach);
    }
}

fn first_rows(rows: &Rows, count: usize) -> Rows {
    let mut out = Rows::new(rows.names.clone());
    for run in &rows.runs {
        let first = run.rows.start * rows.width();
        out.push(&run.name, &run.targets, &rows.values[first..first + count * rows.width()]);
    }
    out
}
