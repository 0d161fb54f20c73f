//! C3D and TRC files compared with independent libraries: `ezc3d`, `c3d` and `trc-data-reader`.
//!
//! Both directions: we read what they write, and they read what we write. The interpreter is `VERACITY_PYTHON`, which
//! `cargo xtask test` sets.

use std::path::{Path, PathBuf};
use std::process::Command;
use veracity_mocap::readers::{self, ReadOptions};
use veracity_mocap::stream::{MarkerFrame, MarkerStream};
use veracity_mocap::synthetic::c3d_file::{self, Style};
use veracity_mocap::synthetic::files;

/// Writes a C3D and a TRC file of markers `x = 0.1 f + 0.01 m` and the like, and what is in them as plain text.
const THEY_WRITE: &str = r#"
import sys, numpy as np, ezc3d, trc
folder, frames, rate = sys.argv[1], 300, 120.0
names = ["LSHO", "RSHO", "C7", "a long name", "T10"]
rng = np.random.default_rng(4)
points = rng.uniform(-800.0, 1700.0, (3, len(names), frames))
hidden = points.copy()
hidden[:, 2, 40:60] = np.nan
c = ezc3d.c3d()
c["parameters"]["POINT"]["RATE"]["value"] = [rate]
c["parameters"]["POINT"]["LABELS"]["value"] = tuple(names)
c["parameters"]["POINT"]["UNITS"]["value"] = ("mm",)
c["data"]["points"] = np.vstack([hidden, np.ones((1, len(names), frames))])
# Analog channels in addition to the markers: they are not read, and must not shift the markers.
c["parameters"]["ANALOG"]["RATE"]["value"] = [10 * rate]
c["parameters"]["ANALOG"]["LABELS"]["value"] = ("force", "emg")
c["data"]["analogs"] = rng.normal(size=(1, 2, 10 * frames))
c.write(folder + "/theirs.c3d")
hidden.transpose(2, 1, 0).reshape(frames, -1).tofile(folder + "/theirs.c3d.f64")
data = trc.TRCData()
plain = [n.replace(" ", "_") for n in names]
data.update({"PathFileType": "4", "DataFormat": "(X/Y/Z)", "FileName": "theirs.trc", "DataRate": rate, "CameraRate": rate,
    "NumFrames": frames, "NumMarkers": len(names), "Units": "mm", "OrigDataRate": rate, "OrigDataStartFrame": 1,
    "OrigNumFrames": frames, "Markers": plain, "Frame#": list(range(1, frames + 1)), "Time": [f / rate for f in range(frames)]})
for f in range(frames):
    data[f + 1] = (f / rate, hidden[:, :, f].T.tolist())
data.save(folder + "/theirs.trc")
hidden.transpose(2, 1, 0).reshape(frames, -1).tofile(folder + "/theirs.trc.f64")
"#;

/// Reads files and writes rate, names and millimetres to files next to them.
const THEY_READ: &str = r#"
import sys, numpy as np, c3d, ezc3d, trc
for path in sys.argv[1:]:
    if "true_" in path:
        # ezc3d reads no MIPS numbers.
        r = c3d.Reader(open(path, "rb"))
        labels, rate = [l.strip() for l in r.point_labels], r.point_rate
        points = np.array([p[:, :4] for _, p, _ in r.read_frames()], dtype=np.float64)
        points[points[:, :, 3] < 0] = np.nan
        points = points[:, :, :3]
    elif path.endswith("c3d"):
        c = ezc3d.c3d(path)
        labels = c["parameters"]["POINT"]["LABELS"]["value"]
        points, rate = c["data"]["points"][:3], c["parameters"]["POINT"]["RATE"]["value"][0]
        points = points.transpose(2, 1, 0)
    else:
        d = trc.TRCData()
        d.load(path)
        labels, rate = d["Markers"], d["DataRate"]
        points = np.array([d[n] for n in labels]).transpose(1, 0, 2)
    np.ascontiguousarray(points, dtype=np.float64).tofile(path + ".f64")
    print(rate, ",".join(labels))
"#;

