//! The scenarios and suites that come with the program: one folder of `scenarios/` each, one line here.
//!
//! Their files, and those of the models they use, are part of the binary, so that `veracity validate` works anywhere.

use std::path::Path;

/// A scenario or suite that comes with the program.
pub struct CatalogueEntry {
    /// As studies and the command line call it.
    pub name: &'static str,
    /// Its file below `scenarios/`.
    pub file: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// One line of a list: a file of `scenarios/`, named like it.
macro_rules! entry {
    ($folder:literal, $name:literal) => {
        CatalogueEntry {
            name: $name,
            file: concat!($folder, "/", $name, ".toml"),
            text: include_str!(concat!("../../../scenarios/", $folder, "/", $name, ".toml")),
        }
    };
}

/// Every built-in scenario, in the order it is shown.
pub const CATALOGUE: &[CatalogueEntry] = &[
    entry!("fall", "free_fall"),
    entry!("fall", "fall_with_drag"),
    entry!("fall", "fall_unreal"),
    entry!("fall", "fall_unreal_drag"),
    entry!("pendulum", "simple_pendulum"),
    entry!("pendulum", "pendulum_with_ball"),
    entry!("pendulum", "compound_pendulum"),
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
];

/// Every built-in suite.
pub const SUITES: &[CatalogueEntry] =
    &[entry!("suites", "quick"), entry!("suites", "full"), entry!("suites", "pendulum_sweep")];

/// Files of models, by their path below `scenarios/`.
macro_rules! files {
    ($($file:literal),* $(,)?) => { &[$(($file, include_str!(concat!("../../../scenarios/", $file)))),*] };
}

/// Every model file the catalogue uses, and the `.toml` beside it where there is one.
const MODELS: &[(&str, &str)] = files![
    "fall/block.urdf",
    "fall/block.urdf.toml",
    "pendulum/pendulum.urdf",
    "pendulum/pendulum.urdf.toml",
    "pendulum/compound.urdf",
    "pendulum/compound.urdf.toml",
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
    "ur10/ur10_1x_welded.urdf",
    "ur10/ur10_1x_welded.urdf.toml",
    "ur10/ur10_welded.urdf",
    "ur10/ur10_welded.urdf.toml",
];

/// A model file, or the `.toml` beside one, by its path below `scenarios/`.
pub(crate) fn embedded(path: &Path) -> Option<&'static str> {
    let path = path.to_str()?;
    MODELS.iter().find(|(file, _)| *file == path).map(|(_, text)| *text)
}
