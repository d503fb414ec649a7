//! From the command line as typed to what it means, as far as all verbs have it in common: how records are read, keyed
//! and timed. Every default is filled in, every contradiction refused.

use super::args::{
    ClockName, FormatName, InputArguments, JumpLimit, KeyArguments, OnError, OnMissing, RecordArguments, RunArguments,
    TimeArguments,
};
use super::choice::choice;
use super::columns::{Column, ColumnOptions};
use super::input::{Cut, MAX_RECORD_BYTES, READ_BYTES};
use super::record::fields::Separator;
use super::record::format::Format;
use super::record::framing::{Choice, FramingOptions};
use super::record::key::{AnyKey, KeySource, KeySpec};
use super::record::names::Names;
use super::record::plan::{TimeSpec, Wanted};
use super::record::sift::Sift;
use super::record::time::TimeSource;
use super::record::value::ValueSpec;
use super::record::{Multiline, ReadOptions, Reader};
use super::timestamp::{StampOptions, StampReader};
use super::units::{Length, show_size};
use grudge::hash::{KeyHasher, Seed};
use grudge::time::Span;
use grudge::watermark::{MaxJump, Watermark, WatermarkOptions};
use regex::bytes::Regex;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

/// How records are read, keyed and timed.
pub struct StreamConfig {
    pub cut: Cut,
    /// How records would be cut if a field were named: for those who look for one.
    pub cut_by_fields: FramingOptions,
    pub read: ReadOptions,
    pub wanted: Wanted,
    /// How stamps are written, where any are read.
    pub stamps: Option<StampConfig>,
    pub clock: ClockName,
    /// What is measured by that clock, if anything is.
    pub measure: Option<Measure>,
    pub max_jump: MaxJump,
    pub hasher: KeyHasher,
    pub hash_name: &'static str,
    pub seed: String,
    /// Whether records that are not to be judged pass.
    pub pass_exempt: bool,
    pub columns: Option<ColumnOptions>,
    pub sift: Sift,
    pub on_error: OnError,
    pub missing: OnMissing,
    /// Whether it was said what becomes of a record without a key: then it is no surprise that all are such.
    pub missing_is_expected: bool,
}

/// How stamps are written.
#[derive(Debug, Clone)]
pub struct StampConfig {
    pub options: StampOptions,
    pub year: Option<i32>,
}

/// An option that needs a clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measure {
    /// Its name.
    pub flag: &'static str,
    /// Its length; the longest where there are several.
    pub length: Length,
    /// How it is typed with a number of records.
    pub in_records: &'static str,
}

impl Measure {
    /// The length in the unit of the clock.
    pub fn span(self) -> Span {
        Measure::span_of(self.length)
    }

    /// A length in the unit of its clock.
    pub fn span_of(length: Length) -> Span {
        match length {
            Length::Time(span) => span,
            Length::Records(records) => Span::from_nanos(records),
        }
    }
}

/// What a verb wants of the stream.
pub struct Purpose {
    pub measure: Option<Measure>,
    /// Records that cannot be judged are left out, for what acts upon those that are written must not meet them.
    pub selects: bool,
    /// Records that are not to be judged pass all the same.
    pub pass_exempt: bool,
    /// What is written beside or instead of records.
    pub columns: Option<ColumnOptions>,
    /// The number that is read from each record.
    pub value: ValueSpec,
}

