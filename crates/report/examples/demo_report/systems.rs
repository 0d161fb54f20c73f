//! Four small systems, their appearance, and their exact solutions.

use crate::integrate::{State, System};
use libm::{cos, cosh, log, sin, tanh};
use veracity_report::data::numbers::{F32Array, U32Array};
use veracity_report::data::replay::{Body, Geometry, PlacedShape, Pose};

/// Standard gravity [m/s²].
pub const GRAVITY: f64 = 9.80665;

/// A motion with everything a scenario needs.
pub trait Case: System {
    fn name(&self) -> &'static str;
    fn title(&self) -> &'static str;
    fn about(&self) -> &'static str;
    fn start(&self) -> State;
    fn duration_s(&self) -> f64;
    /// Exact state, if there is a closed form.
    fn exact(&self, _time: f64) -> Option<State> {
        None
    }
    /// The points whose distance from the reference is the error.
    fn points(&self, q: &[f64]) -> Vec<[f64; 3]>;
    /// [J]
    fn energy(&self, state: &State) -> f64;
    /// Energy is conserved.
    fn conserves_energy(&self) -> bool {
        true
    }
    fn bodies(&self) -> Vec<Body>;
    /// Position and quaternion w x y z, body by body.
    fn poses(&self, q: &[f64]) -> Vec<[f64; 7]>;
    /// Bound of the position error [m], and why.
    fn bound(&self) -> (f64, &'static str);
}

pub fn shape(position_m: [f64; 3], rotation_wxyz: [f64; 4], geometry: Geometry) -> PlacedShape {
    PlacedShape { body_from_shape: Pose { position_m, rotation_wxyz }, geometry }
}

const UPRIGHT: [f64; 4] = [1.0, 0.0, 0.0, 0.0];
const ALONG_Y: [f64; 4] = [std::f64::consts::FRAC_1_SQRT_2, std::f64::consts::FRAC_1_SQRT_2, 0.0, 0.0];
const ALONG_X: [f64; 4] = [std::f64::consts::FRAC_1_SQRT_2, 0.0, std::f64::consts::FRAC_1_SQRT_2, 0.0];

fn fixed(name: &str, shapes: Vec<PlacedShape>) -> Body {
    Body { name: name.into(), fixed: true, shapes }
}

fn moving(name: &str, shapes: Vec<PlacedShape>) -> Body {
    Body { name: name.into(), fixed: false, shapes }
}

/// Rotation about y, hanging along -z at angle zero.
fn hanging(at: [f64; 3], angle: f64) -> [f64; 7] {
    [at[0], at[1], at[2], cos(0.5 * angle), 0.0, sin(0.5 * angle), 0.0]
}

fn bracket(height: f64) -> Body {
    let post = Geometry::Box { size_m: [0.06, 0.06, height] };
    let arm = Geometry::Box { size_m: [0.06, 0.3, 0.05] };
    fixed("stand", vec![shape([0.0, 0.24, 0.5 * height], UPRIGHT, post), shape([0.0, 0.12, height], UPRIGHT, arm)])
}

fn ground() -> Body {
    fixed("ground", vec![shape([0.0; 3], UPRIGHT, Geometry::Plane)])
}

/// A point mass on a light rod.
pub struct Pendulum;

impl Pendulum {
    const LENGTH: f64 = 1.0;
    const HEIGHT: f64 = 1.4;
}

impl System for Pendulum {
    fn rate(&self, _q: &[f64], v: &[f64]) -> Vec<f64> {
        v.to_vec()
    }
    fn acceleration(&self, q: &[f64], _v: &[f64]) -> Vec<f64> {
        vec![-GRAVITY / Self::LENGTH * sin(q[0])]
    }
}

impl Case for Pendulum {
    fn name(&self) -> &'static str {
        "pendulum"
    }
    fn title(&self) -> &'static str {
        "Simple pendulum"
    }
    fn about(&self) -> &'static str {
        "A point mass on a light rod of one metre, let go at 120 degrees. The motion is large enough for the period to \
         depend on the amplitude, so an engine that gets the energy wrong drifts out of phase."
    }
    fn start(&self) -> State {
        State { q: vec![120f64.to_radians()], v: vec![0.0] }
    }
    fn duration_s(&self) -> f64 {
        12.8
    }
    fn points(&self, q: &[f64]) -> Vec<[f64; 3]> {
        vec![[-Self::LENGTH * sin(q[0]), 0.0, -Self::LENGTH * cos(q[0])]]
    }
    fn energy(&self, state: &State) -> f64 {
        let speed = Self::LENGTH * state.v[0];
        0.5 * speed * speed - GRAVITY * Self::LENGTH * cos(state.q[0])
    }
    fn bodies(&self) -> Vec<Body> {
        let rod = Geometry::Cylinder { radius_m: 0.012, length_m: Self::LENGTH };
        let bob = Geometry::Sphere { radius_m: 0.09 };
        let shapes = vec![
            shape([0.0, 0.0, -0.5 * Self::LENGTH], UPRIGHT, rod),
            shape([0.0, 0.0, -Self::LENGTH], UPRIGHT, bob),
            shape([0.0; 3], ALONG_Y, Geometry::Cylinder { radius_m: 0.03, length_m: 0.08 }),
        ];
        vec![ground(), bracket(Self::HEIGHT), moving("bob", shapes)]
    }
    fn poses(&self, q: &[f64]) -> Vec<[f64; 7]> {
        let still = hanging([0.0; 3], 0.0);
        vec![still, still, hanging([0.0, 0.0, Self::HEIGHT], q[0])]
    }
    fn bound(&self) -> (f64, &'static str) {
        (0.01, "A hundredth of the rod: what a camera at three metres can just resolve.")
    }
}

