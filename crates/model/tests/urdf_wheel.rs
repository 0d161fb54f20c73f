//! Every URDF file inside the PyPI wheel `pybullet`, all written by third parties.
//!
//! Runs if `VERACITY_PYTHON` names a Python that has the wheel (`cargo xtask test` sets it); without it there is
//! nothing to read. Python's own XML reader lists the contents of each file: every link must become a body, every joint
//! a joint, and no mass may be lost.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use veracity_model::import::{self, ImportOptions};

/// Files that are rejected, and the code of the error.
const REFUSED: [(&str, &str); 5] = [
    ("bicycle/bike.urdf", "number"),                  // commas between coordinates
    ("biped/biped2d_pybullet.urdf", "number"),        // a limit of '-1.57.'
    ("husky/husky.urdf", "xacro"),                    // '$(optenv HUSKY_IMU_RPY …)' was never expanded
    ("quadruped/microtaur/microtaur.urdf", "number"), // four angles in an rpy
    ("torus_deform.urdf", "tree-empty"),              // a deformable body and no link
];

/// For each file: links, joints, and the sum of the masses; files Python cannot parse are left out.
const CENSUS: &str = "
import os, pybullet_data, xml.etree.ElementTree as ET
top = pybullet_data.getDataPath()
print(top)
for folder, _, names in os.walk(top):
    for name in names:
        if name.endswith('.urdf'):
            path = os.path.join(folder, name)
            try:
                robot = ET.fromstring(open(path, 'rb').read().strip(b'\\0 \\r\\n\\t'))
                mass = sum(float(m.get('value')) for m in robot.findall('link/inertial/mass'))
            except Exception:
                continue
            print(os.path.relpath(path, top), len(robot.findall('link')), len(robot.findall('joint')), repr(mass), sep='\\t')
";

struct Census {
    links: usize,
    joints: usize,
    mass: f64,
}

fn census() -> Option<(PathBuf, BTreeMap<String, Census>)> {
    let python = std::env::var_os("VERACITY_PYTHON")?;
    let output = Command::new(python).args(["-c", CENSUS]).output().expect("VERACITY_PYTHON runs");
    assert!(output.status.success(), "pybullet_data: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    let mut lines = text.lines();
    let folder = PathBuf::from(lines.next().expect("the folder"));
    let files = lines.map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        let number = |i: usize| fields[i].parse::<usize>().unwrap();
        (fields[0].to_string(), Census { links: number(1), joints: number(2), mass: fields[3].parse().unwrap() })
    });
    Some((folder, files.collect()))
}

fn urdf_files(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            urdf_files(&path, out);
        } else if path.extension().is_some_and(|e| e == "urdf") {
            out.push(path);
        }
    }
}

#[test]
fn every_urdf_of_the_wheel_loads_or_has_a_reason() {
    let Some((folder, census)) = census() else {
        eprintln!("VERACITY_PYTHON is not set: no wheel to read");
        return;
    };
    let mut files = Vec::new();
    urdf_files(&folder, &mut files);
    let options = ImportOptions { resource_roots: vec![folder.clone()], ..Default::default() };
    let mut refused: BTreeMap<String, String> = BTreeMap::new();
    let mut codes: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut loaded, mut meshes) = (0, 0);
    for file in &files {
        let name = file.strip_prefix(&folder).unwrap().display().to_string();
        let imported = import::load(file, &options);
        imported.findings.iter().for_each(|f| *codes.entry(f.code).or_default() += 1);
        let Some(world) = imported.world else {
            let error = imported.findings.iter().find(|f| f.severity == veracity_model::Severity::Error);
            let error = error.unwrap_or_else(|| panic!("{name} was refused without an error"));
            println!("refused: {}", error.to_string().replace(&format!("{}/", folder.display()), ""));
            refused.insert(name, error.code.to_string());
            continue;
        };
        loaded += 1;
        let model = &world.placements[0].model;
        meshes += model.bodies().iter().flat_map(|b| &b.shapes).filter(|s| s.shape.name() == "mesh").count();
        let expected = census.get(&name).unwrap_or_else(|| panic!("{name} was read here but not by Python"));
        assert_eq!(model.bodies().len(), expected.links, "{name}");
        assert_eq!(model.joints().len(), expected.joints + 1, "{name}: its joints and the one of the root");
        // The same numbers, summed in a different order.
        assert!((model.mass() - expected.mass).abs() <= 1e-12 * expected.mass.abs(), "{name}");
    }
    println!("{loaded} of {} files loaded with {meshes} meshes; findings {codes:?}", files.len());
    let expected: BTreeMap<String, String> = REFUSED.map(|(f, c)| (f.into(), c.into())).into();
    assert_eq!(refused, expected);
}
