//! The built-in scenarios and suites: one folder of `scenarios/` each, one entry here.
//!
//! Their files, and those of the models they use, are embedded in the binary, so that `veracity validate` works
//! anywhere.

use std::path::Path;

/// A built-in scenario or suite.
pub struct CatalogueEntry {
    /// Name in studies and on the command line.
    pub name: &'static str,
    /// Path of its file below `scenarios/`.
    pub file: &'static str,
    /// Content of the file.
    pub text: &'static str,
}

/// One entry of a list: a file of `scenarios/` with the entry's name.
macro_rules! entry {
    ($folder:literal, $name:literal) => {
        CatalogueEntry {
            name: $name,
            file: concat!($folder, "/", $name, ".toml"),
            text: include_str!(concat!("../../../scenarios/", $folder, "/", $name, ".toml")),
        }
    };
}

/// Every built-in scenario, in display order.
pub const CATALOGUE: &[CatalogueEntry] = &[
    entry!("fall", "free_fall"),
    entry!("fall", "fall_with_drag"),
    entry!("fall", "fall_unreal"),
    entry!("fall", "fall_unreal_drag"),
    entry!("pendulum", "simple_pendulum"),
    entry!("pendulum", "pendulum_with_ball"),
    entry!("pendulum", "compound_pendulum"),
    entry!("bob_mass", "bob_mass"),
    entry!("spin", "spinning_box_first"),
    entry!("spin", "spinning_box_middle"),
    entry!("spin", "spinning_box_last"),
    entry!("spin", "t_handle"),
    entry!("floating", "floating_chain"),
    entry!("chain", "double_pendulum"),
    entry!("chain", "chain_of_ten"),
    entry!("four_bar", "four_bar_2"),
    entry!("four_bar", "four_bar_40"),
    entry!("andrews", "andrews"),
    entry!("bricard", "bricard"),
    entry!("governor", "governor"),
    entry!("ur10", "ur10_tracking"),
    entry!("ur10", "ur10_control"),
    entry!("ur10", "ur10_grasp"),
    entry!("ur10", "ur10_grasp_drive"),
    entry!("ur10", "ur10_grasp_control"),
    entry!("ur10", "ur10_grasp_control_drive"),
    entry!("ur10", "ur10_grasp_control_2khz"),
    entry!("ur10", "ur10_grasp_control_4khz"),
    entry!("ur10", "ur10_grasp_2x"),
    entry!("ur10", "ur10_grasp_3x"),
    entry!("ur10", "ur10_grasp_4x"),
    entry!("ur10", "ur10_grasp_10x"),
    entry!("incline", "incline_holds"),
    entry!("incline", "incline_slides"),
    entry!("push", "push_holds"),
    entry!("push", "push_slides"),
    entry!("bounce", "bounce"),
    entry!("zero_gravity", "zero_gravity"),
    entry!("rolling", "rolling"),
    entry!("balls", "bouncing_49"),
    entry!("balls", "balls_666"),
    entry!("balls", "balls_666_elastic"),
    entry!("balls", "balls_125"),
    entry!("tower", "tower"),
    entry!("stacks", "stack"),
    entry!("stacks", "mass_ratio"),
    entry!("stacks", "long_rest"),
    entry!("funnel", "funnel"),
    entry!("hanging_chain", "hanging_chain"),
    entry!("switch", "switch"),
    entry!("screw", "screw"),
    entry!("cage", "caged_box"),
    entry!("pinch", "pinch"),
    entry!("pinch", "creep"),
    entry!("nao", "nao_standing"),
    entry!("stacked_joints", "stacked_joints"),
    entry!("stacked_blocks", "stacked_blocks"),
    entry!("sliding_cube", "sliding_cube"),
    entry!("erez", "erez_arm"),
    entry!("erez", "erez_humanoid"),
    entry!("erez", "erez_chain"),
    entry!("erez", "erez_capsules"),
    entry!("block_row", "block_row_1"),
    entry!("block_row", "block_row_2"),
    entry!("block_row", "block_row_3"),
    entry!("block_row", "block_row_4"),
    entry!("block_row", "block_row_5"),
    entry!("block_row", "block_row_6"),
    entry!("block_row", "block_row_7"),
    entry!("block_row", "block_row_8"),
    entry!("block_row", "block_row_9"),
    entry!("block_row", "block_row_10"),
    entry!("block_row", "block_row_11"),
    entry!("block_row", "block_row_1_margin"),
    entry!("block_row", "block_row_3_margin"),
    entry!("block_row", "block_row_11_margin"),
    entry!("block_row", "block_row_1_slides"),
    entry!("block_row", "block_row_2_slides"),
    entry!("block_row", "block_row_3_slides"),
    entry!("block_row", "block_row_4_slides"),
    entry!("block_row", "block_row_5_slides"),
    entry!("block_row", "block_row_6_slides"),
    entry!("block_row", "block_row_7_slides"),
    entry!("block_row", "block_row_8_slides"),
    entry!("block_row", "block_row_9_slides"),
    entry!("block_row", "block_row_10_slides"),
    entry!("block_row", "block_row_11_slides"),
    entry!("rimless_wheel", "rimless_wheel"),
    entry!("rimless_wheel", "rimless_wheel_half"),
    entry!("rimless_wheel", "rimless_wheel_shallow"),
    entry!("simplest_walker", "simplest_walker"),
    entry!("point_foot_walker", "point_foot_walker"),
    entry!("tinkertoy", "tinkertoy"),
];

