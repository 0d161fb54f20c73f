//! Worlds as bytes, and their digest.
//!
//! The bytes hold everything that affects the motion and nothing else: source positions (file and line), findings and
//! the names of mesh files are left out, so that the same world read from another folder has the same digest.
//! Floating-point numbers are kept bit for bit, infinities included.
//!
//! Schema 2 adds the combination rules of surfaces. A world with the default combination is still written as schema 1:
//! its digest, and with it the key of every stored trial, is unchanged, and older programs can read it.

use crate::builder::ModelBuilder;
use crate::combination::Combination;
use crate::geometry::Vec3;
use crate::world::{Placement, World};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// The newest schema that can be read.
const SCHEMA: u32 = 2;

/// The fields of schema 1, in order; schema 2 appends the combination.
type Stored<'a> = (Cow<'a, str>, Vec3, Cow<'a, [Placement]>, bool, Cow<'a, [(String, String, String)]>);

/// A SHA-256 of content. Equal digests mean equal content.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// The digest of bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The digest of several parts; the boundaries between parts count.
    pub fn of_parts<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Self(hash.finalize().into())
    }

    /// The first twelve hexadecimal digits, for display.
    pub fn short(&self) -> String {
        self.to_string()[..12].to_string()
    }

    /// Parses 64 hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() != 64 || !text.is_ascii() {
            return None;
        }
        let mut out = [0; 32];
        for (byte, pair) in out.iter_mut().zip(text.as_bytes().chunks(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
        }
        Some(Self(out))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({})", self.short())
    }
}

/// Why bytes cannot be read as a world.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StoredError {
    /// Written by a newer version.
    #[error("the world has schema {found}; this version reads up to {SCHEMA}: use a newer veracity")]
    Newer {
        /// The schema found in the bytes.
        found: u32,
    },
    /// Truncated, or not a stored world.
    #[error("the bytes are no stored world ({0}): the file is damaged")]
    Damaged(String),
    /// The numbers do not form a valid model.
    #[error("the stored world is not valid: {0}")]
    Invalid(String),
}

impl World {
    /// Serialises the world: see the module documentation.
    pub fn to_bytes(&self) -> Vec<u8> {
        let World { name, gravity, placements, contact, combination, engine_settings } = self;
        let stored: Stored =
            (name.into(), *gravity, placements.as_slice().into(), *contact, engine_settings.as_slice().into());
        let bytes = if *combination == Combination::default() {
            postcard::to_stdvec(&(1u32, stored))
        } else {
            postcard::to_stdvec(&(2u32, stored, combination))
        };
        // Serialising to memory cannot fail for the types of a world.
        bytes.expect("a world can be written to memory")
    }

    /// Deserialises a world and validates every model again.
    pub fn from_bytes(bytes: &[u8]) -> Result<World, StoredError> {
        let damaged = |e: postcard::Error| StoredError::Damaged(e.to_string());
        let (found, rest): (u32, _) = postcard::take_from_bytes(bytes).map_err(damaged)?;
        if found > SCHEMA {
            return Err(StoredError::Newer { found });
        }
        let ((name, gravity, placements, contact, engine_settings), rest): (Stored, _) =
            postcard::take_from_bytes(rest).map_err(damaged)?;
        let combination =
            if found < 2 { Combination::default() } else { postcard::from_bytes(rest).map_err(damaged)? };
        let mut placements = placements.into_owned();
        for placement in &mut placements {
            let built = ModelBuilder::from_model(&placement.model).build();
            placement.model = Arc::new(built.map_err(|e| StoredError::Invalid(e.to_string()))?);
        }
        let (name, engine_settings) = (name.into_owned(), engine_settings.into_owned());
        Ok(World { name, gravity, placements, contact, combination, engine_settings })
    }

    /// The digest of this world: equal for equal physics, whatever file it was read from.
    pub fn digest(&self) -> Digest {
        Digest::of(&self.to_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::Overrides;
    use crate::{Body, Inertia, Joint, JointKind, Vec3};

    fn world() -> World {
        let mut builder = ModelBuilder::new("pendulum");
        let bob = Body::new("bob", Inertia::point_mass(1.0, Vec3::x()));
        builder.add_body(bob, Joint::new("hinge", JointKind::revolute(Vec3::y())), None);
        World::with_model(builder.build().unwrap())
    }

    #[test]
    fn a_world_comes_back_with_its_infinities() {
        let world = world();
        let back = World::from_bytes(&world.to_bytes()).unwrap();
        assert_eq!(back, world);
        assert_eq!(back.placements[0].model.joints()[0].dofs[0].upper, f64::INFINITY);
        assert_eq!(back.digest(), world.digest());
    }

    #[test]
    fn the_smallest_change_of_a_number_changes_the_digest() {
        let world = world();
        let mass = f64::from_bits(1.0f64.to_bits() + 1);
        let changed = world.with(&Overrides::new().set("world/pendulum/bodies/bob/mass", mass)).unwrap();
        assert_ne!(changed.digest(), world.digest());
    }

    #[test]
    fn the_rules_of_combination_are_stored_and_the_default_keeps_its_old_bytes() {
        let plain = world();
        assert_eq!(plain.to_bytes()[0], 1, "schema 1");
        let mut other = plain.clone();
        other.combination.friction = crate::CombineRule::Average;
        assert_eq!(World::from_bytes(&other.to_bytes()).unwrap(), other);
        assert_ne!(other.digest(), plain.digest());
        let bytes = other.to_bytes();
        assert!((0..bytes.len()).all(|cut| World::from_bytes(&bytes[..cut]).is_err()));
    }

    #[test]
    fn damaged_bytes_are_an_error_and_no_panic() {
        let bytes = world().to_bytes();
        for cut in 0..bytes.len() {
            assert!(World::from_bytes(&bytes[..cut]).is_err());
        }
        assert!(matches!(World::from_bytes(&[9]), Err(StoredError::Newer { found: 9 })));
    }

    #[test]
    fn digests_are_read_back() {
        let digest = Digest::of(b"abc");
        assert!(digest.to_string().starts_with("ba7816bf8f01cfea"));
        assert_eq!(Digest::parse(&digest.to_string()), Some(digest));
        assert_eq!(Digest::parse("xyz"), None);
        assert_ne!(Digest::of_parts([&b"ab"[..], b"c"]), Digest::of_parts([&b"a"[..], b"bc"]));
    }
}
