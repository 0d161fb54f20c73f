//! Every format of recordings: what is written is read back, and malformed files are reported.

mod support;

use std::io::Write;
use std::path::{Path, PathBuf};
use veracity_mocap::datasets::tosses;
use veracity_mocap::inspect::inspect;
use veracity_mocap::pipeline::{Centre, CleanOptions, clean};
use veracity_mocap::readers::{self, PoseSource, ReadOptions, lines::Lines, signals, vicon::ViconText, vsk};
use veracity_mocap::steps::rigid::MarkerModel;
use veracity_mocap::stream::{MarkerStream, PoseStream, Sample};
use veracity_mocap::synthetic::ball::{Ball, roll};
use veracity_mocap::synthetic::c3d_file::{self, Style};
use veracity_mocap::synthetic::cameras::{Ring, markers_on_ball, see};
use veracity_mocap::synthetic::capture::{Tracker, capture};
use veracity_mocap::synthetic::lamp::{Filming, film};
use veracity_mocap::synthetic::{files, truth};
use veracity_mocap::turns::{between, conjugate, half_angle, minus, norm, rotate};
use veracity_record::write_mcap;

const CENTRE: [f64; 3] = [-1.2e-3, 3.4e-3, 1.8e-3];

/// A separate folder for each test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("mocap-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

fn motion(samples: usize) -> Vec<Sample> {
    let record = roll(&Ball::default(), (samples - 1) as f64 / 100.0, 5).unwrap_or_else(|e| panic!("{e}"));
    truth(&record, "body", 100.0).expect("the record has a body")
}

fn read(path: &Path, options: &ReadOptions) -> PoseStream {
    readers::read(path, None, options).unwrap_or_else(|e| panic!("{e}"))
}

fn same(a: &[Sample], b: &[Sample], place: f64, turn: f64) {
    assert_eq!(a.len(), b.len());
    for (k, (a, b)) in a.iter().zip(b).enumerate() {
        assert_eq!(a.is_known(), b.is_known(), "sample {k}");
        if a.is_known() {
            let off = (norm(&minus(&a.position, &b.position)), 2.0 * half_angle(&a.orientation, &b.orientation));
            assert!(off.0 <= place && off.1 <= turn, "sample {k}: {off:?}");
        }
    }
}

#[test]
fn poses_are_read_back_from_vicon_text_csv_and_mcap() {
    let folder = folder("poses");
    let tracker = Tracker { hidden: 40.0, centre: CENTRE, delay_s: 0.0016, ..Tracker::default() };
    let captured = capture(&motion(1500), &tracker, 1);
    let sent = &captured.stream.samples;
    files::vicon(&folder.join("a.txt"), sent).unwrap();
    let back = read(&folder.join("a.txt"), &ReadOptions::default());
    // Six digits: half a micrometre of a metre, and 1e-6 in each part of a quaternion (whose angle is a square root).
    same(&back.samples, sent, 2e-6, 3e-3);
    assert_eq!(back.notes.count("quaternion-norm"), captured.hidden.len() as u64);
    assert!(!captured.hidden.is_empty());
    let stamps = |s: &[Sample]| s.iter().map(|s| s.stamp_ns - sent[0].stamp_ns).collect::<Vec<i64>>();
    let first = back.samples[0].stamp_ns;
    assert_eq!(back.samples.iter().map(|s| s.stamp_ns - first).collect::<Vec<i64>>(), stamps(sent));

    files::csv(&folder.join("a.csv"), sent).unwrap();
    let back = read(&folder.join("a.csv"), &ReadOptions::default());
    // Every bit is read back; the angle between equal quaternions is the root of a rounding error.
    same(&back.samples, sent, 0.0, 1e-7);
    assert_eq!(stamps(&back.samples), stamps(sent));

    // Our own records as MCAP, and as tables with a column for each number.
    let record = roll(&Ball::default(), 5.0, 5).unwrap();
    write_mcap(&record, &folder.join("a.mcap")).unwrap();
    let back = read(&folder.join("a.mcap"), &ReadOptions::default());
    same(&back.samples, &truth(&record, "body", 100.0).unwrap(), 1e-12, 1e-7);
    veracity_record::write_csv(&record, &folder.join("b.csv")).unwrap();
    let several = readers::read(&folder.join("b.csv"), None, &ReadOptions::default()).unwrap_err().to_string();
    assert!(several.contains("choose with --subject: pose/ball/body, q/ball/free"), "{several}");
    let chosen = ReadOptions { subject: Some("pose/ball/body".into()), ..ReadOptions::default() };
    same(&read(&folder.join("b.csv"), &chosen).samples, &truth(&record, "body", 100.0).unwrap(), 0.0, 1e-7);
}

