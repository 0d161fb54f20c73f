//! Where points of the expected robot are, and how its joints move them: what planners in task space need.
//!
//! ```text
//! (1)  p = R_b⁻¹ (x - x_b)              a point, in the frame of the body b (or the world)
//! (2)  ṗ = J q̇                          of the limb's own joints; the frame is held
//! (3)  Δq = Jᵀ (J Jᵀ + λ² I)⁻¹ e        damped least squares (Wampler 1986; Nakamura and Hanafusa 1986)
//! ```

use crate::address::dof_named;
use crate::controllers::ControllerSite;
use crate::error::{ControlError, list};
use nalgebra::{DMatrix, DVector};
use veracity_dynamics::{BodyPlace, System, Workspace, jacobian, kinematics, observe};
use veracity_model::{BodyId, Pose, Vec3};

/// Damping λ of (3), in metres per radian: small against any limb, large against rounding.
const DAMPING: f64 = 1e-3;

/// The expected robot in a configuration, all joints that no limb moves at their neutral positions.
pub(crate) struct RobotPose {
    pub system: System,
    workspace: Workspace,
    q: Vec<f64>,
    jacobian: Vec<f64>,
}

/// A point of a body and the joints that move it.
pub(crate) struct Limb {
    frame: Option<BodyPlace>,
    body: BodyPlace,
    point: Vec3,
    /// Indices in `v` and in `q`.
    pub dofs: Vec<usize>,
    pub positions: Vec<usize>,
}

impl RobotPose {
    pub fn new(site: &ControllerSite<'_>) -> Result<Self, ControlError> {
        let system =
            System::new(site.setup.world).map_err(|e| ControlError::new(site.place.clone(), e.to_string()))?;
        let workspace = Workspace::new(&system);
        let (q, jacobian) = (system.neutral_positions().to_vec(), vec![0.0; 6 * system.dof_count()]);
        Ok(Self { system, workspace, q, jacobian })
    }

    /// Sets the positions of a limb's joints; [`RobotPose::update`] makes them count.
    pub fn set(&mut self, limb: &Limb, q: &[f64]) {
        limb.positions.iter().zip(q).for_each(|(at, x)| self.q[*at] = *x);
    }

    /// Computes where every body is.
    pub fn update(&mut self) {
        kinematics::positions(&self.system, &mut self.workspace, &self.q);
    }

    /// Pose of the limb's body in its frame, with the limb's point as origin.
    pub fn pose(&self, limb: &Limb) -> Pose {
        let world_from_body = observe::body_pose(&self.workspace, limb.body);
        let at = world_from_body * Pose::translation(limb.point.x, limb.point.y, limb.point.z);
        match limb.frame {
            Some(frame) => observe::body_pose(&self.workspace, frame).inverse() * at,
            None => at,
        }
    }

    /// (2) into `out`, 6 rows (angular, linear) of a column for each joint of the limb.
    pub fn jacobian(&mut self, limb: &Limb, out: &mut DMatrix<f64>) {
        let n = self.system.dof_count();
        jacobian::body_jacobian(&self.system, &self.workspace, limb.body, &mut self.jacobian);
        let world_from_body = observe::body_pose(&self.workspace, limb.body);
        let arm = world_from_body.rotation * limb.point;
        let back = limb.frame.map(|frame| observe::body_pose(&self.workspace, frame).rotation.inverse());
        for (column, dof) in limb.dofs.iter().enumerate() {
            let part = |first: usize| Vec3::from_fn(|k, _| self.jacobian[(first + k) * n + dof]);
            let (mut angular, mut linear) = (part(0), part(3));
            linear += angular.cross(&arm);
            if let Some(back) = &back {
                (angular, linear) = (back * angular, back * linear);
            }
            (0..3).for_each(|k| {
                out[(k, column)] = angular[k];
                out[(3 + k, column)] = linear[k];
            });
        }
    }

    /// Mass of the placement of a limb's frame and its centre of mass in that frame.
    pub fn weight(&self, limb: &Limb, masses: &[(BodyPlace, f64, Vec3)]) -> (f64, Vec3) {
        let (mut mass, mut moment) = (0.0, Vec3::zeros());
        for (place, m, com) in masses {
            let pose = observe::body_pose(&self.workspace, *place);
            mass += m;
            moment += (pose.translation.vector + pose.rotation * com) * *m;
        }
        let centre = moment / mass;
        let back = limb.frame.map(|frame| observe::body_pose(&self.workspace, frame).inverse());
        (mass, back.map_or(centre, |back| (back * nalgebra::Point3::from(centre)).coords))
    }
}

