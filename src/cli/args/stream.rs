//! What every verb that reads a stream can be told.

use super::super::record::mask::Masks;
use super::super::stats::{Condition, Layout};
use super::super::units::{self, Length};
use clap::{Args, ValueEnum};
use grudge::hash::Algorithm;
use grudge::watermark::MaxJump;
use std::ffi::OsString;
use std::num::NonZeroUsize;

/// How records are read.
#[derive(Debug, Args)]
pub struct RecordArguments {
    #[command(flatten)]
    pub input: InputArguments,
    #[command(flatten)]
    pub key: KeyArguments,
    #[command(flatten)]
    pub time: TimeArguments,
}

/// What becomes of those that are not judged, and how the run goes.
#[derive(Debug, Args)]
pub struct RunArguments {
    #[command(flatten)]
    pub sift: SiftArguments,
    #[command(flatten)]
    pub policy: PolicyArguments,
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
    /// How records are to be read [default: auto]
    ///
    /// auto: a field of -k or -t that starts with a dot decides (json), else -d (lines), else a file's name (.csv, .tsv),
    /// else the first of a file's first 100 records that is a JSON object, an access-log line or a #Fields heading; without
    /// any they are what the file before was, or plain lines. Files compressed by gzip or zstd are known by their content.
    #[arg(short = 'i', long = "input", value_name = "FORMAT")]
    pub format: Option<FormatName>,
    /// A table (csv, tsv) has no header; its columns have numbers only
    #[arg(long)]
    pub no_header: bool,
    /// A line without a stamp at its start, or that does not match REGEX, belongs to the record before it
    ///
    /// Key and time are those of the first line; the others follow its verdict at once.
    #[arg(long, value_name = "REGEX", num_args = 0..=1, require_equals = true)]
    pub multiline: Option<Option<String>>,
    /// Read the file with the oldest first stamp first, and so on
    #[arg(long)]
    pub by_time: bool,
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FormatName {
    /// Found out from the options and the first records
    Auto,
    /// Plain lines
    Lines,
    /// Access log, combined: the fields ip ident user time method path protocol status bytes referer agent
    Combined,
    /// Access log, common: the same without referer and agent
    Common,
    /// A JSON object a line, perhaps behind other text: user, .user.id, .list[0], ."a name"
    Json,
    /// JSON values one after the other, over several lines or several on one
    JsonStream,
    /// Comma-separated values (or by -d) below a header: columns by name or number
    Csv,
    /// Tab-separated values, the same
    Tsv,
    /// name=value pairs
    Logfmt,
    /// System logs, RFC 3164 and 5424: priority facility severity version time host app pid msgid data message
    Syslog,
    /// Logs whose #Fields line names the fields: IIS, CloudFront, Zeek
    W3c,
    /// Container logs of containerd: time stream flag message, and .paths into a JSON message
    Cri,
    /// Logs of Kubernetes' own programs: level time thread file line message
    Klog,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Key")]
pub struct KeyArguments {
    /// Key by these fields: numbers, counted from 1 as awk does, names of the format (ip, path; a column; a JSON name) or
    /// paths in JSON (.user.id); several (1,3 or -k 1 -k 3) make one key
    ///
    /// --explain shows what the fields are called. Without -k and -K the key is the whole record; where time counts
    /// (--ttl, --half-life, --drain, --rate, -t) and with --mask, the whole record without its time.
    #[arg(short = 'k', long = "key", value_name = "FIELD[,FIELD]", conflicts_with = "key_regex")]
    pub key: Vec<String>,
    /// Key by what this pattern's groups match, or its whole match when it has none
    ///
    /// A group that took no part is left out: a(x)|b(y) has one part whichever side matched.
    #[arg(short = 'K', long, value_name = "REGEX")]
    pub key_regex: Option<String>,
    /// Fields are separated by this one byte (\t is a tab) instead of runs of blanks
    #[arg(short = 'd', long, value_name = "BYTE")]
    pub delimiter: Option<String>,
    /// Key by the whole record without these fields
    #[arg(long, value_name = "FIELD[,FIELD]", conflicts_with_all = ["key", "key_regex"])]
    pub ignore: Vec<String>,
    /// Take parts of the key for alike: num, hex, uuid, ip, time (all is these five), quoted, query
    ///
    /// Each is replaced by a placeholder, so that lines that differ in numbers and the like are of one kind. query is what
    /// follows the ? of a URL.
    #[arg(long, value_name = "MASK[,MASK]", value_parser = Masks::parse)]
    pub mask: Option<Masks>,
    /// A JSON string is another key than a number of the same digits
    #[arg(long)]
    pub typed_keys: bool,
    /// Upper and lower case are one key
    #[arg(long)]
    pub ignore_case: bool,
    /// The time is part of a key that is the whole record, where time counts too
    #[arg(long)]
    pub key_time: bool,
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
    /// The time is what this pattern's groups match, joined by a blank, or its whole match
    #[arg(short = 'T', long, value_name = "REGEX", conflicts_with = "time")]
    pub time_regex: Option<String>,
    /// How stamps are written: a strftime format such as '%d.%m.%Y %H:%M:%S', or the unit of a number: s, ms, us, ns
    #[arg(long, value_name = "FORMAT")]
    pub time_format: Option<String>,
    /// The zone of stamps that name none: UTC, +02:00, America/New_York [default: UTC]
    #[arg(long, value_name = "ZONE", allow_hyphen_values = true)]
    pub tz: Option<String>,
    /// The year of the first stamp that has none [default: the latest one not after the file's last change]
    #[arg(long, value_name = "YEAR", value_parser = parse_year)]
    pub year: Option<i32>,
    /// How far a single stamp may lie ahead of all before it and be believed [default: auto]
    ///
    /// auto: what the stamps so far make likely, at least a day, or what is measured. A stamp further ahead is counted (future) and
    /// judged at the clock as it stands; eight in a row are believed.
    #[arg(long, value_name = "DURATION|off|auto", value_parser = JumpLimit::parse)]
    pub max_jump: Option<JumpLimit>,
    /// What time is measured by [default: event, or count where a number of records was given]
    #[arg(long, value_name = "CLOCK")]
    pub clock: Option<ClockName>,
}

/// `--max-jump`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JumpLimit(pub MaxJump);

impl JumpLimit {
    fn parse(text: &str) -> Result<JumpLimit, String> {
        match text {
            "off" => Ok(JumpLimit(MaxJump::Off)),
            "auto" => Ok(JumpLimit(MaxJump::Auto)),
            text => match units::length(text)? {
                Length::Time(span) => Ok(JumpLimit(MaxJump::Fixed(span))),
                Length::Records(_) => Err(format!("`{text}` is a number of records; wanted is a time such as 1d")),
            },
        }
    }
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
#[command(next_help_heading = "Records left alone")]
pub struct SiftArguments {
    /// Pass every record whose key is a line of this file (a composite key's parts separated by tabs)
    #[arg(long, value_name = "FILE")]
    pub exempt: Option<OsString>,
    /// Judge only the records that match; the others pass
    #[arg(long, value_name = "REGEX")]
    pub only: Option<String>,
    /// Judge all records but those that match; these pass
    #[arg(long, value_name = "REGEX")]
    pub except: Option<String>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Records that do not fit")]
pub struct PolicyArguments {
    /// A broken record (too long, no JSON, with a stamp that cannot be read) [default: pass; skip with -v]
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
    ///
    /// A compressed file is decompressed on one more.
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<NonZeroUsize>,
}

fn parse_threads(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number of threads; wanted is one from 1 up"))
}

fn parse_year(text: &str) -> Result<i32, String> {
    text.parse().map_err(|_| format!("`{text}` is not a year; wanted is one such as 2026"))
}

impl TimeArguments {
    /// Whether it was not said where the time stands.
    pub fn is_none(&self) -> bool {
        self.time.is_empty() && self.time_regex.is_none()
    }
}

impl RunArguments {
    /// Whether warnings are unwanted.
    pub fn quiet(&self) -> bool {
        self.report.quiet
    }
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
    /// The counts as JSON into this file
    #[arg(long, value_name = "FILE")]
    pub stats_file: Option<OsString>,
    /// Say what would be done and what the fields of the first record are, and do nothing
    #[arg(long)]
    pub explain: bool,
    /// Exit with status 1 when a count of --stats holds: late, 'dropped>=5'
    #[arg(long, value_name = "NAME[OP N]", value_parser = Condition::parse)]
    pub fail_if: Vec<Condition>,
    /// No warnings; errors only
    #[arg(short = 'q', long)]
    pub quiet: bool,
}
