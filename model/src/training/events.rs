//! The log as an event file of TensorBoard: `tensorboard --logdir MODEL` shows it.
//!
//! A record is the length of its data as u64, the masked CRC-32C of these eight bytes, the data and
//! their masked CRC-32C; all little-endian. The data are an `Event` in protocol buffers
//! (tensorflow/core/util/event.proto): wall_time = 1, step = 2, file_version = 3, summary = 5, which
//! has values = 1 with tag = 1 and simple_value = 2.

use crate::training::log::Evaluation;
use anyhow::{Context, Result};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use support::write_atomic;

/// The file; TensorBoard knows it by a part of its name.
pub const EVENTS_FILE: &str = "events.out.tfevents.cairn";

/// Writes the file anew with all validations.
///
/// # Errors
/// What the file system says.
pub fn rewrite(directory: &Path, log: &[Evaluation]) -> Result<()> {
    let time = log.first().map_or(0.0, |e| e.time);
    let version = [double(1, time), bytes(3, b"brain.Event:2")].concat();
    let mut file = record(&version);
    log.iter().for_each(|e| file.extend(record(&event(e))));
    write_atomic(&directory.join(EVENTS_FILE), &file)
}

/// Appends a validation, so that a TensorBoard that has the file open sees it.
///
/// # Errors
/// What the file system says.
pub fn append(directory: &Path, evaluation: &Evaluation) -> Result<()> {
    let path = directory.join(EVENTS_FILE);
    OpenOptions::new()
        .append(true)
        .open(&path)
        .and_then(|mut file| file.write_all(&record(&event(evaluation))))
        .with_context(|| format!("cannot write {}", path.display()))
}

fn event(e: &Evaluation) -> Vec<u8> {
    let values = [
        ("loss/training", e.train_loss),
        ("loss/validation", e.validation_loss),
        ("loss/unigram", e.unigram_loss),
        ("accuracy/training", e.train_accuracy),
        ("accuracy/validation", e.validation_accuracy),
        ("gradient_norm", e.gradient_norm),
        ("learning_rate", e.learning_rate as f32),
        ("tokens_per_second", e.tokens_per_second as f32),
        ("seconds_left", e.seconds_left as f32),
        ("epoch", e.epoch as f32),
    ];
    let value = |(tag, value): (&str, f32)| {
        let value = [&[2 << 3 | 5][..], &value.to_le_bytes()].concat();
        bytes(1, &[bytes(1, tag.as_bytes()), value].concat())
    };
    let summary: Vec<u8> = values.into_iter().flat_map(value).collect();
    [double(1, e.time), [vec![2 << 3], varint(e.step)].concat(), bytes(5, &summary)].concat()
}

/// A field of kind double.
fn double(field: u8, x: f64) -> Vec<u8> {
    [&[field << 3 | 1][..], &x.to_le_bytes()].concat()
}

/// A field of bytes, a text or a message.
fn bytes(field: u8, content: &[u8]) -> Vec<u8> {
    [vec![field << 3 | 2], varint(content.len() as u64), content.to_vec()].concat()
}

fn varint(mut n: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
    out
}

fn record(data: &[u8]) -> Vec<u8> {
    let length = (data.len() as u64).to_le_bytes();
    let checksum = |bytes: &[u8]| masked(crc32c::crc32c(bytes)).to_le_bytes();
    [&length[..], &checksum(&length), data, &checksum(data)].concat()
}

/// A checksum that is stored beside what it is of, so that it is not one of itself.
fn masked(crc: u32) -> u32 {
    crc.rotate_right(15).wrapping_add(0xa282_ead8)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A field of a message: its number, and its bits or bytes.
    #[derive(Debug, PartialEq)]
    enum Field {
        Bits(u64),
        Bytes(Vec<u8>),
    }

    fn message(mut data: &[u8]) -> Vec<(u8, Field)> {
        fn number(data: &mut &[u8]) -> u64 {
            let (mut n, mut shift) = (0, 0);
            loop {
                let byte = data[0];
                *data = &data[1..];
                n |= u64::from(byte & 0x7f) << shift;
                shift += 7;
                if byte < 0x80 {
                    return n;
                }
            }
        }
        let mut fields = Vec::new();
        while let [key, rest @ ..] = data {
            data = rest;
            let mut take = |n: usize| {
                let (taken, rest) = data.split_at(n);
                data = rest;
                taken.to_vec()
            };
            let field = match key & 7 {
                1 => Field::Bits(u64::from_le_bytes(take(8).try_into().unwrap())),
                5 => Field::Bits(u32::from_le_bytes(take(4).try_into().unwrap()).into()),
                0 => Field::Bits(number(&mut data)),
                _ => {
                    let n = number(&mut data) as usize;
                    let (taken, rest) = data.split_at(n);
                    data = rest;
                    Field::Bytes(taken.to_vec())
                }
            };
            fields.push((key >> 3, field));
        }
        fields
    }

    /// The events of a file, whose checksums are compared.
    fn events(mut file: &[u8]) -> Vec<Vec<(u8, Field)>> {
        let mut found = Vec::new();
        while !file.is_empty() {
            let length = u64::from_le_bytes(file[..8].try_into().unwrap()) as usize;
            let crc = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
            assert_eq!(crc(8), masked(crc32c::crc32c(&file[..8])));
            let data = &file[12..12 + length];
            assert_eq!(crc(12 + length), masked(crc32c::crc32c(data)));
            found.push(message(data));
            file = &file[16 + length..];
        }
        found
    }

    #[test]
    fn what_was_measured_comes_back() {
        let directory = tempfile::tempdir().unwrap();
        let validation_loss = 2.0;
        let evaluation =
            |step| Evaluation { step, time: 17.5, validation_loss, ..Evaluation::default() };
        let log = [evaluation(100), evaluation(100_000)];
        rewrite(directory.path(), &log).unwrap();
        let whole = std::fs::read(directory.path().join(EVENTS_FILE)).unwrap();
        rewrite(directory.path(), &log[..1]).unwrap();
        append(directory.path(), &log[1]).unwrap();
        assert_eq!(std::fs::read(directory.path().join(EVENTS_FILE)).unwrap(), whole);

        let events = events(&whole);
        assert_eq!(events.len(), 3);
        assert_eq!(events[0][1], (3, Field::Bytes(b"brain.Event:2".to_vec())));
        assert_eq!(events[2][0], (1, Field::Bits(17.5f64.to_bits())));
        assert_eq!(events[2][1], (2, Field::Bits(100_000)));
        let (5, Field::Bytes(summary)) = &events[2][2] else { panic!("no summary") };
        let values = message(summary);
        assert_eq!(values.len(), 10);
        let Field::Bytes(value) = &values[1].1 else { panic!("no value") };
        let value = message(value);
        assert_eq!(value[0], (1, Field::Bytes(b"loss/validation".to_vec())));
        let expected = log[1].validation_loss.to_bits();
        assert_eq!(value[1], (2, Field::Bits(expected.into())));
    }

    /// The checksum of a record's length in a file that TensorFlow wrote (length 24).
    #[test]
    fn checksums_are_those_of_the_format() {
        assert_eq!(crc32c::crc32c(b"123456789"), 0xe306_9283);
        assert_eq!(masked(0), 0xa282_ead8);
    }
}
