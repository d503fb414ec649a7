//! `--enter` and `--leave`: one line for each crossing of a limit, instead of records.

use super::super::args::{OnError, OnMissing, ScoreArguments};
use super::super::columns::{Column, DEFAULT_DECIMALS, KeyTexts, push_score, push_time};
use super::super::config::StreamConfig;
use super::super::diag::Diag;
use super::super::output::{Output, Stop};
use super::super::pipeline::Batch;
use super::super::stats::Stats;
use super::super::stream::Keyed;
use super::super::units::Bound;
use super::watch::{Event, Watch};
use grudge::decay::AnyDecay;
use grudge::sketch::UNDATED;
use grudge::time::{NANOS_PER_SECOND, Span, Timestamp};
use std::io::{IsTerminal, Write};

/// Columns of an event, in the order in which they are written where nothing is said.
const COLUMNS: [Column; 5] = [Column::Time, Column::State, Column::Key, Column::Score, Column::Until];

/// Keys that are held where nothing is said.
const DEFAULT_WATCH: u64 = 65_536;

/// The columns that events are written in.
fn columns(arguments: &ScoreArguments) -> Result<Vec<Column>, String> {
    match &arguments.print {
        Some(list) => Column::parse_list(list, &COLUMNS),
        None => Ok(COLUMNS.to_vec()),
    }
}

/// What must be known of each record for the events.
pub fn needed_columns(arguments: &ScoreArguments) -> Result<Vec<Column>, String> {
    let shown = columns(arguments)?;
    let mut needed = vec![Column::Key];
    // Without fading there may be no time at all; it is shown where there is.
    if shown.contains(&Column::Time) && (arguments.half_life.is_some() || arguments.drain.is_some()) {
        needed.push(Column::Time);
    }
    Ok(needed)
}

/// Writes events.
pub struct Events {
    watch: Watch,
    texts: KeyTexts,
    lines: Lines,
    clock: WatchClock,
}

/// How an event is written.
struct Lines {
    columns: Vec<Column>,
    terminator: u8,
    decimals: u8,
    /// Instants are numbers of records.
    in_records: bool,
    for_terminal: bool,
    line: Vec<u8>,
}

impl Events {
    pub fn new(
        arguments: &ScoreArguments,
        enter: f64,
        decay: AnyDecay,
        config: &StreamConfig,
    ) -> Result<Events, String> {
        if enter <= 0.0 {
            return Err("--enter must lie above 0, where every key begins".to_owned());
        }
        if let Some(Bound(Some(most))) = arguments.max.filter(|Bound(most)| most.is_some_and(|most| most < enter)) {
            return Err(format!("--max {most} lies below --enter {enter}: no key would ever go up"));
        }
        if arguments.generations.generations.is_some() {
            return Err(
                "--enter foresees when a score has faded, and nobody can where --generations are emptied; leave one \
                        of them out"
                    .to_owned(),
            );
        }
        if arguments.watch == Some(0) {
            return Err("--watch: there is at least one".to_owned());
        }
        let leave = arguments.leave.unwrap_or(enter / 2.0);
        if leave >= enter {
            return Err(format!(
                "--leave {leave} must lie below --enter {enter}: else a key would go up and down at once"
            ));
        }
        if matches!(decay, AnyDecay::Exponential(_)) && leave <= 0.0 {
            return Err("--leave must lie above 0: a score that halves never comes to nothing".to_owned());
        }
        if matches!(config.missing, OnMissing::Pass) || config.on_error == OnError::Pass {
            return Err("--enter writes events, no records; --missing and --on-error cannot say pass".to_owned());
        }
        let most = arguments.watch.unwrap_or(DEFAULT_WATCH);
        let in_records = config.columns.as_ref().is_some_and(|columns| columns.in_records);
        // What is between two milliseconds is of no use to anybody; between two records there is nothing.
        let grain = Span::from_nanos(if in_records { 1 } else { NANOS_PER_SECOND / 1000 });
        let watch = Watch::new(enter, leave, usize::try_from(most).unwrap_or(usize::MAX), decay, grain);
        let lines = Lines {
            columns: columns(arguments)?,
            terminator: config.read.terminator,
            decimals: arguments.decimals.unwrap_or(DEFAULT_DECIMALS),
            in_records,
            for_terminal: std::io::stdout().is_terminal(),
            line: Vec::new(),
        };
        let texts = KeyTexts::new(config.wanted.clone());
        Ok(Events { watch, texts, lines, clock: WatchClock(UNDATED) })
    }

