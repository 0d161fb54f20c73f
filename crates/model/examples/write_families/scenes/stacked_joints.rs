//! Four blocks in a row on one motor.
//!
//! Published: four blocks in a row, one motor joint held at an angle, steps of 1/50 to 1/1000 s. Chosen: blocks of 0.2
//! x 0.1 x 0.1 m and 1 kg end to end, the motor at the first block's end, the other three joints hinges across it whose
//! stops leave almost no travel (a ten-thousandth of a radian; zero travel would be a weld): each joint carries load.

use super::written::{END, Solid, Surface, link, world};

const LENGTH: f64 = 0.2;

pub fn files() -> Vec<(String, String)> {
    let surface = Surface { friction: 0.5, restitution: 0.0 };
    let mut text = world("stacked_joints", 9.81, "Four blocks of 1 kg in a row, hinged at their ends.");
    text += "    <model name=\"arm\">\n      <self_collide>false</self_collide>\n";
    for i in 0..4 {
        let x = super::written::round(LENGTH * (i as f64 + 0.5));
        let solid = [(Solid::Box([LENGTH, 0.1, 0.1]), [0.0; 6])];
        text += &link(&format!("block_{i}"), [x, 0.0, 1.0, 0.0, 0.0, 0.0], Some(1.0), &solid, surface);
        let (parent, axis, limit) = match i {
            0 => ("world".to_string(), "0 -1 0", "<limit><lower>-1.5</lower><upper>1.5</upper></limit>"),
            _ => (format!("block_{}", i - 1), "0 0 1", "<limit><lower>-0.0001</lower><upper>0.0001</upper></limit>"),
        };
        text += &format!(
            "      <joint name=\"joint_{i}\" type=\"revolute\">\n        <pose>-0.1 0 0 0 0 0</pose>\n        <parent>{parent}</parent>\n        \
             <child>block_{i}</child>\n        <axis>\n          <xyz>{axis}</xyz>\n          {limit}\n        </axis>\n      </joint>\n"
        );
    }
    vec![("stacked_joints/stacked_joints.sdf".to_string(), text + "    </model>\n" + END)]
}
