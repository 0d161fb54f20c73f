//! A worker that breaks the protocol in one way, selected by the end of its own file name: `veracity-engine-rows-back`
//! returns rows that go back in time. Everything else it does is correct: bodies that never move, at the right times.
//!
//! It implements the protocol of `docs/workers.md` on its own, so that no code of our server prevents the violation.
//! The shared memory is read and written as a file.

use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags};
use std::fs::File;
use std::io::{IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;
use veracity_model::{Layout, World};

const HEADER: u64 = 4096;
const PROGRESS: u64 = 64;

/// Fields of a reply.
#[derive(Default)]
struct Out(Vec<u8>);

impl Out {
    fn whole(&mut self, x: u64) -> &mut Self {
        self.0.extend(x.to_le_bytes());
        self
    }
    fn real(&mut self, x: f64) -> &mut Self {
        self.0.extend(x.to_le_bytes());
        self
    }
    fn reals(&mut self, all: &[f64]) -> &mut Self {
        self.whole(all.len() as u64);
        for x in all {
            self.real(*x);
        }
        self
    }
    fn text(&mut self, text: &str) -> &mut Self {
        self.whole(text.len() as u64);
        self.0.extend(text.as_bytes());
        self.0.resize(self.0.len().next_multiple_of(8), 0);
        self
    }
}

/// Fields of a request.
struct In<'a>(&'a [u8]);

impl In<'_> {
    fn eight(&mut self) -> [u8; 8] {
        let (head, rest) = self.0.split_first_chunk::<8>().expect("the host sends whole requests");
        self.0 = rest;
        *head
    }
    fn whole(&mut self) -> u64 {
        u64::from_le_bytes(self.eight())
    }
    fn real(&mut self) -> f64 {
        f64::from_le_bytes(self.eight())
    }
    fn reals(&mut self) -> Vec<f64> {
        (0..self.whole()).map(|_| self.real()).collect()
    }
    fn blob(&mut self) -> Vec<u8> {
        let length = self.whole() as usize;
        let bytes = self.0[..length].to_vec();
        self.0 = &self.0[length.next_multiple_of(8)..];
        bytes
    }
}

/// State of the worker; no body moves.
#[derive(Default)]
struct Still {
    time: f64,
    steps: u64,
    q: Vec<f64>,
    v: Vec<f64>,
    bodies: usize,
    pairs: usize,
}

struct Worker {
    mode: String,
    memory: File,
    half: u64,
    requests: File,
    replies: File,
    still: Still,
}

fn main() {
    let program = std::env::args().next().unwrap_or_default();
    let mode = program.rsplit_once("veracity-engine-").map_or("sound", |(_, mode)| mode).to_string();
    match mode.as_str() {
        "exits-at-once" => return,
        "exits-with-code" => std::process::exit(9),
        // A signal that is ignored stays so in the program that a shell becomes.
        "sleeps-ignoring-term" if std::env::var_os("IGNORES_TERM").is_none() => {
            let script = "trap '' TERM HUP INT; exec \"$0\"";
            let failed = Command::new("sh").args(["-c", script, &program]).env("IGNORES_TERM", "1").exec();
            panic!("sh could not be started: {failed}");
        }
        _ => {}
    }
    let mut worker = Worker::greet(mode);
    if worker.mode == "answers-unasked" {
        worker.reply(77, &[0; 16]);
    }
    while let Some((number, request)) = worker.receive() {
        worker.answer(number, &mut In(&request));
    }
}

fn sleep_for_ever() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(3600));
    }
}

impl Worker {
    fn greet(mode: String) -> Self {
        let mut first = [0u8; 24];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        // Descriptors are inherited by children, as in a careless program.
        let stdin = std::io::stdin();
        let mut parts = [IoSliceMut::new(&mut first)];
        rustix::net::recvmsg(stdin.as_fd(), &mut parts, &mut ancillary, RecvFlags::empty()).unwrap();
        let mut files = Vec::new();
        for message in ancillary.drain() {
            if let RecvAncillaryMessage::ScmRights(list) = message {
                files.extend(list.map(File::from));
            }
        }
        let [memory, requests, replies] = <[File; 3]>::try_from(files).unwrap();
        let half = u64::from_le_bytes(first[16..24].try_into().unwrap());
        Self { mode, memory, half, requests, replies, still: Still::default() }
    }