fn python(script: &str, arguments: &[&Path]) -> Option<String> {
    let Ok(python) = std::env::var("VERACITY_PYTHON") else {
        assert!(std::env::var("VERACITY_FULL").is_err(), "VERACITY_PYTHON is not set; run `cargo xtask acceptance`");
        eprintln!("skipped: VERACITY_PYTHON is not set");
        return None;
    };
    let output = Command::new(python).args(["-c", script]).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("mocap-agree-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Largest distance along an axis between our metres and their millimetres [m]; both must lack the same markers.
fn apart(stream: &MarkerStream, theirs_mm: &[u8]) -> f64 {
    let theirs: Vec<f64> =
        theirs_mm.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap()) * 1e-3).collect();
    let ours: Vec<f64> = stream.frames.iter().flat_map(|f| f.markers.iter().flatten().copied()).collect();
    assert_eq!(ours.len(), theirs.len());
    let mut worst = 0.0f64;
    for (k, (a, b)) in ours.iter().zip(&theirs).enumerate() {
        assert_eq!(a.is_nan(), b.is_nan(), "number {k}: {a} and {b}");
        if !a.is_nan() {
            worst = worst.max((a - b).abs());
        }
    }
    worst
}

#[test]
fn what_others_write_is_read_as_they_meant_it() {
    let folder = folder("theirs");
    if python(THEY_WRITE, &[&folder]).is_none() {
        return;
    }
    for (file, bound) in [("theirs.c3d", 1e-7), ("theirs.trc", 1e-8)] {
        // A float of 1700 mm has steps of 1.2e-4 mm; the text has five decimals of a millimetre.
        let path = folder.join(file);
        let stream = readers::read_markers(&path, None, &ReadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((stream.names.len(), stream.frames.len(), stream.rate_hz), (5, 300, 120.0), "{file}");
        assert_eq!([&stream.names[0][..], &stream.names[4]], ["LSHO", "T10"]);
        let worst = apart(&stream, &std::fs::read(folder.join(format!("{file}.f64"))).unwrap());
        println!("ACCEPT mocap-outside-{file}: written elsewhere, read here: {worst:.1e} m apart");
        assert!(worst < bound, "{file}: {worst}");
    }
}

#[test]
fn what_we_write_is_read_elsewhere_as_here() {
    let folder = folder("ours");
    let place = |f: u32, m: u32| {
        let (f, m) = (f64::from(f), f64::from(m));
        [0.5 * libm::sin(0.1 * f + m), 0.3 * libm::cos(0.07 * f - m), 0.8 + 0.05 * m]
    };
    let mut stream = MarkerStream { rate_hz: 100.0, ..MarkerStream::default() };
    stream.names = (0..6).map(|m| format!("M{m}")).collect();
    for f in 0..250 {
        let markers = (0..6).map(|m| place(f, m)).collect();
        stream.frames.push(MarkerFrame { stamp_ns: i64::from(f) * 10_000_000, markers });
    }
    let text = folder.join("ours.trc");
    files::trc(&text, &stream).unwrap();
    // A marker hidden for a while: this TRC library does not support empty cells, so only C3D has it.
    (100..120).for_each(|f: usize| stream.frames[f].markers[3] = [f64::NAN; 3]);
    let mut paths = vec![text];
    for (mips, words) in [(false, false), (true, false), (false, true), (true, true)] {
        paths.push(folder.join(format!("ours_{mips}_{words}.c3d")));
        c3d_file::write(paths.last().unwrap(), &stream, Style { mips, words }).unwrap();
    }
    let named: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
    let Some(printed) = python(THEY_READ, &named) else { return };
    assert!(printed.lines().count() >= paths.len(), "{printed}");
    for (path, line) in paths.iter().zip(printed.lines()) {
        assert_eq!(line, "100.0 M0,M1,M2,M3,M4,M5", "{}", path.display());
        let ours = readers::read_markers(path, None, &ReadOptions::default()).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let mut theirs = path.clone().into_os_string();
        theirs.push(".f64");
        let worst = apart(&ours, &std::fs::read(theirs).unwrap());
        println!("ACCEPT mocap-outside-{name}: read here and elsewhere: {worst:.1e} m apart");
        // The same bytes: only the rounding of a float remains.
        assert!(worst < 1e-7, "{name}: {worst}");
    }
}
