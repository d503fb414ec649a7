//! `grudge limit`: pass what a rate allows each key.

mod plan;

use super::args::{AlgorithmName, LimitArguments};
use super::columns::{Column, ColumnOptions, Said};
use super::config::{Measure, Purpose, StreamConfig};
use super::diag::Diag;
use super::exit::Status;
use super::record::value::ValueSpec;
use super::score::one_field;
use super::shape::{FILL_COUNTS, Fill, Shape};
use super::stats::Stats;
use super::stream::{self, Keyed, Verb};
use super::units::{Length, Rate};
use grudge::limit::{Algorithm, Cost, Decision, Limiter, LimiterOptions, Quota};
use grudge::time::Timestamp;
use plan::Plan;

/// Columns that `--print` can ask for.
const COLUMNS: [Column; 8] = [
    Column::Key,
    Column::Time,
    Column::Allowed,
    Column::Limit,
    Column::Remaining,
    Column::RetryAfter,
    Column::ResetAfter,
    Column::Record,
];

/// Those of `--tag`.
const TAGS: [Column; 5] = [Column::Allowed, Column::Limit, Column::Remaining, Column::RetryAfter, Column::ResetAfter];

/// Runs the verb and says how it ended.
pub fn run(arguments: &LimitArguments, diag: &Diag) -> Result<Status, String> {
    let plan = arguments.plan.as_deref().map(rates).transpose()?;
    let is_plan = plan.is_some();
    if arguments.style.is_some() && !is_plan {
        return Err("-o is the style of the table of --plan; records are written as they are".to_owned());
    }
    let rates = plan.unwrap_or_else(|| arguments.rate.clone());
    let value = match &arguments.value {
        Some(field) => ValueSpec::field(one_field("--value", field)?, false),
        None => ValueSpec::One,
    };
    let purpose = Purpose {
        measure: Some(measure(&rates, is_plan)?),
        selects: arguments.invert || arguments.print.is_some() || is_plan,
        pass_exempt: !arguments.invert && !is_plan,
        columns: columns(arguments)?,
        value,
    };
    let config = StreamConfig::resolve(&arguments.records, &arguments.run, purpose)?;
    let quotas = quotas(arguments, &rates)?;
    let algorithm = algorithm(arguments.algorithm);
    let cell_bytes = LimiterOptions::new().algorithm(algorithm).cell_bytes() * quotas.len() as u64;
    let shape = Shape::resolve(&arguments.memory, &arguments.shape, cell_bytes)?;
    let options =
        LimiterOptions::new().algorithm(algorithm).levels(shape.levels).cells(shape.cells).strict(arguments.strict);
    let limiter = |quotas: &[Quota]| Limiter::new(quotas, &options).map_err(|error| format!("--rate: {error}"));
    if is_plan {
        let limiters =
            quotas.iter().map(|quota| limiter(std::slice::from_ref(quota))).collect::<Result<Vec<_>, _>>()?;
        let plan = Plan::new(&rates, limiters, shape, arguments.style.unwrap_or_default())?;
        return stream::run(&arguments.records, &arguments.run, config, plan, diag);
    }
    let limit = Limit {
        limiter: limiter(&quotas)?,
        shape,
        records: 0,
        rates: arguments.rate.iter().map(|rate| rate.text.clone()).collect::<Vec<_>>().join(" and "),
        algorithm: arguments.algorithm.unwrap_or(AlgorithmName::TokenBucket),
        invert: arguments.invert,
        detailed: config.columns.is_some(),
        last: None,
        costs: Vec::new(),
        allowed: Vec::new(),
        decisions: Vec::new(),
    };
    stream::run(&arguments.records, &arguments.run, config, limit, diag)
}

/// `10/min,60/min`.
fn rates(text: &str) -> Result<Vec<Rate>, String> {
    text.split(',').map(|rate| Rate::parse(rate.trim()).map_err(|why| format!("--plan: {why}"))).collect()
}

/// What the rates are measured by: all by the same.
fn measure(rates: &[Rate], is_plan: bool) -> Result<Measure, String> {
    let flag = if is_plan { "--plan" } else { "--rate" };
    let is_records = |rate: &&Rate| matches!(rate.per, Length::Records(_));
    let records = rates.iter().filter(is_records).count();
    if records > 0 && records < rates.len() {
        return Err(format!("{flag}: some rates count records and some go by time; they cannot go together"));
    }
    let longest = rates.iter().map(|rate| rate.per).max_by_key(|per| Measure::span_of(*per));
    // clap has seen to it that there is one.
    Ok(Measure { flag, length: longest.unwrap_or(Length::Records(1)), in_records: "10/1000r" })
}

/// What each key may do.
fn quotas(arguments: &LimitArguments, rates: &[Rate]) -> Result<Vec<Quota>, String> {
    let bursts = &arguments.burst;
    if bursts.len() > 1 && bursts.len() != rates.len() {
        return Err(format!(
            "--burst: there are {} of them and {} of --rate; wanted is one for each rate, or one for all",
            bursts.len(),
            rates.len()
        ));
    }
    let quota = |(index, rate): (usize, &Rate)| {
        let per = Measure::span_of(rate.per);
        let quota = Quota::new(rate.count, per).map_err(|error| format!("--rate {}: {error}", rate.text))?;
        match bursts.get(index).or(bursts.first().filter(|_| bursts.len() == 1)) {
            Some(_) if matches!(algorithm(arguments.algorithm), Algorithm::FixedWindow | Algorithm::SlidingWindow) => {
                Err("--burst: a window has none; it allows the number in the rate".to_owned())
            }
            Some(0) => Err("--burst: a burst of none allows nothing; the least is 1".to_owned()),
            Some(burst) => Ok(quota.burst(*burst)),
            None => Ok(quota),
        }
    };
    rates.iter().enumerate().map(quota).collect()
}

