//! Messages as bytes: little-endian fields of eight bytes.

/// Appends fields.
#[derive(Debug, Default)]
pub struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// Clears the message; keeps the allocated memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    /// The message.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// A whole number.
    pub fn whole(&mut self, x: u64) {
        self.bytes.extend_from_slice(&x.to_le_bytes());
    }

    /// A whole number with a sign.
    pub fn signed(&mut self, x: i64) {
        self.bytes.extend_from_slice(&x.to_le_bytes());
    }

    /// A number.
    pub fn real(&mut self, x: f64) {
        self.bytes.extend_from_slice(&x.to_le_bytes());
    }

    /// Numbers without their count.
    pub fn plain(&mut self, numbers: &[f64]) {
        let before = self.bytes.len();
        self.bytes.resize(before + 8 * numbers.len(), 0);
        for (eight, x) in self.bytes[before..].as_chunks_mut::<8>().0.iter_mut().zip(numbers) {
            *eight = x.to_le_bytes();
        }
    }

    /// Numbers with their count.
    pub fn reals(&mut self, numbers: &[f64]) {
        self.whole(numbers.len() as u64);
        self.plain(numbers);
    }

    /// Bytes with their length, padded to eight.
    pub fn blob(&mut self, bytes: &[u8]) {
        self.whole(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
        let padded = self.bytes.len().next_multiple_of(8);
        self.bytes.resize(padded, 0);
    }

    /// Text.
    pub fn text(&mut self, text: &str) {
        self.blob(text.as_bytes());
    }
}

/// What is wrong with a malformed message.
pub type Malformed = String;

/// Reads fields from the front.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    /// A reader of a message.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    fn eight(&mut self) -> Result<[u8; 8], Malformed> {
        let Some((head, rest)) = self.bytes.split_first_chunk::<8>() else {
            return Err("a message ends in the middle of a field".to_string());
        };
        self.bytes = rest;
        Ok(*head)
    }

    /// A whole number.
    pub fn whole(&mut self) -> Result<u64, Malformed> {
        Ok(u64::from_le_bytes(self.eight()?))
    }

    /// A whole number with a sign.
    pub fn signed(&mut self) -> Result<i64, Malformed> {
        Ok(i64::from_le_bytes(self.eight()?))
    }

    /// A number.
    pub fn real(&mut self) -> Result<f64, Malformed> {
        Ok(f64::from_le_bytes(self.eight()?))
    }

    /// Three numbers.
    pub fn three(&mut self) -> Result<[f64; 3], Malformed> {
        Ok([self.real()?, self.real()?, self.real()?])
    }

    /// A count of elements of at least `size` fields each, no more than the message can hold.
    pub fn count(&mut self, size: usize) -> Result<usize, Malformed> {
        let count = self.whole()?;
        let most = self.bytes.len() / (8 * size);
        match usize::try_from(count) {
            Ok(count) if count <= most => Ok(count),
            _ => Err(format!("a message counts {count} elements and has room for {most}")),
        }
    }

    /// Numbers with their count, into `out`, whose length must equal the count.
    pub fn reals_into(&mut self, out: &mut [f64]) -> Result<(), Malformed> {
        let count = self.count(1)?;
        if count != out.len() {
            return Err(format!("a message has {count} numbers instead of {}", out.len()));
        }
        for (x, eight) in out.iter_mut().zip(self.chunks(count)?) {
            *x = f64::from_le_bytes(*eight);
        }
        Ok(())
    }

    /// Fields, all at once.
    fn chunks(&mut self, count: usize) -> Result<&'a [[u8; 8]], Malformed> {
        let Some((head, rest)) = self.bytes.split_at_checked(8 * count) else {
            return Err("a message ends in the middle of its numbers".to_string());
        };
        self.bytes = rest;
        Ok(head.as_chunks::<8>().0)
    }

    /// Numbers with their count, appended to `out`.
    pub fn reals_onto(&mut self, out: &mut Vec<f64>) -> Result<usize, Malformed> {
        let count = self.count(1)?;
        out.extend(self.chunks(count)?.iter().map(|eight| f64::from_le_bytes(*eight)));
        Ok(count)
    }

    /// Numbers with their count.
    pub fn reals(&mut self) -> Result<Vec<f64>, Malformed> {
        let mut out = Vec::new();
        self.reals_onto(&mut out)?;
        Ok(out)
    }

    /// Bytes with their length.
    pub fn blob(&mut self) -> Result<&'a [u8], Malformed> {
        let length = self.whole()?;
        let padded = usize::try_from(length).ok().and_then(|n| n.checked_next_multiple_of(8));
        match padded.and_then(|n| self.bytes.split_at_checked(n)) {
            Some((head, rest)) => {
                self.bytes = rest;
                Ok(&head[..length as usize])
            }
            None => Err(format!("a message announces {length} bytes and has {}", self.bytes.len())),
        }
    }

    /// Text.
    pub fn text(&mut self) -> Result<&'a str, Malformed> {
        std::str::from_utf8(self.blob()?).map_err(|_| "a text in a message is not UTF-8".to_string())
    }

    /// Fails if bytes are left.
    pub fn end(&self) -> Result<(), Malformed> {
        if self.bytes.is_empty() { Ok(()) } else { Err(format!("a message has {} bytes too many", self.bytes.len())) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_back_and_truncated_messages_are_malformed() {
        let mut out = Writer::default();
        out.whole(7);
        out.signed(-3);
        out.reals(&[1.5, f64::INFINITY, -0.0]);
        out.text("ünd");
        let read = |bytes: &[u8]| -> Result<(u64, i64, Vec<f64>, String), Malformed> {
            let mut r = Reader::new(bytes);
            let all = (r.whole()?, r.signed()?, r.reals()?, r.text()?.to_string());
            r.end()?;
            Ok(all)
        };
        let all = read(out.bytes()).unwrap();
        assert_eq!(all, (7, -3, vec![1.5, f64::INFINITY, 0.0], "ünd".to_string()));
        assert!((0..out.bytes().len()).all(|cut| read(&out.bytes()[..cut]).is_err()));
        // A count larger than the message allocates no memory.
        let huge = [7u64, 0, u64::MAX].map(u64::to_le_bytes).concat();
        assert!(read(&huge).unwrap_err().contains("has room for 0"));
    }
}
