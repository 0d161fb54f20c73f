//! Programs to run under `veracity tempo run`: examples to learn from, and misbehaving ones for tests.

mod bad;
mod chase;
mod good;
mod ships;

use std::process::ExitCode;
use veracity_client::{Client, ClientError};

/// A program: its name, what it does, its function.
struct Program {
    name: &'static str,
    about: &'static str,
    run: fn(&mut Client, &[String]) -> Result<(), ClientError>,
}

const PROGRAMS: &[Program] = &[
    Program { name: "pd", about: "JOINT TARGET KP KD: holds one joint at a target", run: good::pd },
    Program { name: "hog", about: "a planner that computes forever", run: good::hog },
    Program {
        name: "think",
        about: "SECONDS EVERY_S: computes for SECONDS by its own clock, every EVERY_S",
        run: good::think,
    },
    Program { name: "busy", about: "PERCENT: computes for this share of every period", run: good::busy },
    Program {
        name: "clocked",
        about: "repeatedly reads time and observation, and publishes both",
        run: good::clocked,
    },
    Program { name: "integrate", about: "measures its time step and sleeps by its own clock", run: good::integrate },
    Program { name: "follow", about: "commands the last number of the plan that arrived", run: good::follow },
    Program { name: "prey", about: "NAME=NUMBER …: wanders, and flees from the predator", run: ships::prey },
    Program { name: "predator", about: "NAME=NUMBER …: executes the plan that arrived", run: ships::predator },
    Program { name: "chase", about: "NAME=NUMBER …: plans how to catch the prey", run: chase::chase },
    Program { name: "spin", about: "never waits", run: bad::spin },
    Program { name: "restless", about: "computes for 130 % of its period on every core", run: bad::restless },
    Program { name: "pushy", about: "raises its priority, and never waits", run: bad::pushy },
    Program { name: "ask-pair", about: "NAME: sends a datagram in each activation", run: bad::ask_pair },
    Program { name: "serve-pair", about: "NAME: computes for 2 ms when a datagram arrives", run: bad::serve_pair },
    Program { name: "fork", about: "starts processes of its own", run: bad::fork },
    Program { name: "fickle", about: "FILE NUMBER: one command differs if FILE exists", run: bad::fickle },
    Program { name: "crash", about: "aborts after 50 activations", run: bad::crash },
    Program { name: "hangup", about: "closes every channel after 50 activations", run: bad::hang_up },
    Program { name: "garbage", about: "writes over the shared page after 50 activations", run: bad::garbage },
    Program { name: "mute", about: "asks without notifying after 50 activations, and sleeps", run: bad::mute },
    Program { name: "nan", about: "sends NaN commands", run: bad::not_a_number },
    Program { name: "sleeper", about: "sleeps in wall time", run: bad::sleeper },
    Program { name: "vfork", about: "sleeps uninterruptibly", run: bad::uninterruptible },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|a| a == "--instant") {
        // An ordinary program without the client library.
        good::instant();
        return ExitCode::SUCCESS;
    }
    let program = arguments.first().and_then(|name| PROGRAMS.iter().find(|p| p.name == name));
    let Some(program) = program else {
        eprintln!("usage: tempo-client PROGRAM …, started by `veracity tempo run`; programs:");
        for p in PROGRAMS {
            eprintln!("  {:<10} {}", p.name, p.about);
        }
        return ExitCode::from(2);
    };
    match Client::connect().and_then(|mut client| (program.run)(&mut client, &arguments[1..])) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tempo-client {}: {error}", program.name);
            ExitCode::FAILURE
        }
    }
}
