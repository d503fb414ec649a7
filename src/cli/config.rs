//! From the command line as typed to what it means: every default filled in, every contradiction refused.

use super::args::{
    ClockName, DedupArguments, FormatName, InputArguments, JumpLimit, KeyArguments, OnError, OnMissing, TimeArguments,
};
use super::columns::{Column, ColumnOptions};
use super::format::{names_access_fields, parse_parts};
use super::input::{Cut, MAX_RECORD_BYTES, READ_BYTES};
use super::record::ReadOptions;
use super::record::fields::{Fields, Separator};
use super::record::key::{AnyKey, KeySource, KeySpec};
use super::record::sift::Sift;
use super::record::time::{TimeReader, TimeSource};
use super::timestamp::{Form, Stamp, StampOptions, StampReader};
use super::units::{Length, show_size};
use grudge::hash::{KeyHasher, Seed};
use grudge::seen::{Seen, SeenError, SeenOptions};
use grudge::time::{Span, Timestamp};
use grudge::watermark::{MaxJump, Watermark, WatermarkOptions};
use regex::bytes::Regex;
use std::ffi::OsStr;
use std::hash::{BuildHasher, RandomState};
use std::io::IsTerminal;

/// A `dedup` to be run.
pub struct DedupConfig {
    pub cut: Cut,
    pub format: FormatName,
    pub separator: Separator,
    pub read: ReadOptions,
    pub key: KeySpec,
    pub time: Option<TimeConfig>,
    pub clock: ClockName,
    pub ttl: Option<Span>,
    pub refresh: bool,
    pub max_jump: MaxJump,
    pub seen: Seen,
    pub hasher: KeyHasher,
    pub hash_name: &'static str,
    pub seed: String,
    pub memory: u64,
    pub invert: bool,
    pub columns: Option<ColumnOptions>,
    pub sift: Sift,
    pub on_error: OnError,
    pub missing: OnMissing,
    /// Whether it was said what becomes of a record without a key: then it is no surprise that all are such.
    pub missing_is_expected: bool,
}

/// How the stamps of records are read.
#[derive(Debug, Clone)]
pub struct TimeConfig {
    pub source: TimeSource,
    pub options: StampOptions,
    pub year: Option<i32>,
    /// No clock goes by the stamps; they are only left out of the key.
    lenient: bool,
    separator: Separator,
}

impl DedupConfig {
    pub fn resolve(arguments: &DedupArguments) -> Result<DedupConfig, String> {
        let separator = separator(&arguments.key)?;
        let format = arguments.input.format.unwrap_or(FormatName::Auto);
        let (clock, ttl) = clock(arguments.ttl, arguments.time.clock)?;
        // What is left out without being asked for must never reach a firewall.
        let (no_key, broken) = if arguments.invert || arguments.print.is_some() {
            (OnMissing::Skip, OnError::Skip)
        } else {
            (OnMissing::Pass, OnError::Pass)
        };
        let missing = arguments.policy.missing.unwrap_or(no_key);
        let source = key_source(&arguments.key, format, separator)?;
        let is_access_log = match &source {
            KeySource::Parts(parts) => names_access_fields(parts),
            _ => false,
        };
        // Whatever the ttl is measured by, the stamp is no part of a key that is the whole record.
        let is_whole = matches!(source, KeySource::Whole) && !arguments.key.key_time;
        let columns = columns(arguments, ttl, clock)?;
        let shows = |column| columns.as_ref().is_some_and(|columns| columns.columns.contains(&column));
        let needs_time = ttl.is_some() && (clock == ClockName::Event || is_whole) || shows(Column::Time);
        let mut time = time(&arguments.time, format, separator, is_access_log, needs_time)?;
        if let Some(time) = &mut time {
            time.lenient = clock != ClockName::Event;
        }
        let key = KeySpec {
            source,
            ignore_case: arguments.key.ignore_case,
            missing_is_empty: missing == OnMissing::Empty,
            // Without --ttl, -t or -T the whole record counts, whatever is shown of it.
            keep_time: arguments.key.key_time || ttl.is_none() && arguments.time.is_none(),
        };
        let plain = matches!(key.source, KeySource::Whole) && ttl.is_none() && arguments.time.is_none();
        // An empty variable is one that nobody set, not a seed that everybody knows.
        let seed = arguments.hash.seed.clone().filter(|seed| !seed.is_empty()).unwrap_or_else(random_seed);
        let hasher = KeyHasher::new(arguments.hash.hash.into(), Seed::from_text(seed.as_bytes()));
        let memory = arguments.memory.unwrap_or(SeenOptions::DEFAULT_MEMORY);
        let counts = shows(Column::Count);
        let mut options = SeenOptions::new().memory(memory).refresh(arguments.refresh).count_repeats(counts);
        if let Some(ttl) = ttl {
            options = options.ttl(ttl);
        }
        let cut = cut(&arguments.input)?;
        Ok(DedupConfig {
            cut,
            format,
            separator,
            // A line of a plain file may look like a banner: then it is a line like any other.
            read: ReadOptions {
                terminator: cut.terminator,
                max_record: cut.max_record,
                banners: !plain,
                stamp_places: false,
                access_log: is_access_log,
            },
            sift: sift(arguments, &key, &hasher)?,
            key,
            time,
            clock,
            ttl,
            refresh: arguments.refresh,
            max_jump: arguments.time.max_jump.map_or(MaxJump::Auto, |JumpLimit(limit)| limit),
            seen: Seen::new(&options).map_err(|error| match error {
                SeenError::TooLarge { memory } => {
                    format!("-m: {} is more than this system gives one program; ask for less", show_size(memory))
                }
                other => format!("-m: {other}"),
            })?,
            hasher,
            hash_name: arguments.hash.hash.as_str(),
            seed,
            memory,
            invert: arguments.invert,
            columns,
            on_error: arguments.policy.on_error.unwrap_or(broken),
            missing,
            missing_is_expected: arguments.policy.missing.is_some(),
        })
    }

