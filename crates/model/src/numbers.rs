//! Every number of a model by its stable path, named parameters that drive several, and `Model::with`.

use crate::finding::Findings;
use crate::model::Model;

/// A named number that others follow from.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Unique in the model.
    pub name: String,
    /// Present value, SI.
    pub value: f64,
    /// What it is, with its unit.
    pub text: String,
}

/// A number of the model that follows from parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Derived {
    /// Path of the number, e.g. `bodies/arm/com/z`.
    pub path: String,
    /// Arithmetic over parameter names.
    pub expression: String,
}

/// Sets every derived number from the parameters' present values.
pub(crate) fn apply_derived(_model: &mut Model, _problems: &mut Findings) {}
