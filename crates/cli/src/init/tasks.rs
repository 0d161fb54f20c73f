//! The scenario of each task, as readable and editable text.

use super::robot::Robot;
use super::{grasp, legs, sidecar};
use std::fmt::Write;
use veracity_model::CombineRule;
use veracity_model::layout::JointSlot;

/// One entry of the list of tasks.
pub struct Task {
    /// As on the command line.
    pub name: &'static str,
    /// What it tests, in one line.
    pub text: &'static str,
    /// Whether the robot's base is free.
    pub free: bool,
    /// Whether bodies may touch.
    pub contact: bool,
    /// Writes everything after the world's models.
    write: fn(&mut Robot) -> anyhow::Result<Written>,
}

/// What a task adds to the common header.
pub(super) struct Written {
    pub duration_s: f64,
    /// Further files: name and text.
    pub files: Vec<(String, String)>,
    /// Further lines of `[world]`, and models.
    pub world: String,
    /// Start, controllers, references, checks and `[stop]`.
    pub rest: String,
}

/// The files of a task.
pub struct Files {
    /// Name and text, the scenario first.
    pub files: Vec<(String, String)>,
    /// What the scenario's sidecar changes in the model, one sentence each.
    pub changes: Vec<String>,
}

/// Every task.
pub const TASKS: &[Task] = &[
    Task {
        name: "grasp",
        text: "a gripper holds a block against gravity",
        free: false,
        contact: true,
        write: grasp::write,
    },
    Task {
        name: "walk",
        text: "a robot on its legs does not fall; put your controller in",
        free: true,
        contact: true,
        write: walk,
    },
    Task {
        name: "track",
        text: "joints follow slow sinusoids, compared with a converged reference",
        free: false,
        contact: false,
        write: track,
    },
    Task {
        name: "drop",
        text: "the robot falls on a floor and comes to rest",
        free: true,
        contact: true,
        write: drop_it,
    },
];

/// The task with this name.
pub fn find(name: &str) -> Option<&'static Task> {
    TASKS.iter().find(|task| task.name == name)
}

impl Task {
    /// Every file of the task. `model` and `found` are the model file and the files that belong to it, as seen from
    /// the scenario.
    pub fn files(&self, robot: &mut Robot, model: &str, found: &ModelFiles) -> anyhow::Result<Files> {
        let written = (self.write)(robot)?;
        let stem = plain(&robot.name);
        let name = format!("{stem}_{}", self.name);
        let mut of_model = if model.to_lowercase().ends_with(".urdf") {
            format!("base = \"{}\"\n", if self.free { "free" } else { "fixed" })
        } else {
            String::new()
        };
        let mut changes = Vec::new();
        let mut sidecars = Vec::new();
        if self.contact
            && let Some((text, said)) = sidecar::text(robot, model)
        {
            let file = format!("{name}.sidecar.toml");
            let _ = writeln!(of_model, "sidecar = {}", quoted(&file));
            sidecars.push((file, text));
            changes = said;
        }
        if let Some(srdf) = &found.srdf {
            let _ = writeln!(of_model, "srdf = {}", quoted(srdf));
        }
        let settings = own_settings(robot, &mut changes);
        let mut packages = String::new();
        if !found.packages.is_empty() {
            let list: Vec<String> = found.packages.iter().map(|folder| quoted(folder)).collect();
            packages = format!("package_paths = [{}]\n", list.join(", "));
        }
        let text = format!(
            "#:schema schema/scenario.json\n\
             # Written by `veracity init --model … --task {task}`. Every number here is a starting point: change it.\n\
             schema = 1\n\
             name = {name}\n\
             title = {title}\n\
             text = {about}\n\
             source = \"Generated from the model; bounds are what is asked of the task, not what an engine gave.\"\n\
             duration_s = {duration}\n\
             step_s = 0.001\n\n\
             [world]\n\
             gravity_m_s2 = [0, 0, -9.81]\n\
             {packages}{settings}{world}\n\
             [[world.models]]\n\
             file = {file}\n\
             name = {model_name}\n\
             {of_model}\n\
             {rest}",
            task = self.name,
            name = quoted(&name),
            title = quoted(&format!("{}: {}", robot.name, self.name)),
            about = quoted(&format!("{}: {}.", robot.name, self.text)),
            duration = written.duration_s,
            world = written.world,
            file = quoted(model),
            model_name = quoted(&robot.name),
            rest = written.rest,
        );
        let mut files = vec![(format!("{name}.toml"), text)];
        files.extend(written.files);
        files.extend(sidecars);
        Ok(Files { files, changes })
    }
}

