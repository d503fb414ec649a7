//! One pass over a block: find each record's end, its key and its stamp. The loop is compiled for each kind of key, each
//! hash and with or without time, so that no record pays for an option.

use super::super::timestamp::{Form, Stamp, StampReader};
use super::format::{Format, Layout, Table};
use super::found::Found;
use super::key::{KeyOf, KeySource, Look};
use super::locate::Locator;
use super::plan::{Cuts, Key, Plan, Wanted};
use super::sift::Sift;
use super::time::{Chosen, TIME_NAMES, TimePlace, TimeReader};
use super::value::ValueSpec;
use super::{Cut, Keyless, Records, Why};
use grudge::hash::{HashKey, KeyHasher};
use regex::bytes::Regex;
use std::mem::{Discriminant, discriminant};
use std::sync::Arc;

/// How records are read.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// The byte that ends a record.
    pub terminator: u8,
    /// Bytes of the longest record that is not bad.
    pub max_record: usize,
    /// Whether the banners of `tail -F a b` are no records.
    pub banners: bool,
    /// Whether it is told what is cut out of each key.
    pub cuts: bool,
    /// Which lines belong to the record before them.
    pub multiline: Option<Multiline>,
}

/// Which lines go on with the record before them.
#[derive(Debug, Clone)]
pub enum Multiline {
    /// Those without a stamp at their start.
    Unstamped(Box<StampReader>),
    /// Those that do not match.
    Unmatched(Regex),
}

impl Multiline {
    /// Refuses it where no line could go on.
    fn check(format: &Format) -> Result<(), String> {
        if format.spans_lines() {
            return Err(format!("--multiline: records of this format ({}) find their own end", format.describe()));
        }
        Ok(())
    }

    fn goes_on(&mut self, line: &[u8]) -> bool {
        match self {
            Multiline::Unmatched(pattern) => !pattern.is_match(line),
            Multiline::Unstamped(stamps) => {
                let (stamp, _) = stamps.leading(line);
                // Two programs may write to one file: a stamp of any form begins a record.
                stamps.unlock();
                stamp == Stamp::None
            }
        }
    }
}

/// What the first records decided for all that follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Decided {
    /// For records of which format.
    format: Option<Discriminant<Format>>,
    form: Option<Form>,
    chosen: Option<Chosen>,
}

impl Decided {
    /// The form of the stamps.
    pub fn form(self) -> Option<Form> {
        self.form
    }

    /// The field that has the time, where that was found out by its name.
    pub fn time_name(self) -> Option<&'static str> {
        match self.chosen {
            Some(Chosen::Pair) => Some("date and time"),
            Some(Chosen::Part(part)) => TIME_NAMES.get(part).copied(),
            _ => None,
        }
    }
}

/// Reads blocks of records.
#[derive(Clone)]
pub struct Reader {
    options: ReadOptions,
    hasher: KeyHasher,
    wanted: Arc<Wanted>,
    sift: Sift,
    decided: Decided,
    layout: Option<Arc<Layout>>,
    plan: Option<Plan>,
}

impl Reader {
    pub fn new(options: ReadOptions, hasher: KeyHasher, wanted: Wanted, sift: Sift) -> Reader {
        let (wanted, decided) = (Arc::new(wanted), Decided::default());
        Reader { options, hasher, wanted, sift, decided, layout: None, plan: None }
    }

    /// Whether reading a record costs no more than judging it: a line that is its own key, without a time.
    pub fn is_light(&self) -> bool {
        self.wanted.time.is_none()
            && matches!(self.wanted.key.source, KeySource::Whole)
            && self.wanted.key.is_verbatim()
    }

    /// Whether nothing is left to be decided by a record of this layout: such blocks may be read in any order, by any
    /// reader that has [adopted](Reader::adopt) what was.
    pub fn is_decided(&self, layout: &Layout) -> bool {
        let is_same = self.decided.format == Some(discriminant(&layout.format));
        let time =
            self.wanted.time.is_none() || self.decided.form.is_some() || self.decided.chosen == Some(Chosen::Nothing);
        is_same && !layout.is_provisional && time
    }

    /// What the records so far decided.
    pub fn decided(&self) -> Decided {
        self.decided
    }

    /// Takes over what another reader has decided.
    pub fn adopt(&mut self, decided: Decided) {
        if self.decided != decided {
            self.decided = decided;
            self.layout = None;
        }
    }

