//! `[[vary]]`: from lists and distributions to sets of changed numbers.
//!
//! All combinations of the lists, the last varying fastest, each with all samples of the distributions. A sampled
//! number depends only on the study's first seed, the sample's index and the entry's index: neither appending an entry
//! nor increasing the number of samples changes existing samples.

use crate::axis::{VariedNumber, short_names};
use crate::distribution::Distribution;
use crate::file::document::{Document, at};
use crate::file::study_file::{DistributionWord, StudyFile, VaryTable};
use veracity_engine::random::{Purpose, Stream};
use veracity_model::{Findings, Overrides};

/// More variations than this are probably a mistake.
const MOST: usize = 1_000_000;

const CONE: &str = "a 'cone' belongs to [[uncertain]] of a trace; vary the components of the axis instead";

/// How one number varies.
enum Spread {
    Values(Vec<f64>),
    Sampled(Distribution),
}

/// The variations, at least one, and the names of the varied numbers.
pub(super) fn read(
    document: &Document,
    content: &StudyFile,
    seed: u64,
    findings: &mut Findings,
) -> (Vec<Overrides>, Vec<VariedNumber>) {
    let before = findings.len();
    let axes = axes(document, content, findings);
    let mut entries: Vec<(&VaryTable, Spread)> = Vec::new();
    for (i, table) in content.vary.iter().enumerate() {
        let before = content.vary[..i].iter().flat_map(paths);
        let own = paths(table).enumerate().flat_map(|(n, path)| paths(table).take(n).filter(move |p| *p == path));
        let twice = paths(table).find(|path| before.clone().any(|other| other == *path)).or(own.clone().next());
        if let Some(path) = twice {
            document.error(at!["vary", i, "path"], format!("'{path}' is varied twice; keep one"), findings);
        }
        match spread(table) {
            Ok(spread) => entries.push((table, spread)),
            Err(text) => document.error(at!["vary", i], text, findings),
        }
    }
    let random = entries.iter().any(|(_, s)| !matches!(s, Spread::Values(_)));
    let samples = match (random, content.samples) {
        (true, None) => {
            document.error(at!["vary"], "a distribution needs 'samples' at the top: how many to draw", findings);
            1
        }
        (false, Some(_)) => {
            document.error(at!["samples"], "'samples' is for distributions, and no [[vary]] has one", findings);
            1
        }
        (_, samples) => samples.unwrap_or(1) as usize,
    };
    let count = entries.iter().fold(samples, |count, (_, spread)| match spread {
        Spread::Values(values) => count.saturating_mul(values.len()),
        _ => count,
    });
    if count > MOST {
        document.error(at!["vary"], format!("{count} variations are more than {MOST}; vary less"), findings);
    }
    if findings.len() > before {
        return (vec![Overrides::new()], axes);
    }
    ((0..count).map(|index| variation(&entries, samples, index, seed)).collect(), axes)
}

fn axes(document: &Document, content: &StudyFile, findings: &mut Findings) -> Vec<VariedNumber> {
    let paths: Vec<(&str, Option<&str>)> =
        content.vary.iter().map(|table| (table.path.as_str(), table.name.as_deref())).collect();
    let mut out: Vec<VariedNumber> = Vec::new();
    for (i, (table, name)) in content.vary.iter().zip(short_names(&paths)).enumerate() {
        if name.trim().is_empty() {
            document.error(at!["vary", i, "name"], "the name is empty; remove it or write one", findings);
        } else if table.name.is_some() && content.vary.iter().enumerate().any(|(j, t)| j != i && t.name == table.name)
        {
            document.error(at!["vary", i, "name"], format!("'{name}' names two numbers; rename one"), findings);
        }
        let sampled = table.distribution.is_some();
        if let Some(width) = table.boundary {
            if !(width > 0.0 && width.is_finite()) {
                document.error(at!["vary", i, "boundary"], "the width must be a positive number", findings);
            } else if sampled || table.values.len() < 2 {
                let text = "a boundary is located between two of the 'values'; give at least two";
                document.error(at!["vary", i, "boundary"], text, findings);
            }
        }
        out.push(VariedNumber {
            path: table.path.clone(),
            also: table.also.clone(),
            name,
            sampled,
            boundary: table.boundary,
        });
    }
    out
}

/// All paths that an entry varies.
fn paths(table: &VaryTable) -> impl Iterator<Item = &str> + Clone {
    std::iter::once(table.path.as_str()).chain(table.also.iter().map(String::as_str))
}

