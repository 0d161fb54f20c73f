//! What a message looks like: JSON, binary or plain numbers.
//!
//! | format | robot to program | program to robot |
//! |---|---|---|
//! | `json` | `{"sequence":3,"time_s":0.03,"observation":{"arm/elbow/position":0.1}}` | `{"command":{"efforts/elbow":1.5}}` or `{"command":[1.5]}` |
//! | `binary` | head, then one f64 for each channel | head, then one f64 for each command |
//! | `text` | `0.1 0.0` | `1.5` |
//!
//! A JSON or text message ends with a newline, which a datagram may leave out. A value that is not known yet is `null`
//! in JSON and NaN elsewhere. All numbers are printed so that reading them gives the same bits. The binary head, little
//! endian: `VLK1`, number of values (u32), sequence (u64), time [ns] (i64); the robot ignores sequence and time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io::Write;

/// What a message looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// One JSON object in a line: named values.
    #[default]
    Json,
    /// A head of 24 bytes and numbers of 8 bytes.
    Binary,
    /// Numbers in a line, separated by blanks or commas.
    Text,
}

/// First bytes of a binary message.
pub const MAGIC: &[u8; 4] = b"VLK1";
/// Bytes before the numbers of a binary message.
pub const HEAD: usize = 24;

/// An observation to send.
pub struct MessageBody<'a> {
    /// Its number, from 1.
    pub sequence: u64,
    /// Its instant [ns].
    pub time_ns: i64,
    /// Names in JSON, with quotes, and values.
    pub values: &'a mut dyn Iterator<Item = (&'a str, f64)>,
}

/// A name as JSON writes it.
pub fn quoted(name: &str) -> String {
    serde_json::Value::from(name).to_string()
}

impl Format {
    /// Writes a message into an empty buffer.
    pub fn write(self, sample: MessageBody<'_>, out: &mut Vec<u8>) {
        // Writing to memory does not fail.
        let _ = self.try_write(sample, out);
    }

    fn try_write(self, sample: MessageBody<'_>, out: &mut Vec<u8>) -> std::io::Result<()> {
        let time_s = sample.time_ns as f64 / 1e9;
        match self {
            Self::Json => {
                write!(out, "{{\"sequence\":{},\"time_s\":{time_s:?},\"observation\":{{", sample.sequence)?;
                for (i, (name, value)) in sample.values.enumerate() {
                    out.extend_from_slice(if i == 0 { b"" } else { b"," });
                    if value.is_finite() {
                        write!(out, "{name}:{value:?}")?;
                    } else {
                        write!(out, "{name}:null")?;
                    }
                }
                out.extend_from_slice(b"}}\n");
            }
            Self::Binary => {
                out.extend_from_slice(MAGIC);
                out.extend_from_slice(&0u32.to_le_bytes());
                out.extend_from_slice(&sample.sequence.to_le_bytes());
                out.extend_from_slice(&sample.time_ns.to_le_bytes());
                let mut count = 0u32;
                for (_, value) in sample.values {
                    out.extend_from_slice(&value.to_le_bytes());
                    count += 1;
                }
                out[4..8].copy_from_slice(&count.to_le_bytes());
            }
            Self::Text => {
                for (i, (_, value)) in sample.values.enumerate() {
                    out.extend_from_slice(if i == 0 { b"" } else { b" " });
                    write!(out, "{value:?}")?;
                }
                out.push(b'\n');
            }
        }
        Ok(())
    }

    /// Reads a command into `row`, which holds the last one: channels that a JSON object does not name keep their
    /// values. `Ok(false)` for a message without a command, such as a greeting. `Err` says what is wrong with it.
    pub fn read(self, message: &[u8], names: &[String], row: &mut [f64]) -> Result<bool, String> {
        match self {
            Self::Json => read_json(message, names, row),
            Self::Binary => read_binary(message, row),
            Self::Text => read_text(message, row),
        }
    }

    /// Length of the first message of a stream; `None` if it is not complete.
    pub fn end_of(self, bytes: &[u8]) -> Result<Option<usize>, String> {
        if self != Self::Binary {
            return Ok(bytes.iter().position(|b| *b == b'\n').map(|place| place + 1));
        }
        let Some(head) = bytes.get(..HEAD) else { return Ok(None) };
        if !head.starts_with(MAGIC) {
            return Err("a binary message does not begin with VLK1".to_string());
        }
        let length = HEAD + 8 * binary_count(head);
        Ok((bytes.len() >= length).then_some(length))
    }
}

fn binary_count(head: &[u8]) -> usize {
    u32::from_le_bytes([head[4], head[5], head[6], head[7]]) as usize
}

fn read_json(message: &[u8], names: &[String], row: &mut [f64]) -> Result<bool, String> {
    #[derive(Deserialize)]
    struct Message {
        command: Option<Values>,
    }
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Values {
        InOrder(Vec<Option<f64>>),
        Named(std::collections::BTreeMap<String, Option<f64>>),
    }
    let message: Message = serde_json::from_slice(message).map_err(|e| e.to_string())?;
    // JSON has no NaN: null stands for it, and is rejected like every command that is not finite.
    let number = |value: Option<f64>| value.unwrap_or(f64::NAN);
    match message.command {
        None => return Ok(false),
        Some(Values::InOrder(values)) => {
            count(values.len(), row.len())?;
            row.iter_mut().zip(values).for_each(|(to, value)| *to = number(value));
        }
        Some(Values::Named(values)) => {
            for (name, value) in values {
                let place = veracity_client::channel_place(names.iter().map(String::as_str), &name)
                    .ok_or_else(|| format!("'{name}' is not one of its commands: {}", names.join(", ")))?;
                row[place] = number(value);
            }
        }
    }
    Ok(true)
}

