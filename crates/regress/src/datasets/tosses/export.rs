//! Tosses as recordings of a calibration: a table of each toss from its start on, and a calibration file that lists them.

use super::protocol::begin;
use super::score::Paths;
use super::study::TossStudy;
use crate::error::Error;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use veracity_mocap::datasets::tosses;
use veracity_model::input::{MOST_TEXT, read_text};
use veracity_record::file::write_bytes;
use veracity_scenario::{LoadOptions, Scenario};

/// Writes `calibration.toml` and the tables into `out`. `template` is a calibration without recordings whose scenario
/// is that of the study; returns the number of tosses fitted and held out.
pub fn export(
    study: &TossStudy,
    study_folder: &Path,
    data: &Path,
    template: &Path,
    out: &Path,
) -> Result<[usize; 2], Error> {
    let unfit = |e: String| Error::Unfit(e);
    let on = study.fitted_on.ok_or_else(|| unfit(format!("{}: the study has no `fitted_on`", study.name)))?;
    let path = data.join(&study.table);
    let (all, _) = tosses::read(&path).map_err(|e| unfit(e.to_string()))?;
    let scenario = Scenario::load(&study_folder.join(&study.scenario), &LoadOptions::default());
    let scenario = scenario.map_err(|findings| unfit(findings.to_string()))?;
    let paths = Paths::new(study, &scenario)?;
    let text =
        read_text(template, MOST_TEXT).map_err(|source| Error::Unreadable { path: template.to_owned(), source })?;
    // A relative scenario is relative to the template.
    let folder = template.parent().unwrap_or(Path::new("."));
    let mut out_text = String::new();
    for line in text.lines() {
        let name = line.strip_prefix("scenario = \"").and_then(|rest| rest.strip_suffix('"'));
        match name.and_then(|name| std::fs::canonicalize(folder.join(name)).ok()) {
            Some(whole) => writeln!(out_text, "scenario = {:?}", whole.display().to_string()).unwrap_or(()),
            None => writeln!(out_text, "{line}").unwrap_or(()),
        }
    }
    let mut counts = [0, 0];
    for toss in &all {
        let Ok(start) = begin(toss, study.half_width_m, study.flight_samples) else { continue };
        let overrides = paths.overrides(toss, &start, &scenario, &BTreeMap::new());
        let file = format!("toss_{:03}.csv", toss.number);
        let mut rows = "time_s,x,y,z,qw,qx,qy,qz\n".to_owned();
        let interval = scenario.record_every_ns as f64 * 1e-9;
        for (k, sample) in toss.samples[start.sample..].iter().enumerate() {
            let cells: Vec<String> =
                sample.position.iter().chain(&sample.orientation).map(|x| format!("{x:?}")).collect();
            let _ = writeln!(rows, "{:?},{}", k as f64 * interval, cells.join(","));
        }
        write_bytes(&out.join(&file), rows).map_err(|e| unfit(e.to_string()))?;
        let set: Vec<String> = overrides.iter().map(|(path, value)| format!("{path:?} = {value:?}")).collect();
        // Errors count in units of the published level: 13 % of the width and 17 degrees.
        out_text += &format!(
            "\n[[recordings]]\nfile = {file:?}\nhold_out = {}\nset = {{ {} }}\n[[recordings.channels]]\nposition_of = {:?}\n\
             columns = [\"x\", \"y\", \"z\"]\nsigma = {:?}\n[[recordings.channels]]\norientation_of = {:?}\n\
             columns = [\"qw\", \"qx\", \"qy\", \"qz\"]\nsigma = {:?}\n",
            !on.holds(toss.number),
            set.join(", "),
            study.body,
            0.13 * 2.0 * study.half_width_m,
            study.body,
            17f64.to_radians()
        );
        counts[usize::from(!on.holds(toss.number))] += 1;
    }
    write_bytes(&out.join("calibration.toml"), out_text).map_err(|e| unfit(e.to_string()))?;
    Ok(counts)
}
