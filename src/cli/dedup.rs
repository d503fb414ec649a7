//! `grudge dedup`: pass the first record of each key and drop the repeats.

mod latch;

use super::args::{ClockName, DedupArguments};
use super::columns::{Column, ColumnOptions, Said};
use super::config::{Measure, Purpose, StreamConfig};
use super::diag::Diag;
use super::exit::Status;
use super::record::value::ValueSpec;
use super::stats::Stats;
use super::stream::{self, Keyed, Verb};
use super::units::{round_up_size, show_size, show_span};
use grudge::seen::{Seen, SeenError, SeenOptions, Sighting, Verdict};
use grudge::time::Span;
use latch::Latch;

/// Columns that `--print` can ask for.
const COLUMNS: [Column; 6] = [Column::Key, Column::Time, Column::Verdict, Column::Age, Column::Count, Column::Record];

/// Runs the verb and says how it ended.
pub fn run(arguments: &DedupArguments, diag: &Diag) -> Result<Status, String> {
    if arguments.latch.is_none() {
        refuse_shape(arguments)?;
    }
    let purpose = purpose(arguments)?;
    let config = StreamConfig::resolve(&arguments.records, &arguments.run, purpose)?;
    if let Some(fading) = arguments.latch {
        let latch = Latch::new(arguments, fading, &config)?;
        return stream::run(&arguments.records, &arguments.run, config, latch, diag);
    }
    let dedup = Dedup::new(arguments, &config)?;
    stream::run(&arguments.records, &arguments.run, config, dedup, diag)
}

/// Without a latch there is no table with a shape.
fn refuse_shape(arguments: &DedupArguments) -> Result<(), String> {
    if arguments.generations.generations.is_some() {
        return Err(
            "--generations and --rotate are of the table of --latch; without it -m is all there is to say".to_owned()
        );
    }
    let shape = &arguments.shape;
    if shape.levels.is_some() || shape.cells.is_some() {
        return Err("--levels and --cells are of the table of --latch; without it -m is all there is to say".to_owned());
    }
    Ok(())
}

fn purpose(arguments: &DedupArguments) -> Result<Purpose, String> {
    let ttl = arguments.ttl.map(|length| Measure { flag: "--ttl", length, in_records: "1000r" });
    let rotate = arguments.generations.rotate.map(|length| Measure { flag: "--rotate", length, in_records: "1000r" });
    let measure = ttl.or(rotate);
    let columns = columns(arguments)?;
    if arguments.latch.is_some() && columns.as_ref().is_some_and(|columns| columns.shows(Column::Count)) {
        return Err("--latch keeps no count of repeats; leave --count or --latch out".to_owned());
    }
    Ok(Purpose {
        measure,
        // What is left out without being asked for must never reach a firewall.
        selects: arguments.invert || arguments.print.is_some(),
        pass_exempt: !arguments.invert,
        columns,
        value: ValueSpec::One,
    })
}

/// What is written of each record beside or instead of itself.
fn columns(arguments: &DedupArguments) -> Result<Option<ColumnOptions>, String> {
    let print = arguments.print.as_deref().map(|list| Column::parse_list(list, &COLUMNS)).transpose()?;
    let prints_count = print.as_ref().is_some_and(|columns| columns.contains(&Column::Count));
    if (arguments.count || prints_count) && arguments.ttl.is_none() {
        return Err(
            "--count tells how many repeats were dropped since a key last passed, which needs a --ttl after which \
                    it passes again; totals of each key are what top is for (until it is there: sort | uniq -c)"
                .to_owned(),
        );
    }
    let mut beside = Vec::new();
    if arguments.tag {
        beside.extend([Column::Verdict, Column::Age]);
    }
    if arguments.count {
        beside.push(Column::Count);
    }
    if beside.is_empty() && print.is_none() {
        return Ok(None);
    }
    let all = arguments.tag && !arguments.invert;
    Ok(Some(ColumnOptions { all, ..ColumnOptions::beside_or_instead(beside, print) }))
}

/// The forgetting set at work.
struct Dedup {
    seen: Seen,
    /// The verdict of the records that pass.
    wanted: Verdict,
    ttl: Option<Span>,
    /// For `--explain`: what the ttl is counted from, and by which clock.
    refresh: bool,
    clock: ClockName,
    memory: u64,
    /// Whether more is told of each record than its verdict.
    detailed: bool,
    verdicts: Vec<Verdict>,
    sightings: Vec<Sighting>,
}

