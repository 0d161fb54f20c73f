//! Python callables as controllers.

use crate::arrays::{View, nanoseconds};
use crate::errors::error;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Arc, Mutex, PoisonError};
use veracity::control::{
    ChannelLayout, Command, ControlError, Controller, ControllerError, ControllerPart, Observation, Port, Sensing,
    Setup, Timing,
};

/// A callable with what the loop needs to know of it.
#[pyclass(frozen, name = "Controller", module = "veracity")]
pub struct ControllerPy {
    call: Py<PyAny>,
    outputs: Vec<String>,
    inputs: Option<Vec<String>>,
    period_ns: Option<i64>,
    phase_ns: i64,
    latency_ns: i64,
}

#[pymethods]
impl ControllerPy {
    #[new]
    #[pyo3(signature = (call, outputs, *, inputs=None, period_s=None, latency_s=0.0, phase_s=0.0))]
    fn new(
        call: Bound<'_, PyAny>,
        outputs: Vec<String>,
        inputs: Option<Vec<String>>,
        period_s: Option<f64>,
        latency_s: f64,
        phase_s: f64,
    ) -> PyResult<Self> {
        if !call.is_callable() {
            return Err(error("a controller must be callable as call(time_s, observation)"));
        }
        let period_ns = period_s.map(|s| nanoseconds("period_s", s)).transpose()?;
        if period_ns == Some(0) {
            return Err(error("period_s is 0; it must be at least a nanosecond"));
        }
        let (phase_ns, latency_ns) = (nanoseconds("phase_s", phase_s)?, nanoseconds("latency_s", latency_s)?);
        Ok(Self { call: call.unbind(), outputs, inputs, period_ns, phase_ns, latency_ns })
    }
}

/// The first exception that a controller of a session raised.
pub type Raised = Arc<Mutex<Option<PyErr>>>;

impl ControllerPy {
    /// The part of a loop that calls it.
    pub fn part(
        &self,
        py: Python<'_>,
        name: &str,
        setup: &Setup<'_>,
        sensing: &Sensing,
        raised: &Raised,
    ) -> Result<ControllerPart, ControlError> {
        let place = format!("controllers/{name}");
        let layout = sensing.layout();
        let channel = |input: &String| {
            layout.place(input).ok_or_else(|| {
                let known: Vec<&str> = layout.channels.iter().map(|(n, _)| n.as_str()).collect();
                ControlError::new(
                    &place,
                    format!("there is no observation '{input}'; there are {}", known.join(", ")),
                )
            })
        };
        let inputs: Vec<usize> = match &self.inputs {
            None => (0..layout.len()).collect(),
            Some(inputs) => inputs.iter().map(channel).collect::<Result<_, _>>()?,
        };
        let port = |output: &String| {
            let port = Port::parse(setup.layout, output).map_err(|what| ControlError::new(&place, what))?;
            Ok::<_, ControlError>(port.channel(setup.layout))
        };
        let channels = self.outputs.iter().map(port).collect::<Result<Vec<_>, _>>()?;
        let seen = View::new(py, inputs.len()).map_err(|e| ControlError::new(&place, e.to_string()))?;
        let controller = Called {
            name: name.to_string(),
            call: self.call.clone_ref(py),
            inputs,
            seen,
            outputs: self.outputs.len(),
            raised: Arc::clone(raised),
        };
        let timing = Timing {
            period_ns: self.period_ns.unwrap_or(setup.step_ns),
            phase_ns: self.phase_ns,
            latency_ns: self.latency_ns,
            deadline_ns: None,
        };
        let command = Arc::new(ChannelLayout { channels });
        Ok(ControllerPart {
            name: name.to_string(),
            timing,
            controller: Box::new(controller),
            command,
            noise: Default::default(),
        })
    }
}

/// A callable in a loop.
struct Called {
    name: String,
    call: Py<PyAny>,
    /// Channels of the observation that it is given.
    inputs: Vec<usize>,
    seen: View,
    outputs: usize,
    raised: Raised,
}

impl Called {
    fn failed(&self, py: Python<'_>, raised: PyErr) -> ControllerError {
        let what = with_traceback(py, &raised);
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(raised);
        ControllerError { controller: self.name.clone(), what }
    }

    fn run(&self, py: Python<'_>, time_ns: i64, observation: &Observation, command: &mut Command) -> PyResult<()> {
        self.seen.fill(py, self.inputs.iter().map(|i| observation.values[*i]))?;
        let answer = self.call.bind(py).call1((time_ns as f64 * 1e-9, self.seen.get(py)))?;
        if answer.is_none() {
            return Ok(());
        }
        let wrong = |what: String| error(format!("it returned {what}; return {} finite numbers", self.outputs));
        let numbers: Vec<f64> = if let Ok(array) = answer.cast::<PyArray1<f64>>() {
            array.try_readonly().map_err(error)?.as_array().iter().copied().collect()
        } else if let Ok(number) = answer.extract::<f64>() {
            vec![number]
        } else {
            answer.extract().map_err(|_| wrong(answer.repr().map_or("something else".into(), |r| r.to_string())))?
        };
        if numbers.len() != self.outputs {
            return Err(wrong(format!("{} numbers", numbers.len())));
        }
        if let Some(bad) = numbers.iter().find(|x| !x.is_finite()) {
            return Err(wrong(format!("{bad}")));
        }
        command.values.copy_from_slice(&numbers);
        Ok(())
    }
}

impl Controller for Called {
    fn reset(&mut self) -> Result<(), ControllerError> {
        Ok(())
    }

    fn activate(
        &mut self,
        time_ns: i64,
        observation: &Observation,
        command: &mut Command,
    ) -> Result<(), ControllerError> {
        Python::attach(|py| self.run(py, time_ns, observation, command).map_err(|raised| self.failed(py, raised)))
    }

    /// A callable with memory has `snapshot()`, which returns bytes; any other is taken to have none.
    fn snapshot(&self, out: &mut Vec<u8>) {
        Python::attach(|py| {
            let bytes = self.call.bind(py).call_method0("snapshot").and_then(|b| b.extract::<Vec<u8>>());
            out.extend(bytes.unwrap_or_default());
        });
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), ControllerError> {
        Python::attach(|py| {
            let call = self.call.bind(py);
            match call.hasattr("restore") {
                Ok(true) => {
                    let restored = call.call_method1("restore", (PyBytes::new(py, bytes),));
                    restored.map(drop).map_err(|raised| self.failed(py, raised))
                }
                _ if bytes.is_empty() => Ok(()),
                _ => {
                    let what = "the snapshot has memory for it, and it has no method restore(bytes)".to_string();
                    Err(ControllerError { controller: self.name.clone(), what })
                }
            }
        })
    }
}

/// An exception as Python prints it, with its traceback.
pub fn with_traceback(py: Python<'_>, raised: &PyErr) -> String {
    let traceback = raised.traceback(py).and_then(|t| t.format().ok()).unwrap_or_default();
    format!("{traceback}{raised}")
}

/// Whether an exception must reach the caller as it is: KeyboardInterrupt, SystemExit.
pub fn ends_the_program(py: Python<'_>, raised: &PyErr) -> bool {
    !raised.is_instance_of::<PyException>(py)
}
