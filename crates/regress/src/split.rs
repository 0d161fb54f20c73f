//! Splits of rows into training and held-out rows.
//!
//! Rows of one trajectory 10 ms apart are nearly identical. If they are held out at random, their neighbours are in the
//! training set, and the error on them measures how well the map interpolates between samples of one motion, not how
//! well it generalises to another: that is leakage. [`SPLITS`] also has splits without leakage.

use crate::rows::Rows;
use serde::{Deserialize, Serialize};
use veracity_engine::random::{Purpose, Stream};

/// A method of holding rows out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Split {
    /// A share of the rows at random, the same share of every value of the targets. Leaks between neighbours.
    Shuffled {
        /// Share held out.
        share: f64,
        /// Seed of the selection.
        seed: u64,
    },
    /// The last part of every run.
    Tail {
        /// Share held out.
        share: f64,
    },
    /// Every run in blocks of time; each block is held out once, and `gap` rows on each side of it are left out.
    Blocks {
        /// Blocks of a run.
        blocks: usize,
        /// Rows left out on each side of a block.
        gap: usize,
    },
    /// Every run is held out once.
    Runs,
    /// One run of every value of the targets is held out in turn; the number of folds is that of the value with the
    /// fewest runs.
    Rounds,
}

/// A kind of split, for help and pages.
pub struct SplitKind {
    /// Name in files.
    pub name: &'static str,
    /// Whether held-out rows have neighbours in the training set.
    pub leaks: bool,
    /// Description.
    pub about: &'static str,
}

/// Every kind.
pub const SPLITS: &[SplitKind] = &[
    SplitKind {
        name: "shuffled",
        leaks: true,
        about: "rows at random, as published; neighbours in time are on both sides of the split",
    },
    SplitKind { name: "tail", leaks: false, about: "the last part of every run: the same runs, later" },
    SplitKind { name: "blocks", leaks: false, about: "blocks of time in turn, with a gap on each side" },
    SplitKind { name: "runs", leaks: false, about: "whole runs in turn: another motion of the same machine" },
    SplitKind {
        name: "rounds",
        leaks: false,
        about: "one run of every value in turn: other motions of the same machines, few fits",
    },
];

/// Training rows and held-out rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Fold {
    /// Training rows.
    pub train: Vec<u32>,
    /// Held-out rows.
    pub test: Vec<u32>,
}

impl Split {
    /// Its entry in [`SPLITS`].
    pub fn kind(&self) -> &'static SplitKind {
        let at = match self {
            Split::Shuffled { .. } => 0,
            Split::Tail { .. } => 1,
            Split::Blocks { .. } => 2,
            Split::Runs => 3,
            Split::Rounds => 4,
        };
        &SPLITS[at]
    }

    /// The folds of a table.
    pub fn folds(&self, rows: &Rows) -> Vec<Fold> {
        match *self {
            Split::Shuffled { share, seed } => vec![shuffled(rows, share, seed)],
            Split::Tail { share } => {
                let tail = |run: &crate::rows::RunRows| (run.rows.len() as f64 * share).round() as usize;
                let of = |held: bool| {
                    rows.runs.iter().flat_map(move |run| {
                        let cut = run.rows.end - tail(run);
                        if held { cut..run.rows.end } else { run.rows.start..cut }
                    })
                };
                vec![Fold {
                    train: of(false).map(|k| k as u32).collect(),
                    test: of(true).map(|k| k as u32).collect(),
                }]
            }
            Split::Blocks { blocks, gap } => (0..blocks).map(|block| time_block(rows, block, blocks, gap)).collect(),
            Split::Rounds => {
                // The index of a run among those of its value.
                let before = |k: usize| rows.runs[..k].iter().filter(|r| r.targets == rows.runs[k].targets).count();
                let number: Vec<usize> = (0..rows.runs.len()).map(before).collect();
                let of_value = |k: usize| rows.runs.iter().filter(|r| r.targets == rows.runs[k].targets).count();
                let rounds = (0..rows.runs.len()).map(of_value).min().unwrap_or(0);
                let run_of = rows.run_of_row();
                (0..rounds)
                    .map(|round| {
                        let is = |k: &u32| number[run_of[*k as usize] as usize] % rounds == round;
                        let (test, train) = (0..rows.len() as u32).partition(is);
                        Fold { train, test }
                    })
                    .collect()
            }
            Split::Runs => {
                let run_of = rows.run_of_row();
                let is = |k: u32, held: usize| run_of[k as usize] as usize == held;
                (0..rows.runs.len())
                    .map(|held| {
                        let (test, train) = (0..rows.len() as u32).partition(|k| is(*k, held));
                        Fold { train, test }
                    })
                    .collect()
            }
        }
    }
}

