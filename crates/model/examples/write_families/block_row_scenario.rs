//! Scenarios for a row of blocks: it holds, it holds just above the friction limit, it slides just below.

/// The bound from the grasp study that every row must stay below [J].
fn most(count: usize) -> (&'static str, &'static str) {
    match count {
        1 => {
            ("1e-8", "ODE's best published run ended at 9.3e-8 J at this friction; a tenth of it, a slip of 0.14 um.")
        }
        2 | 3 => (
            "1e-5",
            "The best published run, tuned ODE, ended at 1.4e-4 J (2 blocks) and 7.6e-4 J (3); a tenth of it.",
        ),
        _ => (
            "1e-3",
            "No published run held 100 s; what tuned ODE reached with 3 blocks is asked of every longer row.",
        ),
    }
}

/// As published: friction 100, 100 s.
pub fn holds(count: usize) -> String {
    let (bound, reason) = most(count);
    let text = format!(
        "{count} block{} held by friction alone between two grippers that press with {} N each, 100 s. Exact: nothing moves at all\n\
         (mu_min is 0.049, friction is 100).",
        if count == 1 { "" } else { "s" },
        100 * count
    );
    let checks = format!(
        "{}{}{PLACE}{}",
        check(count, "published", "grasp_published", bound, reason),
        check(
            count,
            "corrected",
            "grasp_corrected",
            bound,
            &format!("As much for the measure that sees turning as well. {reason}")
        ),
        losses(count, bound),
    );
    let title = format!("Row of {count} between grippers");
    head(&format!("block_row_{count}"), &title, &text, count, 100.0, 10.0)
        + &controller(count)
        + &record(50.0)
        + &checks
        + &mutation(count, 0.04, "Friction below the 0.049 that hold the row drops it.")
}

/// Friction 0.06: a fifth more than needed to hold the row.
pub fn margin(count: usize) -> String {
    let (bound, reason) = most(count);
    let text = "As block_row, with friction 0.06 where 0.049 is what holds the row, for any number of blocks.";
    let title = format!("Row of {count} at friction 0.06");
    head(&format!("block_row_{count}_margin"), &title, text, count, 100.0, 10.0)
        + &set(count, 0.06)
        + &controller(count)
        + &record(10.0)
        + &check(count, "published", "grasp_published", bound, reason)
        + PLACE
        + &mutation(count, 0.04, "Friction below the 0.049 that hold the row drops it.")
}

/// Friction 0.04: the whole row slides down the grippers with 9.8 - 200 mu.
pub fn slides(count: usize) -> String {
    let text = "Friction 0.04, below the 0.049 that hold the row: the whole row slides down between the grippers with 9.8 - 200 mu =\n\
                1.8 m/s², its blocks sticking to each other. It ends before a block's face leaves the grippers'.";
    let title = format!("Row of {count} at friction 0.04");
    let mut channels = String::new();
    for i in 0..count {
        let y = super::round(super::HALF * (count as f64 - 1.0) - 2.0 * super::HALF * i as f64);
        channels += &format!(
            "[[references.channels]]\nposition_of = \"block_{i}/block\"\ntimes_s = [0.1, 0.2]\n\
             values = [[0, {y}, 0.491], [0, {y}, 0.464]]\nuncertainty = 0\n"
        );
    }
    head(&format!("block_row_{count}_slides"), &title, text, count, 0.2, 10.0)
        + &set(count, 0.04)
        + &controller(count)
        + &record(100.0)
        + "\n[[references]]\nname = \"coulomb\"\nkind = \"published\"\nsource = \"balance of forces: a = g - 2 mu F / (n m)\"\n"
        + &channels
        + "\n[[checks]]\nname = \"acceleration\"\nmetric = \"position_error\"\nreference = \"coulomb\"\nbound = 3.6e-4\n\
           reason = \"One per cent of the 36 mm it slides in 0.2 s.\"\n"
        + &mutation(count, 0.06, "With more friction than the limit it holds.")
}

