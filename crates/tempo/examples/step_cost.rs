//! `step_cost ENGINE BOXES STEPS STEP_S`: what each step of an engine costs with boxes thrown together on an enclosed
//! plane. ENGINE is `native` or the path of a worker. One line of JSON: CPU time of the steps in ms, least, median, 99 %,
//! most, and the ratio of most to least.
#![allow(clippy::disallowed_methods)] // Wall time of the steps, beside their CPU time.

use std::fmt::Write;
use std::process::ExitCode;
use std::sync::Arc;
use veracity_engine::{Engine, helpers};
use veracity_lab::{Session, SessionSetup};
use veracity_scenario::{LoadOptions, Scenario};
use veracity_worker::{Limits, WorkerEngine};

/// Cubes of 10 cm and 1 kg in layers of 10 x 10, a tenth of a side apart and shifted a little, above a plane between four
/// walls.
fn world(boxes: usize) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<sdf version=\"1.9\"><world name=\"boxes\"><gravity>0 0 -9.81</gravity>\n",
    );
    let friction = "<surface><friction><ode><mu>0.5</mu><mu2>0.5</mu2></ode></friction></surface>";
    text += "<model name=\"ground\"><static>true</static><link name=\"ground\">\n";
    let _ = writeln!(
        text,
        "<collision name=\"plane\"><geometry><plane><normal>0 0 1</normal><size>100 100</size></plane></geometry>{friction}</collision>"
    );
    for (name, x, y) in [("east", 1.0, 0.0), ("west", -1.0, 0.0), ("north", 0.0, 1.0), ("south", 0.0, -1.0)] {
        let (wide, deep) = if x == 0.0 { (2.2, 0.2) } else { (0.2, 2.2) };
        let _ = writeln!(
            text,
            "<collision name=\"{name}\"><pose>{} {} 2 0 0 0</pose><geometry><box><size>{wide} {deep} 4</size></box></geometry>{friction}</collision>",
            x * 0.9,
            y * 0.9
        );
    }
    text += "</link></model>\n";
    for n in 0..boxes {
        let (i, j, k) = (n % 10, n / 10 % 10, n / 100);
        let shift = 0.004 * ((7 * i + 11 * j + 13 * k) % 5) as f64;
        let (x, y, z) = (0.12 * (i as f64 - 4.5) + shift, 0.12 * (j as f64 - 4.5) - shift, 0.06 + 0.11 * k as f64);
        let moment = 1.0 * 0.1 * 0.1 / 6.0;
        let _ = writeln!(
            text,
            "<model name=\"box_{n}\"><pose>{x} {y} {z} 0 0 0</pose><link name=\"box_{n}\"><inertial><mass>1</mass><inertia><ixx>{moment}</ixx><iyy>{moment}</iyy><izz>{moment}</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia></inertial><collision name=\"shape\"><geometry><box><size>0.1 0.1 0.1</size></box></geometry>{friction}</collision></link></model>"
        );
    }
    text + "</world></sdf>\n"
}

fn thread_cpu_s() -> f64 {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    used.tv_sec as f64 + 1e-9 * used.tv_nsec as f64
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [engine, boxes, steps, step_s] = &arguments[..] else {
        eprintln!("usage: step_cost native|WORKER BOXES STEPS STEP_S");
        return ExitCode::from(2);
    };
    let (boxes, steps) = (boxes.parse().unwrap_or(1000), steps.parse::<i64>().unwrap_or(1000));
    let step_ns = (step_s.parse().unwrap_or(0.001) * 1e9) as i64;
    let folder = std::env::temp_dir().join(format!("veracity-step-cost-{}", std::process::id()));
    let scenario = "schema = 1\nname = \"boxes\"\ntitle = \"Boxes\"\ntext = \"Boxes on an enclosed plane.\"\nsource = \"ours\"\nduration_s = 100\nstep_s = 0.001\n[world]\nmodel = \"boxes.sdf\"\n[record]\nrate_hz = 1\n";
    let written = std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(folder.join("boxes.sdf"), world(boxes)))
        .and_then(|()| std::fs::write(folder.join("boxes.toml"), scenario));
    if let Err(error) = written {
        eprintln!("{}: {error}", folder.display());
        return ExitCode::FAILURE;
    }
    let mut scenario = match Scenario::load(&folder.join("boxes.toml"), &LoadOptions::default()) {
        Ok(scenario) => scenario,
        Err(error) => {
            eprintln!("{error:?}");
            return ExitCode::FAILURE;
        }
    };
    (scenario.step_ns, scenario.duration_ns) = (step_ns, steps * step_ns);
    let worker = (engine != "native").then(|| WorkerEngine::new(engine.into(), Limits::default()));
    let engine: &dyn Engine = worker.as_ref().map_or(&veracity_engine_native::ENGINE, |worker| worker);
    let settings =
        engine.resolve(&engine.name().parse().expect("an engine's name is a spec")).expect("default settings");
    let setup = SessionSetup { scenario: Arc::new(scenario), overrides: Vec::new(), step_ns, seed: 0, index: 0 };
    let mut session = match Session::open(engine, &settings, setup) {
        Ok(session) => session,
        Err(refusal) => {
            eprintln!("{:?}", refusal.0);
            return ExitCode::FAILURE;
        }
    };
    let mut costs_ms = Vec::new();
    let elsewhere = helpers::any_here();
    let used_s = || if elsewhere { helpers::cpu_s_here() } else { thread_cpu_s() };
    let begun = std::time::Instant::now();
    for k in 1..=steps {
        let before = used_s();
        session.advance_to(k * step_ns);
        costs_ms.push(1e3 * (used_s() - before));
    }
    let wall_s = begun.elapsed().as_secs_f64();
    let outcome = session.outcome().map(|o| format!("{o:?}"));
    costs_ms.sort_by(f64::total_cmp);
    let at = |part: f64| costs_ms[((costs_ms.len() - 1) as f64 * part) as usize];
    let line = serde_json::json!({
        "boxes": boxes, "steps": steps, "least_ms": at(0.0), "median_ms": at(0.5), "p99_ms": at(0.99),
        "most_ms": at(1.0), "most_over_least": at(1.0) / at(0.0), "wall_s": wall_s, "ended": outcome,
    });
    println!("{line}");
    let _ = std::fs::remove_dir_all(folder);
    ExitCode::SUCCESS
}
