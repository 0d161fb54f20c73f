//! Dynamics in joint coordinates, on their own.

use crate::arrays::{matrix, vector};
use crate::errors::error;
use crate::models::ModelPy;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};
use veracity::dynamics::{
    ConstantEfforts, System, Workspace, constraint, crba, forces, forward, jacobian, kinematics, rnea,
};
use veracity::model::Layout;

/// `M(q) a + bias(q, v) = tau` of a model.
#[pyclass(frozen, name = "Dynamics", module = "veracity")]
pub struct DynamicsPy {
    system: System,
    layout: Layout,
    scratch: Mutex<Workspace>,
}

#[pymethods]
impl DynamicsPy {
    #[new]
    fn new(model: &Bound<'_, ModelPy>) -> PyResult<Self> {
        let world = &model.get().world;
        let system = System::new(world).map_err(error)?;
        let scratch = Mutex::new(Workspace::new(&system));
        Ok(Self { layout: Layout::new(world), scratch, system })
    }

    #[getter]
    fn nq(&self) -> usize {
        self.system.position_count()
    }

    #[getter]
    fn nv(&self) -> usize {
        self.system.dof_count()
    }

    /// nv x nv, rotor inertia included.
    fn mass_matrix<'py>(&self, py: Python<'py>, q: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let q = self.positions(q)?;
        let mut out = vec![0.0; self.nv() * self.nv()];
        let mut ws = self.workspace();
        kinematics::positions(&self.system, &mut ws, &q);
        crba::mass_matrix(&self.system, &mut ws, &mut out);
        matrix(py, out, self.nv())
    }

    /// Gravity, velocity products, and the springs, damping and dry friction of the joints, as efforts that hold them.
    fn bias<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (q, v) = (self.positions(q)?, self.of_dofs("v", v)?);
        Ok(PyArray1::from_vec(py, self.efforts(&q, &v, &vec![0.0; self.nv()])))
    }

    /// Efforts for accelerations `a`.
    fn inverse<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        a: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        if self.system.is_constrained() {
            return Err(error("loops or couplings constrain this model: its efforts are not unique"));
        }
        let (q, v, a) = (self.positions(q)?, self.of_dofs("v", v)?, self.of_dofs("a", a)?);
        Ok(PyArray1::from_vec(py, self.efforts(&q, &v, &a)))
    }

    /// Accelerations under efforts `tau`; with loops and couplings, those that keep them closed.
    fn forward<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        tau: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (q, v, tau) = (self.positions(q)?, self.of_dofs("v", v)?, self.of_dofs("tau", tau)?);
        let mut out = vec![0.0; self.nv()];
        let mut ws = self.workspace();
        let no_inertia = |dof: usize| error(format!("degree of freedom {dof} carries no inertia"));
        constraint::choose_basis(&self.system, &mut ws, &q).map_err(no_inertia)?;
        forward::accelerations(&self.system, &mut ws, &mut ConstantEfforts(tau), 0.0, &q, &v, &mut out)
            .map_err(error)?;
        if let Some(dof) = out.iter().position(|a| !a.is_finite()) {
            return Err(no_inertia(dof));
        }
        Ok(PyArray1::from_vec(py, out))
    }

    /// 6 x nv: angular, then linear velocity of the body's origin, world axes.
    fn jacobian<'py>(
        &self,
        py: Python<'py>,
        body: &str,
        q: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let q = self.positions(q)?;
        let Some(slot) = self.layout.body(body) else {
            let known: Vec<&str> = self.layout.bodies.iter().map(|b| b.name.as_str()).collect();
            return Err(error(format!("unknown body '{body}'; available: {}", known.join(", "))));
        };
        let slot = &self.layout.bodies[slot];
        let mut out = vec![0.0; 6 * self.nv()];
        let mut ws = self.workspace();
        kinematics::positions(&self.system, &mut ws, &q);
        jacobian::body_jacobian(&self.system, &ws, self.system.place(slot.placement, slot.body), &mut out);
        matrix(py, out, self.nv())
    }
}

impl DynamicsPy {
    fn workspace(&self) -> MutexGuard<'_, Workspace> {
        self.scratch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn positions(&self, q: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
        let mut q = vector("q", q, Some(self.nq()))?;
        kinematics::normalise(&self.system, &mut q);
        if q.iter().any(|x| !x.is_finite()) {
            return Err(error("q has a quaternion of length 0; it must be w x y z of length 1"));
        }
        Ok(q)
    }

    fn of_dofs(&self, what: &str, values: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
        vector(what, values, Some(self.nv()))
    }

    fn efforts(&self, q: &[f64], v: &[f64], a: &[f64]) -> Vec<f64> {
        let mut ws = self.workspace();
        kinematics::velocities(&self.system, &mut ws, q, v);
        let (mut tau, mut of_joints) = (vec![0.0; self.nv()], vec![0.0; self.nv()]);
        rnea::inverse_dynamics(&self.system, &mut ws, a, &mut tau);
        forces::add_joint_forces(&self.system, q, v, &mut of_joints);
        tau.iter_mut().zip(of_joints).for_each(|(t, f)| *t -= f);
        tau
    }
}
