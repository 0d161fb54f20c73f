//! The scenario of each task, as readable and editable text.

use super::fingers::Fingers;
use super::robot::Robot;
use std::fmt::Write;

/// One entry of the list of tasks.
pub struct Task {
    /// As on the command line.
    pub name: &'static str,
    /// What it tests, in one line.
    pub text: &'static str,
    /// Whether the robot's base is free.
    pub free: bool,
    /// Writes everything after the world's models.
    write: fn(&mut Robot) -> anyhow::Result<Written>,
}

/// What a task adds to the common header.
struct Written {
    duration_s: f64,
    /// Further files: name and text.
    files: Vec<(String, String)>,
    /// Further lines of `[world]`, and models.
    world: String,
    /// Start, controllers, references, checks and `[stop]`.
    rest: String,
}

/// Every task.
pub const TASKS: &[Task] = &[
    Task { name: "grasp", text: "two fingers hold a block against gravity", free: false, write: grasp },
    Task { name: "walk", text: "a robot on its legs does not fall; put your controller in", free: true, write: walk },
    Task {
        name: "track",
        text: "joints follow slow sinusoids, held to a converged reference",
        free: false,
        write: track,
    },
    Task { name: "drop", text: "the robot falls on a floor and comes to rest", free: true, write: drop_it },
];

/// The task with this name.
pub fn find(name: &str) -> Option<&'static Task> {
    TASKS.iter().find(|task| task.name == name)
}

impl Task {
    /// Every file of the task, the scenario first.
    pub fn files(&self, robot: &mut Robot, model: &str) -> anyhow::Result<Vec<(String, String)>> {
        let written = (self.write)(robot)?;
        let stem = plain(&robot.name);
        let name = format!("{stem}_{}", self.name);
        let base = if model.to_lowercase().ends_with(".urdf") {
            format!("base = \"{}\"\n", if self.free { "free" } else { "fixed" })
        } else {
            String::new()
        };
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
             {world}\n\
             [[world.models]]\n\
             file = {file}\n\
             name = {model_name}\n\
             {base}\n\
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
        Ok(files)
    }
}

/// The floor shared by two tasks.
fn floor() -> (String, String, String) {
    let text = "<?xml version=\"1.0\"?>\n<!-- A level floor at the world's origin. -->\n<sdf version=\"1.9\"><model name=\"floor\">\
                <static>true</static><link name=\"floor\">\
                <collision name=\"floor\"><geometry><plane><normal>0 0 1</normal><size>100 100</size></plane></geometry>\
                <surface><friction><ode><mu>0.8</mu><mu2>0.8</mu2></ode></friction></surface></collision>\
                <visual name=\"floor\"><geometry><plane><normal>0 0 1</normal><size>100 100</size></plane></geometry></visual>\
                </link></model></sdf>\n";
    let world = "friction_rule = \"min\"\n\n[[world.models]]\nfile = \"floor.sdf\"\nname = \"floor\"\n".to_string();
    ("floor.sdf".to_string(), text.to_string(), world)
}

