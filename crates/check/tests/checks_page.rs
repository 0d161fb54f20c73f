//! docs/checks.md is generated from the list and from the head comment of each inspection's file.
//!
//! `VERACITY_WRITE=1 cargo test -p veracity-check --test checks_page` rewrites the page.

use std::path::{Path, PathBuf};
use veracity_check::{CHECKS, EXPERIMENT_CHECKS};

fn page_file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/checks.md")
}

/// The head comment of an inspection's file.
fn head_comment(folder: &str, code: &str) -> String {
    let file = format!("{}/src/{folder}/{}.rs", env!("CARGO_MANIFEST_DIR"), code.replace('-', "_"));
    let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{code} has no file {file}: {e}"));
    let lines = text.lines().take_while(|l| l.starts_with("//!"));
    lines.map(|l| l.trim_start_matches("//!").strip_prefix(' ').unwrap_or("")).collect::<Vec<_>>().join("\n")
}

fn expected() -> String {
    let mut page = String::from(
        "# What `veracity check` looks at\n\n\
         Each check has a code, which is stable, and gives findings with file and line. An error rejects the model; a\n\
         warning is to be read before a result is trusted; a note changes no result. Readers of files have findings of their\n\
         own, which say themselves what to do. A finding a model's authors know about is listed in the `.toml` beside the\n\
         model and does not count.\n\n\
         This page is written by a test from the checks' own files.\n\n\
         ## The pose that is checked\n\n\
         A robot is judged at the start its files mean, and the report says which: the keyframe that the `.toml` beside the\n\
         file names as `start`, else the keyframe `home`, else the first one, else the initial positions. Keyframes are MJCF\n\
         `<key>` elements, `[[keyframe]]` tables of the `.toml`, and `<group_state>` elements of the SRDF that `--srdf` names\n\
         or that has the name of the URDF or of the robot, beside it or in `../srdf`. What is wrong only at the initial\n\
         positions, where a run starts that names no keyframe, is a warning.\n\n\
         ## Parts that do not load\n\n\
         A missing `<mass>` (`mass-missing`), a joint that mimics none (`mimic`), mass that could not be read (`mass-lost`: a\n\
         geom whose mesh is missing, an `<attach>` of a kind that is not read, `<composite>`, `<flexcomp>`) and a size or scale of a collision shape that is\n\
         not a number (`shape-number`) are errors about one part: the rest of the robot is loaded and judged, and nothing runs\n\
         it. Where mass could not be read and nothing else is wrong, the verdict is *cannot tell*. A collision shape without\n\
         size (`shape-size`) is left out with a warning. An OBJ file that an MJCF file names is read as MuJoCo reads it; what that\n\
         leaves out (every object but the first, polygons that are not filled) is a warning (`mesh-partial`). A file without any\n\
         body (`empty`) cannot be judged.\n\n\
         ## Which files are read\n\n\
         A model may name any file. `../meshes/a.stl`, absolute paths, `package://robot/../a.stl` and symbolic links are\n\
         followed, as packages of real robots need it: checking a file reads whatever it names. For untrusted files,\n\
         `--confine` allows only files that lie in the folder of the model (of the scenario, for commands that take one) and\n\
         in the folders given with `--package-path`, after `..` and links are resolved; anything else is reported as missing,\n\
         with the reason.\n",
    );
    for check in CHECKS {
        page += &format!(
            "\n## `{}`\n\nAsks that {}.\n\n{}\n",
            check.code,
            check.text,
            head_comment("checks", check.code)
        );
    }
    page += "\n# What is inspected before engines are compared\n\n\
             An experiment is inspected before an engine is blamed: everything above, at the experiment's own start, everything\n\
             the readers of its files found, and these. What a model's authors know is said as well, as a warning at most.\n";
    for check in EXPERIMENT_CHECKS {
        let comment = head_comment("experiment", check.code);
        page += &format!("\n## `{}`\n\nAsks that {}.\n\n{comment}\n", check.code, check.text);
    }
    page
}

#[test]
fn the_page_says_what_the_files_say() {
    let expected = expected();
    if std::env::var_os("VERACITY_WRITE").is_some() {
        std::fs::write(page_file(), &expected).unwrap();
    }
    let found = std::fs::read_to_string(page_file()).unwrap_or_default();
    assert!(found == expected, "docs/checks.md is out of date; run this test with VERACITY_WRITE=1");
}
