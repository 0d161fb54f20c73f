//! Every model in `scenarios/` loads without findings that its sidecar does not expect, and has the mass its source
//! states.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use veracity_model::import::{ImportOptions, load};
use veracity_model::{Coupling, Overrides, Severity, Shape, VelocityRule, World};

fn scenarios() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios")
}

/// Every model file, by path under `scenarios/`.
fn files() -> Vec<String> {
    let mut out = Vec::new();
    for folder in std::fs::read_dir(scenarios()).unwrap().flatten().filter(|e| e.path().is_dir()) {
        for file in std::fs::read_dir(folder.path()).unwrap().flatten() {
            let name = file.file_name().into_string().unwrap();
            if [".urdf", ".sdf", ".xml"].iter().any(|end| name.ends_with(end)) {
                out.push(format!("{}/{name}", folder.file_name().into_string().unwrap()));
            }
        }
    }
    out.sort();
    out
}

fn shipped(name: &str) -> World {
    let imported = load(&scenarios().join(name), &ImportOptions::default());
    imported.world.unwrap_or_else(|| panic!("{name}: {}", imported.findings))
}

#[test]
fn every_file_loads_and_only_the_known_inertias_are_impossible() {
    let files = files();
    assert!(files.len() >= 38, "{files:?}");
    let mut impossible = BTreeSet::new();
    for name in &files {
        let imported = load(&scenarios().join(name), &ImportOptions::default());
        let loud: Vec<_> = imported.findings.iter().filter(|f| f.severity > Severity::Note).collect();
        let unexpected = loud.iter().filter(|f| !imported.known.iter().any(|k| k.covers(f))).count();
        assert_eq!(unexpected, 0, "{name}: {}", imported.findings);
        for placement in imported.world.unwrap_or_else(|| panic!("{name}: {}", imported.findings)).placements {
            for warning in placement.model.warnings() {
                assert_eq!(warning.code, "inertia-raw", "{name}: {warning}");
                impossible.insert(format!("{} {}", placement.name, warning.subject));
            }
        }
    }
    let expected: BTreeSet<String> = [
        "links bodies/LF_thigh",
        "links bodies/LH_thigh",
        "links bodies/RF_thigh",
        "links bodies/RH_thigh",
        "nao_h21 bodies/LHip",
        "nao_h21 bodies/RHip",
        "nao_h25 bodies/LHip",
        "nao_h25 bodies/RHip",
        "tinkertoy bodies/left_leg",
        "tinkertoy bodies/right_leg",
    ]
    .map(String::from)
    .into();
    assert_eq!(impossible, expected);
}

#[test]
fn masses_freedoms_and_gravity_are_those_of_the_sources() {
    // Total mass [kg] of the moving model, degrees of freedom, gravity [m/s²].
    let table = [
        ("pendulum/pendulum.urdf", 1.0, 1, 9.81),
        ("chain/chain10.urdf", 10.0, 10, 9.81),
        ("four_bar/four_bar_2.sdf", 5.0, 5, 9.81),
        ("four_bar/four_bar_40.sdf", 81.0, 81, 9.81),
        ("andrews/andrews.urdf", 0.21023, 7, 0.0),
        ("bricard/bricard.sdf", 5.0, 5, 9.81),
        ("governor/governor.urdf", 13.9, 4, 9.81),
        ("ur10/ur10.urdf", 33.9, 8, 9.8),
        ("ur10/ur10_1x_welded.urdf", 10.12, 6, 9.8),
        ("ur10/block.urdf", 0.12, 6, 9.8),
        ("block_row/block_row_11.sdf", 2.0, 2, 9.8),
        ("pinch/pinch.sdf", 2.0, 2, 9.81),
        ("pinch/creep.sdf", 8.0, 8, 9.81),
        ("hanging_chain/hanging_chain.sdf", 9.0, 27, 9.81),
        ("stacked_joints/stacked_joints.sdf", 4.0, 4, 9.81),
        ("stacked_blocks/stacked_blocks.sdf", 4.0, 13, 9.81),
        ("switch/switch.sdf", 0.1, 1, 0.0),
        ("cage/caged_box.sdf", 10.0, 1, 9.81),
        ("weazelball/weazelball.sdf", 0.1353, 7, 10.0),
        ("links/links.urdf", 4.8, 18, 9.81),
        ("tinkertoy/tinkertoy.urdf", 2.0, 7, 1.0),
        ("nao/nao_h25.urdf", 5.005962, 30, 9.81),
        ("nao/nao_h21.urdf", 4.879, 28, 9.81),
    ];
    for (name, mass, freedoms, gravity) in table {
        let world = shipped(name);
        let model = &world.placements[0].model;
        // Sums of printed decimals: a few roundings.
        assert!((model.mass() / mass - 1.0).abs() < 1e-14, "{name} weighs {}", model.mass());
        assert_eq!(model.dof_count(), freedoms, "{name}");
        assert!((world.gravity.norm() - gravity).abs() < 1e-15, "{name}");
    }
    let count = |name: &str| shipped(name).placements.len();
    assert_eq!(count("block_row/block_row_11.sdf"), 12);
    // The ground and the number of balls or blocks that the source states.
    assert_eq!(
        [count("balls/balls_666.sdf"), count("balls/bouncing_49.sdf"), count("balls/balls_125.sdf")],
        [217, 50, 126]
    );
    assert_eq!([count("tower/tower.sdf"), count("rolling/rolling.sdf"), count("stacks/stack.sdf")], [49, 27, 11]);
}

