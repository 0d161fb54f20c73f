//! Sessions: a trial in progress.

use crate::arrays::{View, matrix, nanoseconds};
use crate::controllers::{ControllerPy, Raised, ends_the_program};
use crate::errors::error;
use crate::records::RecordPy;
use crate::scenarios::{ScenarioPy, resolve};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use veracity::control::controllers as built_in_controllers;
use veracity::engine::BodyState;
use veracity::lab::session::refused_record;
use veracity::lab::{Session, SessionSetup};
use veracity::model::{Pose, Vec3};
use veracity::record::ContactSample;

/// A scenario in progress on one engine.
#[pyclass(frozen, name = "Session", module = "veracity")]
pub struct SessionPy {
    /// `None` after `finish`.
    session: Mutex<Option<Session>>,
    step_ns: i64,
    duration_ns: i64,
    q: View,
    v: View,
    raised: Raised,
    layout: veracity::model::Layout,
}

type Open<'a> = MutexGuard<'a, Option<Session>>;

impl SessionPy {
    /// The session, or why it cannot be used now. Never waits: a controller that steps its own session would wait for ever.
    fn open(&self) -> PyResult<Open<'_>> {
        let guard = match self.session.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                return Err(error("this session is in use, by another thread or by the controller that called it"));
            }
        };
        if guard.is_none() {
            return Err(error("this session is closed: finish() or run() was called; open a new one"));
        }
        Ok(guard)
    }

    /// Runs `work` without holding the interpreter, then shows the new state.
    fn moved(&self, py: Python<'_>, work: impl FnOnce(&mut Session) + Send) -> PyResult<()> {
        let mut guard = self.open()?;
        // The guard stays here; what moves to the detached part is the session itself.
        let mut session = guard.take().ok_or_else(|| error("this session is closed"))?;
        let ended = session.outcome().map(ToString::to_string);
        if let Some(outcome) = ended {
            *guard = Some(session);
            return Err(error(format!("this session has ended: {outcome}")));
        }
        // A panic in an engine loses the session, which is then closed, and reaches Python as an exception.
        let mut session = py.detach(move || {
            work(&mut session);
            session
        });
        let shown = self.show(py, &mut session);
        let outcome = session.outcome().map(ToString::to_string);
        *guard = Some(session);
        drop(guard);
        shown?;
        self.raise(py, outcome)
    }

    /// What a controller raised, or the end of the motion, as an exception.
    fn raise(&self, py: Python<'_>, outcome: Option<String>) -> PyResult<()> {
        let raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner).take();
        match (raised, outcome) {
            (Some(raised), _) if ends_the_program(py, &raised) => Err(raised),
            (Some(raised), Some(outcome)) => {
                let error = error(outcome);
                error.set_cause(py, Some(raised));
                Err(error)
            }
            (Some(raised), None) => Err(raised),
            (None, Some(outcome)) => Err(error(outcome)),
            (None, None) => Ok(()),
        }
    }

    fn show(&self, py: Python<'_>, session: &mut Session) -> PyResult<()> {
        let simulation = session.simulation();
        self.q.fill(py, simulation.q().iter().copied())?;
        self.v.fill(py, simulation.v().iter().copied())
    }
}

#[pymethods]
impl SessionPy {
    #[new]
    #[pyo3(signature = (scenario, engine="native", *, step_s=None, seed=0, index=0, controllers=None))]
    fn new(
        py: Python<'_>,
        scenario: &Bound<'_, ScenarioPy>,
        engine: &str,
        step_s: Option<f64>,
        seed: u64,
        index: u64,
        controllers: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let (session, raised) = open(py, scenario.get(), engine, step_s, seed, index, controllers)?;
        let mut session = session.map_err(|record| match record {
            Refused::Raised(raised) => raised,
            Refused::Record(record) => error(&record.outcome),
        })?;
        let layout = session.layout().clone();
        let (q, v) = (View::new(py, layout.position_count)?, View::new(py, layout.dof_count())?);
        q.fill(py, session.simulation().q().iter().copied())?;
        v.fill(py, session.simulation().v().iter().copied())?;
        let scenario = &scenario.get().scenario;
        let step_ns = step_s.map_or(Ok(scenario.step_ns), |s| nanoseconds("step_s", s))?;
        let (duration_ns, session) = (scenario.duration_ns, Mutex::new(Some(session)));
        Ok(Self { session, step_ns, duration_ns, q, v, raised, layout })
    }

    /// Advances by steps of the engine.
    #[pyo3(signature = (count=1))]
    fn step(&self, py: Python<'_>, count: u32) -> PyResult<()> {
        let by = self.step_ns.saturating_mul(i64::from(count));
        self.moved(py, move |session| session.advance_to(session.time_ns().saturating_add(by)))
    }

