//! `veracity regress STUDY`: the parameter value with which a simulation would move like the recording, and whether it
//! is identifiable.

use super::Command;
use crate::engines;
use crate::output::Output;
use crate::{NOT_ACCEPTED, regress};
use anyhow::Context;
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use std::io::Write;
use std::path::{Path, PathBuf};
use veracity_measure::Verdict;
use veracity_regress::assess::{AssessOptions, Side, assess};
use veracity_regress::behaviour::compare;
use veracity_regress::page::{Page, page, shuffled_error};
use veracity_regress::study::RegressionStudy;
use veracity_regress::{Fitted, ModelKind, Motion, Split};

pub struct Regress;

/// Confidence of every interval.
const CONFIDENCE: f64 = 0.95;
/// γ of the support of maps without a kernel.
const GAMMA: f64 = 0.05;
/// Blocks of time if a value has only one run, and rows left out next to each: 0.4 s at 100 Hz.
const BLOCKS: usize = 5;
const GAP: usize = 40;
/// Rows of a fit in the permutation test.
const PERMUTATION_ROWS: usize = 1000;

impl Command for Regress {
    fn name(&self) -> &'static str {
        "regress"
    }

    fn about(&self) -> &'static str {
        "Estimate a parameter of a recording from simulations, or report that it is not identifiable"
    }

    fn arguments(&self, command: clap::Command) -> clap::Command {
        let study = Arg::new("STUDY").required(true).value_parser(value_parser!(PathBuf));
        let folder = |name: &'static str, help: &'static str| {
            Arg::new(name).long(name).value_name("FOLDER").value_parser(value_parser!(PathBuf)).help(help)
        };
        command
            .arg(study.help("A regression study (see docs/regress.md); studies/weazelball has some"))
            .arg(
                Arg::new("engine")
                    .long("engine")
                    .value_name("SPEC")
                    .help("Simulate training with this engine instead of the study's (see `veracity list engines`)"),
            )
            .arg(folder("data", "Where recorded data is [default: the variable VERACITY_DATA]"))
            .arg(folder("out", "Also write index.html with the plots here"))
            .arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print the result as JSON"))
            .after_help("Exit codes: 0 accepted, 1 rejected or cannot tell, 2 could not run.")
    }

    fn run(&self, matches: &ArgMatches, out: &mut Output) -> anyhow::Result<u8> {
        let file = matches.get_one::<PathBuf>("STUDY").context("no study")?;
        let mut study = RegressionStudy::load(file)?;
        if let Some(spec) = matches.get_one::<String>("engine") {
            study.train_with(spec)?;
        }
        let data = matches
            .get_one::<PathBuf>("data")
            .cloned()
            .or_else(|| std::env::var_os("VERACITY_DATA").map(PathBuf::from));
        let beside = file.parent().unwrap_or(Path::new("."));
        let mut progress = regress::progress();
        let material = study.material(beside, data.as_deref(), engines::all(), &mut progress)?;
        let options = AssessOptions {
            model: study.model,
            gamma: GAMMA,
            blocks: BLOCKS,
            gap: GAP,
            permutations: study.permutations,
            permutation_rows: PERMUTATION_ROWS,
            confidence: CONFIDENCE,
            seed: 0,
            expected: study.target.expected,
        };
        let training = Side { rows: &material.training, motions: &material.training_motions };
        let recorded = Side { rows: &material.recorded, motions: &material.recorded_whole };
        let found = assess(training, 0, recorded, &material.doubts, &options, &mut progress)?;
        let shuffled_rows = held_out_at_random(&material.training, &study.model);
        let shuffled = shuffled_error(&shuffled_rows);
        let (compared, simulated_as) = said_to_be_real(&study, &material.training_motions);
        let behaviour = compare(&compared, &material.recorded_whole, CONFIDENCE, 0);
        let code = if found.verdict == Verdict::Accepted { 0 } else { NOT_ACCEPTED };
        if let Some(folder) = matches.get_one::<PathBuf>("out") {
            std::fs::create_dir_all(folder).with_context(|| format!("{} cannot be created", folder.display()))?;
            let text = page(&Page {
                study: &study,
                assessment: &found,
                shuffled: &shuffled_rows,
                behaviour: &behaviour,
                simulated: &material.training_motions,
                compared: &compared,
                simulated_as: &simulated_as,
                recorded: &material.recorded_whole,
                notes: &material.notes,
            });
            let path = folder.join("index.html");
            veracity_record::file::write_bytes(&path, text)?;
        }
        if matches.get_flag("json") {
            let document = regress::document(&study, &found, shuffled, &behaviour, &material.notes, code);
            writeln!(out, "{}", serde_json::to_string_pretty(&document)?)?;
        } else {
            regress::print(&study, &found, shuffled, &behaviour, &material.notes, out)?;
        }
        Ok(code)
    }
}

/// Runs with the value that reality is stated to have, if there are any: distributions are compared with those.
fn said_to_be_real(study: &RegressionStudy, motions: &[Motion]) -> (Vec<Motion>, String) {
    let expected = study.target.expected.unwrap_or(f64::NAN);
    let near = |motion: &&Motion| motion.targets.iter().any(|t| (t - expected).abs() < 0.01 * study.target.step);
    let found: Vec<Motion> = motions.iter().filter(near).cloned().collect();
    match found.len() {
        0 => (motions.to_vec(), "runs of all values".to_owned()),
        n => (found, format!("{n} runs with {} {expected}", study.target.name)),
    }
}

/// Truth and prediction under the published split.
fn held_out_at_random(rows: &veracity_regress::Rows, model: &ModelKind) -> Vec<(f64, f64)> {
    let fold = Split::Shuffled { share: 0.1, seed: 0 }.folds(rows).remove(0);
    let fitted = Fitted::new(rows, &fold.train, model, &mut |_, _, _| ());
    let truth = rows.target(0);
    let y = fold.test.iter().map(|k| truth[*k as usize]);
    y.zip(fitted.predict(0, rows, &fold.test)).collect()
}
