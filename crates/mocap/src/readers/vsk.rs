//! `.vsk` marker models: where the markers of a body are, in the frame of its poses.
//!
//! Each number is in the file twice: as `Parameter` with 15 digits and as `Marker POSITION` with 6. Millimetres. The
//! parameters are used if all three of a marker are present.

use crate::steps::rigid::MarkerModel;
use std::collections::BTreeMap;
use std::path::Path;
use veracity_record::FileError;

/// Limit on the file size [bytes]; a model of a few markers is a few kilobytes.
const LARGEST: u64 = 16 << 20;

/// Reads a marker model.
pub fn read(path: &Path) -> Result<MarkerModel, FileError> {
    let bytes = veracity_model::input::read(path, LARGEST).map_err(|e| FileError::read(path, &e))?;
    let text = String::from_utf8_lossy(&bytes);
    parse(path, &text)
}

/// Reads a marker model from its text.
pub fn parse(path: &Path, text: &str) -> Result<MarkerModel, FileError> {
    let document = veracity_model::import::xml::parse(text)
        .map_err(|(line, what)| FileError::damaged(path, format!("line {line}"), format!("invalid XML: {what}")))?;
    let line = |node: &roxmltree::Node| format!("line {}", document.text_pos_at(node.range().start).row);
    let mut parameters: BTreeMap<&str, f64> = BTreeMap::new();
    let mut names = Vec::new();
    let mut positions = Vec::new();
    for node in document.descendants().filter(|n| n.is_element()) {
        match node.tag_name().name() {
            "Parameter" => {
                if let (Some(name), Some(value)) = (node.attribute("NAME"), node.attribute("VALUE")) {
                    let value = value.trim().parse().map_err(|_| {
                        FileError::damaged(path, line(&node), format!("VALUE=\"{value}\" is not a number"))
                    })?;
                    parameters.insert(name, value);
                }
            }
            "Marker" => {
                let (Some(name), Some(place)) = (node.attribute("NAME"), node.attribute("POSITION")) else {
                    continue;
                };
                let numbers: Vec<f64> = place.split_ascii_whitespace().filter_map(|x| x.parse().ok()).collect();
                let [x, y, z] = numbers[..] else {
                    let what = format!("POSITION=\"{place}\" is not three numbers");
                    return Err(FileError::damaged(path, line(&node), what));
                };
                names.push(name.to_string());
                positions.push([x, y, z]);
            }
            _ => {}
        }
    }
    // Names of parameters are `<segment>_<marker>_x`.
    let with_suffix = |marker: &str, axis: &str| {
        let end = format!("{marker}_{axis}");
        let fits =
            |name: &str| name == end || name.strip_suffix(end.as_str()).is_some_and(|rest| rest.ends_with('_'));
        parameters.iter().find(|(name, _)| fits(name)).map(|(_, value)| *value)
    };
    for (name, place) in names.iter().zip(&mut positions) {
        let fine = ["x", "y", "z"].map(|axis| with_suffix(name, axis));
        if let [Some(x), Some(y), Some(z)] = fine {
            *place = [x, y, z];
        }
    }
    if names.len() < 3 {
        let what = format!("a body needs at least three markers, found {}", names.len());
        return Err(FileError::damaged(path, "Markers", what));
    }
    if let Some(bad) = positions.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
        return Err(FileError::damaged(
            path,
            format!("marker {}", names[bad]),
            "its position contains NaN or infinity",
        ));
    }
    let points = positions.iter().map(|p| p.map(|x| x * 1e-3)).collect();
    Ok(MarkerModel { names, points })
}
