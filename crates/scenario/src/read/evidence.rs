//! `show`, `[[hypotheses]]` and `[[published]]` of a study.

use super::study::{known_scenario, spec};
use crate::file::document::{Document, Step, at};
use crate::file::names::hint;
use crate::file::study_file::{EngineEntry, SideTable, StudyFile};
use crate::study::{Evidence, Hypothesis, PublishedCell, Side, Study};
use veracity_engine::EngineSpec;
use veracity_model::Findings;

/// Factor between two values that counts as a difference unless the study says otherwise.
const FACTOR: f64 = 1.1;

pub(super) fn read(document: &Document, content: &StudyFile, study: &Study, findings: &mut Findings) -> Evidence {
    for (i, name) in content.show.iter().enumerate() {
        known_check(document, at!["show", i], name, study, None, findings);
    }
    Evidence {
        shown: content.show.clone(),
        hypotheses: hypotheses(document, content, study, findings),
        published: published(document, content, study, findings),
        left_out: left_out(content, study),
    }
}

fn left_out(content: &StudyFile, study: &Study) -> Vec<(EngineSpec, String)> {
    let why = |entry: &EngineEntry| match entry {
        EngineEntry::Detailed(table) => table.left_out.clone(),
        EngineEntry::Plain(_) => String::new(),
    };
    let both = study.engines.iter().zip(&content.engines).map(|(engine, entry)| (engine.spec.clone(), why(entry)));
    both.filter(|(_, why)| !why.is_empty()).collect()
}

fn hypotheses(document: &Document, content: &StudyFile, study: &Study, findings: &mut Findings) -> Vec<Hypothesis> {
    let mut out: Vec<Hypothesis> = Vec::new();
    for (i, table) in content.hypotheses.iter().enumerate() {
        if out.iter().any(|h| h.name == table.name) {
            let text = format!("two hypotheses are called '{}'; rename one", table.name);
            document.error(at!["hypotheses", i, "name"], text, findings);
        }
        let control = side(document, (i, "control"), &table.control, study, findings);
        let change = side(document, (i, "change"), &table.change, study, findings);
        if control == change {
            let text = "control and change are the same; give one of them another scenario or engine";
            document.error(at!["hypotheses", i], text, findings);
        }
        // One side alone would be compared with every engine or scenario on the other.
        for (key, one, other) in [
            ("engine", control.engine.is_some(), change.engine.is_some()),
            ("scenario", control.scenario.is_some(), change.scenario.is_some()),
        ] {
            if one != other {
                let text = format!("only one of control and change names its {key}; name both, or neither");
                document.error(at!["hypotheses", i], text, findings);
            }
        }
        for scenario in [&control.scenario, &change.scenario] {
            known_check(document, at!["hypotheses", i, "check"], &table.check, study, scenario.as_deref(), findings);
        }
        let factor = table.factor.unwrap_or(FACTOR);
        let (name, text) = (table.name.clone(), table.text.trim().to_string());
        out.push(Hypothesis {
            name,
            text,
            control,
            change,
            check: table.check.clone(),
            says: table.says,
            factor,
            lost: table.lost,
        });
    }
    out
}

fn side(
    document: &Document,
    (i, key): (usize, &str),
    table: &SideTable,
    study: &Study,
    findings: &mut Findings,
) -> Side {
    let way = at!["hypotheses", i, key];
    if let Some(name) = &table.scenario {
        known_scenario(document, way, name, &study.scenarios, findings);
    }
    let engine = table.engine.as_ref().map(|text| known_engine(document, way, text, study, findings));
    Side { scenario: table.scenario.clone(), engine }
}

fn published(document: &Document, content: &StudyFile, study: &Study, findings: &mut Findings) -> Vec<PublishedCell> {
    let mut out = Vec::new();
    for (i, table) in content.published.iter().enumerate() {
        known_scenario(document, at!["published", i, "scenario"], &table.scenario, &study.scenarios, findings);
        for text in &table.engines {
            out.push(PublishedCell {
                scenario: table.scenario.clone(),
                engine: known_engine(document, at!["published", i, "engines"], text, study, findings),
                value: table.value.clone(),
                why: table.why.clone(),
            });
        }
    }
    out
}

fn known_engine(document: &Document, way: &[Step], text: &str, study: &Study, findings: &mut Findings) -> EngineSpec {
    let spec = spec(document, way, text, findings);
    if !study.engines.iter().any(|e| e.spec == spec) {
        let all: Vec<String> = study.engines.iter().map(|e| e.spec.to_string()).collect();
        let hint = hint(text, all.iter().map(String::as_str));
        document.error(way, format!("the study has no engine '{text}'; {hint}"), findings);
    }
    spec
}

/// A check of the named scenario, or of any.
fn known_check(
    document: &Document,
    way: &[Step],
    name: &str,
    study: &Study,
    scenario: Option<&str>,
    findings: &mut Findings,
) {
    let of = study.scenarios.iter().filter(|s| scenario.is_none_or(|wanted| s.name == wanted));
    let all: Vec<&str> = of.flat_map(|s| s.checks.iter().map(|c| c.name.as_str())).collect();
    if !all.is_empty() && !all.contains(&name) {
        let hint = hint(name, all.into_iter());
        document.error(way, format!("no scenario here has a check '{name}'; {hint}"), findings);
    }
}
