//! The command line of `dedup`.

use super::super::units::{self, Length};
use super::stream::{RecordArguments, RunArguments};
use super::{GenerationArguments, ShapeArguments};
use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub struct DedupArguments {
    #[command(flatten)]
    pub records: RecordArguments,

    /// Forget a key this long after it last passed: 30s, 10m, 1h30m, 7d, or 1000r (records)
    ///
    /// A repeat is dropped while less than this has passed, by the records' own time, since the last record of its key
    /// that was passed. Where no time can be read in the first 1000 records the run stops. Without --ttl a key is remembered for as long as memory allows.
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
    /// Write every record, with its verdict (new or repeat) and age in front
    ///
    /// The age of a repeat is the seconds since its key was new, or last seen with --refresh; records with a --ttl in
    /// records.
    #[arg(long, help_heading = "Output")]
    pub tag: bool,
    /// Write how many repeats were dropped since its key last passed in front of each record
    ///
    /// Repeats behind the last record of a key that passed are in no count. Where room runs out before a key passes again
    /// its count is lost; counts_lost of --stats is the sum of those.
    /// Needs --ttl and half as much memory again.
    #[arg(short = 'c', long, help_heading = "Output")]
    pub count: bool,
    /// Write only these columns instead of the record: key (one column a part), time, verdict, age, count, record
    ///
    /// They are separated by tabs; a tab, newline or backslash inside a value is escaped, an empty value is -. Records
    /// without the key are left out.
    #[arg(long, value_name = "COLUMN[,COLUMN]", help_heading = "Output")]
    pub print: Option<String>,

    /// Most memory for the keys; it is taken only as they come [default: 256MiB; 64MiB with --latch, at once]
    #[arg(short = 'm', long, value_name = "SIZE", value_parser = units::size, help_heading = "Memory and hash")]
    pub memory: Option<u64>,
    #[command(flatten)]
    pub run: RunArguments,
    /// Keep no keys but a table of bits that fade: a Bloom filter that forgets
    ///
    /// It drops a new record where all cells of its key are taken by others, which is the wrong way to fail, and takes 15 to
    /// 50 times the memory of the default for as few errors. It is for those who have to live within a fixed memory whatever
    /// comes and who would rather lose a new record than pass a repeat. At exit --stats tells the share that was dropped
    /// wrongly (false_repeat_rate).
    #[arg(long, value_name = "FADING", num_args = 0..=1, require_equals = true, default_missing_value = "linear",
        conflicts_with = "count", help_heading = "For those who know the sketch")]
    pub latch: Option<LatchName>,
    #[command(flatten)]
    pub shape: ShapeArguments,
    #[command(flatten)]
    pub generations: GenerationArguments,
}

/// `--latch`: how what was latched fades.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LatchName {
    /// Evenly, to nothing within --ttl
    Linear,
    /// By half in each --ttl; below a half it is forgotten
    Exponential,
}
