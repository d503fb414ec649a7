//! `grudge dedup`: pass the first record of each key and drop the repeats.

use super::args::{ClockName, DedupArguments, OnError, OnMissing};
use super::clock::{Clock, EventClock};
use super::config::DedupConfig;
use super::diag::Diag;
use super::exit::Status;
use super::filter::Filter;
use super::input::Input;
use super::output::{Output, Stop};
use super::pipeline::{self, Batch, Fragment, Halt, Stage};
use super::record::{Keyless, Reader, Records, time::TimeReader};
use super::signals::Signals;
use super::stats::Stats;
use super::timestamp::StampReader;
use super::units::{round_up_size, show_size};
use grudge::seen::Verdict;
use grudge::time::{NANOS_PER_SECOND, Span, Timestamp};
use grudge::watermark::Watermark;

/// Names that `--stats` prints and `--fail-if` knows, but for the texts among them.
const COUNT_NAMES: [&str; 15] = [
    "read",
    "passed",
    "dropped",
    "skipped",
    "bad",
    "missing",
    "untimed",
    "late",
    "greatest_lag_seconds",
    "live_keys",
    "live_evictions",
    "false_repeat_rate",
    "memory_bytes",
    "memory_bound_bytes",
    "slots",
];

/// Runs the verb and says how it ended.
pub fn run(arguments: DedupArguments, diag: &Diag) -> Status {
    match start(arguments, diag) {
        Ok(status) => status,
        Err(message) => {
            diag.error(message);
            Status::Trouble
        }
    }
}

fn start(arguments: DedupArguments, diag: &Diag) -> Result<Status, String> {
    let report = &arguments.report;
    if let Some(condition) = report.fail_if.iter().find(|condition| !COUNT_NAMES.contains(&condition.name.as_str())) {
        let names = COUNT_NAMES.join(", ");
        return Err(format!("--fail-if: `{}` is none of the counts: {names}", condition.name));
    }
    let threads = arguments.threads.count();
    let config = DedupConfig::resolve(&arguments)?;
    let signals = Signals::listen().map_err(|error| format!("signals cannot be listened to: {error}"))?;
    let (reader, mut stage) = assemble(config)?;
    let input = Input::new(arguments.input.files, stage.config.cut, &signals);
    input.greet(diag);
    let mut output = Output::new();
    let ended = pipeline::run(input, reader, &mut stage, &mut output, diag, threads);
    let mut status = match ended.and_then(|()| stage.finish()) {
        Ok(()) | Err(Halt::Output(Stop::ReaderGone)) => Status::Done,
        Err(Halt::Output(stop)) => return Err(stop.describe()),
        Err(Halt::Trouble(message)) => {
            diag.error(message);
            Status::Trouble
        }
        Err(Halt::Record { .. }) => Status::Trouble,
    };
    stage.warn(diag);
    let stats = stage.stats();
    if let Some(layout) = report.stats {
        diag.print(&stats.show(layout));
    }
    if let Some(signal) = signals.raised() {
        return Ok(Status::Signal(signal));
    }
    for condition in report.fail_if.iter().filter(|condition| condition.holds(&stats) == Some(true)) {
        diag.warning(format_args!("--fail-if {} holds", condition.as_str()));
        if status == Status::Done {
            status = Status::ConditionHeld;
        }
    }
    Ok(if diag.had_trouble() { Status::Trouble } else { status })
}

/// The parts of a run, made from its configuration.
fn assemble(config: DedupConfig) -> Result<(Reader, Dedup), String> {
    let clock = match (config.clock, &config.time) {
        (ClockName::Event, Some(time)) => {
            let stamps = StampReader::new(time.options.clone())?;
            Clock::event(stamps.year_rule(None, None))
        }
        (ClockName::Event, None) => Clock::Off,
        _ if !config.has_ttl => Clock::Off,
        (ClockName::Wall, _) => Clock::Wall,
        (ClockName::Count, _) => Clock::Count(0),
    };
    let time = match &config.time {
        Some(time) => Some(TimeReader::new(time.source.clone(), StampReader::new(time.options.clone())?)),
        None => None,
    };
    let cut = config.cut;
    let reader = Reader::new(cut.terminator, cut.max_record, config.hasher, config.key.clone(), time);
    let filter = Filter::new(config.on_error, config.missing);
    let stage = Dedup { config, clock, filter, instants: Vec::new(), verdicts: Vec::new(), keyed: 0, sample: None };
    Ok((reader, stage))
}

/// The ordered stage: clock, set, filter.
struct Dedup {
    config: DedupConfig,
    clock: Clock,
    filter: Filter,
    instants: Vec<Timestamp>,
    verdicts: Vec<Verdict>,
    keyed: u64,
    /// The first record, to tell where its time might be when none is found.
    sample: Option<Vec<u8>>,
}

/// Bytes of the first record that are kept.
const SAMPLE_BYTES: usize = 4096;

