//! One pass over a block: find each record's end, its key and its stamp. The loop is compiled for each kind of key, each
//! hash and with or without time, so that no record pays for an option.

use super::super::timestamp::Stamp;
use super::key::{AnyKey, KeyOf, KeySource, KeySpec, OneField, WholeRecord};
use super::time::TimeReader;
use super::{Keyless, Records, Why};
use grudge::hash::{HashKey, KeyHasher};
use grudge::lines::find_ends;

/// Reads blocks of records that end with a terminator.
pub struct Reader {
    terminator: u8,
    max_record: usize,
    hasher: KeyHasher,
    key: Key,
    time: Option<TimeReader>,
}

/// The kinds of key that have a loop of their own.
enum Key {
    Whole(WholeRecord),
    OneField(OneField),
    Any(Box<AnyKey>),
}

impl Reader {
    pub fn new(terminator: u8, max_record: usize, hasher: KeyHasher, key: KeySpec, time: Option<TimeReader>) -> Reader {
        let plain = !key.ignore_case && !key.missing_is_empty;
        let key = match &key.source {
            KeySource::Whole if plain && time.is_none() => Key::Whole(WholeRecord),
            KeySource::Fields { numbers, separator } if plain && numbers.len() == 1 => {
                Key::OneField(OneField { number: numbers[0], separator: *separator })
            }
            _ => Key::Any(Box::new(AnyKey::new(key))),
        };
        Reader { terminator, max_record, hasher, key, time }
    }

    /// Reads all records of `block`, each of which ends with the terminator.
    pub fn read(&mut self, block: &[u8], records: &mut Records) {
        records.clear();
        let lines = Lines { block, terminator: self.terminator, max_record: self.max_record };
        match self.hasher {
            KeyHasher::Xxh3(hasher) => read_with(&lines, &hasher, &mut self.key, &mut self.time, records),
            KeyHasher::Sip13(hasher) => read_with(&lines, &hasher, &mut self.key, &mut self.time, records),
            KeyHasher::Sip24(hasher) => read_with(&lines, &hasher, &mut self.key, &mut self.time, records),
            _ => read_with(&lines, &self.hasher, &mut self.key, &mut self.time, records),
        }
    }
}

struct Lines<'a> {
    block: &'a [u8],
    terminator: u8,
    max_record: usize,
}

fn read_with<H: HashKey>(
    lines: &Lines<'_>,
    hasher: &H,
    key: &mut Key,
    time: &mut Option<TimeReader>,
    records: &mut Records,
) {
    match key {
        Key::Whole(key) => read_all(lines, hasher, key, time, records),
        Key::OneField(key) => read_all(lines, hasher, key, time, records),
        Key::Any(key) => read_all(lines, hasher, key.as_mut(), time, records),
    }
}

fn read_all<H: HashKey, K: KeyOf>(
    lines: &Lines<'_>,
    hasher: &H,
    key: &mut K,
    time: &mut Option<TimeReader>,
    records: &mut Records,
) {
    let Records { ends, hashes, stamps, keyless } = records;
    match time {
        None => each_record(lines, ends, hashes, keyless, |record| key.hash(hasher, record?, &[]).ok_or(Why::Missing)),
        Some(time) => each_record(lines, ends, hashes, keyless, |record| {
            let stamp = record.map_or(Stamp::None, |record| time.read(record));
            stamps.push(stamp);
            if stamp == Stamp::Bad {
                return Err(Why::Bad);
            }
            key.hash(hasher, record?, time.ranges()).ok_or(Why::Missing)
        }),
    }
}

/// The one loop over a block. `hash_of` is given each record, or why it cannot be read.
#[inline(always)]
fn each_record<'a>(
    lines: &Lines<'a>,
    ends: &mut Vec<u32>,
    hashes: &mut Vec<u64>,
    keyless: &mut Vec<Keyless>,
    mut hash_of: impl FnMut(Result<&'a [u8], Why>) -> Result<u64, Why>,
) {
    find_ends(lines.block, lines.terminator, ends);
    let mut start = 0;
    for (index, end) in ends.iter().enumerate() {
        let end = *end as usize;
        let mut record = &lines.block[start..end - 1];
        // A carriage return right before a newline belongs to the line's ending, whatever the other lines have.
        if lines.terminator == b'\n' && record.last() == Some(&b'\r') {
            record = &record[..record.len() - 1];
        }
        start = end;
        match hash_of(if record.len() <= lines.max_record { Ok(record) } else { Err(Why::Bad) }) {
            Ok(hash) => hashes.push(hash),
            Err(why) => keyless.push(Keyless { index: index as u32, why }),
        }
    }
}