impl StreamConfig {
    pub fn resolve(records: &RecordArguments, run: &RunArguments, purpose: Purpose) -> Result<StreamConfig, String> {
        let RecordArguments { input, key, time } = records;
        let Purpose { measure, selects, pass_exempt, mut columns, value } = purpose;
        let separator = separator(key)?;
        let clock = clock(measure, time.clock)?;
        let (no_key, broken) =
            if selects { (OnMissing::Skip, OnError::Skip) } else { (OnMissing::Pass, OnError::Pass) };
        let missing = run.policy.missing.unwrap_or(no_key);
        let masks = key.mask.clone().unwrap_or_default();
        let spec = KeySpec {
            ignore: Names::parse("--ignore", &key.ignore)?,
            ignore_case: key.ignore_case,
            missing_is_empty: missing == OnMissing::Empty,
            // Where no time counts and nothing is masked the whole record does, whatever is shown of it.
            keep_time: key.key_time || measure.is_none() && time.is_none() && masks.is_empty(),
            masks,
            typed: key.typed_keys,
            ..KeySpec::new(key_source(key)?)
        };
        // Whatever is measured, the stamp is no part of a key that is the whole record.
        let cuts_time = matches!(spec.source, KeySource::Whole) && !spec.keep_time;
        if let Some(columns) = &mut columns {
            columns.in_records = clock == ClockName::Count;
        }
        let shows = |column| columns.as_ref().is_some_and(|columns| columns.shows(column));
        let needs_time = measure.is_some() && clock == ClockName::Event || cuts_time || shows(Column::Time);
        let is_measured = measure.is_some() || !time.is_none() || shows(Column::Time);
        let lenient = clock != ClockName::Event || !is_measured;
        let timed = time_spec(time, needs_time, lenient)?;
        let stamps = StampConfig { options: stamp_options(time), year: time.year };
        let stamps = timed.is_some().then_some(stamps);
        let wanted = Wanted { key: spec, time: timed, value, separator };
        let plain = matches!(wanted.key.source, KeySource::Whole)
            && wanted.key.ignore.names.is_empty()
            && wanted.key.masks.is_empty()
            && wanted.value.names().is_none()
            && measure.is_none()
            && time.is_none();
        let cut = cut(records, &wanted, plain)?;
        let mut cut_by_fields = cut.framing.clone();
        if plain && input.format.is_none() && separator == Separator::Blanks {
            cut_by_fields.choice = Choice::Auto(Format::Lines);
        }
        // An empty variable is one that nobody set, not a seed that everybody knows.
        let seed = run.hash.seed.clone().filter(|seed| !seed.is_empty()).unwrap_or_else(random_seed);
        let hasher = KeyHasher::new(run.hash.hash.into(), Seed::from_text(seed.as_bytes()));
        Ok(StreamConfig {
            // A line of a plain file may look like a banner: then it is a line like any other.
            read: ReadOptions {
                terminator: cut.framing.terminator,
                max_record: cut.max_record,
                banners: !plain,
                cuts: shows(Column::Key),
                multiline: multiline(input, time)?,
            },
            cut,
            cut_by_fields,
            sift: sift(run, &wanted.key, &hasher)?,
            wanted,
            stamps,
            clock,
            measure,
            max_jump: time.max_jump.map_or(MaxJump::Auto, |JumpLimit(limit)| limit),
            hasher,
            hash_name: run.hash.hash.as_str(),
            seed,
            pass_exempt,
            columns,
            on_error: run.policy.on_error.unwrap_or(broken),
            missing,
            missing_is_expected: run.policy.missing.is_some(),
        })
    }

    /// The clock of the stream, where it goes by stamps.
    pub fn watermark(&self) -> Watermark {
        let mut options = WatermarkOptions::new().max_jump(self.max_jump);
        if let Some(measure) = self.measure {
            options = options.scale(measure.span());
        }
        Watermark::with(&options)
    }

    /// A reader of its records.
    pub fn reader(&self) -> Reader {
        Reader::new(self.read.clone(), self.hasher, self.wanted.clone(), self.sift.clone())
    }
}

fn cut(arguments: &RecordArguments, wanted: &Wanted, plain: bool) -> Result<Cut, String> {
    /// Places in a block are 32 bits; a block holds a record, what was read behind it, and its growth by doubling.
    const LONGEST: u64 = 1 << 30;
    let input = &arguments.input;
    let max_record = input.max_record.unwrap_or(MAX_RECORD_BYTES);
    if max_record > LONGEST {
        return Err(format!("--max-record: {} is too much; at most {}", show_size(max_record), show_size(LONGEST)));
    }
    let name = input.format.unwrap_or(FormatName::Auto);
    let choice = choice(name, &arguments.key, input, wanted, plain)?;
    let is_auto = name == FormatName::Auto;
    if input.null && !matches!(choice, Choice::Auto(_) | Choice::Fixed(Format::Lines)) {
        return Err("-z cuts plain lines at NUL bytes; the format of -i or -k has records of its own".to_owned());
    }
    let tables_by_name =
        is_auto && arguments.key.delimiter.is_none() && !input.null && !matches!(choice, Choice::Fixed(Format::Json));
    Ok(Cut {
        framing: FramingOptions {
            terminator: if input.null { 0 } else { b'\n' },
            choice,
            header: !input.no_header,
            tables_by_name,
        },
        max_record: max_record as usize,
        read_bytes: input.read_bytes.unwrap_or(READ_BYTES).max(1),
    })
}