impl Stage for Dedup {
    fn batch(&mut self, batch: &Batch<'_>, output: &mut Output) -> Result<(), Halt> {
        let Records { ends, hashes, keyless, .. } = batch.records;
        if self.sample.is_none() {
            let first = &batch.bytes[..ends.first().map_or(0, |end| *end as usize)];
            self.sample = Some(first.iter().copied().take(SAMPLE_BYTES).collect());
        }
        self.clock.instants(batch.records, &mut self.instants);
        leave_out(&mut self.instants, keyless);
        self.verdicts.resize(hashes.len(), Verdict::New);
        self.config.seen.check_batch(hashes, &self.instants, &mut self.verdicts);
        self.keyed += hashes.len() as u64;
        let wanted = if self.config.invert { Verdict::Repeat } else { Verdict::New };
        self.filter.apply(batch, self.verdicts.iter().map(|verdict| *verdict == wanted), output)?;
        self.need_time(false)
    }

    fn fragment(&mut self, fragment: &Fragment<'_>, output: &mut Output) -> Result<(), Halt> {
        if fragment.first {
            self.clock.pass_over();
        }
        self.filter.fragment(fragment, output)
    }
}

/// Leaves the instants of records without a key out, as their hashes are.
fn leave_out(instants: &mut Vec<Timestamp>, keyless: &[Keyless]) {
    if instants.is_empty() || keyless.is_empty() {
        return;
    }
    let (mut index, mut left_out) = (0, keyless.iter().map(|record| record.index).peekable());
    instants.retain(|_| {
        let keep = left_out.next_if_eq(&index).is_none();
        index += 1;
        keep
    });
}

impl Dedup {
    /// Without any stamp among the first records a ttl means nothing: better to say so than to drop for ever.
    fn need_time(&self, at_end: bool) -> Result<(), Halt> {
        match self.clock.as_event() {
            Some(clock) if self.config.has_ttl && clock.is_hopeless(at_end) => Err(Halt::Trouble(self.no_time(clock))),
            _ => Ok(()),
        }
    }

    fn no_time(&self, clock: &EventClock) -> String {
        let fields = match (&self.config.time, &self.sample) {
            (Some(time), Some(sample)) => time.likely_fields(sample),
            _ => Vec::new(),
        };
        let likely = match fields.as_slice() {
            [] => "name its field with -t".to_owned(),
            fields => format!("its field may be {}", fields.join(" or ")),
        };
        format!(
            "--ttl needs a time, and none of the first {} records has one that can be read: {likely}, \
             or measure by --clock wall, or by --clock count with a --ttl such as 1000r",
            clock.records(),
        )
    }

    /// The end of the input: the books must balance.
    fn finish(&mut self) -> Result<(), Halt> {
        let counts = self.filter.counts();
        if counts.read != counts.passed + counts.dropped + counts.skipped {
            return Err(Halt::Trouble(format!("internal error: the counts do not add up: {counts:?}")));
        }
        self.need_time(true)?;
        if counts.missing > 0 && self.keyed == 0 && self.config.missing != OnMissing::Empty {
            return Err(Halt::Trouble(format!(
                "none of the {} records has the key: nothing was deduplicated; look at -k, -K and -d",
                counts.read
            )));
        }
        Ok(())
    }

    /// What went less than well.
    fn warn(&self, diag: &Diag) {
        let counts = self.filter.counts();
        if counts.bad > 0 {
            let fate = if self.config.on_error == OnError::Pass { "passed on" } else { "left out" };
            diag.warning(format_args!(
                "{} of {} records were broken (too long, or with a stamp that cannot be read) and {fate}",
                counts.bad, counts.read
            ));
        }
        if let Some(memory) = self.config.seen.memory_that_would_do() {
            diag.warning(format_args!(
                "{} keys were forgotten too early for want of memory, so some repeats may have passed: \
                 -m {} would do (it was {})",
                self.config.seen.live_evictions(),
                show_size(round_up_size(memory)),
                show_size(self.config.memory),
            ));
        }
    }

    fn stats(&self) -> Stats {
        let mut stats = Stats::default();
        stats.text("verb", "dedup");
        self.filter.counts().add_to(&mut stats);
        let watermark = self.clock.as_event().map(EventClock::watermark);
        stats.count("untimed", self.clock.as_event().map_or(0, EventClock::untimed));
        stats.count("late", watermark.map_or(0, Watermark::late));
        stats.real("greatest_lag_seconds", watermark.map_or(0.0, |watermark| seconds(watermark.greatest_lag())));
        let seen = &self.config.seen;
        stats.count("live_keys", seen.live_keys());
        stats.count("live_evictions", seen.live_evictions());
        stats.real("false_repeat_rate", seen.false_repeat_rate());
        stats.count("slots", seen.slots());
        stats.count("memory_bytes", seen.memory_bytes());
        stats.count("memory_bound_bytes", self.config.memory);
        stats.text("hash", self.config.hash_name);
        stats.text("seed", self.config.seed.as_str());
        stats
    }
}

fn seconds(span: Span) -> f64 {
    span.nanos() as f64 / NANOS_PER_SECOND as f64
}
