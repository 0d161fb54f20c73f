//! The scenes: the numbers drawn in each, and the resulting position of the watched body, derived here from textbook
//! mechanics without any code of the program.

/// Random numbers between two bounds, the same on every machine (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn within(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        low + (high - low) * ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Position of the watched body at a given time [m].
pub type ClosedForm = Box<dyn Fn(f64) -> [f64; 3]>;

/// A scene with its numbers drawn: the values set, by path, and the truth.
pub struct Drawn {
    pub set: Vec<(String, f64)>,
    pub exact: ClosedForm,
}

pub struct Scene {
    /// The scenario's file in this folder, without `.toml`.
    pub name: &'static str,
    /// The body that its checks watch.
    pub body: &'static str,
    /// Draws its numbers; scenes with a threshold lie on one side of it in even draws and on the other in odd draws.
    pub draw: fn(&mut Random, usize) -> Drawn,
}

pub const SCENES: &[Scene] = &[
    Scene { name: "masse", body: "ball", draw: masse },
    Scene { name: "slope_box", body: "box", draw: slope_box },
    Scene { name: "tipping_box", body: "box", draw: tipping_box },
    Scene { name: "superball", body: "ball", draw: superball },
    Scene { name: "groove", body: "bar", draw: groove },
    Scene { name: "lift", body: "cube", draw: lift },
    Scene { name: "two_balls", body: "target", draw: two_balls },
    Scene { name: "belt", body: "block", draw: belt },
    Scene { name: "train", body: "wagon", draw: train },
    Scene { name: "ramp_ball", body: "ball", draw: ramp_ball },
    Scene { name: "stack_pull", body: "upper", draw: stack_pull },
    Scene { name: "rod_on_peg", body: "rod", draw: rod_on_peg },
    Scene { name: "bat", body: "ball", draw: bat },
];

const G: f64 = 9.81;

fn drawn(set: &[(&str, f64)], exact: impl Fn(f64) -> [f64; 3] + 'static) -> Drawn {
    Drawn { set: set.iter().map(|(path, x)| (path.to_string(), *x)).collect(), exact: Box::new(exact) }
}

/// Distance travelled after `t` with initial speed `v` and deceleration `a`, staying at rest once it stops.
fn slowed(v: f64, a: f64, t: f64) -> f64 {
    let t = t.min(v / a);
    v * t - 0.5 * a * t * t
}

/// Billiards: while its lowest point slips, friction has a constant direction and the path is a parabola (Coriolis).
/// The slip `u = v + w x (0, 0, -R)` falls by 7/2 mu g: the centre contributes mu g and the spin of a solid sphere 5/2
/// of that.
fn masse(r: &mut Random, _: usize) -> Drawn {
    let (radius, mu) = (0.05, 0.3);
    let v = [r.within(0.5, 1.5), r.within(-0.6, 0.6)];
    let w = [r.within(-30.0, 30.0), r.within(-50.0, 10.0)];
    let slip = [v[0] - radius * w[1], v[1] + radius * w[0]];
    let speed = slip[0].hypot(slip[1]);
    let rolls = 2.0 * speed / (7.0 * mu * G);
    let exact = move |t: f64| {
        let s = t.min(rolls);
        let way = |k: usize| {
            let a = -mu * G * slip[k] / speed;
            v[k] * s + 0.5 * a * s * s + (v[k] + a * s) * (t - s)
        };
        [way(0), way(1), radius]
    };
    let j = |k: usize| format!("start/v/masse/free/{k}");
    drawn(&[(&j(3), v[0]), (&j(4), v[1]), (&j(0), w[0]), (&j(1), w[1])], exact)
}

/// On a slope of `a` the box holds while tan a is at most mu, else it slides; mu is below width over height, 1/2, so
/// that it never tips.
fn slope_box(r: &mut Random, draw: usize) -> Drawn {
    let mu = 0.45;
    // atan(0.45) = 0.4229.
    let a: f64 = if draw.is_multiple_of(2) { r.within(0.25, 0.415) } else { r.within(0.43, 0.7) };
    let along = (G * (a.sin() - mu * a.cos())).max(0.0);
    let set = [("world/gravity/x", G * a.sin()), ("world/gravity/z", -G * a.cos())];
    drawn(&set, move |t| [0.5 * along * t * t, 0.0, 0.1])
}

