//! `--explain`: what would be done, and what the fields of the first record are called.

use super::args::{ClockName, FormatName, OnMissing};
use super::columns::show_time;
use super::config::DedupConfig;
use super::exit::Status;
use super::output::{self, Stop};
use super::record::access_log::{self, AccessField};
use super::record::content;
use super::record::fields::Fields;
use super::record::key::KeySource;
use super::record::parts::Part;
use super::record::time::{DECIDE_WITHIN, TimeReader, TimeSource};
use super::source::peek;
use super::timestamp::Stamp;
use super::units::{show_size, show_span};
use grudge::watermark::MaxJump;
use std::ffi::{OsStr, OsString};
use std::fmt::Write;

/// Bytes of the input that are looked at.
const PEEK_BYTES: usize = 256 << 10;

/// Longest value shown of a field.
const VALUE_CHARS: usize = 60;

/// Prints it.
pub fn run(config: &DedupConfig, files: &[OsString]) -> Result<Status, String> {
    let file = files.first().map_or(OsStr::new("-"), |file| file);
    let terminator = config.read.terminator;
    // Of a pipe that goes on slowly no more is waited for than is looked at.
    let enough = |bytes: &[u8]| bytes.iter().filter(|byte| **byte == terminator).nth(DECIDE_WITHIN as usize).is_some();
    let start = peek(file, PEEK_BYTES, enough)
        .ok_or_else(|| format!("{}: cannot be read, so there is nothing to explain", file.to_string_lossy()))?;
    let records: Vec<&[u8]> = start
        .split(|byte| *byte == terminator)
        .map(|record| content(record, terminator))
        .take(DECIDE_WITHIN as usize)
        .collect();
    let text = explain(config, &records)?;
    match output::print(text.as_bytes()) {
        Err(stop @ Stop::Failed(_)) => Err(stop.describe()),
        Ok(()) | Err(Stop::ReaderGone) => Ok(Status::Done),
    }
}

fn explain(config: &DedupConfig, records: &[&[u8]]) -> Result<String, String> {
    let mut text = String::new();
    let mut say = |name: &str, what: String| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name:10}{what}");
    };
    let mut time = config.time.as_ref().map(|time| time.reader()).transpose()?;
    let first = time.as_mut().and_then(|time| {
        records.iter().find_map(|record| match time.read(record) {
            Stamp::At(at) => Some((*record, Some(at))),
            Stamp::NoYear(_) => Some((*record, None)),
            Stamp::None | Stamp::Bad => None,
        })
    });
    let is_access_log = match (config.format, time.as_ref().map(TimeReader::source)) {
        (FormatName::Combined | FormatName::Common, _) | (_, Some(TimeSource::Access)) => true,
        (FormatName::Lines, _) => false,
        (FormatName::Auto, _) => records.iter().any(|record| access_log::is_access_line(record)),
    };
    say("format", if is_access_log { "access log".to_owned() } else { "plain lines".to_owned() });
    say("key", describe_key(config));
    say("time", describe_time(time.as_ref(), first.map(|(_, at)| at)));
    if let Some(time) = &config.time {
        let zone = time.options.tz.as_deref().unwrap_or("UTC");
        say("zone", format!("{zone}, where a stamp names none"));
    }
    say("clock", describe_clock(config));
    let counts = if config.seen.counts_repeats() { " and a count of 4" } else { "" };
    say(
        "structure",
        format!("a forgetting set: 8 bytes a key{counts}, at a load of 0.3 to 0.6, two buckets of eight a key"),
    );
    let seen = &config.seen;
    say(
        "memory",
        format!("at most {}, taken as keys come: room for {} live keys at once", show_size(config.memory), seen.room()),
    );
    say(
        "errors",
        format!(
            "a repeat passes: next to none while there is that room; a new record is dropped: at most {:.0e} of them",
            seen.worst_false_repeat_rate()
        ),
    );
    say("hash", format!("{}, seed {}", config.hash_name, config.seed));
    say("keyless", format!("{}; broken: {}", fate(config.missing), fate_of_broken(config)));
    if let Some(record) = first.map(|(record, _)| record).or_else(|| records.first().copied()) {
        text += "\nfields of a record, as one would type them\n";
        for (name, value) in fields_of(config, record, is_access_log) {
            let _ = writeln!(text, "{:14}{}", format!("-k {name}"), shorten(value));
        }
    }
    Ok(text)
}

