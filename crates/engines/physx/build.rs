//! Compiles the shim against the library and headers of PhysX, which `cargo xtask engines physx` installs in
//! `target/engines`.

use std::path::Path;

fn main() {
    for file in ["shim.cpp", "algebra.hpp", "library.hpp", "joints.hpp", "touching.hpp"] {
        println!("cargo::rerun-if-changed=src/{file}");
    }
    println!("cargo::rerun-if-changed=../../foreign/include");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../target/engines/physx-5.1");
    let Ok(folder) = folder.canonicalize() else {
        println!("cargo::error=no PhysX in {}; run `cargo xtask engines physx` to build it", folder.display());
        return;
    };
    println!("cargo::rerun-if-changed={}", folder.join("libphysx.a").display());
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .opt_level(2)
        // As the library was compiled: both change the layout of its classes or how it is linked.
        .define("NDEBUG", None)
        .warnings(false)
        .define("PX_PHYSX_STATIC_LIB", None)
        .define("DISABLE_CUDA_PHYSX", None)
        .flag("-fno-strict-aliasing")
        .include("../../foreign/include")
        .flag("-isystem")
        .flag(folder.join("include"))
        .file("src/shim.cpp")
        .compile("veracity_physx_shim");
    println!("cargo::rustc-link-search=native={}", folder.display());
    println!("cargo::rustc-link-lib=static=physx");
    println!("cargo::rustc-link-lib=dylib=stdc++");
}
