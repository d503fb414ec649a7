//! `grudge score`: each record with what its key has earned, with time healing.

mod events;
mod value;
mod watch;

pub use value::one_field;

use super::args::{AggregateName, ScoreArguments};
use super::columns::{Column, ColumnOptions, DEFAULT_DECIMALS, Said};
use super::config::{Measure, Purpose, StreamConfig};
use super::diag::Diag;
use super::engine::{Engine, EngineOptions, rotation};
use super::exit::Status;
use super::output::{Output, Stop};
use super::pipeline::Batch;
use super::shape::{FILL_COUNTS, Fill, Shape};
use super::stats::Stats;
use super::stream::{self, Keyed, Verb};
use super::units::{Amount, Bound, Length, show_span};
use events::Events;
use grudge::aggregate::AnyAggregate;
use grudge::decay::{AnyDecay, Decay, Exponential, Linear, NoDecay};
use grudge::sketch::SketchOptions;
use grudge::time::{Span, Timestamp};
use value::value;

/// Columns that `--print` can ask for.
const COLUMNS: [Column; 5] = [Column::Key, Column::Time, Column::Score, Column::Delta, Column::Record];

/// Runs the verb and says how it ended.
pub fn run(arguments: &ScoreArguments, diag: &Diag) -> Result<Status, String> {
    let value = value(arguments)?;
    let signed = value.may_be_negative();
    let (low, high) = clamps(arguments, signed)?;
    if let (Some(over), Some(under)) = (arguments.over, arguments.under)
        && over >= under
    {
        return Err(format!("--over {over} and --under {under} leave nothing between them"));
    }
    let selects = arguments.over.is_some() || arguments.under.is_some() || arguments.enter.is_some();
    let purpose = Purpose {
        measure: measure(arguments),
        selects: selects || arguments.print.is_some(),
        pass_exempt: !selects,
        columns: Some(columns(arguments)?),
        value,
    };
    let config = StreamConfig::resolve(&arguments.records, &arguments.run, purpose)?;
    let span = config.measure.map_or(Span::ZERO, Measure::span);
    let decay = decay(arguments, span)?;
    let rotation = rotation(&arguments.generations, config.measure)?;
    let copies = rotation.map_or(1, |(generations, _)| generations);
    let shape = Shape::resolve(&arguments.memory, &arguments.shape, SketchOptions::CELL_BYTES * u64::from(copies))?;
    let aggregate = aggregate(arguments.aggregate, signed);
    let engine = Engine::new(EngineOptions { decay, aggregate, signed, low, high, rotation }, shape)?;
    let events = match arguments.enter {
        Some(enter) => Some(Events::new(arguments, enter, decay, &config)?),
        None => None,
    };
    let score = Score {
        engine,
        decay,
        fading: describe_fading(arguments),
        adds: describe_adds(arguments, low, high),
        signed,
        shape,
        records: 0,
        least: 0.0,
        over: arguments.over,
        under: arguments.under,
        events,
        last: None,
        deltas: Vec::new(),
        scores: Vec::new(),
    };
    stream::run(&arguments.records, &arguments.run, config, score, diag)
}

/// What scores are measured by.
fn measure(arguments: &ScoreArguments) -> Option<Measure> {
    let half_life = arguments.half_life.map(|length| Measure { flag: "--half-life", length, in_records: "1000r" });
    let drain =
        arguments.drain.map(|Amount { per, .. }| Measure { flag: "--drain", length: per, in_records: "1/1000r" });
    let rotate = arguments.generations.rotate.map(|length| Measure { flag: "--rotate", length, in_records: "1000r" });
    half_life.or(drain).or(rotate)
}

/// `span` is the length of what is measured.
fn decay(arguments: &ScoreArguments, span: Span) -> Result<AnyDecay, String> {
    if arguments.half_life.is_some() {
        let decay = Exponential::half_life(span).map_err(|error| format!("--half-life: {error}"))?;
        return Ok(AnyDecay::Exponential(decay));
    }
    match arguments.drain {
        Some(Amount { amount, .. }) => {
            Linear::rate(amount, span).map(AnyDecay::Linear).map_err(|error| format!("--drain: {error}"))
        }
        None => Ok(AnyDecay::None(NoDecay)),
    }
}

