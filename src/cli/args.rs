//! The command line as it is typed. What it means is worked out in `config`.

use super::stats::{Condition, Layout};
use super::units::{self, Length};
use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand, ValueEnum};
use grudge::hash::Algorithm;
use std::ffi::OsString;
use std::num::NonZeroUsize;

const STYLES: Styles =
    Styles::styled().header(AnsiColor::Yellow.on_default().bold()).literal(AnsiColor::Green.on_default());

/// Examples stand before the options: most readers need no more.
const TEMPLATE: &str = "{about-with-newline}\n{before-help}{usage-heading} {usage}\n\n{all-args}{after-help}";

const TOP_EXAMPLES: &str = "\
Examples:
  grudge dedup app.log                     every line once, as awk '!seen[$0]++'
  tail -F app.log | grudge dedup --ttl 10m a line again only after ten minutes
  grudge dedup -k 1 access.log             the first line of each first field
  grudge dedup --help                      all there is to it
";

const DEDUP_EXAMPLES: &str = "\
Examples:
  grudge dedup app.log
      every different line once, in order: the output of awk '!seen[$0]++'
  tail -F app.log | grudge dedup --ttl 10m
      a line comes again only when ten minutes have passed, by its own stamps
  tail -F app.log | grudge dedup -k 2 --ttl 10m
      the same by the second field
  grudge dedup -K 'host=(\\S+)' --ttl 1h auth.log
      one line an hour for each host
  grudge dedup -d , -k 3 -t 1 --ttl 60s trips.csv
      by the third field between commas, the time in the first
  grudge dedup --clock count --ttl 1000r words.txt
      a line comes again only when a thousand records have passed
  grudge dedup -v app.log
      only the repeats
";

/// Remembers the keys of an endless stream in constant memory, and forgives with time.
#[derive(Debug, Parser)]
#[command(name = "grudge", version, styles = STYLES, help_template = TEMPLATE, before_help = TOP_EXAMPLES)]
#[command(subcommand_required = true, disable_help_subcommand = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub verb: Verb,
}

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Pass the first record of each key and drop the repeats.
    #[command(help_template = TEMPLATE, before_help = DEDUP_EXAMPLES)]
    Dedup(DedupArguments),
}

#[derive(Debug, Args)]
pub struct DedupArguments {
    #[command(flatten)]
    pub input: InputArguments,
    #[command(flatten)]
    pub key: KeyArguments,
    #[command(flatten)]
    pub time: TimeArguments,

    /// Forget a key this long after it last passed: 30s, 10m, 1h30m, 7d, or 1000r (records)
    ///
    /// A repeat is dropped while less than this has passed, by the records' own time, since the last record of its key
    /// that was passed. Without --ttl a key is remembered for as long as memory allows.
    #[arg(long, value_name = "DURATION", value_parser = units::length, help_heading = "Forgetting")]
    pub ttl: Option<Length>,
    /// Count the ttl from the last record seen of a key, not from the last one passed
    ///
    /// A key that keeps coming is then passed once and never again until it has been quiet for a ttl.
    #[arg(long, help_heading = "Forgetting")]
    pub refresh: bool,

    /// Pass the repeats and drop the first records
    #[arg(short = 'v', long = "invert", help_heading = "Output")]
    pub invert: bool,

