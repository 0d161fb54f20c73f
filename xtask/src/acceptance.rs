//! `cargo xtask acceptance`: tests every claim at full size and writes the page with the results.
//!
//! The result of a claim is kept in `target/acceptance/<commit>/<claim>.txt`, so an interrupted run continues where it
//! stopped. A tree with uncommitted changes has no commit to keep results under and starts over each time.

use crate::acceptance_page::{self, Row};
use crate::claims::{self, Claim};
use crate::process;
use crate::table::Table;
use crate::test_build::{self, TestBinary};
use crate::test_output::Counts;
use crate::workspace::{Member, Workspace};
use crate::{budgets, cold_build, engines, machine, venv};
use anyhow::{Context, Result, bail};
use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// The result of a claim. In its file the last line is the verdict, the lines above are the measured numbers and the time.
#[derive(Debug, PartialEq)]
struct Shown {
    holds: bool,
    numbers: String,
    minutes: f64,
}

/// The only claim without a test: it is about building the workspace.
const COLD_BUILD: &str = "cold-build";

/// The page with the results.
const PAGE: &str = "docs/acceptance.md";

/// Runs the named claims, or all, and writes `docs/acceptance.md` when all have run; with `--write` also after a subset,
/// where the others use their result kept for this commit, or keep their row on the page.
pub fn command(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let given = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let (fresh, write) = (given("--fresh"), given("--write"));
    let wanted: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with("--")).collect();
    let known = |name: &str| name == COLD_BUILD || claims::all().any(|claim| claim.name == name);
    if let Some(unknown) = wanted.iter().find(|name| !known(name)) {
        bail!("unknown claim `{unknown}`; the claims are {COLD_BUILD}, {}", claims::names().join(", "));
    }
    // Claims about an optional engine keep their row until the engine is installed or the claim is named.
    let optional = engines::optional_missing(workspace);
    let waits =
        |name: &str| claims::all().any(|claim| claim.name == name && optional.iter().any(|p| p == claim.package));
    let chosen = |name: &str| match wanted.is_empty() {
        true => !waits(name),
        false => wanted.iter().any(|wanted| *wanted == name),
    };

    let commit = machine::commit(workspace)?;
    let folder = workspace.target().join("acceptance").join(&commit);
    let reuse = !fresh && !commit.ends_with("-dirty");
    std::fs::create_dir_all(&folder)?;
    let python = venv::ensure(workspace)?;

    let earlier = acceptance_page::read(&std::fs::read_to_string(workspace.root.join(PAGE)).unwrap_or_default());
    let mut rows = Vec::new();
    // Without the text of the claims, which is too long for a terminal.
    let mut short = Table::new(&["claim", "verdict", "minutes", "numbers"]);
    let mut not_shown = Vec::new();
    let now = format!("{}, {commit}", machine::today()?);
    let mut enter = |name: &str, says: &str, run: &dyn Fn() -> Result<Shown>| -> Result<()> {
        let path = folder.join(format!("{name}.txt"));
        let shown = match chosen(name) {
            true => Some(kept_or_run(&path, reuse, name, run)?),
            false => kept(&path, reuse),
        };
        let Some(shown) = shown else {
            rows.push(Row::kept(&earlier, name, says));
            return Ok(());
        };
        let verdict = if shown.holds { "shown" } else { "**not shown**" };
        let minutes = format!("{:.1}", shown.minutes);
        if chosen(name) {
            short.row([name.to_owned(), verdict.replace("**", ""), minutes.clone(), shown.numbers.clone()]);
            if !shown.holds {
                not_shown.push(name.to_owned());
            }
        }
        let (claim, says, verdict) = (name.to_owned(), says.to_owned(), verdict.to_owned());
        rows.push(Row { claim, says, verdict, minutes, run: now.clone(), numbers: shown.numbers });
        Ok(())
    };
    let says = format!("a cold release build takes at most {} CPU-minutes", budgets::COLD_BUILD_CPU_MINUTES);
    enter(COLD_BUILD, &says, &|| Ok(show_cold_build(workspace)))?;
    let tests = Tests { members: workspace.members()?, binaries: OnceCell::new(), python };
    for claim in claims::all() {
        let parts = claims::IN_PARTS.iter().find(|(name, _)| *name == claim.name).map_or(1, |(_, parts)| *parts);
        enter(claim.name, claim.says, &|| match parts {
            1 => tests.show(workspace, claim, None),
            _ => tests.show_parts(workspace, claim, parts, &folder, reuse),
        })?;
    }

    println!("\n{}", short.text());
    if wanted.is_empty() || write {
        std::fs::write(workspace.root.join(PAGE), acceptance_page::write(&rows, &machine::description()?))?;
        println!("wrote {PAGE}");
    }
    if !not_shown.is_empty() {
        bail!("not shown: {}; their output is in {}", not_shown.join(", "), folder.display());
    }
    Ok(())
}

