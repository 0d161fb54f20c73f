//! NumPy arrays in and out.

use crate::errors::error;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use veracity::model::Overrides;

/// A vector of finite numbers: a float64 array, a list or a tuple. A `length` of `None` accepts any.
pub fn vector(what: &str, value: &Bound<'_, PyAny>, length: Option<usize>) -> PyResult<Vec<f64>> {
    let wanted = length.map_or("(n,)".to_string(), |n| format!("({n},)"));
    let numbers = if let Ok(array) = value.cast::<PyArray1<f64>>() {
        array.try_readonly().map_err(|e| error(format!("{what}: {e}")))?.as_array().iter().copied().collect()
    } else if value.hasattr("dtype")? {
        return Err(other_array(what, value, &wanted));
    } else {
        let read: PyResult<Vec<f64>> = value.extract();
        read.map_err(|_| error(format!("{what} is {}; give float64 numbers of shape {wanted}", kind(value))))?
    };
    if length.is_some_and(|n| n != numbers.len()) {
        return Err(error(format!("{what} has {} numbers; give float64 of shape {wanted}", numbers.len())));
    }
    finite(what, &numbers, 1)?;
    Ok(numbers)
}

/// Rows of finite numbers: a float64 array of shape (rows, width), or (rows,) where the width is 1.
pub fn rows(what: &str, value: &Bound<'_, PyAny>, count: usize, width: usize) -> PyResult<Vec<f64>> {
    let wanted = format!("({count}, {width})");
    if width == 1 && value.cast::<PyArray1<f64>>().is_ok() {
        return vector(what, value, Some(count));
    }
    let Ok(array) = value.cast::<PyArray2<f64>>() else { return Err(other_array(what, value, &wanted)) };
    if array.shape() != [count, width] {
        return Err(other_array(what, value, &wanted));
    }
    let numbers: Vec<f64> =
        array.try_readonly().map_err(|e| error(format!("{what}: {e}")))?.as_array().iter().copied().collect();
    finite(what, &numbers, width)?;
    Ok(numbers)
}

fn finite(what: &str, numbers: &[f64], width: usize) -> PyResult<()> {
    match numbers.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(at) if width == 1 => Err(error(format!("{what}[{at}] is {}; give finite numbers", numbers[at]))),
        Some(at) => {
            Err(error(format!("{what}[{}, {}] is {}; give finite numbers", at / width, at % width, numbers[at])))
        }
    }
}

fn kind(value: &Bound<'_, PyAny>) -> String {
    value.get_type().name().map_or("something else".to_string(), |name| format!("a {name}"))
}

/// An array of another dtype or shape, or no array at all.
fn other_array(what: &str, value: &Bound<'_, PyAny>, wanted: &str) -> PyErr {
    let part = |name: &str| value.getattr(name).and_then(|x| x.str()).map(|x| x.to_string());
    match (part("dtype"), part("shape")) {
        (Ok(dtype), Ok(shape)) => {
            error(format!("{what} is an array of {dtype} with shape {shape}; give float64 of shape {wanted}"))
        }
        _ => error(format!("{what} is {}; give a float64 array of shape {wanted}", kind(value))),
    }
}

/// A new array of shape (rows, width).
pub fn matrix(py: Python<'_>, numbers: Vec<f64>, width: usize) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let rows = numbers.len().checked_div(width).unwrap_or(0);
    PyArray1::from_vec(py, numbers).reshape([rows, width])
}

/// One array for the life of its owner, which Python can only read.
pub struct View {
    base: Py<PyArray1<f64>>,
    shown: Py<PyAny>,
}

impl View {
    /// Of zeros.
    pub fn new(py: Python<'_>, length: usize) -> PyResult<Self> {
        let base = PyArray1::<f64>::zeros(py, [length], false);
        let shown = base.call_method0("view")?;
        shown.call_method1("setflags", (false,))?;
        Ok(Self { base: base.unbind(), shown: shown.unbind() })
    }

    /// Writes new numbers into it: no array is made.
    pub fn fill(&self, py: Python<'_>, numbers: impl Iterator<Item = f64>) -> PyResult<()> {
        let mut array = self.base.bind(py).try_readwrite().map_err(error)?;
        array.as_slice_mut().map_err(error)?.iter_mut().zip(numbers).for_each(|(to, from)| *to = from);
        Ok(())
    }

    /// The array.
    pub fn get(&self, py: Python<'_>) -> Py<PyAny> {
        self.shown.clone_ref(py)
    }
}

/// Numbers by path.
pub fn overrides(given: &Bound<'_, PyDict>, full: impl Fn(&str) -> String) -> PyResult<Overrides> {
    let mut out = Overrides::new();
    for (path, value) in given {
        let path: String =
            path.extract().map_err(|_| error(format!("a path must be a text, not {}", kind(&path))))?;
        let number: f64 =
            value.extract().map_err(|_| error(format!("'{path}' is set to {}; give a number", kind(&value))))?;
        out.insert(full(&path), number);
    }
    Ok(out)
}

/// Seconds as whole nanoseconds.
pub fn nanoseconds(what: &str, seconds: f64) -> PyResult<i64> {
    let ns = (seconds * 1e9).round();
    // 2^53 ns: beyond it a double no longer counts nanoseconds.
    if (0.0..9.0e15).contains(&ns) {
        return Ok(ns as i64);
    }
    Err(error(format!("{what} is {seconds} s; it must be between 0 and 9e6 s")))
}
