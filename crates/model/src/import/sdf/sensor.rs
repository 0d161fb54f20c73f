//! `<sensor>` on a link or a joint.

use super::super::xml::Element;
use super::description::{SensorOn, SensorText};
use super::reader::{Document, Reader};
use crate::sensor::SensorKind;

impl Reader {
    /// Reads a sensor; `None` if it cannot be used.
    pub fn sensor(&mut self, element: Element<'_>, document: Document<'_>, on_joint: bool) -> Option<SensorText> {
        self.known_attributes(element, &["name", "type"]);
        let name = self.name(element, document)?;
        let word = element.attribute("type").unwrap_or("").trim();
        if word.is_empty() {
            element.error(&mut self.findings, "sensor-type", &name, format!("sensor '{name}' has no type"));
            return None;
        }
        let mut noise_std = 0.0;
        let kind = match (word, on_joint) {
            ("imu", false) => SensorOn::Ready(SensorKind::Imu),
            ("contact", false) => SensorOn::Ready(SensorKind::Contact),
            ("force_torque", true) => SensorOn::HoldingJoint,
            ("ray" | "gpu_ray" | "lidar" | "gpu_lidar" | "sonar", false) => {
                let (kind, noise) = self.range(element, &name);
                noise_std = noise;
                SensorOn::Ready(kind)
            }
            (other, _) => SensorOn::Ready(SensorKind::Other { kind: other.to_string(), attributes: leaves(element) }),
        };
        self.what_a_sensor_loses(element, &kind);
        Some(SensorText {
            pose: self.pose(element, document),
            source: element.source(),
            rate_hz: self.scalar(element, "update_rate").filter(|rate| *rate > 0.0),
            name,
            kind,
            noise_std,
        })
    }

    /// The maximum range and the noise of a scanner.
    fn range(&mut self, element: Element<'_>, name: &str) -> (SensorKind, f64) {
        let scanner = ["ray", "lidar", "sonar"].iter().find_map(|tag| element.child(tag));
        let mut max = f64::INFINITY;
        let mut noise = 0.0;
        if let Some(scanner) = scanner {
            let range = scanner.child("range").unwrap_or(scanner);
            max = self.scalar(range, "max").unwrap_or(f64::INFINITY);
            noise = scanner.child("noise").and_then(|n| self.scalar(n, "stddev")).unwrap_or(0.0);
            let scan = scanner.child("scan");
            let samples = |axis: &str| scan.and_then(|s| s.child(axis)).and_then(|a| a.child("samples"));
            for count in ["horizontal", "vertical"].iter().filter_map(|axis| samples(axis)) {
                if count.text_number(&mut self.findings).is_some_and(|n| n > 1.0) {
                    self.left_out(count, "a scan of several rays", "the sensor measures along its x axis only");
                }
            }
        }
        if !max.is_finite() {
            let text = format!("range sensor '{name}' has no finite <max>; its range is infinite");
            element.warning(&mut self.findings, "sensor-range", name, text);
        }
        (SensorKind::Range { max }, noise)
    }

    fn what_a_sensor_loses(&mut self, element: Element<'_>, kind: &SensorOn) {
        let carried_whole = matches!(kind, SensorOn::Ready(SensorKind::Other { .. }));
        for child in element.children() {
            match child.name() {
                "pose" | "update_rate" => {}
                // Not interpreted, but every leaf is kept.
                _ if carried_whole => {}
                "always_on" | "visualize" | "topic" | "enable_metrics" => {
                    self.left_out(child, format!("<{}> in <sensor>", child.name()), "it only concerns the simulator");
                }
                "plugin" => self.left_out(child, "<plugin>", "run controllers outside the simulation"),
                "imu" if child.children().next().is_some() => {
                    self.left_out(child, "noise and orientation settings of an <imu>", "add noise in the controller");
                }
                "force_torque" if child.children().next().is_some() => {
                    let what = "frame, direction and noise settings of a <force_torque>";
                    self.left_out(child, what, "the force on the child is measured in the sensor frame");
                }
                "imu" | "force_torque" | "contact" | "ray" | "lidar" | "sonar" => {}
                _ => self.unknown(child, "sensor"),
            }
        }
    }
}

/// Every leaf below an element as (path, text), with attributes as `path@name`.
fn leaves(element: Element<'_>) -> Vec<(String, String)> {
    fn walk(element: Element<'_>, path: &str, out: &mut Vec<(String, String)>) {
        let mut is_leaf = true;
        for child in element.children() {
            is_leaf = false;
            let path = if path.is_empty() { child.name().to_string() } else { format!("{path}/{}", child.name()) };
            out.extend(child.attributes().map(|(name, value)| (format!("{path}@{name}"), value.to_string())));
            walk(child, &path, out);
        }
        if is_leaf && !path.is_empty() {
            out.push((path.to_string(), element.text().to_string()));
        }
    }
    let mut out = Vec::new();
    walk(element, "", &mut out);
    out
}