    /// The plan for the records read last.
    pub fn plan(&self) -> Option<&Plan> {
        self.plan.as_ref()
    }

    /// Reads all records of `block`, which are of this layout.
    pub fn read(&mut self, block: &[u8], layout: &Arc<Layout>, records: &mut Records) {
        records.clear();
        if let Err(trouble) = self.prepare(layout) {
            // No record of it can be read.
            records.trouble = Some(trouble);
            return;
        }
        layout.format.find_ends(block, self.options.terminator, &mut records.ends, &mut records.widths);
        match self.hasher {
            KeyHasher::Xxh3(hasher) => self.read_with(&hasher, block, records),
            KeyHasher::Sip13(hasher) => self.read_with(&hasher, block, records),
            KeyHasher::Sip24(hasher) => self.read_with(&hasher, block, records),
            hasher => self.read_with(&hasher, block, records),
        }
        records.lines = match layout.format.spans_lines() {
            true => memchr::memchr_iter(b'\n', block).count() as u64,
            false => records.ends.len() as u64,
        };
        if let Format::Csv(table) = &layout.format {
            records.columns = table.names.len() as u32;
        }
        if let Some(time) = self.plan.as_ref().and_then(|plan| plan.time.as_ref()) {
            records.form = time.form();
            self.decided.form = time.form();
            if let Some(chosen) = time.chosen()
                && self.decided.chosen != Some(chosen)
            {
                self.decided.chosen = Some(chosen);
                self.layout = None;
            }
        }
    }

    /// Reads a heading: lines that are no records, and say how those behind them are laid out.
    pub fn read_heading(&mut self, block: &[u8], layout: &Arc<Layout>, records: &mut Records) {
        records.clear();
        // A name that is no field's is told before anything is written; what stands before a header tells nothing yet.
        let is_known = !matches!(&layout.format, Format::Csv(table) if table.names.is_empty());
        if is_known && let Err(trouble) = self.prepare(layout) {
            records.trouble = Some(trouble);
            return;
        }
        layout.format.find_ends(block, self.options.terminator, &mut records.ends, &mut records.widths);
        records.lines = memchr::memchr_iter(b'\n', block).count() as u64;
        for index in 0..records.ends.len() {
            let line = content(&block[records.start(index)..records.ends[index] as usize], self.options.terminator);
            let why = if self.options.banners && is_banner(line) { Why::Banner } else { Why::Heading };
            records.keyless.push(Keyless { index: index as u32, why });
        }
        if self.wanted.time.is_some() {
            records.stamps.resize(records.ends.len(), Stamp::None);
        }
    }

    /// Makes the plan for records of another layout than those before.
    fn prepare(&mut self, layout: &Arc<Layout>) -> Result<(), String> {
        if self.layout.as_ref().is_some_and(|known| Arc::ptr_eq(known, layout)) {
            return Ok(());
        }
        // Records of another format have their time elsewhere, in another form.
        let format = Some(discriminant(&layout.format));
        if self.decided.format != format {
            self.decided = Decided { format, ..Decided::default() };
        }
        if self.options.multiline.is_some() {
            Multiline::check(&layout.format)?;
        }
        let mut plan = Plan::new(&self.wanted, layout, self.decided.chosen)?;
        if let (Some(time), Some(form)) = (&mut plan.time, self.decided.form) {
            time.lock(form);
        }
        self.plan = Some(plan);
        self.layout = Some(Arc::clone(layout));
        Ok(())
    }

    fn read_with<H: HashKey>(&mut self, hasher: &H, block: &[u8], records: &mut Records) {
        let Reader { options, plan: Some(plan), layout: Some(layout), sift, wanted, .. } = self else { return };
        let Plan { key, locator, time, found, cuts, value } = plan;
        // A dash in a W3C log is a field with nothing in it.
        let missing_is_empty = wanted.key.missing_is_empty || matches!(layout.format, Format::W3c(_));
        let value = (!wanted.value.is_one()).then_some(ValueOf { spec: &wanted.value, part: *value, missing_is_empty });
        let pass = Pass { options, format: &layout.format, sift, locator, time, found, cuts, value };
        match key {
            Key::Whole(key) => pass.read(hasher, key, block, records),
            Key::OneNumber(key) => pass.read(hasher, key, block, records),
            Key::OneAccessField(key) => pass.read(hasher, key, block, records),
            Key::OneColumn(key) => pass.read(hasher, key, block, records),
            Key::OnePart(key) => pass.read(hasher, key, block, records),
            Key::Any(key) => pass.read(hasher, key.as_mut(), block, records),
        }
    }
}