/// `[start]`: every joint, and a free base at a height that leaves `clearance` over the floor.
fn start(robot: &Robot, clearance: Option<f64>) -> String {
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
fn hold(robot: &Robot, except: &[usize], omega: f64, load: f64, compensate: bool) -> String {
    let mut out = "\n[[controllers]]\nname = \"hold\"\nkind = \"pd\"\nrate_hz = 1000\n".to_string();
    if compensate {
        out += "gravity_compensation = true\n";
    }
    out += "[controllers.joints]\n";
    for joint in robot.driven().into_iter().filter(|j| !except.contains(&j.body)) {
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
    let (file, text, world) = floor();
    let height = robot.room[1].z - robot.room[0].z;
    let mut rest = start(robot, Some(1e-3));
    rest += "\n# Holds the pose. Put your own controller here: its checks stay the same.";
    rest += &hold(robot, &[], 20.0, 0.1 * robot.mass * 9.81 * height, false);
    let root = robot.root();
    let model = &robot.world.placements[0].model;
    let com = model.body(robot.layout.bodies[root].body).inertia.com;
    let place = &robot.poses[root];
    let at = (place.translation.vector + place.rotation * com).z - robot.room[0].z;
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
    let (file, text, world) = floor();
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

fn grasp(robot: &mut Robot) -> anyhow::Result<Written> {
    let fingers = Fingers::of(robot)?;
    let Fingers { bodies, world_from_block, size, efforts } = &fingers;
    let (centre, turn) = (world_from_block.translation.vector, world_from_block.rotation);
    let mass = (500.0 * size.x * size.y * size.z).max(0.01);
    let [x, y, z] = [size.x, size.y, size.z];
    let inertia = |a: f64, b: f64| number(mass * (a * a + b * b) / 12.0);
    let block = format!(
        "<?xml version=\"1.0\"?>\n<!-- A block that fits between the fingers: 500 kg/m3. -->\n<robot name=\"block\"><link name=\"block\">\
         <inertial><mass value=\"{mass}\"/><inertia ixx=\"{}\" iyy=\"{}\" izz=\"{}\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>\
         <visual><geometry><box size=\"{x} {y} {z}\"/></geometry></visual>\
         <collision><geometry><box size=\"{x} {y} {z}\"/></geometry></collision></link></robot>\n",
        inertia(y, z),
        inertia(x, z),
        inertia(x, y),
    );
    let world = "\n[[world.models]]\nfile = \"block.urdf\"\nname = \"block\"\nbase = \"free\"\n".to_string();
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
    rest += &hold(robot, bodies, 30.0, 0.0, true);
    rest += "\n[[controllers]]\nname = \"squeeze\"\nkind = \"constant\"\n[controllers.efforts]\n";
    for (body, effort) in bodies.iter().zip(efforts) {
        let joint = &robot.layout.joints[*body];
        if robot.driven().iter().any(|j| j.body == *body) {
            let _ = writeln!(rest, "{} = {}", quoted(&joint.name), number(*effort));
        }
    }
    let names = bodies.map(|body| quoted(&robot.layout.bodies[body].name)).join(", ");
    let _ = write!(
        rest,
        "\n[[checks]]\nname = \"held\"\nmetric = \"held\"\ngrippers = [{names}]\nobjects = [\"block/block\"]\n\
         within_m = 0.005\nwithin_rad = 0.1\n\
         reason = \"The fingers close by half a millimetre each; 5 mm and 6 degrees are what most tasks can bear.\"\n\n\
         [[checks]]\nname = \"not dropped\"\nmetric = \"dropped\"\ngrippers = [{names}]\nobjects = [\"block/block\"]\n\
         farther_m = 0.05\nreason = \"The block starts between the fingers; 5 cm away and untouched it is lost.\"\n\n\
         [stop]\nwhen = [\"held\", \"not dropped\"]\n"
    );
    Ok(Written { duration_s: 3.0, files: vec![("block.urdf".to_string(), block)], world, rest })
}

fn need_base(robot: &Robot) -> anyhow::Result<()> {
    anyhow::ensure!(robot.floats(), "the model's base is fixed in its file; try --task track or grasp");
    Ok(())
}

/// A quoted string: JSON's syntax is valid TOML.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Nine digits: enough for a start, few enough to read. Never an exponent without a decimal point.
fn number(x: f64) -> String {
    let rounded: f64 = format!("{x:.8e}").parse().unwrap_or(x);
    let text = format!("{rounded:?}");
    if text == "-0.0" { "0.0".to_string() } else { text }
}

/// Lower case letters, digits and underscores.
fn plain(name: &str) -> String {
    let letters =
        name.to_lowercase().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect::<String>();
    let name = letters.trim_matches('_').chars().take(40).collect::<String>();
    if name.starts_with(|c: char| c.is_ascii_lowercase()) { name } else { format!("robot_{name}") }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().collect::<String>() + letters.as_str())
}