fn markers() -> (Vec<Sample>, MarkerModel, MarkerStream) {
    let motion = motion(1200);
    let model = markers_on_ball(8, 0.040, &CENTRE);
    let stream = see(&motion, &model, &CENTRE, &Ring::default(), 2);
    (motion, model, stream)
}

fn marker_files(folder: &Path, stream: &MarkerStream) -> Vec<PathBuf> {
    let mut paths = vec![folder.join("m.trc")];
    files::trc(&paths[0], stream).unwrap();
    for (mips, words) in [(false, false), (true, false), (false, true), (true, true)] {
        let path = folder.join(format!("m_{mips}_{words}.c3d"));
        c3d_file::write(&path, stream, Style { mips, words }).unwrap();
        paths.push(path);
    }
    paths
}

#[test]
fn markers_are_read_back_from_trc_and_all_kinds_of_c3d() {
    let folder = folder("markers");
    let (motion, model, stream) = markers();
    let hidden = stream.frames.iter().flat_map(|f| &f.markers).filter(|m| m[0].is_nan()).count();
    assert!(hidden > 1000, "a ball hides some of its markers from every camera: {hidden}");
    files::vsk(&folder.join("b.vsk"), &model).unwrap();
    let body = vsk::read(&folder.join("b.vsk")).unwrap();
    assert_eq!(body.names, model.names);
    assert!(body.points.iter().zip(&model.points).all(|(a, b)| norm(&minus(a, b)) < 1e-15));
    for path in marker_files(&folder, &stream) {
        let back = readers::read_markers(&path, None, &ReadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((&back.names, back.frames.len()), (&stream.names, stream.frames.len()), "{}", path.display());
        // Text has a nanometre, a float 1e-7 of a metre, a 16-bit word a twentieth of a millimetre on each axis.
        let bound = if path.to_string_lossy().ends_with("true.c3d") { 0.9e-4 } else { 1e-7 };
        for (a, b) in back.frames.iter().zip(&stream.frames) {
            assert_eq!(a.stamp_ns, b.stamp_ns);
            for (a, b) in a.markers.iter().zip(&b.markers) {
                assert!(
                    a[0].is_nan() == b[0].is_nan() && (a[0].is_nan() || norm(&minus(a, b)) < bound),
                    "{a:?} {b:?}"
                );
            }
        }
        // As poses of the body: noise of 0.3 mm on the few markers that are seen.
        let options = ReadOptions { body: Some(body.clone()), ..ReadOptions::default() };
        let poses = read(&path, &options);
        let centres: Vec<Sample> = poses
            .samples
            .iter()
            .map(|s| {
                let arm = rotate(&s.orientation, &CENTRE);
                Sample { position: [0, 1, 2].map(|i| s.position[i] + arm[i]), ..*s }
            })
            .collect();
        same(&centres, &motion, 2e-3, 0.06);
        assert_eq!(poses.rate_hz, Some(100.0));
    }
    // Without a model the first complete frame defines the body: on a ball there is none.
    let said = readers::read(&folder.join("m.trc"), None, &ReadOptions::default()).unwrap();
    assert!(said.samples.iter().all(|s| !s.is_known()) && said.notes.count("too-few-markers") == 1200);
}

/// From markers seen by cameras to the ball's centre, through a file.
#[test]
fn the_centre_is_found_through_cameras_and_files() {
    let folder = folder("centre");
    let motion = {
        let record = roll(&Ball::default(), 119.99, 6).unwrap();
        truth(&record, "body", 100.0).unwrap()
    };
    let model = markers_on_ball(8, 0.040, &CENTRE);
    let stream = see(&motion, &model, &CENTRE, &Ring::default(), 3);
    let path = folder.join("m.c3d");
    c3d_file::write(&path, &stream, Style { mips: false, words: false }).unwrap();
    let poses = read(&path, &ReadOptions { body: Some(model.clone()), ..ReadOptions::default() });
    let options = CleanOptions { centre: Centre::FromHeight, radius: 0.041, ..CleanOptions::default() };
    let cleaned = clean(poses, &options).unwrap_or_else(|(e, _)| panic!("{e}"));
    let report = cleaned.reports.iter().find(|r| r.step == "centre from height").unwrap();
    let mut worst = 0.0f64;
    for (i, axis) in ["x", "y", "z"].into_iter().enumerate() {
        worst = worst.max((report.find(&format!("centre {axis}")).unwrap().value - 1e3 * CENTRE[i]).abs());
    }
    println!("ACCEPT mocap-cameras: 8 cameras, 8 markers at 0.3 mm, through C3D: off by {worst:.4} mm at most");
    assert!(worst < 0.05, "{worst}");
}

#[test]
fn signals_are_read_back() {
    let folder = folder("signals");
    let times: Vec<f64> = (0..3000).map(|k| 0.01 * f64::from(k)).collect();
    let angles: Vec<f64> = times.iter().map(|t| 14.0 * t).collect();
    let file = film(&times, &angles, &Filming::default(), 1);
    assert!(file.counts().seen > 20 && file.counts().gaps > 2);
    files::signals(&folder.join("s.txt"), &file).unwrap();
    assert_eq!(signals::read(&folder.join("s.txt")).unwrap(), file);
}

#[test]
fn tosses_are_records() {
    let path = match support::data() {
        Some(data) => data.join("cube-toss/tosses.csv"),
        None => {
            let folder = folder("tosses");
            let mut text = String::from("toss,t,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n");
            for (toss, k) in [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)] {
                let t = f64::from(k) / 148.0;
                text += &format!("{toss},{t:.6},{},0,{},1,0,0,0,1,0,{},0,0,0\n", t, 0.3 - 4.905 * t * t, -9.81 * t);
            }
            std::fs::write(folder.join("tosses.csv"), text).unwrap();
            folder.join("tosses.csv")
        }
    };
    let (tosses, notes) = tosses::read(&path).unwrap_or_else(|e| panic!("{e}"));
    assert!(notes.is_empty(), "{:?}", notes.lines());
    let target = veracity_mocap::to_record::Target {
        world: std::sync::Arc::new(tosses::world().unwrap()),
        body: "cube/cube".into(),
    };
    let (mut samples, mut off, mut in_other_axes) = (0, Vec::new(), Vec::new());
    for toss in &tosses {
        let record = toss.to_record(&target).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(record.track.fault(), None);
        samples += record.track.rows();
        // The recorded angular velocity is in body axes, a backward difference: rotated into world axes it is the
        // rotation rate of the poses. Read as world axes without rotation it is not.
        let slot = record.layout().body("cube/cube").unwrap();
        for row in 1..record.track.rows() {
            let turn = |r: usize| {
                let p = record.track.pose(r, slot);
                [p[3], p[4], p[5], p[6]]
            };
            let dt = record.track.times[row] - record.track.times[row - 1];
            let by_poses = between(&turn(row - 1), &turn(row)).map(|x| x / dt);
            let recorded = &record.track.twist(row, slot)[..3];
            let recorded = [recorded[0], recorded[1], recorded[2]];
            off.push(norm(&minus(&by_poses, &recorded)));
            in_other_axes.push(norm(&minus(&by_poses, &rotate(&conjugate(&turn(row)), &recorded))));
        }
    }
    let median = |values: &mut Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let (off, in_other_axes) = (median(&mut off), median(&mut in_other_axes));
    println!(
        "ACCEPT mocap-tosses: {} tosses, {samples} samples as records; angular velocities are those of the poses to {off:.3} rad/s (median), \
         and would be off by {in_other_axes:.2} in the wrong axes",
        tosses.len()
    );
    // The tracker's own velocities are of poses it had smoothed: a difference of a twentieth of a radian per second.
    assert!(off < 0.05, "{off}");
    if support::data().is_some() {
        assert_eq!((tosses.len(), samples), (400, 41_390));
        assert!(in_other_axes > 1.0, "{in_other_axes}");
    }
}