fn kept(path: &Path, reuse: bool) -> Option<Shown> {
    std::fs::read_to_string(path).ok().filter(|_| reuse).as_deref().and_then(Shown::read)
}

fn kept_or_run(path: &Path, reuse: bool, name: &str, run: &dyn Fn() -> Result<Shown>) -> Result<Shown> {
    if let Some(kept) = kept(path, reuse) {
        println!("── {name} ── kept from an earlier run");
        return Ok(kept);
    }
    println!("── {name} ──");
    let shown = run()?;
    std::fs::write(path, shown.write())?;
    Ok(shown)
}

/// The test programs that `cargo xtask test` runs, here at full size.
struct Tests {
    members: Vec<Member>,
    /// Built when the first is needed: a page of kept results needs none.
    binaries: OnceCell<Vec<TestBinary>>,
    python: PathBuf,
}

impl Tests {
    fn binaries(&self, workspace: &Workspace) -> Result<&[TestBinary]> {
        if let Some(built) = self.binaries.get() {
            return Ok(built);
        }
        let (built, _) = test_build::build(workspace)?;
        Ok(self.binaries.get_or_init(|| built))
    }

    fn show(&self, workspace: &Workspace, claim: &Claim, chunk: Option<&str>) -> Result<Shown> {
        let named = |binary: &&TestBinary| binary.package == claim.package && binary.target == claim.target;
        let binary = self.binaries(workspace)?.iter().find(named);
        let binary = binary.with_context(|| format!("{} has no `{}`", claim.package, claim.target))?;
        let member = self.members.iter().find(|member| member.package == claim.package).context("unknown package")?;
        let mut command = binary.command(&workspace.root.join(&member.folder), &self.python);
        command.args([claim.filter, "--nocapture", "--test-threads", "1"]).env("VERACITY_FULL", "1");
        if let Some(chunk) = chunk {
            command.env("VERACITY_CHUNK", chunk);
        }
        show(&mut command, claim)
    }

    /// Runs a claim in parts, each kept separately. It holds if all do.
    fn show_parts(
        &self,
        workspace: &Workspace,
        claim: &Claim,
        parts: u32,
        folder: &Path,
        reuse: bool,
    ) -> Result<Shown> {
        let mut all: Option<Shown> = None;
        let mut failed = Vec::new();
        for part in 0..parts {
            let name = format!("{}.{part}", claim.name);
            let chunk = format!("{part}/{parts}");
            let shown = kept_or_run(&folder.join(format!("{name}.txt")), reuse, &name, &|| {
                self.show(workspace, claim, Some(&chunk))
            })?;
            if !shown.holds {
                failed.push(part.to_string());
            }
            all = Some(match all.take() {
                None => shown,
                Some(before) => Shown {
                    holds: before.holds && shown.holds,
                    numbers: together(&before.numbers, &shown.numbers),
                    minutes: before.minutes + shown.minutes,
                },
            });
        }
        if let Some(all) = &mut all
            && !failed.is_empty()
        {
            all.numbers += &format!("; does not hold in part {} of {parts}", failed.join(", "));
        }
        Ok(all.unwrap_or(Shown { holds: false, numbers: "no parts".into(), minutes: 0.0 }))
    }
}

