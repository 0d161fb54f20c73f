//! Standard input and output of the program, a line for each message.

use super::{Adapter, Connection, Format, Inbox, LinkConfig, Outbox};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::pipe::{PipeFlags, pipe_with};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::process::{Command, Stdio};

/// The program reads observations from its standard input and prints commands.
pub struct StandardLines;

impl Adapter for StandardLines {
    fn name(&self) -> &'static str {
        "lines"
    }

    fn about(&self) -> &'static str {
        "standard input and output: a line for each observation, a line for each command"
    }

    fn open(&self, config: &LinkConfig) -> Result<Box<dyn Connection>, String> {
        if config.robot_port.is_some() || config.program_port.is_some() {
            return Err("robot_port and program_port are for udp and tcp".to_string());
        }
        Ok(Box::new(Pipes {
            to: None,
            from: None,
            format: config.format,
            inbox: Inbox::default(),
            outbox: Outbox::default(),
        }))
    }
}

struct Pipes {
    to: Option<File>,
    from: Option<File>,
    format: Format,
    inbox: Inbox,
    outbox: Outbox,
}

fn without_blocking(end: OwnedFd) -> Result<File, String> {
    let flags = fcntl_getfl(&end).map_err(|e| e.to_string())?;
    fcntl_setfl(&end, flags | OFlags::NONBLOCK).map_err(|e| e.to_string())?;
    Ok(File::from(end))
}

impl Connection for Pipes {
    fn prepare(&mut self, command: &mut Command) -> Result<(), String> {
        let pipe = || pipe_with(PipeFlags::CLOEXEC).map_err(|e| e.to_string());
        let (its_input, to) = pipe()?;
        let (from, its_output) = pipe()?;
        (self.to, self.from) = (Some(without_blocking(to)?), Some(without_blocking(from)?));
        command.stdin(Stdio::from(its_input)).stdout(Stdio::from(its_output));
        // Commands must not stay in a buffer. For programs that print by the C library, the preloaded library sees to it.
        command.env("PYTHONUNBUFFERED", "1");
        Ok(())
    }

    fn is_up(&mut self) -> Result<bool, String> {
        Ok(self.to.is_some())
    }

    fn send(&mut self, message: &[u8]) -> Result<bool, String> {
        let Some(to) = &mut self.to else { return Ok(false) };
        match self.outbox.send(message, to) {
            Ok(sent) => Ok(sent),
            // It has closed its input.
            Err(_) => {
                self.to = None;
                Ok(false)
            }
        }
    }

    fn receive(&mut self, each: &mut dyn FnMut(&[u8])) -> Result<(), String> {
        let mut room = [0u8; 4096];
        while let Some(from) = &mut self.from {
            match from.read(&mut room) {
                Ok(0) => self.from = None,
                Ok(count) => self.inbox.add(&room[..count], self.format, each)?,
                Err(e) if e.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(e.to_string()),
            }
        }
        Ok(())
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.from.as_ref().map(AsFd::as_fd)
    }

    fn close(&mut self) -> bool {
        self.to.take().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_go_through_a_program_that_copies_them() {
        let mut link = StandardLines.open(&LinkConfig { format: Format::Text, ..LinkConfig::default() }).unwrap();
        let mut command = Command::new("cat");
        link.prepare(&mut command).unwrap();
        let mut cat = command.spawn().unwrap();
        drop(command);
        assert!(link.send(b"1 2\n").unwrap() && link.send(b"3 4\n").unwrap());
        assert!(link.close());
        assert!(cat.wait().unwrap().success());
        let mut all = Vec::new();
        link.receive(&mut |m| all.push(m.to_vec())).unwrap();
        assert_eq!(all, [b"1 2\n", b"3 4\n"]);
    }
}