fn first_error(path: &Path) -> String {
    readers::read(path, None, &ReadOptions::default()).map(|s| s.samples.len()).unwrap_err().to_string()
}

#[test]
fn malformed_files_are_errors_that_name_the_line() {
    let folder = folder("malformed");
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let said = first_error(&write("empty.txt", b""));
    assert!(said.ends_with("empty.txt: line 1: the file is empty"), "{said}");
    assert!(first_error(&write("blank.txt", b"\n \n\n")).contains("the file is empty"));
    assert!(first_error(&write("noise.bin", &[7; 300])).contains("unknown format, expected one of"));
    assert!(first_error(&folder.join("none.txt")).contains("could not be read"));
    assert!(first_error(&write("short.c3d", &[2, 0x50, 1])).contains("too few for a C3D file"));
    let mut c3d = vec![0; 1024];
    c3d[..2].copy_from_slice(&[2, 0x50]);
    assert!(first_error(&write("odd.c3d", &c3d)).contains("unknown processor 0"));
    assert!(
        first_error(&write("a.trc", b"PathFileType\t4\n"))
            .contains("line 1: the file ends before the names of the settings")
    );
    let trc = "PathFileType\t4\nDataRate\tNumMarkers\tUnits\n100\t2\tfurlong\nFrame#\tTime\ta\t\t\tb\n\t\tX1\n";
    assert!(first_error(&write("b.trc", trc.as_bytes())).contains("line 3: `Units` is"));
    assert!(first_error(&write("a.csv", b"t,x,y\n0,1,2\n")).contains("line 1: no body has all of"));
    assert!(first_error(&write("b.csv", b"x,y\n0,1\n")).contains("no column is a time"));
    assert!(first_error(&write("a.mcap", b"\x89MCAP0\r\n")).contains("a.mcap"));
    let two = "take,t,x,y,z,qw,qx,qy,qz\n0,0,0,0,0,1,0,0,0\n1,0,0,0,0,1,0,0,0\n";
    assert!(first_error(&write("takes.csv", two.as_bytes())).contains("line 3: the file has several takes"));
    let one = ReadOptions { take: Some(1), ..ReadOptions::default() };
    assert_eq!(read(&write("takes.csv", two.as_bytes()), &one).samples.len(), 1);
}