/// Merges the numbers of two parts item by item: `… 3 sum` adds up, `… 3 max` keeps the larger, other items are the first's.
fn together(first: &str, second: &str) -> String {
    let items: Vec<&str> = second.split("; ").collect();
    let merged = first.split("; ").enumerate().map(|(k, item)| {
        let number = |item: &str| item.rsplit(' ').nth(1).and_then(|word| word.parse::<f64>().ok());
        let (Some(a), Some(b)) = (number(item), items.get(k).copied().and_then(number)) else {
            return item.to_owned();
        };
        let words: Vec<&str> = item.split(' ').collect();
        let head = words[..words.len() - 2].join(" ");
        match words.last() {
            Some(&"sum") => format!("{head} {} sum", a + b),
            Some(&"max") => format!("{head} {:e} max", a.max(b)),
            _ => item.to_owned(),
        }
    });
    merged.collect::<Vec<_>>().join("; ")
}

fn show(command: &mut Command, claim: &Claim) -> Result<Shown> {
    let begun = Instant::now();
    let finished = process::run_and_keep(command)?;
    let counts = Counts::read(&finished.stdout);
    let measured = measured(&finished.stdout, claim.name);
    // A filter that matches no test, or a test that prints no number, does not show the claim.
    let holds = finished.status.success() && counts.passed > 0 && counts.ignored == 0 && !measured.is_empty();
    let numbers = if measured.is_empty() {
        format!("no line `ACCEPT {}: …` ({counts})", claim.name)
    } else {
        measured.join("; ")
    };
    Ok(Shown { holds, numbers, minutes: budgets::minutes(begun.elapsed()) })
}

fn show_cold_build(workspace: &Workspace) -> Shown {
    let begun = Instant::now();
    let outcome = cold_build::check(workspace);
    let minutes = budgets::minutes(begun.elapsed());
    match outcome {
        Ok(used) => Shown { holds: true, numbers: format!("{:.2} CPU-minutes", budgets::minutes(used)), minutes },
        Err(error) => Shown { holds: false, numbers: format!("{error:#}").replace('\n', " "), minutes },
    }
}

/// The numbers of this claim's `ACCEPT` lines, each with its part's name. libtest may print `test name ... ` before them.
fn measured(output: &str, claim: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (_, line) in output.lines().filter_map(|line| line.split_once("ACCEPT ")) {
        let Some((name, numbers)) = line.split_once(": ") else { continue };
        if claims::of_line(name).is_some_and(|owner| owner.name == claim) {
            let part = name.strip_prefix(claim).unwrap_or("").trim_start_matches('-');
            found.push(format!("{part} {}", numbers.trim()).trim_start().to_owned());
        }
    }
    found
}

impl Shown {
    fn write(&self) -> String {
        let verdict = if self.holds { "shown" } else { "not shown" };
        format!("{}\n{:.3} minutes\n{verdict}\n", self.numbers, self.minutes)
    }

    /// `None` for a truncated file.
    fn read(text: &str) -> Option<Self> {
        let mut lines = text.strip_suffix('\n')?.lines();
        let numbers = lines.next()?.to_owned();
        let minutes = lines.next()?.strip_suffix(" minutes")?.parse().ok()?;
        let holds = match lines.next()? {
            "shown" => true,
            "not shown" => false,
            _ => return None,
        };
        Some(Self { holds, numbers, minutes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_result_reads_back_and_a_truncated_one_does_not() {
        let shown = Shown { holds: true, numbers: "error 3e-11".into(), minutes: 1.5 };
        let text = shown.write();
        assert_eq!(Shown::read(&text), Some(shown));
        assert_eq!(Shown::read(&text[..text.len() - 3]), None);
    }

    #[test]
    fn parts_are_summed_and_the_worst_is_kept() {
        let first = "piles 200 sum; rise 1.5e-5 max; by time stepping";
        let second = "piles 150 sum; rise -2e-16 max; by time stepping";
        assert_eq!(together(first, second), "piles 350 sum; rise 1.5e-5 max; by time stepping");
        assert_eq!(together(second, first), "piles 350 sum; rise 1.5e-5 max; by time stepping");
    }

    #[test]
    fn numbers_are_found_behind_the_name_of_the_test() {
        let output =
            "test a ... ACCEPT order-pendulum-rk4: 4.00\nACCEPT order-pendulum: all\nACCEPT random-trees: 1\nok\n";
        assert_eq!(measured(output, "order-pendulum"), ["rk4 4.00", "all"]);
    }
}