fn describe_key(config: &DedupConfig) -> String {
    let key = match &config.key.source {
        KeySource::Whole if config.time.is_some() && !config.key.keep_time => {
            "the whole record without its time".into()
        }
        KeySource::Whole => "the whole record".into(),
        KeySource::Pattern(pattern) => format!("what matches {pattern}"),
        KeySource::Parts(parts) => {
            let names = parts.as_slice().iter().map(|part| match part {
                Part::Number(number) => format!("field {number}"),
                Part::Access(field) => field.name().to_owned(),
            });
            names.collect::<Vec<_>>().join(" and ")
        }
    };
    key + if config.key.ignore_case { ", upper and lower case alike" } else { "" }
}

fn describe_time(time: Option<&TimeReader>, first: Option<Option<grudge::time::Timestamp>>) -> String {
    let Some(time) = time else { return "not read".to_owned() };
    let place = match time.source() {
        TimeSource::Access => "between the brackets of an access-log line",
        TimeSource::Leading | TimeSource::Auto => "at the start of the line",
        TimeSource::Parts(_) => "in the fields of -t",
        TimeSource::Pattern(_) => "what matches -T",
    };
    match (time.form(), first) {
        (Some(form), Some(Some(first))) => format!("{place}: {}; the first is {}", form.describe(), show_time(first)),
        (Some(form), _) => format!("{place}: {}, without a year (--year)", form.describe()),
        (None, _) => format!("{place}: none found in the first records"),
    }
}

fn describe_clock(config: &DedupConfig) -> String {
    let Some(ttl) = config.ttl else { return "none: keys are forgotten only when memory runs out".to_owned() };
    let from = if config.refresh { "its last record" } else { "its last record that passed" };
    match config.clock {
        ClockName::Count => format!("records read; a key is forgotten {} records after {from}", ttl.nanos()),
        ClockName::Wall => format!("the time of reading; a key is forgotten {} after {from}", show_span(ttl)),
        ClockName::Event => {
            let jump = match config.max_jump {
                MaxJump::Off => "any stamp ahead is believed".to_owned(),
                MaxJump::Fixed(span) => format!("a stamp more than {} ahead is not believed alone", show_span(span)),
                _ => "a stamp too far ahead is not believed alone".to_owned(),
            };
            format!("the records' stamps; a key is forgotten {} after {from}; {jump}", show_span(ttl))
        }
    }
}

fn fate(missing: OnMissing) -> &'static str {
    match missing {
        OnMissing::Pass => "passed on",
        OnMissing::Skip => "left out",
        OnMissing::Empty => "taken for an empty one",
        OnMissing::Fail => "ends the run",
    }
}

fn fate_of_broken(config: &DedupConfig) -> &'static str {
    use super::args::OnError;
    match config.on_error {
        OnError::Pass => "passed on",
        OnError::Skip => "left out",
        OnError::Fail => "ends the run",
    }
}

/// Every field of a record with its value: by name, then by number.
fn fields_of<'a>(config: &DedupConfig, record: &'a [u8], is_access_log: bool) -> Vec<(String, &'a [u8])> {
    let named = AccessField::ALL.into_iter().filter(|_| is_access_log).filter_map(|field| {
        let range = access_log::field(record, field)?;
        Some((field.name().to_owned(), &record[range]))
    });
    let numbered = Fields::new(record, config.separator).enumerate();
    named.chain(numbered.map(|(index, range)| ((index + 1).to_string(), &record[range]))).collect()
}

/// A value on one line: control bytes escaped, cut where it is long.
fn shorten(value: &[u8]) -> String {
    let text = String::from_utf8_lossy(value);
    let mut shown = String::new();
    for (index, character) in text.chars().enumerate() {
        if index == VALUE_CHARS {
            shown.push('…');
            break;
        }
        if character.is_control() {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}
