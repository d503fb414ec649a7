//! `--plan`: what each of several rates would have cut.

use super::super::columns::Said;
use super::super::diag::Diag;
use super::super::output::{Output, Stop};
use super::super::report::{Cell, Style, Table};
use super::super::shape::{FILL_COUNTS, Fill, Shape};
use super::super::stats::Stats;
use super::super::stream::{Keyed, Verb};
use super::super::units::Rate;
use super::{costs, fill};
use grudge::limit::{Cost, Limiter};
use grudge::seen::{Seen, SeenOptions, Verdict};
use grudge::time::Timestamp;

/// Memory for the keys that a rate has cut, each once: room for three million.
const SEEN_MEMORY: u64 = 32 << 20;

/// A rate that is tried.
struct Trial {
    rate: String,
    limiter: Limiter,
    denied: u64,
    /// The keys that were denied anything, and how many they are.
    keys: Seen,
    denied_keys: u64,
}

/// Rates that are tried beside each other on the same records.
pub struct Plan {
    trials: Vec<Trial>,
    shape: Shape,
    style: Style,
    records: u64,
    /// All keys, and how many they are.
    keys: Seen,
    all_keys: u64,
    last: Option<Timestamp>,
    costs: Vec<Cost>,
    allowed: Vec<bool>,
    hashes: Vec<u64>,
    verdicts: Vec<Verdict>,
}

impl Plan {
    pub fn new(rates: &[Rate], limiters: Vec<Limiter>, shape: Shape, style: Style) -> Result<Plan, String> {
        let seen = || Seen::new(&SeenOptions::new().memory(SEEN_MEMORY)).map_err(|error| format!("--plan: {error}"));
        let trial = |(rate, limiter): (&Rate, Limiter)| {
            Ok(Trial { rate: rate.text.clone(), limiter, denied: 0, keys: seen()?, denied_keys: 0 })
        };
        Ok(Plan {
            trials: rates.iter().zip(limiters).map(trial).collect::<Result<Vec<_>, String>>()?,
            shape,
            style,
            records: 0,
            keys: seen()?,
            all_keys: 0,
            last: None,
            costs: Vec::new(),
            allowed: Vec::new(),
            hashes: Vec::new(),
            verdicts: Vec::new(),
        })
    }

    fn table(&self) -> Table {
        /// Digits of a share: hundredths of a percent.
        const SHARE_DIGITS: usize = 4;
        let share = |part: u64, all: u64| if all == 0 { 0.0 } else { part as f64 / all as f64 };
        let mut table =
            Table::new(&["rate", "records", "denied", "denied_share", "keys", "denied_keys", "denied_keys_share"]);
        for trial in &self.trials {
            table.push(vec![
                Cell::text(trial.rate.as_str()),
                Cell::Count(self.records),
                Cell::Count(trial.denied),
                Cell::Real(share(trial.denied, self.records), SHARE_DIGITS),
                Cell::Count(self.all_keys),
                Cell::Count(trial.denied_keys),
                Cell::Real(share(trial.denied_keys, self.all_keys), SHARE_DIGITS),
            ]);
        }
        table
    }
}

/// How many of the keys are new to a set.
fn new_keys(seen: &mut Seen, hashes: &[u64], verdicts: &mut Vec<Verdict>) -> u64 {
    verdicts.clear();
    verdicts.resize(hashes.len(), Verdict::New);
    seen.check_batch(hashes, &[], verdicts);
    verdicts.iter().filter(|verdict| **verdict == Verdict::New).count() as u64
}

impl Verb for Plan {
    const NAME: &'static str = "limit";
    const DONE: &'static str = "limited";
    const COUNTS: &'static [&'static str] = &FILL_COUNTS;

    fn judge(&mut self, keyed: &Keyed<'_>) {
        costs(keyed.values, &mut self.costs);
        self.records += keyed.hashes.len() as u64;
        self.all_keys += new_keys(&mut self.keys, keyed.hashes, &mut self.verdicts);
        for stretch in keyed.stretches(&mut self.last) {
            let range = stretch.range;
            let costs = if self.costs.is_empty() { &[] } else { &self.costs[range.clone()] };
            let (hashes, instants) = (&keyed.hashes[range.clone()], &keyed.instants[range]);
            self.allowed.clear();
            self.allowed.resize(hashes.len(), false);
            for trial in &mut self.trials {
                if let Some(to) = stretch.steps_back_to {
                    trial.limiter.step_back(to);
                }
                trial.limiter.allow_batch(hashes, costs, instants, &mut self.allowed);
                self.hashes.clear();
                let denied = hashes.iter().zip(&self.allowed).filter(|(_, allowed)| !**allowed);
                self.hashes.extend(denied.map(|(hash, _)| *hash));
                trial.denied += self.hashes.len() as u64;
                trial.denied_keys += new_keys(&mut trial.keys, &self.hashes, &mut self.verdicts);
            }
        }
    }

    fn passes(&self, _index: usize) -> bool {
        false
    }

    fn said(&self, _index: usize) -> Said {
        Said::Nothing
    }

    fn finish(&mut self, output: &mut Output) -> Result<(), Stop> {
        output.write(self.table().show(self.style).as_bytes())
    }

    fn warn(&self, diag: &Diag) {
        if self.shape.may_be_full(self.records) {
            self.worst_fill().warn(self.shape, "are limited for what others did", diag);
        }
        let lost = self.trials.iter().map(|trial| &trial.keys).chain([&self.keys]);
        if lost.map(Seen::live_evictions).sum::<u64>() > 0 {
            diag.warning("there were more keys than could be told apart: the numbers of keys are too high");
        }
    }

    fn add_to(&self, stats: &mut Stats) {
        self.worst_fill().add_to(self.shape, stats);
    }

    fn explain(&self, say: &mut dyn FnMut(&str, String)) {
        let rates: Vec<&str> = self.trials.iter().map(|trial| trial.rate.as_str()).collect();
        say("plans", format!("what each of {} would have cut", rates.join(", ")));
        say("memory", format!("together {}", self.shape.describe()));
    }
}

impl Plan {
    /// The fill of the fullest of the tables: that of the slowest rate.
    fn worst_fill(&self) -> Fill {
        let fills = self.trials.iter().map(|trial| fill(&trial.limiter));
        fills.max_by(|a, b| a.expected_over().total_cmp(&b.expected_over())).unwrap_or_default()
    }
}
