//! The native engine behind the protocol, with faults on request: used by the tests of supervision, and an example of
//! how small a worker is.
//!
//! A world whose name is `fault-KIND` goes wrong half a second into its motion. `KIND` is one of `segv`, `kill`,
//! `loop`, `sleep`, `memory`, `print`, `exit` and `panic`.

use std::process::ExitCode;
use veracity_engine::{
    Advance, BodyState, Capabilities, Engine, EngineSpec, Guard, GuardHit, Inputs, LoadError, LoadOptions, Samples,
    Setting, Settings, Simulation, StepError, Totals,
};
use veracity_model::{Layout, World};

struct Faulty;

struct FaultySimulation {
    inner: Box<dyn Simulation>,
    fault: Option<String>,
    hoard: Vec<Vec<u8>>,
}

/// Time of the fault [s].
const MOMENT_S: f64 = 0.5;

fn native() -> Settings {
    let spec: EngineSpec = "native".parse().unwrap();
    veracity_engine_native::ENGINE.resolve(&spec).unwrap()
}

impl FaultySimulation {
    fn go_wrong(&mut self) {
        match self.fault.take().as_deref() {
            Some("segv") => {
                // Rust's own handler catches the first one, resets itself and expects the fault to happen again.
                for _ in 0..2 {
                    let me = rustix::process::getpid();
                    rustix::process::kill_process(me, rustix::process::Signal::SEGV).unwrap();
                    std::thread::sleep(std::time::Duration::from_millis(20));
                }
            }
            Some("kill") => {
                let me = rustix::process::getpid();
                rustix::process::kill_process(me, rustix::process::Signal::KILL).unwrap();
            }
            Some("loop") => {
                let mut x = 1u64;
                while std::hint::black_box(x) != 0 {
                    x = x.wrapping_mul(3) | 1;
                }
            }
            Some("sleep") => std::thread::sleep(std::time::Duration::from_secs(3600)),
            Some("memory") => {
                // Ten gigabytes, touched page by page.
                for _ in 0..10_240 {
                    self.hoard.push(vec![1; 1 << 20]);
                }
            }
            Some("print") => {
                for _ in 0..100_000 {
                    println!("noise noise noise");
                    eprintln!("VERAWORK \u{1b}[31m");
                }
            }
            Some("exit") => std::process::exit(3),
            Some("panic") => panic!("a fault was requested"),
            _ => {}
        }
    }

    fn hits(&self, until: f64) -> bool {
        self.fault.is_some() && until > MOMENT_S
    }
}

impl Engine for Faulty {
    fn name(&self) -> &'static str {
        "faulty"
    }
    fn version(&self) -> String {
        "faulty 1".to_string()
    }
    fn about(&self) -> &'static str {
        "the native engine with faults on request"
    }
    fn settings(&self) -> &'static [Setting] {
        &[]
    }
    fn capabilities(&self, _: &Settings) -> Capabilities {
        veracity_engine_native::ENGINE.capabilities(&native())
    }
    fn load(&self, world: &World, _: &Settings, options: &LoadOptions) -> Result<Box<dyn Simulation>, LoadError> {
        let inner = veracity_engine_native::ENGINE.load(world, &native(), options)?;
        let fault = world.name.strip_prefix("fault-").map(str::to_string);
        Ok(Box::new(FaultySimulation { inner, fault, hoard: Vec::new() }))
    }
}

impl Simulation for FaultySimulation {
    fn layout(&self) -> &Layout {
        self.inner.layout()
    }
    fn time(&self) -> f64 {
        self.inner.time()
    }
    fn q(&self) -> &[f64] {
        self.inner.q()
    }
    fn v(&self) -> &[f64] {
        self.inner.v()
    }
    fn set_state(&mut self, time: f64, q: &[f64], v: &[f64]) -> Result<f64, LoadError> {
        self.inner.set_state(time, q, v)
    }
    fn bodies(&mut self, out: &mut [BodyState]) {
        self.inner.bodies(out);
    }
    fn step(&mut self, inputs: &Inputs, limit_s: f64) -> Result<Advance, StepError> {
        self.inner.step(inputs, limit_s)
    }
    fn advance(&mut self, until: f64, inputs: &Inputs, samples: &mut Samples) -> Result<Advance, StepError> {
        if self.hits(until) {
            self.inner.advance(MOMENT_S, inputs, samples)?;
            veracity_foreign::progress::tell(self.inner.totals().steps);
            self.go_wrong();
        }
        self.inner.advance(until, inputs, samples)
    }
    fn advance_until(
        &mut self,
        until: f64,
        guards: &[Guard],
        inputs: &Inputs,
    ) -> Result<Option<GuardHit>, StepError> {
        self.inner.advance_until(until, guards, inputs)
    }
    fn snapshot(&self, out: &mut Vec<u8>) {
        self.inner.snapshot(out);
    }
    fn restore(&mut self, bytes: &[u8]) -> Result<(), LoadError> {
        self.inner.restore(bytes)
    }
    fn totals(&self) -> Totals {
        self.inner.totals()
    }
}

fn main() -> ExitCode {
    veracity_worker::serve(&Faulty)
}