#[test]
fn a_damaged_recording_is_repaired_and_every_repair_is_reported() {
    let folder = folder("damaged");
    let captured = capture(&motion(3000), &Tracker { delay_s: 0.0016, ..Tracker::default() }, 4);
    let path = folder.join("a.txt");
    files::vicon(&path, &captured.stream.samples).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let mut records: Vec<String> = text.split("\n\n").map(|r| format!("{r}\n\n")).filter(|r| r.len() > 2).collect();
    // Truncated, not a number, of norm zero, decreasing time, with other line ends; and cut off at the end.
    records[100] = records[100].replace("quat: ", "quat: nan, ").replacen(", ", ",", 0);
    records[200] = format!("{}\npos: 1, 2\n\n", records[200].lines().next().unwrap());
    let third = records[300].lines().nth(2).unwrap().to_string();
    records[300] = records[300].replace(&third, "quat: 0, 0, 0, 0");
    let first = records[400].lines().next().unwrap().to_string();
    records[400] = records[400].replace(&first, "time(min:sec:ms): 20:46:0");
    records[500] = records[500].replace('\n', "\r\n");
    records[600] = records[600].replace('\n', "\r");
    let last = records.len() - 1;
    records[last] = "time(min:sec:ms): 21:16:300\npos: 0.1, 0.2".to_string();
    std::fs::write(&path, records.concat()).unwrap();

    let stream = read(&path, &ReadOptions::default());
    // The record that is cut off at the end is a sample without a pose.
    assert_eq!(stream.samples.len(), 3000);
    let kinds = ["damaged", "quaternion-norm", "time-back", "line-ends"];
    for kind in kinds {
        assert!(stream.notes.count(kind) >= 1, "{kind}: {:?}", stream.notes.lines());
    }
    let lines = stream.notes.lines();
    assert!(lines.iter().any(|l| l.text.starts_with("line 802: `pos: 1, 2` is not")), "{lines:?}");
    let cleaned = clean(stream, &CleanOptions::default()).unwrap_or_else(|(e, _)| panic!("{e}"));
    assert_eq!(cleaned.record.track.rows(), 2999);
    assert!(cleaned.record.track.poses.iter().all(|x| x.is_finite()), "short gaps are filled");
    let filled = cleaned.record.track.signal("mocap/filled").unwrap();
    let at: Vec<usize> = (0..2999).filter(|k| filled.values[*k] == 1.0).collect();
    assert_eq!(at, [100, 200, 300]);
    let log: Vec<&str> = cleaned.record.log.iter().map(|l| l.text.as_str()).collect();
    assert!(log.iter().any(|l| l.contains("samples 200 to 200 were interpolated between 199 and 201")), "{log:?}");
}

