//! Inertias that stay physical whatever the search does: the log-Cholesky factor of Rucker and Wensing (2022).
//!
//! ```text
//! (1)  Σ = ½ tr(I_o) 1 - I_o,      h = m c,      P = [Σ h; hᵀ m]            I_o about the body's origin
//! (2)  P = U Uᵀ,   U = e^α [ e^d1 s12 s13 t1;  0 e^d2 s23 t2;  0 0 e^d3 t3;  0 0 0 1 ]
//! ```
//!
//! P is positive definite exactly if the mass is positive and the inertia belongs to some distribution of mass. A
//! parameter is a change of one component of U from the model's own; zero leaves the body as it is. α scales mass and
//! inertia together, d the extent along an axis, t moves the centre of mass.

use crate::file::InertiaComponent;
use nalgebra::{Matrix3, Matrix4, Vector3};

/// Mass, centre of mass, and inertia about it in the body's axes: ixx iyy izz ixy ixz iyz.
pub type Inertial = [f64; 10];

/// The numbers of a body in the order of [`Inertial`].
pub const NUMBERS: [&str; 10] = [
    "mass",
    "com/x",
    "com/y",
    "com/z",
    "inertia/ixx",
    "inertia/iyy",
    "inertia/izz",
    "inertia/ixy",
    "inertia/ixz",
    "inertia/iyz",
];

/// Changes components of (2); `None` if the inertia is not that of any distribution of mass.
pub fn changed(inertial: &Inertial, changes: &[(InertiaComponent, f64)]) -> Option<Inertial> {
    let mut u = factor(&pseudo_inertia(inertial))?;
    let scale = u[(3, 3)];
    u /= scale;
    let mut alpha = libm::log(scale);
    for (component, change) in changes {
        let grow = |x: &mut f64| *x *= libm::exp(*change);
        match component {
            InertiaComponent::Alpha => alpha += change,
            InertiaComponent::D1 => grow(&mut u[(0, 0)]),
            InertiaComponent::D2 => grow(&mut u[(1, 1)]),
            InertiaComponent::D3 => grow(&mut u[(2, 2)]),
            InertiaComponent::S12 => u[(0, 1)] += change,
            InertiaComponent::S23 => u[(1, 2)] += change,
            InertiaComponent::S13 => u[(0, 2)] += change,
            InertiaComponent::T1 => u[(0, 3)] += change,
            InertiaComponent::T2 => u[(1, 3)] += change,
            InertiaComponent::T3 => u[(2, 3)] += change,
        }
    }
    u *= libm::exp(alpha);
    Some(inertial_of(&(u * u.transpose())))
}

/// (1)
fn pseudo_inertia(x: &Inertial) -> Matrix4<f64> {
    let (m, c) = (x[0], Vector3::new(x[1], x[2], x[3]));
    let about_com = Matrix3::new(x[4], x[7], x[8], x[7], x[5], x[9], x[8], x[9], x[6]);
    // Second moments about the centre of mass, then about the origin.
    let sigma = Matrix3::identity() * (0.5 * about_com.trace()) - about_com + m * c * c.transpose();
    let mut p = Matrix4::zeros();
    p.fixed_view_mut::<3, 3>(0, 0).copy_from(&sigma);
    p.fixed_view_mut::<3, 1>(0, 3).copy_from(&(m * c));
    p.fixed_view_mut::<1, 3>(3, 0).copy_from(&(m * c).transpose());
    p[(3, 3)] = m;
    p
}

/// The upper triangular factor of (2): Cholesky from the last row up.
fn factor(p: &Matrix4<f64>) -> Option<Matrix4<f64>> {
    let reversed = Matrix4::from_fn(|i, j| p[(3 - i, 3 - j)]);
    let lower = reversed.cholesky()?.l();
    Some(Matrix4::from_fn(|i, j| lower[(3 - i, 3 - j)]))
}

fn inertial_of(p: &Matrix4<f64>) -> Inertial {
    let m = p[(3, 3)];
    let c = Vector3::new(p[(0, 3)], p[(1, 3)], p[(2, 3)]) / m;
    let sigma = p.fixed_view::<3, 3>(0, 0) - m * c * c.transpose();
    let i = Matrix3::identity() * sigma.trace() - sigma;
    [m, c.x, c.y, c.z, i[(0, 0)], i[(1, 1)], i[(2, 2)], i[(0, 1)], i[(0, 2)], i[(1, 2)]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use veracity_engine::random::{Purpose, Stream};

    const LINK: Inertial = [0.6, 0.01, -0.02, -0.25, 0.012, 0.011, 0.002, 1e-4, -2e-4, 3e-4];

    #[test]
    fn no_change_gives_the_same_inertia_and_alpha_scales_it() {
        let same = changed(&LINK, &[]).unwrap();
        same.iter().zip(LINK).for_each(|(a, b)| assert!((a - b).abs() < 1e-15, "{a} {b}"));
        let double = changed(&LINK, &[(InertiaComponent::Alpha, 0.5 * libm::log(2.0))]).unwrap();
        assert!(
            (double[0] - 1.2).abs() < 1e-14 && (double[4] - 0.024).abs() < 1e-15 && (double[3] + 0.25).abs() < 1e-14
        );
    }

    #[test]
    fn any_change_stays_physical() {
        use InertiaComponent::{Alpha, D1, D2, D3, S12, S13, S23, T1, T2, T3};
        let stream = Stream::new(3, 0, 0, Purpose::Sampling);
        for k in 0..500 {
            let all = [Alpha, D1, D2, D3, S12, S23, S13, T1, T2, T3];
            let changes: Vec<_> =
                all.iter().enumerate().map(|(i, c)| (*c, 0.5 * stream.normal(k, i as u32))).collect();
            let x = changed(&LINK, &changes).unwrap();
            let i = Matrix3::new(x[4], x[7], x[8], x[7], x[5], x[9], x[8], x[9], x[6]);
            let moments = i.symmetric_eigenvalues();
            // The triangle inequality of principal moments, to rounding.
            let largest = moments.max();
            assert!(x[0] > 0.0 && moments.min() > 0.0 && 2.0 * largest < moments.sum() * (1.0 + 1e-9), "{x:?}");
        }
        // A point has no inertia to factor.
        assert!(changed(&[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], &[]).is_none());
    }
}
