//! `[[vary]]`: from lists and distributions to sets of changed numbers.
//!
//! All combinations of the lists, the last varying fastest, each with all samples of the distributions. A sampled
//! number depends only on the study's first seed, the sample's index and the entry's index: neither appending an entry
//! nor increasing the number of samples changes existing samples.

use crate::axis::{VariedNumber, short_names};
use crate::file::document::{Document, at};
use crate::file::study_file::{DistributionWord, StudyFile, VaryTable};
use veracity_engine::random::{Purpose, Stream};
use veracity_model::{Findings, Overrides};

/// More variations than this are probably a mistake.
const MOST: usize = 1_000_000;

/// How one number varies.
enum Spread {
    Values(Vec<f64>),
    Normal { mean: f64, std: f64 },
    Uniform { low: f64, high: f64 },
    LogUniform { low: f64, high: f64 },
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
            Spread::Normal { mean, std } => mean + std * stream.normal(0, 0),
            Spread::Uniform { low, high } => low + (high - low) * stream.uniform(0, 0),
            Spread::LogUniform { low, high } => low * libm::exp(stream.uniform(0, 0) * libm::log(high / low)),
        };
        paths(table).for_each(|path| out.insert(path, value));
    }
    out
}

fn spread(table: &VaryTable) -> Result<Spread, String> {
    let numbers = [("mean", table.mean), ("std", table.std), ("low", table.low), ("high", table.high)];
    let wanted: &[&str] = match table.distribution {
        None => &[],
        Some(DistributionWord::Normal) => &["mean", "std"],
        Some(_) => &["low", "high"],
    };
    for (key, value) in numbers {
        match (wanted.contains(&key), value.is_some()) {
            (true, false) => return Err(format!("this distribution of '{}' needs '{key}'", table.path)),
            (false, true) => return Err(format!("'{key}' has no use here; remove it, or choose a 'distribution'")),
            _ => {}
        }
    }
    let [mean, std, low, high] = numbers.map(|(_, value)| value.unwrap_or_default());
    match table.distribution {
        None if table.values.is_empty() => {
            Err(format!("'{}' needs 'values' = [ … ] or a 'distribution'", table.path))
        }
        None => Ok(Spread::Values(table.values.clone())),
        Some(_) if !table.values.is_empty() => {
            Err(format!("'{}' has both 'values' and a 'distribution'; keep one", table.path))
        }
        Some(DistributionWord::Normal) if std < 0.0 => Err("'std' must not be negative".to_string()),
        Some(DistributionWord::Normal) => Ok(Spread::Normal { mean, std }),
        Some(_) if low >= high => Err("'low' must be below 'high'".to_string()),
        Some(DistributionWord::Uniform) => Ok(Spread::Uniform { low, high }),
        Some(DistributionWord::LogUniform) if low <= 0.0 => {
            Err("'low' of a log-uniform distribution must be positive".to_string())
        }
        Some(DistributionWord::LogUniform) => Ok(Spread::LogUniform { low, high }),
    }
}
