//! The n-link chain: equal boxes, hinged end to end, horizontal at rest when every angle is zero.

/// Numbers of links: the sizes at which engines were compared.
const COUNTS: [usize; 3] = [2, 10, 30];

const LENGTH: f64 = 0.2;
const WIDTH: f64 = 0.04;
const MASS: f64 = 1.0;

/// The files of the family, by path under `scenarios/`.
pub fn files() -> Vec<(String, String)> {
    let mut out: Vec<_> = COUNTS.iter().map(|n| (format!("chain/chain{n}.urdf"), urdf(*n))).collect();
    out.push(("chain/chain30.urdf.toml".into(), LONG.into()));
    out
}

const LONG: &str = "# Written by the example write_families.
schema = 1
gravity = [0, 0, -9.81]

[[known]]
code = \"conditioning\"
why = \"a long chain of equal links: the first hinge moves all of them, the last one\"
";

fn urdf(count: usize) -> String {
    let across = MASS * (LENGTH * LENGTH + WIDTH * WIDTH) / 12.0;
    let along = MASS * (WIDTH * WIDTH + WIDTH * WIDTH) / 12.0;
    let mut text = format!(
        "<?xml version=\"1.0\"?>\n\
         <!-- {count} boxes of {LENGTH} x {WIDTH} x {WIDTH} m and {MASS} kg in a row along +x, hinged about y at their \
         ends.\n     Written by the example write_families; README.md has the source of the numbers. -->\n\
         <robot name=\"chain{count}\">\n  <link name=\"ground\"/>\n"
    );
    for i in 1..=count {
        let parent = if i == 1 { "ground".to_string() } else { format!("link{}", i - 1) };
        let x = if i == 1 { 0.0 } else { LENGTH };
        let middle = LENGTH / 2.0;
        text += &format!(
            "  <joint name=\"hinge{i}\" type=\"continuous\">\n\
             \x20   <parent link=\"{parent}\"/>\n\
             \x20   <child link=\"link{i}\"/>\n\
             \x20   <origin xyz=\"{x} 0 0\"/>\n\
             \x20   <axis xyz=\"0 1 0\"/>\n\
             \x20 </joint>\n\
             \x20 <link name=\"link{i}\">\n\
             \x20   <inertial>\n\
             \x20     <origin xyz=\"{middle} 0 0\"/>\n\
             \x20     <mass value=\"{MASS}\"/>\n\
             \x20     <inertia ixx=\"{along}\" iyy=\"{across}\" izz=\"{across}\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/>\n\
             \x20   </inertial>\n\
             \x20   <visual>\n\
             \x20     <origin xyz=\"{middle} 0 0\"/>\n\
             \x20     <geometry><box size=\"{LENGTH} {WIDTH} {WIDTH}\"/></geometry>\n\
             \x20   </visual>\n\
             \x20 </link>\n"
        );
    }
    text + "</robot>\n"
}
