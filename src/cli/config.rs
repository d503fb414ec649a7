//! From the command line as typed to what it means: every default filled in, every contradiction refused.

use super::args::{
    ClockName, DedupArguments, FormatName, InputArguments, JumpLimit, KeyArguments, OnError, OnMissing, TimeArguments,
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
use super::record::{Multiline, ReadOptions, Reader};
use super::timestamp::{StampOptions, StampReader};
use super::units::{Length, show_size};
use grudge::hash::{KeyHasher, Seed};
use grudge::seen::{Seen, SeenError, SeenOptions};
use grudge::time::Span;
use grudge::watermark::{MaxJump, Watermark, WatermarkOptions};
use regex::bytes::Regex;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::hash::{BuildHasher, RandomState};
use std::io::IsTerminal;
use std::sync::Arc;

/// A `dedup` to be run.
pub struct DedupConfig {
    pub cut: Cut,
    /// How records would be cut if a field were named: for those who look for one.
    pub cut_by_fields: FramingOptions,
    pub read: ReadOptions,
    pub wanted: Wanted,
    /// How stamps are written, where any are read.
    pub stamps: Option<StampConfig>,
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

/// How stamps are written.
#[derive(Debug, Clone)]
pub struct StampConfig {
    pub options: StampOptions,
    pub year: Option<i32>,
}

impl DedupConfig {
    pub fn resolve(arguments: &DedupArguments) -> Result<DedupConfig, String> {
        let separator = separator(&arguments.key)?;
        let (clock, ttl) = clock(arguments.ttl, arguments.time.clock)?;
        // What is left out without being asked for must never reach a firewall.
        let (no_key, broken) = if arguments.invert || arguments.print.is_some() {
            (OnMissing::Skip, OnError::Skip)
        } else {
            (OnMissing::Pass, OnError::Pass)
        };
        let missing = arguments.policy.missing.unwrap_or(no_key);
        let masks = arguments.key.mask.clone().unwrap_or_default();
        let key = KeySpec {
            ignore: Names::parse("--ignore", &arguments.key.ignore)?,
            ignore_case: arguments.key.ignore_case,
            missing_is_empty: missing == OnMissing::Empty,
            // Without --ttl, -t, -T or --mask the whole record counts, whatever is shown of it.
            keep_time: arguments.key.key_time || ttl.is_none() && arguments.time.is_none() && masks.is_empty(),
            masks,
            typed: arguments.key.typed_keys,
            ..KeySpec::new(key_source(&arguments.key)?)
        };
        // Whatever the ttl is measured by, the stamp is no part of a key that is the whole record.
        let cuts_time = matches!(key.source, KeySource::Whole) && !key.keep_time;
        let columns = columns(arguments, ttl, clock)?;
        let shows = |column| columns.as_ref().is_some_and(|columns| columns.columns.contains(&column));
        let needs_time = ttl.is_some() && clock == ClockName::Event || cuts_time || shows(Column::Time);
        let is_measured = ttl.is_some() || !arguments.time.is_none() || shows(Column::Time);
        let lenient = clock != ClockName::Event || !is_measured;
        let time = time(&arguments.time, needs_time, lenient)?;
        let stamps = StampConfig { options: stamp_options(&arguments.time), year: arguments.time.year };
        let stamps = time.is_some().then_some(stamps);
        let wanted = Wanted { key, time, separator };
        let plain = matches!(wanted.key.source, KeySource::Whole)
            && wanted.key.ignore.names.is_empty()
            && wanted.key.masks.is_empty()
            && ttl.is_none()
            && arguments.time.is_none();
        let cut = cut(arguments, &wanted, plain)?;
        let mut cut_by_fields = cut.framing.clone();
        if plain && arguments.input.format.is_none() && separator == Separator::Blanks {
            cut_by_fields.choice = Choice::Auto(Format::Lines);
        }
        // An empty variable is one that nobody set, not a seed that everybody knows.
        let seed = arguments.hash.seed.clone().filter(|seed| !seed.is_empty()).unwrap_or_else(random_seed);
        let hasher = KeyHasher::new(arguments.hash.hash.into(), Seed::from_text(seed.as_bytes()));
        let memory = arguments.memory.unwrap_or(SeenOptions::DEFAULT_MEMORY);
        let counts = shows(Column::Count);
        let mut options = SeenOptions::new().memory(memory).refresh(arguments.refresh).count_repeats(counts);
        if let Some(ttl) = ttl {
            options = options.ttl(ttl);
        }
        Ok(DedupConfig {
            // A line of a plain file may look like a banner: then it is a line like any other.
            read: ReadOptions {
                terminator: cut.framing.terminator,
                max_record: cut.max_record,
                banners: !plain,
                cuts: shows(Column::Key),
                multiline: multiline(&arguments.input, &arguments.time)?,
            },
            cut,
            cut_by_fields,
            sift: sift(arguments, &wanted.key, &hasher)?,
            wanted,
            stamps,
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

    /// A reader of its records.
    pub fn reader(&self) -> Reader {
        Reader::new(self.read.clone(), self.hasher, self.wanted.clone(), self.sift.clone())
    }
}

fn cut(arguments: &DedupArguments, wanted: &Wanted, plain: bool) -> Result<Cut, String> {
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
fn pattern(flag: &str, text: &str) -> Result<Regex, String> {
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

/// How time is read: by `-t` or `-T`, or where the format has it, if it is needed.
fn time(arguments: &TimeArguments, needed: bool, lenient: bool) -> Result<Option<TimeSpec>, String> {
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
