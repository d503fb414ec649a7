//! Bytes to instants: finding a record's time in its text.
//!
//! A [`StampReader`] looks for a stamp at the start of a line, or in a field the user named. The first stamp it reads
//! locks its form; from then on it looks for this form only, so a stray date in another notation never moves the clock.
//! Nothing here reads a clock, and every answer depends on the bytes, the options and the locked form alone.
//!
//! | form | example |
//! |---|---|
//! | [`Form::Iso`] | `2026-03-01T10:00:00.123Z`, `2026-03-01 10:00:00,123`, `2026/03/01 10:00:00 +0530` |
//! | [`Form::AccessLog`] | `17/May/2015:10:05:03 +0000` |
//! | [`Form::Syslog`] | `May 17 10:05:03` (the year is added by a [`YearRule`]), `May 17 2015 10:05:03` |
//! | [`Form::Ctime`] | `Sun May 17 10:05:03.123456 2015` |
//! | [`Form::Klog`] | `I0517 10:05:03.123456` (the letter is no part of the stamp), `I20150517 10:05:03.123456` |
//! | [`Form::Epoch`] | `1767323045.123`, `1767323045123` (in a named field, or where the unit is given) |
//! | [`Form::Custom`] | whatever `--time-format` says |
//!
//! A stamp without a zone is in the zone of `--tz` (UTC by default); a zone in the stamp wins. A leap second `:60`
//! becomes the last nanosecond of its minute, in any minute. Instants beyond the years 1677 to 2262 saturate.
//!
//! Dates of digits whose order nothing tells (`03/04/2026`) are never guessed: they are no stamps, and
//! [`looks_ambiguous`] knows them.

mod ambiguous;
mod civil;
mod custom;
mod epoch;
mod iso;
mod klog;
mod memo;
mod months;
mod scan;
mod year;
mod zone;

#[cfg(test)]
mod tests;

pub use ambiguous::looks_ambiguous;
pub use epoch::EpochUnit;
pub use year::{NoYear, YearRule};

use civil::LAST_NANOSECOND;
use custom::Pattern;
use grudge::time::{NANOS_PER_SECOND, Timestamp};
use memo::Memo;
use scan::{Text, is_blank, opens, trim_field};
use std::ops::Range;
use zone::{Zone, ZoneText};

/// What a piece of text says about its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stamp {
    /// No stamp there.
    None,
    /// It has the form of a stamp, but cannot be read: month 13, second 61, a zone name with more than one meaning.
    Bad,
    /// An instant.
    At(Timestamp),
    /// An instant but for its year: [`YearRule::resolve`] knows it.
    NoYear(NoYear),
}

/// How stamps are written; see the table of the [module](self).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// RFC 3339 and its cousins, year first.
    Iso,
    /// Apache's and nginx's access logs.
    AccessLog,
    /// Syslog (RFC 3164), most often without a year.
    Syslog,
    /// The C library's `ctime`, Apache's error logs.
    Ctime,
    /// klog and glog, most often without a year.
    Klog,
    /// A plain number; without a unit each number's magnitude tells its own.
    Epoch(Option<EpochUnit>),
    /// The format of `--time-format`.
    Custom,
}

impl Form {
    /// In words, with an example.
    pub fn describe(self) -> &'static str {
        match self {
            Form::Iso => "stamps such as 2026-03-01T10:00:00Z",
            Form::AccessLog => "stamps such as 01/Mar/2026:10:00:00 +0000",
            Form::Syslog => "stamps such as Mar  1 10:00:00",
            Form::Ctime => "stamps such as Sun Mar  1 10:00:00 2026",
            Form::Klog => "stamps such as I0301 10:00:00.123456",
            Form::Epoch(None) => "numbers since 1970, in s, ms, us or ns by their size",
            Form::Epoch(Some(EpochUnit::Seconds)) => "seconds since 1970",
            Form::Epoch(Some(EpochUnit::Millis)) => "milliseconds since 1970",
            Form::Epoch(Some(EpochUnit::Micros)) => "microseconds since 1970",
            Form::Epoch(Some(EpochUnit::Nanos)) => "nanoseconds since 1970",
            Form::Custom => "stamps as --time-format says",
        }
    }
}

/// The forms that are found without being asked for, in the order in which they are tried. No text has two of them.
const DETECTED: [Form; 6] = [Form::Iso, Form::AccessLog, Form::Ctime, Form::Syslog, Form::Epoch(None), Form::Klog];

