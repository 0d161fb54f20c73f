//! Time stepping against physics. Claims run shortened unless `VERACITY_FULL` is set.

#[path = "../piles/generator.rs"]
mod generator;
#[path = "../support/mod.rs"]
mod support;

mod block_row;
mod bracket_beside_a_box_was_pushed_down;
mod capsule_clamped_in_a_bracket_gained_energy;
mod carried;
mod closed_forms;
mod drum_on_its_rim_rose_from_rest;
mod impact_far_away_changed_a_rod;
mod incline;
mod joints;
mod no_allocation;
mod resting;
mod second_order;
mod switches;
