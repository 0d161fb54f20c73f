//! A TCP connection on the loopback interface.

use super::{Adapter, Connection, Format, Inbox, LinkConfig, Outbox, ROBOT};
use rustix::fd::{AsFd, BorrowedFd};
use std::io::{ErrorKind, Read};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::process::Command;

/// Messages follow each other in the stream.
pub struct Tcp;

impl Adapter for Tcp {
    fn name(&self) -> &'static str {
        "tcp"
    }

    fn about(&self) -> &'static str {
        "a TCP connection on the loopback interface: the program connects, or listens at program_port"
    }

    fn open(&self, config: &LinkConfig) -> Result<Box<dyn Connection>, String> {
        let listener = match config.program_port {
            Some(_) => None,
            None => {
                let port = config.robot_port.unwrap_or(0);
                let listener =
                    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|e| format!("robot_port {port}: {e}"))?;
                listener.set_nonblocking(true).map_err(|e| e.to_string())?;
                Some(listener)
            }
        };
        Ok(Box::new(Stream {
            listener,
            connects_to: config.program_port,
            stream: None,
            format: config.format,
            inbox: Inbox::default(),
            outbox: Outbox::default(),
        }))
    }
}

struct Stream {
    listener: Option<TcpListener>,
    connects_to: Option<u16>,
    stream: Option<TcpStream>,
    format: Format,
    inbox: Inbox,
    outbox: Outbox,
}

impl Connection for Stream {
    fn prepare(&mut self, command: &mut Command) -> Result<(), String> {
        if let Some(listener) = &self.listener {
            command.env(ROBOT, listener.local_addr().map_err(|e| e.to_string())?.to_string());
        }
        Ok(())
    }

    fn is_up(&mut self) -> Result<bool, String> {
        if self.stream.is_none() {
            let made = match (&self.listener, self.connects_to) {
                (Some(listener), _) => listener.accept().map(|(stream, _)| stream),
                (None, port) => TcpStream::connect((Ipv4Addr::LOCALHOST, port.unwrap_or(0))),
            };
            let Ok(stream) = made else { return Ok(false) };
            stream.set_nonblocking(true).map_err(|e| e.to_string())?;
            stream.set_nodelay(true).map_err(|e| e.to_string())?;
            self.stream = Some(stream);
        }
        Ok(true)
    }

    fn send(&mut self, message: &[u8]) -> Result<bool, String> {
        let Some(stream) = &mut self.stream else { return Ok(false) };
        match self.outbox.send(message, stream) {
            Ok(sent) => Ok(sent),
            // The program has closed the connection; whether that is a fault, its end says.
            Err(_) => {
                self.stream = None;
                Ok(false)
            }
        }
    }

    fn receive(&mut self, each: &mut dyn FnMut(&[u8])) -> Result<(), String> {
        let mut room = [0u8; 4096];
        while let Some(stream) = &mut self.stream {
            match stream.read(&mut room) {
                Ok(0) => return Ok(()),
                Ok(count) => self.inbox.add(&room[..count], self.format, each)?,
                Err(e) if e.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(_) => self.stream = None,
            }
        }
        Ok(())
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.stream.as_ref().map(AsFd::as_fd)
    }

    fn close(&mut self) -> bool {
        self.stream.take().is_some_and(|stream| stream.shutdown(Shutdown::Both).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn address_of(link: &mut Box<dyn Connection>) -> String {
        let mut command = Command::new("true");
        link.prepare(&mut command).unwrap();
        command.get_envs().next().unwrap().1.unwrap().to_str().unwrap().to_string()
    }

    #[test]
    fn a_program_connects_and_the_end_of_the_link_ends_its_stream() {
        let mut link = Tcp.open(&LinkConfig::default()).unwrap();
        let address = address_of(&mut link);
        assert!(!link.is_up().unwrap());
        let mut program = TcpStream::connect(address).unwrap();
        assert!(link.is_up().unwrap() && link.send(b"{}\n").unwrap());
        program.write_all(b"{\"command\":[1]}\n{\"com").unwrap();
        let mut all = Vec::new();
        link.receive(&mut |m| all.push(m.len())).unwrap();
        assert_eq!(all, [16]);
        assert!(link.close());
        let mut rest = Vec::new();
        program.read_to_end(&mut rest).unwrap();
        assert_eq!(rest, b"{}\n");
    }

    #[test]
    fn the_robot_connects_to_a_program_that_listens() {
        let program = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let program_port = Some(program.local_addr().unwrap().port());
        let mut link = Tcp.open(&LinkConfig { program_port, ..LinkConfig::default() }).unwrap();
        assert!(link.is_up().unwrap());
        drop(program.accept().unwrap());
        drop(program);
        let mut link = Tcp.open(&LinkConfig { program_port, ..LinkConfig::default() }).unwrap();
        assert!(!link.is_up().unwrap(), "nothing listens");
    }
}
