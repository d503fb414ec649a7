//! One pass over a block: find each record's end, its key and its stamp. The loop is compiled for each kind of key, each
//! hash and with or without time, so that no record pays for an option.

use super::super::timestamp::Stamp;
use super::access_log;
use super::key::{AnyKey, KeyOf, KeySource, KeySpec, OneAccessField, OneNumber, WholeRecord};
use super::parts::Part;
use super::sift::Sift;
use super::time::{DECIDE_WITHIN, TimeReader};
use super::{Keyless, Records, StampPlace, Why};
use grudge::hash::{HashKey, KeyHasher};
use grudge::lines::find_ends;

/// The line with which `tail -F a b` announces that it goes on with another file.
const BANNER_START: &[u8] = b"==> ";
const BANNER_END: &[u8] = b" <==";

/// How records are read.
#[derive(Debug, Clone, Copy)]
pub struct ReadOptions {
    /// The byte that ends a record.
    pub terminator: u8,
    /// Bytes of the longest record that is not bad.
    pub max_record: usize,
    /// Whether the banners of `tail -F a b` are no records.
    pub banners: bool,
    /// Whether it is told where the stamps stand.
    pub stamp_places: bool,
    /// Whether the key is made of fields of an access log.
    pub access_log: bool,
}

/// Reads blocks of records that end with a terminator.
pub struct Reader {
    options: ReadOptions,
    hasher: KeyHasher,
    key: Key,
    time: Option<TimeReader>,
    sift: Sift,
    /// Records in which an access-log line is still looked for, where the key is made of its fields.
    unknown: u32,
}

/// The kinds of key that have a loop of their own.
enum Key {
    Whole(WholeRecord),
    OneNumber(OneNumber),
    OneAccessField(OneAccessField),
    Any(Box<AnyKey>),
}

impl Reader {
    pub fn new(options: ReadOptions, hasher: KeyHasher, key: KeySpec, time: Option<TimeReader>, sift: Sift) -> Reader {
        let plain = !key.ignore_case && !key.missing_is_empty;
        let key = match &key.source {
            KeySource::Whole if plain && (time.is_none() || key.keep_time) => Key::Whole(WholeRecord),
            KeySource::Parts(parts) if plain => match parts.single() {
                Some(Part::Number(number)) => Key::OneNumber(OneNumber { number, separator: parts.separator() }),
                Some(Part::Access(field)) => Key::OneAccessField(OneAccessField(field)),
                None => Key::Any(Box::new(AnyKey::new(key))),
            },
            _ => Key::Any(Box::new(AnyKey::new(key))),
        };
        let unknown = if options.access_log { DECIDE_WITHIN } else { 0 };
        Reader { options, hasher, key, time, sift, unknown }
    }

    /// Reads all records of `block`, each of which ends with the terminator.
    pub fn read(&mut self, block: &[u8], records: &mut Records) {
        records.clear();
        match self.hasher {
            KeyHasher::Xxh3(hasher) => self.read_with(&hasher, block, records),
            KeyHasher::Sip13(hasher) => self.read_with(&hasher, block, records),
            KeyHasher::Sip24(hasher) => self.read_with(&hasher, block, records),
            hasher => self.read_with(&hasher, block, records),
        }
        if self.unknown > 0 {
            let ends = records.ends.iter().map(|end| *end as usize);
            let starts = std::iter::once(0).chain(ends.clone());
            let mut lines = starts.zip(ends).take(self.unknown as usize);
            records.is_access_log = lines.any(|(start, end)| {
                access_log::is_access_line(content(&block[start..end - 1], self.options.terminator))
            });
            self.unknown =
                if records.is_access_log { 0 } else { self.unknown.saturating_sub(records.ends.len() as u32) };
        }
        records.form = self.time.as_ref().and_then(TimeReader::form);
    }

    fn read_with<H: HashKey>(&mut self, hasher: &H, block: &[u8], records: &mut Records) {
        let Reader { options, key, time, sift, .. } = self;
        match key {
            Key::Whole(key) => read_all(options, hasher, key, time, sift, block, records),
            Key::OneNumber(key) => read_all(options, hasher, key, time, sift, block, records),
            Key::OneAccessField(key) => read_all(options, hasher, key, time, sift, block, records),
            Key::Any(key) => read_all(options, hasher, key.as_mut(), time, sift, block, records),
        }
    }
}

fn read_all<H: HashKey, K: KeyOf>(
    options: &ReadOptions,
    hasher: &H,
    key: &mut K,
    time: &mut Option<TimeReader>,
    sift: &Sift,
    block: &[u8],
    records: &mut Records,
) {
    let Records { ends, hashes, stamps, keyless, stamp_places, .. } = records;
    let mut key_of = |record: &[u8], ranges: &[_]| key.hash(hasher, record, ranges).ok_or(Why::Missing);
    match time {
        None if sift.is_idle() => each_record(options, block, ends, hashes, keyless, |record| key_of(record?, &[])),
        None => {
            each_record(options, block, ends, hashes, keyless, |record| sifted(sift, record?, || key_of(record?, &[])))
        }
        Some(time) => each_record(options, block, ends, hashes, keyless, |record| {
            let stamp = record.map_or(Stamp::None, |record| time.read(record));
            if options.stamp_places && record.is_ok() {
                let index = stamps.len() as u32;
                stamp_places.extend(time.ranges().iter().cloned().map(|range| StampPlace { index, range }));
            }
            stamps.push(stamp);
            if stamp == Stamp::Bad {
                return Err(Why::BadStamp);
            }
            if sift.is_idle() {
                return key_of(record?, time.ranges());
            }
            sifted(sift, record?, || key_of(record?, time.ranges()))
        }),
    }
}

