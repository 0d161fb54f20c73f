//! Compiles the shim against Debian's DART (`libdart-dev` and its collision packages).

fn main() {
    println!("cargo::rerun-if-changed=src/shim.cpp");
    println!("cargo::rerun-if-changed=../../foreign/include");
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .opt_level(2)
        .flag("-w") // Its headers give pages of warnings.
        .include("../../foreign/include")
        .include("/usr/include/eigen3")
        .include("/usr/include/bullet")
        .file("src/shim.cpp")
        .compile("veracity_dart_shim");
    // DART's bullet detector is built for Bullet in single precision: the double-precision library must not be in this
    // process.
    for library in [
        "dart-collision-bullet",
        "dart-collision-ode",
        "dart",
        "assimp",
        "fcl",
        "ccd",
        "BulletCollision",
        "LinearMath",
        "ode",
    ] {
        println!("cargo::rustc-link-lib=dylib={library}");
    }
}