/// A line of `[world]` that leaves out options for one engine alone: with them every other choice of that engine's spec
/// would be rejected.
fn own_settings(robot: &Robot, changes: &mut Vec<String>) -> String {
    let list: Vec<String> =
        robot.world.engine_settings.iter().map(|(engine, key, value)| format!("{engine}:{key}={value}")).collect();
    if list.is_empty() {
        return String::new();
    }
    let shown = list[..list.len().min(6)].join(", ");
    let more = if list.len() > 6 { format!(" and {} more", list.len() - 6) } else { String::new() };
    changes.push(format!("options for one engine alone are left out: {shown}{more}; an engine spec can set them"));
    format!("# In the model's file: {shown}{more}. An engine spec can set them.\nengine_settings = false\n")
}

/// Files that the user named together with the model, as seen from the scenario.
#[derive(Default)]
pub struct ModelFiles {
    /// The SRDF.
    pub srdf: Option<String>,
    /// Folders of packages.
    pub packages: Vec<String>,
}

/// Height below which no centre of mass may get [m]: the floor is at 0.
const FLOOR_LEVEL: f64 = -0.05;

/// How two surfaces become one, said because files of different formats disagree: the robot's own rules, or `friction`.
pub(super) fn rules(robot: &Robot, friction: Option<CombineRule>) -> String {
    let word = |rule: CombineRule| serde_json::to_value(rule).map_or(String::new(), |word| word.to_string());
    let own = &robot.world.combination;
    format!(
        "friction_rule = {}\nrestitution_rule = {}\n",
        word(friction.unwrap_or(own.friction)),
        word(own.restitution)
    )
}

/// The floor shared by two tasks.
fn floor(robot: &Robot) -> (String, String, String) {
    let text = "<?xml version=\"1.0\"?>\n<!-- A level floor at the world's origin. -->\n<sdf version=\"1.9\"><model name=\"floor\">\
                <static>true</static><link name=\"floor\">\
                <collision name=\"floor\"><geometry><plane><normal>0 0 1</normal><size>100 100</size></plane></geometry>\
                <surface><friction><ode><mu>0.8</mu><mu2>0.8</mu2></ode></friction></surface></collision>\
                <visual name=\"floor\"><geometry><plane><normal>0 0 1</normal><size>100 100</size></plane></geometry></visual>\
                </link></model></sdf>\n";
    // The floor's own friction, unless a foot has less.
    let rules = rules(robot, Some(CombineRule::Min));
    let world = format!("{rules}\n[[world.models]]\nfile = \"floor.sdf\"\nname = \"floor\"\n");
    ("floor.sdf".to_string(), text.to_string(), world)
}

/// `[start]`: every joint, and a free base at a height that leaves `clearance` over the floor.
pub(super) fn start(robot: &Robot, clearance: Option<f64>) -> String {
    let mut out = format!("# {}.\n[start.positions]\n", capital(&robot.start_text));
    for joint in robot.layout.joints.iter().filter(|j| j.kind.dof_count() == 1) {
        let _ = writeln!(out, "{} = {}", quoted(&joint.name), number(robot.q[joint.q]));
    }
    if let Some(clearance) = clearance {
        let root = &robot.layout.bodies[0];
        let at = robot.poses[0].translation.vector;
        let height = at.z - robot.room[0].z + clearance;
        let _ =
            write!(out, "\n[start.bodies]\n{} = {{ position_m = [0, 0, {}] }}\n", quoted(&root.name), number(height));
    }
    out
}