/// Which lines go on with the record before them.
fn multiline(input: &InputArguments, time: &TimeArguments) -> Result<Option<Multiline>, String> {
    let Some(wanted) = &input.multiline else { return Ok(None) };
    Ok(Some(match wanted {
        Some(text) => Multiline::Unmatched(pattern("--multiline", text)?),
        None => Multiline::Unstamped(Box::new(StampReader::new(stamp_options(time))?)),
    }))
}

fn stamp_options(arguments: &TimeArguments) -> StampOptions {
    StampOptions { time_format: arguments.time_format.clone(), tz: arguments.tz.clone() }
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
pub fn pattern(flag: &str, text: &str) -> Result<Regex, String> {
    Regex::new(text).map_err(|error| {
        let why = error.to_string();
        let why = why.lines().last().unwrap_or_default();
        format!("{flag}: `{text}` is not a pattern: {}", why.trim_start_matches("error: "))
    })
}

fn key_source(arguments: &KeyArguments) -> Result<KeySource, String> {
    if let Some(text) = &arguments.key_regex {
        return pattern("-K", text).map(KeySource::Pattern);
    }
    if arguments.key.is_empty() {
        return Ok(KeySource::Whole);
    }
    Names::parse("-k", &arguments.key).map(KeySource::Fields)
}

/// What time is measured by.
fn clock(measure: Option<Measure>, clock: Option<ClockName>) -> Result<ClockName, String> {
    let Some(Measure { flag, length, in_records }) = measure else { return Ok(clock.unwrap_or(ClockName::Event)) };
    match (length, clock) {
        (Length::Records(_), None | Some(ClockName::Count)) => Ok(ClockName::Count),
        (Length::Records(_), Some(_)) => {
            Err(format!("{flag} counts records here; leave --clock out, or give {flag} a time"))
        }
        (Length::Time(_), Some(ClockName::Count)) => {
            Err(format!("--clock count counts records; wanted is a {flag} such as {in_records}"))
        }
        (Length::Time(_), clock) => Ok(clock.unwrap_or(ClockName::Event)),
    }
}

/// How time is read: by `-t` or `-T`, or where the format has it, if it is needed.
fn time_spec(arguments: &TimeArguments, needed: bool, lenient: bool) -> Result<Option<TimeSpec>, String> {
    let source = if !arguments.time.is_empty() {
        let is_delimiter = |text: &str| text == "\\t" || text.bytes().all(|byte| !byte.is_ascii_alphanumeric());
        if arguments.time.iter().any(|text| is_delimiter(text)) {
            return Err("-t names the field with the time; the byte between fields is -d: -d ,".to_owned());
        }
        TimeSource::Fields(Names::parse("-t", &arguments.time)?)
    } else if let Some(text) = &arguments.time_regex {
        TimeSource::Pattern(pattern("-T", text)?)
    } else if needed {
        TimeSource::Own
    } else {
        return Ok(None);
    };
    Ok(Some(TimeSpec { source, stamps: StampReader::new(stamp_options(arguments))?, lenient }))
}

/// Which records are let be.
fn sift(run: &RunArguments, key: &KeySpec, hasher: &KeyHasher) -> Result<Sift, String> {
    let arguments = &run.sift;
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
        let parts = key.parts();
        let (mut any, mut exempt) = (AnyKey::new(key.clone()), HashSet::new());
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
            exempt.insert(any.hash_of_parts(hasher, &fields));
        }
        sift.exempt = Arc::new(exempt);
    }
    Ok(sift)
}

/// A seed for one run, as a text that can be given to `--seed`. The standard library's hash maps get their randomness
/// from the system; two of their hashes are 128 bits of it.
fn random_seed() -> String {
    let word = || RandomState::new().hash_one(0);
    format!("{:016x}{:016x}", word(), word())
}
