//! `--explain`: what would be done, and what the fields of the first record are called.

use super::args::{ClockName, OnError, OnMissing};
use super::columns::show_time;
use super::config::StreamConfig;
use super::exit::Status;
use super::likely::quoted;
use super::output::{self, Stop};
use super::record::format::Layout;
use super::record::framing::{DECIDE_WITHIN, Framing};
use super::record::key::KeySource;
use super::record::preview::{Piece, preview};
use super::record::time::{TimePlace, TimeSource};
use super::record::{Reader, list};
use super::source::peek;
use super::stream::Verb;
use super::timestamp::{Form, Stamp};
use super::units::show_span;
use grudge::time::Timestamp;
use grudge::watermark::MaxJump;
use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::sync::Arc;

/// Bytes of the input that are looked at.
const PEEK_BYTES: usize = 256 << 10;

/// Longest value shown of a field.
const VALUE_CHARS: usize = 60;

/// Prints it.
pub fn run(config: &StreamConfig, verb: &impl Verb, files: &[OsString]) -> Result<Status, String> {
    let file = files.first().map_or(OsStr::new("-"), |file| file);
    let terminator = config.read.terminator;
    // Of a pipe that goes on slowly no more is waited for than is looked at.
    let enough = |bytes: &[u8]| bytes.iter().filter(|byte| **byte == terminator).nth(DECIDE_WITHIN as usize).is_some();
    let start = peek(file, PEEK_BYTES, enough)
        .ok_or_else(|| format!("{}: cannot be read, so there is nothing to explain", file.to_string_lossy()))?;
    let text = explain(config, verb, &file.to_string_lossy(), &start)?;
    match output::print(text.as_bytes()) {
        Err(stop @ Stop::Failed(_)) => Err(stop.describe()),
        Ok(()) | Err(Stop::ReaderGone) => Ok(Status::Done),
    }
}

/// What the first records showed.
#[derive(Default)]
struct Shown {
    layout: Option<Arc<Layout>>,
    /// The first record with a stamp, or the first of all.
    record: Option<Vec<u8>>,
    /// Records that have a key, and all of them.
    keyed: usize,
    records: usize,
    /// The first stamp, if there is one; nothing in it where it has no year.
    first: Option<Option<Timestamp>>,
}

impl Shown {
    /// Looks at a piece; whether more of them may show more.
    fn look(&mut self, piece: &Piece<'_>, terminator: u8) -> bool {
        let records = piece.records;
        self.keyed += records.hashes.len();
        self.records += records.len() - records.no_records().count();
        let is_record = |index: &usize| records.no_records().all(|other| other != *index);
        let bytes = |index: usize| &piece.bytes[records.start(index)..records.ends[index] as usize];
        let record = |index: usize| piece.layout.format.content(bytes(index), terminator);
        let stamp = records.stamps.iter().enumerate().find_map(|(index, stamp)| match stamp {
            Stamp::At(at) => Some((index, Some(*at))),
            Stamp::NoYear(_) => Some((index, None)),
            _ => None,
        });
        let first = (0..records.len()).find(is_record);
        // A record that decides the format tells more than those before it.
        let knows_more = self.layout.as_ref().is_none_or(|layout| layout.is_provisional);
        if let Some(index) = stamp.map(|(index, _)| index).or(first)
            && (self.record.is_none() || knows_more || stamp.is_some())
        {
            self.record = Some(record(index).to_vec());
        }
        if first.is_some() || self.layout.is_none() {
            self.layout = Some(Arc::clone(piece.layout));
        }
        self.first = self.first.or(stamp.map(|(_, at)| at));
        self.first.is_none() || piece.layout.is_provisional
    }
}

