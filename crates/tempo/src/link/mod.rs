//! Links: how an unmodified program and the robot exchange messages, in virtual time.
//!
//! ```text
//! (1)  t(k) = phase + k · period                  instant of observation k
//! (2)  observation k is sent when the program's progress reaches t(k), while the program does not run
//! (3)  a command is stamped with the program's progress when it was sent
//! ```
//!
//! A program that waits for a message, in a blocking system call or in `poll` and its relatives, waits until t(k). A
//! command acts from the first step of the dynamics that begins at or after its stamp, as with the client library.
//!
//! An [`Adapter`] is a transport, one file each; [`mod@format`] is what a message looks like; `exchange` is the
//! coordinator's part. A new adapter is one file and one line in [`ADAPTERS`]. Shared memory is the client library.

mod exchange;
pub mod format;
mod lines;
mod replay;
mod tcp;
mod udp;

pub(crate) use exchange::Link;
pub use format::Format;

use rustix::fd::BorrowedFd;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::process::Command;

/// Environment variable with the robot's address, for programs that read it: `127.0.0.1:PORT`.
pub const ROBOT: &str = "VERACITY_ROBOT";

/// `[clients.link]`: how the program exchanges messages with the robot. At each activation (`rate_hz`) it is sent an
/// observation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkConfig {
    /// The transport: `udp`, `tcp` or `lines` (standard input and output).
    pub adapter: String,
    /// What a message looks like; default: `json`.
    #[serde(default)]
    pub format: Format,
    /// Channels of an observation, in this order, by name or unique end of a name; `time` is the time [s]. Default: all
    /// channels; `veracity tempo channels FILE` lists them.
    #[serde(default)]
    pub observe: Vec<String>,
    /// Port at which the robot receives (udp, tcp); default: a free one. The program finds it in its environment:
    /// `VERACITY_ROBOT` is `127.0.0.1:PORT`.
    #[serde(default)]
    pub robot_port: Option<u16>,
    /// Port at which the program receives (udp, tcp). By default, the program sends the first message or connects, and
    /// the robot answers to that address.
    #[serde(default)]
    pub program_port: Option<u16>,
}

/// A transport.
pub trait Adapter: Sync {
    /// Its name in a file.
    fn name(&self) -> &'static str;
    /// What it is, in a line.
    fn about(&self) -> &'static str;
    /// Opens the robot's end, before the program starts.
    fn open(&self, config: &LinkConfig) -> Result<Box<dyn Connection>, String>;
}

/// The robot's end of a link. No call blocks.
pub trait Connection: Send {
    /// Prepares the program's start: its environment, its standard input and output.
    fn prepare(&mut self, command: &mut Command) -> Result<(), String>;
    /// Called repeatedly while the program starts; returns whether messages can be sent to it.
    fn is_up(&mut self) -> Result<bool, String>;
    /// Sends one message. Returns `false` if it was lost because the program does not read.
    fn send(&mut self, message: &[u8]) -> Result<bool, String>;
    /// Calls `each` with every message that has arrived since the last call.
    fn receive(&mut self, each: &mut dyn FnMut(&[u8])) -> Result<(), String>;
    /// Readable when a message has arrived; asked for once, when the link is up.
    fn descriptor(&self) -> Option<BorrowedFd<'_>>;
    /// Ends the link. Returns whether the program can notice that.
    fn close(&mut self) -> bool;
}

/// Every adapter.
pub const ADAPTERS: &[&dyn Adapter] = &[&udp::Udp, &tcp::Tcp, &lines::StandardLines];

/// The adapter of this name.
pub fn adapter(name: &str) -> Result<&'static dyn Adapter, String> {
    ADAPTERS.iter().copied().find(|a| a.name() == name).ok_or_else(|| {
        let known: Vec<&str> = ADAPTERS.iter().map(|a| a.name()).collect();
        format!("unknown adapter '{name}'; known: {}", known.join(", "))
    })
}

/// Messages of a stream: each ends where [`Format::end_of`] says.
#[derive(Default)]
struct Inbox {
    bytes: Vec<u8>,
}

/// A program that sends more than this without the end of a message sends no messages [bytes].
const MOST_PENDING: usize = 1 << 22;

impl Inbox {
    /// Adds what has been read, and calls `each` with every complete message.
    fn add(&mut self, bytes: &[u8], format: Format, each: &mut dyn FnMut(&[u8])) -> Result<(), String> {
        self.bytes.extend_from_slice(bytes);
        let mut done = 0;
        while let Some(length) = format.end_of(&self.bytes[done..])? {
            each(&self.bytes[done..done + length]);
            done += length;
        }
        self.bytes.drain(..done);
        if self.bytes.len() > MOST_PENDING {
            return Err(format!("it sent {} bytes without the end of a message", self.bytes.len()));
        }
        Ok(())
    }
}

/// What could not be written to a stream yet.
#[derive(Default)]
struct Outbox {
    bytes: Vec<u8>,
}

impl Outbox {
    /// Writes a message after what is pending. While something is pending, new messages are lost: returns `false`.
    fn send(&mut self, message: &[u8], to: &mut impl std::io::Write) -> std::io::Result<bool> {
        let taken = self.bytes.is_empty();
        if taken {
            self.bytes.extend_from_slice(message);
        }
        while !self.bytes.is_empty() {
            match to.write(&self.bytes) {
                Ok(0) => break,
                Ok(count) => drop(self.bytes.drain(..count)),
                Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => break,
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_an_unknown_one_lists_them() {
        for a in ADAPTERS {
            assert!(ADAPTERS.iter().filter(|other| other.name() == a.name()).count() == 1 && !a.about().is_empty());
        }
        let error = adapter("can").map(|a| a.name()).unwrap_err();
        assert!(error.contains("udp, tcp, lines"), "{error}");
    }

    #[test]
    fn a_stream_is_cut_into_messages_and_a_full_one_loses_whole_messages() {
        let (mut inbox, mut seen) = (Inbox::default(), Vec::new());
        for part in [&b"[1]\n[2"[..], b"]\n", b"[3]"] {
            inbox.add(part, Format::Json, &mut |m| seen.push(m.to_vec())).unwrap();
        }
        assert_eq!(seen, [b"[1]\n".to_vec(), b"[2]\n".to_vec()]);
        /// Takes three bytes at a time, twice.
        struct Narrow(Vec<u8>);
        impl std::io::Write for Narrow {
            fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                if self.0.len() >= 6 {
                    return Err(std::io::ErrorKind::WouldBlock.into());
                }
                let count = bytes.len().min(3);
                self.0.extend_from_slice(&bytes[..count]);
                Ok(count)
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let (mut outbox, mut to) = (Outbox::default(), Narrow(Vec::new()));
        assert!(outbox.send(b"12345678\n", &mut to).unwrap());
        assert!(!outbox.send(b"lost\n", &mut to).unwrap());
        to.0.clear();
        assert!(!outbox.send(b"lost\n", &mut to).unwrap(), "the rest of the first message goes first");
        assert_eq!(to.0, b"78\n");
        assert!(outbox.send(b"x\n", &mut to).unwrap());
    }
}