    /// The clock of the stream, where it goes by stamps.
    pub fn watermark(&self) -> Watermark {
        let mut options = WatermarkOptions::new().max_jump(self.max_jump);
        if let Some(ttl) = self.ttl {
            options = options.scale(ttl);
        }
        Watermark::with(&options)
    }
}

impl TimeConfig {
    /// A reader of such stamps.
    pub fn reader(&self) -> Result<TimeReader, String> {
        Ok(TimeReader::new(self.source.clone(), StampReader::new(self.options.clone())?, self.lenient))
    }

    /// The fields of `record`, one or two joined, that can be read as a time: as one would type them after `-t`.
    pub fn likely_fields(&self, record: &[u8]) -> Vec<String> {
        /// The first number of seconds with nine digits, in 1973.
        const LIKELY_EPOCH: Timestamp = Timestamp::from_seconds(100_000_000, 0);
        /// More would not help anybody.
        const ENOUGH: usize = 3;
        let fields: Vec<_> = Fields::new(record, self.separator).collect();
        let is_time = |text: &[u8]| {
            let Ok(mut reader) = StampReader::new(self.options.clone()) else { return false };
            match reader.field(text) {
                // A small number is a status or a size.
                Stamp::At(time) => !matches!(reader.form(), Some(Form::Epoch(None))) || time >= LIKELY_EPOCH,
                Stamp::NoYear(_) => true,
                Stamp::None | Stamp::Bad => false,
            }
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

fn cut(arguments: &InputArguments) -> Result<Cut, String> {
    /// Places in a block are 32 bits; a block holds a record, what was read behind it, and its growth by doubling.
    const LONGEST: u64 = 1 << 30;
    let max_record = arguments.max_record.unwrap_or(MAX_RECORD_BYTES);
    if max_record > LONGEST {
        return Err(format!("--max-record: {} is too much; at most {}", show_size(max_record), show_size(LONGEST)));
    }
    Ok(Cut {
        terminator: if arguments.null { 0 } else { b'\n' },
        max_record: max_record as usize,
        read_bytes: arguments.read_bytes.unwrap_or(READ_BYTES).max(1),
    })
}

fn separator(arguments: &KeyArguments) -> Result<Separator, String> {
    match arguments.delimiter.as_deref() {
        None => Ok(Separator::Blanks),
        Some("\\t") => Ok(Separator::Byte(b'\t')),
        Some(text) if text.len() == 1 => Ok(Separator::Byte(text.as_bytes()[0])),
        Some(text) => Err(format!("-d: `{text}` is not one byte; wanted is one such as -d , or -d '\\t'")),
    }
}

/// A pattern, or why it is none, in one line.
fn pattern(flag: &str, text: &str) -> Result<Regex, String> {
    Regex::new(text).map_err(|error| {
        let why = error.to_string();
        let why = why.lines().last().unwrap_or_default();
        format!("{flag}: `{text}` is not a pattern: {}", why.trim_start_matches("error: "))
    })
}

fn key_source(arguments: &KeyArguments, format: FormatName, separator: Separator) -> Result<KeySource, String> {
    if let Some(text) = &arguments.key_regex {
        return pattern("-K", text).map(KeySource::Pattern);
    }
    if arguments.key.is_empty() {
        return Ok(KeySource::Whole);
    }
    parse_parts("-k", &arguments.key, format, separator).map(KeySource::Parts)
}

/// What a ttl is measured by, and how long it is by that measure.
fn clock(ttl: Option<Length>, clock: Option<ClockName>) -> Result<(ClockName, Option<Span>), String> {
    match (ttl, clock) {
        (None, clock) => Ok((clock.unwrap_or(ClockName::Event), None)),
        (Some(Length::Records(records)), None | Some(ClockName::Count)) => {
            Ok((ClockName::Count, Some(Span::from_nanos(records))))
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

/// How time is read: by `-t` or `-T`, or where the format has it, if a ttl needs it.
fn time(
    arguments: &TimeArguments,
    format: FormatName,
    separator: Separator,
    is_access_log: bool,
    needed: bool,
) -> Result<Option<TimeConfig>, String> {
    let source = if !arguments.time.is_empty() {
        let is_delimiter = |text: &str| text == "\\t" || text.bytes().all(|byte| !byte.is_ascii_alphanumeric());
        if arguments.time.iter().any(|text| is_delimiter(text)) {
            return Err("-t names the field with the time; the byte between fields is -d: -d ,".to_owned());
        }
        TimeSource::Parts(parse_parts("-t", &arguments.time, format, separator)?)
    } else if let Some(text) = &arguments.time_regex {
        TimeSource::Pattern(pattern("-T", text)?)
    } else if !needed {
        return Ok(None);
    } else {
        match format {
            FormatName::Combined | FormatName::Common => TimeSource::Access,
            FormatName::Auto if is_access_log => TimeSource::Access,
            FormatName::Auto if separator == Separator::Blanks => TimeSource::Auto,
            FormatName::Auto | FormatName::Lines => TimeSource::Leading,
        }
    };
    let options = StampOptions { time_format: arguments.time_format.clone(), tz: arguments.tz.clone() };
    StampReader::new(options.clone())?;
    Ok(Some(TimeConfig { source, options, year: arguments.year, lenient: false, separator }))
}

/// What is written of each record beside or instead of itself.
fn columns(arguments: &DedupArguments, ttl: Option<Span>, clock: ClockName) -> Result<Option<ColumnOptions>, String> {
    let print = arguments.print.as_ref().map(|list| list.0.as_slice());
    let counts = arguments.count || print.is_some_and(|columns| columns.contains(&Column::Count));
    if counts && ttl.is_none() {
        return Err(
            "--count tells how many repeats were dropped since a key last passed, which needs a --ttl after which \
                    it passes again; totals of each key are what top is for (until it is there: sort | uniq -c)"
                .to_owned(),
        );
    }
    let mut columns = print.map(<[Column]>::to_vec).unwrap_or_default();
    if print.is_none() {
        if arguments.tag {
            columns.extend([Column::Verdict, Column::Age]);
        }
        if arguments.count {
            columns.push(Column::Count);
        }
    }
    if columns.is_empty() {
        return Ok(None);
    }
    Ok(Some(ColumnOptions {
        columns,
        with_record: print.is_none(),
        all: arguments.tag && !arguments.invert,
        age_in_records: clock == ClockName::Count,
        for_terminal: std::io::stdout().is_terminal(),
    }))
}

/// Which records are let be.
fn sift(arguments: &DedupArguments, key: &KeySpec, hasher: &KeyHasher) -> Result<Sift, String> {
    let optional = |flag, text: &Option<String>| text.as_deref().map(|text| pattern(flag, text)).transpose();
    let mut sift = Sift {
        only: optional("--only", &arguments.only)?,
        except: optional("--except", &arguments.except)?,
        ..Sift::default()
    };
    if let Some(file) = &arguments.exempt {
        let text = std::fs::read(file).map_err(|error| {
            let reason = super::diag::describe_io(&error);
            format!("--exempt: {}: cannot be read: {reason}", OsStr::to_string_lossy(file))
        })?;
        let parts = match &key.source {
            KeySource::Parts(parts) => parts.as_slice().len(),
            KeySource::Pattern(pattern) => (pattern.captures_len() - 1).max(1),
            KeySource::Whole => 1,
        };
        let mut any = AnyKey::new(key.clone());
        for line in bstr::ByteSlice::lines(text.as_slice()).filter(|line| !line.is_empty()) {
            let fields: Vec<&[u8]> = if parts == 1 { vec![line] } else { line.split(|byte| *byte == b'\t').collect() };
            if fields.len() != parts {
                return Err(format!(
                    "--exempt: {}: `{}` has {} parts between tabs, and the key has {parts}",
                    OsStr::to_string_lossy(file),
                    String::from_utf8_lossy(line),
                    fields.len()
                ));
            }
            sift.exempt.insert(any.hash_of_parts(hasher, &fields));
        }
    }
    Ok(sift)
}

/// A seed for one run, as a text that can be given to `--seed`. The standard library's hash maps get their randomness
/// from the system; two of their hashes are 128 bits of it.
fn random_seed() -> String {
    let word = || RandomState::new().hash_one(0);
    format!("{:016x}{:016x}", word(), word())
}
