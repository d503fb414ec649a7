//! From the command line as typed to what it means: every default filled in, every contradiction refused.

use super::args::{ClockName, DedupArguments, InputArguments, KeyArguments, OnError, OnMissing, TimeArguments};
use super::input::{Cut, MAX_RECORD_BYTES, READ_BYTES};
use super::record::fields::{Fields, Separator};
use super::record::key::{KeySource, KeySpec};
use super::record::time::TimeSource;
use super::timestamp::{Stamp, StampOptions, StampReader};
use super::units::Length;
use grudge::hash::{KeyHasher, Seed};
use grudge::seen::{Seen, SeenOptions};
use std::hash::{BuildHasher, RandomState};

/// A `dedup` to be run.
#[derive(Debug)]
pub struct DedupConfig {
    pub cut: Cut,
    pub key: KeySpec,
    pub time: Option<TimeConfig>,
    pub clock: ClockName,
    pub has_ttl: bool,
    pub seen: Seen,
    pub hasher: KeyHasher,
    pub hash_name: &'static str,
    pub seed: String,
    pub memory: u64,
    pub invert: bool,
    pub on_error: OnError,
    pub missing: OnMissing,
}

/// How the stamps of records are read.
#[derive(Debug)]
pub struct TimeConfig {
    pub source: TimeSource,
    pub options: StampOptions,
    separator: Separator,
}

impl DedupConfig {
    pub fn resolve(arguments: &DedupArguments) -> Result<DedupConfig, String> {
        let separator = separator(&arguments.key)?;
        let (clock, ttl) = clock(arguments.ttl, arguments.time.clock)?;
        let missing =
            arguments.policy.missing.unwrap_or(if arguments.invert { OnMissing::Skip } else { OnMissing::Pass });
        let on_error =
            arguments.policy.on_error.unwrap_or(if arguments.invert { OnError::Skip } else { OnError::Pass });
        let key = KeySpec {
            source: key_source(&arguments.key, separator)?,
            ignore_case: arguments.key.ignore_case,
            missing_is_empty: missing == OnMissing::Empty,
        };
        let seed = arguments.hash.seed.clone().unwrap_or_else(random_seed);
        let memory = arguments.memory.unwrap_or(SeenOptions::DEFAULT_MEMORY);
        let mut options = SeenOptions::new().memory(memory).refresh(arguments.refresh);
        if let Some(ttl) = ttl {
            options = options.ttl(ttl);
        }
        Ok(DedupConfig {
            cut: cut(&arguments.input),
            key,
            time: time(&arguments.time, separator, ttl.is_some() && clock == ClockName::Event)?,
            clock,
            has_ttl: ttl.is_some(),
            seen: Seen::new(&options).map_err(|error| format!("-m: {error}"))?,
            hasher: KeyHasher::new(arguments.hash.hash.into(), Seed::from_text(seed.as_bytes())),
            hash_name: arguments.hash.hash.as_str(),
            seed,
            memory,
            invert: arguments.invert,
            on_error,
            missing,
        })
    }
}

fn cut(arguments: &InputArguments) -> Cut {
    let max_record = arguments.max_record.unwrap_or(MAX_RECORD_BYTES);
    Cut {
        terminator: if arguments.null { 0 } else { b'\n' },
        max_record: usize::try_from(max_record).unwrap_or(usize::MAX),
        read_bytes: arguments.read_bytes.unwrap_or(READ_BYTES).max(1),
    }
}

fn separator(arguments: &KeyArguments) -> Result<Separator, String> {
    match arguments.delimiter.as_deref() {
        None => Ok(Separator::Blanks),
        Some("\\t") => Ok(Separator::Byte(b'\t')),
        Some(text) if text.len() == 1 => Ok(Separator::Byte(text.as_bytes()[0])),
        Some(text) => Err(format!("-d: `{text}` is not one byte; wanted is one such as -d , or -d '\\t'")),
    }
}