    /// Writes what the records with these scores bring about, and what time alone does.
    pub fn report(
        &mut self,
        batch: &Batch<'_>,
        keyed: &Keyed<'_>,
        (scores, deltas): (&[f64], &[f64]),
        now: Option<Timestamp>,
        output: &mut Output,
    ) -> Result<(), Stop> {
        let Events { watch, texts, lines, clock } = self;
        texts.prepare(batch.layout);
        let (terminator, for_terminal) = (lines.terminator, lines.for_terminal);
        let records = &*batch.records;
        let mut keyless = records.keyless.iter().map(|record| record.index as usize).peekable();
        let with_key = (0..records.len()).filter(|index| keyless.next_if_eq(index).is_none());
        let mut places = 0;
        let mut written = Ok(());
        let mut tell = |event: Event<'_>| {
            if written.is_ok() {
                written = lines.write(&event, output);
            }
        };
        for (place, index) in with_key.enumerate() {
            let instant = keyed.instants.get(place).copied().unwrap_or(UNDATED);
            clock.move_on(watch, instant, &mut tell);
            let name = |name: &mut Vec<u8>| {
                let bytes = &batch.bytes[records.start(index)..records.ends[index] as usize];
                let cuts = records.cuts_of(index, &mut places);
                texts.push(batch.layout.format.content(bytes, terminator), cuts, for_terminal, name);
            };
            watch.take(keyed.hashes[place], (scores[place], deltas[place]), instant, name, &mut tell);
        }
        written?;
        now.map_or(Ok(()), |now| self.move_on(now, output))
    }

    /// Writes what time alone has brought about by `now`.
    pub fn move_on(&mut self, now: Timestamp, output: &mut Output) -> Result<(), Stop> {
        let Events { watch, lines, clock, .. } = self;
        let mut written = Ok(());
        clock.move_on(watch, now, |event| {
            if written.is_ok() {
                written = lines.write(&event, output);
            }
        });
        written
    }

    /// When time alone will bring something about.
    pub fn due(&self) -> Option<Timestamp> {
        self.watch.due()
    }

    pub fn warn(&self, diag: &Diag) {
        let overflow = self.watch.counts().overflow;
        if overflow > 0 {
            diag.warning(format_args!(
                "{overflow} {} while the most keys were up, and no event tells of it: see --watch",
                if overflow == 1 { "score reached --enter" } else { "scores reached --enter" }
            ));
        }
    }

    pub fn add_to(&self, stats: &mut Stats) {
        let counts = self.watch.counts();
        stats.count("events_up", counts.up);
        stats.count("events_down", counts.down);
        stats.count("watched", self.watch.held() as u64);
        stats.count("watch_overflow", counts.overflow);
    }
}

/// What time it was last.
#[derive(Debug)]
struct WatchClock(Timestamp);

impl WatchClock {
    /// It is `now`: what has faded by then goes down.
    fn move_on(&mut self, watch: &mut Watch, now: Timestamp, tell: impl FnMut(Event<'_>)) {
        let WatchClock(last) = self;
        if *last == UNDATED && now != UNDATED {
            watch.date(now);
        } else if now < *last {
            watch.step_back(now);
        }
        *last = now;
        watch.pass(now, tell);
    }
}

impl Lines {
    fn write(&mut self, event: &Event<'_>, output: &mut Output) -> Result<(), Stop> {
        let Lines { columns, line, decimals, in_records, .. } = self;
        line.clear();
        for (index, column) in columns.iter().enumerate() {
            if index > 0 {
                line.push(b'\t');
            }
            match column {
                Column::Time => push_instant(line, event.time, *in_records),
                Column::Until => push_instant(line, event.until, *in_records),
                Column::State => line.extend_from_slice(if event.is_up { b"up" } else { b"down" }),
                Column::Key => line.extend_from_slice(event.key),
                _ => push_score(line, event.score, *decimals),
            }
        }
        line.push(self.terminator);
        output.write(line)
    }
}

/// An instant, or the number of a record.
fn push_instant(line: &mut Vec<u8>, time: Option<Timestamp>, in_records: bool) {
    match time {
        None => line.push(b'-'),
        // Writing to a vector cannot fail.
        Some(number) if in_records => drop(write!(line, "{}", number.nanos())),
        Some(time) => push_time(line, time),
    }
}
