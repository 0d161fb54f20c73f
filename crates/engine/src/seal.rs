//! The envelope of snapshots, which identifies the simulation they belong to.
//!
//! ```text
//! "VERASNAP" | schema u32 | identity 32 bytes | length u64 | the engine's bytes | SHA-256 of all before it
//! ```
//!
//! The identity is the digest of engine, version, every setting, step and world. The digest at the end makes damage an
//! error instead of a wrong motion; an engine's own reader only sees bytes that the engine wrote.

use crate::contract::LoadOptions;
use crate::error::LoadError;
use crate::settings::Settings;
use veracity_model::{Digest, World};

const MAGIC: &[u8; 8] = b"VERASNAP";
/// Incremented whenever the envelope, or what every engine puts into it, changes. 2: the event log. 3: what
/// the driver writes. 4: the native engine uses the driver.
const SCHEMA: u32 = 4;
const HEAD: usize = 8 + 4 + 32 + 8;

/// Seals and opens the snapshots of one loaded simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seal {
    identity: Digest,
}

impl Seal {
    /// For a world loaded under settings by the engine of this version.
    pub fn new(version: &str, settings: &Settings, options: &LoadOptions, world: &World) -> Self {
        let (spec, world) = (settings.full_spec(), world.digest());
        let step = options.step_s.to_le_bytes();
        let parts = [version.as_bytes(), spec.as_bytes(), step.as_slice(), world.0.as_slice()];
        Self { identity: Digest::of_parts(parts) }
    }

    /// Appends a sealed snapshot to `out`; `write` appends the engine's own bytes.
    pub fn wrap(&self, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
        let start = out.len();
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&SCHEMA.to_le_bytes());
        out.extend_from_slice(&self.identity.0);
        out.extend_from_slice(&0u64.to_le_bytes());
        write(out);
        let length = (out.len() - start - HEAD) as u64;
        out[start + HEAD - 8..start + HEAD].copy_from_slice(&length.to_le_bytes());
        let digest = Digest::of(&out[start..]);
        out.extend_from_slice(&digest.0);
    }

    /// The engine's own bytes, or why the snapshot is rejected.
    pub fn open<'a>(&self, bytes: &'a [u8]) -> Result<&'a [u8], LoadError> {
        let refuse = |why: &str| LoadError::Snapshot(why.to_string());
        let cut = "it is truncated or not a snapshot: use another copy";
        if bytes.len() < HEAD + 32 || !bytes.starts_with(MAGIC) {
            return Err(refuse(cut));
        }
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|k| bytes[at + k]));
        let schema = word(8) as u32;
        if schema != SCHEMA {
            return Err(LoadError::Snapshot(format!(
                "it has schema {schema}, this version reads {SCHEMA}: save it again with this version"
            )));
        }
        let (content, digest) = bytes.split_at(bytes.len() - 32);
        if word(HEAD - 8) != (content.len() - HEAD) as u64 {
            return Err(refuse(cut));
        }
        if Digest::of(content).0 != *digest {
            return Err(refuse("its bytes are damaged: use another copy"));
        }
        if bytes[12..44] != self.identity.0 {
            return Err(refuse(
                "it was made by another engine, version, setting, step or world: load those of the run it came from",
            ));
        }
        Ok(&content[HEAD..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use veracity_model::ModelBuilder;

    fn seal(step_s: f64) -> Seal {
        let world = World::with_model(ModelBuilder::new("empty").build().unwrap());
        let settings = Settings::resolve("x", &[], &"x".parse().unwrap()).unwrap();
        Seal::new("x 1", &settings, &LoadOptions { step_s }, &world)
    }

    #[test]
    fn only_undamaged_snapshots_of_the_same_simulation_open() {
        let mut bytes = Vec::new();
        seal(0.1).wrap(&mut bytes, |out| out.extend_from_slice(b"engine"));
        assert_eq!(seal(0.1).open(&bytes).unwrap(), b"engine");
        assert!(seal(0.2).open(&bytes).unwrap_err().to_string().contains("another engine"));
        for cut in 0..bytes.len() {
            assert!(seal(0.1).open(&bytes[..cut]).is_err());
        }
        for bit in 0..8 * bytes.len() {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(seal(0.1).open(&damaged).is_err(), "bit {bit}");
        }
    }
}
