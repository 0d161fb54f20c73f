//! The three faces of an audit: a table for people, JSON for programs, Markdown for pages.

pub mod json;
pub mod markdown;
pub mod print;