/// When it slips, when it is lost, when the study ends a run; T at the instant at which the study compares solvers.
fn losses(count: usize, bound: &str) -> String {
    let bodies = format!(
        "grippers = [\"l_gripper\", \"r_gripper\"]\nobjects = [{}]\n",
        (0..count).map(|i| format!("\"block_{i}/block\"")).collect::<Vec<_>>().join(", ")
    );
    let held = |name: &str, within_m: &str, reason: &str| {
        format!(
            "\n[[checks]]\nname = \"{name}\"\nmetric = \"held\"\n{bodies}within_m = {within_m}\nreason = \"{reason}\"\n"
        )
    };
    format!(
        "\n[[checks]]\nname = \"published_early\"\nmetric = \"grasp_published\"\n{bodies}at_s = [0.3]\nbound = {bound}\n\
         reason = \"The same 0.3 s after the start, where the study compares solvers.\"\n{}{}\
         \n[[checks]]\nname = \"blown_up\"\nmetric = \"exceeded\"\nquantity = \"grasp_published\"\nlevel = 1e7\n{bodies}\
         reason = \"The study ends a run here: a block 4.5 m away.\"\n\n[stop]\nwhen = [\"blown_up\"]\n",
        held("slip_1mm", "0.001", "A millimetre is the first slip that can be seen; an exact row does not slip."),
        held("lost", "0.05", "Half a block: its centre has reached the edge of its neighbour.")
    )
}

const PLACE: &str = "\n[[checks]]\nname = \"place\"\nmetric = \"displacement\"\nbound = 2e-5\n\
    reason = \"Exact: nothing moves. 20 um is the finest a hand can place a block.\"\n\
    \n[[checks]]\nname = \"turn\"\nmetric = \"displacement_angle\"\nbound = 1e-4\n\
    reason = \"Exact: nothing turns. 1e-4 rad are 5 um at a block's edge.\"\n";

fn head(name: &str, title: &str, text: &str, count: usize, duration_s: f64, cap_per_block_s: f64) -> String {
    format!(
        "#:schema ../../docs/schema/scenario.json\n# Written by the example write_families.\nschema = 1\nname = \"{name}\"\n\
         title = \"{title}\"\ntext = \"\"\"\n{text}\n\"\"\"\n\
         source = \"Grasp study of Taylor, Drumwright and Hsu, multi-block; balance of forces.\"\n\
         duration_s = {duration_s}\nstep_s = 0.001\ncpu_cap_s = {}\n\n[world]\nmodel = \"block_row_{count}.sdf\"\n",
        60.0 + cap_per_block_s * count as f64
    )
}

fn controller(count: usize) -> String {
    let force = 100 * count;
    format!(
        "\n[[controllers]]\nname = \"squeeze\"\nkind = \"constant\"\n\
         commands = {{ l_gripper_actuator = {force}, r_gripper_actuator = -{force} }}\n"
    )
}

fn record(rate_hz: f64) -> String {
    format!("\n[record]\nrate_hz = {rate_hz}\n")
}

fn check(count: usize, name: &str, metric: &str, bound: &str, reason: &str) -> String {
    let objects = (0..count).map(|i| format!("\"block_{i}/block\"")).collect::<Vec<_>>().join(", ");
    format!(
        "\n[[checks]]\nname = \"{name}\"\nmetric = \"{metric}\"\ngrippers = [\"l_gripper\", \"r_gripper\"]\n\
         objects = [{objects}]\nbound = {bound}\nreason = \"{reason}\"\n"
    )
}

/// The same coefficient on every surface, by path.
fn everywhere(count: usize, friction: f64) -> String {
    // Both grippers share one surface, named after the first.
    let grippers = ["world/grippers/materials/l_gripper~1box".to_string()];
    let blocks = (0..count).map(|i| format!("world/block_{i}/materials/block~1box"));
    let both = |path: String| [0, 1].map(|k| format!("    \"{path}/friction/{k}\" = {friction},\n"));
    grippers.into_iter().chain(blocks).flat_map(both).collect()
}

fn set(count: usize, friction: f64) -> String {
    let lines = everywhere(count, friction).replace("    ", "").replace(",\n", "\n");
    format!("\n[world.set]\n{lines}")
}

fn mutation(count: usize, friction: f64, why: &str) -> String {
    let lines = everywhere(count, friction).replace("    ", "").replace(",\n", "\n");
    format!("\n[mutation]\nwhy = \"{why}\"\n[mutation.set]\n{lines}")
}
