//! Datagrams on the loopback interface.

use super::{Adapter, Connection, LinkConfig, ROBOT};
use rustix::fd::{AsFd, BorrowedFd};
use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::process::Command;

/// One datagram is one message.
pub struct Udp;

impl Adapter for Udp {
    fn name(&self) -> &'static str {
        "udp"
    }

    fn about(&self) -> &'static str {
        "datagrams on the loopback interface, one message each"
    }

    fn open(&self, config: &LinkConfig) -> Result<Box<dyn Connection>, String> {
        let port = config.robot_port.unwrap_or(0);
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, port)).map_err(|e| format!("robot_port {port}: {e}"))?;
        socket.set_nonblocking(true).map_err(|e| e.to_string())?;
        let to = config.program_port.map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
        Ok(Box::new(Datagrams { socket, to, waits_at: config.program_port, room: vec![0; 1 << 16] }))
    }
}

struct Datagrams {
    socket: UdpSocket,
    /// Where the program receives, once that is known.
    to: Option<SocketAddr>,
    /// The port at which it will receive.
    waits_at: Option<u16>,
    room: Vec<u8>,
}

impl Connection for Datagrams {
    fn prepare(&mut self, command: &mut Command) -> Result<(), String> {
        let address = self.socket.local_addr().map_err(|e| e.to_string())?;
        command.env(ROBOT, address.to_string());
        Ok(())
    }

    fn is_up(&mut self) -> Result<bool, String> {
        if let Some(port) = self.waits_at {
            return Ok(is_bound(port));
        }
        self.receive(&mut |_| ())?;
        Ok(self.to.is_some())
    }

    fn send(&mut self, message: &[u8]) -> Result<bool, String> {
        let Some(to) = self.to else { return Ok(false) };
        match self.socket.send_to(message, to) {
            Ok(_) => Ok(true),
            // Its socket is closed, or its buffer is full: as on a network.
            Err(e) if matches!(e.kind(), ErrorKind::ConnectionRefused | ErrorKind::WouldBlock) => Ok(false),
            Err(e) => Err(format!("an observation cannot be sent: {e}; name fewer channels in `observe`")),
        }
    }

    fn receive(&mut self, each: &mut dyn FnMut(&[u8])) -> Result<(), String> {
        loop {
            match self.socket.recv_from(&mut self.room) {
                Ok((count, from)) => {
                    if self.waits_at.is_none() {
                        self.to = Some(from);
                    }
                    each(&self.room[..count]);
                }
                Err(e) if e.kind() == ErrorKind::WouldBlock => return Ok(()),
                // An earlier observation had no receiver.
                Err(e) if matches!(e.kind(), ErrorKind::ConnectionRefused | ErrorKind::Interrupted) => {}
                Err(e) => return Err(e.to_string()),
            }
        }
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        Some(self.socket.as_fd())
    }

    fn close(&mut self) -> bool {
        false
    }
}

/// Whether a socket of this machine receives datagrams at a port.
fn is_bound(port: u16) -> bool {
    let wanted = format!(":{port:04X}");
    ["/proc/net/udp", "/proc/net/udp6"].iter().any(|table| {
        let text = std::fs::read_to_string(table).unwrap_or_default();
        text.lines().skip(1).filter_map(|line| line.split_whitespace().nth(1)).any(|local| local.ends_with(&wanted))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_robot_answers_to_the_address_of_the_first_datagram() {
        let mut link = Udp.open(&LinkConfig::default()).unwrap();
        let mut command = Command::new("true");
        link.prepare(&mut command).unwrap();
        let address = command.get_envs().next().unwrap().1.unwrap().to_str().unwrap().to_string();
        assert!(!link.is_up().unwrap() && !link.send(b"lost").unwrap());
        let program = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        program.send_to(b"hello", &address).unwrap();
        assert!(link.is_up().unwrap());
        assert!(link.send(b"seen").unwrap());
        let mut room = [0; 16];
        assert_eq!(program.recv(&mut room).unwrap(), 4);
        program.send_to(b"one", &address).unwrap();
        program.send_to(b"two", &address).unwrap();
        let mut all = Vec::new();
        link.receive(&mut |m| all.push(m.to_vec())).unwrap();
        assert_eq!(all, [b"one", b"two"]);
    }

    #[test]
    fn a_program_with_a_port_of_its_own_is_up_when_the_port_is_bound() {
        let program = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = program.local_addr().unwrap().port();
        let config = LinkConfig { program_port: Some(port), ..LinkConfig::default() };
        let mut link = Udp.open(&config).unwrap();
        assert!(link.is_up().unwrap() && link.send(b"x").unwrap());
        drop(program);
        assert!(!link.is_up().unwrap());
    }
}
