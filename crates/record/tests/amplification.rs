//! Small files that claim to expand to large ones are rejected before memory is allocated.

use std::path::PathBuf;

fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

/// A chunk of 20 kB that claims to unpack to 300 MiB: below the limit on the ratio, above the limit on the size.
#[test]
fn a_chunk_above_the_size_limit_is_rejected() {
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
        assert!(said.contains("unpack to 314572800 bytes, which is above the limit"), "{said}");
    }
}

/// Errors about files contain parts of them: one line of plain text, whatever those parts are.
#[test]
fn errors_about_files_are_one_line() {
    let path = file("forged.csv", b"time_s,\"a\nveracity: accepted\x1b[31m\"\n0,1\n0,1\n0,x\n");
    let said = veracity_record::read_csv(&path).unwrap_err().to_string();
    assert!(!said.chars().any(char::is_control), "{said:?}");
}
