//! What a filter does with each record: pass it, drop it, or skip it. And the count of each.

use super::args::{OnError, OnMissing};
use super::columns::{Columns, Row};
use super::output::{Output, Stop};
use super::pipeline::{Batch, Fragment, Halt};
use super::problems::Problems;
use super::record::format::Format;
use super::record::{Keyless, Records, Why, content};
use super::stats::Stats;
use std::collections::HashMap;

/// Passes records byte for byte, or what is said of them in columns.
pub struct Filter {
    on_error: OnError,
    missing: OnMissing,
    /// Whether records that are not judged pass.
    pass_exempt: bool,
    columns: Option<Columns>,
    counts: Counts,
    problems: Problems,
    /// What becomes of each record of a block, where that is not said by the verdicts alone.
    fates: Vec<Fate>,
    /// Whether the last record was written: a line that goes on with it follows it.
    wrote_last: bool,
    /// The last heading of each kind: the same again says nothing new.
    headings: HashMap<Vec<u8>, Vec<u8>>,
}

/// Kinds of headings that are remembered: logs have a dozen.
const HEADINGS_KEPT: usize = 1000;

/// What becomes of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Pass,
    Drop,
    Skip,
    /// It is no record, and goes through uncounted.
    Through,
    /// It is no record, and is left out uncounted.
    Silent,
}

/// What became of the records: `read` is the sum of `passed`, `dropped` and `skipped`.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    pub read: u64,
    pub passed: u64,
    pub dropped: u64,
    pub skipped: u64,
    /// Broken records, whatever became of them.
    pub bad: u64,
    /// Records without a key, whatever became of them.
    pub missing: u64,
    /// Records that were not judged, whatever became of them.
    pub exempt: u64,
    /// Rows of a table with more or fewer fields than its header.
    pub ragged: u64,
    /// Lines that went on with the record before them.
    pub continued: u64,
    /// Headings that said what the ones before them had said.
    pub headings_repeated: u64,
}

impl Filter {
    /// `pass_exempt`: whether records that are not judged pass.
    pub fn new(on_error: OnError, missing: OnMissing, pass_exempt: bool, columns: Option<Columns>) -> Filter {
        Filter {
            on_error,
            missing,
            pass_exempt,
            columns,
            counts: Counts::default(),
            problems: Problems::default(),
            fates: Vec::new(),
            wrote_last: pass_exempt,
            headings: HashMap::new(),
        }
    }

    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// What was wrong with records.
    pub fn problems(&self) -> &Problems {
        &self.problems
    }

    /// The first record of a batch that must not be met, by its number there.
    pub fn refused(&self, records: &Records) -> Option<Keyless> {
        if self.on_error != OnError::Fail && self.missing != OnMissing::Fail {
            return None;
        }
        records.keyless.iter().copied().find(|record| self.refuses(record.why))
    }

    fn refuses(&self, why: Why) -> bool {
        match why {
            why if why.is_missing() => self.missing == OnMissing::Fail,
            why => why.is_broken() && self.on_error == OnError::Fail,
        }
    }