#[test]
fn loops_springs_couplings_and_motors_are_there() {
    let counts = |name: &str| {
        let world = shipped(name);
        let m = &world.placements[0].model;
        [m.loops().len(), m.springs().len(), m.couplings().len(), m.actuators().len()]
    };
    assert_eq!(counts("four_bar/four_bar_40.sdf"), [40, 0, 0, 0]);
    assert_eq!(counts("andrews/andrews.urdf"), [3, 1, 0, 1]);
    assert_eq!(counts("bricard/bricard.sdf"), [1, 0, 0, 0]);
    assert_eq!(counts("governor/governor.urdf")[..2], [0, 2]);
    assert_eq!(counts("links/links.urdf"), [0, 0, 0, 12]);
    // 21 and 23 motors: HipYawPitch is one, and the hands are fixed.
    assert_eq!(counts("nao/nao_h21.urdf"), [0, 0, 1, 21]);
    assert_eq!(counts("nao/nao_h25.urdf"), [0, 0, 1, 23]);

    let nao = shipped("nao/nao_h25.urdf");
    let model = &nao.placements[0].model;
    let Coupling { follower, leader, coefficients, shared_motor, .. } = &model.couplings()[0];
    assert_eq!(model.joint(*follower).name, "RHipYawPitch");
    assert_eq!(model.joint(leader.unwrap()).name, "LHipYawPitch");
    assert!(*shared_motor && *coefficients == [0.0, 1.0]);

    let arm = shipped("ur10/ur10.urdf");
    let motors = arm.placements[0].model.actuators();
    let efforts: Vec<f64> = motors.iter().take(6).map(|a| a.effort_range[1]).collect();
    assert_eq!(efforts, [330.0, 330.0, 150.0, 54.0, 54.0, 54.0]);
    assert!(motors.iter().take(6).all(|a| a.velocity_rule == VelocityRule::CutPushing));
    assert!(motors.iter().skip(6).all(|a| a.velocity_rule == VelocityRule::Ignore && a.effort_range[1] > 1e29));
}

#[test]
fn parameters_drive_what_they_say() {
    let ball = shipped("weazelball/weazelball.sdf");
    // The nine offsets of the study, from its own table.
    let published =
        [-0.003312, -0.006624, -0.009936, -0.013248, -0.016560, -0.019872, -0.023184, -0.026496, -0.029808];
    for (step, x) in (-4..=4).zip(published) {
        let o = Overrides::new().set("world/weazelball/parameters/offset", f64::from(step));
        let moved = ball.with(&o).unwrap().placements[0].model.number("bodies/motor/com/x").unwrap();
        assert!((moved - x).abs() < 1e-15, "{step}: {moved}");
    }

    let nao = &shipped("nao/nao_h25.urdf").placements[0].model;
    let repaired = nao.with(&Overrides::new().set("parameters/hip_izz", 5.5e-5)).unwrap();
    assert!(repaired.warnings().is_empty(), "{}", repaired.warnings());

    let walker = &shipped("tinkertoy/tinkertoy.urdf").placements[0].model;
    let longer = walker.with(&Overrides::new().set("parameters/r", 0.2).set("parameters/l", 1.1)).unwrap();
    for leg in ["left_leg", "right_leg"] {
        let foot = &longer.body(longer.body_named(leg).unwrap()).shapes[0];
        assert_eq!(foot.shape, Shape::Disc { radius: 0.2 });
        assert_eq!(foot.body_from_shape.translation.z, 0.2 - 1.1);
        assert_eq!(longer.number(&format!("bodies/{leg}/com/z")), Some(0.3137 - 1.1));
    }

    let pendulum = &shipped("pendulum/pendulum.urdf").placements[0].model;
    let short = pendulum.with(&Overrides::new().set("parameters/length_m", 0.5)).unwrap();
    assert_eq!(short.bodies()[1].inertia.com.x, 0.5);
}

#[test]
fn every_free_number_of_every_shipped_world_can_be_set_to_itself() {
    for name in files() {
        for placement in shipped(&name).placements {
            let same: Overrides = placement.model.free_numbers().into_iter().collect();
            let again = placement.model.with(&same).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert!(again == *placement.model, "{name}: {}", placement.name);
        }
    }
}
