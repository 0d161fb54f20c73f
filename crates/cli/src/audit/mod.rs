//! Outputs of an audit: a table for the terminal, JSON for programs, Markdown for pages.

pub mod json;
pub mod markdown;
pub mod print;
