//! Long arrays in few characters. A report of every engine holds millions of numbers, nearly all of them close to a
//! prediction from the previous ones; only the difference is written.
//!
//! The numbers x are whole, in columns (a coordinate of a body over time is one column). For each column, with its own
//! order p of 0 to 3, whichever gives the shortest result:
//!
//! 1. `r_i = Δ^min(i, p) x_i`: the difference from a polynomial extrapolation of the previous numbers, as in lossless
//!    audio;
//! 2. `u_i = 2 r_i` for `r_i >= 0`, else `-2 r_i - 1`: small whatever the sign;
//! 3. `u_i` in bytes of seven bits, lowest first; the eighth bit means that more follow.
//!
//! The text is base64 (RFC 4648) of raw deflate (RFC 1951) of: the number of columns, the count of numbers in each,
//! both as (3), then column by column its order as one byte and its `u_i`. Browsers can inflate that natively;
//! `web/src/data/pack.ts` is the decoder.

use crate::base64;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use std::io::{Read, Write};

/// Limit on the numbers: the page computes in doubles, which hold third differences of these exactly.
pub const LARGEST: i64 = 1 << 48;
/// Limit on the inflated bytes, whatever the text claims.
const MOST_BYTES: u64 = 1 << 26;

/// Packs whole numbers, row by row, as text. The last row must be complete and no number beyond [`LARGEST`].
pub fn pack(numbers: &[i64], columns: usize) -> String {
    let columns = columns.max(1);
    debug_assert!(
        numbers.len().is_multiple_of(columns) && numbers.iter().all(|x| x.unsigned_abs() <= LARGEST as u64)
    );
    let rows = numbers.len() / columns;
    let mut bytes = Vec::with_capacity(numbers.len() + 2 * columns + 8);
    push(&mut bytes, columns as u64);
    push(&mut bytes, rows as u64);
    let mut column = Vec::with_capacity(rows);
    for at in 0..columns {
        column.clear();
        column.extend(numbers.iter().skip(at).step_by(columns));
        let order = (0..=3).min_by_key(|order| weight(&column, *order)).unwrap_or(0);
        bytes.push(order as u8);
        for index in 0..rows {
            let rest = residual(&column, index, order);
            push(&mut bytes, ((rest << 1) ^ (rest >> 63)) as u64);
        }
    }
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    // Writing to memory cannot fail.
    let _ = encoder.write_all(&bytes);
    base64::encode(&encoder.finish().unwrap_or_default())
}

/// The numbers, row by row, and how many there are in a row; or what is wrong with the text.
pub fn unpack(text: &str) -> Result<(usize, Vec<i64>), &'static str> {
    let packed = base64::decode(text).ok_or("an array that is not base64")?;
    let mut bytes = Vec::new();
    DeflateDecoder::new(&packed[..])
        .take(MOST_BYTES)
        .read_to_end(&mut bytes)
        .map_err(|_| "an array that does not inflate")?;
    let mut rest = &bytes[..];
    let columns = pull(&mut rest)? as usize;
    let rows = pull(&mut rest)? as usize;
    // Every number has a byte and every column one more: a count above that is rejected before memory is allocated.
    let wanted = rows.checked_add(1).and_then(|each| each.checked_mul(columns));
    if wanted.is_none_or(|wanted| wanted > rest.len()) {
        return Err("a truncated array");
    }
    let mut numbers = vec![0i64; rows * columns];
    for at in 0..columns {
        let (order, after) = rest.split_first().ok_or("a truncated array")?;
        rest = after;
        if *order > 3 {
            return Err("an array of an unknown order");
        }
        let mut before = [0i64; 3];
        for index in 0..rows {
            let coded = pull(&mut rest)?;
            let rest_of = (coded >> 1) as i64 ^ -((coded & 1) as i64);
            let value = predicted(before, index.min(*order as usize)) + rest_of;
            if value.unsigned_abs() > LARGEST as u64 {
                return Err("an array with a number that is too large");
            }
            numbers[index * columns + at] = value;
            before = [value, before[0], before[1]];
        }
    }
    if rest.is_empty() { Ok((columns, numbers)) } else { Err("an array with trailing data") }
}

/// (1), with the last number first.
fn predicted([a, b, c]: [i64; 3], order: usize) -> i64 {
    match order {
        0 => 0,
        1 => a,
        2 => 2 * a - b,
        _ => 3 * (a - b) + c,
    }
}

