//! `cargo xtask install PREFIX`: builds and installs what a robot's programs need: the client library for Rust's C
//! interface, C++ and Python, and the library preloaded into unmodified programs.
//!
//! ```text
//! PREFIX/include/veracity_client.h
//! PREFIX/lib/libveracity_client.a, libveracity_client.so, libveracity_preload.so
//! PREFIX/lib/pkgconfig/veracity-client.pc
//! PREFIX/share/veracity/veracity_client-VERSION-py3-none-linux_ARCH.whl
//! PREFIX/bin/veracity                                        with --with-binary
//! ```
//!
//! `veracity` finds the preloaded library next to itself or in `../lib`.

use crate::process;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Makes a wheel: the module, its library, and the records that pip checks.
const MAKE_WHEEL: &str = r#"
import base64, hashlib, pathlib, sys, zipfile
version, arch, module, library, folder = sys.argv[1:]
name = f"veracity_client-{version}"
info = f"{name}.dist-info"
files = {
    "veracity_client.py": pathlib.Path(module).read_bytes(),
    "libveracity_client.so": pathlib.Path(library).read_bytes(),
    f"{info}/METADATA": f"Metadata-Version: 2.1\nName: veracity-client\nVersion: {version}\n"
    "Summary: Run a controller or planner in step with simulated time\n".encode(),
    f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: veracity\nRoot-Is-Purelib: false\nTag: py3-none-linux_{arch}\n".encode(),
}
def digest(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
record = "".join(f"{path},{digest(data)},{len(data)}\n" for path, data in files.items())
files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
wheel = pathlib.Path(folder) / f"{name}-py3-none-linux_{arch}.whl"
with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
    for path, data in files.items():
        archive.writestr(zipfile.ZipInfo(path, (2020, 1, 1, 0, 0, 0)), data)
print(wheel)
"#;

/// Builds in release and installs below a folder.
pub fn command(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let with_binary = arguments.iter().any(|a| a == "--with-binary");
    let Some(prefix) = arguments.iter().find(|a| !a.starts_with("--")) else {
        bail!("name the folder to install into: cargo xtask install PREFIX [--with-binary]");
    };
    let mut packages = vec!["veracity-client", "veracity-preload"];
    if with_binary {
        packages.push("veracity-cli");
    }
    let mut build = workspace.cargo(&["build", "--release"]);
    for package in packages {
        build.args(["-p", package]);
    }
    process::run(&mut build)?;
    let prefix = std::path::absolute(prefix)?;
    for path in install(workspace, &prefix, &workspace.target().join("release"), with_binary)? {
        println!("{}", path.display());
    }
    Ok(())
}

/// Copies what has been built into `built`; returns what was written.
pub fn install(workspace: &Workspace, prefix: &Path, built: &Path, with_binary: bool) -> Result<Vec<PathBuf>> {
    let client = workspace.root.join("crates/client");
    let mut written = Vec::new();
    let mut copy = |from: PathBuf, to: &str| -> Result<()> {
        let to = prefix.join(to);
        if let Some(folder) = to.parent() {
            std::fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
        }
        std::fs::copy(&from, &to).with_context(|| format!("{} cannot be copied", from.display()))?;
        written.push(to);
        Ok(())
    };
    copy(client.join("include/veracity_client.h"), "include/veracity_client.h")?;
    for library in ["libveracity_client.a", "libveracity_client.so", "libveracity_preload.so"] {
        copy(built.join(library), &format!("lib/{library}"))?;
    }
    if with_binary {
        copy(built.join("veracity"), "bin/veracity")?;
    }
    let version = env!("CARGO_PKG_VERSION");
    let described = prefix.join("lib/pkgconfig/veracity-client.pc");
    for folder in ["lib/pkgconfig", "share/veracity"] {
        std::fs::create_dir_all(prefix.join(folder))?;
    }
    std::fs::write(&described, package_description(prefix, version))?;
    written.push(described);
    let mut wheel = Command::new("python3");
    wheel.args(["-c", MAKE_WHEEL, version, std::env::consts::ARCH]);
    wheel.arg(client.join("python/veracity_client.py")).arg(built.join("libveracity_client.so"));
    wheel.arg(prefix.join("share/veracity"));
    written.push(PathBuf::from(process::output_of(&mut wheel)?.trim()));
    Ok(written)
}

/// For pkg-config.
fn package_description(prefix: &Path, version: &str) -> String {
    format!(
        "prefix={}\nName: veracity-client\nDescription: Run a controller or planner in step with simulated time\n\
         Version: {version}\nCflags: -I${{prefix}}/include\nLibs: -L${{prefix}}/lib -lveracity_client\n\
         Libs.private: -lpthread -ldl -lm\n",
        prefix.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Installs libraries that this test makes up, and lets pip and pkg-config read the result where they exist.
    #[test]
    fn what_is_installed_is_found_by_pip_and_pkg_config() {
        let workspace = Workspace::open().unwrap();
        let folder = workspace.target().join("tmp/xtask-install");
        let _ = std::fs::remove_dir_all(&folder);
        let (built, prefix) = (folder.join("built"), folder.join("prefix"));
        std::fs::create_dir_all(&built).unwrap();
        for library in ["libveracity_client.a", "libveracity_client.so", "libveracity_preload.so"] {
            std::fs::write(built.join(library), library).unwrap();
        }
        let written = install(&workspace, &prefix, &built, false).unwrap();
        assert_eq!(written.len(), 6, "{written:?}");
        assert!(written.iter().all(|path| path.is_file()), "{written:?}");
        let wheel = written.last().unwrap();
        let pip = Command::new("python3")
            .args(["-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target"])
            .arg(folder.join("python"))
            .arg(wheel)
            .output()
            .unwrap();
        assert!(pip.status.success(), "{}", String::from_utf8_lossy(&pip.stderr));
        let library = std::fs::read(folder.join("python/libveracity_client.so")).unwrap();
        assert_eq!(library, b"libveracity_client.so", "the module finds its library next to it");
        let described = prefix.join("lib/pkgconfig");
        let mut ask = Command::new("pkg-config");
        ask.args(["--cflags", "--libs", "veracity-client"]).env("PKG_CONFIG_PATH", described);
        if let Ok(asked) = ask.output() {
            let text = String::from_utf8_lossy(&asked.stdout).to_string();
            assert!(text.contains("/include") && text.contains("-lveracity_client"), "{text}");
        }
    }
}