/// Two point masses, the second hanging from the first.
pub struct DoublePendulum;

impl DoublePendulum {
    const LENGTH: f64 = 0.6;
    const HEIGHT: f64 = 1.6;
}

impl System for DoublePendulum {
    fn rate(&self, _q: &[f64], v: &[f64]) -> Vec<f64> {
        v.to_vec()
    }
    /// Equal masses and lengths, absolute angles: `2 a'' + c b'' = -s b'² - 2 g/l sin a`, `c a'' + b'' = s a'² - g/l sin b`
    /// with `c, s` cosine and sine of `a - b`.
    fn acceleration(&self, q: &[f64], v: &[f64]) -> Vec<f64> {
        let (c, s) = (cos(q[0] - q[1]), sin(q[0] - q[1]));
        let g = GRAVITY / Self::LENGTH;
        let (r1, r2) = (-s * v[1] * v[1] - 2.0 * g * sin(q[0]), s * v[0] * v[0] - g * sin(q[1]));
        let determinant = 2.0 - c * c;
        vec![(r1 - c * r2) / determinant, (2.0 * r2 - c * r1) / determinant]
    }
}

impl Case for DoublePendulum {
    fn name(&self) -> &'static str {
        "double-pendulum"
    }
    fn title(&self) -> &'static str {
        "Double pendulum"
    }
    fn about(&self) -> &'static str {
        "Two point masses on light rods, let go from above the horizon. The motion is chaotic: errors grow by a constant \
         factor in each second, and past some moment no step size is small enough."
    }
    fn start(&self) -> State {
        State { q: vec![2.2, 1.4], v: vec![0.0, 0.0] }
    }
    fn duration_s(&self) -> f64 {
        6.4
    }
    fn points(&self, q: &[f64]) -> Vec<[f64; 3]> {
        let first = [-Self::LENGTH * sin(q[0]), 0.0, -Self::LENGTH * cos(q[0])];
        vec![first, [first[0] - Self::LENGTH * sin(q[1]), 0.0, first[2] - Self::LENGTH * cos(q[1])]]
    }
    fn energy(&self, state: &State) -> f64 {
        let (q, v, l) = (&state.q, &state.v, Self::LENGTH);
        let kinetic = l * l * (v[0] * v[0] + 0.5 * v[1] * v[1] + v[0] * v[1] * cos(q[0] - q[1]));
        kinetic - GRAVITY * l * (2.0 * cos(q[0]) + cos(q[1]))
    }
    fn bodies(&self) -> Vec<Body> {
        let link = |name| {
            let rod = Geometry::Capsule { radius_m: 0.022, length_m: Self::LENGTH };
            let bob = Geometry::Sphere { radius_m: 0.06 };
            let shapes = vec![
                shape([0.0, 0.0, -0.5 * Self::LENGTH], UPRIGHT, rod),
                shape([0.0, 0.0, -Self::LENGTH], UPRIGHT, bob),
            ];
            moving(name, shapes)
        };
        vec![ground(), bracket(Self::HEIGHT), link("upper"), link("lower")]
    }
    fn poses(&self, q: &[f64]) -> Vec<[f64; 7]> {
        let still = hanging([0.0; 3], 0.0);
        let [x, _, z] = self.points(q)[0];
        vec![still, still, hanging([0.0, 0.0, Self::HEIGHT], q[0]), hanging([x, 0.0, Self::HEIGHT + z], q[1])]
    }
    fn bound(&self) -> (f64, &'static str) {
        (0.05, "A body's diameter: beyond it two engines show two different motions.")
    }
}

