//! The conformance suite on the native engine behind the protocol: results equal those in the process.

use veracity_engine::Engine;
use veracity_engine::conformance::{CLAIMS, Host, Subject, try_claim};
use veracity_worker::{Limits, WorkerEngine};

#[test]
fn a_worker_conforms_like_the_engine_itself() {
    let exe = std::env::current_exe().unwrap();
    let path = exe.ancestors().nth(2).unwrap().join("examples/native_worker");
    let remote = WorkerEngine::new(path, Limits::default());
    remote.try_hello().unwrap();
    let near: &dyn Engine = &veracity_engine_native::ENGINE;
    for spec in ["native", "native:integrator=rk4", "native:paradigm=stepping"] {
        let settings = near.resolve(&spec.parse().unwrap()).unwrap();
        let host = Host::default();
        let subject = |engine| Subject { engine, settings: &settings, step_s: 1e-3, host };
        // A worker has one list of settings, the native engine one for each paradigm: claims about the list are left
        // out.
        let about_settings = ["snapshot-foreign", "settings-listed"];
        for claim in CLAIMS.iter().filter(|claim| !about_settings.contains(&claim.name)) {
            let (here, there) = (try_claim(claim, &subject(near)), try_claim(claim, &subject(&remote)));
            // The numbers are compared too: the engine gives the same bits on either side of the protocol.
            assert_eq!(there, here, "{spec}, {}", claim.name);
        }
    }
}