fn algorithm(name: Option<AlgorithmName>) -> Algorithm {
    match name {
        None | Some(AlgorithmName::TokenBucket) => Algorithm::TokenBucket,
        Some(AlgorithmName::LeakyBucket) => Algorithm::LeakyBucket,
        Some(AlgorithmName::FixedWindow) => Algorithm::FixedWindow,
        Some(AlgorithmName::SlidingWindow) => Algorithm::SlidingWindow,
    }
}

/// What is written of each record beside or instead of itself.
fn columns(arguments: &LimitArguments) -> Result<Option<ColumnOptions>, String> {
    if arguments.plan.is_some() {
        return Ok(Some(ColumnOptions::beside_or_instead(Vec::new(), Some(Vec::new()))));
    }
    let print = arguments.print.as_deref().map(|list| Column::parse_list(list, &COLUMNS)).transpose()?;
    if !arguments.tag && print.is_none() {
        return Ok(None);
    }
    let all = arguments.tag && !arguments.invert;
    Ok(Some(ColumnOptions { all, ..ColumnOptions::beside_or_instead(TAGS.to_vec(), print) }))
}

/// What records cost: nothing where each costs one.
fn costs(values: &[f64], costs: &mut Vec<Cost>) {
    /// What a whole token is in the smallest parts that are counted.
    const MILLIONTHS: f64 = 1e6;
    /// The least number that is no longer exact in millionths: whole tokens are.
    const MOST_IN_PARTS: f64 = (1u64 << f64::MANTISSA_DIGITS) as f64 / MILLIONTHS;
    /// How far a decimal number of millionths may be from the whole number it stands for, as floats go.
    const NEAR: f64 = 1e-6;
    costs.clear();
    costs.extend(values.iter().map(|value| {
        if value.fract() == 0.0 || *value >= MOST_IN_PARTS {
            // Floats above what an integer holds saturate: they are denied all the same.
            return Cost::whole(value.ceil() as u64);
        }
        let parts = value * MILLIONTHS;
        let nearest = parts.round();
        Cost::from_millionths(if (parts - nearest).abs() < NEAR { nearest } else { parts.ceil() } as u64)
    }));
}

/// The limiter at work.
struct Limit {
    limiter: Limiter,
    shape: Shape,
    /// Records that were judged.
    records: u64,
    /// As they were typed.
    rates: String,
    algorithm: AlgorithmName,
    invert: bool,
    /// Whether more is told of each record than its verdict.
    detailed: bool,
    /// When the last record was judged.
    last: Option<Timestamp>,
    costs: Vec<Cost>,
    allowed: Vec<bool>,
    decisions: Vec<Decision>,
}

impl Verb for Limit {
    const NAME: &'static str = "limit";
    const DONE: &'static str = "limited";
    const COUNTS: &'static [&'static str] = &FILL_COUNTS;

    fn judge(&mut self, keyed: &Keyed<'_>) {
        self.records += keyed.hashes.len() as u64;
        let hashes = keyed.hashes;
        costs(keyed.values, &mut self.costs);
        self.allowed.resize(hashes.len(), false);
        self.decisions.resize(hashes.len(), Decision::FREE);
        for stretch in keyed.stretches(&mut self.last) {
            if let Some(to) = stretch.steps_back_to {
                self.limiter.step_back(to);
            }
            let range = stretch.range;
            let costs = if self.costs.is_empty() { &[] } else { &self.costs[range.clone()] };
            let (hashes, instants) = (&hashes[range.clone()], &keyed.instants[range.clone()]);
            if self.detailed {
                self.limiter.limit_batch(hashes, costs, instants, &mut self.decisions[range]);
            } else {
                self.limiter.allow_batch(hashes, costs, instants, &mut self.allowed[range]);
            }
        }
    }

    #[inline(always)]
    fn passes(&self, index: usize) -> bool {
        let allowed = if self.detailed { self.decisions[index].allowed } else { self.allowed[index] };
        allowed != self.invert
    }

    #[inline(always)]
    fn said(&self, index: usize) -> Said {
        Said::Decision(self.decisions[index])
    }

    fn warn(&self, diag: &Diag) {
        if self.shape.may_be_full(self.records) {
            fill(&self.limiter).warn(self.shape, "are limited for what others did", diag);
        }
    }

    fn add_to(&self, stats: &mut Stats) {
        fill(&self.limiter).add_to(self.shape, stats);
    }

    fn explain(&self, say: &mut dyn FnMut(&str, String)) {
        let algorithm = match self.algorithm {
            AlgorithmName::TokenBucket => "a token bucket",
            AlgorithmName::LeakyBucket => "a leaky bucket",
            AlgorithmName::FixedWindow => "fixed windows",
            AlgorithmName::SlidingWindow => "a sliding window of two counts",
        };
        say("limits", format!("each key to {}, by {algorithm}", self.rates));
        say("structure", "tables of whole numbers; a key has a cell in each, and the least of them counts".to_owned());
        say("memory", self.shape.describe());
        say(
            "errors",
            "a key is limited for what others did where all its cells are shared; never the other way".to_owned(),
        );
    }
}

/// How full a limiter is.
fn fill(limiter: &Limiter) -> Fill {
    Fill { levels: limiter.last_instant().map_or_else(Vec::new, |now| limiter.fill_at(now)) }
}