    #[command(flatten)]
    pub policy: PolicyArguments,
    /// Most memory for the keys; it is taken only as they come [default: 256MiB]
    #[arg(short = 'm', long, value_name = "SIZE", value_parser = units::size, help_heading = "Memory and hash")]
    pub memory: Option<u64>,
    #[command(flatten)]
    pub hash: HashArguments,
    #[command(flatten)]
    pub threads: ThreadArguments,
    #[command(flatten)]
    pub report: ReportArguments,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct InputArguments {
    /// Files to read, one stream in the order given; - or none is stdin
    #[arg(value_name = "FILE")]
    pub files: Vec<OsString>,
    /// Records end with a NUL byte instead of a newline
    #[arg(short = 'z', long = "null")]
    pub null: bool,
    /// Longest record; a longer one is bad (see --on-error) [default: 16MiB]
    #[arg(long, value_name = "SIZE", value_parser = units::size)]
    pub max_record: Option<u64>,
    /// Bytes of one read, for tests.
    #[arg(long, value_name = "BYTES", hide = true)]
    pub read_bytes: Option<usize>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Key")]
pub struct KeyArguments {
    /// Key by these fields, counted from 1 as awk does; several (1,3 or -k 1 -k 3) make one key
    ///
    /// Without -k and -K the key is the whole record; with --ttl or -t, the whole record without its time.
    #[arg(short = 'k', long = "key", value_name = "FIELD[,FIELD]", conflicts_with = "key_regex")]
    pub key: Vec<String>,
    /// Key by what this pattern's groups match, or its whole match when it has none
    #[arg(short = 'K', long, value_name = "REGEX")]
    pub key_regex: Option<String>,
    /// Fields are separated by this one byte (\t is a tab) instead of runs of blanks
    #[arg(short = 'd', long, value_name = "BYTE")]
    pub delimiter: Option<String>,
    /// Upper and lower case are one key
    #[arg(long)]
    pub ignore_case: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Time")]
pub struct TimeArguments {
    /// The time stands in this field, or in several joined by a blank (4,5)
    ///
    /// Without it, the time is the stamp that a line starts with, in brackets or not: 2026-03-01T10:00:00Z and its
    /// like, or 01/Mar/2026:10:00:00 +0000. Numbers (epoch seconds, milliseconds, microseconds or nanoseconds by their
    /// size) are taken for a time only in a field named here.
    #[arg(short = 't', long = "time", value_name = "FIELD[,FIELD]")]
    pub time: Vec<String>,
    /// What --ttl is measured by [default: event, or count for a --ttl in records]
    #[arg(long, value_name = "CLOCK")]
    pub clock: Option<ClockName>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ClockName {
    /// The records' own stamps
    Event,
    /// The time at which a record is read
    Wall,
    /// The number of records read
    Count,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Records that do not fit")]
pub struct PolicyArguments {
    /// A broken record (too long, or with a stamp that cannot be read) [default: pass; skip with -v]
    #[arg(long, value_name = "WHAT")]
    pub on_error: Option<OnError>,
    /// A record without the key [default: pass; skip with -v]
    #[arg(long, value_name = "WHAT")]
    pub missing: Option<OnMissing>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OnError {
    /// Pass it on
    Pass,
    /// Leave it out
    Skip,
    /// Stop there, with exit status 2
    Fail,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OnMissing {
    /// Pass it on
    Pass,
    /// Leave it out
    Skip,
    /// Take the missing part for an empty one
    Empty,
    /// Stop there, with exit status 2
    Fail,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Memory and hash")]
pub struct HashArguments {
    /// Any text that keys the hash; without it every run has a random one
    #[arg(long, value_name = "TEXT", env = "GRUDGE_SEED", hide_env_values = true)]
    pub seed: Option<String>,
    /// The hash of keys: xxh3 is the fastest; the others withstand keys made to collide
    #[arg(long, value_name = "NAME", default_value = "xxh3")]
    pub hash: HashName,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HashName {
    Xxh3,
    Sip13,
    Sip24,
}

impl HashName {
    /// The name as it is typed.
    pub fn as_str(self) -> &'static str {
        match self {
            HashName::Xxh3 => "xxh3",
            HashName::Sip13 => "sip13",
            HashName::Sip24 => "sip24",
        }
    }
}

impl From<HashName> for Algorithm {
    fn from(name: HashName) -> Algorithm {
        match name {
            HashName::Xxh3 => Algorithm::Xxh3,
            HashName::Sip13 => Algorithm::Sip13,
            HashName::Sip24 => Algorithm::Sip24,
        }
    }
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Memory and hash")]
pub struct ThreadArguments {
    /// Most threads to use; the result is the same with any number [default: one a core]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
}

impl ThreadArguments {
    pub fn count(&self) -> usize {
        self.threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
    }
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Report")]
pub struct ReportArguments {
    /// Counts of the run on stderr, as text or JSON
    #[arg(long, value_name = "LAYOUT", num_args = 0..=1, require_equals = true, default_missing_value = "text")]
    pub stats: Option<Layout>,
    /// Exit with status 1 when a count of --stats holds: late, 'dropped>=5'
    #[arg(long, value_name = "NAME[OP N]", value_parser = Condition::parse)]
    pub fail_if: Vec<Condition>,
    /// No warnings; errors only
    #[arg(short = 'q', long)]
    pub quiet: bool,
}