/// A controller that holds joints at their start: each is a critically damped oscillator of `omega` [rad/s], stiff
/// enough to carry `load` [N m or N] with 0.02 rad or m of sag.
pub(super) fn hold(robot: &Robot, except: &[usize], omega: f64, load: f64, compensate: bool) -> String {
    let held: Vec<&JointSlot> = robot.driven().into_iter().filter(|j| !except.contains(&j.body)).collect();
    if held.is_empty() {
        return String::new();
    }
    let mut out = "\n[[controllers]]\nname = \"hold\"\nkind = \"pd\"\nrate_hz = 1000\n".to_string();
    if compensate {
        out += "gravity_compensation = true\n";
    }
    out += "[controllers.joints]\n";
    for joint in held {
        let (kp, kd) = gains(robot, joint.v, omega, load);
        let at = number(robot.q[joint.q]);
        let _ = writeln!(out, "{} = {{ kp = {kp}, kd = {kd}, target = {at} }}", quoted(&joint.name));
    }
    out
}

fn gains(robot: &Robot, dof: usize, omega: f64, load: f64) -> (String, String) {
    let inertia = robot.inertias[dof].max(1e-5);
    // Sampled at 1 kHz: the loop is stable while the sum of kd T / inertia over the joints is small, and kp below 2 kd
    // / T.
    let most_kd = 50.0 * inertia;
    let kp = (inertia * omega * omega).max(load / 0.02).min(400.0 * most_kd);
    let kd = (2.0 * (kp * inertia).sqrt()).min(most_kd);
    (number(kp), number(kd))
}

fn track(robot: &mut Robot) -> anyhow::Result<Written> {
    let mut rest = start(robot, None);
    rest += "\n[[controllers]]\nname = \"track\"\nkind = \"pd\"\nrate_hz = 1000\ngravity_compensation = true\n\
             [controllers.joints]\n";
    for joint in robot.driven() {
        let (kp, kd) = gains(robot, joint.v, 30.0, 0.0);
        let (at, limits) = (robot.q[joint.q], &robot.layout.dofs[joint.v]);
        // From rest towards the farther limit, a tenth of the range and at most 0.1 rad or m.
        let (up, down) = (limits.upper - at, at - limits.lower);
        let amplitude = if up >= down { (0.1 * up).min(0.1) } else { -(0.1 * down).min(0.1) };
        let _ = writeln!(
            rest,
            "{} = {{ kp = {kp}, kd = {kd}, target = {{ offset = {}, amplitude = {}, omega_rad_s = 3.141592653589793, \
             phase_rad = -1.5707963267948966 }} }}",
            quoted(&joint.name),
            number(at + amplitude),
            number(amplitude),
        );
    }
    let tool = &robot.layout.bodies[robot.tool()].name;
    let p = robot.poses[robot.tool()].translation.vector;
    let _ = write!(
        rest,
        "\n[[references]]\nname = \"converged\"\nkind = \"converged\"\n\n\
         [[checks]]\nname = \"tool\"\nmetric = \"position_error\"\nof = {tool}\nreference = \"converged\"\nbound = 0.001\n\
         reason = \"A millimetre at the tool is what many arms repeat to; a simulation should add less.\"\n\n\
         [[checks]]\nname = \"comes back\"\nmetric = \"reached\"\nof = {tool}\ntarget_m = [{x}, {y}, {z}]\nwithin_m = 0.05\n\
         from_s = 1.9\nreason = \"After one period the joints are where they started, up to what the controller lags.\"\n",
        tool = quoted(tool),
        x = number(p.x),
        y = number(p.y),
        z = number(p.z),
    );
    Ok(Written { duration_s: 2.0, files: Vec::new(), world: "contact = false\n".to_string(), rest })
}

