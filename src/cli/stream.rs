//! What all verbs that read a stream do alike: the records come in order, each is judged at its time, and what was said of
//! it is written. At the end the books must balance, and what went less than well is told.

mod telling;

use super::args::{ClockName, RecordArguments, RunArguments};
use super::clock::{Clock, EventClock, FIND_TIME_WITHIN, Moments, OwnTimes};
use super::columns::{Column, Columns, Row, Said};
use super::config::StreamConfig;
use super::diag::{Diag, describe_io};
use super::exit::Status;
use super::explain;
use super::filter::Filter;
use super::input::Input;
use super::nearest::nearest_first;
use super::order::{in_order, latest_in, years};
use super::output::{Output, Stop};
use super::pipeline::{Batch, Fragment, Halt, Run, Stage};
use super::progress::Progress;
use super::record::{Keyless, Reader, Records};
use super::sampler::Sampler;
use super::signals::Signals;
use super::stats::{Layout, Stats};
use super::timestamp::{Form, YearRule};
use grudge::time::{NANOS_PER_SECOND, Span, Timestamp};
use grudge::watermark::Watermark;
use std::ffi::OsString;
use std::ops::Range;
use std::time::Duration;

/// Records with a key, as a verb gets them to judge.
pub struct Keyed<'a> {
    /// The hashes of their keys.
    pub hashes: &'a [u64],
    /// When each is judged; empty where no time matters.
    pub instants: &'a [Timestamp],
    /// How long before that its own time lies; empty where that is nothing for all.
    pub lateness: &'a [Span],
    /// The number that each gives; empty where that is 1 for all.
    pub values: &'a [f64],
}

/// Records that follow each other without the clock's being set back between them.
pub struct Stretch {
    pub range: Range<usize>,
    /// To when the clock was set back before them, if it was.
    pub steps_back_to: Option<Timestamp>,
}

impl Keyed<'_> {
    /// The records in stretches over which time does not go back. `last` is when the record before them was judged.
    pub fn stretches(&self, last: &mut Option<Timestamp>) -> impl Iterator<Item = Stretch> {
        let instants = self.instants;
        let mut before = *last;
        *last = instants.last().copied().or(*last);
        let mut start = 0;
        std::iter::from_fn(move || {
            let first = *instants.get(start)?;
            let steps_back_to = before.filter(|before| first < *before).map(|_| first);
            let rest = &instants[start..];
            let len = rest.windows(2).position(|pair| pair[1] < pair[0]).map_or(rest.len(), |place| place + 1);
            let range = start..start + len;
            start += len;
            before = Some(instants[start - 1]);
            Some(Stretch { range, steps_back_to })
        })
    }
}

/// What is done with the records of a stream.
pub trait Verb {
    /// Its name.
    const NAME: &'static str;
    /// What was not done where no record had a key.
    const DONE: &'static str;
    /// Names of its own counts that are numbers.
    const COUNTS: &'static [&'static str];

    /// Whether it matters how late a record is.
    fn wants_lateness(&self) -> bool {
        false
    }

    /// Judges records with a key, in order.
    fn judge(&mut self, keyed: &Keyed<'_>);

    /// Whether the `index`th of those judged last passes.
    fn passes(&self, index: usize) -> bool;

    /// What is said of it.
    fn said(&self, index: usize) -> Said;

    /// Writes what the verb has to say beside records. `now` is when the last of the batch was judged.
    fn report(
        &mut self,
        _batch: &Batch<'_>,
        _keyed: &Keyed<'_>,
        _now: Option<Timestamp>,
        _output: &mut Output,
    ) -> Result<(), Stop> {
        Ok(())
    }

    /// Whether the verb may have something to say though no record comes.
    fn speaks(&self) -> bool {
        false
    }

    /// When it will.
    fn due(&self) -> Option<Timestamp> {
        None
    }

    /// Writes it, now that it is `now`.
    fn speak(&mut self, _now: Timestamp, _output: &mut Output) -> Result<(), Stop> {
        Ok(())
    }

    /// Writes what is left to be said at the end of the input.
    fn finish(&mut self, _output: &mut Output) -> Result<(), Stop> {
        Ok(())
    }

    /// What went less than well.
    fn warn(&self, diag: &Diag);

    /// Adds its own counts to those of the stream.
    fn add_to(&self, stats: &mut Stats);

    /// What `--explain` says of it, a name and a text a line.
    fn explain(&self, say: &mut dyn FnMut(&str, String));
}

/// Names of the counts that every verb has and `--fail-if` knows.
const COUNTS: [&str; 10] =
    ["read", "passed", "dropped", "skipped", "bad", "missing", "exempt", "ragged", "continued", "headings_repeated"];

/// Those that are nothing where no clock goes by the records' stamps.
const TIME_COUNTS: [&str; 5] = ["untimed", "late", "future", "steps_back", "greatest_lag_seconds"];

