//! `docs/import-coverage.md`: how many files of the wheels load, and why the rest do not.

use super::Peer;
use super::agreement::{Agreement, TOLERANCE};
use super::coverage::{Row, Verdict};
use super::subject::Format;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Marks lines with measured numbers, which may differ from run to run.
const MEASURED: &str = "Largest difference";

/// A file of the wheels that does not load, the code of its finding, and the reason, with the reaction of other libraries. A
/// test checks this list.
pub struct NotLoaded {
    pub name: &'static str,
    pub code: &'static str,
    pub why: &'static str,
}

/// Every file of the wheels that does not load.
pub const NOT_LOADED: &[NotLoaded] = &[
    NotLoaded {
        name: "pybullet_data/bicycle/bike.urdf",
        code: "number",
        why: "malformed: a comma inside a number of an `<origin>`. Pinocchio and MuJoCo reject it too",
    },
    NotLoaded {
        name: "pybullet_data/biped/biped2d_pybullet.urdf",
        code: "number",
        why: "malformed: the limit `-1.57.` is not a number. Pinocchio and MuJoCo reject it too",
    },
    NotLoaded {
        name: "pybullet_data/husky/husky.urdf",
        code: "xacro",
        why: "not URDF yet: it still contains `$(optenv …)`, which xacro would replace. Pinocchio and MuJoCo reject it too",
    },
    NotLoaded {
        name: "pybullet_data/mjcf/ground.xml",
        code: "reference",
        why: "scenery extracted from a humanoid file, whose tendons and actuators name missing joints. MuJoCo rejects it too",
    },
    NotLoaded {
        name: "pybullet_data/mjcf/hopper.xml",
        code: "global-coordinates",
        why: "written in global coordinates, which MJCF no longer has. MuJoCo rejects it too",
    },
    NotLoaded {
        name: "pybullet_data/mjcf/walker2d.xml",
        code: "global-coordinates",
        why: "written in global coordinates, which MJCF no longer has. MuJoCo rejects it too",
    },
    NotLoaded {
        name: "pybullet_data/quadruped/microtaur/microtaur.urdf",
        code: "number",
        why: "malformed: an `rpy` of four numbers. Pinocchio and MuJoCo reject it too",
    },
    NotLoaded {
        name: "pybullet_data/torus_deform.urdf",
        code: "tree-empty",
        why: "contains one soft body and no link; soft bodies are not supported. Pinocchio rejects it too",
    },
];

/// The page.
pub fn page(rows: &[Row]) -> String {
    let mut out = String::new();
    let verdicts: Vec<Verdict> = rows.iter().map(Row::verdict).collect();
    let count = |keep: &dyn Fn(&Verdict) -> bool| verdicts.iter().filter(|v| keep(v)).count();
    let loads = count(&|v| matches!(v, Verdict::Loads(_)));
    let scenery = count(&|v| *v == Verdict::Scenery);
    let _ = write!(
        out,
        "# Import coverage\n\n\
         Every URDF, SDF and MJCF file inside the PyPI wheels `pybullet` and `gymnasium` is read by our importers and by\n\
         independent libraries. A file *loads* when, at random positions and velocities, our mass matrix and bias\n\
         efforts equal theirs to {TOLERANCE:.0e} of the largest entry (and each entry of the matrix to {TOLERANCE:.0e} of its own\n\
         scale), and our accelerations leave a backward error of at most {TOLERANCE:.0e} in their equations of motion. A URDF\n\
         must do so with its base free and with its base fixed.\n\n\
         **{loads} of {} files load.** In {scenery} more, which are scenery, no moving body has mass, so that there is\n\
         nothing to compare; {} do not load.\n\n",
        rows.len(),
        rows.len() - loads - scenery,
    );
    summary(&mut out, rows, &verdicts);
    peers(&mut out, rows, &verdicts);
    rest(&mut out, rows, &verdicts);
    repairs(&mut out, rows, &verdicts);
    let _ = writeln!(
        out,
        "\n---\nWritten by `VERACITY_FULL=1 VERACITY_WRITE_DOCS=1 cargo test -p veracity-dynamics --test agree_peers`, which\n\
         needs `VERACITY_PYTHON` (`cargo xtask venv` prints it). Without `VERACITY_WRITE_DOCS` the same run fails if this page\n\
         is out of date."
    );
    out
}

/// The page without the lines that may differ from run to run.
pub fn without_measurements(page: &str) -> String {
    page.lines().filter(|line| !line.contains(MEASURED)).collect::<Vec<_>>().join("\n")
}