/// What a pass over a block needs.
struct Pass<'a> {
    options: &'a mut ReadOptions,
    format: &'a Format,
    sift: &'a Sift,
    locator: &'a mut Option<Locator>,
    time: &'a mut Option<TimeReader>,
    found: &'a mut Found,
    cuts: &'a mut Cuts,
    /// The number that is read of each record; nothing where that is 1.
    value: Option<ValueOf<'a>>,
}

/// Which number is read of a record, and which of the parts found holds it.
#[derive(Clone, Copy)]
struct ValueOf<'a> {
    spec: &'a ValueSpec,
    part: usize,
    missing_is_empty: bool,
}

impl Pass<'_> {
    fn read<H: HashKey, K: KeyOf>(self, hasher: &H, key: &mut K, block: &[u8], records: &mut Records) {
        let Pass { options, format, sift, locator, time, found, cuts, value } = self;
        let Records { ends, hashes, values, unfound, stamps, keyless, cuts: cut_places, .. } = records;
        let ReadOptions { terminator, max_record, banners, multiline, .. } = options;
        let table = if let Format::Csv(table) = format { Some(table) } else { None };
        let is_json = matches!(format, Format::Json | Format::JsonStream);
        let sort = Sort {
            terminator: *terminator,
            is_stream: *format == Format::JsonStream,
            max_record: *max_record,
            looks: *banners || table.is_some() || is_json,
            banners: *banners,
            no_blanks: table.is_some() || is_json,
            table,
        };
        let is_idle = sift.is_idle();
        let is_bare = is_idle && multiline.is_none() && value.is_none();
        match (time, locator) {
            (None, None) if is_bare => each_record(&sort, block, ends, hashes, keyless, |record| {
                key.hash(hasher, Look { record: record?, found, cuts: &[] }).ok_or(Why::Missing)
            }),
            (None, Some(locator)) if is_bare && !options.cuts => {
                each_record(&sort, block, ends, hashes, keyless, |record| {
                    let record = record?;
                    locator.locate(record, found)?;
                    let cuts = cuts.of(record, &[], found);
                    key.hash(hasher, Look { record, found, cuts }).ok_or(Why::Missing)
                });
            }
            (mut time, locator) => {
                let timed = time.is_some();
                let may_be_stamped = matches!(multiline, Some(Multiline::Unstamped(_)))
                    && time.as_ref().is_some_and(|time| !matches!(time.place(), TimePlace::Leading));
                let mut next = 0;
                // The first record whose date may be read in more than one way: the run ends there.
                let mut doubtful = None;
                let mut of_record = |record: Result<&[u8], Why>, stamp: &mut Stamp| {
                    let index = next;
                    next += 1;
                    let record = record?;
                    // A line that has its time elsewhere is a record of its own as well.
                    let goes_on = multiline.as_mut().is_some_and(|multiline| multiline.goes_on(record));
                    if goes_on && !may_be_stamped {
                        return Err(Why::GoesOn);
                    }
                    if let Some(locator) = locator {
                        locator.locate(record, found).map_err(|broken| match goes_on {
                            true => Why::GoesOn,
                            false => Why::Json(broken),
                        })?;
                    }
                    let mut stamp_ranges = &[][..];
                    if let Some(time) = &mut time {
                        *stamp = time.read(record, found);
                        if goes_on && *stamp == Stamp::None {
                            return Err(Why::GoesOn);
                        }
                        if *stamp == Stamp::Bad {
                            return Err(if time.is_zone_unknown() { Why::UnknownZone } else { Why::BadStamp });
                        }
                        if doubtful.is_none() && time.ambiguous().is_some() {
                            doubtful = Some(index);
                        }
                        stamp_ranges = time.ranges();
                    }
                    let cuts = cuts.of(record, stamp_ranges, found);
                    if options.cuts {
                        cut_places.extend(cuts.iter().cloned().map(|range| Cut { index, range }));
                    }
                    if !is_idle && !sift.selects(record) {
                        return Err(Why::Exempt);
                    }
                    let hash = key.hash(hasher, Look { record, found, cuts }).ok_or(Why::Missing)?;
                    if !is_idle && sift.exempts(hash) {
                        return Err(Why::Exempt);
                    }
                    if let Some(ValueOf { spec, part, missing_is_empty }) = value {
                        let number = spec.read(record, found, part, missing_is_empty)?;
                        *unfound += u64::from(number.is_none());
                        values.push(number.unwrap_or(0.0));
                    }
                    Ok(hash)
                };
                each_record(&sort, block, ends, hashes, keyless, |record| {
                    let mut stamp = Stamp::None;
                    let hash = of_record(record, &mut stamp);
                    if timed {
                        stamps.push(stamp);
                    }
                    hash
                });
                if let Some(index) = doubtful {
                    records.truncate(index as usize);
                    records.trouble = time.as_ref().and_then(TimeReader::ambiguous).map(|text| {
                        format!(
                            "`{}` looks like a time whose day, month and year are in an order that is not known: say it with \
                             --time-format, such as '%d/%m/%Y %H:%M:%S'",
                            String::from_utf8_lossy(text)
                        )
                    });
                }
            }
        }
    }
}

