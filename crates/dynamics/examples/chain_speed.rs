//! scratch
struct Instant(f64);
fn cpu() -> f64 {
    std::fs::read_to_string("/proc/thread-self/schedstat").unwrap().split(' ').next().unwrap().parse::<f64>().unwrap()
        * 1e-9
}
struct El(f64);
impl El {
    fn as_secs_f64(&self) -> f64 {
        self.0
    }
}
impl Instant {
    fn now() -> Self {
        Instant(cpu())
    }
    fn elapsed(&self) -> El {
        El(cpu() - self.0)
    }
}
use veracity_dynamics::integrate::Settings;
use veracity_dynamics::*;
use veracity_model::{Body, Inertia, Joint, JointKind, ModelBuilder, Pose, Vec3};
fn main() {
    let mut b = ModelBuilder::new("chain");
    let mut parent = None;
    for i in 0..10 {
        let inertia =
            Inertia::solid_box(1.0, Vec3::new(0.2, 0.04, 0.04)).transformed(&Pose::translation(0.1, 0.0, 0.0));
        let at = Pose::translation(if i == 0 { 0.0 } else { 0.2 }, 0.0, 0.0);
        parent = Some(b.add_body(
            Body::new(format!("l{i}"), inertia),
            Joint::new(format!("j{i}"), JointKind::revolute(Vec3::y())).at(at),
            parent,
        ));
    }
    let system = System::from_model(&b.build().unwrap(), Vec3::new(0.0, 0.0, -9.81)).unwrap();
    let mut s = Simulation::new(system, "rk4", Settings::default()).unwrap();
    let e0 = s.energy().total();
    for _ in 0..3 {
        let t = Instant::now();
        let n: usize = std::env::args().nth(1).map_or(200_000, |a| a.parse().unwrap());
        for _ in 0..n {
            s.step(&mut NoEfforts, 1e-3).unwrap();
        }
        println!(
            "{:.0} steps/s  energy error {:.2e}",
            n as f64 / t.elapsed().as_secs_f64(),
            (s.energy().total() - e0) / 98.1
        );
    }
    let q = s.state().q.clone();
    let v = s.state().v.clone();
    let sys = s.system().clone();
    let mut ws = Workspace::new(&sys);
    let mut a = vec![0.0; 10];
    let tau = vec![0.0; 10];
    if std::env::args().nth(1).is_some() { return; } let n = 1_000_000;
    let t = Instant::now();
    for _ in 0..n {
        kinematics::velocities(&sys, &mut ws, std::hint::black_box(&q), &v);
    }
    println!("kin {:.0} ns", t.elapsed().as_secs_f64() / n as f64 * 1e9);
    let t = Instant::now();
    for _ in 0..n {
        aba::accelerations(&sys, &mut ws, std::hint::black_box(&tau), &mut a);
    }
    println!("aba {:.0} ns", t.elapsed().as_secs_f64() / n as f64 * 1e9);
    let t = Instant::now();
    let mut x = 0.0;
    for i in 0..n * 10 {
        x += {
            let (s, c) = libm::sincos(std::hint::black_box(i as f64 * 1e-6));
            s + c
        }
    }
    println!("sincos {:.1} ns {x}", t.elapsed().as_secs_f64() / n as f64 * 1e8);
}
