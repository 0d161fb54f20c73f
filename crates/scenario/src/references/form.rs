//! The interface of every closed form.

use crate::reference::ParameterValue;
use std::collections::BTreeMap;
use veracity_measure::{CannotTell, Quantity, TruthChannel};
use veracity_model::{Layout, World};

/// One entry of the list of closed forms.
pub struct Form {
    /// As in scenario files: lower case with underscores.
    pub name: &'static str,
    /// What it describes, in one line.
    pub text: &'static str,
    /// Its parameters.
    pub parameters: &'static [FormParameter],
    /// Evaluates it.
    pub work_out: fn(&FormInput<'_>) -> Result<Vec<TruthChannel>, CannotTell>,
}

/// A parameter of a form.
pub struct FormParameter {
    /// As in scenario files. `joint` and `body` are names in the world.
    pub name: &'static str,
    /// What it means.
    pub text: &'static str,
    /// Whether it must be given.
    pub required: bool,
}

/// Inputs of a form.
pub struct FormInput<'a> {
    /// The world.
    pub world: &'a World,
    /// Names and offsets.
    pub layout: &'a Layout,
    /// Positions at time zero.
    pub q: &'a [f64],
    /// Velocities at time zero.
    pub v: &'a [f64],
    /// Parameters given in the scenario.
    pub parameters: &'a BTreeMap<String, ParameterValue>,
    /// Whether controllers act.
    pub commanded: bool,
    /// Times [s], increasing.
    pub times: &'a [f64],
}

impl FormInput<'_> {
    /// A name given in the scenario.
    pub fn name(&self, parameter: &str) -> Result<&str, CannotTell> {
        match self.parameters.get(parameter) {
            Some(ParameterValue::Text(text)) => Ok(text),
            _ => Err(CannotTell(format!("the closed form needs the name '{parameter}'"))),
        }
    }

    /// A channel with one row per time.
    pub fn channel<const N: usize>(
        &self,
        quantity: Quantity,
        rows: impl Iterator<Item = [f64; N]>,
        uncertainty: impl Fn(f64) -> f64,
    ) -> TruthChannel {
        TruthChannel {
            quantity,
            times: self.times.to_vec(),
            values: rows.flatten().collect(),
            uncertainty: self.times.iter().map(|t| uncertainty(*t)).collect(),
            parts_at_s: None,
        }
    }
}
