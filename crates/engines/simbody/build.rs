//! Compiles the shim against Debian's Simbody (`libsimbody-dev`).

fn main() {
    println!("cargo::rerun-if-changed=src/shim.cpp");
    println!("cargo::rerun-if-changed=src/surfaces.hpp");
    println!("cargo::rerun-if-changed=../../foreign/include");
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .opt_level(2)
        .flag("-w") // Its headers give pages of warnings.
        .include("../../foreign/include")
        .include("/usr/include/simbody")
        .file("src/shim.cpp")
        .compile("veracity_simbody_shim");
    for library in ["SimTKsimbody", "SimTKmath", "SimTKcommon"] {
        println!("cargo::rustc-link-lib=dylib={library}");
    }
}
