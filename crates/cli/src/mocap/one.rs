//! Processing of one recording.

use super::arguments::{options, read_options};
use anyhow::Context;
use clap::ArgMatches;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use veracity_mocap::datasets::tosses;
use veracity_mocap::inspect;
use veracity_mocap::pipeline;
use veracity_mocap::readers;
use veracity_mocap::report::StepReport;
use veracity_mocap::to_record::Target;
use veracity_record::{Record, write_csv, write_mcap_without_host, write_track};

/// Result of a recording.
pub struct Told {
    /// As named on the command line.
    pub file: String,
    /// Reports of the steps.
    pub reports: Vec<StepReport>,
    /// The records made.
    pub records: Vec<Made>,
    /// Why there is no record.
    pub error: Option<String>,
}

/// A record made from a recording.
pub struct Made {
    pub name: String,
    pub rows: usize,
    pub digest: String,
    /// Where it was written.
    pub path: Option<PathBuf>,
}

/// Inspects a recording.
pub fn inspect(file: &Path, matches: &ArgMatches) -> Told {
    let looked = || -> anyhow::Result<StepReport> {
        let mut options = read_options(matches)?;
        // A table of tosses is inspected from its beginning unless a take is selected.
        if tosses::looks_like(file) && options.take.is_none() {
            return Ok(tosses::inspect(file)?);
        }
        options.most_samples = Some(u64::MAX);
        let format = matches.get_one::<String>("format").map(String::as_str);
        let mut source = readers::open_poses(file, format, &options)?;
        Ok(inspect::inspect(source.as_mut())?)
    };
    let (reports, error) = match looked() {
        Ok(report) => (vec![report], None),
        Err(error) => (Vec::new(), Some(format!("{error:#}"))),
    };
    Told { file: file.display().to_string(), reports, records: Vec::new(), error }
}

/// Cleans a recording, the `k`-th of `count`.
pub fn clean(file: &Path, k: usize, count: usize, matches: &ArgMatches) -> Told {
    let mut told = Told { file: file.display().to_string(), reports: Vec::new(), records: Vec::new(), error: None };
    if let Err(error) = try_clean(file, k, count, matches, &mut told) {
        told.error = Some(format!("{error:#}"));
    }
    told
}

fn try_clean(file: &Path, k: usize, count: usize, matches: &ArgMatches, told: &mut Told) -> anyhow::Result<()> {
    let read = read_options(matches)?;
    if tosses::looks_like(file) && read.take.is_none() && read.subject.is_none() {
        return all_tosses(file, matches, told);
    }
    let options = options(file, k, count, &read, matches)?;
    let format = matches.get_one::<String>("format").map(String::as_str);
    let stream = readers::read(file, format, &read)?;
    let cleaned = pipeline::clean(stream, &options).map_err(|(error, reports)| {
        told.reports = reports;
        anyhow::Error::new(error).context(file.display().to_string())
    })?;
    told.reports = cleaned.reports;
    told.records.push(keep(&cleaned.record, &options.name, matches)?);
    Ok(())
}

fn all_tosses(file: &Path, matches: &ArgMatches, told: &mut Told) -> anyhow::Result<()> {
    let (tosses, notes) = tosses::read(file)?;
    told.reports.push(tosses::report(&tosses).with_notes(&notes));
    let target = Target { world: Arc::new(tosses::world()?), body: "cube/cube".into() };
    for toss in &tosses {
        let record = toss.to_record(&target)?;
        told.records.push(keep(&record, &format!("toss_{:04}", toss.number), matches)?);
    }
    Ok(())
}

/// Writes a record if requested.
fn keep(record: &Record, name: &str, matches: &ArgMatches) -> anyhow::Result<Made> {
    let path = match matches.get_one::<PathBuf>("out") {
        None => None,
        Some(folder) => {
            std::fs::create_dir_all(folder).with_context(|| format!("{} cannot be created", folder.display()))?;
            let to = matches.try_get_one::<String>("to").ok().flatten().map_or("mcap", String::as_str);
            let path = folder.join(format!("{name}.{to}"));
            match to {
                "csv" => write_csv(record, &path)?,
                "parquet" => write_track(record, &path)?,
                _ => write_mcap_without_host(record, &path)?,
            }
            Some(path)
        }
    };
    Ok(Made { name: name.to_string(), rows: record.track.rows(), digest: record.digest().to_string(), path })
}