/// The hash of a record's key, unless the record is let be.
fn sifted(sift: &Sift, record: &[u8], hash: impl FnOnce() -> Result<u64, Why>) -> Result<u64, Why> {
    if !sift.selects(record) {
        return Err(Why::Exempt);
    }
    hash().and_then(|hash| if sift.exempts(hash) { Err(Why::Exempt) } else { Ok(hash) })
}

/// The one loop over a block. `hash_of` is given each record, or why it cannot be read.
#[inline(always)]
fn each_record<'a>(
    options: &ReadOptions,
    block: &'a [u8],
    ends: &mut Vec<u32>,
    hashes: &mut Vec<u64>,
    keyless: &mut Vec<Keyless>,
    mut hash_of: impl FnMut(Result<&'a [u8], Why>) -> Result<u64, Why>,
) {
    find_ends(block, options.terminator, ends);
    let mut start = 0;
    for (index, end) in ends.iter().enumerate() {
        let end = *end as usize;
        let record = content(&block[start..end - 1], options.terminator);
        start = end;
        let readable = if record.len() > options.max_record {
            Err(Why::TooLong)
        } else if options.banners && record.starts_with(BANNER_START) && record.ends_with(BANNER_END) {
            Err(Why::Banner)
        } else {
            Ok(record)
        };
        match hash_of(readable) {
            Ok(hash) => hashes.push(hash),
            Err(why) => keyless.push(Keyless { index: index as u32, why }),
        }
    }
}

/// A record without its terminator. A carriage return right before a newline belongs to the line's ending, whatever the
/// other lines have.
#[inline(always)]
pub fn content(record: &[u8], terminator: u8) -> &[u8] {
    match record {
        [content @ .., b'\r'] if terminator == b'\n' => content,
        _ => record,
    }
}

#[cfg(test)]
mod tests {
    use super::super::fields::Separator;
    use super::super::parts::Parts;
    use super::super::time::TimeSource;
    use super::*;
    use crate::timestamp::{StampOptions, StampReader};
    use grudge::hash::{Algorithm, Seed};

    const OPTIONS: ReadOptions =
        ReadOptions { terminator: b'\n', max_record: 1000, banners: true, stamp_places: false, access_log: false };

    fn reader(source: KeySource, time: Option<TimeSource>) -> Reader {
        let key = KeySpec { source, ignore_case: false, missing_is_empty: false, keep_time: false };
        let time =
            time.map(|source| TimeReader::new(source, StampReader::new(StampOptions::default()).unwrap(), false));
        let hasher = KeyHasher::new(Algorithm::Xxh3, Seed::default());
        Reader::new(OPTIONS, hasher, key, time, Sift::default())
    }

    fn parts(numbers: &[usize]) -> KeySource {
        KeySource::Parts(Parts::new(numbers.iter().map(|number| Part::Number(*number)).collect(), Separator::Blanks))
    }

    #[test]
    fn nothing_is_allocated_for_a_record() {
        let line = "2026-03-01T10:00:00.5Z host app[1]: disk full\n";
        let block: String = (0..10_000).map(|n| line.replace("00.5", &format!("{:02}.{n}", n / 1000))).collect();
        let pattern = KeySource::Pattern(regex::bytes::Regex::new(r"(\w+)\[(\d+)\]").unwrap());
        for key in [KeySource::Whole, parts(&[2]), parts(&[3, 1]), pattern] {
            for time in [None, Some(TimeSource::Leading), Some(TimeSource::Auto)] {
                let mut reader = reader(key.clone(), time.clone());
                let mut records = Records::default();
                // The first block makes room for what the others need.
                reader.read(block.as_bytes(), &mut records);
                let count = allocation_counter::measure(|| reader.read(block.as_bytes(), &mut records));
                assert_eq!(records.hashes.len(), 10_000);
                assert_eq!(count.count_total, 0, "{key:?} {time:?}");
            }
        }
    }

    #[test]
    fn a_record_without_a_key_keeps_its_place() {
        let mut records = Records::default();
        let long = "x".repeat(1001);
        let block = format!("a 1\nb\n==> file <==\n{long} 3\nc 2\r\n");
        reader(parts(&[2]), Some(TimeSource::Leading)).read(block.as_bytes(), &mut records);
        assert_eq!(records.ends, [4, 6, 19, 1023, 1028]);
        assert_eq!(records.stamps.len(), 5);
        assert_eq!(records.hashes.len(), 2);
        let keyless: Vec<_> = records.keyless.iter().map(|record| (record.index, record.why)).collect();
        assert_eq!(keyless, [(1, Why::Missing), (2, Why::Banner), (3, Why::TooLong)]);
    }
}