fn key_source(arguments: &KeyArguments, separator: Separator) -> Result<KeySource, String> {
    if let Some(pattern) = &arguments.key_regex {
        let pattern = regex::bytes::Regex::new(pattern).map_err(|error| format!("-K: {error}"))?;
        return Ok(KeySource::Pattern(pattern));
    }
    if arguments.key.is_empty() {
        return Ok(KeySource::Whole);
    }
    let numbers = field_numbers("-k", &arguments.key)?;
    Ok(KeySource::Fields { numbers, separator })
}

/// `1,3` or several of it.
fn field_numbers(flag: &str, texts: &[String]) -> Result<Vec<usize>, String> {
    let number = |text: &str| match text.parse::<usize>() {
        Ok(0) => Err(format!("{flag}: fields are counted from 1; the whole record is the key without {flag}")),
        Ok(number) => Ok(number),
        Err(_) => {
            Err(format!("{flag}: `{text}` is not the number of a field; wanted is one such as {flag} 2 or {flag} 1,3"))
        }
    };
    texts.iter().flat_map(|text| text.split(',')).map(number).collect()
}

/// What a ttl is measured by, and how long it is by that measure.
fn clock(ttl: Option<Length>, clock: Option<ClockName>) -> Result<(ClockName, Option<grudge::time::Span>), String> {
    match (ttl, clock) {
        (None, clock) => Ok((clock.unwrap_or(ClockName::Event), None)),
        (Some(Length::Records(records)), None | Some(ClockName::Count)) => {
            Ok((ClockName::Count, Some(grudge::time::Span::from_nanos(records))))
        }
        (Some(Length::Records(records)), Some(_)) => {
            Err(format!("--ttl {records}r counts records; leave --clock out, or give a time such as --ttl 10m"))
        }
        (Some(Length::Time(_)), Some(ClockName::Count)) => {
            Err("--clock count counts records; wanted is a --ttl such as 1000r".to_owned())
        }
        (Some(Length::Time(ttl)), clock) => Ok((clock.unwrap_or(ClockName::Event), Some(ttl))),
    }
}

/// How time is read: by `-t`, or at the start of the line where a ttl needs it.
fn time(arguments: &TimeArguments, separator: Separator, needed: bool) -> Result<Option<TimeConfig>, String> {
    let source = if arguments.time.is_empty() {
        if !needed {
            return Ok(None);
        }
        TimeSource::Leading
    } else {
        if arguments.time.iter().any(|text| text.trim_matches(',').is_empty() || text == "\\t") {
            return Err("-t names the field with the time; the byte between fields is -d: -d ,".to_owned());
        }
        TimeSource::Fields { numbers: field_numbers("-t", &arguments.time)?, separator }
    };
    let options = StampOptions::default();
    StampReader::new(options.clone())?;
    Ok(Some(TimeConfig { source, options, separator }))
}

impl TimeConfig {
    /// The fields of `record`, one or two joined, that can be read as a time: as one would type them after `-t`.
    pub fn likely_fields(&self, record: &[u8]) -> Vec<String> {
        /// More would not help anybody.
        const ENOUGH: usize = 3;
        let fields: Vec<_> = Fields::new(record, self.separator).collect();
        let is_time = |text: &[u8]| {
            let reader = StampReader::new(self.options.clone());
            reader.is_ok_and(|mut reader| matches!(reader.field(text), Stamp::At(_) | Stamp::NoYear(_)))
        };
        let single = |index: usize| is_time(&record[fields[index].clone()]).then(|| format!("-t {}", index + 1));
        let joined = |index: usize| {
            let pair = [&record[fields[index].clone()], &record[fields.get(index + 1)?.clone()]].join(&b' ');
            is_time(&pair).then(|| format!("-t {},{}", index + 1, index + 2))
        };
        // A pair says more than its halves: a date and a time of day, a stamp and its offset.
        (0..fields.len()).filter_map(|index| joined(index).or_else(|| single(index))).take(ENOUGH).collect()
    }
}

/// A seed for one run, as a text that can be given to `--seed`. The standard library's hash maps get their randomness
/// from the system; two of their hashes are 128 bits of it.
fn random_seed() -> String {
    let word = || RandomState::new().hash_one(0);
    format!("{:016x}{:016x}", word(), word())
}
