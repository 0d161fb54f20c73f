//! Replays recorded commands: each row is held until the next.
//!
//! A record has in its signals `commands/CONTROLLER/CHANNEL` the commands in force in the step that ended at each row;
//! [`of_record`] turns them into a table. Recorded at every step, the replay gives the same efforts bit for bit.

use super::open_loop::OpenLoop;
use super::{Built, ControllerKind, ControllerSite};
use crate::config::ControllerConfig;
use crate::error::ControlError;
use crate::port::Port;
use crate::profile::Course;
use veracity_record::Record;

pub(super) const KIND: ControllerKind = ControllerKind {
    name: "recorded",
    text: "commands from a table of times and values, each held until the next",
    keys: &["times_s", "values"],
    build,
};

fn build(config: &ControllerConfig, site: &ControllerSite<'_>) -> Result<Built, ControlError> {
    let (mut ports, mut courses) = (Vec::new(), Vec::new());
    for (channel, values) in &config.values {
        let place = format!("{}/values/{channel}", site.place);
        ports.push(Port::parse(site.setup.layout, channel).map_err(|what| ControlError::new(&place, what))?);
        courses.push(Course::schedule(&config.times_s, values, false, &site.place)?);
    }
    if ports.is_empty() {
        return Err(ControlError::new(
            format!("{}/values", site.place),
            "it has no columns; name at least one channel",
        ));
    }
    Ok(Built { controller: Box::new(OpenLoop { courses, name: config.name.clone() }), ports })
}

/// The table that replays what a controller of a record commanded, at every step. Rows before its first command are
/// left out.
pub fn of_record(record: &Record, controller: &str) -> Result<ControllerConfig, ControlError> {
    let prefix = format!("commands/{controller}/");
    let columns = || record.track.signals.iter().filter_map(|s| Some((s.name.strip_prefix(&prefix)?, &s.values)));
    let place = format!("controllers/{controller}");
    if columns().next().is_none() {
        let what = format!("the record of '{}' has no signals {prefix}…", record.head.scenario);
        return Err(ControlError::new(place, what));
    }
    let times = &record.track.times;
    let complete = |row: &usize| columns().all(|(_, values)| values.get(*row).is_some_and(|x| x.is_finite()));
    // The first row has no step before it; the second row shows the same command.
    let Some(first) = (1..times.len()).find(complete) else {
        let what = format!("the record of '{}' has no step in which it commanded", record.head.scenario);
        return Err(ControlError::new(place, what));
    };
    Ok(ControllerConfig {
        name: controller.to_string(),
        kind: KIND.name.to_string(),
        phase_s: times[first - 1],
        times_s: times[first - 1..times.len() - 1].to_vec(),
        values: columns().map(|(channel, values)| (channel.to_string(), values[first..].to_vec())).collect(),
        ..Default::default()
    })
}