/// A recording as a table with columns of these names, one line a sample.
fn table(head: &str, separator: char, samples: &[Sample], row: impl Fn(usize, &Sample) -> String) -> String {
    let head = head.replace(',', &separator.to_string());
    let rows: Vec<String> = samples.iter().enumerate().map(|(k, s)| row(k, s)).collect();
    format!("{head}\n{}\n", rows.join("\n"))
}

fn cells(s: &Sample, length: f64) -> String {
    let [x, y, z] = s.position.map(|v| v * length);
    let [w, i, j, k] = s.orientation;
    format!("{x},{y},{z},{w},{i},{j},{k}")
}

#[test]
fn a_hidden_body_is_missing_and_no_damage() {
    let folder = folder("hidden");
    let samples = motion(3000);
    // 30 of 3000 at the start, and a fifth of the recording in one gap.
    for (name, hidden) in [("start", 0..30), ("fifth", 1000..1600), ("nan", 100..900)] {
        let row = |k: usize, s: &Sample| {
            let empty = if name == "nan" { "nan,nan,nan,nan,nan,nan,nan" } else { ",,,,,," };
            let pose = if hidden.contains(&k) { empty.to_string() } else { cells(s, 1.0) };
            format!("{},{pose}", k as f64 * 0.01)
        };
        let path = folder.join(format!("{name}.csv"));
        std::fs::write(&path, table("t,x,y,z,qw,qx,qy,qz", ',', &samples, row)).unwrap();
        let back = read(&path, &ReadOptions::default());
        let missing = back.samples.iter().filter(|s| !s.is_known()).count();
        assert_eq!((back.samples.len(), missing), (3000, hidden.len()), "{name}");
        assert_eq!(back.notes.count("hidden"), hidden.len() as u64);
    }
    // Mutation of the file: words where numbers should be are damage, and more than 5 % of it is an error.
    let row = |k: usize, s: &Sample| {
        let pose = if k.is_multiple_of(10) { "a,b,c,d,e,f,g".to_string() } else { cells(s, 1.0) };
        format!("{},{pose}", k as f64 * 0.01)
    };
    let path = folder.join("words.csv");
    std::fs::write(&path, table("t,x,y,z,qw,qx,qy,qz", ',', &samples, row)).unwrap();
    assert!(first_error(&path).contains("more than 5 %"));
}

