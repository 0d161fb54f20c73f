//! Deliberately damaged files, and what every reader must do with them: return, without a panic, in bounded memory.
//!
//! Mutant `n` of a seed is the same on every machine: a failure is identified by seed and number, which is enough to
//! reproduce it. The test program that includes this has `veracity_counting::Counting` as its allocator.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Maximum memory that reading a damaged file of some kilobytes may use [bytes]: the largest limit of any reader.
pub const MOST_BYTES: usize = 1 << 30;
/// A mutant that is still being read after this time is a hang, not a slow machine.
const HANGS: Duration = Duration::from_secs(300);

/// A sound file, and its reader.
pub struct Seed<'a> {
    pub name: &'a str,
    pub bytes: Vec<u8>,
    pub read: &'a dyn Fn(&[u8]),
}

/// Result of a run.
#[derive(Debug, Default)]
pub struct Told {
    pub mutants: u64,
    pub peak_bytes: usize,
    pub failures: Vec<String>,
}

/// `(k, n)` of `VERACITY_CHUNK=k/n`: this part of the whole, from 0.
pub fn chunk() -> (u64, u64) {
    let text = std::env::var("VERACITY_CHUNK").unwrap_or_default();
    let parts = text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
    parts.unwrap_or((0, 1))
}

/// Reads `count` mutants, spread over the seeds, restricted to the part selected by [`chunk`].
#[allow(clippy::disallowed_methods)] // A clock only ends a reader that never returns.
pub fn hold(seeds: &[Seed], count: u64) -> Told {
    static AT: AtomicU64 = AtomicU64::new(0);
    static SINCE: AtomicU64 = AtomicU64::new(0);
    let (part, parts) = chunk();
    let begun = std::time::Instant::now();
    // A reader that hangs cannot be stopped: the program reports the mutant and exits.
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let since = SINCE.load(Ordering::Relaxed);
            if begun.elapsed().as_millis() as u64 > since + HANGS.as_millis() as u64 {
                eprintln!("mutant {} is still being read", AT.load(Ordering::Relaxed));
                std::process::abort();
            }
        }
    });
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let mut told = Told::default();
    for number in (part..count).step_by(parts as usize) {
        let seed = &seeds[(number % seeds.len() as u64) as usize];
        let bytes = mutant(&seed.bytes, number);
        AT.store(number, Ordering::Relaxed);
        SINCE.store(begun.elapsed().as_millis() as u64, Ordering::Relaxed);
        let (read, peak) = veracity_counting::peak_bytes(|| catch_unwind(AssertUnwindSafe(|| (seed.read)(&bytes))));
        told.mutants += 1;
        told.peak_bytes = told.peak_bytes.max(peak);
        if read.is_err() || peak > MOST_BYTES {
            let what = if read.is_err() { "panics" } else { "takes too much memory" };
            told.failures.push(format!("{}: mutant {number} {what} ({peak} bytes)", seed.name));
        }
    }
    SINCE.store(u64::MAX / 2, Ordering::Relaxed);
    std::panic::set_hook(hook);
    told
}

/// Random numbers from a counter (splitmix64): mutant `n` does not depend on earlier ones.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { (self.roll() % n as u64) as usize }
    }
}

/// Numbers that are difficult for readers.
const NASTY: [&str; 23] = [
    "NaN",
    "inf",
    "-inf",
    "1e308",
    "-1e308",
    "1e309",
    "5e-324",
    "-0",
    "0",
    "-1",
    "9007199254740992",
    "18446744073709551616",
    "-9223372036854775808",
    "4294967296",
    "65536",
    "1e-400",
    "0x10",
    "1,5",
    "",
    "--1",
    "1e",
    "999999999999999999999999",
    "\u{0}",
];

/// A damaged copy.
pub fn mutant(seed: &[u8], number: u64) -> Vec<u8> {
    let mut dice = Dice(number.wrapping_mul(0x2545_f491_4f6c_dd1d));
    let mut bytes = seed.to_vec();
    for _ in 0..=dice.below(3) {
        let at = dice.below(bytes.len());
        let span = at..(at + dice.below(64)).min(bytes.len());
        match dice.below(9) {
            0 => bytes.iter_mut().skip(at).take(1).for_each(|b| *b ^= 1 << (number % 8)),
            1 => bytes.iter_mut().skip(at).take(1).for_each(|b| *b = (number >> 8) as u8),
            2 => drop(bytes.drain(span)),
            3 => {
                let copy = bytes[span].to_vec();
                bytes.splice(at..at, copy);
            }
            4 => bytes.truncate(at),
            5 => {
                // Eight bytes as a length or a count in a binary file.
                let value = [u64::MAX, 1 << 31, 1 << 53, 1 << 63, 0, 1 << 20][dice.below(6)].to_le_bytes();
                let width = [1, 2, 4, 8][dice.below(4)];
                for (b, v) in bytes.iter_mut().skip(at).zip(value).take(width) {
                    *b = v;
                }
            }
            6 | 7 => number_replaced(&mut bytes, at, NASTY[dice.below(NASTY.len())]),
            _ => {
                let other = dice.below(bytes.len());
                let piece = bytes[other..(other + 32).min(bytes.len())].to_vec();
                bytes.splice(at..at, piece);
            }
        }
    }
    bytes
}

/// Replaces the first number in the text after a position.
fn number_replaced(bytes: &mut Vec<u8>, at: usize, with: &str) {
    let digit = |b: &u8| b.is_ascii_digit();
    let Some(start) = bytes[at..].iter().position(digit).map(|p| at + p) else { return };
    let end = bytes[start..].iter().position(|b| !digit(b) && *b != b'.').map_or(bytes.len(), |p| start + p);
    bytes.splice(start..end, with.bytes());
}