/// Runs a verb over the records and says how it ended. `verb` makes it from the configuration of its stream; it is not
/// made where there is nothing to be judged.
pub fn run<V: Verb>(
    records: &RecordArguments,
    run: &RunArguments,
    config: StreamConfig,
    verb: V,
    diag: &Diag,
) -> Result<Status, String> {
    let report = &run.report;
    check_conditions::<V>(run, &config)?;
    if report.explain {
        return explain::run(&config, &verb, &records.input.files);
    }
    let signals = Signals::listen().map_err(|error| format!("signals cannot be listened to: {error}"))?;
    let files = in_order(&config, records.input.files.clone(), records.input.by_time, diag)?;
    let years = years(config.stamps.as_ref(), files.first().map(OsString::as_os_str))?;
    let year_is_unknown = records.time.year.is_none() && files.first().is_none_or(|file| latest_in(file).is_none());
    let (reader, mut stage) = assemble(config, verb, &years, year_is_unknown, diag);
    let progress = Progress::new(&files, report.quiet);
    let input = Input::new(files, stage.config.cut.clone(), &signals);
    input.greet(diag);
    let mut output = Output::new();
    // One that speaks by itself must not wait for input on its own thread.
    let speaks = stage.config.clock == ClockName::Wall && stage.verb.speaks();
    let threads = run.threads.count().max(if speaks { 2 } else { 1 });
    let ended = Run { input, reader, threads, progress }.through(&mut stage, &mut output, diag);
    match ended.and_then(|()| stage.finish(&mut output)) {
        Ok(()) => stage.warn(),
        // Nobody is left who would want to hear more than was asked for.
        Err(Halt::Output(Stop::ReaderGone)) => {}
        Err(Halt::Output(stop)) => return Err(stop.describe()),
        Err(Halt::Trouble(message)) => {
            diag.error(message);
            stage.warn();
        }
        // The pipeline has told of it by its file and line.
        Err(Halt::Record { .. }) => {}
    }
    // Some counts read a whole table, so it is done only where somebody asks.
    let asked = report.stats.is_some() || report.stats_file.is_some() || !report.fail_if.is_empty();
    let stats = if asked { stage.stats() } else { Stats::default() };
    if let Some(layout) = report.stats {
        diag.print(&stats.show(layout));
    }
    if let Some(file) = &report.stats_file {
        std::fs::write(file, stats.show(Layout::Json)).map_err(|error| {
            format!("--stats-file: {}: cannot be written: {}", file.to_string_lossy(), describe_io(&error))
        })?;
    }
    if let Some(signal) = signals.raised() {
        return Ok(Status::Signal(signal));
    }
    let mut status = Status::Done;
    for condition in report.fail_if.iter().filter(|condition| condition.holds(&stats) == Some(true)) {
        diag.warning(format_args!("--fail-if {} holds", condition.as_str()));
        status = Status::ConditionHeld;
    }
    Ok(if diag.had_trouble() { Status::Trouble } else { status })
}

/// Refuses conditions on counts that there are not.
fn check_conditions<V: Verb>(run: &RunArguments, config: &StreamConfig) -> Result<(), String> {
    let goes_by_stamps = config.clock == ClockName::Event && config.wanted.time.is_some();
    for condition in &run.report.fail_if {
        let name = condition.name.as_str();
        if TIME_COUNTS.contains(&name) && !goes_by_stamps {
            return Err(format!(
                "--fail-if {}: no time is read; add -t or -T, or what needs a time",
                condition.as_str()
            ));
        }
        let known: Vec<&str> = COUNTS.iter().chain(&TIME_COUNTS).chain(V::COUNTS).copied().collect();
        if !known.contains(&name) {
            return Err(format!(
                "--fail-if: `{name}` is none of the counts: {}",
                nearest_first(name, &known).join(", ")
            ));
        }
    }
    Ok(())
}

/// The parts of a run, made from its configuration.
fn assemble<'a, V: Verb>(
    config: StreamConfig,
    verb: V,
    years: &YearRule,
    year_is_unknown: bool,
    diag: &'a Diag,
) -> (Reader, Stream<'a, V>) {
    let shows = |column| config.columns.as_ref().is_some_and(|columns| columns.shows(column));
    let own_times = shows(Column::Time).then(|| OwnTimes::new(years.clone()));
    let clock = match (config.clock, &config.wanted.time, config.measure) {
        (ClockName::Event, Some(_), _) => Clock::event(config.watermark(), years.clone()),
        (ClockName::Event, None, _) | (_, _, None) => Clock::Off,
        (ClockName::Wall, ..) => Clock::Wall,
        (ClockName::Count, ..) => Clock::Count(0),
    };
    let terminator = config.read.terminator;
    let columns = config.columns.clone().map(|options| Columns::new(options, terminator, config.wanted.clone()));
    let reader = config.reader();
    let sampler = Sampler::new(terminator, config.wanted.separator);
    let filter = Filter::new(config.on_error, config.missing, config.pass_exempt, columns);
    let moments = Moments { wants_lateness: verb.wants_lateness(), ..Moments::default() };
    let stage = Stream {
        config,
        verb,
        clock,
        filter,
        moments,
        own_times,
        keyed: 0,
        unfound: 0,
        told_keyless: false,
        sampler,
        form: None,
        year_is_unknown,
        backwards: Vec::new(),
        diag,
    };
    (reader, stage)
}

