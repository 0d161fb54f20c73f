//! A bolt screwed into a nut, both made of solids.
//!
//! Published: the idea, and the observed quantity (the head's position). Chosen: a thread of 20 mm pitch, large so that
//! a thousandth of it is far above solver errors, made of boxes tangent to the helix, sixteen per turn, teeth 8 mm
//! thick, which leaves 4 mm of play. The nut has one and a half turns of teeth, the bolt three and a half: two turns
//! keep the nut full. The bolt can only rotate about and slide along its axis. Friction 0.1 is above the 0.069 at which
//! the thread is self-locking.
//!
//! ```text
//! (1)  tooth k of a helix:  azimuth a = 2π k / 16,  height p a / 2π,  slope tan λ = p / 2π r about the radius
//! (2)  the head stands at p θ / 2π, and higher by what corners stand out of the helix
//! (3)  a face is off the helix by p / 2π |φ - y / r|:  at the worst corners some 0.06 mm for either tooth, 0.12 mm for both
//! ```

use super::written::{END, Place, Solid, Surface, link, numbers, round, world};
use std::f64::consts::PI;

const PITCH: f64 = 0.02;
const A_TURN: usize = 16;
/// Thickness along the axis [m].
const TOOTH: f64 = 0.008;
/// Middle of the radial range where teeth touch [m].
const RADIUS: f64 = 0.046;
const SURFACE: Surface = Surface { friction: 0.1, restitution: 0.0 };

pub fn files() -> Vec<(String, String)> {
    let mut text = world("screw", 9.81, "A bolt in a nut, both of solids.");
    // The head is at the origin of the link frame, 0.11 m above the nut's first tooth, and initially higher by the
    // amount that corners hold it off.
    let mut bolt = vec![(Solid::Box([0.08, 0.08, 0.03]), [0.0; 6])];
    bolt.extend(helix(7 * A_TURN / 2, [0.04, 0.05], TOOTH - 0.11));
    // On a foot, far enough below for the bolt to pass through.
    let mut nut = vec![(Solid::Box([0.11, 0.11, 0.01]), [0.0, 0.0, -0.08, 0.0, 0.0, 0.0])];
    nut.extend(helix(3 * A_TURN / 2, [0.042, 0.055], 0.0));
    text += &format!(
        "    <model name=\"nut\">\n      <static>true</static>\n{}    </model>\n    <model name=\"bolt\">\n      \
         <pose>0 0 0.11013 0 0 0</pose>\n      <link name=\"carriage\">\n        <inertial>\n          <mass>0.1</mass>\n          \
         <inertia><ixx>0.0001</ixx><iyy>0.0001</iyy><izz>0.0001</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia>\n        \
         </inertial>\n      </link>\n{}{}{}    </model>\n",
        link("nut", [0.0; 6], None, &nut, SURFACE),
        link("bolt", [0.0; 6], Some(1.0), &bolt, SURFACE),
        joint("slide", "prismatic", "world", "carriage"),
        joint("turn", "continuous", "carriage", "bolt"),
    );
    vec![("screw/screw.sdf".to_string(), text + END)]
}

/// The helix (1) between two radii, with its first tooth at height `from`.
fn helix(teeth: usize, [inner, outer]: [f64; 2], from: f64) -> Vec<(Solid, Place)> {
    let slope = (PITCH / (2.0 * PI * RADIUS)).atan();
    // Wide enough to leave no gap at the outer radius.
    let width = 2.0 * outer * (PI / A_TURN as f64).tan();
    let size = [outer - inner, width, TOOTH * slope.cos()].map(round);
    let tooth = |k: usize| {
        let azimuth = 2.0 * PI * k as f64 / A_TURN as f64;
        let middle = 0.5 * (inner + outer);
        let height = from + PITCH * k as f64 / A_TURN as f64;
        let place = [middle * azimuth.cos(), middle * azimuth.sin(), height].map(round);
        // Whole turns are removed, so that sixteenths keep all their digits.
        let yaw = 2.0 * PI * (k % A_TURN) as f64 / A_TURN as f64;
        (Solid::Box(size), [place[0], place[1], place[2], slope, 0.0, yaw])
    };
    (0..teeth).map(tooth).collect()
}

fn joint(name: &str, kind: &str, parent: &str, child: &str) -> String {
    format!(
        "      <joint name=\"{name}\" type=\"{kind}\">\n        <parent>{parent}</parent>\n        <child>{child}</child>\n        \
         <axis><xyz>{}</xyz></axis>\n      </joint>\n",
        numbers(&[0.0, 0.0, 1.0])
    )
}
