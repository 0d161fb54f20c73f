//! `--write-expect FILE`: `[[expect]]` entries for the verdicts that were seen.
//!
//! Entries are appended, and only for verdicts without an expectation: a file is never rewritten, and a second run adds
//! nothing. A file that does not exist yet becomes a study of its own: what `compare` ran, with its verdicts.

use crate::engines;
use anyhow::{Context, bail};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use veracity_lab::conclusion::counted;
use veracity_lab::{Row, StudyResult, TrialVerdict};
use veracity_record::file::write_bytes;
use veracity_scenario::{Study, catalogue};

/// Writes the entries; returns a sentence about what was written.
///
/// `scenario` is the scenario file on the command line, where there is one.
pub fn write(path: &Path, scenario: Option<&Path>, study: &Study, result: &StudyResult) -> anyhow::Result<String> {
    if !result.complete {
        bail!("--write-expect: the study was interrupted, so nothing was written to {}", path.display());
    }
    let (entries, text, left) = entries(study, result)?;
    let left =
        if left > 0 { format!("; {} without a verdict left out", counted(left, "trial")) } else { String::new() };
    if entries == 0 {
        return Ok(format!("every verdict has its expectation: nothing was written to {}{left}", path.display()));
    }
    let before = if path.exists() {
        let old = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let named = format!("name = \"{}\"", study.name);
        if !old.lines().any(|line| line.split_whitespace().collect::<Vec<_>>().join(" ") == named) {
            bail!(
                "{} is not a file of the study '{}'; give its own file, or one that does not exist",
                path.display(),
                study.name
            );
        }
        old.trim_end().to_string() + "\n"
    } else {
        header(path, scenario, study)?
    };
    write_bytes(path, format!("{before}{text}"))?;
    let plural = if entries == 1 { "entry" } else { "entries" };
    Ok(format!("{entries} [[expect]] {plural} written to {}; write the reasons into 'why'{left}", path.display()))
}

/// The start of a study file that runs what was run.
fn header(path: &Path, file: Option<&Path>, study: &Study) -> anyhow::Result<String> {
    let [scenario] = &study.scenarios[..] else {
        bail!("{} does not exist; give the study's own file: entries are appended to it", path.display());
    };
    if !study.axes.is_empty() {
        bail!("{} does not exist; give the study's own file: entries are appended to it", path.display());
    }
    let built_in = catalogue::CATALOGUE.iter().any(|entry| entry.name == scenario.name);
    let file = match file {
        Some(file) if file.exists() => {
            let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let absolute = std::path::absolute(file)?;
            match absolute.strip_prefix(std::path::absolute(folder)?) {
                Ok(relative) => relative.display().to_string(),
                Err(_) => absolute.display().to_string(),
            }
        }
        _ if built_in => scenario.name.clone(),
        _ => bail!("the file of the scenario '{}' is not known; write the study by hand", scenario.name),
    };
    let entry = match study.variations.first().filter(|set| !set.is_empty()) {
        None => quoted(&file),
        Some(set) => {
            let set: Vec<String> = set.iter().map(|(path, x)| format!("{} = {x:?}", quoted(path))).collect();
            format!("{{ scenario = {}, set = {{ {} }} }}", quoted(&file), set.join(", "))
        }
    };
    let specs: Vec<String> = study.engines.iter().map(|e| quoted(&e.spec.to_string())).collect();
    let mut out = format!("schema = 1\nname = {}\nscenarios = [{entry}]\n", quoted(&study.name));
    let _ = writeln!(out, "engines = [{}]", specs.join(", "));
    if !study.steps_ns.is_empty() {
        let steps: Vec<String> = study.steps_ns.iter().map(|ns| format!("{:?}", *ns as f64 * 1e-9)).collect();
        let _ = writeln!(out, "steps_s = [{}]", steps.join(", "));
    }
    Ok(out)
}

/// The number of entries, their text, and the number of trials that ended without a verdict.
fn entries(study: &Study, result: &StudyResult) -> anyhow::Result<(usize, String, usize)> {
    let mut specs: BTreeMap<String, String> = BTreeMap::new();
    for engine in &study.engines {
        if let Ok(resolved) = engines::resolve(&engine.spec) {
            specs.entry(resolved.settings.full_spec()).or_insert_with(|| engine.spec.to_string());
        }
    }
    let mut left = 0;
    let mut order: Vec<(&str, &str, u64)> = Vec::new();
    let mut groups: BTreeMap<(&str, &str, u64), Vec<&Row>> = BTreeMap::new();
    for row in result.rows.iter().filter(|row| row.as_expected().is_none()) {
        if matches!(row.verdict, TrialVerdict::Failed | TrialVerdict::TooSlow) || row.is_unjudged() {
            left += 1;
            continue;
        }
        let key = (row.scenario.as_str(), row.full_spec.as_str(), row.step_s.to_bits());
        groups.entry(key).or_insert_with(|| {
            order.push(key);
            Vec::new()
        });
        groups.entry(key).and_modify(|rows| rows.push(row));
    }
    let (mut count, mut text) = (0, String::new());
    for key in order {
        let rows = &groups[&key];
        let Some(spec) = specs.get(key.1) else { continue };
        // One entry for all variations if their verdicts agree, else one for each.
        let agree = rows.iter().all(|row| row.verdict == rows[0].verdict);
        let shown: Vec<&&Row> = if agree { rows.iter().take(1).collect() } else { unique(rows) };
        for row in shown {
            count += 1;
            let _ = writeln!(text, "\n[[expect]]\nscenarios = [{}]\nengines = [{}]", quoted(key.0), quoted(spec));
            let _ = writeln!(text, "step_s = {:?}", row.step_s);
            if !agree {
                let values = result.axes.iter().filter_map(|axis| Some((&axis.name, axis.value_in(&row.overrides)?)));
                let at: Vec<String> = values.map(|(name, x)| format!("{} = {x:?}", quoted(name))).collect();
                let _ = writeln!(text, "at = {{ {} }}", at.join(", "));
            }
            let _ = writeln!(text, "answer = \"{}\"", row.verdict.text().replace(' ', "_"));
            let reason = veracity_lab::results::shortened(&row.reason);
            let _ = writeln!(text, "why = {}", quoted(&format!("As seen when this entry was written: {reason}")));
        }
    }
    Ok((count, text, left))
}

/// One row for each variation; none where the verdicts of several seeds differ, as an entry cannot name a seed.
fn unique<'a, 'b>(rows: &'a [&'b Row]) -> Vec<&'a &'b Row> {
    let alike =
        |row: &&&Row| rows.iter().all(|other| other.overrides != row.overrides || other.verdict == row.verdict);
    let first =
        |row: &&&Row| rows.iter().find(|other| other.overrides == row.overrides).is_some_and(|f| f.seed == row.seed);
    rows.iter().filter(|row| alike(row) && first(row)).collect()
}

/// A TOML string.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out += "\\\"",
            '\\' => out += "\\\\",
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out + "\""
}

#[cfg(test)]
mod tests {
    #[test]
    fn text_stays_inside_its_quotes() {
        assert_eq!(super::quoted("a \"b\" \\c\n"), "\"a \\\"b\\\" \\\\c \"");
    }
}
