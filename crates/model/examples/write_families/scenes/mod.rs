//! Scenes with contact: one file each; its head comment states which sizes were published and why the others were
//! chosen.

mod ball_grids;
mod block_tower;
mod bounce;
mod cage;
mod funnel;
mod hanging_chain;
mod incline;
mod pinch;
mod push;
mod rolling;
mod screw;
mod stacked_blocks;
mod stacked_joints;
mod stacks;
mod switch;
mod written;

/// The files of all scenes, by path under `scenarios/`.
pub fn files() -> Vec<(String, String)> {
    [
        incline::files(),
        push::files(),
        bounce::files(),
        rolling::files(),
        ball_grids::files(),
        block_tower::files(),
        stacks::files(),
        stacked_blocks::files(),
        stacked_joints::files(),
        funnel::files(),
        hanging_chain::files(),
        switch::files(),
        screw::files(),
        cage::files(),
        pinch::files(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
