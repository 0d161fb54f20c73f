//! N four-bar windows side by side: uprights hinged to the ground at x = 0 … N, joined at the top by couplers.

/// Numbers of windows: the two cases of the benchmark.
const COUNTS: [usize; 2] = [2, 40];

/// The files of the family, by path under `scenarios/`.
pub fn files() -> Vec<(String, String)> {
    let both = COUNTS.iter().flat_map(|n| {
        let name = format!("four_bar/four_bar_{n}.sdf");
        [(format!("{name}.toml"), sidecar(*n)), (name, sdf(*n))]
    });
    both.collect()
}

/// The start: upright, the tops moving at 1 m/s, the couplers not rotating.
fn sidecar(windows: usize) -> String {
    let mut text = "# Written by the example write_families.\n\
                    schema = 1\n\
                    start = \"start\"\n\n\
                    # Uprights turn at 1 rad/s; couplers, whose angles count from the uprights, stay level.\n\
                    [[keyframe]]\nname = \"start\"\n"
        .to_string();
    (0..=windows).for_each(|i| text += &format!("v.base_{i} = 1\n"));
    (1..=windows).for_each(|i| text += &format!("v.left_pin_{i} = -1\n"));
    text
}

fn sdf(windows: usize) -> String {
    let mut text = format!(
        "<?xml version=\"1.0\"?>\n\
         <!-- {windows} four-bar windows of uniform thin rods, 1 m and 1 kg each, standing upright.\n\
         \x20    Written by the example write_families; README.md has the source of the numbers. -->\n\
         <sdf version=\"1.9\">\n  <world name=\"four_bar_{windows}\">\n    <gravity>0 0 -9.81</gravity>\n    \
         <model name=\"four_bar_{windows}\">\n"
    );
    for i in 0..=windows {
        text += &rod(&format!("upright_{i}"), [i as f64, 0.0, 0.0], 'z');
        text += &hinge(&format!("base_{i}"), "world", &format!("upright_{i}"), 0.0);
    }
    for i in 1..=windows {
        let coupler = format!("coupler_{i}");
        text += &rod(&coupler, [(i - 1) as f64, 0.0, 1.0], 'x');
        text += &hinge(&format!("left_pin_{i}"), &format!("upright_{}", i - 1), &coupler, 0.0);
    }
    // The second joint of each coupler closes a window.
    for i in 1..=windows {
        text += &hinge(&format!("right_pin_{i}"), &format!("upright_{i}"), &format!("coupler_{i}"), 1.0);
    }
    text + "    </model>\n  </world>\n</sdf>\n"
}

/// A thin rod of 1 m and 1 kg from its own origin along x or z.
fn rod(name: &str, [x, y, z]: [f64; 3], along: char) -> String {
    let moment = 1.0 / 12.0;
    let (com, tensor, turn) = match along {
        'z' => ("0 0 0.5", [moment, moment, 0.0], "0 0 0"),
        _ => ("0.5 0 0", [0.0, moment, moment], "0 1.5707963267948966 0"),
    };
    let [ixx, iyy, izz] = tensor;
    format!(
        "      <link name=\"{name}\">\n\
         \x20       <pose>{x} {y} {z} 0 0 0</pose>\n\
         \x20       <inertial>\n\
         \x20         <pose>{com} 0 0 0</pose>\n\
         \x20         <mass>1</mass>\n\
         \x20         <inertia><ixx>{ixx}</ixx><iyy>{iyy}</iyy><izz>{izz}</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia>\n\
         \x20       </inertial>\n\
         \x20       <visual name=\"rod\">\n\
         \x20         <pose>{com} {turn}</pose>\n\
         \x20         <geometry><cylinder><radius>0.01</radius><length>1</length></cylinder></geometry>\n\
         \x20       </visual>\n\
         \x20     </link>\n"
    )
}

/// A hinge about y, `x` metres along the child.
fn hinge(name: &str, parent: &str, child: &str, x: f64) -> String {
    format!(
        "      <joint name=\"{name}\" type=\"revolute\">\n\
         \x20       <pose>{x} 0 0 0 0 0</pose>\n\
         \x20       <parent>{parent}</parent>\n\
         \x20       <child>{child}</child>\n\
         \x20       <axis><xyz>0 1 0</xyz></axis>\n\
         \x20     </joint>\n"
    )
}