    /// Advances to a time [s].
    fn advance(&self, py: Python<'_>, time_s: f64) -> PyResult<()> {
        let until_ns = nanoseconds("time_s", time_s)?;
        let now_ns = self.open()?.as_ref().map_or(0, Session::time_ns);
        if until_ns < now_ns {
            return Err(error(format!(
                "the session is at {} s and cannot go back to {time_s} s",
                now_ns as f64 * 1e-9
            )));
        }
        self.moved(py, move |session| session.advance_to(until_ns))
    }

    /// Advances to the end of the scenario, or to its `[stop]`, and returns the record; closes the session. What ends the
    /// trial early is the record's outcome, not an exception.
    fn run(&self, py: Python<'_>) -> PyResult<RecordPy> {
        let mut session = self.open()?.take().ok_or_else(|| error("this session is closed"))?;
        let record = py.detach(move || {
            session.run_to_end();
            session.finish()
        });
        let raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner).take();
        match raised {
            Some(raised) if ends_the_program(py, &raised) => Err(raised),
            _ => Ok(RecordPy::new(record)),
        }
    }

    /// Ends the session and returns the record so far.
    fn finish(&self, py: Python<'_>) -> PyResult<RecordPy> {
        let session = self.open()?.take().ok_or_else(|| error("this session is closed"))?;
        Ok(RecordPy::new(py.detach(move || session.finish())))
    }

    #[getter]
    fn time(&self) -> PyResult<f64> {
        Ok(self.open()?.as_ref().map_or(0.0, |s| s.time_ns() as f64 * 1e-9))
    }

    #[getter]
    fn duration_s(&self) -> f64 {
        self.duration_ns as f64 * 1e-9
    }

    #[getter]
    fn step_s(&self) -> f64 {
        self.step_ns as f64 * 1e-9
    }

    /// Positions now: one read-only array, written anew after each step.
    #[getter]
    fn q(&self, py: Python<'_>) -> Py<PyAny> {
        self.q.get(py)
    }

    /// Velocities now: one read-only array, written anew after each step.
    #[getter]
    fn v(&self, py: Python<'_>) -> Py<PyAny> {
        self.v.get(py)
    }

    #[getter]
    fn bodies(&self) -> Vec<String> {
        self.layout.bodies.iter().map(|b| b.name.clone()).collect()
    }

    #[getter]
    fn position_names(&self) -> Vec<String> {
        crate::models::names(veracity::record::names::positions(&self.layout))
    }

    #[getter]
    fn velocity_names(&self) -> Vec<String> {
        crate::models::names(veracity::record::names::velocities(&self.layout))
    }

    /// Of each body: x y z [m], quaternion w x y z.
    #[getter]
    fn poses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let numbers = self.body_states(|b| {
            let (p, r) = (b.world_from_body.translation.vector, b.world_from_body.rotation);
            [p.x, p.y, p.z, r.w, r.i, r.j, r.k]
        })?;
        matrix(py, numbers, 7)
    }

    /// Of each body: angular velocity [rad/s], velocity of its origin [m/s], world axes.
    #[getter]
    fn twists<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let numbers = self.body_states(|b| {
            let (w, v) = (b.angular_velocity, b.linear_velocity);
            [w.x, w.y, w.z, v.x, v.y, v.z]
        })?;
        matrix(py, numbers, 6)
    }

    /// Points where bodies touched in the last step.
    #[getter]
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let mut found = Vec::new();
        if let Some(session) = self.open()?.as_mut() {
            session.simulation().contacts(&mut found);
        }
        contacts(py, &found, &self.layout)
    }

    /// Sensor readings and commands now, by name; NaN before the first.
    #[getter]
    fn signals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let out = PyDict::new(py);
        if let Some(session) = self.open()?.as_mut() {
            let time_ns = session.time_ns();
            let control = session.control();
            let mut values = vec![f64::NAN; control.signals().len()];
            control.write_signals(time_ns, &mut values);
            for ((name, _), value) in control.signals().iter().zip(values) {
                out.set_item(name, value)?;
            }
        }
        Ok(out)
    }

    /// Names of what a controller observes.
    #[getter]
    fn observation_names(&self) -> PyResult<Vec<String>> {
        let mut guard = self.open()?;
        let layout = guard.as_mut().map(|s| Arc::clone(s.control().sensing().layout()));
        Ok(layout.map_or(Vec::new(), |l| l.channels.iter().map(|(name, _)| name.clone()).collect()))
    }

    /// How it ended, as a sentence; `None` while it runs.
    #[getter]
    fn outcome(&self) -> PyResult<Option<String>> {
        Ok(self.open()?.as_ref().and_then(|s| s.outcome().map(ToString::to_string)))
    }

    fn snapshot<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.open()?.as_ref().map(Session::snapshot).unwrap_or_default();
        Ok(PyBytes::new(py, &bytes))
    }

    fn restore(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<()> {
        let mut guard = self.open()?;
        if let Some(session) = guard.as_mut() {
            session.restore(bytes).map_err(error)?;
            self.show(py, session)?;
        }
        Ok(())
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_reason))]
    fn __exit__(&self, _reason: &Bound<'_, pyo3::types::PyTuple>) {
        if let Ok(mut guard) = self.open() {
            *guard = None;
        }
    }
}

