//! Files that `veracity init` writes: a pendulum, ready to run and to change.

use crate::file::{json_schema, scenario_file::ScenarioFile, study_file::StudyFile, trace_file::TraceFile};

/// Every file with its name, to be written into one folder.
pub fn files() -> Vec<(&'static str, String)> {
    vec![
        ("my_pendulum.urdf", include_str!("my_pendulum.urdf").to_string()),
        ("my_pendulum.toml", include_str!("my_pendulum.toml").to_string()),
        ("my_study.toml", include_str!("my_study.toml").to_string()),
        ("schema/scenario.json", scenario_schema()),
        ("schema/study.json", study_schema()),
    ]
}

/// The JSON Schema of scenario files, for editors.
pub fn scenario_schema() -> String {
    pretty(json_schema::<ScenarioFile>())
}

/// The JSON Schema of study files, for editors.
pub fn study_schema() -> String {
    pretty(json_schema::<StudyFile>())
}

/// The JSON Schema of trace files, for editors.
pub fn trace_schema() -> String {
    pretty(json_schema::<TraceFile>())
}

fn pretty(value: serde_json::Value) -> String {
    // A value of strings, numbers, lists and objects can always be serialised.
    serde_json::to_string_pretty(&value).expect("a JSON value can be written") + "\n"
}
