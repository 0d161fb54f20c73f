//! Programs that misbehave, each in a different way.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::process::Command;
use std::time::Duration;
use veracity_client::{Client, ClientError, wire};

fn behave_for(client: &mut Client, activations: u32) -> Result<(), ClientError> {
    let width = client.command_channels().len();
    for _ in 0..activations {
        client.wait()?;
        client.observe()?;
        client.command(&vec![0.0; width])?;
    }
    Ok(())
}

pub fn spin(client: &mut Client, _arguments: &[String]) -> Result<(), ClientError> {
    behave_for(client, 50)?;
    loop {
        std::hint::spin_loop();
    }
}

/// Computes for 130 % of its period, on whichever core it likes.
pub fn restless(client: &mut Client, _arguments: &[String]) -> Result<(), ClientError> {
    let all = (0..rustix::thread::CpuSet::MAX_CPU).fold(rustix::thread::CpuSet::new(), |mut set, core| {
        set.set(core);
        set
    });
    rustix::thread::sched_setaffinity(None, &all).map_err(|e| ClientError::Gone(e.into()))?;
    crate::good::busy(client, &["130".to_string()])
}

/// Raises its priority above the coordinator's, if it may, and never waits.
pub fn pushy(client: &mut Client, _arguments: &[String]) -> Result<(), ClientError> {
    let _ = Command::new("chrt").args(["-f", "-p", "90", &std::process::id().to_string()]).status();
    spin(client, &[])
}

fn pair_address(arguments: &[String]) -> Result<SocketAddr, ClientError> {
    let name = arguments.first().map_or("veracity", String::as_str);
    SocketAddr::from_abstract_name(name).map_err(ClientError::Gone)
}

/// Sends a datagram in each activation to a client that sleeps until it arrives.
pub fn ask_pair(client: &mut Client, arguments: &[String]) -> Result<(), ClientError> {
    let (socket, to) = (UnixDatagram::unbound().map_err(ClientError::Gone)?, pair_address(arguments)?);
    while client.wait()? {
        let _ = socket.send_to_addr(b"compute", &to);
        // It continues to compute: the receiver must not run meanwhile.
        (0..200_000).for_each(|i| _ = std::hint::black_box(i));
    }
    Ok(())
}

/// Sleeps in a system call of its own until a datagram arrives, then computes for 2 ms by its own clock.
pub fn serve_pair(client: &mut Client, arguments: &[String]) -> Result<(), ClientError> {
    let socket = UnixDatagram::bind_addr(&pair_address(arguments)?).map_err(ClientError::Gone)?;
    let mut buffer = [0; 16];
    loop {
        socket.recv(&mut buffer).map_err(ClientError::Gone)?;
        let begun = client.time_ns()?;
        while client.time_ns()? - begun < 2_000_000 {}
    }
}

pub fn fork(client: &mut Client, _arguments: &[String]) -> Result<(), ClientError> {
    // Children that outlive their parents unless they are killed: an ordinary one, one in a session of its own, and a
    // daemon whose parent has ended.
    let start =
        |program: &str, arguments: &[&str]| Command::new(program).args(arguments).spawn().map_err(ClientError::Gone);
    start("sleep", &["1000"])?;
    start("setsid", &["sleep", "1000"])?;
    start("sh", &["-c", "setsid sleep 1000 & exit 0"])?;
    behave_for(client, u32::MAX)
}

/// Commands zeros; if a file exists, which it creates, one command is different by the least possible amount.
pub fn fickle(client: &mut Client, arguments: &[String]) -> Result<(), ClientError> {
    let [file, at] = arguments else { return Err(ClientError::Page("FILE and NUMBER expected".to_string())) };
    let at = at.parse().ok().filter(|_| std::path::Path::new(file).exists());
    std::fs::write(file, "").map_err(ClientError::Gone)?;
    let mut count = 0u64;
    while client.wait()? {
        client.command(&[if Some(count) == at { 1.0f64.next_up() } else { 1.0 }])?;
        count += 1;
    }
    Ok(())
}

pub fn crash(client: &mut Client, _arguments: &[String]) -> Result<(), ClientError> {
    behave_for(client, 50)?;
    std::process::abort()
}

pub fn hang_up(client: &mut Client, _arguments: &[String]) -> Result<(), ClientError> {
    behave_for(client, 50)?;
    // Everything except stdin, stdout and stderr, as a daemon would.
    for number in 3..64 {
        if let Ok(descriptor) = veracity_client::shared::inherited(number) {
            drop(descriptor);
        }
    }
    loop {
        std::hint::spin_loop();
    }
}

pub fn garbage(client: &mut Client, _arguments: &[String]) -> Result<(), ClientError> {
    behave_for(client, 50)?;
    over_the_page(|from, to| (from, vec![0xa5u8; (to - from) as usize]))?;
    loop {
        client.wait()?;
    }
}

/// Asks without notifying, like a client preempted in the middle of asking during a yield handoff, and sleeps.
pub fn mute(client: &mut Client, _arguments: &[String]) -> Result<(), ClientError> {
    behave_for(client, 50)?;
    over_the_page(|from, _| (from + 8 * wire::ASK as u64, wire::ASK_WAIT.to_ne_bytes().to_vec()))?;
    loop {
        std::thread::sleep(Duration::from_secs(1000));
    }
}

/// Writes to the mapped page through `/proc/self/mem`; `write` returns offset and bytes from the page's address range.
fn over_the_page(write: impl Fn(u64, u64) -> (u64, Vec<u8>)) -> Result<(), ClientError> {
    use std::io::{Seek, SeekFrom, Write};
    let maps = std::fs::read_to_string("/proc/self/maps").map_err(ClientError::Gone)?;
    let mut memory = std::fs::OpenOptions::new().write(true).open("/proc/self/mem").map_err(ClientError::Gone)?;
    for line in maps.lines().filter(|l| l.contains("veracity-tempo")) {
        let range = line.split_whitespace().next().and_then(|r| r.split_once('-'));
        let ends =
            range.and_then(|(a, b)| Some((u64::from_str_radix(a, 16).ok()?, u64::from_str_radix(b, 16).ok()?)));
        if let Some((from, to)) = ends {
            let (at, bytes) = write(from, to);
            memory.seek(SeekFrom::Start(at)).map_err(ClientError::Gone)?;
            memory.write_all(&bytes).map_err(ClientError::Gone)?;
        }
    }
    Ok(())
}

pub fn not_a_number(client: &mut Client, _arguments: &[String]) -> Result<(), ClientError> {
    let width = client.command_channels().len();
    while client.wait()? {
        client.command(&vec![f64::NAN; width])?;
    }
    Ok(())
}

pub fn sleeper(client: &mut Client, _arguments: &[String]) -> Result<(), ClientError> {
    behave_for(client, 50)?;
    loop {
        std::thread::sleep(Duration::from_secs(1000));
    }
}

pub fn uninterruptible(client: &mut Client, _arguments: &[String]) -> Result<(), ClientError> {
    behave_for(client, 50)?;
    // The parent of a vfork sleeps, and no stop signal reaches it, until its child execs: the child opens a pipe
    // without a writer.
    let folder = std::env::temp_dir().join(format!("tempo-client-{}", std::process::id()));
    let script = format!("mkfifo {0} && exec cat {0}", folder.display());
    let status = Command::new("sh").arg("-c").arg(script).status();
    let _ = std::fs::remove_file(folder);
    drop(status);
    Ok(())
}