/// What tells records from what is none.
struct Sort<'a> {
    terminator: u8,
    /// Whether they are values with blanks behind them, or perhaps nothing.
    is_stream: bool,
    max_record: usize,
    /// Whether a look at what the record holds is needed.
    looks: bool,
    banners: bool,
    /// Whether a blank line is no record.
    no_blanks: bool,
    /// The table whose rows the records are.
    table: Option<&'a Table>,
}

impl Sort<'_> {
    /// The record that stands in these bytes, or why it is none that could have a key.
    #[inline(always)]
    fn sort<'a>(&self, bytes: &'a [u8]) -> Result<&'a [u8], Why> {
        let record = if self.is_stream {
            bytes.trim_ascii_end()
        } else {
            without_return(&bytes[..bytes.len() - 1], self.terminator)
        };
        if record.len() > self.max_record {
            return Err(Why::TooLong);
        }
        if self.looks { self.look(record) } else { Ok(record) }
    }

    #[inline(always)]
    fn look<'a>(&self, record: &'a [u8]) -> Result<&'a [u8], Why> {
        if self.banners && is_banner(record) {
            return Err(Why::Banner);
        }
        if self.no_blanks && record.first().is_none_or(u8::is_ascii_whitespace) && record.trim_ascii().is_empty() {
            return Err(Why::Blank);
        }
        if self.table.is_some_and(|table| record == table.header && !table.names.is_empty()) {
            return Err(Why::Heading);
        }
        Ok(record)
    }
}

/// The one loop over a block. `hash_of` is given each record, or why it cannot be read.
#[inline(always)]
fn each_record<'a>(
    sort: &Sort<'_>,
    block: &'a [u8],
    ends: &[u32],
    hashes: &mut Vec<u64>,
    keyless: &mut Vec<Keyless>,
    mut hash_of: impl FnMut(Result<&'a [u8], Why>) -> Result<u64, Why>,
) {
    let mut start = 0;
    for (index, end) in ends.iter().enumerate() {
        let end = *end as usize;
        let bytes = &block[start..end];
        start = end;
        match hash_of(sort.sort(bytes)) {
            Ok(hash) => hashes.push(hash),
            Err(why) => keyless.push(Keyless { index: index as u32, why }),
        }
    }
}

/// Whether it is the line with which `tail -F a b` announces that it goes on with another file.
#[inline(always)]
pub fn is_banner(line: &[u8]) -> bool {
    line.starts_with(b"==> ") && line.ends_with(b" <==")
}

/// A record without its terminator.
#[inline(always)]
pub fn content(record: &[u8], terminator: u8) -> &[u8] {
    match record {
        [content @ .., last] if *last == terminator => without_return(content, terminator),
        _ => record,
    }
}

/// A carriage return right before a newline belongs to the line's ending, whatever the other lines have.
#[inline(always)]
fn without_return(record: &[u8], terminator: u8) -> &[u8] {
    match record {
        [content @ .., b'\r'] if terminator == b'\n' => content,
        _ => record,
    }
}

#[cfg(test)]
mod tests;