fn residual(column: &[i64], index: usize, order: usize) -> i64 {
    let back = |by: usize| index.checked_sub(by).map_or(0, |at| column[at]);
    column[index] - predicted([back(1), back(2), back(3)], index.min(order))
}

/// Approximate size of a column in bits.
fn weight(column: &[i64], order: usize) -> u64 {
    let bits = |index| u64::from(64 - residual(column, index, order).unsigned_abs().leading_zeros());
    (0..column.len()).map(bits).sum()
}

fn push(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn pull(bytes: &mut &[u8]) -> Result<u64, &'static str> {
    let mut value = 0u64;
    // Eight bytes are 56 bits, more than a third difference of the largest number needs.
    for place in 0..8 {
        let (first, after) = bytes.split_first().ok_or("a truncated array")?;
        *bytes = after;
        value |= u64::from(first & 0x7f) << (7 * place);
        if first & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err("an array with a number that is too large")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn back(numbers: &[i64], columns: usize) {
        assert_eq!(unpack(&pack(numbers, columns)), Ok((columns, numbers.to_vec())));
    }

    #[test]
    fn every_number_is_read_back() {
        back(&[], 1);
        back(&[0], 1);
        back(&[LARGEST, -LARGEST, LARGEST, -LARGEST, LARGEST], 1);
        back(&(-300..300).flat_map(|i: i64| [i * i * i, 7, i % 5 - 2]).collect::<Vec<i64>>(), 3);
    }

    /// Also read by the page's own test, so that the format is fixed independently of this code.
    #[test]
    fn the_text_has_the_documented_format() {
        // Two columns of three: 5 6 7 (order 1: 5 1 1) and 0 0 -1 (order 0 weighs no more than any other).
        let bytes = [2, 3, 1, 10, 2, 2, 0, 0, 0, 1];
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::none());
        encoder.write_all(&bytes).unwrap();
        let text = base64::encode(&encoder.finish().unwrap());
        assert_eq!(unpack(&text), Ok((2, vec![5, 0, 6, 0, 7, -1])));
        assert_eq!(pack(&[5, 0, 6, 0, 7, -1], 2), "Y2Jm4mJiAAJGAA==");
        assert_eq!(unpack("Y2Jm4mJiAAJGAA=="), Ok((2, vec![5, 0, 6, 0, 7, -1])));
    }

    #[test]
    fn smooth_motion_costs_a_fraction_of_its_single_precision() {
        // A swing of 1 m in 40 frames, to 2^-16 of it: the third difference is (2π/40)³ = 4e-3 of it, 250 steps and
        // less, which is nine bits with the sign where single precision has 32.
        let swing: Vec<i64> = (0..400).map(|i| (libm::sin(f64::from(i) * 0.157) * 65536.0).round() as i64).collect();
        let text = pack(&swing, 1);
        assert!(2 * text.len() < 400 * 32 / 6, "{} characters", text.len());
        // A constant column costs nothing.
        assert!(pack(&vec![12_345; 40_000], 4).len() < 150);
    }

    #[test]
    fn damaged_text_is_an_error_and_never_a_panic() {
        let text = pack(&(0..500).map(|i| i * i % 97).collect::<Vec<i64>>(), 5);
        for length in 0..text.len() {
            assert!(unpack(&text[..length]).is_err(), "cut to {length} of {} characters", text.len());
        }
        for place in 0..text.len() {
            let mut other: Vec<u8> = text.bytes().collect();
            other[place] = if other[place] == b'A' { b'z' } else { b'A' };
            // Some other array, or an error; both are allowed.
            let _ = unpack(&String::from_utf8(other).unwrap());
        }
        let raw = |bytes: &[u8]| {
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
            encoder.write_all(bytes).unwrap();
            unpack(&base64::encode(&encoder.finish().unwrap()))
        };
        assert_eq!(raw(&[1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0]), Err("a truncated array"));
        assert_eq!(raw(&[1, 1, 4, 0]), Err("an array of an unknown order"));
        assert_eq!(raw(&[1, 1, 0, 0, 0]), Err("an array with trailing data"));
        let huge = [1, 1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1];
        assert_eq!(raw(&huge), Err("an array with a number that is too large"));
    }
}
