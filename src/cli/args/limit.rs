//! The command line of `limit`.

use super::super::report::Style;
use super::super::units::{self, Rate};
use super::stream::{RecordArguments, RunArguments};
use super::{ShapeArguments, SketchArguments};
use clap::{ArgGroup, Args, ValueEnum};

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("what").args(["rate", "plan"]).required(true))]
pub struct LimitArguments {
    #[command(flatten)]
    pub records: RecordArguments,

    /// What each key may do: 100/min, 5/s, 1/week, 10/90s, 10/1000r (records), 10MB/min with --value
    ///
    /// By the records' own time. Where no time can be read in the first 1000 records the run stops. May be repeated: then all
    /// must allow a record, and one that is denied costs nothing anywhere.
    #[arg(long, value_name = "N/UNIT", value_parser = Rate::parse, help_heading = "Rate", allow_hyphen_values = true)]
    pub rate: Vec<Rate>,
    /// How many at once from rest, one for each --rate in their order [default: the number in the rate]
    #[arg(long, value_name = "N", value_parser = units::count, help_heading = "Rate", allow_hyphen_values = true)]
    pub burst: Vec<u64>,
    /// How a rate is kept [default: token-bucket]
    #[arg(long, value_name = "NAME", help_heading = "Rate")]
    pub algorithm: Option<AlgorithmName>,
    /// A record costs the number in this field instead of 1
    ///
    /// - and an empty field cost nothing; a negative number is a broken record. Millionths count, finer ones are rounded up.
    #[arg(long, value_name = "FIELD", help_heading = "Rate")]
    pub value: Option<String>,
    /// Records that are denied cost too: a key must keep quiet to be let through again
    #[arg(long, help_heading = "Rate")]
    pub strict: bool,
    /// Instead of filtering, a table of what each of these rates would have cut: 10/min,60/min,100/min
    #[arg(long, value_name = "RATE[,RATE]", conflicts_with_all = ["rate", "burst", "invert", "tag", "print"], help_heading = "Rate", allow_hyphen_values = true)]
    pub plan: Option<String>,

    /// How the table of --plan is written [default: text]
    #[arg(short = 'o', long = "output", value_name = "STYLE", help_heading = "Output")]
    pub style: Option<Style>,
    /// Pass what is denied and drop what is allowed
    #[arg(short = 'v', long = "invert", help_heading = "Output")]
    pub invert: bool,
    /// Write every record, with its verdict in front: allowed (1 or 0), limit, remaining, retry_after, reset_after
    ///
    /// limit is how many a key may do at once, remaining how many of them are left behind this record. retry_after is in how
    /// many seconds a denied record would be allowed, -1 where it was or where it never will be; reset_after in how many the
    /// key is at rest again. With a rate in records they count records.
    #[arg(long, help_heading = "Output")]
    pub tag: bool,
    /// Write only these columns instead of the record: key (one column a part), time, allowed, limit, remaining, retry_after,
    /// reset_after, record
    ///
    /// They are separated by tabs; a tab, newline or backslash inside a value is escaped, an empty value is -. Records
    /// without the key are left out.
    #[arg(long, value_name = "COLUMN[,COLUMN]", help_heading = "Output")]
    pub print: Option<String>,

    #[command(flatten)]
    pub memory: SketchArguments,
    #[command(flatten)]
    pub run: RunArguments,
    #[command(flatten)]
    pub shape: ShapeArguments,
}

/// `--algorithm`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AlgorithmName {
    /// Tokens come back one by one; as many as --burst at once, and never more than that and the rate together
    TokenBucket,
    /// A bucket of --burst that runs out at the rate, and what would make it overflow is denied: the same verdicts
    LeakyBucket,
    /// A count that begins anew with each minute, hour …: up to twice the rate across a border
    FixedWindow,
    /// The count of this window and a share of the last one's: smoother; seldom, up to nearly twice the rate
    SlidingWindow,
}
