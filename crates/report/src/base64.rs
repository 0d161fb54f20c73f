//! Base64 (RFC 4648, with padding), used for arrays of numbers in the page.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes as text.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0u32, |sum, byte| sum << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            // One byte fills two characters, two fill three; the rest is padding.
            let character =
                if place <= chunk.len() { ALPHABET[(group >> (18 - 6 * place)) as usize & 63] } else { b'=' };
            text.push(char::from(character));
        }
    }
    text
}

/// Text as bytes; `None` when it is not base64.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let body = text.trim_end_matches('=');
    if text.len() - body.len() > 2 {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for chunk in body.as_bytes().chunks(4) {
        let mut group = 0u32;
        for character in chunk {
            let value = ALPHABET.iter().position(|known| known == character)?;
            group = group << 6 | value as u32;
        }
        group <<= 6 * (4 - chunk.len());
        let count = chunk.len() * 6 / 8;
        bytes.extend_from_slice(&group.to_be_bytes()[1..=count]);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_standard() {
        // RFC 4648, section 10.
        for (plain, coded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(encode(plain.as_bytes()), coded);
            assert_eq!(decode(coded).unwrap(), plain.as_bytes());
        }
    }

    #[test]
    fn every_byte_is_decoded() {
        let bytes: Vec<u8> = (0..=255).collect();
        for length in 0..bytes.len() {
            assert_eq!(decode(&encode(&bytes[..length])).unwrap(), &bytes[..length]);
        }
    }

    #[test]
    fn invalid_base64_is_rejected() {
        for text in ["Zg", "Zg=", "Z===", "Zm9*", "Zm9v\n"] {
            assert_eq!(decode(text), None, "{text:?}");
        }
    }
}
