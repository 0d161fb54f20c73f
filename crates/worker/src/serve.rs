//! A worker's side: any engine behind the protocol.

use crate::channel::{Channel, Silence};
use crate::held::Held;
use crate::looped::HeldLoop;
use crate::message::{self, DONE, Hello, HelloSetting, NOT_UNDERSTOOD, Operation, REFUSED, Refused, TROUBLE};
use crate::shared::{MAGIC, Region};
use crate::wire::{Malformed, Reader, Writer};
use rustix::fd::{AsFd, OwnedFd};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags};
use std::collections::BTreeMap;
use std::io::{IoSliceMut, Read};
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use veracity_engine::{Engine, LoadError, LoadOptions, SettingKind, StepError};
use veracity_model::World;

/// Serves an engine until the host says bye or is gone: the whole of a worker's `main`. Started by hand, it prints what
/// it is.
pub fn serve(engine: &dyn Engine) -> std::process::ExitCode {
    let greeting = match greet() {
        Ok(greeting) => greeting,
        Err(why) => {
            eprintln!(
                "this is the worker of {} ({}); it is started by veracity, not by hand: {why}",
                engine.name(),
                engine.version()
            );
            return std::process::ExitCode::from(2);
        }
    };
    let stop = Stop::default();
    watch_the_host(&stop);
    veracity_foreign::progress::count_into(greeting.progress.progress_for_ever());
    let mut server = Server {
        engine,
        channel: Channel::worker(greeting.region, greeting.requests, greeting.replies),
        worlds: BTreeMap::new(),
        stop,
        reply: Writer::default(),
    };
    match server.run() {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(silence) => {
            eprintln!("the worker of {} ends: {silence:?}", engine.name());
            std::process::ExitCode::from(2)
        }
    }
}

struct Greeting {
    region: Region,
    /// A second mapping, only for the progress.
    progress: Region,
    requests: OwnedFd,
    replies: OwnedFd,
}

/// Receives the host's first message and its descriptors.
fn greet() -> Result<Greeting, String> {
    let mut first = [0u8; 24];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let stdin = std::io::stdin();
    let mut parts = [IoSliceMut::new(&mut first)];
    let received = rustix::net::recvmsg(stdin.as_fd(), &mut parts, &mut ancillary, RecvFlags::CMSG_CLOEXEC)
        .map_err(|_| "standard input is not connected to a host".to_string())?;
    let mut descriptors: Vec<OwnedFd> = Vec::new();
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(list) = message {
            descriptors.extend(list);
        }
    }
    let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| first[at + i]));
    if received.bytes != 24 || &first[..8] != MAGIC {
        return Err("the first message is not a greeting".to_string());
    }
    if word(8) != crate::PROTOCOL {
        return Err(format!(
            "the host speaks version {} of the protocol, this worker version {}",
            word(8),
            crate::PROTOCOL
        ));
    }
    let [memory, requests, replies] = <[OwnedFd; 3]>::try_from(descriptors)
        .map_err(|d| format!("received {} descriptors instead of 3", d.len()))?;
    let half = usize::try_from(word(16)).map_err(|e| e.to_string())?;
    let map = || Region::map(&memory, half).map_err(|e| format!("cannot map the memory: {e}"));
    Ok(Greeting { region: map()?, progress: map()?, requests, replies })
}

/// The present request, and whether it should stop.
#[derive(Clone, Default)]
struct Stop {
    request: Arc<Mutex<u64>>,
    flag: Arc<AtomicBool>,
}

impl Stop {
    fn begin(&self, request: u64) {
        let mut now = self.request.lock().unwrap_or_else(|p| p.into_inner());
        *now = request;
        self.flag.store(false, Ordering::Relaxed);
    }

    /// A stop that comes after its request is over must not stop the next.
    fn ask(&self, request: u64) {
        let now = self.request.lock().unwrap_or_else(|p| p.into_inner());
        if *now == request {
            self.flag.store(true, Ordering::Relaxed);
        }
    }
}

/// Listens to the host in a thread: a stop request, or the host's end, which ends this process.
fn watch_the_host(stop: &Stop) {
    let stop = stop.clone();
    std::thread::spawn(move || {
        let mut host = std::io::stdin().lock();
        let mut message = [0u8; 9];
        while host.read_exact(&mut message).is_ok() {
            if message[0] == b'S' {
                stop.ask(u64::from_le_bytes(std::array::from_fn(|i| message[1 + i])));
            }
        }
        // Killed at once: exit handlers of an engine in the middle of a step could wait for ever. Children are killed
        // too if this is the leader of a process group, as every worker started by a host is.
        let (me, kill) = (rustix::process::getpid(), rustix::process::Signal::KILL);
        if rustix::process::getpgrp() == me {
            let _ = rustix::process::kill_current_process_group(kill);
        }
        let _ = rustix::process::kill_process(me, kill);
    });
}

struct Server<'a> {
    engine: &'a dyn Engine,
    channel: Channel,
    worlds: BTreeMap<u64, Held>,
    stop: Stop,
    reply: Writer,
}

