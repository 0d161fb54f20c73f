//! Compiles the shim against Debian's ODE (package `libode-dev`, double precision).

fn main() {
    println!("cargo::rerun-if-changed=src/shim.cpp");
    println!("cargo::rerun-if-changed=../../foreign/include");
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .opt_level(2)
        .include("../../foreign/include")
        .file("src/shim.cpp")
        .compile("veracity_ode_shim");
    println!("cargo::rustc-link-lib=dylib=ode");
}