    fn is(&self, mode: &str) -> bool {
        self.mode == mode
    }

    fn note(&mut self, length: u64, later: u64, number: u64) {
        let note = [length, later, number].map(u64::to_le_bytes);
        self.replies.write_all(note.as_flattened()).unwrap();
    }

    fn await_note(&mut self) -> Option<[u64; 3]> {
        let mut bytes = [0u8; 24];
        self.requests.read_exact(&mut bytes).ok()?;
        let field = |i: usize| u64::from_le_bytes(bytes[8 * i..8 * i + 8].try_into().unwrap());
        Some([field(0), field(1), field(2)])
    }

    fn receive(&mut self) -> Option<(u64, Vec<u8>)> {
        let mut request = Vec::new();
        loop {
            let [length, later, number] = self.await_note()?;
            let mut part = vec![0; length as usize];
            self.memory.read_exact_at(&mut part, HEADER).unwrap();
            request.extend(part);
            if later == 0 {
                return Some((number, request));
            }
            self.note(0, 0, number);
        }
    }

    fn reply(&mut self, number: u64, bytes: &[u8]) {
        let mut later = bytes.len();
        for part in bytes.chunks(self.half as usize) {
            later -= part.len();
            self.memory.write_all_at(part, HEADER + self.half).unwrap();
            self.note(part.len() as u64, later as u64, number);
            if later > 0 && self.await_note().is_none() {
                return;
            }
        }
    }

    fn answer(&mut self, number: u64, r: &mut In) {
        let (operation, _world) = (r.whole(), r.whole());
        let mut out = Out::default();
        out.whole(0);
        match operation {
            1 => self.hello(&mut out),
            2 => self.capabilities(&mut out),
            3 => self.load(r, &mut out),
            5 => {
                (self.still.time, self.still.q, self.still.v) = (r.real(), r.reals(), r.reals());
                out.real(0.0);
                self.state(&mut out);
            }
            7 => self.advance(number, r, &mut out),
            9 => drop(out.text("")),
            11 => drop(out.whole(0)),
            12 | 13 | 14 | 16 => drop(out.whole(0).real(0.0)),
            15 => {
                if self.is("sleeps-after") {
                    sleep_for_ever();
                }
                out.whole(0);
            }
            17 => drop(out.text("[]")),
            21 => self.state(&mut out),
            _ => {}
        }
        if operation == 14 {
            out.0.truncate(16);
        }
        self.reply(number, &out.0);
        if operation == 7 && self.is("answers-twice") {
            self.reply(number, &out.0);
        }
    }