impl Server<'_> {
    fn run(&mut self) -> Result<(), Silence> {
        let mut request = Vec::new();
        self.channel.region().listens().store(1, Ordering::Release);
        loop {
            match self.channel.receive(&mut request) {
                Err(Silence::Gone) => return Ok(()),
                other => other?,
            }
            self.stop.begin(self.channel.number);
            self.reply.clear();
            let goes_on = match self.answer(&request) {
                Ok(goes_on) => goes_on,
                Err(malformed) => {
                    self.reply.clear();
                    self.reply.whole(NOT_UNDERSTOOD);
                    self.reply.text(&malformed);
                    true
                }
            };
            self.channel.send(self.reply.bytes())?;
            self.channel.go_over_to_bells();
            if !goes_on {
                return Ok(());
            }
        }
    }

    /// Writes the reply to one request. `false` after a bye.
    fn answer(&mut self, request: &[u8]) -> Result<bool, Malformed> {
        let mut r = Reader::new(request);
        let (number, world) = (r.whole()?, r.whole()?);
        let operation = Operation::from_number(number).ok_or_else(|| format!("unknown operation {number}"))?;
        let out = &mut self.reply;
        match operation {
            Operation::Hello => {
                out.whole(DONE);
                out.text(&json(&hello(self.engine))?);
            }
            Operation::Capabilities => {
                let spec = r.text()?.parse().map_err(|e| format!("{e}"))?;
                let settings = self.engine.resolve(&spec).map_err(|e| e.to_string())?;
                out.whole(DONE);
                out.text(&json(&self.engine.capabilities(&settings))?);
            }
            Operation::Load => match load(self.engine, &mut r)? {
                Ok(mut held) => {
                    out.whole(DONE);
                    held.write_state(out);
                    self.worlds.insert(world, held);
                }
                Err(error) => refuse(&error, out)?,
            },
            Operation::Unload => {
                self.worlds.remove(&world);
                out.whole(DONE);
            }
            Operation::Bye => {
                out.whole(DONE);
                return Ok(false);
            }
            _ => {
                let held = self.worlds.get_mut(&world).ok_or_else(|| format!("world {world} is not loaded"))?;
                held.spared = self.channel.region().spared().load(Ordering::Relaxed);
                of_a_world(operation, held, &self.stop, &mut r, out)?;
            }
        }
        r.end()?;
        Ok(true)
    }
}

fn json<T: serde::Serialize>(value: &T) -> Result<String, Malformed> {
    serde_json::to_string(value).map_err(|e| e.to_string())
}

fn hello(engine: &dyn Engine) -> Hello {
    let setting = |s: &veracity_engine::Setting| HelloSetting {
        key: s.key.to_string(),
        default: s.default.to_string(),
        text: s.text.to_string(),
        choice: match s.kind {
            SettingKind::Choice(words) => Some(words.iter().map(ToString::to_string).collect()),
            _ => None,
        },
        integer: match s.kind {
            SettingKind::Integer(low, high) => Some([low, high]),
            _ => None,
        },
        real: match s.kind {
            SettingKind::Real(low, high) => Some([low.to_string(), high.to_string()]),
            _ => None,
        },
    };
    Hello {
        protocol: crate::PROTOCOL,
        name: engine.name().to_string(),
        version: engine.version(),
        about: engine.about().to_string(),
        world: "stored".to_string(),
        loops: true,
        files: Vec::new(),
        settings: engine.settings().iter().map(setting).collect(),
    }
}

fn load(engine: &dyn Engine, r: &mut Reader) -> Result<Result<Held, LoadError>, Malformed> {
    let step_s = r.real()?;
    let spec = r.text()?.parse().map_err(|e| format!("{e}"))?;
    let bytes = r.blob()?;
    let settings = match engine.resolve(&spec) {
        Ok(settings) => settings,
        Err(e) => return Ok(Err(e.into())),
    };
    let world = World::from_bytes(bytes).map_err(|e| e.to_string())?;
    let capabilities = engine.capabilities(&settings);
    let loaded = engine.load(&world, &settings, &LoadOptions { step_s });
    Ok(loaded.map(|simulation| Held::new(simulation, world, capabilities)))
}

fn refuse(error: &LoadError, out: &mut Writer) -> Result<(), Malformed> {
    out.whole(REFUSED);
    out.text(&json(&Refused::from(error))?);
    Ok(())
}

fn in_trouble(trouble: &StepError, out: &mut Writer) {
    out.whole(TROUBLE);
    out.real(trouble.time);
    out.text(&trouble.reason);
}

