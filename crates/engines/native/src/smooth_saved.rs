//! Contents of a snapshot of smooth motion, in addition to what the driver keeps.

use crate::limits::Left;
use serde::{Deserialize, Serialize};
use veracity_dynamics::Snapshot;
use veracity_engine::LoadError;

/// Everything needed to continue.
#[derive(Serialize, Deserialize)]
pub(crate) struct Saved {
    /// State, integrator memory and counts, as serialised by the dynamics.
    dynamics: Vec<u8>,
    pub limits: Vec<Left>,
}

impl Saved {
    pub(crate) fn new(snapshot: &Snapshot, limits: &[Left]) -> Self {
        Self { dynamics: snapshot.to_bytes(), limits: limits.to_vec() }
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        // None of the types involved can fail to serialise to memory.
        let bytes = postcard::to_stdvec(self).expect("a snapshot can be written to memory");
        out.extend_from_slice(&bytes);
    }

    pub(crate) fn read(bytes: &[u8]) -> Result<(Self, Snapshot), LoadError> {
        let saved: Self = postcard::from_bytes(bytes)
            .map_err(|e| LoadError::Snapshot(format!("its bytes are damaged ({e}); use another copy")))?;
        let snapshot = Snapshot::from_bytes(&saved.dynamics).map_err(|e| LoadError::Snapshot(e.to_string()))?;
        Ok((saved, snapshot))
    }
}

#[cfg(test)]
mod tests {
    use crate::ENGINE;
    use veracity_engine::random::{Purpose, Stream};
    use veracity_engine::{Engine, LoadOptions, Seal};
    use veracity_model::{Body, Inertia, Joint, JointKind, ModelBuilder, Vec3, World};

    /// The envelope rejects damage before it gets here; a forged one must still not cause a panic.
    #[test]
    fn forged_snapshots_do_not_panic() {
        let mut builder = ModelBuilder::new("ball");
        let body = Body::new("b", Inertia::solid_box(1.0, Vec3::new(0.1, 0.2, 0.3)));
        builder.add_body(body, Joint::new("ball", JointKind::Ball).each_dof(|d| d.upper = 1.0), None);
        let world = World::with_model(builder.build().unwrap());
        let settings = ENGINE.resolve(&"native:dop853".parse().unwrap()).unwrap();
        let options = LoadOptions { step_s: 1e-3 };
        let mut simulation = ENGINE.load(&world, &settings, &options).unwrap();
        let seal = Seal::new(&ENGINE.version(), &settings, &options, &world);
        let mut bytes = Vec::new();
        simulation.snapshot(&mut bytes);
        let payload = seal.open(&bytes).unwrap().to_vec();
        let mut offer = |payload: &[u8]| {
            let mut forged = Vec::new();
            seal.wrap(&mut forged, |out| out.extend_from_slice(payload));
            simulation.restore(&forged).is_ok()
        };
        assert!(offer(&payload));
        for cut in 0..payload.len() {
            assert!(!offer(&payload[..cut]), "cut to {cut} of {}", payload.len());
        }
        let random = Stream::new(7, 0, 0, Purpose::Statistics);
        for flip in 0..20_000 {
            let mut wrong = payload.clone();
            let bit = random.bits(flip, 0)[0] as usize % (8 * payload.len());
            wrong[bit / 8] ^= 1 << (bit % 8);
            offer(&wrong);
        }
    }
}
