//! Scenario and study files, references, the built-in catalogue.
