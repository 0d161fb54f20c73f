//! Files in a folder or in a `.tar.gz`: the published sets are archives.
//!
//! A tar archive is a sequence of blocks of 512 bytes: a head with the name (bytes 0 to 99), the size in octal (124 to
//! 135), the kind (156) and a prefix of the name (345 to 499), then the content, padded. Nothing else is read here;
//! long names of GNU or PAX archives are not supported: a file with such a name is not found, which is an error that
//! lists the names found.

use crate::error::Error;
use flate2::read::GzDecoder;
use std::io::Read;
use std::path::Path;

const BLOCK: usize = 512;

/// The most one archive may unpack to [bytes]: the published ones have 13 MB.
const MOST_BYTES: u64 = 1 << 30;

/// Texts of files by name, in the order requested, from a folder or an archive.
pub fn texts(from: &Path, names: &[String]) -> Result<Vec<String>, Error> {
    if from.is_dir() {
        return names
            .iter()
            .map(|name| {
                let path = from.join(name);
                veracity_model::input::read_text(&path, MOST_BYTES)
                    .map_err(|source| Error::Unreadable { path, source })
            })
            .collect();
    }
    let files = unpack(from)?;
    names
        .iter()
        .map(|name| match files.iter().find(|(there, _)| there == name) {
            Some((_, bytes)) => Ok(String::from_utf8_lossy(bytes).into_owned()),
            None => Err(Error::NotInArchive {
                archive: from.to_owned(),
                name: name.clone(),
                there: files.iter().map(|(name, _)| name.clone()).collect(),
            }),
        })
        .collect()
}

fn unpack(path: &Path) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let broken = |why: String| Error::Archive { path: path.to_owned(), why };
    let packed = std::fs::File::open(path).map_err(|source| Error::Unreadable { path: path.to_owned(), source })?;
    let mut reader = GzDecoder::new(std::io::BufReader::new(packed)).take(MOST_BYTES);
    let mut files = Vec::new();
    let mut head = [0; BLOCK];
    loop {
        reader.read_exact(&mut head).map_err(|e| broken(e.to_string()))?;
        if head.iter().all(|byte| *byte == 0) {
            return Ok(files);
        }
        let text = |range: std::ops::Range<usize>| {
            let bytes: Vec<u8> = head[range].iter().copied().take_while(|byte| *byte != 0).collect();
            String::from_utf8_lossy(&bytes).trim().to_owned()
        };
        let octal = text(124..136);
        let size = usize::from_str_radix(&octal, 8).map_err(|_| broken(format!("a size of '{octal}'")))?;
        let prefix = text(345..500);
        let name = if prefix.is_empty() { text(0..100) } else { format!("{prefix}/{}", text(0..100)) };
        let mut content = Vec::new();
        let padded = size.next_multiple_of(BLOCK) as u64;
        (&mut reader).take(padded).read_to_end(&mut content).map_err(|e| broken(e.to_string()))?;
        if (content.len() as u64) < padded {
            return Err(broken(format!("'{name}' is truncated")));
        }
        content.truncate(size);
        if matches!(head[156], b'0' | 0) {
            files.push((name.trim_start_matches("./").to_owned(), content));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    fn packed(files: &[(&str, &str)]) -> Vec<u8> {
        let mut out = GzEncoder::new(Vec::new(), Compression::fast());
        for (name, text) in files {
            let mut head = [0u8; BLOCK];
            head[..name.len()].copy_from_slice(name.as_bytes());
            head[124..135].copy_from_slice(format!("{:011o}", text.len()).as_bytes());
            head[156] = b'0';
            out.write_all(&head).unwrap();
            let mut body = text.as_bytes().to_vec();
            body.resize(text.len().next_multiple_of(BLOCK), 0);
            out.write_all(&body).unwrap();
        }
        out.write_all(&[0; 2 * BLOCK]).unwrap();
        out.finish().unwrap()
    }

    #[test]
    fn packed_files_are_read_and_missing_ones_are_named() {
        let folder = std::env::temp_dir().join(format!("veracity-archive-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("x.tar.gz");
        let whole = packed(&[("a.txt", "1 2\n"), ("b.txt", "3 4\n")]);
        std::fs::write(&path, &whole).unwrap();
        assert_eq!(texts(&path, &["b.txt".into(), "a.txt".into()]).unwrap(), ["3 4\n", "1 2\n"]);
        let error = texts(&path, &["c.txt".into()]).unwrap_err().to_string();
        assert!(error.contains("no file 'c.txt'; it has a.txt, b.txt"), "{error}");
        std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
        assert!(texts(&path, &["b.txt".into()]).unwrap_err().to_string().contains("gzip"));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
