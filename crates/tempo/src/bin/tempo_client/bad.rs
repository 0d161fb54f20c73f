//! Programs that misbehave, each in its own way.

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

pub fn fork(client: &mut Client, _arguments: &[String]) -> Result<(), ClientError> {
    // A child that outlives everybody unless somebody sees to it.
    let started = Command::new("sleep").arg("1000").spawn();
    started.map_err(ClientError::Gone)?;
    behave_for(client, u32::MAX)
}

pub fn crash(client: &mut Client, _arguments: &[String]) -> Result<(), ClientError> {
    behave_for(client, 50)?;
    std::process::abort()
}

pub fn hang_up(client: &mut Client, _arguments: &[String]) -> Result<(), ClientError> {
    behave_for(client, 50)?;
    // Everything but stdin, stdout and stderr, as a daemon would.
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

/// Asks without a sound, as one does that was taken off an errand in the middle of asking, and sleeps.
pub fn mute(client: &mut Client, _arguments: &[String]) -> Result<(), ClientError> {
    behave_for(client, 50)?;
    over_the_page(|from, _| (from + 8 * wire::ASK as u64, wire::ASK_WAIT.to_ne_bytes().to_vec()))?;
    loop {
        std::thread::sleep(Duration::from_secs(1000));
    }
}

/// Writes over the mapping itself, wherever it is, through the kernel's view of our memory: where, and what, by where it is.
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
    // The parent of a vfork sleeps, and no stop signal reaches it, until its child execs: it opens a pipe nobody writes.
    let folder = std::env::temp_dir().join(format!("tempo-client-{}", std::process::id()));
    let script = format!("mkfifo {0} && exec cat {0}", folder.display());
    let status = Command::new("sh").arg("-c").arg(script).status();
    let _ = std::fs::remove_file(folder);
    drop(status);
    Ok(())
}