impl SessionPy {
    fn body_states<const N: usize>(&self, of: impl Fn(&BodyState) -> [f64; N]) -> PyResult<Vec<f64>> {
        let still = BodyState {
            world_from_body: Pose::identity(),
            angular_velocity: Vec3::zeros(),
            linear_velocity: Vec3::zeros(),
        };
        let mut states = vec![still; self.layout.bodies.len()];
        if let Some(session) = self.open()?.as_mut() {
            session.simulation().bodies(&mut states);
        }
        Ok(states.iter().flat_map(of).collect())
    }
}

/// Why a session was not opened.
pub enum Refused {
    /// A controller raised at time zero.
    Raised(PyErr),
    /// The record of a trial that never started.
    Record(Box<veracity::record::Record>),
}

/// Opens a session with the scenario's controllers; those of Python replace the ones of the same name and add the others.
#[allow(clippy::too_many_arguments)]
fn open(
    py: Python<'_>,
    scenario: &ScenarioPy,
    engine: &str,
    step_s: Option<f64>,
    seed: u64,
    index: u64,
    controllers: Option<&Bound<'_, PyDict>>,
) -> PyResult<(Result<Session, Refused>, Raised)> {
    let resolved = resolve(engine)?;
    let step_ns = step_s.map_or(Ok(scenario.scenario.step_ns), |s| nanoseconds("step_s", s))?;
    scenario.scenario.step_fits(step_ns).map_err(error)?;
    let overrides = scenario.changed.clone();
    let setup = SessionSetup { scenario: Arc::clone(&scenario.scenario), overrides, step_ns, seed, index };
    let raised = Raised::default();
    let mut own: Vec<(String, Py<ControllerPy>)> = Vec::new();
    for (name, controller) in controllers.into_iter().flatten() {
        let name: String = name.extract().map_err(|_| error("the name of a controller must be a text"))?;
        let controller = controller.cast::<ControllerPy>().map_err(|_| {
            error(format!("controllers['{name}'] is not a Controller; write Controller(callable, outputs=[...])"))
        })?;
        own.push((name, controller.clone().unbind()));
    }
    let refused = setup.clone();
    let opened = py.detach(|| {
        if own.is_empty() {
            return Session::open(resolved.engine, &resolved.settings, setup);
        }
        let configs = setup.scenario.controllers.clone();
        Session::open_with(resolved.engine, &resolved.settings, setup, |around, sensing| {
            let mut parts = Vec::new();
            for config in configs.iter().filter(|c| own.iter().all(|(name, _)| *name != c.name)) {
                parts.push(built_in_controllers::build(config, around, sensing)?);
            }
            Python::attach(|py| {
                for (name, controller) in &own {
                    parts.push(controller.get().part(py, name, around, sensing, &raised)?);
                }
                Ok(parts)
            })
        })
    });
    let opened = opened.map_err(|refusal| {
        let first = raised.lock().unwrap_or_else(PoisonError::into_inner).take();
        match first {
            Some(cause) if ends_the_program(py, &cause) => Refused::Raised(cause),
            Some(cause) => {
                let error = error(&refusal.0);
                error.set_cause(py, Some(cause));
                Refused::Raised(error)
            }
            None => Refused::Record(Box::new(refused_record(resolved.engine, &resolved.settings, &refused, refusal))),
        }
    });
    Ok((opened, raised))
}

/// Contacts as columns.
pub fn contacts<'py>(
    py: Python<'py>,
    found: &[ContactSample],
    layout: &veracity::model::Layout,
) -> PyResult<Bound<'py, PyDict>> {
    let name = |slot: Option<u32>| slot.map_or("", |slot| layout.bodies[slot as usize].name.as_str());
    let out = PyDict::new(py);
    out.set_item("time_s", PyArray1::from_vec(py, found.iter().map(|c| c.time).collect()))?;
    out.set_item("body_a", found.iter().map(|c| name(c.body_a)).collect::<Vec<_>>())?;
    out.set_item("body_b", found.iter().map(|c| name(c.body_b)).collect::<Vec<_>>())?;
    out.set_item("point_m", matrix(py, found.iter().flat_map(|c| c.point).collect(), 3)?)?;
    out.set_item("normal", matrix(py, found.iter().flat_map(|c| c.normal).collect(), 3)?)?;
    out.set_item("gap_m", PyArray1::from_vec(py, found.iter().map(|c| c.gap).collect()))?;
    out.set_item("impulse_N_s", matrix(py, found.iter().flat_map(|c| c.impulse).collect(), 3)?)?;
    Ok(out)
}
