//! Common Data Representation: the serialisation of ROS 2 messages.
//!
//! Four bytes state the byte order; then each number is aligned to its own size, counted from after those four. A text
//! is its length including the terminating zero, the bytes and the zero; a list is its length and its elements.

/// Bytes of a message, little endian.
pub struct CdrWriter {
    bytes: Vec<u8>,
}

/// Byte order, and two option bytes that are zero.
const HEADER: usize = 4;
const LITTLE_ENDIAN: [u8; HEADER] = [0, 1, 0, 0];
const BIG_ENDIAN: [u8; HEADER] = [0, 0, 0, 0];

impl CdrWriter {
    /// An empty message.
    pub fn new() -> Self {
        Self { bytes: LITTLE_ENDIAN.to_vec() }
    }

    /// The finished message.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// A byte or boolean.
    pub fn u8(&mut self, value: u8) -> &mut Self {
        self.bytes.push(value);
        self
    }

    pub fn u32(&mut self, value: u32) -> &mut Self {
        self.aligned(&value.to_le_bytes())
    }

    pub fn i32(&mut self, value: i32) -> &mut Self {
        self.aligned(&value.to_le_bytes())
    }

    pub fn i64(&mut self, value: i64) -> &mut Self {
        self.aligned(&value.to_le_bytes())
    }

    pub fn f32(&mut self, value: f32) -> &mut Self {
        self.aligned(&value.to_le_bytes())
    }

    pub fn f64(&mut self, value: f64) -> &mut Self {
        self.aligned(&value.to_le_bytes())
    }

    /// Numbers without a length before them.
    pub fn f64s(&mut self, values: &[f64]) -> &mut Self {
        for value in values {
            self.f64(*value);
        }
        self
    }

    /// A list of numbers.
    pub fn f64_list(&mut self, values: &[f64]) -> &mut Self {
        self.length(values.len()).f64s(values)
    }

    pub fn text(&mut self, text: &str) -> &mut Self {
        self.length(text.len() + 1);
        self.bytes.extend(text.as_bytes());
        self.u8(0)
    }

    /// The length of a list.
    pub fn length(&mut self, length: usize) -> &mut Self {
        // A message of four billion elements does not fit into memory.
        self.u32(length as u32)
    }

    fn aligned(&mut self, number: &[u8]) -> &mut Self {
        let padding = (self.bytes.len() - HEADER).next_multiple_of(number.len()) + HEADER - self.bytes.len();
        self.bytes.extend(std::iter::repeat_n(0, padding));
        self.bytes.extend(number);
        self
    }
}

/// A message being read. Every error names the byte of the message.
pub struct CdrReader<'a> {
    bytes: &'a [u8],
    at: usize,
    big_endian: bool,
}

impl<'a> CdrReader<'a> {
    /// Reads the first four bytes.
    pub fn new(bytes: &'a [u8]) -> Result<Self, String> {
        let kind: [u8; 2] = bytes.get(..2).and_then(|b| b.try_into().ok()).ok_or("the message is empty")?;
        if bytes.len() < HEADER || ![LITTLE_ENDIAN, BIG_ENDIAN].iter().any(|known| known[..2] == kind) {
            return Err(format!("the message begins with {kind:02x?}: only plain CDR (0, 0 or 0, 1) is supported"));
        }
        Ok(Self { bytes, at: HEADER, big_endian: kind == BIG_ENDIAN[..2] })
    }

    pub fn u32(&mut self) -> Result<u32, String> {
        let bytes = self.number()?;
        Ok(if self.big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
    }

    pub fn i32(&mut self) -> Result<i32, String> {
        self.u32().map(u32::cast_signed)
    }

    pub fn i64(&mut self) -> Result<i64, String> {
        let bytes = self.number()?;
        Ok(if self.big_endian { i64::from_be_bytes(bytes) } else { i64::from_le_bytes(bytes) })
    }

    pub fn f64(&mut self) -> Result<f64, String> {
        self.i64().map(|bits| f64::from_bits(bits.cast_unsigned()))
    }

    /// `N` numbers.
    pub fn f64s<const N: usize>(&mut self) -> Result<[f64; N], String> {
        let mut values = [0.0; N];
        for value in &mut values {
            *value = self.f64()?;
        }
        Ok(values)
    }

    pub fn f64_list(&mut self) -> Result<Vec<f64>, String> {
        let length = self.length(8)?;
        (0..length).map(|_| self.f64()).collect()
    }

    pub fn text(&mut self) -> Result<&'a str, String> {
        let length = self.length(1)?;
        let start = self.at;
        let bytes = self.take(length)?;
        // The terminating zero is counted; some writers leave it out of an empty text.
        let bytes = bytes.strip_suffix(&[0]).unwrap_or(bytes);
        std::str::from_utf8(bytes).map_err(|_| format!("the text at byte {start} of the message is not UTF-8"))
    }

    pub fn text_list(&mut self) -> Result<Vec<&'a str>, String> {
        // The shortest text is its length.
        let length = self.length(4)?;
        (0..length).map(|_| self.text()).collect()
    }

    /// The length of a list whose elements take at least `least` bytes: one that cannot fit is rejected before memory
    /// is allocated.
    pub fn length(&mut self, least: usize) -> Result<usize, String> {
        let length = self.u32()? as usize;
        let left = self.bytes.len() - self.at;
        if length.saturating_mul(least) > left {
            let at = self.at - 4;
            return Err(format!(
                "byte {at} of the message announces {length} elements, but only {left} bytes follow"
            ));
        }
        Ok(length)
    }

    fn number<const N: usize>(&mut self) -> Result<[u8; N], String> {
        self.at = (self.at - HEADER).next_multiple_of(N) + HEADER;
        let mut number = [0; N];
        number.copy_from_slice(self.take(N)?);
        Ok(number)
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let end = self.at.checked_add(count).filter(|end| *end <= self.bytes.len());
        let end = end.ok_or_else(|| format!("the message ends at byte {}, before a value", self.bytes.len()))?;
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_aligned_to_their_size_after_the_header() {
        let mut message = CdrWriter::new();
        message.u8(7).f64(1.5).text("ab").u32(9);
        #[rustfmt::skip]
        assert_eq!(message.bytes(), [
            0, 1, 0, 0,
            7, 0, 0, 0, 0, 0, 0, 0,
            0, 0, 0, 0, 0, 0, 0xf8, 0x3f,
            3, 0, 0, 0, b'a', b'b', 0, 0,
            9, 0, 0, 0,
        ]);
    }

    #[test]
    fn both_byte_orders_are_read() {
        let big = [0, 0, 0, 0, 0, 0, 0, 2, b'x', 0, 0, 0, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0];
        let mut reader = CdrReader::new(&big).unwrap();
        assert_eq!(reader.text(), Ok("x"));
        assert_eq!(reader.f64(), Ok(1.5));
        assert!(reader.u32().unwrap_err().contains("ends at byte 20"));
    }

    #[test]
    fn a_list_longer_than_the_message_is_rejected_before_memory_is_allocated() {
        let huge = [0, 1, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0];
        let said = CdrReader::new(&huge).unwrap().f64_list().unwrap_err();
        assert_eq!(said, "byte 4 of the message announces 4294967295 elements, but only 2 bytes follow");
        assert!(CdrReader::new(&[0, 3, 0, 0]).is_err());
        assert!(CdrReader::new(&[0]).is_err());
    }
}
