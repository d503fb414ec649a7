//! A sketch, or several that take turns: what keeps scores.

use super::args::GenerationArguments;
use super::config::Measure;
use super::shape::{Fill, Shape};
use super::units::{Length, show_size};
use grudge::aggregate::AnyAggregate;
use grudge::decay::AnyDecay;
use grudge::rotate::{Rotator, RotatorError};
use grudge::sketch::{Sketch, SketchError, SketchOptions, Update};
use grudge::time::{Span, Timestamp};

/// What is asked of it beside its shape.
#[derive(Debug, Clone, Copy)]
pub struct EngineOptions {
    pub decay: AnyDecay,
    pub aggregate: AnyAggregate,
    /// Whether deltas may be negative.
    pub signed: bool,
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// Generations and the time between them.
    pub rotation: Option<(u32, Span)>,
}

/// What keeps scores.
#[derive(Debug)]
pub enum Engine {
    One(Sketch<AnyDecay, AnyAggregate>),
    Rotating(Rotator<AnyDecay, AnyAggregate>),
}

impl Engine {
    pub fn new(options: EngineOptions, shape: Shape) -> Result<Engine, String> {
        let EngineOptions { decay, aggregate, signed, low, high, rotation } = options;
        let update = match aggregate {
            // Raising a cell only to the least of all goes by the least.
            AnyAggregate::Min if !signed => Update::Conservative,
            _ => Update::Plain,
        };
        let sketch =
            SketchOptions::new().levels(shape.levels).cells(shape.cells).signed(signed).update(update).clamp(low, high);
        let refuse = |error: SketchError| match error {
            SketchError::TooLarge { .. } => {
                format!("-m: {} is more than this system gives one program; ask for less", show_size(shape.memory()))
            }
            other => other.to_string(),
        };
        match rotation {
            None => Sketch::new(&sketch, decay, aggregate).map(Engine::One).map_err(refuse),
            Some((generations, period)) => Rotator::new(&sketch, generations, period, decay, aggregate)
                .map(Engine::Rotating)
                .map_err(|error| match error {
                    RotatorError::Sketch(error) => refuse(error),
                    other => other.to_string(),
                }),
        }
    }

    /// Whether it matters what time it is.
    pub fn goes_by_time(&self) -> bool {
        match self {
            Engine::One(sketch) => !matches!(sketch.decay(), AnyDecay::None(_)),
            Engine::Rotating(_) => true,
        }
    }

    /// Adds to the scores of keys, in order, and tells what they are then.
    pub fn update_and_query(&mut self, hashes: &[u64], deltas: &[f64], instants: &[Timestamp], scores: &mut [f64]) {
        match self {
            Engine::One(sketch) => sketch.update_and_query_batch(hashes, deltas, instants, scores),
            Engine::Rotating(rotator) => rotator.update_and_query_batch(hashes, deltas, instants, scores),
        };
    }

    /// The clock was set back.
    pub fn step_back(&mut self, to: Timestamp) {
        match self {
            Engine::One(sketch) => sketch.step_back(to),
            Engine::Rotating(rotator) => rotator.step_back(to),
        }
    }

    /// How full it is; a cell counts from `least` on.
    pub fn fill(&self, least: f64) -> Fill {
        let fill = match self {
            Engine::One(sketch) => sketch.fill_at(sketch.last(), least),
            Engine::Rotating(rotator) => rotator.fill_at(rotator.last(), least),
        };
        Fill { levels: fill.levels().to_vec() }
    }

    /// Whether a key's score is at most `still`; it is brought to the most it can be if so or if `refresh` says so in any
    /// case.
    pub fn latch(&mut self, hash: u64, still: f64, refresh: bool, now: Timestamp) -> bool {
        /// What a latch adds: the most that a score can be.
        const LATCHED: f64 = 1.0;
        let limit = still + LATCHED;
        let attempt = match self {
            Engine::One(sketch) => sketch.try_update(hash, LATCHED, limit, now),
            Engine::Rotating(rotator) => rotator.try_update(hash, LATCHED, limit, now),
        };
        let is_new = attempt.is_ok_and(|attempt| attempt.entered);
        if !is_new && refresh {
            // A delta of one is refused by nothing.
            let _ = match self {
                Engine::One(sketch) => sketch.update(hash, LATCHED, now),
                Engine::Rotating(rotator) => rotator.update(hash, LATCHED, now),
            };
        }
        is_new
    }

    /// For `--explain`.
    pub fn describe(&self) -> &'static str {
        match self {
            Engine::One(_) => "tables of cells, each a score and when it was so; a key has one in each",
            Engine::Rotating(_) => {
                "generations of tables of cells, each a score and when it was so; the oldest generation is read"
            }
        }
    }
}

/// The generations that are asked for, and the time between them.
pub fn rotation(arguments: &GenerationArguments, measure: Option<Measure>) -> Result<Option<(u32, Span)>, String> {
    let (Some(generations), Some(rotate)) = (arguments.generations, arguments.rotate) else { return Ok(None) };
    if generations < 2 {
        return Err("--generations: there are two at least, one that is read and one that is filled".to_owned());
    }
    let same_unit = |measure: Measure| {
        matches!(
            (measure.length, rotate),
            (Length::Time(_), Length::Time(_)) | (Length::Records(_), Length::Records(_))
        )
    };
    if let Some(measure) = measure.filter(|measure| !same_unit(*measure)) {
        return Err(format!(
            "--rotate and {} are measured by different clocks; give both in time or both in records",
            measure.flag
        ));
    }
    Ok(Some((generations, Measure::span_of(rotate))))
}