#[test]
fn units_separators_and_capitals_of_a_table_are_understood() {
    let folder = folder("units");
    let samples = motion(500);
    let write = |name: &str, text: &str| {
        std::fs::write(folder.join(name), text).unwrap();
        folder.join(name)
    };
    let stamps = |stream: &PoseStream| stream.samples.iter().map(|s| s.stamp_ns).collect::<Vec<i64>>();
    let wanted: Vec<i64> = (0..500).map(|k| k * 10_000_000).collect();
    // Milliseconds and millimetres, each column with its own unit.
    let row = |k: usize, s: &Sample| format!("{},{}", 10 * k, cells(s, 1e3));
    let head = "time [ms],x [mm],y [mm],z [mm],qw,qx,qy,qz";
    let back = read(&write("ms.csv", &table(head, ',', &samples, row)), &ReadOptions::default());
    // A product and a quotient by a thousand: two roundings.
    same(&back.samples, &samples, 1e-15, 1e-7);
    assert_eq!(stamps(&back), wanted);
    // Semicolons, decimal commas, capitals.
    let row =
        |k: usize, s: &Sample| format!("{};{}", k as f64 * 0.01, cells(s, 1.0).replace(',', ";")).replace('.', ",");
    let back =
        read(&write("semi.csv", &table("Time_s,X,Y,Z,QW,QX,QY,QZ", ';', &samples, row)), &ReadOptions::default());
    same(&back.samples, &samples, 0.0, 1e-7);
    assert_eq!(stamps(&back), wanted);
    // UTF-16 has a sentence of its own.
    let utf16: Vec<u8> = "\u{feff}t,x,y,z,qw,qx,qy,qz\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(folder.join("wide.csv"), &utf16).unwrap();
    assert!(first_error(&folder.join("wide.csv")).contains("UTF-16; save it as UTF-8"));
    std::fs::write(folder.join("wide.txt"), &utf16).unwrap();
    assert!(first_error(&folder.join("wide.txt")).contains("UTF-16; save it as UTF-8"));
    // A stamp that decreases is named with its line, and a truncated row is one missing sample.
    let row = |k: usize, s: &Sample| match k {
        7 => format!("0.055,{}", cells(s, 1.0)),
        9 => "0.09,1,2".to_string(),
        _ => format!("{},{}", k as f64 * 0.01, cells(s, 1.0)),
    };
    let back = read(&write("back.csv", &table("t,x,y,z,qw,qx,qy,qz", ',', &samples, row)), &ReadOptions::default());
    let lines = back.notes.lines();
    assert!(lines.iter().any(|l| l.text.starts_with("line 9: the time decreases")), "{lines:?}");
    assert!(back.samples.len() == 500 && !back.samples[9].is_known());
}

#[test]
fn contradictions_in_marker_files_are_reported() {
    let folder = folder("contradictions");
    let (_, body, stream) = markers();
    let with_body = ReadOptions { body: Some(body), ..ReadOptions::default() };
    let path = folder.join("a.trc");
    files::trc(&path, &stream).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let rate = stream.rate_hz;
    // The header says half the rate that the times have.
    let lines: Vec<&str> = text.lines().collect();
    let halved = lines[2].replacen(&format!("{rate}"), &format!("{}", 0.5 * rate), 1);
    assert_ne!(halved, lines[2]);
    std::fs::write(&path, text.replacen(lines[2], &halved, 1)).unwrap();
    let back = read(&path, &ReadOptions::default());
    assert!((back.rate_hz.unwrap() / rate - 1.0).abs() < 1e-6, "{:?}", back.rate_hz);
    assert_eq!(back.notes.count("rate-differs"), 1);
    // Metres in a file that says millimetres: markers a few hundredths of a millimetre apart.
    let small = MarkerStream {
        frames: stream
            .frames
            .iter()
            .map(|f| {
                let markers = f.markers.iter().map(|p| p.map(|x| 1e-3 * x)).collect();
                veracity_mocap::stream::MarkerFrame { markers, ..f.clone() }
            })
            .collect(),
        ..stream.clone()
    };
    files::trc(&path, &small).unwrap();
    let back = read(&path, &with_body);
    assert_eq!(back.notes.count("marker-units"), 1, "{:?}", back.notes.lines());
    // And read as what it is.
    let units = readers::units::Units::parse("m").unwrap();
    let right = read(&path, &ReadOptions { units, ..with_body });
    assert_eq!(right.notes.count("marker-units"), 0);
}

#[test]
fn a_bag_that_is_cut_off_keeps_what_came_before() {
    let folder = folder("cut");
    let record = roll(&Ball::default(), 20.0, 5).unwrap();
    let path = folder.join("a.mcap");
    write_mcap(&record, &path).unwrap();
    let whole = std::fs::read(&path).unwrap();
    let all = read(&path, &ReadOptions::default()).samples;
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let back = read(&path, &ReadOptions::default());
    assert_eq!(back.notes.count("cut-off"), 1);
    println!("{} of {} samples are read from half of the file", back.samples.len(), all.len());
    assert!(back.samples.len() > 10 && back.samples.len() < all.len());
    same(&back.samples, &all[..back.samples.len()], 0.0, 1e-7);
    // As the record of a trial it is not whole, and is rejected.
    assert!(veracity_record::read_mcap(&path).unwrap_err().to_string().contains("truncated"));
}

