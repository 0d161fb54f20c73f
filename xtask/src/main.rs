//! Development commands: `cargo xtask test`, `acceptance`, `bench` and the checks they consist of.
//!
//! Each command is one file and one line in [`COMMANDS`]; `cargo xtask help` prints that list.
//! Deliberately absent: physics. Nothing here depends on a `veracity-*` crate; they are run as programs.
#![allow(clippy::disallowed_methods)] // These commands measure time; no simulation result depends on it.

mod acceptance;
mod acceptance_page;
mod bench;
mod bench_contact;
mod bench_lab;
mod bench_mocap;
mod bench_regress;
mod bench_report;
mod bench_tempo;
mod bench_workers;
mod browser;
mod budgets;
mod claims;
mod cold_build;
mod cpu_time;
mod disk;
mod dist;
mod docs;
mod engines;
mod install;
mod layers;
mod licences;
mod links;
#[cfg(test)]
mod lints;
mod machine;
mod names;
mod process;
mod reference;
mod spdx;
mod table;
mod test;
mod test_build;
mod test_output;
mod venv;
mod web;
mod wheel;
mod words;
mod workspace;

use anyhow::{Result, bail};
use std::process::ExitCode;
use workspace::Workspace;

/// One command of `cargo xtask`.
struct Command {
    name: &'static str,
    arguments: &'static str,
    about: &'static str,
    run: fn(&Workspace, &[String]) -> Result<()>,
}

const COMMANDS: &[Command] = &[
    Command {
        name: "test",
        arguments: "[--embedded] [STAGE…]",
        about: "all stages of continuous integration, in order, or only those named; --embedded without foreign engines",
        run: test::command,
    },
    Command {
        name: "acceptance",
        arguments: "[--fresh] [--write] [CLAIM…]",
        about: "test every claim at full size; resumable; writes docs/acceptance.md, with --write also after a subset",
        run: acceptance::command,
    },
    Command {
        name: "bench",
        arguments: "dynamics|lab|contact|regress|mocap|report|tempo|workers [--write]",
        about: "speed and error compared with other engines, overhead of the lab and of workers, our SVR against scikit-learn's; --write updates docs/benchmarks.md",
        run: bench::command,
    },
    Command {
        name: "cold-build",
        arguments: "",
        about: "a release build from scratch, held to its budget of CPU time",
        run: |workspace, _| cold_build::check(workspace).map(drop),
    },
    Command {
        name: "dist",
        arguments: "",
        about: "make the archive that is installed without cargo, and try it out in an empty folder",
        run: dist::command,
    },
    Command {
        name: "docs",
        arguments: "",
        about: "build the documentation of all crates; no warnings, no dead links",
        run: |workspace, _| docs::check(workspace).map(|report| println!("{report}")),
    },
    Command {
        name: "engines",
        arguments: "[NAME…]",
        about: "install the libraries of foreign engines and build their workers, one by one",
        run: engines::command,
    },
    Command {
        name: "install",
        arguments: "PREFIX [--with-binary]",
        about: "build and install the client library (C header with pkg-config, wheel) and the preloaded library",
        run: install::command,
    },
    Command {
        name: "layers",
        arguments: "",
        about: "check the layers of ARCHITECTURE.md: no crate uses a higher one, no public type name occurs twice in one",
        run: |workspace, _| layers::check(workspace).map(|report| println!("{report}")),
    },
    Command {
        name: "licences",
        arguments: "",
        about: "check that every dependency has a licence compatible with ours",
        run: |workspace, _| licences::check(workspace).map(|report| println!("{report}")),
    },
    Command {
        name: "links",
        arguments: "",
        about: "check that every relative link in a Markdown page leads to a file and a heading",
        run: |workspace, _| links::check(workspace).map(|report| println!("{report}")),
    },
    Command {
        name: "reference",
        arguments: "[--write]",
        about: "check that docs/reference.md has every key of docs/schema; --write makes it",
        run: reference::command,
    },
    Command {
        name: "venv",
        arguments: "",
        about: "install the Python packages used by tests, at pinned versions, in target/venv",
        run: |workspace, _| venv::ensure(workspace).map(|python| println!("{}", python.display())),
    },
    Command {
        name: "web",
        arguments: "[--write]",
        about: "check that the committed report page is the one built from web/; --write replaces it",
        run: web::command,
    },
    Command {
        name: "wheel",
        arguments: "",
        about: "build the wheel of the Python package into target/wheels",
        run: wheel::command,
    },
    Command {
        name: "words",
        arguments: "",
        about: "check that no text file contains a phrase banned by xtask/src/words.rs",
        run: |workspace, _| words::check(workspace).map(|report| println!("{report}")),
    },
    Command { name: "help", arguments: "", about: "print this list", run: |_, _| help() },
];

fn main() -> ExitCode {
    match dispatch(std::env::args().skip(1).collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(arguments: Vec<String>) -> Result<()> {
    let Some((name, rest)) = arguments.split_first() else { return help() };
    let wanted = name.trim_start_matches("--");
    let Some(command) = COMMANDS.iter().find(|command| command.name == wanted) else {
        bail!("no command `{name}`; `cargo xtask help` lists them");
    };
    (command.run)(&Workspace::open()?, rest)
}

fn help() -> Result<()> {
    println!("cargo xtask COMMAND\n");
    for command in COMMANDS {
        println!("  {:<44} {}", format!("{} {}", command.name, command.arguments), command.about);
    }
    println!("\nstages of `test`: {}", test::stage_names().join(", "));
    println!("claims of `acceptance`: {}", claims::names().join(", "));
    Ok(())
}
