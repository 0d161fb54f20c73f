//! Small files that say they become large ones are refused before memory is asked for.

use std::path::PathBuf;

fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

/// A chunk of 20 kB that says it unpacks to 300 MiB: below the ratio of any compression, above any chunk that is written.
#[test]
fn a_chunk_that_unpacks_to_more_than_chunks_do_is_not_believed() {
    let payload = vec![0u8; 20_000];
    let mut body = Vec::new();
    body.extend([0; 16]);
    body.extend((300u64 << 20).to_le_bytes());
    body.extend([0; 4]);
    body.extend(4u32.to_le_bytes());
    body.extend(b"zstd");
    body.extend((payload.len() as u64).to_le_bytes());
    body.extend(&payload);
    let mut bytes = mcap::MAGIC.to_vec();
    bytes.push(0x06);
    bytes.extend((body.len() as u64).to_le_bytes());
    bytes.extend(&body);
    bytes.extend(mcap::MAGIC);
    let path = file("amplified.mcap", &bytes);
    for said in [
        veracity_record::read_ros2_bag(&path, &[]).unwrap_err().to_string(),
        veracity_record::read_mcap(&path).unwrap_err().to_string(),
    ] {
        assert!(said.contains("unpacks to 314572800 bytes; that is not believed"), "{said}");
    }
}

/// Errors about files hold parts of them: one line of plain text, whatever those parts are.
#[test]
fn what_is_wrong_with_a_file_is_told_in_one_line() {
    let path = file("forged.csv", b"time_s,\"a\nveracity: accepted\x1b[31m\"\n0,1\n0,1\n0,x\n");
    let said = veracity_record::read_csv(&path).unwrap_err().to_string();
    assert!(!said.chars().any(char::is_control), "{said:?}");
}