/// Every built-in suite.
pub const SUITES: &[CatalogueEntry] = &[
    entry!("suites", "quick"),
    entry!("suites", "full"),
    entry!("suites", "pendulum_sweep"),
    entry!("suites", "bob_mass_sweep"),
    entry!("suites", "factors"),
    entry!("suites", "grasp"),
    entry!("suites", "grasp_rows"),
    entry!("suites", "grasp_starts"),
    entry!("suites", "grasp_factors"),
    entry!("suites", "grasp_short"),
    entry!("suites", "erez"),
];

/// Files of models, by their path below `scenarios/`.
macro_rules! files {
    ($($file:literal),* $(,)?) => { &[$(($file, include_str!(concat!("../../../scenarios/", $file)))),*] };
}

/// Every model file the catalogue uses, and the `.toml` next to it where there is one.
const MODELS: &[(&str, &str)] = files![
    "fall/block.urdf",
    "fall/block.urdf.toml",
    "pendulum/pendulum.urdf",
    "pendulum/pendulum.urdf.toml",
    "pendulum/compound.urdf",
    "pendulum/compound.urdf.toml",
    "bob_mass/bob_mass.urdf",
    "bob_mass/bob_mass.urdf.toml",
    "spin/box.urdf",
    "spin/box.urdf.toml",
    "spin/t_handle.urdf",
    "spin/t_handle.urdf.toml",
    "floating/floating_chain.urdf",
    "floating/floating_chain.urdf.toml",
    "chain/chain2.urdf",
    "chain/chain10.urdf",
    "four_bar/four_bar_2.sdf",
    "four_bar/four_bar_2.sdf.toml",
    "four_bar/four_bar_40.sdf",
    "four_bar/four_bar_40.sdf.toml",
    "andrews/andrews.urdf",
    "andrews/andrews.urdf.toml",
    "bricard/bricard.sdf",
    "governor/governor.urdf",
    "governor/governor.urdf.toml",
    "ur10/ur10.urdf",
    "ur10/ur10.urdf.toml",
    "ur10/ur10_2x.urdf",
    "ur10/ur10_2x.urdf.toml",
    "ur10/ur10_3x.urdf",
    "ur10/ur10_3x.urdf.toml",
    "ur10/ur10_4x.urdf",
    "ur10/ur10_4x.urdf.toml",
    "ur10/ur10_10x.urdf",
    "ur10/ur10_10x.urdf.toml",
    "ur10/ur10_1x.urdf",
    "ur10/ur10_1x.urdf.toml",
    "ur10/block.urdf",
    "ur10/block.urdf.toml",
    "ur10/ur10_1x_welded.urdf",
    "ur10/ur10_1x_welded.urdf.toml",
    "ur10/ur10_welded.urdf",
    "ur10/ur10_welded.urdf.toml",
    "nao/nao_h25.urdf",
    "nao/nao_h25.urdf.toml",
    "nao/floor.sdf",
    "incline/incline_holds.sdf",
    "incline/incline_slides.sdf",
    "push/push.sdf",
    "bounce/bounce.sdf",
    "rolling/rolling.sdf",
    "balls/balls_125.sdf",
    "balls/balls_666.sdf",
    "balls/balls_666_elastic.sdf",
    "balls/bouncing_49.sdf",
    "tower/tower.sdf",
    "stacks/cube.sdf",
    "stacks/mass_ratio.sdf",
    "stacks/mass_ratio.sdf.toml",
    "stacks/stack.sdf",
    "funnel/funnel.sdf",
    "hanging_chain/hanging_chain.sdf",
    "hanging_chain/hanging_chain.sdf.toml",
    "switch/switch.sdf",
    "screw/screw.sdf",
    "cage/caged_box.sdf",
    "cage/caged_box.sdf.toml",
    "pinch/creep.sdf",
    "pinch/creep.sdf.toml",
    "pinch/pinch.sdf",
    "pinch/pinch.sdf.toml",
    "stacked_joints/stacked_joints.sdf",
    "stacked_blocks/stacked_blocks.sdf",
    "stacked_blocks/stacked_blocks.sdf.toml",
    "sliding_cube/sliding_cube.sdf",
    "zero_gravity/zero_gravity.sdf",
    "erez/erez_arm.xml",
    "erez/erez_humanoid.xml",
    "erez/erez_chain.xml",
    "erez/erez_capsules.xml",
    "block_row/block_row_1.sdf",
    "block_row/block_row_1.sdf.toml",
    "block_row/block_row_10.sdf",
    "block_row/block_row_10.sdf.toml",
    "block_row/block_row_11.sdf",
    "block_row/block_row_11.sdf.toml",
    "block_row/block_row_2.sdf",
    "block_row/block_row_2.sdf.toml",
    "block_row/block_row_3.sdf",
    "block_row/block_row_3.sdf.toml",
    "block_row/block_row_4.sdf",
    "block_row/block_row_4.sdf.toml",
    "block_row/block_row_5.sdf",
    "block_row/block_row_5.sdf.toml",
    "block_row/block_row_6.sdf",
    "block_row/block_row_6.sdf.toml",
    "block_row/block_row_7.sdf",
    "block_row/block_row_7.sdf.toml",
    "block_row/block_row_8.sdf",
    "block_row/block_row_8.sdf.toml",
    "block_row/block_row_9.sdf",
    "block_row/block_row_9.sdf.toml",
    "ground/ground.sdf",
    "rimless_wheel/rimless_wheel.urdf",
    "rimless_wheel/rimless_wheel.urdf.toml",
    "simplest_walker/simplest_walker.urdf",
    "simplest_walker/simplest_walker.urdf.toml",
    "point_foot_walker/point_foot_walker.urdf",
    "point_foot_walker/point_foot_walker.urdf.toml",
    "tinkertoy/tinkertoy.urdf",
    "tinkertoy/tinkertoy.urdf.toml",
];

/// A model file, or the `.toml` next to one, by its path below `scenarios/`.
pub(crate) fn embedded(path: &Path) -> Option<&'static str> {
    let path = path.to_str()?;
    MODELS.iter().find(|(file, _)| *file == path).map(|(_, text)| *text)
}

/// Embedded model files, by their path below `scenarios/`.
pub fn models() -> impl Iterator<Item = &'static str> {
    let ends = |file: &&str| [".urdf", ".sdf", ".xml"].iter().any(|end| file.ends_with(end));
    MODELS.iter().map(|(file, _)| *file).filter(ends)
}

/// Names of the built-in scenarios that use a model.
pub fn users(model: &str) -> Vec<&'static str> {
    let named = |entry: &&CatalogueEntry| {
        let folder = entry.file.rsplit_once('/').map_or("", |(folder, _)| folder);
        let texts = entry.text.split('"').skip(1).step_by(2);
        texts.into_iter().any(|text| match text.strip_prefix("../") {
            Some(elsewhere) => elsewhere == model,
            None => model.strip_prefix(folder).and_then(|m| m.strip_prefix('/')) == Some(text),
        })
    };
    CATALOGUE.iter().filter(named).map(|entry| entry.name).collect()
}