/// A source that repeats a record up to a length, so that no gigabyte is written to disk.
struct Endless {
    record: Vec<u8>,
    left: u64,
    at: usize,
}

impl std::io::Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let mut done = 0;
        while done < buffer.len() && self.left > 0 {
            let n = (self.record.len() - self.at).min(buffer.len() - done).min(self.left as usize);
            buffer[done..done + n].copy_from_slice(&self.record[self.at..self.at + n]);
            (done, self.left, self.at) = (done + n, self.left - n as u64, (self.at + n) % self.record.len());
        }
        Ok(done)
    }
}

#[test]
fn a_gigabyte_is_looked_at_in_bounded_memory_and_refused_in_a_sentence_where_it_does_not_fit() {
    let bytes: u64 = if support::full() { 1 << 30 } else { 1 << 25 };
    let record = b"time(min:sec:ms): 20:46:284\npos: 0.0189854, -0.356981, 0.0391952\nquat: -0.123917, -0.518952, 0.134435, 0.835021\n\n";
    let source = || {
        let path = Path::new("endless.txt");
        let reader = Endless { record: record.to_vec(), left: bytes, at: 0 };
        ViconText::new(path, Lines::new(path, reader))
    };
    let before = peak_kib();
    let report = inspect(&mut source()).unwrap();
    let used = peak_kib().saturating_sub(before);
    assert!(before > 0 || !support::full(), "the system does not report memory");
    let samples = report.find("samples").unwrap().value;
    println!("ACCEPT mocap-gigabyte: {bytes} bytes, {samples} samples inspected; memory grew by {used} KiB");
    assert!((samples - (bytes / record.len() as u64) as f64).abs() <= 1.0);
    // Other tests of this process hold recordings of some megabytes.
    assert!(used < 200_000, "{used} KiB");
    let mut source = source();
    let few = ReadOptions { most_samples: Some(100_000), ..ReadOptions::default() };
    let said =
        readers::collect(Path::new("endless.txt"), &mut source as &mut dyn PoseSource, &few).unwrap_err().to_string();
    assert!(said.contains("more than 100000 samples; select a part with --from-s and --to-s"), "{said}");
}

/// Peak memory of this process so far; zero where the system does not report it.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    line.and_then(|l| l.split_ascii_whitespace().next()?.parse().ok()).unwrap_or(0)
}

#[test]
fn random_bytes_never_panic() {
    use veracity_engine::random::{Purpose, Stream};
    let folder = folder("bytes");
    let (_, body, stream) = markers();
    let with_body = ReadOptions { body: Some(body), ..ReadOptions::default() };
    let short = MarkerStream { frames: stream.frames[..20].to_vec(), ..stream };
    let samples = motion(20);
    files::vicon(&folder.join("a.txt"), &samples).unwrap();
    files::csv(&folder.join("a.csv"), &samples).unwrap();
    let mut paths = marker_files(&folder, &short);
    paths.extend([folder.join("a.txt"), folder.join("a.csv")]);
    let draw = Stream::new(1, 0, 0, Purpose::Sampling);
    let rounds = if support::full() { 2000 } else { 150 };
    for (p, path) in paths.iter().enumerate() {
        let good = std::fs::read(path).unwrap();
        let broken = folder.join(format!("broken.{}", path.extension().unwrap().to_string_lossy()));
        for round in 0..rounds {
            let mut bytes = good.clone();
            let at = |lane: u32| (draw.uniform(round, 16 * p as u32 + lane) * bytes.len() as f64) as usize;
            let places = [at(0), at(1), at(2)];
            for (lane, place) in places.into_iter().enumerate() {
                bytes[place] = draw.bits(round, 16 * p as u32 + 8 + lane as u32)[0] as u8;
            }
            if round % 3 == 0 {
                bytes.truncate(places[0]);
            }
            std::fs::File::create(&broken).unwrap().write_all(&bytes).unwrap();
            // An answer or an error is fine, a panic is not.
            if let Ok(stream) = readers::read(&broken, None, &with_body) {
                let _ = clean(stream, &CleanOptions::default());
            }
        }
    }
}
