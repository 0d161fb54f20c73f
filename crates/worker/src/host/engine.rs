//! A worker as an engine.

use crate::host::greeting::{self, Known, leak};
use crate::host::identity;
use crate::host::one_line::line;
use crate::host::process::{Death, Limits, Process};
use crate::host::remote::{About, RemoteSimulation};
use crate::message::{DONE, Operation, REFUSED, Refused};
use crate::wire::Reader;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use veracity_engine::{
    Capabilities, DriveForm, Engine, EngineSpec, EventTime, Fidelity, LoadError, LoadOptions, Setting, SettingKind,
    Settings, Simulation, SpecError, Unsupported,
};
use veracity_foreign::{Place, Refusals, Scene};
use veracity_model::{Layout, World};

/// An engine in separate processes. Nothing is started before the first call.
pub struct WorkerEngine {
    path: PathBuf,
    limits: Limits,
    known: OnceLock<Result<Known, String>>,
    identity: OnceLock<String>,
    /// Its declared capabilities, by full spec.
    able: Mutex<Vec<(String, Result<Capabilities, String>)>>,
    /// Its name while it does not answer.
    silent_name: OnceLock<&'static str>,
    pool: Pool,
}

/// Workers of one engine, each with the number of worlds it holds.
#[derive(Clone, Default)]
pub struct Pool {
    list: Arc<Mutex<Vec<Member>>>,
}

struct Member {
    process: Arc<Mutex<Process>>,
    worlds: usize,
}

/// Most workers of one engine at a time.
const MOST: usize = 32;

impl Pool {
    fn lock(&self) -> MutexGuard<'_, Vec<Member>> {
        self.list.lock().unwrap_or_else(|p| p.into_inner())
    }

    /// An idle worker, a new one, or, at the limit, the one with the fewest worlds.
    fn take(&self, start: impl FnOnce() -> Result<Process, String>) -> Result<Arc<Mutex<Process>>, String> {
        let mut list = self.lock();
        list.retain(|m| m.worlds > 0 || hold(&m.process).is_fit());
        let idle = list.iter().position(|m| m.worlds == 0);
        let at = match idle {
            Some(at) => at,
            None if list.len() < MOST => {
                list.push(Member { process: Arc::new(Mutex::new(start()?)), worlds: 0 });
                list.len() - 1
            }
            None => (0..list.len()).min_by_key(|at| list[*at].worlds).unwrap_or(0),
        };
        list[at].worlds += 1;
        Ok(Arc::clone(&list[at].process))
    }

    /// Releases one world of a worker.
    pub fn give_back(&self, process: &Arc<Mutex<Process>>) {
        let mut list = self.lock();
        if let Some(at) = list.iter().position(|m| Arc::ptr_eq(&m.process, process)) {
            list[at].worlds -= 1;
            if list[at].worlds == 0 && !hold(process).is_fit() {
                list.remove(at);
            }
        }
    }
}

/// Locks a process; a panic of an earlier user does not invalidate it.
pub fn hold(process: &Mutex<Process>) -> MutexGuard<'_, Process> {
    process.lock().unwrap_or_else(|p| p.into_inner())
}

impl WorkerEngine {
    /// An engine whose worker is this executable.
    pub fn new(path: PathBuf, limits: Limits) -> Self {
        Self {
            path,
            limits,
            known: OnceLock::new(),
            identity: OnceLock::new(),
            able: Mutex::default(),
            silent_name: OnceLock::new(),
            pool: Pool::default(),
        }
    }

    /// Says hello to it. Fails with a message if it is not a worker.
    pub fn try_hello(&self) -> Result<(), String> {
        self.known().map(|_| ()).map_err(str::to_string)
    }

    /// Process ids of its workers.
    pub fn processes(&self) -> Vec<u32> {
        self.pool.lock().iter().map(|m| hold(&m.process).id()).collect()
    }

    fn known(&self) -> Result<&Known, &str> {
        self.known.get_or_init(|| self.hello()).as_ref().map_err(String::as_str)
    }

    /// What follows `veracity-engine-`.
    fn file_name(&self) -> &str {
        let name = self.path.file_name().and_then(|n| n.to_str()).unwrap_or("an engine");
        name.strip_prefix("veracity-engine-").unwrap_or(name)
    }

    /// `mujoco` and `3.17` of `mujoco@3.17`.
    fn found_as(&self) -> (&str, &str) {
        self.file_name().split_once('@').unwrap_or((self.file_name(), ""))
    }

    fn start(&self) -> Result<Process, String> {
        Process::start(&self.path, self.file_name(), self.limits)
    }