/// Shuffles items in an order that depends only on the stream and the tick.
pub fn shuffle(items: &mut [u32], stream: &Stream, tick: u64) {
    let mut keyed: Vec<([u32; 4], u32)> =
        items.iter().map(|item| (stream.bits(tick + (u64::from(*item) >> 20), item & 0xF_FFFF), *item)).collect();
    keyed.sort_unstable();
    items.iter_mut().zip(keyed).for_each(|(item, (_, new))| *item = new);
}

fn shuffled(rows: &Rows, share: f64, seed: u64) -> Fold {
    // One class for every distinct value of the targets, in order of appearance.
    let mut classes: Vec<(&[f64], Vec<u32>)> = Vec::new();
    for run in &rows.runs {
        let numbers = run.rows.clone().map(|k| k as u32);
        match classes.iter_mut().find(|(targets, _)| *targets == run.targets) {
            Some((_, rows)) => rows.extend(numbers),
            None => classes.push((&run.targets, numbers.collect())),
        }
    }
    let stream = Stream::new(seed, 0, 0, Purpose::Sampling);
    let (mut train, mut test) = (Vec::new(), Vec::new());
    // The number held out up to a class is the share of all rows up to it: classes differ by at most one row.
    let (mut seen, mut held) = (0, 0);
    for (_, mut class) in classes {
        shuffle(&mut class, &stream, 0);
        seen += class.len();
        let take = (seen as f64 * share).ceil() as usize - held;
        held += take;
        test.extend(&class[..take]);
        train.extend(&class[take..]);
    }
    // Another tick; otherwise the order within a class would be the one it was cut by.
    shuffle(&mut train, &stream, 1 << 20);
    test.sort_unstable();
    Fold { train, test }
}

fn time_block(rows: &Rows, block: usize, blocks: usize, gap: usize) -> Fold {
    let (mut train, mut test) = (Vec::new(), Vec::new());
    for run in &rows.runs {
        let cut = |b: usize| run.rows.start + run.rows.len() * b / blocks;
        let (first, last) = (cut(block), cut(block + 1));
        test.extend((first..last).map(|k| k as u32));
        let near = first.saturating_sub(gap)..last + gap;
        train.extend(run.rows.clone().filter(|k| !near.contains(k)).map(|k| k as u32));
    }
    Fold { train, test }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Rows {
        let mut rows = Rows::new(vec!["x".into()]);
        for (k, n) in [(0, 101), (1, 99), (2, 100)] {
            rows.push(&format!("run {k}"), &[f64::from(k)], &(0..n).map(f64::from).collect::<Vec<_>>());
        }
        rows
    }

    #[test]
    fn every_row_is_on_one_side_and_gaps_on_none() {
        let rows = rows();
        let all = [
            (Split::Shuffled { share: 0.1, seed: 3 }, 0),
            (Split::Tail { share: 0.1 }, 0),
            (Split::Runs, 0),
            (Split::Rounds, 0),
            (Split::Blocks { blocks: 5, gap: 4 }, 4),
        ];
        for (split, gap) in all {
            let folds = split.folds(&rows);
            for fold in &folds {
                let mut seen = vec![0; rows.len()];
                fold.train.iter().chain(&fold.test).for_each(|k| seen[*k as usize] += 1);
                assert!(seen.iter().all(|n| *n <= 1), "{split:?}");
                let missing = seen.iter().filter(|n| **n == 0).count();
                assert!(missing <= 2 * gap * rows.runs.len() && (gap > 0) == (missing > 0), "{split:?}: {missing}");
                // Without leakage, held-out rows keep their distance, or are of another run, or later.
                if gap > 0 {
                    let near = fold.test.iter().any(|t| {
                        fold.train.iter().any(|k| {
                            k.abs_diff(*t) <= gap as u32
                                && rows.run_of_row()[*k as usize] == rows.run_of_row()[*t as usize]
                        })
                    });
                    assert!(!near);
                }
            }
            if folds.len() > 1 {
                assert_eq!(folds.iter().map(|f| f.test.len()).sum::<usize>(), rows.len());
            }
        }
    }

    #[test]
    fn a_shuffled_split_takes_the_share_of_every_value_and_follows_its_seed() {
        let rows = rows();
        let fold = |seed| Split::Shuffled { share: 0.1, seed }.folds(&rows).remove(0);
        let y = rows.target(0);
        for value in 0..3 {
            let n = fold(0).test.iter().filter(|k| y[**k as usize] == f64::from(value)).count();
            assert!((9..=11).contains(&n), "{n}");
        }
        assert_eq!(fold(0).test.len(), 30);
        assert_eq!(fold(0), fold(0));
        assert_ne!(fold(0), fold(1));
        assert_ne!(
            fold(0).train[..20],
            {
                let mut t = fold(0).train;
                t.sort_unstable();
                t
            }[..20]
        );
    }
}