fn variation(entries: &[(&VaryTable, Spread)], samples: usize, index: usize, seed: u64) -> Overrides {
    let sample = (index % samples) as u64;
    let mut rest = index / samples;
    let mut out = Overrides::new();
    for (i, (table, spread)) in entries.iter().enumerate().rev() {
        let stream = Stream::new(seed, sample, i as u32, Purpose::Sampling);
        let value = match spread {
            Spread::Values(values) => {
                let value = values[rest % values.len()];
                rest /= values.len();
                value
            }
            Spread::Sampled(distribution) => distribution.quantile(stream.uniform_open(0, 0)),
        };
        paths(table).for_each(|path| out.insert(path, value));
    }
    out
}

fn spread(table: &VaryTable) -> Result<Spread, String> {
    match (table.distribution, table.values.is_empty()) {
        (None, true) => Err(format!("'{}' needs 'values' = [ … ] or a 'distribution'", table.path)),
        (None, false) => {
            unused(table, &[])?;
            Ok(Spread::Values(table.values.clone()))
        }
        (Some(_), _) => distribution(table, f64::INFINITY).map(Spread::Sampled),
    }
}

/// The distribution that a table states; `truncate` applies to a normal one that names no cut-off.
pub(crate) fn distribution(table: &VaryTable, truncate: f64) -> Result<Distribution, String> {
    let Some(word) = table.distribution else {
        return Err(format!("'{}' needs a 'distribution'", table.path));
    };
    if word != DistributionWord::Discrete && !table.values.is_empty() {
        return Err(format!("'{}' has both 'values' and a 'distribution'; keep one", table.path));
    }
    let wanted: &[&str] = match word {
        DistributionWord::Normal => &["mean", "std"],
        DistributionWord::Uniform | DistributionWord::LogUniform => &["low", "high"],
        DistributionWord::StudentT => &["mean", "std", "dof"],
        DistributionWord::SkewNormal => &["location", "scale", "shape"],
        DistributionWord::Discrete => &[],
        DistributionWord::Cone => return Err(CONE.to_string()),
    };
    for key in wanted {
        if !numbers(table).iter().any(|(name, value)| name == key && value.is_some()) {
            return Err(format!("this distribution of '{}' needs '{key}'", table.path));
        }
    }
    let also: &[&str] = if word == DistributionWord::Normal { &["mean", "std", "truncate_std"] } else { wanted };
    unused(table, also)?;
    if word != DistributionWord::Discrete && !table.weights.is_empty() {
        return Err("'weights' belong to a discrete distribution; remove them".to_string());
    }
    let of =
        |key: &str| numbers(table).iter().find_map(|(k, x)| if *k == key { *x } else { None }).unwrap_or_default();
    let spread_is = |key: &str| match of(key) {
        x if x < 0.0 => Err(format!("'{key}' must not be negative")),
        x => Ok(x),
    };
    match word {
        DistributionWord::Normal => {
            let truncate = table.truncate_std.unwrap_or(truncate);
            if truncate <= 0.0 || truncate.is_nan() {
                return Err("'truncate_std' must be positive: how many standard deviations are kept".to_string());
            }
            Ok(Distribution::Normal { mean: of("mean"), std: spread_is("std")?, truncate })
        }
        DistributionWord::StudentT => {
            let dof = of("dof");
            if dof <= 0.0 {
                return Err("'dof' must be positive".to_string());
            }
            Ok(Distribution::StudentT { mean: of("mean"), std: spread_is("std")?, dof })
        }
        DistributionWord::SkewNormal => {
            Ok(Distribution::SkewNormal { location: of("location"), scale: spread_is("scale")?, shape: of("shape") })
        }
        DistributionWord::Discrete => Distribution::discrete(&table.values, &table.weights),
        DistributionWord::Cone => Err(CONE.to_string()),
        DistributionWord::Uniform | DistributionWord::LogUniform => {
            let (low, high) = (of("low"), of("high"));
            if low >= high {
                return Err("'low' must be below 'high'".to_string());
            }
            if word == DistributionWord::Uniform {
                return Ok(Distribution::Uniform { low, high });
            }
            if low <= 0.0 {
                return Err("'low' of a log-uniform distribution must be positive".to_string());
            }
            Ok(Distribution::LogUniform { low, high })
        }
    }
}

/// The numbers of a table with their keys.
fn numbers(table: &VaryTable) -> [(&'static str, Option<f64>); 10] {
    [
        ("mean", table.mean),
        ("std", table.std),
        ("low", table.low),
        ("high", table.high),
        ("relative_std", table.relative_std),
        ("truncate_std", table.truncate_std),
        ("dof", table.dof),
        ("location", table.location),
        ("scale", table.scale),
        ("shape", table.shape),
    ]
}

/// A number that would have no effect is a mistake.
fn unused(table: &VaryTable, used: &[&str]) -> Result<(), String> {
    match numbers(table).iter().find(|(key, value)| value.is_some() && !used.contains(key)) {
        Some((key, _)) => Err(format!("'{key}' is not used here; remove it, or choose another 'distribution'")),
        None => Ok(()),
    }
}