/// About its lower edge, with rho the distance from there to the centre, beta = atan(width / height) and moment 4/3 m
/// rho²: theta'' = 3 g / (4 rho) sin(theta + a - beta), from rest. One equation, integrated here with a method of order
/// four.
fn tipping_box(r: &mut Random, _: usize) -> Drawn {
    let a = r.within(0.5, 0.75);
    let (beta, rho) = (0.5f64.atan(), 0.5 * 0.1f64.hypot(0.2));
    let rate = 3.0 * G / (4.0 * rho);
    let turn = move |end: f64| {
        let (mut x, mut v) = (0.0f64, 0.0f64);
        let count = (end / 1e-4).ceil().max(1.0);
        let h = end / count;
        let f = |x: f64| rate * (x + a - beta).sin();
        for _ in 0..count as usize {
            let (k1, l1) = (v, f(x));
            let (k2, l2) = (v + 0.5 * h * l1, f(x + 0.5 * h * k1));
            let (k3, l3) = (v + 0.5 * h * l2, f(x + 0.5 * h * k2));
            let (k4, l4) = (v + h * l3, f(x + h * k3));
            x += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
            v += h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4);
        }
        (x, v)
    };
    // The edge neither lifts nor slides while the equation is used: friction is 2.
    for step in 0..=25 {
        let (x, v) = turn(0.01 * f64::from(step));
        let (psi, bend) = (x - beta, rate * (x + a - beta).sin());
        let force = [
            rho * (bend * psi.cos() - v * v * psi.sin()) - G * a.sin(),
            rho * (-bend * psi.sin() - v * v * psi.cos()) + G * a.cos(),
        ];
        assert!(force[1] > 0.0 && force[0].abs() < 1.9 * force[1], "the edge moves: {force:?}");
    }
    let set = [("world/gravity/x", G * a.sin()), ("world/gravity/z", -G * a.cos())];
    drawn(&set, move |t| {
        let psi = turn(t).0 - beta;
        [0.05 + rho * psi.sin(), 0.0, rho * psi.cos()]
    })
}

/// A straight line between impacts. In each impact the normal impulse is (1 + e) vn, and friction is what stops the
/// slip, 2/7 of it, or mu times the normal impulse if that is less; its torque changes the spin by 5/2 of it over R.
fn superball(r: &mut Random, _: usize) -> Drawn {
    let (radius, mu, e) = (0.05, 0.2, 0.8);
    let start = [r.within(0.5, 2.0), r.within(-2.0, -0.8), r.within(-40.0, 40.0)];
    let exact = move |t: f64| {
        let ([mut vx, mut vz, mut w], mut x, mut z, mut left) = (start, 0.0, 0.15, t);
        loop {
            let (to, side) = if vz < 0.0 { (0.05, -1.0) } else { (0.25, 1.0) };
            let until = (to - z) / vz;
            if until >= left {
                return [x + vx * left, 0.0, z + vz * left];
            }
            (x, z, left) = (x + vx * until, to, left - until);
            let slip = vx + side * w * radius;
            let rub = -slip.signum() * (mu * (1.0 + e) * vz.abs()).min(2.0 / 7.0 * slip.abs());
            (vx, w, vz) = (vx + rub, w + side * 2.5 * rub / radius, -e * vz);
        }
    };
    let j = "start/v/ball/world_to_ball";
    drawn(&[(&format!("{j}/3"), start[0]), (&format!("{j}/5"), start[1]), (&format!("{j}/1"), start[2])], exact)
}

/// Each wall of a right-angled groove carries m g / (2 sin 45°): together their friction is mu m g √2.
fn groove(r: &mut Random, _: usize) -> Drawn {
    let (v, mu) = (r.within(0.4, 1.5), r.within(0.1, 0.3));
    let surfaces = ["left", "right", "bar"];
    let path = |s: &str, k: usize| format!("world/{s}/materials/{s}~1surface/friction/{k}");
    let mut set: Vec<(String, f64)> = surfaces.iter().flat_map(|s| [(path(s, 0), mu), (path(s, 1), mu)]).collect();
    set.push(("start/v/bar/world_to_bar/3".to_string(), v));
    let exact = move |t| [slowed(v, mu * G * 2f64.sqrt(), t), 0.0, 0.06 * 0.5f64.sqrt()];
    Drawn { set, exact: Box::new(exact) }
}

/// Two pads of 20 N and friction 0.5 carry 20 N, which accelerates 1 kg upwards by 20 - g at most. Carriage and pads
/// weigh 2.5 kg.
fn lift(r: &mut Random, draw: usize) -> Drawn {
    let most = 20.0 - G;
    let (pull, a) = if draw.is_multiple_of(2) {
        let a = r.within(5.0, 9.9);
        (3.5 * (G + a), a)
    } else {
        // The pads move ahead by less than the height of the cube.
        let carriage = r.within(10.4, 11.5);
        (20.0 + 2.5 * (G + carriage), most)
    };
    drawn(&[("controllers/hand/efforts/rail", pull)], move |t| [0.0, 0.0, 1.0 + 0.5 * a * t * t])
}

/// Frictionless balls: the impulse lies on the line of centres.
fn two_balls(r: &mut Random, _: usize) -> Drawn {
    let (e, sum) = (0.7, 0.13);
    let (v, off) = (r.within(1.0, 3.0), r.within(-0.1, 0.1));
    let ahead = (sum * sum - off * off).sqrt();
    let (at, n) = ((0.4 - ahead) / v, [ahead / sum, off / sum]);
    let speed = (1.0 + e) * v * n[0] / (1.0 + 0.5) / 2.0;
    let set = [("start/v/cue/world_to_cue/3", v), ("start/q/target/world_to_target/y", off)];
    drawn(&set, move |t| {
        let way = speed * (t - at).max(0.0);
        [0.4 + way * n[0], off + way * n[1], 0.0]
    })
}

