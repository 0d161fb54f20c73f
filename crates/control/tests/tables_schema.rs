//! The tables describe themselves to editors, and docs/controllers.md is made of what they say.
//!
//! `VERACITY_WRITE=1 cargo test -p veracity-control --test tables_schema` writes the page anew.

use schemars::{JsonSchema, schema_for};
use serde_json::Value;
use std::path::Path;
use veracity_control::config::{JointLaw, Schedule, Sinusoid, WrenchConfig};
use veracity_control::{CONTROLLERS, ControllerConfig, SENSORS, SensorConfig};

fn schema<T: JsonSchema>() -> Value {
    serde_json::to_value(schema_for!(T)).unwrap()
}

/// Every key with what is said of it.
fn keys(schema: &Value) -> Vec<(String, String)> {
    let properties = schema["properties"].as_object().expect("a table");
    let one = |(key, value): (&String, &Value)| {
        let text = value["description"].as_str().unwrap_or_default().replace('\n', " ");
        (key.clone(), text)
    };
    properties.iter().map(one).collect()
}

#[test]
fn every_key_is_described_and_no_other_is_taken() {
    let tables = [
        schema::<ControllerConfig>(),
        schema::<SensorConfig>(),
        schema::<JointLaw>(),
        schema::<Sinusoid>(),
        schema::<Schedule>(),
        schema::<WrenchConfig>(),
    ];
    for table in &tables {
        assert_eq!(table["additionalProperties"], Value::Bool(false), "{}", table["title"]);
        let silent: Vec<_> = keys(table).into_iter().filter(|(_, text)| text.is_empty()).collect();
        assert!(silent.is_empty(), "{}: {silent:?}", table["title"]);
    }
    // What the slices name exists.
    let has = |table: &Value, key: &str| table["properties"].get(key).is_some();
    assert!(CONTROLLERS.iter().flat_map(|k| k.keys).all(|key| has(&tables[0], key)));
    assert!(SENSORS.iter().flat_map(|k| k.keys).all(|key| has(&tables[1], key)));
}

#[test]
fn a_table_written_and_read_again_is_the_same() {
    let text = r#"
        name = "arm"
        kind = "pid"
        period_s = 0.002
        form = "drive"
        drive_forms = ["implicit", "continuous"]
        joints.a = { kp = 1, ki = 2, integral_limit = 3, target = { times_s = [0, 1], values = [2, 3] } }
        joints.b = { kp = 4, kd = 5, target = { amplitude = 1, omega_rad_s = 2 }, feed_forward = 6 }
    "#;
    let read: ControllerConfig = toml::from_str(text).unwrap();
    let json = serde_json::to_string(&read).unwrap();
    assert_eq!(serde_json::from_str::<ControllerConfig>(&json).unwrap(), read);
    let sensor: SensorConfig =
        toml::from_str("name = 's'\nkind = 'imu'\nbody = 'b'\nnoise_std = [0.1, 0.01]\nbias = 1").unwrap();
    let json = serde_json::to_string(&sensor).unwrap();
    assert_eq!(serde_json::from_str::<SensorConfig>(&json).unwrap(), sensor);
}

fn expected() -> String {
    let mut page = String::from(
        "# Controllers and sensors of a scenario\n\n\
         A scenario's `[[controllers]]` and `[[sensors]]` tables. Times become whole nanoseconds; an engine of fixed steps\n\
         takes only whole numbers of its steps. Without sensors, controllers see ideal encoders of all joints; an encoder table\n\
         replaces those of its joints. Names are `placement/name`, or the bare name where only one has it; a joint of several\n\
         degrees of freedom is `name/0`, `name/1` …\n\n\
         This page is written by a test from the tables' own descriptions.\n\n## Kinds of controllers\n",
    );
    for kind in CONTROLLERS {
        page += &format!("\n- `{}`: {}. Keys: `{}`.", kind.name, kind.text, kind.keys.join("`, `"));
    }
    page += "\n\n## Kinds of sensors\n";
    for kind in SENSORS {
        page += &format!(
            "\n- `{}`: {}. Keys: `{}`. Groups: {}.",
            kind.name,
            kind.text,
            kind.keys.join("`, `"),
            kind.groups.join(", ")
        );
    }
    page += "\n";
    for (title, table) in [
        ("`[[controllers]]`", schema::<ControllerConfig>()),
        ("A law of `joints` or `actuators`", schema::<JointLaw>()),
        ("A sinusoid, where a number may change with time", schema::<Sinusoid>()),
        ("A schedule, where a number may change with time", schema::<Schedule>()),
        ("One of `wrenches`", schema::<WrenchConfig>()),
        ("`[[sensors]]`", schema::<SensorConfig>()),
    ] {
        page += &format!("\n## {title}\n\n| key | meaning |\n|---|---|\n");
        for (key, text) in keys(&table) {
            page += &format!("| `{key}` | {} |\n", text.replace('|', "\\|"));
        }
    }
    page
}

#[test]
fn the_page_says_what_the_tables_say() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/controllers.md");
    if std::env::var_os("VERACITY_WRITE").is_some() {
        std::fs::write(&file, expected()).unwrap();
    }
    let found = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(found == expected(), "docs/controllers.md is out of date; run this test with VERACITY_WRITE=1");
}
