//! `grudge size`: the memory for a number of keys and an error, and the other way round.

use super::args::{SizeArguments, SizedVerb};
use super::report::{Cell, Table};
use super::shape::{DEFAULT_LEVELS, DEFAULT_MEMORY};
use super::units::{Length, show_size, show_size_up, show_span};
use grudge::limit::LimiterOptions;
use grudge::seen::{Seen, SeenOptions};
use grudge::sizing::{self, Shape};
use grudge::sketch::SketchOptions;
use grudge::time::{NANOS_PER_SECOND, Span};

/// Errors for which keys are told where none is named.
const ERRORS: [f64; 5] = [0.1, 0.01, 0.001, 1e-4, 1e-6];

/// Cells that a level cannot have: their numbers have 32 bits.
const MOST_CELLS: u64 = u32::MAX as u64;

/// The table that was asked for.
pub fn run(arguments: &SizeArguments) -> Result<Vec<u8>, String> {
    if arguments.keys == Some(0) {
        return Err("--keys: there is at least one".to_owned());
    }
    if arguments.half_life.is_some() && arguments.verb != SizedVerb::Observe {
        return Err("--half-life is for observe, whose memory counts in half-lives".to_owned());
    }
    let table = match arguments.verb {
        SizedVerb::Dedup => dedup(arguments)?,
        SizedVerb::Score => sketch(arguments, "score", SketchOptions::CELL_BYTES)?,
        SizedVerb::Limit => sketch(arguments, "limit", LimiterOptions::new().cell_bytes())?,
        SizedVerb::Observe => observe(arguments)?,
    };
    Ok(table.show(arguments.style).into_bytes())
}

/// Tables of cells: what is wrong is a share of the keys.
fn sketch(arguments: &SizeArguments, verb: &str, cell_bytes: u64) -> Result<Table, String> {
    let mut table = Table::new(&[
        "verb",
        "keys",
        "error",
        "levels",
        "cells",
        "memory_bytes",
        "memory",
        "least_levels",
        "least_memory",
    ]);
    let mut push = |keys: u64, error: f64, shape: Shape| {
        let bytes = shape.memory_bytes(cell_bytes);
        let least = sizing::levels_and_cells(keys, error);
        table.push(vec![
            Cell::text(verb),
            Cell::Count(keys),
            Cell::Rate(error),
            Cell::Count(shape.levels.into()),
            Cell::Count(shape.cells),
            Cell::Count(bytes),
            Cell::text(show_size_up(bytes)),
            Cell::Count(least.levels.into()),
            Cell::text(show_size_up(least.memory_bytes(cell_bytes))),
        ]);
    };
    let within = |memory: u64| {
        let cells = memory / (u64::from(DEFAULT_LEVELS) * cell_bytes);
        match cells {
            0 => Err(format!("-m: {} is too little", show_size(memory))),
            MOST_CELLS.. => Err(format!("-m: {} is more than a table can have", show_size(memory))),
            cells => Ok(cells),
        }
    };
    match (arguments.memory, arguments.keys, arguments.error) {
        (Some(_), Some(_), Some(_)) => return Err("-m, --keys and --error: two of them tell the third".to_owned()),
        (Some(memory), Some(keys), None) => {
            let cells = within(memory)?;
            push(keys, sizing::over_rate(keys, DEFAULT_LEVELS, cells), Shape { levels: DEFAULT_LEVELS, cells });
        }
        (memory @ Some(_), None, error) | (memory @ None, None, error) => {
            let cells = within(memory.unwrap_or(DEFAULT_MEMORY))?;
            for error in error.map_or(ERRORS.to_vec(), |error| vec![error]) {
                let keys = sizing::keys_for(error, DEFAULT_LEVELS, cells);
                push(keys, error, Shape { levels: DEFAULT_LEVELS, cells });
            }
        }
        (None, Some(keys), error) => {
            for error in error.map_or(ERRORS.to_vec(), |error| vec![error]) {
                let cells = sizing::cells_for(keys, error, DEFAULT_LEVELS);
                if cells >= MOST_CELLS {
                    return Err(format!("--keys: {keys} at an error of {error} are more than a table can hold"));
                }
                push(keys, error, Shape { levels: DEFAULT_LEVELS, cells });
            }
        }
    }
    Ok(table)
}

