//! The grasp of a block: its file, the squeeze and the checks.

use super::block::GraspBlock;
use super::fingers::Gripper;
use super::grasp_study;
use super::robot::Robot;
use super::tasks::{Written, hold, number, plain, quoted, rules, start};
use std::fmt::Write;
use veracity_scenario::starter;

/// Everything after the header.
pub(super) fn write(robot: &mut Robot) -> anyhow::Result<Written> {
    let gripper = Gripper::of(robot)?;
    let GraspBlock { sides, world_from_block, size } = &gripper.block;
    let (centre, turn) = (world_from_block.translation.vector, world_from_block.rotation);
    let block = "\n[[world.models]]\nfile = \"block.urdf\"\nname = \"block\"\nbase = \"free\"\n";
    let world = rules(robot, None) + block;
    let mut rest = start(robot, None);
    let _ = write!(
        rest,
        "\n[start.bodies]\n\"block/block\" = {{ position_m = [{}, {}, {}], quat_wxyz = [{}, {}, {}, {}] }}\n",
        number(centre.x),
        number(centre.y),
        number(centre.z),
        number(turn.w),
        number(turn.i),
        number(turn.j),
        number(turn.k),
    );
    let closing: Vec<usize> = gripper.squeeze.iter().map(|(joint, _)| *joint).collect();
    rest += &hold(robot, &closing, 30.0, 0.0, true);
    let _ = write!(
        rest,
        "\n# Presses on the block with {:.2} N.\n[[controllers]]\nname = \"squeeze\"\nkind = \"constant\"\n[controllers.efforts]\n",
        gripper.force
    );
    for (joint, effort) in &gripper.squeeze {
        let _ = writeln!(rest, "{} = {}", quoted(&robot.layout.joints[*joint].name), number(*effort));
    }
    let with = quoted(&robot.layout.bodies[sides[0]].name);
    let names = sides.map(|body| quoted(&robot.layout.bodies[body].name)).join(", ");
    let _ = write!(
        rest,
        "\n[[checks]]\nname = \"held\"\nmetric = \"held\"\ngrippers = [{names}]\nobjects = [\"block/block\"]\n\
         within_m = 0.005\nwithin_rad = 0.1\n\
         reason = \"The fingers close by a tenth of a millimetre each; 5 mm and 6 degrees are what most tasks can bear.\"\n\n\
         [[checks]]\nname = \"not dropped\"\nmetric = \"dropped\"\ngrippers = [{names}]\nobjects = [\"block/block\"]\n\
         farther_m = 0.05\nreason = \"The block starts between the fingers; 5 cm away and untouched it is lost.\"\n\n\
         [[checks]]\nname = \"slip\"\nmetric = \"relative_displacement\"\nof = \"block/block\"\nwith = {with}\nfrom_s = 0.1\n\
         bound = 0.005\nreason = \"As much as `held` allows, once the fingers have closed.\"\n\n\
         [stop]\nwhen = [\"held\", \"not dropped\"]\n"
    );
    let name = format!("{}_grasp", plain(&robot.name));
    let squeeze: Vec<(String, f64)> =
        gripper.squeeze.iter().map(|(joint, effort)| (robot.layout.joints[*joint].name.clone(), *effort)).collect();
    let files = vec![
        ("block.urdf".to_string(), block_file(gripper.mass, [size.x, size.y, size.z])),
        (format!("{name}_study.toml"), grasp_study::text(&name, world_from_block, &squeeze)),
        ("schema/study.json".to_string(), starter::study_schema()),
    ];
    Ok(Written { duration_s: 3.0, files, world, rest })
}

fn block_file(mass: f64, [x, y, z]: [f64; 3]) -> String {
    let inertia = |a: f64, b: f64| number(mass * (a * a + b * b) / 12.0);
    format!(
        "<?xml version=\"1.0\"?>\n<!-- A block that fits between the fingers. -->\n<robot name=\"block\"><link name=\"block\">\
         <inertial><mass value=\"{mass}\"/><inertia ixx=\"{}\" iyy=\"{}\" izz=\"{}\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>\
         <visual><geometry><box size=\"{x} {y} {z}\"/></geometry></visual>\
         <collision><geometry><box size=\"{x} {y} {z}\"/></geometry></collision></link></robot>\n",
        inertia(y, z),
        inertia(x, z),
        inertia(x, y),
    )
}
