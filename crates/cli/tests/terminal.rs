//! Names cannot manipulate a terminal: line breaks, escape sequences and characters that change the direction of
//! writing are shown escaped.

use std::path::PathBuf;
use std::process::{Command, Output};

fn veracity(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_veracity"));
    command.args(arguments).env("NO_COLOR", "1").env("VERACITY_WORKERS", "").output().unwrap()
}

fn write(name: &str, text: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("terminal");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// A robot in which every name is `NAME`.
fn robot(name: &str) -> String {
    r#"<robot name="NAME"><link name="NAME"/><link name="b NAME"><inertial><mass value="-1"/><inertia ixx="1" iyy="1" izz="1"
    ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="NAME" type="revolute"><parent link="NAME"/><child link="b NAME"/>
    <axis xyz="0 1 0"/></joint><material name="NAME"/><NAME/></robot>"#
        .replace("<NAME/>", "<unknown_element/>")
        .replace("NAME", name)
}

#[test]
fn names_forge_no_line_and_send_no_escape_sequence() {
    // XML does not allow ESC, but it allows C1 controls, line breaks and characters that change the text direction.
    let forged = "x&#10;veracity: accepted&#x9b;31m&#x202e;&#x7f;";
    let urdf = write("forged.urdf", &robot(forged));
    let toml = write(
        "forged.toml",
        "schema = 1\nname = \"x\\u001b[2J\"\ntitle = \"a\\u001b]0;t\\u0007\\nveracity: accepted\"\nduration_s = \"\\u001b[31m\"\n",
    );
    let worker = write("veracity-engine-x", "#!/bin/sh\nprintf '\\033[31mforged\\n'; exit 1\n");
    let commands: [&[&str]; 5] = [
        &["check", &urdf],
        &["check", "--json", &urdf],
        &["run", &urdf],
        &["run", &toml],
        &["run", "no\u{1b}[31m\nveracity: accepted\u{202e}"],
    ];
    for command in commands {
        let output = veracity(command);
        for text in [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()) {
            let bad = text.chars().find(|c| (c.is_control() && *c != '\n') || ('\u{202a}'..='\u{202e}').contains(c));
            assert_eq!(bad, None, "{command:?}: {text:?}");
            assert!(!text.lines().any(|line| line.starts_with("veracity: accepted")), "{command:?}: {text}");
        }
    }
    assert!(std::path::Path::new(&worker).is_file());
    let told = String::from_utf8_lossy(&veracity(&["check", &urdf]).stdout).into_owned();
    assert!(told.contains("name-control"), "{told}");
}