impl Dedup {
    fn new(arguments: &DedupArguments, config: &StreamConfig) -> Result<Dedup, String> {
        let memory = arguments.memory.unwrap_or(SeenOptions::DEFAULT_MEMORY);
        let counts = config.columns.as_ref().is_some_and(|columns| columns.shows(Column::Count));
        let mut options = SeenOptions::new().memory(memory).refresh(arguments.refresh).count_repeats(counts);
        let ttl = config.measure.map(Measure::span);
        if let Some(ttl) = ttl {
            options = options.ttl(ttl);
        }
        let seen = Seen::new(&options).map_err(|error| match error {
            SeenError::TooLarge { memory } => {
                format!("-m: {} is more than this system gives one program; ask for less", show_size(memory))
            }
            other => format!("-m: {other}"),
        })?;
        Ok(Dedup {
            seen,
            wanted: if arguments.invert { Verdict::Repeat } else { Verdict::New },
            ttl,
            refresh: arguments.refresh,
            clock: config.clock,
            memory,
            detailed: config.columns.is_some(),
            verdicts: Vec::new(),
            sightings: Vec::new(),
        })
    }
}

impl Verb for Dedup {
    const NAME: &'static str = "dedup";
    const DONE: &'static str = "deduplicated";
    const COUNTS: &'static [&'static str] = &[
        "live_keys",
        "live_evictions",
        "counts_lost",
        "false_repeat_rate",
        "slots",
        "memory_bytes",
        "memory_bound_bytes",
    ];

    fn judge(&mut self, keyed: &Keyed<'_>) {
        let instants = if self.ttl.is_some() { keyed.instants } else { &[] };
        if self.detailed {
            self.sightings.resize(keyed.hashes.len(), Sighting::UNSEEN);
            self.seen.check_batch_detailed(keyed.hashes, instants, &mut self.sightings);
        } else {
            self.verdicts.resize(keyed.hashes.len(), Verdict::New);
            self.seen.check_batch(keyed.hashes, instants, &mut self.verdicts);
        }
    }

    #[inline(always)]
    fn passes(&self, index: usize) -> bool {
        let verdict = if self.detailed { self.sightings[index].verdict } else { self.verdicts[index] };
        verdict == self.wanted
    }

    fn said(&self, index: usize) -> Said {
        Said::Sighting(self.sightings[index])
    }

    fn warn(&self, diag: &Diag) {
        let lost = self.seen.counts_lost();
        if lost > 0 {
            diag.warning(format_args!(
                "{lost} dropped repeats are in no count: their keys were forgotten for want of room before they passed again"
            ));
        }
        if let Some(memory) = self.seen.memory_that_would_do() {
            diag.warning(format_args!(
                "{} keys were forgotten too early for want of memory, so some repeats may have passed: \
                 -m {} would do (it was {})",
                self.seen.live_evictions(),
                show_size(round_up_size(memory)),
                show_size(self.memory),
            ));
        }
    }

    fn add_to(&self, stats: &mut Stats) {
        stats.count("live_keys", self.seen.live_keys());
        stats.count("live_evictions", self.seen.live_evictions());
        stats.count("counts_lost", self.seen.counts_lost());
        stats.real("false_repeat_rate", self.seen.false_repeat_rate());
        stats.count("slots", self.seen.slots());
        stats.count("memory_bytes", self.seen.memory_bytes());
        stats.count("memory_bound_bytes", self.memory);
    }

    fn explain(&self, say: &mut dyn FnMut(&str, String)) {
        say("forgets", describe_forgetting(self.ttl, self.refresh, self.clock, "only when memory runs out"));
        let counts = if self.seen.counts_repeats() { " and a count of 4" } else { "" };
        say(
            "structure",
            format!("a forgetting set: 8 bytes a key{counts}, at a load of 0.3 to 0.6, two buckets of eight a key"),
        );
        let (bound, room) = (show_size(self.memory), self.seen.room());
        say("memory", format!("at most {bound}, taken as keys come: room for {room} live keys at once"));
        let rate = self.seen.worst_false_repeat_rate();
        say(
            "errors",
            format!(
                "a repeat passes: next to none while there is that room; a new record is dropped: at most {rate:.0e} of \
                 them"
            ),
        );
    }
}

/// When a key is forgotten; `never` says it where there is no ttl.
fn describe_forgetting(ttl: Option<Span>, refresh: bool, clock: ClockName, never: &str) -> String {
    let Some(ttl) = ttl else { return format!("a key {never}") };
    let from = if refresh { "its last record" } else { "its last record that passed" };
    match clock {
        ClockName::Count => format!("a key {} records after {from}", ttl.nanos()),
        _ => format!("a key {} after {from}", show_span(ttl)),
    }
}