/// A T-shaped handle rotating freely about its middle axis, which is unstable.
pub struct THandle;

impl THandle {
    /// Principal moments of inertia [kg m²].
    const INERTIA: [f64; 3] = [0.010, 0.022, 0.030];
    const HEIGHT: f64 = 1.0;
}

impl System for THandle {
    /// `q' = ½ q ∘ (0, ω)`, ω in the body's frame.
    fn rate(&self, q: &[f64], v: &[f64]) -> Vec<f64> {
        let (w, x, y, z) = (q[0], q[1], q[2], q[3]);
        vec![
            0.5 * (-x * v[0] - y * v[1] - z * v[2]),
            0.5 * (w * v[0] + y * v[2] - z * v[1]),
            0.5 * (w * v[1] + z * v[0] - x * v[2]),
            0.5 * (w * v[2] + x * v[1] - y * v[0]),
        ]
    }
    /// Euler's equations.
    fn acceleration(&self, _q: &[f64], v: &[f64]) -> Vec<f64> {
        let [a, b, c] = Self::INERTIA;
        vec![(b - c) / a * v[1] * v[2], (c - a) / b * v[2] * v[0], (a - b) / c * v[0] * v[1]]
    }
    fn tidy(&self, q: &mut [f64]) {
        let length = q.iter().map(|value| value * value).sum::<f64>().sqrt();
        q.iter_mut().for_each(|value| *value /= length);
    }
}

