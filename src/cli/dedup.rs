//! `grudge dedup`: pass the first record of each key and drop the repeats.

use super::args::{ClockName, DedupArguments, OnError, OnMissing};
use super::clock::{Clock, EventClock, FIND_TIME_WITHIN, OwnTimes};
use super::columns::{Column, Columns, Row, show_time};
use super::config::DedupConfig;
use super::diag::{Diag, describe_io};
use super::exit::Status;
use super::explain;
use super::filter::Filter;
use super::input::Input;
use super::nearest::nearest_first;
use super::order::{in_order, latest_in, years};
use super::output::{Output, Stop};
use super::pipeline::{Batch, Fragment, Halt, Run, Stage};
use super::problems::Problem;
use super::progress::Progress;
use super::record::framing::Choice;
use super::record::json::Broken;
use super::record::key::KeySource;
use super::record::time::TimeSource;
use super::record::{Keyless, Reader, Records, Why};
use super::sampler::Sampler;
use super::signals::Signals;
use super::stats::{Layout, Stats};
use super::timestamp::{Form, YearRule};
use super::units::{round_up_size, show_size};
use grudge::seen::{Sighting, Verdict};
use grudge::time::{NANOS_PER_SECOND, Span, Timestamp};
use grudge::watermark::Watermark;
use std::ffi::OsString;

/// Names that `--stats` prints and `--fail-if` knows, but for the texts among them.
const COUNT_NAMES: [&str; 22] = [
    "read",
    "passed",
    "dropped",
    "skipped",
    "bad",
    "missing",
    "exempt",
    "ragged",
    "continued",
    "headings_repeated",
    "untimed",
    "late",
    "future",
    "steps_back",
    "greatest_lag_seconds",
    "live_keys",
    "live_evictions",
    "counts_lost",
    "false_repeat_rate",
    "slots",
    "memory_bytes",
    "memory_bound_bytes",
];

/// Those of them that are nothing where no clock goes by the records' stamps.
const TIME_COUNTS: [&str; 5] = ["untimed", "late", "future", "steps_back", "greatest_lag_seconds"];

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
        let names = nearest_first(&condition.name, &COUNT_NAMES).join(", ");
        return Err(format!("--fail-if: `{}` is none of the counts: {names}", condition.name));
    }
    let config = DedupConfig::resolve(&arguments)?;
    let goes_by_stamps = config.clock == ClockName::Event && config.wanted.time.is_some();
    if let Some(condition) = report.fail_if.iter().find(|condition| TIME_COUNTS.contains(&condition.name.as_str()))
        && !goes_by_stamps
    {
        return Err(format!("--fail-if {}: no time is read; add --ttl, -t or -T", condition.name));
    }
    if report.explain {
        return explain::run(&config, &arguments.input.files);
    }
    let signals = Signals::listen().map_err(|error| format!("signals cannot be listened to: {error}"))?;
    let files = in_order(&config, arguments.input.files.clone(), arguments.input.by_time, diag)?;
    let years = years(config.stamps.as_ref(), files.first().map(OsString::as_os_str))?;
    let year_is_unknown = arguments.time.year.is_none() && files.first().is_none_or(|file| latest_in(file).is_none());
    let (reader, mut stage) = assemble(config, &years, year_is_unknown, diag);
    let progress = Progress::new(&files, report.quiet);
    let input = Input::new(files, stage.config.cut.clone(), &signals);
    input.greet(diag);
    let mut output = Output::new();
    let run = Run { input, reader, threads: arguments.threads.count(), progress };
    let ended = run.through(&mut stage, &mut output, diag);
    match ended.and_then(|()| stage.finish()) {
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
    // Counting the live keys reads the whole table, so it is done only where somebody asks.
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

/// The parts of a run, made from its configuration.
fn assemble<'a>(config: DedupConfig, years: &YearRule, year_is_unknown: bool, diag: &'a Diag) -> (Reader, Dedup<'a>) {
    let shows = |column| config.columns.as_ref().is_some_and(|columns| columns.columns.contains(&column));
    let own_times = shows(Column::Time).then(|| OwnTimes::new(years.clone()));
    let clock = match (config.clock, &config.wanted.time, config.ttl) {
        (ClockName::Event, Some(_), _) => Clock::event(config.watermark(), years.clone()),
        (ClockName::Event, None, _) | (_, _, None) => Clock::Off,
        (ClockName::Wall, ..) => Clock::Wall,
        (ClockName::Count, ..) => Clock::Count(0),
    };
    let terminator = config.read.terminator;
    let columns = config.columns.clone().map(|options| Columns::new(options, terminator, config.wanted.clone()));
    let reader = config.reader();
    let sampler = Sampler::new(terminator, config.wanted.separator);
    let filter = Filter::new(config.on_error, config.missing, !config.invert, columns);
    let stage = Dedup {
        config,
        clock,
        filter,
        instants: Vec::new(),
        verdicts: Vec::new(),
        sightings: Vec::new(),
        own_times,
        keyed: 0,
        told_keyless: false,
        sampler,
        form: None,
        year_is_unknown,
        backwards: Vec::new(),
        diag,
    };
    (reader, stage)
}

