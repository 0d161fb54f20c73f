//! Damaged recordings: every reader ends without a panic and in bounded memory, whatever was done to its file. Also
//! files made to expand to a thousand times their size.

#[path = "../../model/tests/mutants/mod.rs"]
mod mutants;

use mutants::{Seed, hold};
use std::path::{Path, PathBuf};
use veracity_mocap::readers::{self, ReadOptions, lines::Lines, signals, vsk};
use veracity_mocap::synthetic::ball::{Ball, roll};
use veracity_mocap::synthetic::c3d_file::{self, Style};
use veracity_mocap::synthetic::cameras::{Ring, markers_on_ball, see};
use veracity_mocap::synthetic::lamp::{Filming, film};
use veracity_mocap::synthetic::{files, truth};
use veracity_record::table_of_track::{read_track, write_track};

#[global_allocator]
static MEMORY: veracity_counting::Counting = veracity_counting::Counting;

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("mutants-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn damaged_recordings_are_rejected_or_read() {
    let count = if std::env::var_os("VERACITY_FULL").is_some() { 400_000 } else { 400 };
    let place = folder("recordings");
    let record = roll(&Ball::default(), 0.3, 5).unwrap();
    let motion = truth(&record, "body", 100.0).unwrap();
    let model = markers_on_ball(5, 0.04, &[0.0; 3]);
    let stream = see(&motion, &model, &[0.0; 3], &Ring::default(), 2);
    files::vicon(&place.join("a.txt"), &motion).unwrap();
    files::csv(&place.join("a.csv"), &motion).unwrap();
    files::trc(&place.join("a.trc"), &stream).unwrap();
    files::vsk(&place.join("a.vsk"), &model).unwrap();
    c3d_file::write(&place.join("a.c3d"), &stream, Style { mips: false, words: false }).unwrap();
    c3d_file::write(&place.join("b.c3d"), &stream, Style { mips: true, words: true }).unwrap();
    veracity_record::write_mcap(&record, &place.join("a.mcap")).unwrap();
    veracity_record::write_csv(&record, &place.join("b.csv")).unwrap();
    write_track(&record, &place.join("a.parquet")).unwrap();
    let times: Vec<f64> = (0..500).map(|i| f64::from(i) * 0.01).collect();
    let angles: Vec<f64> = times.iter().map(|t| 12.0 * t).collect();
    files::signals(&place.join("s.txt"), &film(&times, &angles, &Filming::default(), 1)).unwrap();

    // Each mutant is written to a file, because these readers read files.
    let at = |ending: &str| place.join(format!("mutant.{ending}"));
    let through = |path: PathBuf, read: fn(&Path)| {
        move |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            read(&path);
        }
    };
    let poses: fn(&Path) = |path| drop(readers::read(path, None, &ReadOptions::default()));
    let markers: fn(&Path) = |path| {
        drop(readers::read_markers(path, None, &ReadOptions::default()));
        drop(readers::read(path, None, &ReadOptions::default()));
    };
    let (text, csv, trc) = (through(at("txt"), poses), through(at("csv"), poses), through(at("trc"), markers));
    let (c3d, mcap) = (through(at("c3d"), markers), through(at("mcap"), poses));
    let ours = through(at("ours.mcap"), |path| drop(veracity_record::mcap::read_mcap(path)));
    let table = through(at("table.csv"), |path| drop(veracity_record::csv::read_csv(path)));
    let parquet = through(at("parquet"), |path| drop(read_track(path)));
    let model = through(at("vsk"), |path| drop(vsk::read(path)));
    let lamp = |bytes: &[u8]| {
        if let Ok(file) = signals::read_lines(Lines::new(Path::new("s.txt"), bytes)) {
            file.counts();
        }
    };
    let bytes = |name: &str| std::fs::read(place.join(name)).unwrap();
    let seeds = [
        Seed { name: "vicon", bytes: bytes("a.txt"), read: &text },
        Seed { name: "csv", bytes: bytes("a.csv"), read: &csv },
        Seed { name: "trc", bytes: bytes("a.trc"), read: &trc },
        Seed { name: "c3d", bytes: bytes("a.c3d"), read: &c3d },
        Seed { name: "c3d of words", bytes: bytes("b.c3d"), read: &c3d },
        Seed { name: "mcap", bytes: bytes("a.mcap"), read: &mcap },
        Seed { name: "record in mcap", bytes: bytes("a.mcap"), read: &ours },
        Seed { name: "table", bytes: bytes("b.csv"), read: &table },
        Seed { name: "parquet", bytes: bytes("a.parquet"), read: &parquet },
        Seed { name: "vsk", bytes: bytes("a.vsk"), read: &model },
        Seed { name: "signals", bytes: bytes("s.txt"), read: &lamp },
    ];
    let outcome = hold(&seeds, count);
    let _ = std::fs::remove_dir_all(&place);
    assert!(outcome.failures.is_empty(), "{}", outcome.failures.join("\n"));
    println!(
        "ACCEPT mutants-recordings: {} mutants sum; {} panics sum; {:.0} MiB max",
        outcome.mutants,
        outcome.failures.len(),
        outcome.peak_bytes as f64 / 1048576.0
    );
}

