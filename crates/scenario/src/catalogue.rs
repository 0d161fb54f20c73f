//! The scenarios and suites that come with the program.

use std::path::Path;

/// A file that comes with the program.
pub struct CatalogueEntry {
    /// As studies and the command line call it.
    pub name: &'static str,
    /// Its file below `scenarios/`.
    pub file: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// Every built-in scenario.
pub const CATALOGUE: &[CatalogueEntry] = &[];

/// Every built-in suite.
pub const SUITES: &[CatalogueEntry] = &[];

const MODELS: &[(&str, &str)] = &[];

/// A model file, or the `.toml` beside one, by its path below `scenarios/`.
pub(crate) fn embedded(path: &Path) -> Option<&'static str> {
    let path = path.to_str()?;
    MODELS.iter().find(|(file, _)| *file == path).map(|(_, text)| *text)
}