fn explain(config: &StreamConfig, verb: &impl Verb, name: &str, start: &[u8]) -> Result<String, String> {
    let mut text = String::new();
    let mut say = |name: &str, what: String| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name:10}{what}");
    };
    let (mut reader, mut shown) = (config.reader(), Shown::default());
    let mut framing = Framing::new(config.cut_by_fields.clone());
    preview(name, start, &mut framing, &mut reader, |piece| shown.look(piece, config.read.terminator))?;
    let layout = shown.layout.unwrap_or_default();
    say("format", layout.format.describe().to_owned());
    let none = if shown.keyed == 0 && shown.records > 0 { "; none of the first records has it" } else { "" };
    say("key", describe_key(config) + none);
    say("time", describe_time(config, &reader, shown.first));
    if let Some(stamps) = &config.stamps {
        let zone = stamps.options.tz.as_deref().unwrap_or("UTC");
        say("zone", format!("{zone}, where a stamp names none"));
    }
    say("clock", describe_clock(config));
    verb.explain(&mut |name, what| say(name, what));
    say("hash", format!("{}, seed {}", config.hash_name, config.seed));
    say("keyless", format!("{}; broken: {}", fate(config.missing), fate_of_broken(config)));
    if let Some(record) = shown.record {
        text += "\nfields of a record, as one would type them\n";
        list(&layout.format, config.wanted.separator, &record, |name, value| {
            let _ = writeln!(text, "{:14}{}", format!("-k {} ", quoted(name)), shorten(value));
        });
    }
    Ok(text)
}

fn describe_key(config: &StreamConfig) -> String {
    let key = &config.wanted.key;
    let mut text = match &key.source {
        KeySource::Whole if config.wanted.time.is_some() && !key.keep_time => {
            "the whole record without its time".into()
        }
        KeySource::Whole => "the whole record".to_owned(),
        KeySource::Pattern(pattern) => format!("what matches {pattern}"),
        KeySource::Fields(names) => names.describe(),
    };
    if !key.ignore.names.is_empty() {
        text += if text.ends_with("time") { " and without " } else { " without " };
        text += &key.ignore.describe();
    }
    if !key.masks.is_empty() {
        text += &format!(", {} replaced by placeholders", key.masks);
    }
    text + if key.ignore_case { ", upper and lower case alike" } else { "" }
}

fn describe_time(config: &StreamConfig, reader: &Reader, first: Option<Option<Timestamp>>) -> String {
    let Some(wanted) = &config.wanted.time else { return "not read".to_owned() };
    let time = reader.plan().and_then(|plan| plan.time.as_ref());
    let place = match (&wanted.source, time.map(|time| time.place())) {
        (TimeSource::Fields(names), _) => format!("in {}", names.describe()),
        (TimeSource::Pattern(_), _) => "what matches -T".to_owned(),
        (_, Some(TimePlace::Access)) => "between the brackets of an access-log line".to_owned(),
        (_, Some(TimePlace::InFront)) => "in the text in front of the object".to_owned(),
        (_, Some(TimePlace::Parts(_) | TimePlace::OneOf(_))) => match reader.decided().time_name() {
            Some(name) => format!("in {name}"),
            None => "in a field whose name tells of a time".to_owned(),
        },
        _ => "at the start of the line".to_owned(),
    };
    match (reader.decided().form(), first) {
        (Some(form), Some(Some(first))) => format!("{place}: {}; the first is {}", form.describe(), show_time(first)),
        (Some(form), _) => format!("{place}: {}, without a year (--year)", Form::describe(form)),
        (None, _) => format!("{place}: none found in the first records"),
    }
}

/// What time is measured by, for verbs that measure it.
fn describe_clock(config: &StreamConfig) -> String {
    if config.measure.is_none() {
        return "none".to_owned();
    }
    match config.clock {
        ClockName::Count => "records read".to_owned(),
        ClockName::Wall => "the time of reading".to_owned(),
        ClockName::Event => {
            let jump = match config.max_jump {
                MaxJump::Off => "any stamp ahead is believed".to_owned(),
                MaxJump::Fixed(span) => format!("a stamp more than {} ahead is not believed alone", show_span(span)),
                _ => "a stamp too far ahead is not believed alone".to_owned(),
            };
            format!("the records' stamps; {jump}")
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

fn fate_of_broken(config: &StreamConfig) -> &'static str {
    match config.on_error {
        OnError::Pass => "passed on",
        OnError::Skip => "left out",
        OnError::Fail => "ends the run",
    }
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