fn read_binary(message: &[u8], row: &mut [f64]) -> Result<bool, String> {
    if message.len() < HEAD || !message.starts_with(MAGIC) {
        return Err("a binary message begins with VLK1 and has a head of 24 bytes".to_string());
    }
    let (head, body) = message.split_at(HEAD);
    if body.len() != 8 * binary_count(head) {
        return Err(format!("its head says {} numbers, {} bytes follow", binary_count(head), body.len()));
    }
    if body.is_empty() {
        return Ok(false);
    }
    count(body.len() / 8, row.len())?;
    for (to, eight) in row.iter_mut().zip(body.chunks_exact(8)) {
        *to = eight.try_into().map_or(f64::NAN, f64::from_le_bytes);
    }
    Ok(true)
}

fn read_text(message: &[u8], row: &mut [f64]) -> Result<bool, String> {
    let text = std::str::from_utf8(message).map_err(|e| e.to_string())?.trim();
    if text.is_empty() {
        return Ok(false);
    }
    let words: Vec<&str> = text.split([' ', ',', '\t', ';']).filter(|word| !word.is_empty()).collect();
    let numbers: Result<Vec<f64>, _> = words.iter().map(|word| word.parse::<f64>()).collect();
    let numbers =
        numbers.map_err(|_| format!("'{}' is not a line of numbers", text.chars().take(60).collect::<String>()))?;
    count(numbers.len(), row.len())?;
    row.copy_from_slice(&numbers);
    Ok(true)
}

fn count(given: usize, wanted: usize) -> Result<(), String> {
    if given == wanted { Ok(()) } else { Err(format!("a command of {given} numbers, {wanted} expected")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(format: Format, values: &[(&str, f64)]) -> Vec<u8> {
        let mut out = Vec::new();
        format.write(MessageBody { sequence: 3, time_ns: 30_000_000, values: &mut values.iter().copied() }, &mut out);
        out
    }

    #[test]
    fn an_observation_reads_as_documented() {
        let (q, v) = (quoted("a/q"), quoted("a/v"));
        let values = [(q.as_str(), 0.1), (v.as_str(), f64::NAN)];
        assert_eq!(
            message(Format::Json, &values),
            b"{\"sequence\":3,\"time_s\":0.03,\"observation\":{\"a/q\":0.1,\"a/v\":null}}\n"
        );
        assert_eq!(message(Format::Text, &values), b"0.1 NaN\n");
        let binary = message(Format::Binary, &values);
        assert_eq!((&binary[..4], binary.len()), (&MAGIC[..], HEAD + 16));
        assert_eq!(binary[24..32], 0.1f64.to_le_bytes());
    }

    #[test]
    fn numbers_survive_every_format_to_the_bit() {
        let names = ["a/u".to_string()];
        for value in [0.1, -1.0 / 3.0, 1e-300, 12345678.9, f64::MIN_POSITIVE, -0.0] {
            for format in [Format::Json, Format::Text, Format::Binary] {
                let sent = match format {
                    Format::Json => format!("{{\"command\":[{value:?}]}}").into_bytes(),
                    _ => message(format, &[("", value)]),
                };
                let mut row = [7.0];
                assert_eq!(format.read(&sent, &names, &mut row), Ok(true));
                assert_eq!(row[0].to_bits(), f64::to_bits(value), "{format:?}");
                assert!(format.end_of(&[&sent[..], b"\n"].concat()).unwrap().is_some());
            }
        }
    }

    #[test]
    fn commands_by_name_keep_the_others_and_wrong_ones_say_why() {
        let names = ["efforts/hip".to_string(), "efforts/knee".to_string()];
        let mut row = [1.0, 2.0];
        let mut read =
            |format: Format, text: &str| format.read(text.as_bytes(), &names, &mut row).map(|any| (any, row));
        assert_eq!(read(Format::Json, "{\"command\":{\"knee\":5}}"), Ok((true, [1.0, 5.0])));
        assert_eq!(read(Format::Json, "{}"), Ok((false, [1.0, 5.0])));
        assert_eq!(read(Format::Text, "3, 4"), Ok((true, [3.0, 4.0])));
        assert_eq!(read(Format::Text, "\n"), Ok((false, [3.0, 4.0])));
        assert!(read(Format::Json, "{\"command\":{\"toe\":5}}").unwrap_err().contains("efforts/hip, efforts/knee"));
        assert!(read(Format::Json, "{\"command\":[1]}").unwrap_err().contains("1 numbers, 2 expected"));
        assert!(read(Format::Text, "ready").unwrap_err().contains("not a line of numbers"));
        assert!(read(Format::Binary, "hello").unwrap_err().contains("VLK1"));
        assert!(Format::Binary.end_of(b"hello, hello, hello, hello").is_err());
        assert!(read(Format::Json, "{\"command\":[null,1]}").unwrap().1[0].is_nan());
    }
}