fn walk(robot: &mut Robot) -> anyhow::Result<Written> {
    need_base(robot)?;
    legs::must_have_lowest_shapes(robot, FLOOR_LEVEL)?;
    legs::must_stand_on_legs(robot)?;
    let (file, text, world) = floor(robot);
    let height = robot.room[1].z - robot.room[0].z;
    let mut rest = start(robot, Some(1e-3));
    rest += "\n# Holds the pose. Put your own controller here: its checks stay the same.";
    rest += &hold(robot, &[], 20.0, 0.1 * robot.mass * 9.81 * height, false);
    let root = robot.root();
    let at = robot.com(root).z - robot.room[0].z;
    let _ = write!(
        rest,
        "\n[[checks]]\nname = \"upright\"\nmetric = \"fell\"\nof = {root}\nbelow_m = {below}\ntilt_rad = 0.7\n\
         reason = \"Half its height at the start, or leaning by 40 degrees, is a fall.\"\n\n\
         [[checks]]\nname = \"floor\"\nmetric = \"tunnelled\"\nlevel = -0.05\nbound = 0\n\
         reason = \"No centre of mass can get 5 cm below the floor it stands on.\"\n\n\
         [stop]\nwhen = [\"upright\"]\n",
        root = quoted(&robot.layout.bodies[root].name),
        below = number(0.5 * at),
    );
    Ok(Written { duration_s: 3.0, files: vec![(file, text)], world, rest })
}

fn drop_it(robot: &mut Robot) -> anyhow::Result<Written> {
    need_base(robot)?;
    legs::must_have_lowest_shapes(robot, FLOOR_LEVEL)?;
    let (file, text, world) = floor(robot);
    let mut rest = start(robot, Some(0.1));
    rest += &hold(robot, &[], 20.0, 0.0, false);
    let root = quoted(&robot.layout.bodies[robot.root()].name);
    let _ = write!(
        rest,
        "\n[[checks]]\nname = \"floor\"\nmetric = \"tunnelled\"\nlevel = -0.05\nbound = 0\n\
         reason = \"No centre of mass can get 5 cm below the floor.\"\n\n\
         [[checks]]\nname = \"falls\"\nmetric = \"displacement\"\nof = {root}\nat_least = 0.05\n\
         reason = \"It starts 0.1 m over the floor and nothing holds it.\"\n\n\
         [[checks]]\nname = \"comes to rest\"\nmetric = \"displacement\"\nof = {root}\nfrom_s = 4.5\nbound = 0.05\n\
         reason = \"Five seconds after a fall of 0.1 m a robot with friction lies or stands still.\"\n"
    );
    Ok(Written { duration_s: 5.0, files: vec![(file, text)], world, rest })
}

fn need_base(robot: &Robot) -> anyhow::Result<()> {
    anyhow::ensure!(robot.floats(), "the model's base is fixed in its file; try --task track or grasp");
    Ok(())
}

/// A quoted string: JSON's syntax is valid TOML.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Nine digits: enough for a start, few enough to read. Never an exponent without a decimal point.
pub(super) fn number(x: f64) -> String {
    let rounded: f64 = format!("{x:.8e}").parse().unwrap_or(x);
    let text = format!("{rounded:?}");
    if text == "-0.0" { "0.0".to_string() } else { text }
}

/// Lower case letters, digits and underscores.
pub(super) fn plain(name: &str) -> String {
    let letters =
        name.to_lowercase().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect::<String>();
    let name = letters.trim_matches('_').chars().take(40).collect::<String>();
    if name.starts_with(|c: char| c.is_ascii_lowercase()) { name } else { format!("robot_{name}") }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().collect::<String>() + letters.as_str())
}
