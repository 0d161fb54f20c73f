//! Results of `veracity mocap` as JSON; described in docs/json.md.

use super::one::Told;
use serde::Serialize;
use veracity_mocap::report::StepReport;

/// Name of the schema; the number grows when a field changes its meaning or is removed.
const SCHEMA: &str = "veracity-mocap/1";

#[derive(Serialize)]
pub struct MocapDocument<'a> {
    schema: &'static str,
    version: &'static str,
    command: &'a str,
    exit_code: u8,
    files: Vec<File<'a>>,
}

#[derive(Serialize)]
struct File<'a> {
    file: &'a str,
    error: Option<&'a str>,
    steps: &'a [StepReport],
    records: Vec<Record<'a>>,
}

#[derive(Serialize)]
struct Record<'a> {
    name: &'a str,
    rows: usize,
    digest: &'a str,
    path: Option<String>,
}

pub fn document<'a>(command: &'a str, told: &'a [Told], exit_code: u8) -> MocapDocument<'a> {
    let record = |made: &'a super::one::Made| Record {
        name: &made.name,
        rows: made.rows,
        digest: &made.digest,
        path: made.path.as_ref().map(|p| p.display().to_string()),
    };
    let file = |told: &'a Told| File {
        file: &told.file,
        error: told.error.as_deref(),
        steps: &told.reports,
        records: told.records.iter().map(record).collect(),
    };
    let files = told.iter().map(file).collect();
    MocapDocument { schema: SCHEMA, version: env!("CARGO_PKG_VERSION"), command, exit_code, files }
}
