//! `[[references]]`: how the truth is obtained.

use super::source_files::Files;
use crate::file::document::{Document, Step, at};
use crate::file::names::hint;
use crate::file::scenario_file::{ChannelTable, OneOrMany, ParameterTable, ReferenceTable, ReferenceWord};
use crate::reference::{Channel, ChannelMap, ParameterValue, ReferenceConfig, ReferenceKind};
use crate::references::FORMS;
use veracity_measure::Quantity;
use veracity_model::{Findings, Layout};

pub(super) fn read(
    document: &Document,
    tables: &[ReferenceTable],
    layout: &Layout,
    files: &Files,
    findings: &mut Findings,
) -> Vec<ReferenceConfig> {
    let mut out: Vec<ReferenceConfig> = Vec::new();
    for (i, table) in tables.iter().enumerate() {
        if out.iter().any(|r| r.name == table.name) {
            let text = format!("two references are called '{}'; give each its own name", table.name);
            document.error(at!["references", i, "name"], text, findings);
        }
        unused(document, i, table, findings);
        let kind = match table.kind {
            ReferenceWord::Converged => Some(ReferenceKind::Converged),
            ReferenceWord::ClosedForm => closed_form(document, i, table, layout, findings),
            ReferenceWord::Published => published(document, i, table, layout, findings),
            ReferenceWord::Recorded => recorded(document, i, table, layout, files, findings),
        };
        if let Some(kind) = kind {
            out.push(ReferenceConfig { name: table.name.clone(), kind });
        }
    }
    out
}

/// Keys without meaning for the kind are reported as mistakes.
fn unused(document: &Document, i: usize, table: &ReferenceTable, findings: &mut Findings) {
    use ReferenceWord::{ClosedForm, Published, Recorded};
    let given = [
        ("form", table.form.is_some(), &[ClosedForm][..]),
        ("parameters", !table.parameters.is_empty(), &[ClosedForm]),
        ("source", table.source.is_some(), &[Published]),
        ("channels", !table.channels.is_empty(), &[Published, Recorded]),
        ("file", table.file.is_some(), &[Recorded]),
    ];
    for (key, is_given, kinds) in given {
        if is_given && !kinds.contains(&table.kind) {
            let text = format!("a reference of this kind does not use '{key}'; remove it");
            document.error(at!["references", i, key], text, findings);
        }
    }
}

fn closed_form(
    document: &Document,
    i: usize,
    table: &ReferenceTable,
    layout: &Layout,
    findings: &mut Findings,
) -> Option<ReferenceKind> {
    let names = FORMS.iter().map(|f| f.name);
    let Some(wanted) = &table.form else {
        let text = format!("a closed form needs 'form'; {}", hint("", names));
        document.error(at!["references", i], text, findings);
        return None;
    };
    let Some(form) = FORMS.iter().find(|f| f.name == wanted) else {
        let text = format!("there is no closed form '{wanted}'; {}", hint(wanted, names));
        document.error(at!["references", i, "form"], text, findings);
        return None;
    };
    let unknown: Vec<&String> =
        table.parameters.keys().filter(|key| !form.parameters.iter().any(|p| p.name == **key)).collect();
    for key in &unknown {
        let hint = hint(key, form.parameters.iter().map(|p| p.name));
        let text = format!("the form '{wanted}' has no parameter '{key}'; {hint}");
        document.error(at!["references", i, "parameters", *key], text, findings);
    }
    let mut parameters = std::collections::BTreeMap::new();
    for wanted in form.parameters {
        let Some(given) = table.parameters.get(wanted.name) else {
            // A misspelt one has already been reported.
            if wanted.required && unknown.is_empty() {
                let text = format!("the form '{}' needs the parameter '{}': {}", form.name, wanted.name, wanted.text);
                document.error(at!["references", i], text, findings);
            }
            continue;
        };
        let value = match given {
            ParameterTable::Number(x) => ParameterValue::Number(*x),
            ParameterTable::Text(text) => ParameterValue::Text(text.clone()),
            ParameterTable::Numbers(list) => ParameterValue::Numbers(list.clone()),
        };
        let way = at!["references", i, "parameters", wanted.name];
        if let ParameterValue::Text(text) = &value {
            let known = match wanted.name {
                "joint" => layout.joint(text).is_some(),
                "body" => layout.body(text).is_some(),
                _ => true,
            };
            if !known {
                let all: Vec<&str> = match wanted.name {
                    "joint" => layout.joints.iter().map(|j| j.name.as_str()).collect(),
                    _ => layout.bodies.iter().map(|b| b.name.as_str()).collect(),
                };
                let text = format!("there is no {} '{text}'; {}", wanted.name, hint(text, all.iter().copied()));
                document.error(way, text, findings);
            }
        }
        parameters.insert(wanted.name.to_string(), value);
    }
    Some(ReferenceKind::ClosedForm { form: wanted.clone(), parameters })
}

