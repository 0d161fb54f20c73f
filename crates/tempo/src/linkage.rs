//! Whether a library can be preloaded into a program: an ELF file without a loader cannot load one.
//!
//! Statically linked programs (those of musl, busybox) and programs in Go, however linked, read the clock themselves. Under
//! the coordinator they would see wall time but be metered in CPU time: they are rejected before they start.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

const PT_INTERP: u32 = 3;
const PT_NOTE: u32 = 4;

/// Why nothing can be preloaded into a program; `None` if it can, or if this is only known after starting it.
pub fn refusal(program: &Path) -> Option<String> {
    let path = on_path(program)?;
    let file = File::open(&path).ok()?;
    let mut head = Vec::new();
    (&file).take(256).read_to_end(&mut head).ok()?;
    if let Some(line) = head.strip_prefix(b"#!") {
        // A script runs in its interpreter, which must load the library.
        let line = String::from_utf8_lossy(line);
        let interpreter = line.lines().next()?.split_whitespace().next()?.to_string();
        let why = refusal_of_file(&File::open(&interpreter).ok()?)?;
        return Some(format!("its interpreter {interpreter} {why}"));
    }
    refusal_of_file(&file).map(|why| format!("it {why}"))
}

fn refusal_of_file(file: &File) -> Option<String> {
    let mut head = [0u8; 64];
    file.read_exact_at(&mut head, 0).ok()?;
    if head[..4] != *b"\x7fELF" {
        return None;
    }
    // 64 bits, little endian: the target of this library.
    if head[4..6] != [2, 1] {
        return Some("is built for another kind of machine than this library".to_string());
    }
    let number = |at: usize, bytes: usize| (0..bytes).rev().fold(0u64, |n, i| n << 8 | u64::from(head[at + i]));
    let (begin, size, count) = (number(0x20, 8), number(0x36, 2), number(0x38, 2));
    let mut has_loader = false;
    for i in 0..count {
        let mut segment = [0u8; 56];
        file.read_exact_at(&mut segment, begin + i * size).ok()?;
        let number =
            |at: usize, bytes: usize| (0..bytes).rev().fold(0u64, |n, i| n << 8 | u64::from(segment[at + i]));
        match number(0, 4) as u32 {
            PT_INTERP => has_loader = true,
            PT_NOTE if is_of_go(file, number(8, 8), number(32, 8)) => {
                let what = "is a Go program: it reads the kernel's clock page and sleeps without the C library, so it \
                            would see wall time; let it use the client library";
                return Some(what.to_string());
            }
            _ => {}
        }
    }
    if has_loader {
        return None;
    }
    let what = "is statically linked: no library can be preloaded into it, so it would see wall time; link it \
                dynamically, or let it use the client library";
    Some(what.to_string())
}

/// Whether a segment of notes has one of the Go tools.
fn is_of_go(file: &File, at: u64, length: u64) -> bool {
    let mut notes = vec![0u8; length.min(4096) as usize];
    file.read_exact_at(&mut notes, at).is_ok() && notes.windows(4).any(|four| four == b"Go\0\0")
}

/// Path of a program that is named without a folder.
fn on_path(program: &Path) -> Option<PathBuf> {
    if program.components().count() > 1 || program.is_file() {
        return Some(program.to_path_buf());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|p| p.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The head of an ELF file with these segment types.
    fn elf(segments: &[u32]) -> Vec<u8> {
        let mut bytes = vec![0u8; 64];
        bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
        bytes[0x20] = 64;
        bytes[0x36] = 56;
        bytes[0x38] = segments.len() as u8;
        for kind in segments {
            let at = bytes.len();
            bytes.resize(at + 56, 0);
            bytes[at..at + 4].copy_from_slice(&kind.to_le_bytes());
        }
        bytes
    }

    #[test]
    fn only_a_program_with_a_loader_accepts_a_library() {
        let folder = std::env::temp_dir().join(format!("veracity-linkage-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = |name: &str, bytes: &[u8]| {
            let path = folder.join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        };
        assert_eq!(refusal(&file("dynamic", &elf(&[6, PT_INTERP, 1]))), None);
        let fixed = file("static", &elf(&[6, 1, 2]));
        assert!(refusal(&fixed).unwrap().starts_with("it is statically linked"));
        let script = file("script", format!("#!{} -x\n", fixed.display()).as_bytes());
        assert!(refusal(&script).unwrap().contains("/static is statically linked"));
        let mut other = elf(&[PT_INTERP]);
        other[4] = 1;
        assert!(refusal(&file("other", &other)).unwrap().contains("another kind of machine"));
        // A file that is not a program, or is missing, is left to the kernel to reject.
        assert_eq!(refusal(&file("text", b"hello")), None);
        assert_eq!(refusal(&folder.join("nowhere")), None);
        // A loader does not help a program in Go: its notes begin where the segments end.
        let mut go = elf(&[PT_INTERP, PT_NOTE]);
        let (at, notes) = (go.len() as u64, b"\x04\0\0\0\x08\0\0\0\x04\0\0\0Go\0\0buildid.");
        go[64 + 56 + 8..64 + 56 + 16].copy_from_slice(&at.to_le_bytes());
        go[64 + 56 + 32..64 + 56 + 40].copy_from_slice(&(notes.len() as u64).to_le_bytes());
        go.extend_from_slice(notes);
        assert!(refusal(&file("go", &go)).unwrap().contains("is a Go program"));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