    fn hello(&mut self, out: &mut Out) {
        let setting = |kind: &str, default: &str| {
            format!(r#"{{"key": "k", "default": "{default}", "text": "a setting", {kind}}}"#)
        };
        let fine = setting(r#""integer": [1, 9]"#, "4");
        let name = match self.mode.as_str() {
            "name-empty" => "",
            "name-native" => "native",
            "name-path" => "../../etc/passwd",
            "name-markup" => "<b>bold</b>",
            "name-escape" => r"a\n\u001b[31mveracity: accepted",
            mode => mode,
        };
        let settings = match self.mode.as_str() {
            "setting-twice" => format!("{fine}, {fine}"),
            "default-outside" => setting(r#""integer": [1, 9]"#, "10"),
            "default-no-choice" => setting(r#""choice": ["a", "b"]"#, "c"),
            "range-nan" => setting(r#""real": ["NaN", "1"]"#, "1"),
            _ => fine,
        };
        let protocol = if self.is("other-protocol") { 99 } else { 2 };
        let hello = format!(
            r#"{{"protocol": {protocol}, "name": "{name}", "version": "hostile 1", "about": "breaks the protocol",
               "world": "stored", "settings": [{settings}]}}"#
        );
        match self.mode.as_str() {
            "hello-empty" => drop(out.text("")),
            "hello-garbage" => drop(out.text("\u{1b}]0;forged\u{7}{{{{")),
            "hello-long" => drop(out.text(&format!("{hello}{}", " ".repeat(1 << 20)))),
            "hello-short" => out.0.truncate(4),
            "sleeps-before" => sleep_for_ever(),
            _ => drop(out.text(&hello)),
        }
        if self.is("prints-for-ever") {
            std::thread::spawn(|| {
                loop {
                    println!("{}", "rubbish ".repeat(100));
                    eprintln!("\u{1b}[31mrubbish");
                }
            });
        }
    }

    fn capabilities(&self, out: &mut Out) {
        let text = match self.mode.as_str() {
            "capabilities-garbage" => "no",
            "capabilities-impossible" => {
                r#"{"snapshot": {"approximate": {"difference": -1.0}}, "events": "bracketed", "drives": "none", "contact": false,
                "limits": false, "reactions": false, "accelerations": false, "gaps": false, "adaptive": false, "deterministic": true}"#
            }
            _ => {
                r#"{"snapshot": "none", "events": "bracketed", "drives": "none", "contact": false, "limits": false,
                "reactions": false, "accelerations": false, "gaps": false, "adaptive": false, "deterministic": true}"#
            }
        };
        out.text(text);
    }

    fn load(&mut self, r: &mut In, out: &mut Out) {
        let (_step, _spec, world) = (r.real(), r.blob(), r.blob());
        if self.is("no-hint") {
            out.0.clear();
            out.whole(1).text(r#"{"unsupported": [{"feature": "", "hint": ""}]}"#);
            return;
        }
        if self.is("refuses-nothing") {
            out.0.clear();
            out.whole(1).text(r#"{"unsupported": []}"#);
            return;
        }
        let layout = Layout::new(&World::from_bytes(&world).unwrap());
        self.still = Still {
            q: vec![0.0; layout.position_count],
            v: vec![0.0; layout.dof_count()],
            bodies: layout.bodies.len(),
            pairs: layout.pairs.len(),
            ..Still::default()
        };
        self.state(out);
    }

    /// Bodies at rest at the origin.
    fn state(&self, out: &mut Out) {
        let still = &self.still;
        let mut body = [0.0; 13];
        body[3] = if self.is("quaternion-zero") && still.time > 0.0 { 0.0 } else { 1.0 };
        let count = still.bodies + usize::from(self.is("bodies-wrong") && still.time > 0.0);
        let time = if self.is("time-nan") && still.time > 0.0 { f64::NAN } else { still.time };
        out.real(time).whole(still.steps).whole(0).whole(0).reals(&still.q).reals(&still.v);
        out.reals(&body.repeat(count)).reals(&vec![f64::NAN; still.pairs]).reals(&vec![f64::INFINITY; still.pairs]);
    }

    fn rows(&self, times: &[f64], out: &mut Out) {
        let (still, rows) = (&self.still, times.len());
        let mut q = still.q.repeat(rows);
        match (self.mode.as_str(), q.last_mut()) {
            ("rows-nan", Some(last)) => *last = f64::NAN,
            ("rows-infinite", Some(last)) => *last = f64::INFINITY,
            _ => {}
        }
        out.reals(times).reals(&q).reals(&still.v.repeat(rows)).reals(&still.v.repeat(rows));
        let mut pose = [0.0; 7];
        pose[3] = if self.is("row-quaternion-zero") { 0.0 } else { 1.0 };
        out.reals(&pose.repeat(rows * still.bodies)).reals(&vec![0.0; rows * 6 * still.bodies]);
        out.reals(&vec![f64::NAN; rows * still.pairs]);
        out.reals(&vec![0.0; if self.is("energies-wrong") { rows + 1 } else { 0 }]);
        if self.is("contact-nobody") {
            // Time, two bodies, point, normal, gap, impulse.
            out.whole(1).real(times[0]).whole(1000).whole(u64::MAX);
            for _ in 0..10 {
                out.real(0.0);
            }
        } else {
            out.whole(if self.is("count-beyond") { 1 << 60 } else { 0 });
        }
    }

    fn advance(&mut self, number: u64, r: &mut In, out: &mut Out) {
        let _efforts = r.reals();
        let wrenches = r.whole();
        (0..7 * wrenches).for_each(|_| {
            r.real();
        });
        let drives = r.whole();
        (0..7 * drives).for_each(|_| {
            r.real();
        });
        let (until, every, next) = (r.real(), r.whole() as i64, r.whole() as i64);
        self.break_down(number);
        let mut times = Vec::new();
        while every > 0 && ((next + times.len() as i64) * every) as f64 * 1e-9 <= until + 1e-9 {
            times.push(((next + times.len() as i64) * every) as f64 * 1e-9);
        }
        match self.mode.as_str() {
            "rows-many" => times.push(until + every as f64 * 1e-9),
            "rows-few" => drop(times.pop()),
            "rows-none" => times.clear(),
            "rows-back" => times.reverse(),
            "rows-time-nan" => times[0] = f64::NAN,
            _ => {}
        }
        (self.still.time, self.still.steps) = (until, self.still.steps + 1);
        match self.mode.as_str() {
            "time-still" => self.still.time = 0.0,
            "time-ahead" => self.still.time = 1e9,
            "unknown-status" => out.0[0] = 42,
            _ => {}
        }
        out.whole(1).whole(0).real(0.0).whole(0);
        self.rows(&times, out);
        self.state(out);
        match self.mode.as_str() {
            "message-long" => drop(out.whole(0)),
            "message-short" => out.0.truncate(out.0.len() - 8),
            _ => {}
        }
    }

    /// What goes wrong in the middle of a batch.
    fn break_down(&mut self, number: u64) {
        match self.mode.as_str() {
            "truncates" | "grows" => {
                let length = if self.is("grows") { 1 << 40 } else { 0 };
                assert!(self.memory.set_len(length).is_err(), "the memory is not sealed");
            }
            "exits-in-batch" => std::process::exit(0),
            "aborts" => std::process::abort(),
            "kills-itself" => {
                let me = rustix::process::getpid();
                rustix::process::kill_process(me, rustix::process::Signal::KILL).unwrap();
            }
            "sleeps-in-batch" | "sleeps-ignoring-term" => sleep_for_ever(),
            // Its answer, which is correct, comes after its trial was ended.
            "sleeps-then-answers" => std::thread::sleep(Duration::from_millis(2200)),
            "counts-asleep" => {
                for count in 1u64.. {
                    self.memory.write_all_at(&count.to_le_bytes(), PROGRESS).unwrap();
                    std::thread::sleep(Duration::from_millis(20));
                }
            }
            "eats-memory" => {
                let hoard: Vec<u8> = Vec::with_capacity(10 << 30);
                assert!(std::hint::black_box(hoard).is_empty());
            }
            "part-and-sleep" => {
                self.note(8, 8, number);
                sleep_for_ever();
            }
            "half-a-note" => {
                self.replies.write_all(&[0; 10]).unwrap();
                sleep_for_ever();
            }
            "endless-parts" => loop {
                self.note(1, 1 << 29, number);
                if self.await_note().is_none() {
                    return;
                }
            },
            "drips" => {
                for later in (0..1u64 << 29).rev() {
                    self.note(1, later, number);
                    if self.await_note().is_none() {
                        return;
                    }
                    std::thread::sleep(Duration::from_millis(5));
                }
            }
            "eight-gib" => {
                for part in 1..=8192u64 {
                    self.note(self.half, (8192 - part) * self.half, number);
                    if self.await_note().is_none() {
                        return;
                    }
                }
            }
            "empty-parts" => loop {
                self.note(0, 8, number);
                if self.await_note().is_none() {
                    return;
                }
            },
            "wrong-number" => self.reply(number + 5, &[0; 8]),
            "child-holds-pipe" => {
                // It inherits the pipes, the memory and the output stream, and outlives its parent.
                Command::new("sleep").arg("600").stdin(Stdio::null()).spawn().unwrap();
                std::process::exit(5);
            }
            "child-daemon" | "child-of-the-living" => {
                let daemon = "setsid sh -c 'trap \"\" TERM HUP; sleep 600; sleep 600' & exit 0";
                Command::new("sh").args(["-c", daemon]).stdin(Stdio::null()).status().unwrap();
                if self.is("child-daemon") {
                    std::process::exit(6);
                }
                sleep_for_ever();
            }
            _ => {}
        }
    }
}
