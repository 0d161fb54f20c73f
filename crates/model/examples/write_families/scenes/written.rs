//! Writes an SDF world body by body.

/// The shape of a body.
#[derive(Clone, Copy)]
pub enum Solid {
    /// Full side lengths [m].
    Box([f64; 3]),
    /// Radius [m].
    Ball(f64),
    /// Radius and length of the cylindrical part [m].
    Capsule(f64, f64),
    /// The half space below.
    Ground,
}

/// Surface properties.
#[derive(Clone, Copy)]
pub struct Surface {
    pub friction: f64,
    pub restitution: f64,
}

/// Position and roll, pitch, yaw of a frame [m, rad].
pub type Place = [f64; 6];

/// The opening of a world.
pub fn world(name: &str, gravity: f64, about: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?>\n<!-- {about}\n     Written by the example write_families; README.md has the source of the \
         numbers. -->\n<sdf version=\"1.9\">\n  <world name=\"{name}\">\n    <gravity>0 0 {}</gravity>\n",
        -gravity
    )
}

/// The end of a world.
pub const END: &str = "  </world>\n</sdf>\n";

/// A model of one body. Without mass it is static.
pub fn single(name: &str, place: Place, mass: Option<f64>, solid: Solid, surface: Surface) -> String {
    let fixed = if mass.is_none() { "      <static>true</static>\n" } else { "" };
    let link = link(name, [0.0; 6], mass, &[(solid, [0.0; 6])], surface);
    format!("    <model name=\"{name}\">\n      <pose>{}</pose>\n{fixed}{link}    </model>\n", numbers(&place))
}

/// A link with collision shapes that are drawn as well. The inertia is that of the first solid.
pub fn link(name: &str, place: Place, mass: Option<f64>, solids: &[(Solid, Place)], surface: Surface) -> String {
    // Static bodies get a mass too: SDF's default inertia would be impossible for their size.
    let mass = mass.unwrap_or(1.0);
    let inertial = match solids[0].0 {
        Solid::Ground => String::new(),
        solid => inertial(mass, moments(mass, solid)),
    };
    let mut text = format!("      <link name=\"{name}\">\n        <pose>{}</pose>\n{inertial}", numbers(&place));
    for (i, (solid, place)) in solids.iter().enumerate() {
        let geometry = geometry(*solid);
        let place = if *place == [0.0; 6] { String::new() } else { format!("<pose>{}</pose>", numbers(place)) };
        text += &format!(
            "        <collision name=\"shape_{i}\">\n          {place}{geometry}\n          <surface>{}</surface>\n        \
             </collision>\n        <visual name=\"drawn_{i}\">{place}{geometry}</visual>\n",
            behaviour(surface)
        );
    }
    text + "      </link>\n"
}

/// A slider from the world along an axis.
pub fn slider(joint: &str, child: &str, axis: [f64; 3], limits: [f64; 2]) -> String {
    format!(
        "      <joint name=\"{joint}\" type=\"prismatic\">\n        <parent>world</parent>\n        <child>{child}</child>\n        \
         <axis>\n          <xyz>{}</xyz>\n          <limit><lower>{}</lower><upper>{}</upper></limit>\n        </axis>\n      \
         </joint>\n",
        numbers(&axis),
        limits[0],
        limits[1]
    )
}

fn inertial(mass: f64, m: [f64; 3]) -> String {
    format!(
        "        <inertial>\n          <mass>{mass}</mass>\n          <inertia>\n            \
         <ixx>{}</ixx><iyy>{}</iyy><izz>{}</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz>\n          </inertia>\n        \
         </inertial>\n",
        m[0], m[1], m[2]
    )
}

/// Principal moments of the evenly filled solid [kg m²].
fn moments(mass: f64, solid: Solid) -> [f64; 3] {
    match solid {
        Solid::Ball(r) => [0.4 * mass * r * r; 3],
        Solid::Box([x, y, z]) => [y * y + z * z, x * x + z * z, x * x + y * y].map(|s| mass * s / 12.0),
        Solid::Capsule(r, l) => {
            let (cylinder, balls) = (r * r * l, 4.0 / 3.0 * r * r * r);
            let share = mass / (cylinder + balls);
            let (mc, mb) = (share * cylinder, share * balls);
            let along = 0.5 * mc * r * r + 0.4 * mb * r * r;
            let across = mc * (3.0 * r * r + l * l) / 12.0 + mb * (0.4 * r * r + 0.25 * l * l + 0.375 * l * r);
            [across, across, along]
        }
        Solid::Ground => [0.0; 3],
    }
}

fn geometry(solid: Solid) -> String {
    let inner = match solid {
        Solid::Box(size) => format!("<box><size>{}</size></box>", numbers(&size)),
        Solid::Ball(r) => format!("<sphere><radius>{r}</radius></sphere>"),
        Solid::Capsule(r, l) => format!("<capsule><radius>{r}</radius><length>{l}</length></capsule>"),
        Solid::Ground => "<plane><normal>0 0 1</normal><size>100 100</size></plane>".to_string(),
    };
    format!("<geometry>{inner}</geometry>")
}

fn behaviour(surface: Surface) -> String {
    let mu = surface.friction;
    let friction = format!("<friction><ode><mu>{mu}</mu><mu2>{mu}</mu2></ode></friction>");
    if surface.restitution == 0.0 {
        return friction;
    }
    let e = surface.restitution;
    format!(
        "<bounce><restitution_coefficient>{e}</restitution_coefficient><threshold>0</threshold></bounce>{friction}"
    )
}

/// Numbers separated by spaces.
pub fn numbers(values: &[f64]) -> String {
    // Adding zero turns -0 into 0.
    values.iter().map(|x| (x + 0.0).to_string()).collect::<Vec<_>>().join(" ")
}

/// Rounds to a tenth of a nanometre, for readable files.
pub fn round(x: f64) -> f64 {
    (x * 1e10).round() / 1e10 + 0.0
}