/// The ordered stage: clock, verb, filter.
struct Stream<'a, V> {
    config: StreamConfig,
    verb: V,
    clock: Clock,
    filter: Filter,
    moments: Moments,
    own_times: Option<OwnTimes>,
    keyed: u64,
    /// Those of them that lack the field that is to be looked up.
    unfound: u64,
    /// It was said that the first records have no key.
    told_keyless: bool,
    sampler: Sampler,
    form: Option<Form>,
    /// The year of stamps without one is not known from anything.
    year_is_unknown: bool,
    /// Files whose records stand newest first.
    backwards: Vec<String>,
    diag: &'a Diag,
}

impl<V: Verb> Stage for Stream<'_, V> {
    fn batch(&mut self, batch: &mut Batch<'_>, output: &mut Output) -> Result<(), Halt> {
        self.sampler.take(batch);
        let halt = self.end_early(batch);
        self.clock.moments(batch.records, &mut self.moments);
        self.tell_form(batch.records);
        let Records { hashes, values, keyless, .. } = &*batch.records;
        self.moments.leave_out(keyless);
        self.keyed += hashes.len() as u64;
        self.unfound += batch.records.unfound;
        let Moments { instants, lateness, .. } = &self.moments;
        let keyed = Keyed { hashes, instants, lateness, values };
        self.verb.judge(&keyed);
        self.verb.report(batch, &keyed, self.clock.now(), output)?;
        let verb = &self.verb;
        let passes = (0..hashes.len()).map(|index| verb.passes(index));
        if self.config.columns.is_none() {
            self.filter.apply(batch, passes, |_, _| Row { said: None, time: None }, output)?;
        } else {
            let times = self.own_times.as_mut().map_or(&[][..], |own| own.of(batch.records));
            let row = |index: usize, keyed: Option<usize>| Row {
                said: keyed.map(|keyed| verb.said(keyed)),
                time: times.get(index).copied().flatten(),
            };
            self.filter.apply(batch, passes, row, output)?;
        }
        self.tell_keyless();
        halt.map_or(Ok(()), Err)
    }

    fn fragment(&mut self, fragment: &Fragment<'_>, output: &mut Output) -> Result<(), Halt> {
        if fragment.first {
            self.clock.pass_over();
        }
        self.filter.fragment(fragment, output)
    }

    fn speaks_in(&self) -> Option<Duration> {
        // Of stamps and numbers of records nobody knows when they come.
        let Clock::Wall = self.clock else { return None };
        let time = self.verb.due()?.since(self.clock.now()?).nanos();
        Some(Duration::from_nanos(time.max(0).unsigned_abs()))
    }

    fn speak(&mut self, output: &mut Output) -> Result<(), Halt> {
        let Some(now) = self.clock.now() else { return Ok(()) };
        Ok(self.verb.speak(now, output)?)
    }

    fn end_file(&mut self, name: &str) {
        if self.clock.end_file() {
            self.backwards.push(name.to_owned());
        }
    }
}

impl<V: Verb> Stream<'_, V> {
    /// Where the run ends within a batch, whatever the size of the batch: leaves the records before that, and says why.
    fn end_early(&self, batch: &mut Batch<'_>) -> Option<Halt> {
        let refused = self.filter.refused(batch.records);
        let line = refused.map_or(0, |record| batch.line(record.index as usize));
        let records = &mut *batch.records;
        let lost = self.needed_clock().and_then(|clock| clock.hope_is_lost_after(records));
        match (refused, lost) {
            (Some(Keyless { index, why }), lost) if lost.is_none_or(|lost| (index as usize) < lost) => {
                records.truncate(index as usize);
                Some(Halt::Record { line, why })
            }
            (_, Some(lost)) => {
                records.truncate(lost);
                Some(Halt::Trouble(self.no_time(FIND_TIME_WITHIN)))
            }
            _ => None,
        }
    }

    /// The clock that what is measured cannot do without: with no stamp at all nothing would ever be forgiven.
    fn needed_clock(&self) -> Option<&EventClock> {
        self.clock.as_event().filter(|_| self.config.measure.is_some())
    }

    fn stats(&self) -> Stats {
        let mut stats = Stats::default();
        stats.text("verb", V::NAME);
        self.filter.counts().add_to(&mut stats);
        let watermark = self.clock.as_event().map(EventClock::watermark);
        stats.count("untimed", self.clock.as_event().map_or(0, EventClock::untimed));
        stats.count("late", watermark.map_or(0, Watermark::late));
        stats.count("future", watermark.map_or(0, Watermark::future));
        stats.count("steps_back", watermark.map_or(0, Watermark::steps_back));
        stats.real("greatest_lag_seconds", watermark.map_or(0.0, |watermark| seconds(watermark.greatest_lag())));
        self.verb.add_to(&mut stats);
        stats.text("hash", self.config.hash_name);
        stats.text("seed", self.config.seed.as_str());
        for problem in &self.filter.problems().problems {
            stats.problem(problem.clone());
        }
        stats
    }
}

fn seconds(span: Span) -> f64 {
    span.nanos() as f64 / NANOS_PER_SECOND as f64
}
