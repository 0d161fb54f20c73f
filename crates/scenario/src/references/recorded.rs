//! A recorded file as a reference.

use crate::reference::ChannelMap;
use std::path::Path;
use veracity_measure::{CannotTell, TruthChannel};

/// Reads the columns a mapping names.
pub(super) fn read(file: &Path, mapping: &[ChannelMap]) -> Result<Vec<TruthChannel>, CannotTell> {
    let columns: Vec<&str> = mapping.iter().flat_map(|m| m.columns.iter().map(String::as_str)).collect();
    Err(CannotTell(format!("'{}' cannot be read for {}", file.display(), columns.join(", "))))
}