/// The forgetting set: what is wrong is a share of the new records.
fn dedup(arguments: &SizeArguments) -> Result<Table, String> {
    let seen = |memory: u64| {
        let options = SeenOptions::new().memory(memory).ttl(Span::from_seconds(1));
        Seen::new(&options).map_err(|error| format!("-m {}: {error}", show_size(memory)))
    };
    let mut table = Table::new(&["verb", "keys", "error", "memory_bytes", "memory"]);
    let (memory, keys) = match (arguments.memory, arguments.keys) {
        (Some(_), Some(_)) => return Err("-m and --keys: one of them tells the other".to_owned()),
        (memory, None) => {
            let memory = memory.unwrap_or(SeenOptions::DEFAULT_MEMORY);
            (memory, seen(memory)?.room())
        }
        (None, Some(keys)) => (memory_for(keys, seen)?, keys),
    };
    let error = seen(memory)?.worst_false_repeat_rate();
    if let Some(wanted) = arguments.error.filter(|wanted| *wanted < error) {
        return Err(format!(
            "--error {wanted}: a set of that size drops {error:.0e} of the new records, whatever is asked"
        ));
    }
    table.push(vec![
        Cell::text("dedup"),
        Cell::Count(keys),
        Cell::Rate(error),
        Cell::Count(memory),
        Cell::text(show_size_up(memory)),
    ]);
    Ok(table)
}

/// The least memory, in steps of a twentieth, whose set has room for so many keys.
fn memory_for(keys: u64, seen: impl Fn(u64) -> Result<Seen, String>) -> Result<u64, String> {
    /// Bytes of a key.
    const KEY_BYTES: u64 = 8;
    /// The least memory that is tried.
    const LEAST: u64 = 64 << 10;
    const STEPS: u64 = 20;
    let mut memory = keys.saturating_mul(KEY_BYTES).max(LEAST);
    while seen(memory)?.room() < keys {
        memory = memory.saturating_add(memory.div_ceil(STEPS));
    }
    Ok(memory)
}

/// What a half-life means for the counts of observe: they have 24 bits and halve with each tick, which is a half-life.
fn observe(arguments: &SizeArguments) -> Result<Table, String> {
    /// Bits of a count. A key that comes r times a tick is counted up to 2 r.
    const COUNT_BITS: u32 = 24;
    /// A count is gone when it has been halved as often as it has bits.
    const TICKS_TO_NOTHING: i64 = COUNT_BITS as i64;
    /// Half-lives from a packet filter to long-term trends.
    const USUAL: [i64; 5] = [
        NANOS_PER_SECOND / 10,
        NANOS_PER_SECOND,
        60 * NANOS_PER_SECOND,
        3_600 * NANOS_PER_SECOND,
        86_400 * NANOS_PER_SECOND,
    ];
    if arguments.keys.is_some() || arguments.error.is_some() || arguments.memory.is_some() {
        return Err("size observe knows half-lives only: --half-life 1m".to_owned());
    }
    let ticks = match arguments.half_life {
        None => USUAL.map(Span::from_nanos).to_vec(),
        Some(Length::Time(span)) => vec![span],
        Some(Length::Records(_)) => return Err("--half-life: wanted is a time such as 1m".to_owned()),
    };
    let mut table = Table::new(&["verb", "half_life", "most_per_second_of_a_key", "gone_after"]);
    for tick in ticks {
        let most = f64::from(1u32 << (COUNT_BITS - 1)) / (tick.nanos() as f64 / NANOS_PER_SECOND as f64);
        table.push(vec![
            Cell::text("observe"),
            Cell::text(show_span(tick)),
            Cell::Count(most.round() as u64),
            Cell::text(show_span(tick.times(TICKS_TO_NOTHING))),
        ]);
    }
    Ok(table)
}
