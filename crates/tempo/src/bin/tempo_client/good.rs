//! Well-behaved programs.
#![allow(clippy::disallowed_methods)] // The program under test reads its clock, which the coordinator keeps.

use std::hint::black_box;
use veracity_client::{Client, ClientError};

fn number(arguments: &[String], place: usize, default: f64) -> f64 {
    arguments.get(place).and_then(|a| a.parse().ok()).unwrap_or(default)
}

/// Controller: `effort = kp (target - q) - kd v`.
pub fn pd(client: &mut Client, arguments: &[String]) -> Result<(), ClientError> {
    let joint = arguments.first().map_or("hinge", String::as_str);
    let (target, kp, kd) = (number(arguments, 1, 0.0), number(arguments, 2, 60.0), number(arguments, 3, 12.0));
    let place = |what: &str| {
        let name = format!("{joint}/{what}");
        client.observation_place(&name).ok_or_else(|| {
            let known: Vec<&str> = client.observation_channels().iter().map(|(n, _)| n.as_str()).collect();
            ClientError::Page(format!("unknown channel '{name}'; known: {}", known.join(", ")))
        })
    };
    let (q, v) = (place("position")?, place("velocity")?);
    while client.wait()? {
        let seen = client.observe()?;
        let effort = kp * (target - seen.values[q]) - kd * seen.values[v];
        client.command(&[effort])?;
    }
    Ok(())
}

/// Computes forever.
pub fn hog(_client: &mut Client, _arguments: &[String]) -> Result<(), ClientError> {
    let mut x = 1.0f64;
    loop {
        for _ in 0..1000 {
            x = black_box(x * 1.000_000_1 + 1e-9);
        }
    }
}

/// A planner: computes for some time by its own clock, then waits for its next turn.
pub fn think(client: &mut Client, arguments: &[String]) -> Result<(), ClientError> {
    let ns = |s: f64| (s * 1e9) as i64;
    let (effort, every) = (ns(number(arguments, 0, 0.2)), ns(number(arguments, 1, 0.5)).max(1));
    let mut x = 1.0f64;
    loop {
        let begun = client.time_ns()?;
        let mut now = begun;
        while now - begun < effort {
            for _ in 0..100_000 {
                x = black_box(x * 1.000_000_1 + 1e-9);
            }
            now = client.time_ns()?;
        }
        if !client.wait_until((now / every + 1) * every)? {
            return Ok(());
        }
    }
}

/// Computes for a share of every period by its own clock.
pub fn busy(client: &mut Client, arguments: &[String]) -> Result<(), ClientError> {
    let share = number(arguments, 0, 50.0) * 0.01;
    let period = client.period_ns().unwrap_or(1_000_000) as f64;
    while client.wait()? {
        let begun = client.time_ns()?;
        let mut x = 1.0f64;
        while ((client.time_ns()? - begun) as f64) < share * period {
            for _ in 0..2000 {
                x = black_box(x * 1.000_000_1 + 1e-9);
            }
        }
    }
    Ok(())
}

/// Its plans contain what it observed and when: a change in either changes the plan.
pub fn clocked(client: &mut Client, _arguments: &[String]) -> Result<(), ClientError> {
    let mut sum = 0.0f64;
    for round in 0.. {
        let now = client.time_ns()?;
        let seen = client.observe()?;
        sum = 0.9 * sum + 1e-9 * (now - seen.time_ns) as f64 + seen.values.first().copied().unwrap_or(0.0);
        let mut x = 1.0f64;
        for _ in 0..20_000 {
            x = black_box(x * 1.000_000_1 + 1e-9);
        }
        if round % 5 == 4 {
            client.publish_plan(&[now as f64 * 1e-9, sum])?;
            if !client.wait()? {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// A controller that integrates by its own clock, sleeps in the middle of its activation, and commands: prints the mean
/// of its time steps and the mean of its sleeps, in ms.
pub fn integrate(client: &mut Client, _arguments: &[String]) -> Result<(), ClientError> {
    use std::time::{Duration, Instant};
    let (mut steps, mut slept, mut count) = (0.0, 0.0, 0.0);
    let mut before: Option<Instant> = None;
    let width = client.command_channels().len();
    while client.wait()? {
        let now = Instant::now();
        if let Some(before) = before.replace(now) {
            steps += now.duration_since(before).as_secs_f64() * 1e3;
            count += 1.0;
        }
        std::thread::sleep(Duration::from_micros(500));
        slept += now.elapsed().as_secs_f64() * 1e3;
        client.observe()?;
        client.command(&vec![0.0; width])?;
    }
    println!("{:.6} {:.6}", steps / count, slept / (count + 1.0));
    Ok(())
}

/// Commands the last number of the plan that arrived.
pub fn follow(client: &mut Client, _arguments: &[String]) -> Result<(), ClientError> {
    let width = client.command_channels().len();
    while client.wait()? {
        client.observe()?;
        let value = client.plan().2.last().copied().unwrap_or(0.0);
        client.command(&vec![value; width])?;
    }
    Ok(())
}

/// Sleeps and computes by the standard library's clocks, and prints how long a second was.
pub fn instant() {
    use std::time::{Duration, Instant, SystemTime};
    let (begun, date) = (Instant::now(), SystemTime::now());
    std::thread::sleep(Duration::from_millis(400));
    while begun.elapsed() < Duration::from_secs(1) {
        black_box(0);
    }
    println!("{:.6}", begun.elapsed().as_secs_f64());
    println!("{:.6}", date.elapsed().unwrap_or_default().as_secs_f64());
}
