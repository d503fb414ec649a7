//! A seeded generator of test data: `cargo bench --bench gen -- KIND N [--seed S] [--keys K] > file`.
//!
//! | kind | lines |
//! |---|---|
//! | `zipf` | 10 to 40 bytes, keys by Zipf's law of exponent 1 over 5,000,000 (`--keys`) keys |
//! | `distinct` | 24 bytes, 70 % of them new, the others drawn from the keys before them |
//! | `unique` | 24 bytes, no two alike |
//! | `access` | combined access log, about 225 bytes, addresses by Zipf's law over 100,000 (`--keys`), jittered stamps |
//! | `json` | an object a line, about 215 bytes, `user.id` by Zipf's law over 100,000 (`--keys`), jittered stamps |
//! | `csv` | a header and N rows of the same events in ten columns, about 125 bytes, the key in `user` |
//!
//! Sizes count the newline. One seed gives one output; the sampler of Zipf's law calls `exp` and `ln` of the system's
//! libm, so two systems may differ in a rare line. The text of a key depends on the key alone (`zipf`, `access`, `json`,
//! `csv`) or on the key and the seed (`distinct`, `unique`), never on where it stands.
//!
//! In `json` and `csv` one message in ten needs quoting: it holds a comma, quotes, or both. It stands before `user` in
//! `csv`, so a program that splits at every comma finds wrong keys; no field holds a line break.

mod access;
mod clock;
mod lines;
mod random;
mod records;

use access::{ACCESS_KEYS, ACCESS_MAX_KEYS};
use lines::{ZIPF_KEYS, ZIPF_MAX_KEYS};
use records::{USER_KEYS, USER_MAX_KEYS};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::process::ExitCode;

const USAGE: &str = "usage: gen zipf|distinct|unique|access|json|csv N [--seed S] [--keys K]";

const DEFAULT_SEED: u64 = 1;

/// Large enough that the calls of write() do not show.
const OUTPUT_BUFFER: usize = 1 << 20;

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(Some(options)) => options,
        // `cargo bench` and `cargo test --all-targets` start every bench without arguments: that is no failure.
        Ok(None) => {
            eprintln!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Err(message) => {
            eprintln!("gen: {message}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let mut out = BufWriter::with_capacity(OUTPUT_BUFFER, io::stdout().lock());
    match write_lines(&options, &mut out).and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            eprintln!("gen: {e}");
            ExitCode::from(2)
        }
        _ => ExitCode::SUCCESS,
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Zipf,
    Distinct,
    Unique,
    Access,
    Json,
    Csv,
}

struct Options {
    kind: Kind,
    lines: u64,
    seed: u64,
    keys: Option<u64>,
}

impl Options {
    fn parse(arguments: impl Iterator<Item = String>) -> Result<Option<Self>, String> {
        // Cargo adds --bench.
        let mut arguments = arguments.filter(|a| a != "--bench");
        let (mut seed, mut keys, mut words) = (DEFAULT_SEED, None, Vec::new());
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--seed" => seed = number(&argument, arguments.next())?,
                "--keys" => keys = Some(number(&argument, arguments.next())?),
                _ => words.push(argument),
            }
        }
        let [kind, lines] = match words.as_slice() {
            [] => return Ok(None),
            [kind, lines] => [kind, lines],
            _ => return Err(format!("found {} words, wanted KIND and N", words.len())),
        };
        let (kind, most_keys) = match kind.as_str() {
            "zipf" => (Kind::Zipf, ZIPF_MAX_KEYS),
            "distinct" => (Kind::Distinct, 0),
            "unique" => (Kind::Unique, 0),
            "access" => (Kind::Access, ACCESS_MAX_KEYS),
            "json" => (Kind::Json, USER_MAX_KEYS),
            "csv" => (Kind::Csv, USER_MAX_KEYS),
            _ => return Err(format!("unknown kind {kind:?}")),
        };
        if let Some(keys) = keys
            && !(1..=most_keys).contains(&keys)
        {
            return Err(if most_keys == 0 {
                format!("--keys: {kind} has no number of keys", kind = words[0])
            } else {
                format!("--keys: found {keys}, wanted 1 to {most_keys}")
            });
        }
        let lines = number("N", Some(lines.clone()))?;
        Ok(Some(Self { kind, lines, seed, keys }))
    }
}

fn number(name: &str, value: Option<String>) -> Result<u64, String> {
    let value = value.ok_or_else(|| format!("{name}: wanted a number"))?;
    value.replace('_', "").parse().map_err(|_| format!("{name}: found {value:?}, wanted a number"))
}

fn write_lines(options: &Options, out: &mut impl Write) -> io::Result<()> {
    let Options { kind, lines, seed, keys } = *options;
    match kind {
        Kind::Zipf => lines::zipf(lines, keys.unwrap_or(ZIPF_KEYS), seed, out),
        Kind::Distinct => lines::distinct(lines, seed, out),
        Kind::Unique => lines::unique(lines, seed, out),
        Kind::Access => access::access(lines, keys.unwrap_or(ACCESS_KEYS), seed, out),
        Kind::Json => records::json(lines, keys.unwrap_or(USER_KEYS), seed, out),
        Kind::Csv => records::csv(lines, keys.unwrap_or(USER_KEYS), seed, out),
    }
}