fn published(
    document: &Document,
    i: usize,
    table: &ReferenceTable,
    layout: &Layout,
    findings: &mut Findings,
) -> Option<ReferenceKind> {
    if table.channels.is_empty() {
        document.error(at!["references", i], "published values need [[references.channels]]", findings);
        return None;
    }
    let Some(source) = &table.source else {
        document.error(at!["references", i], "published values need a 'source': where they were printed", findings);
        return None;
    };
    let mut channels = Vec::new();
    for (k, channel) in table.channels.iter().enumerate() {
        let way = at!["references", i, "channels", k];
        let Some(quantity) = quantity(document, way, channel, layout, findings) else { continue };
        if !channel.columns.is_empty() {
            document.error(way, "published values have no 'columns'; write times_s and values", findings);
        }
        let scalar = matches!(quantity, Quantity::Scalar(_));
        let times = if scalar && channel.times_s.is_empty() { vec![0.0] } else { channel.times_s.clone() };
        if !times.is_sorted_by(|a, b| a < b) {
            document.error(way, "'times_s' must increase", findings);
        }
        let rows: Vec<Vec<f64>> = channel
            .values
            .iter()
            .map(|row| match row {
                OneOrMany::One(x) => vec![*x],
                OneOrMany::Many(list) => list.clone(),
            })
            .collect();
        let width = quantity.width();
        if rows.len() != times.len() || rows.iter().any(|r| r.len() != width) {
            let text =
                format!("'values' must have {} rows of {width} numbers, one for each of 'times_s'", times.len());
            document.error(way, text, findings);
            continue;
        }
        let Some(uncertainty) = uncertainty(document, way, channel, times.len(), findings) else { continue };
        channels.push(Channel { quantity, times, values: rows.concat(), uncertainty });
    }
    Some(ReferenceKind::Published { source: source.clone(), channels })
}

fn recorded(
    document: &Document,
    i: usize,
    table: &ReferenceTable,
    layout: &Layout,
    files: &Files,
    findings: &mut Findings,
) -> Option<ReferenceKind> {
    let Some(file) = &table.file else {
        document.error(at!["references", i], "a recorded reference needs a 'file'", findings);
        return None;
    };
    if !files.has(file) {
        let text = format!("the recording '{file}' does not exist; paths are relative to this file's folder");
        document.error(at!["references", i, "file"], text, findings);
        return None;
    }
    if table.channels.is_empty() {
        let text = "a recorded reference needs [[references.channels]] that say what its columns mean";
        document.error(at!["references", i], text, findings);
        return None;
    }
    let mut mapping = Vec::new();
    for (k, channel) in table.channels.iter().enumerate() {
        let way = at!["references", i, "channels", k];
        let Some(quantity) = quantity(document, way, channel, layout, findings) else { continue };
        if channel.columns.len() != quantity.width() {
            let text = format!("'columns' must name the {} columns of this quantity", quantity.width());
            document.error(way, text, findings);
            continue;
        }
        let Some(uncertainty) = uncertainty(document, way, channel, 1, findings) else { continue };
        mapping.push(ChannelMap { quantity, columns: channel.columns.clone(), uncertainty: uncertainty[0] });
    }
    Some(ReferenceKind::Recorded { file: files.path(file), mapping })
}

fn uncertainty(
    document: &Document,
    way: &[Step],
    channel: &ChannelTable,
    count: usize,
    findings: &mut Findings,
) -> Option<Vec<f64>> {
    let list = match &channel.uncertainty {
        OneOrMany::One(x) => vec![*x; count],
        OneOrMany::Many(list) => list.clone(),
    };
    if list.len() == count && list.iter().all(|x| *x >= 0.0) {
        return Some(list);
    }
    let text = format!("'uncertainty' must be a number that is not negative, or a list of {count} of them");
    document.error(way, text, findings);
    None
}

/// The one quantity that a channel names.
fn quantity(
    document: &Document,
    way: &[Step],
    channel: &ChannelTable,
    layout: &Layout,
    findings: &mut Findings,
) -> Option<Quantity> {
    let given: Vec<(&str, &String)> = [
        ("joint", &channel.joint),
        ("joint_speed", &channel.joint_speed),
        ("position_of", &channel.position_of),
        ("velocity_of", &channel.velocity_of),
        ("orientation_of", &channel.orientation_of),
        ("spin_of", &channel.spin_of),
        ("scalar", &channel.scalar),
    ]
    .into_iter()
    .filter_map(|(key, name)| name.as_ref().map(|name| (key, name)))
    .collect();
    let [(key, name)] = given.as_slice() else {
        let text = "a channel needs exactly one of joint, joint_speed, position_of, velocity_of, orientation_of, \
                    spin_of and scalar";
        document.error(way, text, findings);
        return None;
    };
    if *key == "scalar" {
        return Some(Quantity::Scalar((*name).clone()));
    }
    let of_joint = key.starts_with("joint");
    let slot = if of_joint { layout.joint(name) } else { layout.body(name) };
    let Some(slot) = slot else {
        let all: Vec<&str> = if of_joint {
            layout.joints.iter().map(|j| j.name.as_str()).collect()
        } else {
            layout.bodies.iter().map(|b| b.name.as_str()).collect()
        };
        let what = if of_joint { "joint" } else { "body" };
        document.error(way, format!("there is no {what} '{name}'; {}", hint(name, all.iter().copied())), findings);
        return None;
    };
    if of_joint && layout.joints[slot].kind.dof_count() != 1 {
        let text = format!(
            "joint '{name}' has {} degrees of freedom; use its body instead",
            layout.joints[slot].kind.dof_count()
        );
        document.error(way, text, findings);
        return None;
    }
    let point = channel.point_m.unwrap_or_default();
    Some(match *key {
        "joint" => Quantity::JointPosition(slot),
        "joint_speed" => Quantity::JointSpeed(slot),
        "position_of" => Quantity::Point { body: slot, point },
        "velocity_of" => Quantity::PointVelocity { body: slot, point },
        "orientation_of" => Quantity::Orientation(slot),
        _ => Quantity::Spin(slot),
    })
}