/// What the user said about stamps.
#[derive(Debug, Clone, Default)]
pub struct StampOptions {
    /// `--time-format`: a strftime pattern, or the unit of an epoch: `s`, `ms`, `us`, `ns`.
    pub time_format: Option<String>,
    /// `--tz`: the zone of stamps that name none: `UTC`, `+02:00`, `America/New_York`.
    pub tz: Option<String>,
}

/// Reads stamps: first of any form, then of the form of the first one read.
///
/// A clone reads like the original from there on; each may then lock a form of its own.
#[derive(Debug, Clone)]
pub struct StampReader {
    zone: Zone,
    pattern: Option<Pattern>,
    form: Option<Form>,
    form_is_given: bool,
    line_memo: Memo,
    field_memo: Memo,
    /// Of the last stamp that was [`Stamp::Bad`]; no memo keeps one.
    zone_is_unknown: bool,
}

/// A stamp of a certain form, and where it ends.
#[derive(Debug, Clone, Copy)]
struct Found {
    stamp: Stamp,
    end: usize,
}

impl StampReader {
    /// A reader with these options; the message says which of them cannot be, and why. A zone's name is looked up in
    /// the system's database here, once.
    pub fn new(options: StampOptions) -> Result<StampReader, String> {
        let zone = options.tz.as_deref().map_or(Ok(Zone::UTC), Zone::from_option)?;
        let (form, pattern) = match options.time_format.as_deref() {
            None => (None, None),
            Some(option) => match EpochUnit::from_option(option) {
                Some(unit) => (Some(Form::Epoch(Some(unit))), None),
                None => (Some(Form::Custom), Some(Pattern::new(option)?)),
            },
        };
        let form_is_given = form.is_some();
        Ok(StampReader {
            zone,
            pattern,
            form,
            form_is_given,
            line_memo: Memo::EMPTY,
            field_memo: Memo::EMPTY,
            zone_is_unknown: false,
        })
    }

    /// The stamp at the start of a line, and the range of its bytes without brackets (empty if there is none).
    ///
    /// Blanks and NULs before it are skipped, a syslog priority (`<34>`, `<34>1 `), and one of `[ ( " '`. A date alone
    /// is no stamp here, and neither is a number (it may be an id), unless `--time-format` gave its unit.
    pub fn leading(&mut self, line: &[u8]) -> (Stamp, Range<usize>) {
        match self.line_memo.of_start(line) {
            Some(known) => known,
            None => self.read_leading(line),
        }
    }

    /// The stamp that a whole field is, without the blanks, brackets, quotes and punctuation around it.
    ///
    /// The user named the field, so epochs, dates alone (`2010-01-31`) and times without seconds count. A stamp with
    /// something else behind it is [`Stamp::Bad`], a number with something else behind it is [`Stamp::None`].
    pub fn field(&mut self, text: &[u8]) -> Stamp {
        match self.field_memo.of_whole(text) {
            Some(known) => known,
            None => self.read_field(text),
        }
    }

    /// The form that is locked: after the first stamp read, after [`StampReader::lock`], or by `--time-format`.
    pub fn form(&self) -> Option<Form> {
        self.form
    }

    /// Whether the last stamp that was [`Stamp::Bad`] has a zone's name that is not known, or means more than one: to be
    /// asked right after that stamp was read. Without the name it could be read, in the zone of `--tz`.
    pub fn is_zone_unknown(&self) -> bool {
        self.zone_is_unknown
    }

    /// From now on only stamps of this form are found. [`Form::Custom`] finds some only if there is a `--time-format`.
    pub fn lock(&mut self, form: Form) {
        self.form = Some(form);
        self.line_memo = Memo::EMPTY;
        self.field_memo = Memo::EMPTY;
    }

    /// Finds stamps of any form again, unless `--time-format` has said which there are.
    pub fn unlock(&mut self) {
        if !self.form_is_given {
            self.form = None;
            self.line_memo = Memo::EMPTY;
            self.field_memo = Memo::EMPTY;
        }
    }

    /// The rule that adds a year to this reader's [`Stamp::NoYear`]s: `first_year` (`--year`) dates the first one, or
    /// else `latest`, an instant it cannot lie after.
    pub fn year_rule(&self, first_year: Option<i32>, latest: Option<Timestamp>) -> YearRule {
        YearRule { zone: self.zone.clone(), first_year, latest }
    }