fn of_a_world(
    operation: Operation,
    held: &mut Held,
    stop: &Stop,
    r: &mut Reader,
    out: &mut Writer,
) -> Result<(), Malformed> {
    match operation {
        Operation::SetState => {
            let (time, q, v) = (r.real()?, r.reals()?, r.reals()?);
            match held.simulation.set_state(time, &q, &v) {
                Ok(moved) => {
                    out.whole(DONE);
                    out.real(moved);
                    held.write_state(out);
                }
                Err(error) => refuse(&error, out)?,
            }
        }
        Operation::Step => {
            message::read_inputs(r, &mut held.inputs)?;
            let limit_s = r.real()?;
            match held.simulation.step(&held.inputs, limit_s) {
                Ok(advance) => {
                    out.whole(DONE);
                    message::write_advance(&advance, out);
                }
                Err(trouble) => in_trouble(&trouble, out),
            }
            held.write_state(out);
        }
        Operation::Advance => advance(held, stop, r, out)?,
        Operation::AdvanceUntil => {
            message::read_inputs(r, &mut held.inputs)?;
            let (until, guards) = (r.real()?, message::read_guards(r)?);
            match held.simulation.advance_until(until, &guards, &held.inputs) {
                Ok(hit) => {
                    out.whole(DONE);
                    out.whole(hit.is_some().into());
                    let (guard, time, error) = hit.map_or((0, 0.0, 0.0), |h| (h.guard, h.time, h.error));
                    out.whole(guard as u64);
                    out.plain(&[time, error]);
                }
                Err(trouble) => in_trouble(&trouble, out),
            }
            held.write_state(out);
        }
        Operation::Snapshot => {
            let mut bytes = Vec::new();
            held.simulation.snapshot(&mut bytes);
            out.whole(DONE);
            out.blob(&bytes);
        }
        Operation::Restore => match held.simulation.restore(r.blob()?) {
            Ok(()) => {
                out.whole(DONE);
                held.write_state(out);
            }
            Err(error) => refuse(&error, out)?,
        },
        Operation::Contacts => {
            let mut contacts = Vec::new();
            held.simulation.contacts(&mut contacts);
            out.whole(DONE);
            message::write_contacts(&contacts, out);
        }
        Operation::Reactions | Operation::Accelerations => {
            message::read_inputs(r, &mut held.inputs)?;
            let mut all = vec![([0.0; 3], [0.0; 3]); held.simulation.layout().bodies.len()];
            let reported = if operation == Operation::Reactions {
                held.simulation.reactions(&held.inputs, &mut all)
            } else {
                held.simulation.accelerations(&held.inputs, &mut all)
            };
            out.whole(DONE);
            out.whole(reported.into());
            out.whole(6 * all.len() as u64);
            all.iter().flat_map(|(a, b)| [a, b]).for_each(|three| out.plain(three));
        }
        Operation::LogEvents => {
            let rules = if r.whole()? == 1 { Some(message::read_rules(r)?) } else { None };
            let kept = held.simulation.log_events(rules);
            out.whole(DONE);
            out.whole(kept.into());
        }
        Operation::TakeEvents => {
            let mut events = Vec::new();
            held.simulation.take_events(r.whole()? == 1, &mut events);
            out.whole(DONE);
            message::write_events(&events, out);
        }
        Operation::Energy => {
            let energy = held.simulation.own_energy();
            out.whole(DONE);
            out.whole(energy.is_some().into());
            out.real(energy.unwrap_or(f64::NAN));
        }
        Operation::Warnings => {
            let mut warnings = Vec::new();
            held.simulation.warnings(&mut warnings);
            out.whole(DONE);
            out.text(&json(&warnings)?);
        }
        Operation::TakeLoop => {
            let layout = held.simulation.layout();
            match HeldLoop::build(r.text()?, &held.world, layout, held.capabilities) {
                Ok(looped) => {
                    held.looped = Some(looped);
                    out.whole(DONE);
                }
                Err(why) => refuse(&LoadError::Other(why), out)?,
            }
        }
        Operation::RunLoop => {
            let (from_ns, until_ns, every_ns, next) = (r.signed()?, r.signed()?, r.signed()?, r.signed()?);
            let memory = r.blob()?;
            held.begin_rows(&stop.flag, every_ns, next);
            let looped = held.looped.as_mut().ok_or("no control loop was handed over")?;
            looped.run([from_ns, until_ns], memory, &mut *held.simulation, &mut held.samples)?;
            out.whole(DONE);
            looped.write(out);
            let samples = &held.samples;
            message::write_rows(&samples.track, &samples.energies, &samples.contacts, out);
            held.write_state(out);
        }
        Operation::State => {
            held.spared = 0;
            out.whole(DONE);
            held.write_state(out);
        }
        Operation::Hello | Operation::Capabilities | Operation::Load | Operation::Unload | Operation::Bye => {
            return Err("this operation does not concern a world".to_string());
        }
    }
    Ok(())
}

fn advance(held: &mut Held, stop: &Stop, r: &mut Reader, out: &mut Writer) -> Result<(), Malformed> {
    message::read_inputs(r, &mut held.inputs)?;
    let (until, every_ns, next) = (r.real()?, r.signed()?, r.signed()?);
    held.begin_rows(&stop.flag, every_ns, next);
    let advanced = held.simulation.advance(until, &held.inputs, &mut held.samples);
    match &advanced {
        Ok(advance) => {
            out.whole(DONE);
            message::write_advance(advance, out);
        }
        Err(trouble) => in_trouble(trouble, out),
    }
    let samples = &held.samples;
    message::write_rows(&samples.track, &samples.energies, &samples.contacts, out);
    held.write_state(out);
    Ok(())
}