impl Case for THandle {
    fn name(&self) -> &'static str {
        "t-handle"
    }
    fn title(&self) -> &'static str {
        "T-handle in free rotation"
    }
    fn about(&self) -> &'static str {
        "A handle set spinning about its middle axis without gravity. It flips over again and again at intervals that only \
         its inertia and energy set: the classic test of how an engine treats gyroscopic terms."
    }
    fn start(&self) -> State {
        State { q: vec![1.0, 0.0, 0.0, 0.0], v: vec![0.02, 6.0, 0.01] }
    }
    fn duration_s(&self) -> f64 {
        12.8
    }
    fn points(&self, q: &[f64]) -> Vec<[f64; 3]> {
        // The end of the stem: the first column of the rotation, times its length.
        let (w, x, y, z) = (q[0], q[1], q[2], q[3]);
        let axis = [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)];
        vec![axis.map(|value| 0.2 * value)]
    }
    fn energy(&self, state: &State) -> f64 {
        0.5 * Self::INERTIA.iter().zip(&state.v).map(|(inertia, w)| inertia * w * w).sum::<f64>()
    }
    fn bodies(&self) -> Vec<Body> {
        let bar = Geometry::Cylinder { radius_m: 0.035, length_m: 0.46 };
        let stem = Geometry::Cylinder { radius_m: 0.026, length_m: 0.2 };
        let shapes = vec![shape([0.0; 3], ALONG_Y, bar), shape([0.12, 0.0, 0.0], ALONG_X, stem)];
        vec![moving("handle", shapes)]
    }
    fn poses(&self, q: &[f64]) -> Vec<[f64; 7]> {
        vec![[0.0, 0.0, Self::HEIGHT, q[0], q[1], q[2], q[3]]]
    }
    fn bound(&self) -> (f64, &'static str) {
        (0.02, "A tenth of the stem: the flip is then seen within two hundredths of a second.")
    }
}

/// A ball falling through air.
pub struct FallWithDrag;

impl FallWithDrag {
    /// Speed at which drag balances weight [m/s].
    const TERMINAL: f64 = 12.0;
    const HEIGHT: f64 = 100.0;
}

impl System for FallWithDrag {
    fn rate(&self, _q: &[f64], v: &[f64]) -> Vec<f64> {
        v.to_vec()
    }
    fn acceleration(&self, _q: &[f64], v: &[f64]) -> Vec<f64> {
        vec![-GRAVITY * (1.0 + v[0] * v[0].abs() / (Self::TERMINAL * Self::TERMINAL))]
    }
}

impl Case for FallWithDrag {
    fn name(&self) -> &'static str {
        "fall-with-drag"
    }
    fn title(&self) -> &'static str {
        "Fall with drag"
    }
    fn about(&self) -> &'static str {
        "A ball let go a hundred metres up, with drag as the square of its speed. It soon falls at a steady twelve metres \
         per second; the motion until then has a closed form."
    }
    fn start(&self) -> State {
        State { q: vec![Self::HEIGHT], v: vec![0.0] }
    }
    fn duration_s(&self) -> f64 {
        6.4
    }
    fn exact(&self, time: f64) -> Option<State> {
        let (u, s) = (Self::TERMINAL, GRAVITY * time / Self::TERMINAL);
        Some(State { q: vec![Self::HEIGHT - u * u / GRAVITY * log(cosh(s))], v: vec![-u * tanh(s)] })
    }
    fn points(&self, q: &[f64]) -> Vec<[f64; 3]> {
        vec![[0.0, 0.0, q[0]]]
    }
    fn energy(&self, state: &State) -> f64 {
        0.5 * state.v[0] * state.v[0] + GRAVITY * state.q[0]
    }
    fn conserves_energy(&self) -> bool {
        false
    }
    fn bodies(&self) -> Vec<Body> {
        let crate_shape = shape([0.0; 3], UPRIGHT, octahedron(0.3));
        vec![ground(), moving("ball", vec![crate_shape])]
    }
    fn poses(&self, q: &[f64]) -> Vec<[f64; 7]> {
        vec![hanging([0.0; 3], 0.0), hanging([0.0, 0.0, q[0]], 0.0)]
    }
    fn bound(&self) -> (f64, &'static str) {
        (0.05, "The ball's radius is six times that; the published table gives centimetres.")
    }
}

/// Eight triangles: a mesh small enough to write by hand.
fn octahedron(size: f32) -> Geometry {
    let s = size;
    let vertices = [[s, 0., 0.], [-s, 0., 0.], [0., s, 0.], [0., -s, 0.], [0., 0., s], [0., 0., -s]];
    let triangles = [0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5];
    Geometry::Mesh { vertices_m: F32Array(vertices.concat()), triangles: U32Array(triangles.to_vec()) }
}
