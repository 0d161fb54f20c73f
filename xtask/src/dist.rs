//! `cargo xtask dist`: the archive a user unpacks and runs without cargo.
//!
//! It holds the `veracity` binary, the preload and client libraries for `tempo`, and every worker that `cargo xtask engines` has
//! built, next to the binary, where it looks for them. Libraries from wheels (MuJoCo) are in `lib/`; those from Debian packages
//! are the user's to install, and `ENGINES.txt` says which. The archive is then unpacked into an empty folder and used there,
//! with an environment that knows no cargo and no source tree.

use crate::engines;
use crate::process;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Packages whose release build goes into the archive.
const PACKAGES: &[&str] = &["veracity-cli", "veracity-preload", "veracity-client"];

/// Files of the release folder that every archive has.
const BUILT: &[&str] = &["veracity", "libveracity_preload.so", "libveracity_client.so", "libveracity_client.a"];

/// Files of the source tree, and where they go.
const SOURCES: &[(&str, &str)] = &[
    ("crates/client/include/veracity_client.h", "include/veracity_client.h"),
    ("LICENSE-MIT", "LICENSE-MIT"),
    ("LICENSE-APACHE", "LICENSE-APACHE"),
    ("README.md", "README.md"),
    ("CHANGELOG.md", "CHANGELOG.md"),
];

/// Builds, packs, unpacks and tries the archive; prints its path.
pub fn command(workspace: &Workspace, _arguments: &[String]) -> Result<()> {
    let mut build = workspace.cargo(&["build", "--release", "--locked"]);
    for package in PACKAGES {
        build.args(["-p", package]);
    }
    process::run(&mut build)?;

    let version = version(workspace)?;
    let name = format!("veracity-{version}-{}-{}", std::env::consts::ARCH, std::env::consts::OS);
    let folder = workspace.target().join("dist");
    let top = folder.join(&name);
    match std::fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
        _ => std::fs::create_dir_all(&top)?,
    }
    let release = workspace.target().join("release");
    for file in BUILT {
        copy(&release.join(file), &top.join(file))?;
    }
    for (from, to) in SOURCES {
        copy(&workspace.root.join(from), &top.join(to))?;
    }
    let workers = workers_in(&release)?;
    let mut needed = String::from("Workers of this archive and the Debian packages that hold their libraries:\n");
    for (worker, path) in &workers {
        copy(path, &top.join(format!("veracity-engine-{worker}")))?;
        let packages = engines::debian_packages(worker);
        let packages =
            if packages.is_empty() { "none, its library is in lib/".to_string() } else { packages.join(", ") };
        needed += &format!("{worker}: {packages}\n");
    }
    for library in engines::wheel_libraries(workspace)? {
        let file = library.file_name().context("a library without a name")?.to_owned();
        copy(&library, &top.join("lib").join(file))?;
    }
    std::fs::write(top.join("ENGINES.txt"), needed)?;

    let archive = folder.join(format!("{name}.tar.gz"));
    let mut pack = Command::new("tar");
    // Sorted and without the packer's name and time: the same build gives the same archive.
    pack.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=2026-01-01", "-czf"]);
    process::run(pack.arg(&archive).arg("-C").arg(&folder).arg(&name))?;
    let tried = try_archive(&archive, &name, &workers)?;
    let size = std::fs::metadata(&archive)?.len() as f64 / 1e6;
    println!("{} ({size:.1} MB), {} workers; {tried}", archive.display(), workers.len());
    Ok(())
}

/// Unpacks it into an empty folder and runs the first commands of a new user there.
fn try_archive(archive: &Path, name: &str, workers: &[(String, PathBuf)]) -> Result<String> {
    let place = std::env::temp_dir().join(format!("veracity-dist-{}", std::process::id()));
    std::fs::create_dir(&place).with_context(|| format!("cannot create {}", place.display()))?;
    let result = (|| {
        process::run(Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(&place))?;
        let binary = place.join(name).join("veracity");
        let run = |arguments: &[&str]| -> Result<String> {
            let mut command = Command::new(&binary);
            command.args(arguments).current_dir(&place).env_clear().env("PATH", "/usr/bin:/bin").env("HOME", &place);
            process::output_of(&mut command)
        };
        run(&["--version"])?;
        run(&["init", "study"])?;
        let shown = run(&["compare", "study/my_pendulum.toml", "--engines", "native,rapier:multibody"])?;
        ensure!(shown.starts_with("all verdicts as expected"), "the first comparison printed:\n{shown}");
        ensure!(place.join("veracity-results/index.html").is_file(), "no report was written");
        let listed = run(&["list", "engines"])?;
        for (worker, _) in workers {
            let engine = worker.split('@').next().unwrap_or(worker);
            ensure!(listed.contains(engine), "`veracity list engines` does not show {worker}:\n{listed}");
        }
        Ok(format!("{} engines listed in an empty folder", workers.len() + 2))
    })();
    std::fs::remove_dir_all(&place)?;
    result
}

/// Workers built from this tree, by name. Scripts that start an interpreter of this tree are left out.
fn workers_in(release: &Path) -> Result<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(release)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|n| n.to_str()).and_then(|n| n.strip_prefix("veracity-engine-"));
        let Some(name) = name.filter(|n| !n.ends_with(".d")) else { continue };
        if std::fs::read(&path)?.starts_with(b"\x7fELF") {
            found.push((name.to_string(), path.clone()));
        }
    }
    found.sort();
    Ok(found)
}

fn version(workspace: &Workspace) -> Result<String> {
    let metadata = workspace.metadata()?;
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let cli = packages.iter().find(|p| p["name"] == "veracity-cli").context("no package veracity-cli")?;
    Ok(cli["version"].as_str().context("a package without a version")?.to_string())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    if !from.is_file() {
        bail!("{} is missing", from.display());
    }
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::copy(from, to).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(())
}
