//! Problems saved as text are read back to the last bit and rejected with a line number where they are broken; the recorded
//! files equal the scenes they are named after.
//!
//! `VERACITY_WRITE=1 cargo test -p veracity-lcp --test recorded_problems` rewrites the files.

use veracity_lcp::fixtures::bodies::Stepped;
use veracity_lcp::fixtures::{FixtureOperator, read, scenes, write};

/// File, and the scene it was recorded from.
fn recordings() -> Vec<(&'static str, Stepped)> {
    vec![
        ("block_row_3", scenes::block_row(3, 100.0)),
        ("stack_3", scenes::stack(&[1.0, 2.0, 4.0], 0.5)),
        ("slope_sticks", scenes::slope_on_four(0.45, 1.1, 0.5)),
        ("slope_slides", scenes::slope_on_four(0.7, 1.1, 0.5)),
        ("pile_8", scenes::pile(8, 0.4, 3)),
    ]
}

#[test]
fn files_equal_their_scenes() {
    for (name, scene) in recordings() {
        let file = format!("{}/fixtures/{name}.txt", env!("CARGO_MANIFEST_DIR"));
        let text = write(&scene.operator, &scene.b, &scene.laws);
        if std::env::var_os("VERACITY_WRITE").is_some() {
            std::fs::write(&file, &text).unwrap();
        }
        let found = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{file}: {e}"));
        assert!(
            found == text,
            "{file} differs from its scene; run this test with VERACITY_WRITE=1 if that is intended"
        );
    }
}

#[test]
fn what_is_written_is_read_back_to_the_last_bit() {
    for (name, scene) in recordings() {
        let text = write(&scene.operator, &scene.b, &scene.laws);
        let again = read(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(again.b, scene.b);
        assert_eq!(again.laws, scene.laws);
        let FixtureOperator::Factored(operator) = &again.operator else {
            panic!("a factored operator is read as one")
        };
        assert_eq!(write(operator, &again.b, &again.laws), text);
    }
}

#[test]
fn a_broken_text_is_rejected_with_its_line() {
    let scene = scenes::slope(0.5, 0.0, 0.0, [0.5; 2], 0.0);
    let good = write(&scene.operator, &scene.b, &scene.laws);
    for (from, to, line, what) in [
        ("veracity-lcp 2", "veracity-lcp 3", 1, "version 3"),
        ("veracity-lcp 2", "nonsense", 1, "expected `veracity-lcp 2`"),
        ("velocities 6", "velocities 5", 6, "of 5 velocities"),
        ("velocities 6", "velocities 99999999999", 2, "not a count"),
        ("block friction 0.5 0.5", "block glue", 3, "unknown law `glue`"),
        ("block friction 0.5 0.5", "block friction 0.5", 3, "unknown law `friction` with 1 numbers"),
        ("segment 0 6", "segment 3 6", 6, "from 3"),
    ] {
        let bad = good.replacen(from, to, 1);
        let error = read(&bad).expect_err(to);
        assert_eq!(error.line, line, "{error}");
        assert!(error.to_string().contains(what), "{error}");
    }
    let cut = &good[..good.len() / 2];
    assert!(read(cut).is_err());
}