impl Limb {
    /// A limb by names. `keys` name the places of frame, body and joints in the controller's table.
    pub fn new(
        site: &ControllerSite<'_>,
        system: &System,
        place: &str,
        frame: Option<&str>,
        body: &str,
        point: [f64; 3],
        joints: &[String],
    ) -> Result<Self, ControlError> {
        let layout = site.setup.layout;
        if point.iter().any(|x| !x.is_finite()) {
            return Err(ControlError::new(format!("{place}/point_m"), "it must be three finite numbers"));
        }
        let (mut dofs, mut positions) = (Vec::new(), Vec::new());
        for name in joints {
            let at = format!("{place}/joints");
            let dof = dof_named(layout, name).map_err(|what| ControlError::new(&at, what))?;
            let Some(position) = layout.dof_position[dof] else {
                return Err(ControlError::new(
                    &at,
                    format!("'{name}' has no single position; name a joint that has"),
                ));
            };
            dofs.push(dof);
            positions.push(position);
        }
        if dofs.is_empty() {
            return Err(ControlError::new(format!("{place}/joints"), "name the joints that move it"));
        }
        let frame = frame.map(|name| body_place(site, system, place, "frame", name)).transpose()?;
        let body = body_place(site, system, place, "body", body)?;
        Ok(Self { frame, body, point: point.into(), dofs, positions })
    }

    /// An empty Jacobian for [`RobotPose::jacobian`].
    pub fn matrix(&self) -> DMatrix<f64> {
        DMatrix::zeros(6, self.dofs.len())
    }
}

/// A body by name.
pub(crate) fn body_place(
    site: &ControllerSite<'_>,
    system: &System,
    place: &str,
    key: &str,
    name: &str,
) -> Result<BodyPlace, ControlError> {
    let layout = site.setup.layout;
    let Some(slot) = layout.body(name) else {
        let known = list(layout.bodies.iter().map(|b| b.name.as_str()));
        return Err(ControlError::new(
            format!("{place}/{key}"),
            format!("unknown body '{name}'; available: {known}"),
        ));
    };
    let placement = layout.bodies[slot].placement;
    let first = layout.bodies.iter().position(|b| b.placement == placement).unwrap_or(0);
    Ok(system.place(placement, BodyId(slot - first)))
}

/// Masses of all bodies of the placement that a body belongs to.
pub(crate) fn masses_of(site: &ControllerSite<'_>, system: &System, body: &str) -> Vec<(BodyPlace, f64, Vec3)> {
    let layout = site.setup.layout;
    let placement = layout.body(body).map_or(0, |slot| layout.bodies[slot].placement);
    let bodies = site.setup.world.placements[placement].model.bodies().iter().enumerate();
    bodies.map(|(i, b)| (system.place(placement, BodyId(i)), b.inertia.mass, b.inertia.com)).collect()
}

/// Scratch of (3) for a limb of `joints` joints and an error of `rows` numbers.
pub(crate) struct LeastSquares {
    normal: DMatrix<f64>,
    rhs: DVector<f64>,
}

impl LeastSquares {
    pub fn new(rows: usize) -> Self {
        Self { normal: DMatrix::zeros(rows, rows), rhs: DVector::zeros(rows) }
    }

    /// (3) for the last rows of a Jacobian: `change` from the error. Elimination without pivoting: the matrix is positive
    /// definite.
    pub fn solve(&mut self, jacobian: &DMatrix<f64>, error: &[f64], change: &mut [f64]) {
        let rows = error.len();
        let first = jacobian.nrows() - rows;
        for i in 0..rows {
            for j in 0..rows {
                let dot = |c: usize| jacobian[(first + i, c)] * jacobian[(first + j, c)];
                self.normal[(i, j)] = (0..jacobian.ncols()).map(dot).sum();
            }
            self.normal[(i, i)] += DAMPING * DAMPING;
            self.rhs[i] = error[i];
        }
        for k in 0..rows {
            for i in k + 1..rows {
                let factor = self.normal[(i, k)] / self.normal[(k, k)];
                for j in k..rows {
                    self.normal[(i, j)] -= factor * self.normal[(k, j)];
                }
                self.rhs[i] -= factor * self.rhs[k];
            }
        }
        for k in (0..rows).rev() {
            let known: f64 = (k + 1..rows).map(|j| self.normal[(k, j)] * self.rhs[j]).sum();
            self.rhs[k] = (self.rhs[k] - known) / self.normal[(k, k)];
        }
        for (column, x) in change.iter_mut().enumerate() {
            *x = (0..rows).map(|i| jacobian[(first + i, column)] * self.rhs[i]).sum();
        }
    }
}