/// For `--explain`.
fn describe_fading(arguments: &ScoreArguments) -> String {
    let show = |length: Length| match length {
        Length::Time(span) => show_span(span),
        Length::Records(records) => format!("{records} records"),
    };
    match (arguments.half_life, arguments.drain) {
        (Some(length), _) => format!("a score halves in {}", show(length)),
        (_, Some(Amount { amount, per })) => format!("a score loses {amount} in {}, down to 0", show(per)),
        (None, None) => "a score never fades".to_owned(),
    }
}

/// For `--explain`.
fn describe_adds(arguments: &ScoreArguments, low: Option<f64>, high: Option<f64>) -> String {
    let mut text = match (&arguments.value, &arguments.map, arguments.add.len()) {
        (Some(field), ..) => format!("each record the number in {field}"),
        (_, Some(map), _) => format!("each record what {map} says"),
        (.., 0) => "each record 1".to_owned(),
        (.., patterns) => format!("each record the sum of what it matches of {patterns} patterns"),
    };
    if let Some(low) = low {
        text += &format!("; no score falls below {low}");
    }
    if let Some(high) = high {
        text += &format!("; no score rises above {high}");
    }
    text
}

/// Between which no score leaves. A score that could sink below 0 would let good deeds buy bad ones.
fn clamps(arguments: &ScoreArguments, signed: bool) -> Result<(Option<f64>, Option<f64>), String> {
    let low = arguments.min.map_or(signed.then_some(0.0), |Bound(low)| low);
    let high = arguments.max.and_then(|Bound(high)| high);
    if low.is_some_and(|low| low > 0.0) || high.is_some_and(|high| high < 0.0) {
        return Err("--min must not lie above 0, nor --max below: a key without records has a score of 0".to_owned());
    }
    Ok((low, high))
}

fn aggregate(name: Option<AggregateName>, signed: bool) -> AnyAggregate {
    match name {
        Some(AggregateName::Min) => AnyAggregate::Min,
        Some(AggregateName::Max) => AnyAggregate::Max,
        Some(AggregateName::Mean) => AnyAggregate::Mean,
        Some(AggregateName::Middle) => AnyAggregate::MiddleMean,
        None if signed => AnyAggregate::MiddleMean,
        None => AnyAggregate::Min,
    }
}

/// What is written.
fn columns(arguments: &ScoreArguments) -> Result<ColumnOptions, String> {
    let decimals = arguments.decimals.unwrap_or(DEFAULT_DECIMALS);
    if arguments.enter.is_some() {
        // The events have columns of their own; key and time are what they need to know of a record.
        let needed = events::needed_columns(arguments)?;
        return Ok(ColumnOptions { decimals, ..ColumnOptions::beside_or_instead(Vec::new(), Some(needed)) });
    }
    let print = arguments.print.as_deref().map(|list| Column::parse_list(list, &COLUMNS)).transpose()?;
    let all = arguments.over.is_none() && arguments.under.is_none();
    Ok(ColumnOptions { decimals, all, ..ColumnOptions::beside_or_instead(vec![Column::Score], print) })
}

/// The scores at work.
struct Score {
    engine: Engine,
    decay: AnyDecay,
    /// How scores fade, and what records add to them, in words.
    fading: String,
    adds: String,
    signed: bool,
    shape: Shape,
    /// Records that were judged.
    records: u64,
    over: Option<f64>,
    under: Option<f64>,
    events: Option<Events>,
    /// When the last record was judged.
    last: Option<Timestamp>,
    deltas: Vec<f64>,
    scores: Vec<f64>,
    /// The smallest delta so far that is not 0: what a cell must hold a hundredth of to count as taken.
    least: f64,
}

/// The share of the smallest delta below which a cell is as good as empty: fading by halves never comes to an end.
const AS_GOOD_AS_NOTHING: f64 = 0.01;

