//! The hello of a worker, validated before it is used.

use crate::host::one_line::line;
use crate::message::{Hello, HelloSetting};
use std::path::Path;
use veracity_engine::{Capabilities, Fidelity, Setting, SettingKind};

/// Validated content of a hello.
pub struct Known {
    pub name: &'static str,
    pub version: String,
    pub about: &'static str,
    pub settings: &'static [Setting],
    pub wants_scene: bool,
    pub takes_loops: bool,
    /// Files that decide what it computes, in addition to those the kernel shows.
    pub files: Vec<String>,
}

/// Longest hello [bytes]; a normal one has a few kilobytes.
const LONGEST: usize = 1 << 20;
/// Most settings; more than any engine has.
const MOST_SETTINGS: usize = 1000;
const LONGEST_NAME: usize = 64;

/// Reads a hello. `found_as` is the engine name in its file name, if it has one.
pub fn read(text: &str, path: &Path, found_as: Option<&str>) -> Result<Known, String> {
    let wrong = |what: String| format!("{} sent an invalid hello: {what}", path.display());
    if text.len() > LONGEST {
        return Err(wrong(format!("{} bytes are too long", text.len())));
    }
    let hello: Hello = serde_json::from_str(text).map_err(|e| wrong(line(&e.to_string())))?;
    if hello.protocol != crate::PROTOCOL {
        return Err(format!(
            "{} speaks version {} of the protocol, this program version {}: rebuild both",
            path.display(),
            hello.protocol,
            crate::PROTOCOL
        ));
    }
    let name = line(&hello.name);
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(is_word) {
        return Err(wrong(format!("'{name}' is not a valid engine name: use letters, digits, '_' and '-'")));
    }
    if let Some(found_as) = found_as.filter(|found_as| *found_as != name) {
        return Err(wrong(format!(
            "it calls itself '{name}', but its file is named '{found_as}': name the file veracity-engine-{name}"
        )));
    }
    let wants_scene = match hello.world.as_str() {
        "scene" => true,
        "stored" => false,
        other => return Err(wrong(format!("it wants worlds as '{}': must be 'stored' or 'scene'", line(other)))),
    };
    if hello.version.trim().is_empty() {
        return Err(wrong("it gives no version".to_string()));
    }
    Ok(Known {
        name: leak(&name),
        version: line(&hello.version),
        about: leak(&line(&hello.about)),
        settings: Vec::leak(settings(&hello.settings).map_err(wrong)?),
        wants_scene,
        takes_loops: hello.loops,
        files: hello.files,
    })
}

fn settings(said: &[HelloSetting]) -> Result<Vec<Setting>, String> {
    if said.len() > MOST_SETTINGS {
        return Err(format!("{} settings are more than {MOST_SETTINGS}", said.len()));
    }
    let mut settings: Vec<Setting> = Vec::new();
    for said in said {
        let setting = setting(said)?;
        if let Some(fault) = setting.fault() {
            return Err(fault);
        }
        // Two paradigms of an engine may use one key for different settings; the same setting twice is an error.
        let same = |s: &Setting| {
            s.key == setting.key && s.text == setting.text && format!("{:?}", s.kind) == format!("{:?}", setting.kind)
        };
        if settings.iter().any(same) {
            return Err(format!("it has the setting '{}' twice", setting.key));
        }
        settings.push(setting);
    }
    Ok(settings)
}

fn setting(s: &HelloSetting) -> Result<Setting, String> {
    let key = line(&s.key);
    let kind = match (&s.choice, &s.integer, &s.real) {
        (Some(words), None, None) => SettingKind::Choice(Vec::leak(words.iter().map(|w| leak(w)).collect())),
        (None, Some([low, high]), None) => SettingKind::Integer(*low, *high),
        (None, None, Some([low, high])) => match (low.parse(), high.parse()) {
            (Ok(low), Ok(high)) => SettingKind::Real(low, high),
            _ => return Err(format!("the range of the setting '{key}' is not two numbers")),
        },
        _ => return Err(format!("the setting '{key}' must have exactly one of choice, integer and real")),
    };
    Ok(Setting { key: leak(&key), kind, default: leak(&s.default), text: leak(&line(&s.text)) })
}

/// Reads the capabilities of a worker.
pub fn capabilities(text: &str) -> Result<Capabilities, String> {
    let said: Capabilities = serde_json::from_str(text).map_err(|e| line(&e.to_string()))?;
    match said.snapshot {
        Fidelity::Approximate { difference } if !(difference.is_finite() && difference >= 0.0) => {
            Err(format!("invalid difference of its snapshots: {difference}"))
        }
        _ => Ok(said),
    }
}

/// Names live as long as the program: each worker says hello once.
pub fn leak(text: &str) -> &'static str {
    Box::leak(text.to_string().into_boxed_str())
}