/// The ordered stage: clock, set, filter.
struct Dedup<'a> {
    config: DedupConfig,
    clock: Clock,
    filter: Filter,
    instants: Vec<Timestamp>,
    verdicts: Vec<Verdict>,
    sightings: Vec<Sighting>,
    own_times: Option<OwnTimes>,
    keyed: u64,
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

/// A person is told of records without a stamp when they are more than one in so many.
const UNTIMED_WORTH_A_NOTE: u64 = 20;

impl Stage for Dedup<'_> {
    fn batch(&mut self, batch: &mut Batch<'_>, output: &mut Output) -> Result<(), Halt> {
        self.sampler.take(batch);
        let halt = self.end_early(batch);
        let Records { hashes, keyless, .. } = &*batch.records;
        self.clock.instants(batch.records, &mut self.instants);
        self.tell_form(batch.records);
        leave_out(&mut self.instants, keyless);
        self.keyed += hashes.len() as u64;
        let wanted = if self.config.invert { Verdict::Repeat } else { Verdict::New };
        if self.config.columns.is_none() {
            self.verdicts.resize(hashes.len(), Verdict::New);
            self.config.seen.check_batch(hashes, &self.instants, &mut self.verdicts);
            let passes = self.verdicts.iter().map(|verdict| *verdict == wanted);
            self.filter.apply(batch, passes, |_, _| Row { sighting: None, time: None }, output)?;
        } else {
            self.sightings.resize(hashes.len(), Sighting::UNSEEN);
            self.config.seen.check_batch_detailed(hashes, &self.instants, &mut self.sightings);
            let times = self.own_times.as_mut().map_or(&[][..], |own| own.of(batch.records));
            let sightings = &self.sightings;
            let passes = sightings.iter().map(|sighting| sighting.verdict == wanted);
            let row = |index: usize, keyed: Option<usize>| Row {
                sighting: keyed.map(|keyed| sightings[keyed]),
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

    fn end_file(&mut self, name: &str) {
        if self.clock.end_file() {
            self.backwards.push(name.to_owned());
        }
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

impl Dedup<'_> {
    /// Says at once when the first records have no key: a live stream never comes to its end.
    fn tell_keyless(&mut self) {
        let read = self.filter.counts().read;
        if self.keyed > 0 || self.told_keyless || read < FIND_TIME_WITHIN {
            return;
        }
        self.told_keyless = true;
        if let Some(why) = self.no_key() {
            self.diag.warning(format_args!(
                "none of the first {FIND_TIME_WITHIN} records has the key: {why}the run goes on"
            ));
        }
    }

    /// Says once what stamps were found.
    fn tell_form(&mut self, records: &Records) {
        if self.form.is_some() || records.form.is_none() {
            return;
        }
        self.form = records.form;
        if let (Some(form), Some(first)) = (records.form, self.clock.as_event().and_then(EventClock::first)) {
            self.diag.note(format_args!("time: {}; the first is {}", form.describe(), show_time(first)));
            if matches!(form, Form::Syslog | Form::Klog) && self.year_is_unknown {
                self.diag.note("the stamps have no year, and 2000 is taken for the first: --year sets another");
            }
        }
    }

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

    /// The clock that a ttl cannot do without: with no stamp at all it would drop for ever.
    fn needed_clock(&self) -> Option<&EventClock> {
        self.clock.as_event().filter(|_| self.config.ttl.is_some())
    }

    fn no_time(&self, records: u64) -> String {
        let time = self.config.wanted.time.as_ref();
        let fields = time.map(|time| self.sampler.likely_times(&time.stamps)).unwrap_or_default();
        let asked = match self.config.wanted.time.as_ref().map(|time| &time.source) {
            Some(TimeSource::Fields(names)) => self.sampler.describe_fields(names),
            _ => String::new(),
        };
        let likely = match fields.as_slice() {
            [] => asked + "name its field with -t",
            fields => asked + &format!("its field may be {}", fields.join(" or ")),
        };
        format!(
            "--ttl needs a time, and none can be read in the first {}: {likely}, or measure by --clock wall, or by \
             --clock count with a --ttl such as 1000r{}",
            if records == 1 { "record".to_owned() } else { format!("{records} records") },
            if records == FIND_TIME_WITHIN { "; the rest was not read" } else { "" },
        )
    }

    /// The end of the input: the books must balance.
    fn finish(&mut self) -> Result<(), Halt> {
        let counts = self.filter.counts();
        if counts.read != counts.passed + counts.dropped + counts.skipped {
            return Err(Halt::Trouble(format!("internal error: the counts do not add up: {counts:?}")));
        }
        if let Some(clock) = self.needed_clock().filter(|clock| clock.found_none()) {
            return Err(Halt::Trouble(self.no_time(clock.records())));
        }
        if counts.continued > 0 && counts.read == 0 {
            return Err(Halt::Trouble(format!(
                "--multiline: none of {} lines begins a record; say how records begin, as in --multiline='^[0-9]'",
                counts.continued
            )));
        }
        match self.no_key() {
            // The rest was said when the first records had none.
            Some(_) if self.told_keyless => {
                Err(Halt::Trouble(format!("no record has the key ({} read), so nothing was deduplicated", counts.read)))
            }
            Some(why) => Err(Halt::Trouble(format!(
                "no record has the key ({} read), so nothing was deduplicated: {why}look at -k, -K and -d, or say --missing \
                 pass",
                counts.read
            ))),
            None => Ok(()),
        }
    }

    /// Why no record so far had a key, where that is a mistake.
    fn no_key(&self) -> Option<String> {
        let counts = self.filter.counts();
        if self.keyed > 0 || counts.exempt > 0 || self.config.missing_is_expected {
            return None;
        }
        let is_json = |problem: &Problem| matches!(problem.why, Why::Json(_));
        let problems = &self.filter.problems().problems;
        let is_cut_json = problems.iter().any(|problem| problem.why == Why::Json(Broken::CutShort));
        if counts.missing == 0 && is_cut_json {
            return Some("objects that go over several lines are read by -i json-stream; ".to_owned());
        }
        match &self.config.wanted.key.source {
            KeySource::Fields(names) if counts.missing + counts.bad > 0 => Some(self.sampler.describe_fields(names)),
            _ if counts.missing > 0 || problems.iter().any(is_json) => Some(String::new()),
            _ => None,
        }
    }

    /// What went less than well.
    fn warn(&self) {
        let (diag, counts) = (self.diag, self.filter.counts());
        if self.sampler.is_guessed_access_log() && matches!(self.config.cut.framing.choice, Choice::Auto(_)) {
            diag.warning(
                "none of the first records is an access-log line, so its fields may not be what their names say: look at \
                 --explain, or name fields by number (-k 1)",
            );
        }
        let lost = self.config.seen.counts_lost();
        if lost > 0 {
            diag.warning(format_args!(
                "{lost} dropped repeats are in no count: their keys were forgotten for want of room before they passed again"
            ));
        }
        for name in self.backwards.iter().filter(|_| self.config.ttl.is_some()) {
            diag.warning(format_args!(
                "{name} has its newest records first, so --ttl measured little: turn it round with tac"
            ));
        }
        if let (Some(clock), Some(form)) = (self.needed_clock(), self.form)
            && clock.untimed() > clock.records() / UNTIMED_WORTH_A_NOTE
        {
            diag.note(format_args!(
                "{} of {} records have no {} and were judged at the time before them; --multiline makes lines without one \
                 part of the record before them, -t and -T name another place",
                clock.untimed(),
                clock.records(),
                form.describe()
            ));
        }
        if counts.bad > 0 {
            let fate = if self.config.on_error == OnError::Pass { "passed on" } else { "left out" };
            diag.warning(format_args!(
                "{} of {} records were broken and {fate}: {}",
                counts.bad,
                counts.read,
                self.filter.problems().describe_broken()
            ));
        }
        if counts.missing > counts.read / 2 && self.keyed > 0 && !self.config.missing_is_expected {
            let fate = if self.config.missing == OnMissing::Skip { "left out" } else { "passed on" };
            diag.warning(format_args!("{} of {} records lack the key and were {fate}", counts.missing, counts.read));
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
        stats.count("future", watermark.map_or(0, Watermark::future));
        stats.count("steps_back", watermark.map_or(0, Watermark::steps_back));
        stats.real("greatest_lag_seconds", watermark.map_or(0.0, |watermark| seconds(watermark.greatest_lag())));
        let seen = &self.config.seen;
        stats.count("live_keys", seen.live_keys());
        stats.count("live_evictions", seen.live_evictions());
        stats.count("counts_lost", seen.counts_lost());
        stats.real("false_repeat_rate", seen.false_repeat_rate());
        stats.count("slots", seen.slots());
        stats.count("memory_bytes", seen.memory_bytes());
        stats.count("memory_bound_bytes", self.config.memory);
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