/// Friction accelerates the block by mu g and decelerates the slab, three times as heavy, by a third of that, until
/// both move as one.
fn belt(r: &mut Random, _: usize) -> Drawn {
    let (v, mu) = (r.within(0.5, 2.0), r.within(0.2, 0.5));
    let together = v / (mu * G * (1.0 + 1.0 / 3.0));
    let surface = |m: &str, b: &str, k: usize| (format!("world/{m}/materials/{b}~1surface/friction/{k}"), mu);
    let mut set: Vec<(String, f64)> =
        (0..2).flat_map(|k| [surface("conveyor", "slab", k), surface("block", "block", k)]).collect();
    set.push(("start/v/conveyor/rail".to_string(), v));
    let exact = move |t: f64| {
        let s = t.min(together);
        [0.5 * mu * G * s * s + mu * G * s * (t - s), 0.0, 0.15]
    };
    Drawn { set, exact: Box::new(exact) }
}

/// Pushed for 0.2 s against the friction of both; then the wagon coasts against its own friction.
fn train(r: &mut Random, _: usize) -> Drawn {
    let push = r.within(14.0, 30.0);
    let a = (push - (0.5 * 1.0 + 0.2 * 1.5) * G) / 2.5;
    drawn(&[("controllers/push/wrenches/0/force_n/0/values/0", push)], move |t| {
        let s = t.min(0.2);
        [0.12 + 0.5 * a * s * s + slowed(0.2 * a, 0.2 * G, t - s), 0.0, 0.05]
    })
}

/// A solid sphere rolls with 5/7 g sin a where mu is at least 2/7 tan a, else it slips.
fn ramp_ball(r: &mut Random, draw: usize) -> Drawn {
    let slope: f64 = 0.5;
    // 2/7 tan 0.5 = 0.1561.
    let (mu, along) = if draw.is_multiple_of(2) {
        let mu = r.within(0.03, 0.15);
        (mu, G * (slope.sin() - mu * slope.cos()))
    } else {
        (r.within(0.162, 0.6), 5.0 / 7.0 * G * slope.sin())
    };
    let path = |k: usize| format!("world/ramp_ball/materials/surface0/friction/{k}");
    drawn(&[(&path(0), mu), (&path(1), mu)], move |t| {
        let way = 0.5 * along * t * t;
        [0.05 * slope.sin() + way * slope.cos(), 0.0, 0.05 * slope.cos() - way * slope.sin()]
    })
}

/// Both move as one while the upper one needs no more than mu g; else it slides back.
fn stack_pull(r: &mut Random, draw: usize) -> Drawn {
    let (floor, between) = (0.3, 0.4);
    // (0.3 + 0.4) 3 g = 20.6 N is the limit.
    let pull = if draw.is_multiple_of(2) { r.within(10.0, 20.0) } else { r.within(21.2, 24.0) };
    let a = (pull / 3.0 - floor * G).min(between * G);
    let set = [("controllers/pull/wrenches/0/force_n/0", pull)];
    drawn(&set, move |t| [0.5 * a * t * t, 0.0, 0.15])
}

/// The impulse J = (1 + e) v / (1 / m + d² / I) acts `d` from the centre, straight up.
fn rod_on_peg(r: &mut Random, _: usize) -> Drawn {
    let (e, moment) = (0.5, 0.0133);
    let (v, d) = (r.within(0.6, 1.0), r.within(-0.12, 0.12));
    let (at, after) = (0.15 / v, (1.0 + e) * v / (1.0 + d * d / moment) - v);
    let set = [("start/v/rod/world_to_rod/5", -v), ("start/q/rod/world_to_rod/x", d)];
    drawn(&set, move |t| [d, 0.0, 0.2 - v * t.min(at) + after * (t - at).max(0.0)])
}

/// The bar hits the ball when its face, 0.02 from its middle, is 0.04 from the ball's centre; with `s` the distance
/// from the hinge to there, J = (1 + e) w s / (1 / m + s² / I).
fn bat(r: &mut Random, _: usize) -> Drawn {
    let (e, mass) = (0.6, 0.3);
    let moment = (0.5 * 0.5 + 0.04 * 0.04) / 12.0 + 0.25 * 0.25;
    let w = r.within(2.0, 5.0);
    let (far, angle) = (0.4f64.hypot(0.15), 0.15f64.atan2(0.4));
    let left = (0.06 / far).asin();
    let (turned, s) = (angle - left, far * left.cos());
    let (at, impulse) = (turned / w, (1.0 + e) * w * s / (1.0 / mass + s * s / moment));
    drawn(&[("start/v/bat/hinge", w)], move |t| {
        let way = impulse / mass * (t - at).max(0.0);
        [0.4 - way * turned.sin(), 0.15 + way * turned.cos(), 0.0]
    })
}
