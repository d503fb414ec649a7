//! What a filter does with each record: pass it, drop it, or skip it. And the count of each.

use super::args::{OnError, OnMissing};
use super::output::{Output, Stop};
use super::pipeline::{Batch, Fragment, Halt};
use super::record::{Keyless, Why};
use super::stats::Stats;

/// Passes records byte for byte.
#[derive(Debug)]
pub struct Filter {
    on_error: OnError,
    missing: OnMissing,
    counts: Counts,
    /// Which records of a block pass, where some have no key.
    passes: Vec<bool>,
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
}

impl Filter {
    pub fn new(on_error: OnError, missing: OnMissing) -> Filter {
        Filter { on_error, missing, counts: Counts::default(), passes: Vec::new() }
    }

    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Writes what passes of a batch: `keyed` says it of each record with a key, the policies of those without.
    pub fn apply(
        &mut self,
        batch: &Batch<'_>,
        mut keyed: impl Iterator<Item = bool>,
        output: &mut Output,
    ) -> Result<(), Halt> {
        let ends = &batch.records.ends;
        if batch.records.keyless.is_empty() {
            let passed = write_passed(batch.bytes, ends, keyed, output)?;
            self.count(ends.len() as u64, passed, 0);
            return Ok(());
        }
        let mut passes = std::mem::take(&mut self.passes);
        passes.clear();
        let (mut skipped, mut halted) = (0, None);
        for Keyless { index, why } in &batch.records.keyless {
            passes.extend(keyed.by_ref().take(*index as usize - passes.len()));
            let Some(pass) = self.judge(*why) else {
                halted = Some(Halt::Record { line: batch.first_line + u64::from(*index), why: *why });
                break;
            };
            skipped += u64::from(!pass);
            passes.push(pass);
        }
        if halted.is_none() {
            passes.extend(keyed);
        }
        let passed = write_passed(batch.bytes, &ends[..passes.len()], passes.iter().copied(), output)?;
        self.count(passes.len() as u64, passed, skipped);
        self.passes = passes;
        halted.map_or(Ok(()), Err)
    }

    /// Writes a piece of an overlong record, or not.
    pub fn fragment(&mut self, fragment: &Fragment<'_>, output: &mut Output) -> Result<(), Halt> {
        if fragment.first {
            let pass = self.judge(Why::Bad).ok_or(Halt::Record { line: fragment.line, why: Why::Bad })?;
            self.count(1, u64::from(pass), u64::from(!pass));
        }
        if self.on_error == OnError::Pass {
            output.write(fragment.bytes)?;
        }
        Ok(())
    }

    /// Whether a record without a key passes; `None` when it must not be met.
    fn judge(&mut self, why: Why) -> Option<bool> {
        let (pass, count) = match why {
            Why::Missing => match self.missing {
                OnMissing::Fail => return None,
                missing => (missing != OnMissing::Skip, &mut self.counts.missing),
            },
            Why::Bad => match self.on_error {
                OnError::Fail => return None,
                on_error => (on_error == OnError::Pass, &mut self.counts.bad),
            },
        };
        *count += 1;
        Some(pass)
    }

    fn count(&mut self, read: u64, passed: u64, skipped: u64) {
        self.counts.read += read;
        self.counts.passed += passed;
        self.counts.skipped += skipped;
        self.counts.dropped += read - passed - skipped;
    }
}

impl Counts {
    pub fn add_to(&self, stats: &mut Stats) {
        stats.count("read", self.read);
        stats.count("passed", self.passed);
        stats.count("dropped", self.dropped);
        stats.count("skipped", self.skipped);
        stats.count("bad", self.bad);
        stats.count("missing", self.missing);
    }
}

/// Writes the records that pass, neighbours in one piece; returns how many.
fn write_passed(
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
