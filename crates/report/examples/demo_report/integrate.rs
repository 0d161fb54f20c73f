//! Two methods over systems `q' = rate(q, v)`, `v' = acceleration(q, v)`.

/// A mechanical system.
pub trait System {
    /// `q'`.
    fn rate(&self, q: &[f64], v: &[f64]) -> Vec<f64>;
    /// `v'`.
    fn acceleration(&self, q: &[f64], v: &[f64]) -> Vec<f64>;
    /// Projects `q` back to its manifold, e.g. a quaternion to length one.
    fn tidy(&self, _q: &mut [f64]) {}
}

/// Position and velocity.
#[derive(Clone, Debug)]
pub struct State {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
}

/// Integration method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// Classical Runge-Kutta, order 4.
    RungeKutta4,
    /// Velocity first, order 1.
    SemiImplicitEuler,
}

impl Method {
    pub const ALL: [Self; 2] = [Self::RungeKutta4, Self::SemiImplicitEuler];

    /// As an engine spec.
    pub fn spec(self) -> &'static str {
        match self {
            Self::RungeKutta4 => "textbook:method=rk4",
            Self::SemiImplicitEuler => "textbook:method=semi-implicit-euler",
        }
    }

    /// The theoretical order.
    pub fn order(self) -> f64 {
        match self {
            Self::RungeKutta4 => 4.0,
            Self::SemiImplicitEuler => 1.0,
        }
    }

    /// A fictitious price of one step [s].
    pub fn cpu_per_step(self) -> f64 {
        match self {
            Self::RungeKutta4 => 1.9e-6,
            Self::SemiImplicitEuler => 0.6e-6,
        }
    }

    fn step(self, system: &dyn System, state: &mut State, h: f64) {
        match self {
            Self::SemiImplicitEuler => {
                let a = system.acceleration(&state.q, &state.v);
                add(&mut state.v, h, &a);
                let rate = system.rate(&state.q, &state.v);
                add(&mut state.q, h, &rate);
            }
            Self::RungeKutta4 => {
                let slope = |at: &State| (system.rate(&at.q, &at.v), system.acceleration(&at.q, &at.v));
                let start = state.clone();
                let moved = |(rate, a): &(Vec<f64>, Vec<f64>), by: f64| {
                    let mut next = start.clone();
                    add(&mut next.q, by, rate);
                    add(&mut next.v, by, a);
                    next
                };
                let k1 = slope(&start);
                let k2 = slope(&moved(&k1, 0.5 * h));
                let k3 = slope(&moved(&k2, 0.5 * h));
                let k4 = slope(&moved(&k3, h));
                for (k, weight) in [(&k1, 1.0), (&k2, 2.0), (&k3, 2.0), (&k4, 1.0)] {
                    add(&mut state.q, h * weight / 6.0, &k.0);
                    add(&mut state.v, h * weight / 6.0, &k.1);
                }
            }
        }
        system.tidy(&mut state.q);
    }
}

fn add(to: &mut [f64], factor: f64, what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(to, what)| *to += factor * what);
}

/// States at every `keep`-th step, the first one included.
pub fn run(system: &dyn System, method: Method, start: &State, h: f64, steps: usize, keep: usize) -> Vec<State> {
    let mut state = start.clone();
    let mut kept = vec![start.clone()];
    for step in 1..=steps {
        method.step(system, &mut state, h);
        if step % keep == 0 {
            kept.push(state.clone());
        }
    }
    kept
}