    fn hello(&self) -> Result<Known, String> {
        let (said, ()) = self.ask_once(Operation::Hello, "", |_| ())?;
        greeting::read(&said, &self.path, self.claimed_name())
    }

    /// The engine name in its file name; `None` if the file does not follow the naming rule.
    fn claimed_name(&self) -> Option<&str> {
        let name = self.path.file_name()?.to_str()?;
        name.starts_with("veracity-engine-").then_some(self.found_as().0)
    }

    /// Sends a request that concerns no world to any of its processes; `look` sees the process that answered.
    fn ask_once<T>(
        &self,
        operation: Operation,
        text: &str,
        look: impl FnOnce(&Process) -> T,
    ) -> Result<(String, T), String> {
        let process = self.pool.take(|| self.start())?;
        let said = {
            let mut process = hold(&process);
            process.begin_trial();
            let write = |out: &mut crate::wire::Writer| {
                if operation != Operation::Hello {
                    out.text(text);
                }
            };
            let said = process.ask(operation, 0, write, || false).map(|mut r| match r.whole()? {
                DONE => r.text().map(str::to_string),
                other => Err(format!("status {other}")),
            });
            match said {
                Ok(Ok(said)) => Ok((said, look(&process))),
                Ok(Err(what)) => Err(process.nonsense(&what).0),
                Err(Death(why)) => Err(why),
            }
        };
        self.pool.give_back(&process);
        said
    }

    /// Its capabilities under these settings; requested once.
    fn able(&self, settings: &Settings) -> Result<Capabilities, String> {
        let spec = settings.full_spec();
        let mut known = self.able.lock().unwrap_or_else(|p| p.into_inner());
        if let Some((_, able)) = known.iter().find(|(of, _)| *of == spec) {
            return able.clone();
        }
        let said = self.ask_once(Operation::Capabilities, &spec, |_| ());
        let able = said.and_then(|(text, ())| {
            let wrong = |e| format!("{} sent invalid capabilities: {e}", self.path.display());
            greeting::capabilities(&text).map_err(wrong)
        });
        known.push((spec, able.clone()));
        able
    }

    fn world_bytes(&self, world: &World, wants_scene: bool) -> Result<Vec<u8>, LoadError> {
        if !wants_scene {
            return Ok(world.to_bytes());
        }
        let mut refusals = Refusals::default();
        let place = Place::new(world, &mut refusals);
        refusals.result()?;
        serde_json::to_vec(&Scene::new(world, &place)).map_err(|e| LoadError::Other(e.to_string()))
    }
}

/// Settings whose only values are those of the spec; none is a default, so that tables show them all.
fn accepted_as_written(spec: &EngineSpec) -> &'static [Setting] {
    let one = |(key, value): &(String, String)| {
        let value = leak(value);
        let key = if key.is_empty() { value } else { leak(key) };
        Setting {
            key,
            kind: SettingKind::Choice(Vec::leak(vec!["unknown", value])),
            default: "unknown",
            text: "unknown",
        }
    };
    Vec::leak(spec.settings.iter().map(one).collect())
}

impl Engine for WorkerEngine {
    fn name(&self) -> &'static str {
        let found = || *self.silent_name.get_or_init(|| leak(self.found_as().0));
        // Known by its file name, it need not be started to be listed. One that does not answer keeps the name it was
        // found under: its rows say what is wrong with it.
        if self.claimed_name().is_some() { found() } else { self.known().map_or_else(|_| found(), |k| k.name) }
    }

    fn version(&self) -> String {
        let silent = |why: &str| format!("{} does not answer: {why}", self.found_as().1);
        self.known().map_or_else(silent, |k| k.version.clone())
    }

    fn about(&self) -> &'static str {
        self.known().map_or("a worker that does not answer", |k| k.about)
    }

    fn settings(&self) -> &'static [Setting] {
        self.known().map_or(&[], |k| k.settings)
    }

    /// A second version is a separate row in every table: its settings carry the name it was found under.
    fn resolve(&self, spec: &EngineSpec) -> Result<Settings, SpecError> {
        let found = self.file_name();
        let name = if found.contains('@') { found } else { self.name() };
        match self.known() {
            Ok(known) => Settings::resolve(name, known.settings, spec),
            // Its settings are unknown: those of the spec are accepted as written, and loading says why it fails.
            Err(_) => Settings::resolve(name, accepted_as_written(spec), spec),
        }
    }

    fn capabilities(&self, settings: &Settings) -> Capabilities {
        let nothing = Capabilities {
            snapshot: Fidelity::None,
            events: EventTime::Bracketed,
            drives: DriveForm::None,
            contact: false,
            limits: false,
            reactions: false,
            accelerations: false,
            gaps: false,
            adaptive: false,
            deterministic: false,
            single_precision: false,
        };
        // One without valid capabilities cannot be loaded either, and loading gives the reason.
        self.able(settings).unwrap_or(nothing)
    }

    /// The files it is made of, read while it runs, because a launcher may start anything. Empty for one that does not
    /// answer; its trials are not stored.
    fn identity(&self) -> String {
        let Ok(known) = self.known() else { return String::new() };
        let look = || {
            let looked = self.ask_once(Operation::Hello, "", |process| {
                identity::of(&self.path, &process.family().ids(), &known.files)
            });
            looked.map_or_else(|_| String::new(), |(_, identity)| identity)
        };
        self.identity.get_or_init(look).clone()
    }

    fn load(
        &self,
        world: &World,
        settings: &Settings,
        options: &LoadOptions,
    ) -> Result<Box<dyn Simulation>, LoadError> {
        let other = |why: &str| LoadError::Other(why.to_string());
        let known = self.known().map_err(other)?;
        self.able(settings).map_err(|why| other(&why))?;
        let bytes = self.world_bytes(world, known.wants_scene)?;
        // If a process of an earlier trial dies now, loading is tried again in a new process.
        loop {
            let process = self.pool.take(|| self.start()).map_err(|why| other(&why))?;
            let was_used = hold(&process).worlds > 0;
            let loaded = self.load_into(&process, world, &bytes, settings, options);
            if loaded.is_err() {
                self.pool.give_back(&process);
            }
            if loaded.is_err() && was_used && hold(&process).death().is_some() {
                continue;
            }
            return loaded;
        }
    }
}

