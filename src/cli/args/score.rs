//! The command line of `score`.

use super::super::columns::MOST_DECIMALS;
use super::super::units::{self, Amount, Bound, Length};
use super::stream::{RecordArguments, RunArguments};
use super::{GenerationArguments, ShapeArguments, SketchArguments};
use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub struct ScoreArguments {
    #[command(flatten)]
    pub records: RecordArguments,

    /// Scores halve in this time: 30s, 10m, 1h, or 1000r (records)
    ///
    /// By the records' own time. Where no time can be read in the first 1000 records the run stops. Without --half-life and
    /// --drain scores never fade.
    #[arg(long, value_name = "DURATION", value_parser = units::length, help_heading = "Fading", allow_hyphen_values = true)]
    pub half_life: Option<Length>,
    /// Scores lose so much in a time, down to 0: 5/min, 0.5/s, 100/1000r
    #[arg(long, value_name = "N/UNIT", value_parser = Amount::parse, conflicts_with = "half_life", help_heading = "Fading", allow_hyphen_values = true)]
    pub drain: Option<Amount>,

    /// Add the number in this field instead of 1
    ///
    /// It may be negative; - and an empty field add nothing. Then no score falls below 0 unless --min says otherwise.
    #[arg(long, value_name = "FIELD", conflicts_with_all = ["add", "map"], help_heading = "What a record adds")]
    pub value: Option<String>,
    /// Add DELTA for a record that matches; may be repeated, and each that matches adds its own
    ///
    /// A record that matches none adds nothing. As in --add '5:Failed password' --add '-2:Accepted'.
    #[arg(
        long,
        value_name = "DELTA:REGEX",
        conflicts_with = "map",
        allow_hyphen_values = true,
        help_heading = "What a record adds"
    )]
    pub add: Vec<String>,
    /// Add by the value of a field, the first that fits: 'status:401=+5,403=+2,2*=-1,*=0'
    ///
    /// A * stands for any text. A value that fits none adds nothing.
    #[arg(long, value_name = "FIELD:VALUE=DELTA,...", help_heading = "What a record adds")]
    pub map: Option<String>,
    /// No score falls below this, or none [default: 0 where a record may take away, else none]
    #[arg(long, value_name = "X|none", value_parser = Bound::parse, allow_hyphen_values = true, help_heading = "What a record adds")]
    pub min: Option<Bound>,
    /// No score rises above this, or none [default: none]
    #[arg(long, value_name = "X|none", value_parser = Bound::parse, allow_hyphen_values = true, help_heading = "What a record adds")]
    pub max: Option<Bound>,

    /// Only the records whose key has a score above this
    #[arg(long, value_name = "X", value_parser = units::number, allow_hyphen_values = true, help_heading = "Output")]
    pub over: Option<f64>,
    /// Only the records whose key has a score below this
    #[arg(long, value_name = "X", value_parser = units::number, allow_hyphen_values = true, help_heading = "Output")]
    pub under: Option<f64>,
    /// Write an event instead of records: up when a key's score reaches this, down when it has faded to --leave
    ///
    /// An event is a line of the columns time, state (up or down), key, score and until: when the score will have faded to
    /// --leave if nothing more comes, - if never. The down comes when the records' time has passed that.
    #[arg(long, value_name = "X", value_parser = units::number, conflicts_with_all = ["over", "under"], help_heading = "Output", allow_hyphen_values = true)]
    pub enter: Option<f64>,
    /// A key that is up goes down when its score has faded to this [default: half of --enter]
    #[arg(long, value_name = "Y", value_parser = units::number, requires = "enter", allow_hyphen_values = true, help_heading = "Output")]
    pub leave: Option<f64>,
    /// Most keys that can be up at once; those beyond are counted (watch_overflow) and no event tells of them [default: 65536]
    #[arg(long, value_name = "N", value_parser = units::count, requires = "enter", help_heading = "Output")]
    pub watch: Option<u64>,
    /// Write only these columns instead of score and record: key (one column a part), time, score, delta, record
    ///
    /// With --enter: time, state, key, score, until. They are separated by tabs; a tab, newline or backslash inside a value
    /// is escaped, an empty value is -. Records without the key are left out.
    #[arg(long, value_name = "COLUMN[,COLUMN]", help_heading = "Output")]
    pub print: Option<String>,
    /// Digits of a score behind the point [default: 3]
    #[arg(long, value_name = "N", value_parser = parse_decimals, help_heading = "Output", allow_hyphen_values = true)]
    pub decimals: Option<u8>,

    #[command(flatten)]
    pub memory: SketchArguments,
    #[command(flatten)]
    pub run: RunArguments,
    #[command(flatten)]
    pub shape: ShapeArguments,
    /// How the cells of a key make its score [default: min; middle where scores may fall below 0]
    #[arg(long, value_name = "NAME", help_heading = "For those who know the sketch")]
    pub aggregate: Option<AggregateName>,
    #[command(flatten)]
    pub generations: GenerationArguments,
}

fn parse_decimals(text: &str) -> Result<u8, String> {
    let decimals = text.parse().ok().filter(|decimals| *decimals <= MOST_DECIMALS);
    decimals.ok_or_else(|| format!("`{text}` is no number of digits from 0 to {MOST_DECIMALS}"))
}

/// `--aggregate`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AggregateName {
    /// The least: a key's score is over-estimated only where all its cells are shared
    Min,
    /// The greatest
    Max,
    /// The mean
    Mean,
    /// The mean of the two in the middle
    Middle,
}