    /// Writes what passes of a batch, in which no record is refused: `keyed` says it of each record with a key, the
    /// policies of those without. `row` tells what is known of a record, by its number and, where it has a key, by its number among those.
    pub fn apply(
        &mut self,
        batch: &Batch<'_>,
        mut keyed: impl Iterator<Item = bool>,
        row: impl Fn(usize, Option<usize>) -> Row,
        output: &mut Output,
    ) -> Result<(), Halt> {
        let ends = &batch.records.ends;
        self.counts.ragged += batch.records.ragged();
        // The ways of most batches: every record has a key, and nothing stands anywhere but in front of it.
        let written = match &mut self.columns {
            None if batch.records.keyless.is_empty() => Some(write_runs(batch.bytes, ends, keyed.by_ref(), output)?),
            Some(columns) if batch.records.keyless.is_empty() && columns.stand_in_front(batch.layout) => {
                Some(write_fronted(batch, keyed.by_ref(), columns, &row, output)?)
            }
            _ => None,
        };
        if let Some((passed, last)) = written {
            self.wrote_last = last.unwrap_or(self.wrote_last);
            self.counts.read += ends.len() as u64;
            self.counts.passed += passed;
            self.counts.dropped += ends.len() as u64 - passed;
            return Ok(());
        }
        self.fates.clear();
        for Keyless { index, why } in &batch.records.keyless {
            let before = *index as usize - self.fates.len();
            self.follow(keyed.by_ref().take(before));
            let fate = match why {
                Why::Heading => self.judge_heading(batch, *index as usize),
                why => {
                    if why.is_missing() || why.is_broken() {
                        self.problems.add(*why, || (batch.file.to_owned(), batch.line(*index as usize)));
                    }
                    self.judge(*why)
                }
            };
            self.fates.push(fate);
            if why.is_record() {
                self.wrote_last = fate == Fate::Pass;
            }
        }
        self.follow(keyed);
        for fate in &self.fates {
            match fate {
                Fate::Pass => self.counts.passed += 1,
                Fate::Drop => self.counts.dropped += 1,
                Fate::Skip => self.counts.skipped += 1,
                Fate::Through | Fate::Silent => continue,
            }
            self.counts.read += 1;
        }
        match &mut self.columns {
            Some(columns) => write_rows(batch, &self.fates, columns, row, output)?,
            None => {
                let passes = self.fates.iter().map(|fate| matches!(fate, Fate::Pass | Fate::Through));
                write_runs(batch.bytes, ends, passes, output)?;
            }
        }
        Ok(())
    }

    /// Notes what becomes of records with a key.
    fn follow(&mut self, passes: impl Iterator<Item = bool>) {
        let before = self.fates.len();
        self.fates.extend(passes.map(|pass| if pass { Fate::Pass } else { Fate::Drop }));
        if let Some(last) = self.fates[before..].last() {
            let writes_all = self.columns.as_ref().is_some_and(Columns::writes_all);
            self.wrote_last = *last == Fate::Pass || writes_all;
        }
    }

    /// A heading passes unless it says what the one before it said.
    fn judge_heading(&mut self, batch: &Batch<'_>, index: usize) -> Fate {
        let records = &*batch.records;
        let line = content(&batch.bytes[records.start(index)..records.ends[index] as usize], b'\n');
        // A directive by its name, the header of a table by none and by what it means: quotes make no other header.
        let (name, said) = match &batch.layout.format {
            _ if line.is_empty() => return if self.shows_records() { Fate::Through } else { Fate::Silent },
            Format::Csv(table) => (&b""[..], table.names.join(&0)),
            _ => (line.split(|byte| matches!(byte, b' ' | b'\t')).next().unwrap_or_default(), line.to_vec()),
        };
        if self.headings.get(name) == Some(&said) {
            self.counts.headings_repeated += 1;
            return Fate::Silent;
        }
        if self.headings.len() >= HEADINGS_KEPT {
            self.headings.clear();
        }
        self.headings.insert(name.to_vec(), said);
        if self.shows_records() { Fate::Through } else { Fate::Silent }
    }

    /// Writes a piece of a broken record, or not.
    pub fn fragment(&mut self, fragment: &Fragment<'_>, output: &mut Output) -> Result<(), Halt> {
        if fragment.first {
            if self.refuses(fragment.why) {
                return Err(Halt::Record { line: fragment.line, why: fragment.why });
            }
            self.problems.add(fragment.why, || (fragment.file.to_owned(), fragment.line));
            let pass = self.judge(fragment.why) == Fate::Pass;
            self.wrote_last = pass;
            self.counts.read += 1;
            self.counts.passed += u64::from(pass);
            self.counts.skipped += u64::from(!pass);
            if let Some(columns) = self.columns.as_mut().filter(|_| pass) {
                columns.write_empty(output)?;
            }
        }
        if self.on_error == OnError::Pass && self.shows_records() {
            output.write(fragment.bytes)?;
        }
        Ok(())
    }

    /// Whether records are written, and not only what is said of them.
    fn shows_records(&self) -> bool {
        self.columns.as_ref().is_none_or(Columns::with_record)
    }