    fn read_leading(&mut self, line: &[u8]) -> (Stamp, Range<usize>) {
        let mut text = Text::new(line, false);
        let outer = skip_prefix(&mut text);
        let inner = outer + usize::from(text.byte(outer).is_some_and(opens));
        let mut start = inner;
        let mut found = None;
        if self.form == Some(Form::Custom) {
            // A format may begin with the bracket itself.
            start = outer;
            found = self.read(&mut text, outer);
        }
        if found.is_none() {
            start = inner;
            found = self.read(&mut text, inner);
        }
        let Some(Found { stamp, end }) = found else { return (Stamp::None, 0..0) };
        if matches!(self.form, Some(Form::Klog) | None) {
            start += klog::level_length(&line[start..]);
        }
        if stamp == Stamp::Bad {
            self.zone_is_unknown = text.zone_is_unknown();
        } else if self.form.is_some() {
            self.line_memo.keep(line, text.seen(), stamp, start..end);
        }
        (stamp, start..end)
    }

    fn read_field(&mut self, field: &[u8]) -> Stamp {
        let mut found = None;
        if self.form == Some(Form::Custom) {
            // A format may begin or end with brackets itself.
            found = self.read(&mut Text::new(field.trim_ascii(), true), 0).filter(|found| found.stamp != Stamp::Bad);
        }
        let mut text = Text::new(trim_field(field), true);
        let found = found.or_else(|| self.read(&mut text, 0));
        let stamp = found.map_or(Stamp::None, |found| found.stamp);
        if stamp == Stamp::Bad {
            self.zone_is_unknown = text.zone_is_unknown();
        } else if self.form.is_some() {
            self.field_memo.keep(field, field.len(), stamp, 0..field.len());
        }
        stamp
    }

    /// The stamp at `at` in the locked form, or else in any, which is then locked.
    fn read(&mut self, text: &mut Text, at: usize) -> Option<Found> {
        if let Some(form) = self.form {
            return self.read_form(form, text, at);
        }
        let (form, found) =
            DETECTED.iter().find_map(|&form| self.read_form(form, text, at).map(|found| (form, found)))?;
        if found.stamp != Stamp::Bad {
            self.lock(form);
        }
        Some(found)
    }

    fn read_form(&self, form: Form, text: &mut Text, at: usize) -> Option<Found> {
        let found = match form {
            Form::Iso => iso::read(text, at, &self.zone)?,
            Form::AccessLog => months::read_access_log(text, at, &self.zone)?,
            Form::Syslog => months::read_syslog(text, at, &self.zone)?,
            Form::Ctime => months::read_ctime(text, at, &self.zone)?,
            Form::Klog => klog::read(text, at, &self.zone)?,
            // A number at a line's start may be an id.
            Form::Epoch(None) if !text.whole => return None,
            Form::Epoch(unit) => epoch::read(text, at, unit)?,
            Form::Custom => self.pattern.as_ref()?.read(text, at, &self.zone)?,
        };
        if text.whole && found.end != text.len() {
            if found.stamp != Stamp::Bad && zone::is_strange_name(text.rest(found.end)) {
                text.miss_zone();
            }
            return Some(Found { stamp: Stamp::Bad, end: text.len() });
        }
        // `10:00:001` and `10:00:00abc` are no times; the user's own format may end anywhere.
        (form == Form::Custom || text.breaks(found.end)).then_some(found)
    }
}

impl Stamp {
    /// The stamp of a wall clock's seconds and nanoseconds (none: no wall clock shows them) and of the zone behind them.
    fn from_local(local: Option<(i64, u32)>, named: ZoneText, zone: &Zone) -> Stamp {
        match (local, named.offset()) {
            (Some((seconds, nanos)), Some(offset)) => Stamp::At(zone.instant_at(seconds, nanos, offset)),
            _ => Stamp::Bad,
        }
    }

    /// The same, at the last nanosecond of its second: where a leap second goes.
    fn at_last_nanosecond(self) -> Stamp {
        match self {
            Stamp::At(instant) => {
                let second = instant.nanos().div_euclid(NANOS_PER_SECOND);
                Stamp::At(Timestamp::from_seconds(second, LAST_NANOSECOND))
            }
            Stamp::NoYear(stamp) => Stamp::NoYear(stamp.at_last_nanosecond()),
            Stamp::None | Stamp::Bad => self,
        }
    }
}

/// Where a line's stamp may start, but for a bracket: behind blanks, and behind a syslog priority with the version that
/// RFC 5424 puts after it.
fn skip_prefix(text: &mut Text) -> usize {
    /// Priorities go to 191.
    const PRIORITY_DIGITS: usize = 3;

    let mut at = 0;
    while text.byte(at).is_some_and(is_blank) {
        at += 1;
    }
    if text.has(at, b'<') {
        let digits = text.digits(at + 1, PRIORITY_DIGITS);
        if digits > 0 && text.has(at + 1 + digits, b'>') {
            at += digits + 2;
            if text.has(at, b'1') && text.has(at + 1, b' ') {
                at += 2;
            }
        }
    }
    at
}
