//! Damaged documents never make the MJCF importer panic or hang: it loads a valid model or reports why not.

use proptest::prelude::*;
use std::path::Path;
use veracity_model::import::{ImportOptions, load_bytes};

const DOCUMENTS: [&str; 8] = [
    include_str!("mjcf/joints.xml"),
    include_str!("mjcf/inertia.xml"),
    include_str!("mjcf/inertia_repaired.xml"),
    include_str!("mjcf/inertia_always_from_geoms.xml"),
    include_str!("mjcf/meshes.xml"),
    include_str!("mjcf/actuators.xml"),
    include_str!("mjcf/constraints.xml"),
    include_str!("mjcf/inertia_ellipsoid_shell.xml"),
];

/// Replacements for numbers, names and keywords.
const VALUES: [&str; 22] = [
    "",
    "0",
    "-1",
    "1e308",
    "-1e308",
    "1e-320",
    "inf",
    "nan",
    "1e999",
    "0 0 0",
    "1 2",
    "1 2 3 4 5 6 7 8 9",
    "true",
    "false",
    "world",
    "b",
    "hinge",
    "mesh",
    "4294967296",
    "-9223372036854775808",
    "0x10",
    "\u{1F916} \u{0}",
];

fn survives(text: &str) {
    let imported = load_bytes(text.as_bytes(), Path::new("damaged.xml"), &ImportOptions::default());
    // Either a model or a reason.
    assert!(imported.world.is_some() || imported.findings.has_errors());
}

/// Start and end of every attribute value.
fn values(text: &str) -> Vec<(usize, usize)> {
    let quotes: Vec<usize> = text.match_indices('"').map(|(i, _)| i).collect();
    quotes.chunks_exact(2).map(|pair| (pair[0] + 1, pair[1])).collect()
}

/// Start and end of every tag.
fn tags(text: &str) -> Vec<(usize, usize)> {
    text.match_indices('<').filter_map(|(i, _)| Some((i, i + text[i..].find('>')? + 1))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn values_exchanged(document in 0..DOCUMENTS.len(), changes in prop::collection::vec((any::<prop::sample::Index>(), 0..VALUES.len()), 1..6)) {
        let mut text = DOCUMENTS[document].to_string();
        for (which, value) in changes {
            let list = values(&text);
            let (start, end) = list[which.index(list.len())];
            text.replace_range(start..end, VALUES[value]);
        }
        survives(&text);
    }

    #[test]
    fn tags_removed_or_doubled(document in 0..DOCUMENTS.len(), changes in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 1..4)) {
        let mut text = DOCUMENTS[document].to_string();
        for (which, double) in changes {
            let list = tags(&text);
            let (start, end) = list[which.index(list.len())];
            if double {
                let copy = text[start..end].to_string();
                text.insert_str(start, &copy);
            } else {
                text.replace_range(start..end, "");
            }
        }
        survives(&text);
    }

    #[test]
    fn attributes_renamed_to_others(document in 0..DOCUMENTS.len(), from in any::<prop::sample::Index>(), to in any::<prop::sample::Index>()) {
        let text = DOCUMENTS[document];
        let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
        let (old, new) = (words[from.index(words.len())], words[to.index(words.len())]);
        survives(&text.replace(old, new));
    }

    #[test]
    fn bytes_lost(document in 0..DOCUMENTS.len(), at in any::<prop::sample::Index>(), length in 1usize..200) {
        let bytes = DOCUMENTS[document].as_bytes();
        let start = at.index(bytes.len());
        let mut left = bytes[..start].to_vec();
        left.extend(bytes.iter().skip(start + length));
        survives(&String::from_utf8_lossy(&left));
    }
}

#[test]
fn a_deep_chain_of_bodies_is_read() {
    // The maximum depth that the XML reader accepts.
    let depth = 500;
    let body = "<body pos='0 0 1'><joint/><geom size='0.1'/>";
    let text = format!("<mujoco><worldbody>{}{}</worldbody></mujoco>", body.repeat(depth), "</body>".repeat(depth));
    let imported = load_bytes(text.as_bytes(), Path::new("deep.xml"), &ImportOptions::default());
    assert_eq!(imported.world.unwrap().placements[0].model.bodies().len(), depth);
}