/// The scale of a C3D file says by its sign how points are stored; one without a sign made the reader index past a frame.
#[test]
fn a_c3d_scale_that_is_not_a_number_is_rejected() {
    let place = folder("scale");
    let record = roll(&Ball::default(), 0.3, 5).unwrap();
    let motion = truth(&record, "body", 100.0).unwrap();
    let stream = see(&motion, &markers_on_ball(5, 0.04, &[0.0; 3]), &[0.0; 3], &Ring::default(), 2);
    let path = place.join("a.c3d");
    c3d_file::write(&path, &stream, Style { mips: false, words: false }).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let name = bytes.windows(5).position(|w| w == b"SCALE").unwrap();
    // After the name: two bytes of offset, the kind, the number of dimensions (none), the float.
    assert_eq!(bytes[name + 7..name + 9], [4, 0], "the scale is one float");
    bytes[name + 9..name + 13].copy_from_slice(&f32::NAN.to_le_bytes());
    std::fs::write(&path, &bytes).unwrap();
    let Err(error) = readers::read_markers(&path, None, &ReadOptions::default()) else { panic!("it was read") };
    assert!(error.to_string().contains("invalid scale"), "{error}");
    std::fs::remove_dir_all(place).unwrap();
}

/// Thousands of parameters that refer to the same bytes; copying them used gigabytes.
#[test]
fn overlapping_parameters_of_a_c3d_file_share_their_bytes() {
    let blocks = 255usize;
    let mut file = vec![0u8; 512 + blocks * 512];
    (file[0], file[1]) = (2, 0x50);
    (file[512 + 2], file[512 + 3]) = (blocks as u8, 84);
    // Each: a name of one letter, group 1, the next one six bytes after the name, 250 times 60 numbers of four bytes.
    let mut at = 512 + 4;
    while at + 9 + 60_000 < file.len() {
        file[at..at + 9].copy_from_slice(&[1, 1, b'A', 6, 0, 4, 2, 250, 60]);
        at += 9;
    }
    let place = folder("overlapping");
    let path = place.join("a.c3d");
    std::fs::write(&path, &file).unwrap();
    let (read, peak) = veracity_counting::peak_bytes(|| readers::read(&path, None, &ReadOptions::default()));
    assert!(read.is_err());
    assert!(peak < 16 << 20, "{} bytes of file took {peak} bytes", file.len());
    let _ = std::fs::remove_dir_all(&place);
}

#[test]
fn a_marker_model_is_read_under_the_limits_of_xml() {
    let place = folder("vsk");
    let path = place.join("a.vsk");
    let bomb = "<!DOCTYPE m [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;\">]><m>&b;</m>";
    std::fs::write(&path, bomb).unwrap();
    let said = vsk::read(&path).unwrap_err().to_string();
    assert!(said.contains("DTD"), "{said}");
    std::fs::write(&path, format!("{}{}", "<a>".repeat(100_000), "</a>".repeat(100_000))).unwrap();
    let said = vsk::read(&path).unwrap_err().to_string();
    assert!(said.contains("invalid XML"), "{said}");
    let said = vsk::read(Path::new("/dev/zero")).unwrap_err().to_string();
    assert!(said.contains("more than"), "{said}");
    let _ = std::fs::remove_dir_all(&place);
}
