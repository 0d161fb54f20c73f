//! Compiles the shim against Debian's Bullet (`libbullet-dev`) in double precision.
//!
//! `pkg-config bullet` would silently give the libraries in single precision; 2001 of their symbols have the same names
//! as the others'. The define and the suffix belong together.

fn main() {
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-changed=../../foreign/include");
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .opt_level(2)
        .define("BT_USE_DOUBLE_PRECISION", None)
        .include("../../foreign/include")
        .flag("-isystem/usr/include/bullet")
        .file("src/shim.cpp")
        .compile("veracity_bullet_shim");
    for library in ["BulletDynamics", "BulletCollision", "LinearMath"] {
        println!("cargo::rustc-link-lib=dylib={library}-float64");
    }
}
