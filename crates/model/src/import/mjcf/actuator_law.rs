//! The drive law of an actuator: `effort = gain · u + bias0 + bias1 · length + bias2 · speed`.
//!
//! MuJoCo has one actuator type and many tags for it. A default class holds one actuator whatever the tag; each tag
//! resets the law to its own and takes its parameters (`kp`, `kv`) from the nearest class whose law was written with
//! the same tag, or with `general` and a plain gain. `general` inherits any law unchanged.

use super::defaults::Defaults;
use super::node::Node;
use crate::actuator::Drive;
use crate::finding::Findings;

/// A law with the tag it was written with.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Law {
    spelling: String,
    /// The activation dynamics between command and effort: `none` if there are none.
    pub dynamics: String,
    gain_kind: String,
    bias_kind: String,
    gain: [f64; 3],
    bias: [f64; 3],
    time_constant: f64,
    /// Command range as a factor of the joint's range; 0 if not set.
    pub inherit_range: f64,
}

impl Default for Law {
    fn default() -> Self {
        Self {
            spelling: String::new(),
            dynamics: "none".into(),
            gain_kind: "fixed".into(),
            bias_kind: "none".into(),
            gain: [1.0, 0.0, 0.0],
            bias: [0.0; 3],
            time_constant: 1.0,
            inherit_range: 0.0,
        }
    }
}

/// Tags whose law can be a [`Drive`].
const SIMPLE: [&str; 4] = ["general", "motor", "position", "velocity"];

impl Law {
    /// The law of an actuator element in a class.
    pub fn of(node: &Node, class: &str, defaults: &Defaults, findings: &mut Findings) -> Self {
        // The law of each class in the hierarchy, the innermost last.
        let mut laws: Vec<Law> = vec![Law::default()];
        for elements in defaults.actuators(class) {
            let mut law = laws.last().cloned().unwrap_or_default();
            for element in elements {
                law = law.overlaid(element, &laws, findings);
            }
            laws.push(law);
        }
        let nearest = laws.last().cloned().unwrap_or_default();
        nearest.overlaid(node, &laws, findings)
    }

    /// This law with an element applied; `around` are the laws of the enclosing classes, the innermost last.
    fn overlaid(&self, node: &Node, around: &[Law], findings: &mut Findings) -> Law {
        let spelling = node.name.as_str();
        if spelling == "general" {
            return self.clone().general(node, findings);
        }
        let can_inherit =
            |law: &&Law| law.spelling == spelling || law.spelling == "general" && law.gain_kind == "fixed";
        let from = std::iter::once(self).chain(around.iter().rev()).find(can_inherit);
        let mut law = Law { spelling: spelling.into(), ..Law::default() };
        match spelling {
            "position" => {
                let kp = node.number("kp", findings).unwrap_or_else(|| from.map_or(1.0, |law| law.gain[0]));
                let inherited = from.filter(|law| law.bias_kind == "affine").map_or(0.0, |law| law.bias[2]);
                let ratio = node.number("dampratio", findings);
                let damping = ratio.or(node.number("kv", findings).map(|kv| -kv)).unwrap_or(inherited);
                law.inherit_range = from.map_or(0.0, |law| law.inherit_range);
                law.inherit_range = node.number("inheritrange", findings).unwrap_or(law.inherit_range);
                let lag = from.filter(|law| law.dynamics != "none").map_or(0.0, |law| law.time_constant);
                law.time_constant = node.number("timeconst", findings).unwrap_or(lag);
                law.dynamics = if law.time_constant > 0.0 { "filterexact".into() } else { "none".into() };
                law.gain[0] = kp;
                law.bias_kind = "affine".into();
                law.bias = [0.0, -kp, damping];
            }
            "velocity" => {
                let kv = node.number("kv", findings).unwrap_or_else(|| from.map_or(1.0, |law| law.gain[0]));
                law.gain[0] = kv;
                law.bias_kind = "affine".into();
                law.bias = [0.0, 0.0, -kv];
            }
            "motor" => {}
            // The others have activation states or gains that no drive of the model can express.
            other => law.dynamics = other.into(),
        }
        law
    }

    fn general(mut self, node: &Node, findings: &mut Findings) -> Law {
        self.spelling = "general".into();
        let word = |name: &str, old: String| node.attribute(name).map_or(old, str::to_string);
        self.dynamics = word("dyntype", self.dynamics);
        self.gain_kind = word("gaintype", self.gain_kind);
        self.bias_kind = word("biastype", self.bias_kind);
        self.gain = first_three(node, "gainprm", self.gain, findings);
        self.bias = first_three(node, "biasprm", self.bias, findings);
        if let Some(first) = node.list("dynprm", findings).and_then(|list| list.first().copied()) {
            self.time_constant = first;
        }
        self.inherit_range = node.number("inheritrange", findings).unwrap_or(self.inherit_range);
        self
    }

    /// `kv` in units of `2 √(kp m)`: MuJoCo marks it by a servo with a positive third bias.
    pub fn damping_ratio(&self) -> Option<f64> {
        let servo = self.gain_kind == "fixed" && self.bias_kind == "affine" && self.bias[1] == -self.gain[0];
        (servo && self.bias[2] > 0.0).then_some(self.bias[2])
    }

    /// The equivalent drive, or the feature that prevents one.
    pub fn drive(&self) -> Result<Drive, String> {
        if !SIMPLE.contains(&self.spelling.as_str()) {
            return Err(format!("<{}> in <actuator>", self.spelling));
        }
        if self.dynamics != "none" {
            return Err(format!("an actuator with a state of its own (dyntype {})", self.dynamics));
        }
        let [gain, gain_length, gain_speed] = self.gain;
        let plain =
            self.gain_kind == "fixed" || self.gain_kind == "affine" && gain_length == 0.0 && gain_speed == 0.0;
        if !plain {
            return Err(format!("an actuator gain of type {}", self.gain_kind));
        }
        let bias = match self.bias_kind.as_str() {
            "none" => [0.0; 3],
            "affine" => self.bias,
            other => return Err(format!("an actuator bias of type {other}")),
        };
        Ok(match bias {
            [0.0, 0.0, 0.0] => Drive::Effort { gain },
            [0.0, p, d] if p == -gain => Drive::Position { kp: gain, kd: -d },
            [0.0, 0.0, d] if d == -gain => Drive::Velocity { kd: gain },
            bias => Drive::Affine { gain, bias },
        })
    }
}

fn first_three(node: &Node, name: &str, mut old: [f64; 3], findings: &mut Findings) -> [f64; 3] {
    let list = node.list(name, findings).unwrap_or_default();
    old.iter_mut().zip(list).for_each(|(slot, value)| *slot = value);
    old
}
