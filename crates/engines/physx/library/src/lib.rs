//! Only a dependency: the build script of `physx-sys` compiles PhysX 5.1.3 from the sources it contains.