    /// What becomes of a record without a key.
    fn judge(&mut self, why: Why) -> Fate {
        let pass = match why {
            Why::Banner => return Fate::Through,
            Why::Blank if self.pass_exempt && self.shows_records() => return Fate::Through,
            Why::Blank | Why::Heading => return Fate::Silent,
            Why::GoesOn => {
                self.counts.continued += 1;
                return if self.wrote_last && self.shows_records() { Fate::Through } else { Fate::Silent };
            }
            Why::Missing | Why::NoValue => {
                self.counts.missing += 1;
                self.missing != OnMissing::Skip
            }
            Why::Exempt => {
                self.counts.exempt += 1;
                self.pass_exempt
            }
            _ => {
                self.counts.bad += 1;
                // One that may come in pieces has nothing that columns could say of it.
                self.on_error == OnError::Pass && (why.is_unjudged() || self.shows_records())
            }
        };
        if pass { Fate::Pass } else { Fate::Skip }
    }
}

/// Writes the rows of the records that pass, or of all.
fn write_rows(
    batch: &Batch<'_>,
    fates: &[Fate],
    columns: &mut Columns,
    row: impl Fn(usize, Option<usize>) -> Row,
    output: &mut Output,
) -> Result<(), Stop> {
    let mut keyless = batch.records.keyless.iter().peekable();
    let (mut start, mut keyed, mut places) = (0, 0, 0);
    columns.prepare(batch.layout);
    for (index, fate) in fates.iter().enumerate() {
        let end = batch.records.ends[index] as usize;
        let record = &batch.bytes[start..end];
        start = end;
        let why = keyless.next_if(|record| record.index as usize == index).map(|record| record.why);
        let place = why.is_none().then_some(keyed);
        keyed += usize::from(why.is_none());
        match fate {
            Fate::Through if columns.with_record() => {
                if why == Some(Why::Heading) {
                    columns.write_heading(record, output)?;
                } else {
                    output.write(record)?;
                }
            }
            Fate::Through | Fate::Skip | Fate::Silent => {}
            Fate::Drop if !columns.writes_all() => {}
            Fate::Pass | Fate::Drop => {
                let cuts = batch.records.cuts_of(index, &mut places);
                let is_whole = why.is_none_or(|why| !why.is_broken() || why.is_unjudged());
                columns.write(record, &row(index, place), is_whole, cuts, output)?;
            }
        }
    }
    Ok(())
}

impl Counts {
    pub fn add_to(&self, stats: &mut Stats) {
        stats.count("read", self.read);
        stats.count("passed", self.passed);
        stats.count("dropped", self.dropped);
        stats.count("skipped", self.skipped);
        stats.count("bad", self.bad);
        stats.count("missing", self.missing);
        stats.count("exempt", self.exempt);
        stats.count("ragged", self.ragged);
        stats.count("continued", self.continued);
        stats.count("headings_repeated", self.headings_repeated);
    }
}

/// Writes records with columns in front of them, those that pass or all; returns how many pass, and whether the last one was
/// written.
fn write_fronted(
    batch: &Batch<'_>,
    passes: impl Iterator<Item = bool>,
    columns: &Columns,
    row: impl Fn(usize, Option<usize>) -> Row,
    output: &mut Output,
) -> Result<(u64, Option<bool>), Stop> {
    let (mut start, mut passed, mut last) = (0, 0, None);
    for (index, (end, pass)) in batch.records.ends.iter().zip(passes).enumerate() {
        let record = &batch.bytes[start..*end as usize];
        start = *end as usize;
        passed += u64::from(pass);
        let writes = pass || columns.writes_all();
        last = Some(writes);
        if writes {
            columns.write_before(record, &row(index, Some(index)), output)?;
        }
    }
    Ok((passed, last))
}

/// Writes the records that pass, neighbours in one piece; returns how many, and whether the last one did.
fn write_runs(
    bytes: &[u8],
    ends: &[u32],
    passes: impl Iterator<Item = bool>,
    output: &mut Output,
) -> Result<(u64, Option<bool>), Stop> {
    let (mut run_start, mut run_end, mut passed) = (0, 0, 0);
    for (end, pass) in ends.iter().zip(passes) {
        let end = *end as usize;
        if pass {
            passed += 1;
        } else {
            if run_start < run_end {
                output.write(&bytes[run_start..run_end])?;
            }
            run_start = end;
        }
        run_end = end;
    }
    output.write(&bytes[run_start..run_end])?;
    let last = (!ends.is_empty()).then_some(run_start < run_end);
    Ok((passed, last))
}
