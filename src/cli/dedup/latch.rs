//! `--latch`: a Bloom filter that forgets. Each key's score is 1 when it is new, and fades; while anything is left of it (or
//! more than a half, where it fades by halves) the key is a repeat.

use super::super::args::{ClockName, DedupArguments, LatchName, SketchArguments};
use super::super::columns::Said;
use super::super::config::{Measure, StreamConfig};
use super::super::diag::Diag;
use super::super::engine::{Engine, EngineOptions, rotation};
use super::super::shape::{Fill, Shape};
use super::super::stats::Stats;
use super::super::stream::{Keyed, Verb};
use super::describe_forgetting;
use grudge::aggregate::AnyAggregate;
use grudge::decay::{AnyDecay, Exponential, Linear, NoDecay};
use grudge::seen::{Sighting, Verdict};
use grudge::sketch::{SketchOptions, UNDATED};
use grudge::time::{Span, Timestamp};

/// What a key's score is when it is new.
const LATCHED: f64 = 1.0;

/// A latched score that has faded to this is taken for none: a millionth of a millionth of a ttl early, so that a key whose
/// ttl is over is new whatever rounding left of it.
const NOTHING: f64 = 1e-12;

/// The latch at work.
pub struct Latch {
    engine: Engine,
    shape: Shape,
    /// Records that were judged.
    records: u64,
    /// A score above this is a repeat's.
    still: f64,
    refresh: bool,
    wanted: Verdict,
    ttl: Option<Span>,
    clock: ClockName,
    last: Option<Timestamp>,
    verdicts: Vec<Verdict>,
}

impl Latch {
    pub fn new(arguments: &DedupArguments, fading: LatchName, config: &StreamConfig) -> Result<Latch, String> {
        let ttl = arguments.ttl.map(Measure::span_of);
        let refuse = |error| format!("--ttl: {error}");
        let (decay, still) = match (ttl, fading) {
            (None, _) => (AnyDecay::None(NoDecay), 0.0),
            (Some(ttl), LatchName::Linear) => (AnyDecay::Linear(Linear::rate(LATCHED, ttl).map_err(refuse)?), NOTHING),
            (Some(ttl), LatchName::Exponential) => {
                (AnyDecay::Exponential(Exponential::half_life(ttl).map_err(refuse)?), LATCHED / 2.0 + NOTHING)
            }
        };
        let rotation = rotation(&arguments.generations, config.measure)?;
        let copies = rotation.map_or(1, |(generations, _)| generations);
        let memory = SketchArguments { memory: arguments.memory, keys: None, error: None };
        let shape = Shape::resolve(&memory, &arguments.shape, SketchOptions::CELL_BYTES * u64::from(copies))?;
        let aggregate = AnyAggregate::Min;
        let options = EngineOptions { decay, aggregate, signed: false, low: None, high: Some(LATCHED), rotation };
        Ok(Latch {
            engine: Engine::new(options, shape)?,
            shape,
            records: 0,
            still,
            refresh: arguments.refresh,
            wanted: if arguments.invert { Verdict::Repeat } else { Verdict::New },
            ttl,
            clock: config.clock,
            last: None,
            verdicts: Vec::new(),
        })
    }

    fn fill(&self) -> Fill {
        self.engine.fill(self.still.max(NOTHING))
    }
}

impl Verb for Latch {
    const NAME: &'static str = "dedup";
    const DONE: &'static str = "deduplicated";
    const COUNTS: &'static [&'static str] = &["fill", "false_repeat_rate", "levels", "cells", "memory_bytes"];

    fn judge(&mut self, keyed: &Keyed<'_>) {
        self.records += keyed.hashes.len() as u64;
        let hashes = keyed.hashes;
        self.verdicts.clear();
        self.verdicts.resize(hashes.len(), Verdict::New);
        let (still, refresh, engine) = (self.still, self.refresh, &mut self.engine);
        let tell = |new: bool| if new { Verdict::New } else { Verdict::Repeat };
        if !engine.goes_by_time() {
            for (verdict, hash) in self.verdicts.iter_mut().zip(hashes) {
                *verdict = tell(engine.latch(*hash, still, refresh, UNDATED));
            }
            return;
        }
        for stretch in keyed.stretches(&mut self.last) {
            if let Some(to) = stretch.steps_back_to {
                engine.step_back(to);
            }
            for index in stretch.range {
                self.verdicts[index] = tell(engine.latch(hashes[index], still, refresh, keyed.instants[index]));
            }
        }
    }

    fn passes(&self, index: usize) -> bool {
        self.verdicts[index] == self.wanted
    }

    fn said(&self, index: usize) -> Said {
        let mut sighting = Sighting::UNSEEN;
        sighting.verdict = self.verdicts[index];
        Said::Sighting(sighting)
    }

    fn warn(&self, diag: &Diag) {
        if self.shape.may_be_full(self.records) {
            self.fill().warn(self.shape, "that are new are dropped as repeats", diag);
        }
        if diag.is_watched() {
            let rate = self.fill().expected_over();
            diag.note(format_args!("by now {rate:.1e} of the records with a new key are dropped as repeats of others"));
        }
    }

    fn add_to(&self, stats: &mut Stats) {
        let fill = self.fill();
        stats.real("fill", fill.mean());
        stats.real("false_repeat_rate", fill.expected_over());
        stats.count("levels", self.shape.levels.into());
        stats.count("cells", self.shape.cells);
        stats.count("memory_bytes", self.shape.memory());
    }

    fn explain(&self, say: &mut dyn FnMut(&str, String)) {
        say("forgets", describe_forgetting(self.ttl, self.refresh, self.clock, "never"));
        say("structure", format!("a latch: {}", self.engine.describe()));
        say("memory", self.shape.describe());
        say(
            "errors",
            "a new record is dropped where all cells of its key are taken by others; a repeat never passes".to_owned(),
        );
    }
}
