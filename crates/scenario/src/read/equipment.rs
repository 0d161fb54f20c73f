//! `[[controllers]]` and `[[sensors]]`.

use super::times::Times;
use crate::equipment::problems;
use crate::file::document::{Document, Step, at};
use veracity_control::{ControlError, ControllerConfig, SensorConfig};
use veracity_model::{Findings, World};

/// Reports what is wrong with controllers and sensors, each at its line.
pub(super) fn check(
    document: &Document,
    world: &World,
    controllers: &[ControllerConfig],
    sensors: &[SensorConfig],
    times: Option<&Times>,
    findings: &mut Findings,
) {
    let names: [(&str, Vec<&str>); 2] = [
        ("controllers", controllers.iter().map(|c| c.name.as_str()).collect()),
        ("sensors", sensors.iter().map(|s| s.name.as_str()).collect()),
    ];
    for (word, list) in &names {
        for (i, name) in list.iter().enumerate().filter(|(i, name)| list[..*i].contains(name)) {
            let text = format!("two of [[{word}]] are called '{name}'; give each its own name");
            document.error(at![*word, i, "name"], text, findings);
        }
    }
    let Some(times) = times else { return };
    for ControlError { place, what } in problems(world, controllers, sensors, times.step_ns) {
        document.error(&way(&place, &names), what, findings);
    }
}

/// From `controllers/arm/joints/elbow` to the path in the document, where tables are listed by index.
fn way(place: &str, names: &[(&str, Vec<&str>); 2]) -> Vec<Step> {
    let mut parts = place.split('/');
    let word = parts.next().unwrap_or_default();
    let name = parts.next().unwrap_or_default();
    let mut out = vec![Step::from(word)];
    let list = names.iter().find(|(w, _)| *w == word).map(|(_, list)| list);
    if let Some(index) = list.and_then(|list| list.iter().position(|n| *n == name)) {
        out.push(Step::from(index));
        out.extend(parts.map(Step::from));
    }
    out
}