fn summary(out: &mut String, rows: &[Row], verdicts: &[Verdict]) {
    let mut groups: BTreeMap<(&str, Format), [usize; 3]> = BTreeMap::new();
    for (row, verdict) in rows.iter().zip(verdicts) {
        let wheel = if row.file.name.starts_with("gymnasium") { "gymnasium" } else { "pybullet" };
        let column = match verdict {
            Verdict::Loads(_) => 0,
            Verdict::Scenery => 1,
            Verdict::DoesNotLoad(_) => 2,
        };
        groups.entry((wheel, row.format)).or_default()[column] += 1;
    }
    out.push_str("| wheel | format | files | load | scenery | do not load |\n|---|---|---|---|---|---|\n");
    for ((wheel, format), [loads, scenery, fails]) in groups {
        let files = loads + scenery + fails;
        let _ = writeln!(out, "| `{wheel}` | {} | {files} | {loads} | {scenery} | {fails} |", format.name());
    }
}

fn peers(out: &mut String, rows: &[Row], verdicts: &[Verdict]) {
    let _ = writeln!(
        out,
        "\n## Agreement by library\n\n\
         Number of files on which our numbers agree with each library's (peer's). Pinocchio reads URDF with urdfdom; its wheel reads no\n\
         SDF, so a second SDF reader written for the tests converts it. MuJoCo is used for MJCF and most URDF, PyBullet for\n\
         SDF as far as it reads it, and for URDF that neither of the others reads; `loadSDF` replaces inertia tensors, so\n\
         those are restored from the file. Where SDF does not define the motion of an unattached link without mass, we treat it\n\
         as fixed, as PyBullet does.\n\n\
         | peer | URDF | SDF | MJCF | cases with accelerations |\n|---|---|---|---|---|"
    );
    let mut measured = String::new();
    for peer in Peer::ALL {
        let files = |format: Format| {
            let agree = |(row, verdict): &(&Row, &Verdict)| {
                row.format == format && matches!(verdict, Verdict::Loads(peers) if peers.contains(&peer))
            };
            rows.iter().zip(verdicts).filter(agree).count()
        };
        let [urdf, sdf, mjcf] = [Format::Urdf, Format::Sdf, Format::Mjcf].map(files);
        let all = compared(rows, peer);
        let moving = all.iter().filter(|a| a.acceleration.is_some()).count();
        let _ = writeln!(out, "| {} | {urdf} | {sdf} | {mjcf} | {moving} of {} |", peer.name(), all.len());
        let _ = writeln!(measured, "- {MEASURED} from {}: {}.", peer.name(), Agreement::worst_of(&all));
    }
    let _ = write!(
        out,
        "\nA case is a file with one kind of base. Where the mass matrix is singular (the thousand `random_urdfs` have\n\
         `izz = 0`) accelerations are not defined.\n\n{measured}"
    );
}

/// Agreement with one peer, for all cases in which a moving body has mass.
pub fn compared(rows: &[Row], peer: Peer) -> Vec<Agreement> {
    let cases = rows.iter().filter_map(|row| row.cases.as_ref().ok()).flatten();
    let all = cases.flat_map(|case| case.compared());
    all.filter(|(p, agreement)| *p == peer && !agreement.empty).map(|(_, agreement)| *agreement).collect()
}

fn rest(out: &mut String, rows: &[Row], verdicts: &[Verdict]) {
    out.push_str("\n## Files that do not load\n\n| file | reason | our finding |\n|---|---|---|\n");
    for (row, verdict) in rows.iter().zip(verdicts) {
        if let Verdict::DoesNotLoad(finding) = verdict {
            let name = row.file.name.as_str();
            let why = NOT_LOADED.iter().find(|known| known.name == name).map_or("", |known| known.why);
            let _ = writeln!(out, "| `{name}` | {why} | {} |", finding.replace('|', "\\|"));
        }
    }
    out.push_str("\n## Scenery\n\nThese files are read, but no moving body has mass.\n\n");
    for (row, _) in rows.iter().zip(verdicts).filter(|(_, verdict)| **verdict == Verdict::Scenery) {
        let _ = writeln!(out, "- `{}`", row.file.name);
    }
}

fn repairs(out: &mut String, rows: &[Row], verdicts: &[Verdict]) {
    out.push_str(
        "\n## Files changed for peers\n\n\
         We read these files unchanged. A peer reads them only after the change listed here, which affects neither\n\
         masses nor motion except where it restores what the file says.\n\n| peer | change | files |\n|---|---|---|\n",
    );
    let mut groups: BTreeMap<(Peer, &str), Vec<&str>> = BTreeMap::new();
    let loading = rows.iter().zip(verdicts).filter(|(_, verdict)| matches!(verdict, Verdict::Loads(_)));
    for (row, _) in loading {
        for note in row.notes() {
            groups.entry(note).or_default().push(&row.file.name);
        }
    }
    for ((peer, note), files) in groups {
        let list: Vec<String> = files.iter().map(|file| format!("`{file}`")).collect();
        let _ = writeln!(out, "| {} | {note} | {} |", peer.name(), list.join(", "));
    }
}
