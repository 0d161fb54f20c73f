//! Memory for an exact continuation, as numbers: the integrator's memory, the modes of the lasting contacts with their
//! forces, and the sites that touch but have been released.

use super::EventDriven;
use super::lasting::{Contact, Mode};
use super::log::Site;
use veracity_dynamics::integrate::State;
use veracity_model::Vec3;

/// Number of values per contact.
const CONTACT: usize = SITE + 9;
/// Number of values per site.
const SITE: usize = 4;

pub(super) fn write(engine: &EventDriven, out: &mut Vec<f64>) {
    let at = out.len();
    out.push(0.0);
    engine.integrator.memory(out);
    out[at] = (out.len() - at - 1) as f64;
    out.extend([engine.memory.horizon, f64::from(engine.memory.stalls)]);
    engine.capture.write(out);
    // The state the contacts belong to: at a different state they must be found anew.
    match &engine.memory.known {
        None => out.push(0.0),
        Some(state) => {
            out.push(1.0);
            out.push(state.time);
            out.extend(&state.q);
            out.extend(&state.v);
        }
    }
    out.extend([engine.held.contacts.len() as f64, engine.memory.open.len() as f64]);
    for contact in &engine.held.contacts {
        out.extend(site_numbers(contact.site));
        out.push(if contact.mode == Mode::Stick { 1.0 } else { 0.0 });
        out.extend(contact.friction);
        out.extend(contact.heading.iter());
        out.extend(contact.force);
    }
    for (site, depth) in &engine.memory.open {
        out.extend(site_numbers(*site));
        out.push(*depth);
    }
}

pub(super) fn read(engine: &mut EventDriven, memory: &[f64]) -> bool {
    let Some(made) = parse(engine, memory) else { return false };
    let mut own = Vec::new();
    engine.integrator.memory(&mut own);
    if own.len() != made.integrator.len() {
        return false;
    }
    if !engine.capture.read(made.capture) {
        return false;
    }
    engine.integrator.set_memory(made.integrator);
    (engine.memory.horizon, engine.memory.stalls) = (made.horizon, made.stalls);
    engine.memory.known = made.known;
    engine.held.contacts = made.contacts;
    engine.memory.open = made.open;
    true
}

/// The parsed memory.
struct Saved<'a> {
    integrator: &'a [f64],
    capture: &'a [f64],
    horizon: f64,
    stalls: u32,
    known: Option<State>,
    contacts: Vec<Contact>,
    open: Vec<(Site, f64)>,
}

fn parse<'a>(engine: &EventDriven, memory: &'a [f64]) -> Option<Saved<'a>> {
    let (nq, nv) = (engine.system.position_count(), engine.system.dof_count());
    let mut rest = memory;
    let mut take = |count: usize| {
        let (head, tail) = rest.split_at_checked(count)?;
        rest = tail;
        Some(head)
    };
    let count = take(1)?[0] as usize;
    let integrator = take(count)?;
    let &[horizon, stalls] = take(2)? else { return None };
    let count = take(1)?[0] as usize;
    let capture = take(count)?;
    let known = take(1)?[0];
    let known = if known == 0.0 {
        None
    } else {
        let time = take(1)?[0];
        Some(State { time, q: take(nq)?.to_vec(), v: take(nv)?.to_vec() })
    };
    let &[contacts, open] = take(2)? else { return None };
    let contacts = take((contacts as usize).checked_mul(CONTACT)?)?.chunks_exact(CONTACT);
    let contacts = contacts
        .map(|n| {
            let force = [n[10], n[11], n[12]];
            Contact {
                site: site_of(&n[..SITE]),
                mode: if n[4] == 1.0 { Mode::Stick } else { Mode::Slide },
                friction: [n[5], n[6]],
                heading: Vec3::new(n[7], n[8], n[9]),
                force,
                floor: 0.0,
                slack: [0.0; 2],
                creeps: false,
                reference: force,
                frozen: None,
            }
        })
        .collect();
    let open = take((open as usize).checked_mul(SITE + 1)?)?.chunks_exact(SITE + 1);
    let open = open.map(|n| (site_of(&n[..SITE]), n[SITE])).collect();
    rest.is_empty().then_some(Saved { integrator, capture, horizon, stalls: stalls as u32, known, contacts, open })
}

/// Halves of 32 bits are exact in a double.
fn site_numbers(site: Site) -> [f64; SITE] {
    match site {
        Site::Point { pair, feature } => {
            [0.0, f64::from(pair), (feature >> 32) as f64, (feature & 0xffff_ffff) as f64]
        }
        Site::Limit { dof, upper } => [1.0, f64::from(dof), f64::from(u8::from(upper)), 0.0],
    }
}

fn site_of(n: &[f64]) -> Site {
    if n[0] == 0.0 {
        Site::Point { pair: n[1] as u32, feature: (n[2] as u64) << 32 | n[3] as u64 }
    } else {
        Site::Limit { dof: n[1] as u32, upper: n[2] == 1.0 }
    }
}