impl WorkerEngine {
    fn load_into(
        &self,
        process: &Arc<Mutex<Process>>,
        world: &World,
        bytes: &[u8],
        settings: &Settings,
        options: &LoadOptions,
    ) -> Result<Box<dyn Simulation>, LoadError> {
        let name = self.name();
        let mut simulation = {
            let mut held = hold(process);
            held.begin_trial();
            held.worlds += 1;
            let number = (held.worlds, held.id());
            let about = About { engine: name, takes_loops: self.known().is_ok_and(|k| k.takes_loops) };
            RemoteSimulation::new(about, Layout::new(world), Arc::clone(process), self.pool.clone(), number)
        };
        let number = simulation.number();
        let mut held = hold(process);
        let spec = settings.full_spec();
        let write = |out: &mut crate::wire::Writer| {
            out.real(options.step_s);
            out.text(&spec);
            out.blob(bytes);
        };
        let read = held.ask(Operation::Load, number, write, || false);
        let understood = match read {
            Err(Death(why)) => {
                simulation.forget();
                return Err(LoadError::Other(why));
            }
            Ok(mut r) => loaded(&mut r, name, &mut simulation),
        };
        match understood {
            Ok(Ok(())) => {
                drop(held);
                Ok(Box::new(simulation))
            }
            Ok(Err(error)) => {
                simulation.forget();
                Err(error)
            }
            Err(what) => {
                simulation.forget();
                Err(LoadError::Other(held.nonsense(&what).0))
            }
        }
    }
}

fn loaded(r: &mut Reader, name: &str, simulation: &mut RemoteSimulation) -> Result<Result<(), LoadError>, String> {
    match r.whole()? {
        DONE => simulation.read_state(r).map(Ok),
        REFUSED => Ok(Err(refused(r, name)?)),
        other => Err(format!("status {other}")),
    }
}

/// Reads the error of a refused request.
pub fn refused(r: &mut Reader, name: &str) -> Result<LoadError, String> {
    let refused: Refused = serde_json::from_str(r.text()?).map_err(|e| line(&e.to_string()))?;
    r.end()?;
    Ok(match refused.into_error(name) {
        LoadError::Unsupported(list) if list.is_empty() => {
            return Err("it refused a world without naming a feature".to_string());
        }
        LoadError::Unsupported(list) => LoadError::Unsupported(list.iter().map(unsupported).collect()),
        LoadError::State(why) => LoadError::State(line(&why)),
        LoadError::Snapshot(why) => LoadError::Snapshot(line(&why)),
        LoadError::Other(why) => LoadError::Other(line(&why)),
        spec @ LoadError::Spec(_) => spec,
    })
}

/// Replaces empty fields.
fn unsupported(said: &Unsupported) -> Unsupported {
    let or = |text: &str, otherwise: &str| {
        let text = line(text);
        if text.trim().is_empty() { otherwise.to_string() } else { text }
    };
    Unsupported {
        feature: or(&said.feature, "a feature it does not name"),
        hint: or(&said.hint, "the worker gives no hint"),
    }
}