impl Verb for Score {
    const NAME: &'static str = "score";
    const DONE: &'static str = "scored";
    const COUNTS: &'static [&'static str] = &[
        FILL_COUNTS[0],
        FILL_COUNTS[1],
        FILL_COUNTS[2],
        FILL_COUNTS[3],
        FILL_COUNTS[4],
        "events_up",
        "events_down",
        "watched",
        "watch_overflow",
    ];

    fn wants_lateness(&self) -> bool {
        matches!(self.decay, AnyDecay::Exponential(_))
    }

    fn judge(&mut self, keyed: &Keyed<'_>) {
        self.records += keyed.hashes.len() as u64;
        let Keyed { hashes, lateness, values, .. } = keyed;
        self.deltas.clear();
        if values.is_empty() {
            self.deltas.resize(hashes.len(), 1.0);
        } else {
            self.deltas.extend_from_slice(values);
        }
        for delta in &self.deltas {
            let size = delta.abs();
            if size > 0.0 && (self.least == 0.0 || size < self.least) {
                self.least = size;
            }
        }
        for (delta, lateness) in self.deltas.iter_mut().zip(*lateness).filter(|(_, lateness)| **lateness > Span::ZERO) {
            *delta = self.decay.late(*delta, *lateness);
        }
        self.scores.resize(hashes.len(), 0.0);
        if !self.engine.goes_by_time() {
            self.engine.update_and_query(hashes, &self.deltas, &[], &mut self.scores);
            return;
        }
        for stretch in keyed.stretches(&mut self.last) {
            if let Some(to) = stretch.steps_back_to {
                self.engine.step_back(to);
            }
            let range = stretch.range;
            let scores = &mut self.scores[range.clone()];
            self.engine.update_and_query(
                &hashes[range.clone()],
                &self.deltas[range.clone()],
                &keyed.instants[range],
                scores,
            );
        }
    }

    #[inline(always)]
    fn passes(&self, index: usize) -> bool {
        let score = self.scores[index];
        self.events.is_none()
            && self.over.is_none_or(|over| score > over)
            && self.under.is_none_or(|under| score < under)
    }

    #[inline(always)]
    fn said(&self, index: usize) -> Said {
        Said::Score { score: self.scores[index], delta: self.deltas[index] }
    }

    fn report(
        &mut self,
        batch: &Batch<'_>,
        keyed: &Keyed<'_>,
        now: Option<Timestamp>,
        output: &mut Output,
    ) -> Result<(), Stop> {
        match &mut self.events {
            Some(events) => events.report(batch, keyed, (&self.scores, &self.deltas), now, output),
            None => Ok(()),
        }
    }

    fn speaks(&self) -> bool {
        self.events.is_some()
    }

    fn due(&self) -> Option<Timestamp> {
        self.events.as_ref().and_then(Events::due)
    }

    fn speak(&mut self, now: Timestamp, output: &mut Output) -> Result<(), Stop> {
        self.events.as_mut().map_or(Ok(()), |events| events.move_on(now, output))
    }

    fn warn(&self, diag: &Diag) {
        if self.shape.may_be_full(self.records) {
            self.fill().warn(self.shape, "have a score that is too high", diag);
        }
        if let Some(events) = &self.events {
            events.warn(diag);
        }
    }

    fn add_to(&self, stats: &mut Stats) {
        self.fill().add_to(self.shape, stats);
        if let Some(events) = &self.events {
            events.add_to(stats);
        }
    }

    fn explain(&self, say: &mut dyn FnMut(&str, String)) {
        say("fades", self.fading.clone());
        say("adds", self.adds.clone());
        say("structure", self.engine.describe().to_owned());
        say("memory", self.shape.describe());
        let errors = match self.signed {
            false => "a score is too high where all cells of its key are shared with others, never too low",
            true => "a score is wrong, either way, where most cells of its key are shared with others",
        };
        say("errors", errors.to_owned());
    }
}

impl Score {
    fn fill(&self) -> Fill {
        // Where nothing was ever added every cell is empty.
        self.engine.fill((self.least * AS_GOOD_AS_NOTHING).max(f64::MIN_POSITIVE))
    }
}
