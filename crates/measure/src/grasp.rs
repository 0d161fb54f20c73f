//! Blocks and the grippers that hold them, in a record: what the two grasp metrics have in common.

use crate::metric::{CannotTell, Measured, Options, Subject};
use crate::resting::inertia;
use crate::rows::{BodyRow, Rows, largest, need_twists, rows_that_count};
use veracity_model::{Inertia, JointKind};

/// A block, and what a metric must know of the run.
pub struct Pairing<'a> {
    /// Of the block.
    pub inertia: &'a Inertia,
    /// Of the run [s].
    pub step_s: f64,
}

/// A block and a gripper in a row and in the first one.
pub struct Relative {
    /// Now.
    pub block: BodyRow,
    /// Now.
    pub gripper: BodyRow,
    /// In the first row of the record.
    pub start_block: BodyRow,
    /// In the first row of the record.
    pub start_gripper: BodyRow,
}

/// The largest, over rows, of the sum over blocks of the mean over grippers.
pub fn largest_sum(
    subject: &Subject<'_>,
    options: &Options,
    energy: fn(&Pairing<'_>, &Relative) -> f64,
) -> Result<Measured, CannotTell> {
    need_twists(subject)?;
    let (blocks, grippers) = blocks_and_grippers(subject, options)?;
    let track = &subject.record.track;
    let step_s = subject.record.head.step_s;
    let rows = match rows_that_count(subject, options)? {
        Rows::BrokeDown(broken) => return Ok(broken),
        Rows::Some(rows) => rows,
    };
    let sum = |row: usize| {
        let mut sum = 0.0;
        for &block in &blocks {
            let pairing = Pairing { inertia: inertia(subject, block), step_s };
            for &gripper in &grippers {
                // From the very first row, also where the window begins later: that is where the grasp was right.
                let relative = Relative {
                    block: BodyRow::read(track, row, block),
                    gripper: BodyRow::read(track, row, gripper),
                    start_block: BodyRow::read(track, 0, block),
                    start_gripper: BodyRow::read(track, 0, gripper),
                };
                sum += energy(&pairing, &relative) / grippers.len() as f64;
            }
        }
        sum
    };
    let series: Vec<(f64, f64)> = rows.iter().map(|&row| (track.times[row], sum(row))).collect();
    let none = vec![0.0; series.len()];
    let last = series.last().map_or(0.0, |(_, t)| *t);
    let note = format!("{} block(s), {} gripper(s); {last:.3e} J in the last row", blocks.len(), grippers.len());
    Ok(Measured { note, ..largest(series, &none) })
}

/// Slots of the free bodies, or of the one meant, and of those on joints with one degree of freedom.
fn blocks_and_grippers(subject: &Subject<'_>, options: &Options) -> Result<(Vec<usize>, Vec<usize>), CannotTell> {
    let joints = subject.layout.joints.iter().enumerate();
    let of_kind = |wanted: fn(JointKind) -> bool| {
        joints.clone().filter(|(_, j)| wanted(j.kind)).map(|(slot, _)| slot).collect::<Vec<_>>()
    };
    let mut blocks = of_kind(|kind| kind == JointKind::Free);
    let grippers = of_kind(|kind| kind.dof_count() == 1);
    if let Some(name) = &options.of {
        blocks = match subject.layout.body(name) {
            Some(body) if blocks.contains(&body) => vec![body],
            _ => return CannotTell::new(format!("'{name}' is no free body; name a block with `of`")),
        };
    }
    if blocks.is_empty() || grippers.is_empty() {
        return CannotTell::new("a grasp needs a free body and a gripper on a joint with one degree of freedom");
    }
    Ok((blocks, grippers))
}
