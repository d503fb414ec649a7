//! What a filter does with each record: pass it, drop it, or skip it. And the count of each.

use super::args::{OnError, OnMissing};
use super::columns::{Columns, Row};
use super::output::{Output, Stop};
use super::pipeline::{Batch, Fragment, Halt};
use super::record::{Keyless, Records, Why};
use super::stats::Stats;

/// Passes records byte for byte, or what is said of them in columns.
pub struct Filter {
    on_error: OnError,
    missing: OnMissing,
    /// Whether records that are not judged pass.
    pass_exempt: bool,
    columns: Option<Columns>,
    counts: Counts,
    /// What becomes of each record of a block, where that is not said by the verdicts alone.
    fates: Vec<Fate>,
}

/// What becomes of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Pass,
    Drop,
    Skip,
    /// It is no record, and goes through uncounted.
    Through,
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
}

impl Filter {
    /// `pass_exempt`: whether records that are not judged pass.
    pub fn new(on_error: OnError, missing: OnMissing, pass_exempt: bool, columns: Option<Columns>) -> Filter {
        Filter { on_error, missing, pass_exempt, columns, counts: Counts::default(), fates: Vec::new() }
    }

    pub fn counts(&self) -> &Counts {
        &self.counts
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
            Why::Missing => self.missing == OnMissing::Fail,
            Why::TooLong | Why::Cut | Why::BadStamp => self.on_error == OnError::Fail,
            Why::Exempt | Why::Banner => false,
        }
    }

    /// Writes what passes of a batch, in which no record is refused: `keyed` says it of each record with a key, the policies of those without. `row`
    /// tells what is known of a record, by its number and, where it has a key, by its number among those.
    pub fn apply(
        &mut self,
        batch: &Batch<'_>,
        mut keyed: impl Iterator<Item = bool>,
        row: impl Fn(usize, Option<usize>) -> Row,
        output: &mut Output,
    ) -> Result<(), Halt> {
        let ends = &batch.records.ends;
        if batch.records.keyless.is_empty() && self.columns.is_none() {
            let passed = write_runs(batch.bytes, ends, keyed, output)?;
            self.counts.read += ends.len() as u64;
            self.counts.passed += passed;
            self.counts.dropped += ends.len() as u64 - passed;
            return Ok(());
        }
        let fate_of = |pass| if pass { Fate::Pass } else { Fate::Drop };
        self.fates.clear();
        for Keyless { index, why } in &batch.records.keyless {
            let before = *index as usize - self.fates.len();
            self.fates.extend(keyed.by_ref().take(before).map(fate_of));
            let fate = self.judge(*why);
            self.fates.push(fate);
        }
        self.fates.extend(keyed.map(fate_of));
        for fate in &self.fates {
            self.counts.read += u64::from(*fate != Fate::Through);
            match fate {
                Fate::Pass => self.counts.passed += 1,
                Fate::Drop => self.counts.dropped += 1,
                Fate::Skip => self.counts.skipped += 1,
                Fate::Through => {}
            }
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

    /// Writes a piece of a broken record, or not.
    pub fn fragment(&mut self, fragment: &Fragment<'_>, output: &mut Output) -> Result<(), Halt> {
        if fragment.first {
            if self.refuses(fragment.why) {
                return Err(Halt::Record { line: fragment.line, why: fragment.why });
            }
            let pass = self.judge(fragment.why) == Fate::Pass;
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
            Why::Missing => {
                self.counts.missing += 1;
                self.missing != OnMissing::Skip
            }
            Why::TooLong | Why::Cut | Why::BadStamp => {
                self.counts.bad += 1;
                // One that may come in pieces has nothing that columns could say of it.
                self.on_error == OnError::Pass && (why == Why::BadStamp || self.shows_records())
            }
            Why::Exempt => {
                self.counts.exempt += 1;
                self.pass_exempt
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
    let mut keyless = batch.records.keyless.iter().map(|record| record.index as usize).peekable();
    let (mut start, mut keyed, mut places) = (0, 0, 0);
    for (index, fate) in fates.iter().enumerate() {
        let end = batch.records.ends[index] as usize;
        let record = &batch.bytes[start..end];
        start = end;
        let place = if keyless.next_if_eq(&index).is_some() {
            None
        } else {
            keyed += 1;
            Some(keyed - 1)
        };
        match fate {
            Fate::Through if columns.with_record() => output.write(record)?,
            Fate::Through | Fate::Skip => {}
            Fate::Drop if !columns.writes_all() => {}
            Fate::Pass | Fate::Drop => {
                let stamp = batch.records.stamp_of(index, &mut places);
                columns.write(record, &row(index, place), stamp, output)?;
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
    }
}

/// Writes the records that pass, neighbours in one piece; returns how many.
fn write_runs(
    bytes: &[u8],
    ends: &[u32],
    passes: impl Iterator<Item = bool>,
    output: &mut Output,
) -> Result<u64, Stop> {
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
    Ok(passed)
}
