//! What is wrong with a command line, in one line: what was found, what was wanted, what to do.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::error::Error;
use std::path::Path;

/// Flags that people type from habit, and what they are called here.
const HABITS: [(&str, &str); 5] = [
    ("-f", "fields are named by -k, the byte between them by -d"),
    ("-F", "the byte between fields is named by -d, a pattern for the key by -K"),
    ("-u", "each key once is what dedup passes, and with -v the repeats"),
    ("-n", "a key by the number of its field is -k"),
    ("-s", "no sorted input is needed; fields are named by -k"),
];

/// What formats are called elsewhere, and here.
const FORMATS: [(&str, &str); 18] = [
    ("jsonl", "json"),
    ("ndjson", "json"),
    ("apache", "combined"),
    ("nginx", "combined"),
    ("iis", "w3c"),
    ("zeek", "w3c"),
    ("text", "lines"),
    ("line", "lines"),
    ("plain", "lines"),
    ("txt", "lines"),
    ("log", "lines"),
    ("containerd", "cri"),
    ("k8s", "cri"),
    ("kubernetes", "cri"),
    ("docker", "json"),
    ("journald", "json"),
    ("glog", "klog"),
    ("clf", "common"),
];

/// The message for a command line that clap refuses.
pub fn explain(error: &clap::Error) -> String {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        Some(ContextValue::Strings(texts)) => Some(texts.join(", ")),
        _ => None,
    };
    let argument = context(ContextKind::InvalidArg).unwrap_or_default();
    let value = context(ContextKind::InvalidValue).unwrap_or_default();
    match error.kind() {
        ErrorKind::UnknownArgument if !has_verb() => {
            let typed: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into()).collect();
            format!("there is no verb before {argument}: try grudge dedup {}", typed.join(" "))
        }
        ErrorKind::UnknownArgument => unknown_flag(&argument, context(ContextKind::SuggestedArg)),
        ErrorKind::InvalidSubcommand => {
            let word = context(ContextKind::InvalidSubcommand).unwrap_or_default();
            unknown_verb(&word, context(ContextKind::SuggestedSubcommand))
        }
        ErrorKind::ValueValidation => {
            let why = error.source().map(ToString::to_string).unwrap_or_default();
            format!("{}: {why}", flag_of(&argument))
        }
        ErrorKind::InvalidValue if value.is_empty() => format!("{} needs a value: {argument}", flag_of(&argument)),
        ErrorKind::InvalidValue if argument.starts_with("--input") => {
            if let Some((_, here)) = FORMATS.iter().find(|(elsewhere, _)| *elsewhere == value) {
                return format!("-i: `{value}` is called {here} here: -i {here}");
            }
            let valid = context(ContextKind::ValidValue).unwrap_or_default();
            // `uniq -i FILE` and `grep -i` mean something else.
            let habit =
                if Path::new(&value).exists() { "; letters of either case are one key with --ignore-case" } else { "" };
            format!("-i: `{value}` is none of {valid}{habit}")
        }
        ErrorKind::InvalidValue => {
            let valid = context(ContextKind::ValidValue).unwrap_or_default();
            format!("{}: `{value}` is none of {valid}", flag_of(&argument))
        }
        ErrorKind::MissingRequiredArgument if argument.contains("--rate") => {
            "wanted is a limit such as --rate 100/min, or --plan 10/min,100/min for what several would cut".to_owned()
        }
        ErrorKind::MissingRequiredArgument => format!("{argument} is wanted: --help tells what it may be"),
        ErrorKind::ArgumentConflict => {
            let other = context(ContextKind::PriorArg).unwrap_or_default();
            if other.is_empty() || other == argument {
                format!("{} is given twice; once is enough", flag_of(&argument))
            } else {
                format!("{} and {} cannot go together; choose one", flag_of(&argument), flag_of(&other))
            }
        }
        // What is left is rare; clap's own first line says it.
        _ => {
            let text = error.to_string();
            let line = text.lines().next().unwrap_or_default();
            line.strip_prefix("error: ").unwrap_or(line).to_owned()
        }
    }
}

/// Whether the first word typed may be a verb.
fn has_verb() -> bool {
    std::env::args_os().nth(1).is_some_and(|first| !first.to_string_lossy().starts_with('-'))
}

/// `--ttl <DURATION>` without its value's name.
fn flag_of(argument: &str) -> &str {
    argument.split([' ', '=', '[']).next().unwrap_or(argument)
}

fn unknown_flag(flag: &str, similar: Option<String>) -> String {
    let habit = HABITS.iter().find(|(name, _)| *name == flag).map(|(_, instead)| (*instead).to_owned());
    let instead = habit.or_else(|| similar.map(|similar| format!("did you mean {similar}?")));
    let way_out = instead.unwrap_or_else(|| "--help lists the flags; a file of that name is ./".to_owned() + flag);
    format!("{flag} is no flag of this verb: {way_out}")
}

fn unknown_verb(word: &str, similar: Option<String>) -> String {
    if word == "help" {
        return "help is a flag: grudge --help, or grudge dedup --help".to_owned();
    }
    if Path::new(word).exists() || word == "-" {
        return format!("{word} is a file: try grudge dedup {word}");
    }
    match similar {
        Some(similar) => format!("{word} is no verb: did you mean grudge {similar}?"),
        None => format!("{word} is neither a verb nor a file: grudge --help lists the verbs"),
    }
}
