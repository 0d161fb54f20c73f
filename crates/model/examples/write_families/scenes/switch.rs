//! A toggle switch: a lever thrown from one stop to the other.
//!
//! Published: the idea, and the observed quantities (vibration, violation of the limit). Chosen: a lever of 0.1 m and
//! 0.1 kg in a plane without gravity, stops at ±0.5 rad, thrown by the 0.5 N m of its spring, as strong as a household
//! switch: it arrives at some 50 rad/s, 0.05 rad in each millisecond.

use super::written::{END, world};

pub fn files() -> Vec<(String, String)> {
    let mut text = world("switch", 0.0, "A lever between two stops.");
    // A rod about its end: its own moment is m l² / 12 about the middle.
    let moment = 0.1 * 0.1 * 0.1 / 12.0;
    text += &format!(
        "    <model name=\"switch\">\n      <link name=\"lever\">\n        <inertial>\n          <pose>0 0 0.05 0 0 0</pose>\n          \
         <mass>0.1</mass>\n          <inertia><ixx>{moment}</ixx><iyy>{moment}</iyy><izz>0.000001</izz><ixy>0</ixy><ixz>0</ixz>\
         <iyz>0</iyz></inertia>\n        </inertial>\n        <visual name=\"rod\"><pose>0 0 0.05 0 0 0</pose><geometry><box>\
         <size>0.01 0.01 0.1</size></box></geometry></visual>\n      </link>\n      <joint name=\"hinge\" type=\"revolute\">\n        \
         <parent>world</parent>\n        <child>lever</child>\n        <axis>\n          <xyz>0 1 0</xyz>\n          \
         <limit><lower>-0.5</lower><upper>0.5</upper></limit>\n        </axis>\n      </joint>\n    </model>\n"
    );
    vec![("switch/switch.sdf".to_string(), text + END)]
}
