//! The output options may replace a regular file and nothing else. Devices, FIFOs and links stay as they are.

use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn veracity(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_veracity"));
    command.args(arguments).current_dir(folder).env("NO_COLOR", "1").env("VERACITY_WORKERS", "");
    command.output().unwrap()
}

/// A folder with the starter scenario.
fn place(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("output-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    assert!(veracity(&folder, &["init", "."]).status.success());
    folder
}

/// Every option that writes a file, with the rest of its command.
const OPTIONS: &[(&str, &[&str])] = &[
    ("--csv", &["run", "my_pendulum.urdf", "--duration-s", "0.1"]),
    ("--csv", &["run", "my_pendulum.toml", "--no-report"]),
    ("--mcap", &["run", "my_pendulum.toml", "--no-report"]),
    ("--parquet", &["run", "my_pendulum.toml", "--no-report"]),
    ("--junit", &["compare", "my_pendulum.toml", "--no-report"]),
];

#[test]
fn no_file_but_a_regular_one_is_ever_replaced() {
    let folder = place("kinds");
    let mut tried = 0;
    for (number, (option, command)) in OPTIONS.iter().enumerate() {
        let write = |to: &str| {
            let output = veracity(&folder, &[*command, &[option, to]].concat());
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.code().is_some_and(|code| code < 2), "{option} {to}: {said}");
        };
        let at = |name: &str| folder.join(name);
        let (file, link, null, fifo) = ("file", "link", "null", "fifo");
        for name in [file, link, null, fifo, "device"] {
            let _ = std::fs::remove_file(at(name));
        }
        std::fs::write(at(file), "old").unwrap();
        symlink(file, at(link)).unwrap();
        symlink("/dev/null", at(null)).unwrap();
        write(link);
        assert!(at(link).is_symlink(), "{option} replaced a link");
        let written = std::fs::read(at(file)).unwrap();
        assert!(written.len() > 50, "{option} wrote {} bytes through a link", written.len());
        write(null);
        assert!(at(null).is_symlink());
        assert!(std::fs::metadata("/dev/null").unwrap().file_type().is_char_device(), "{option} replaced /dev/null");
        assert!(Command::new("mkfifo").arg(at(fifo)).status().unwrap().success());
        let reader = std::thread::spawn({
            let fifo = at(fifo);
            move || std::fs::read(fifo).unwrap()
        });
        write(fifo);
        assert!(std::fs::symlink_metadata(at(fifo)).unwrap().file_type().is_fifo(), "{option} replaced a FIFO");
        let came = reader.join().unwrap();
        // Some of these files contain CPU times of a run; their length hardly changes.
        assert!(came.len() > 50 && came.len().abs_diff(written.len()) < written.len() / 2, "{option} through a FIFO");
        tried += 3;
        // A device of our own, if we may create one.
        let made =
            Command::new("mknod").arg(at("device")).args(["c", "1", "3"]).output().is_ok_and(|o| o.status.success());
        if made {
            write("device");
            assert!(
                std::fs::metadata(at("device")).unwrap().file_type().is_char_device(),
                "{option} replaced a device"
            );
            tried += 1;
        }
        println!("{number}: {option} of {}", command.join(" "));
    }
    println!("ACCEPT outputs: {} options, {tried} links, FIFOs and devices written to, none replaced", OPTIONS.len());
}

#[test]
fn a_file_that_may_not_grow_is_told_in_a_sentence() {
    let folder = place("limit");
    let program = env!("CARGO_BIN_EXE_veracity");
    // Blocks of 512 or 1024 bytes, depending on the shell: far below the table either way.
    let script =
        format!("ulimit -f 4; exec '{program}' run my_pendulum.urdf --duration-s 10 --every-s 0.01 --csv big.csv");
    let mut command = Command::new("sh");
    command.args(["-c", &script]).current_dir(&folder).env("NO_COLOR", "1").env("VERACITY_WORKERS", "");
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("big.csv: could not be written") && said.contains("ulimit -f"), "{said}");
    assert!(!folder.join("big.csv").exists());
}
