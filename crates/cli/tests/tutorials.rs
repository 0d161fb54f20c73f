//! Every command of every tutorial, in the order of its page, in an empty folder. A command that fails fails the page.

use std::path::{Path, PathBuf};
use std::process::Command;

fn pages() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tutorials");
    let mut pages: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    pages.retain(|page| page.extension().is_some_and(|e| e == "md"));
    pages.sort();
    pages
}

/// The blocks marked `sh`, in order.
fn script(page: &str) -> String {
    let blocks = page.split("```sh\n").skip(1).filter_map(|rest| rest.split_once("```"));
    blocks.map(|(block, _)| block).collect()
}

/// A folder like that of the archive: `bin` with the program, `client` with the client library and its Python module.
fn installed() -> Option<PathBuf> {
    let program = Path::new(env!("CARGO_BIN_EXE_veracity"));
    let library = std::env::current_exe().unwrap().with_file_name("libveracity_client.so");
    // The whole workspace is built before its tests run; a test of this crate alone has no library to load.
    if !library.is_file() {
        assert!(std::env::var_os("VERACITY_PYTHON").is_none(), "{} is missing", library.display());
        eprintln!("SKIPPED: {} is missing; `cargo build -p veracity-client` builds it", library.display());
        return None;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("installed");
    let _ = std::fs::remove_dir_all(&folder);
    let module = Path::new(env!("CARGO_MANIFEST_DIR")).join("../client/python/veracity_client.py");
    for (place, files) in [("bin", vec![program.to_path_buf()]), ("client", vec![library, module])] {
        let place = folder.join(place);
        std::fs::create_dir_all(&place).unwrap();
        for file in files {
            std::os::unix::fs::symlink(&file, place.join(file.file_name().unwrap())).unwrap();
        }
    }
    Some(folder)
}

#[test]
fn every_command_of_every_tutorial_succeeds() {
    let pages = pages();
    assert!(!pages.is_empty(), "no tutorial was found");
    let Some(installed) = installed() else { return };
    let path = format!("{}:{}", installed.join("bin").display(), std::env::var("PATH").unwrap_or_default());
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap();
        let script = script(&text);
        assert!(script.contains("veracity "), "{} has no command", page.display());
        let name = page.file_stem().unwrap().to_string_lossy().into_owned();
        let folder = std::env::temp_dir().join(format!("veracity-tutorial-{name}-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let mut shell = Command::new("sh");
        // The engines of every machine: workers may or may not have been built.
        shell.args(["-e", "-c", &script]).current_dir(&folder).env("PATH", &path).env("VERACITY_WORKERS", "");
        let output = shell.env("NO_COLOR", "1").output().unwrap();
        let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        assert!(output.status.success(), "{}: {}\n{out}\n{err}", page.display(), output.status);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
