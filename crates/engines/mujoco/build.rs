//! Compiles the shim against the library and headers of MuJoCo's wheel, which `cargo xtask engines` unpacks under
//! `target/engines`: `VERACITY_MUJOCO` names the folder of another version.

use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=src/shim.cpp");
    println!("cargo::rerun-if-changed=../../foreign/include");
    println!("cargo::rerun-if-env-changed=VERACITY_MUJOCO");
    let chosen = std::env::var_os("VERACITY_MUJOCO").map(PathBuf::from);
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let folder = chosen.unwrap_or_else(|| top.join("target/engines/mujoco-4.0.1/mujoco"));
    let Some(library) = library_in(&folder) else {
        println!(
            "cargo::error=no libmujoco.so in {}; run `cargo xtask engines mujoco` to install it",
            folder.display()
        );
        return;
    };
    let folder = folder.canonicalize().unwrap_or(folder);
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .opt_level(2)
        .include("../../foreign/include")
        .include(folder.join("include"))
        .file("src/shim.cpp")
        .compile("veracity_mujoco_shim");
    println!("cargo::rustc-link-arg-bins={}", folder.join(library).display());
    // In an installation the library is in `engines` next to the program; in the source tree in `target/engines`, next to the
    // folder of the program. A library anywhere else is found by its whole path.
    let engines = top.join("target/engines").canonicalize().ok();
    match engines.and_then(|engines| folder.strip_prefix(engines).ok().map(Path::to_path_buf)) {
        Some(inside) => {
            let version = inside.parent().unwrap_or(&inside).display();
            println!("cargo::rustc-link-arg-bins=-Wl,-rpath,$ORIGIN/engines/{version}");
            println!("cargo::rustc-link-arg-bins=-Wl,-rpath,$ORIGIN/../engines/{}", inside.display());
        }
        None => println!("cargo::rustc-link-arg-bins=-Wl,-rpath,{}", folder.display()),
    }
    println!("cargo::rustc-link-lib=dylib=stdc++");
}

/// The wheel has the versioned name only.
fn library_in(folder: &Path) -> Option<PathBuf> {
    let names = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.file_name());
    names.into_iter().find(|n| n.to_string_lossy().starts_with("libmujoco.so")).map(PathBuf::from)
}
