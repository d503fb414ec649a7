//! Which fields of a record may have its time: for messages that say where it might be.

use super::record::fields::{Fields, Separator};
use super::record::format::Format;
use super::record::list;
use super::record::time::LIKELY_EPOCH;
use super::timestamp::{Form, Stamp, StampReader};

/// More would not help anybody.
const ENOUGH: usize = 3;

/// The fields of `record`, one or two joined, that can be read as a time: as one would type them.
pub fn likely_times(format: &Format, separator: Separator, record: &[u8], stamps: &StampReader) -> Vec<String> {
    let is_time = |text: &[u8]| {
        let mut reader = stamps.clone();
        match reader.field(text) {
            // A small number is a status or a size.
            Stamp::At(time) => !matches!(reader.form(), Some(Form::Epoch(None))) || time >= LIKELY_EPOCH,
            Stamp::NoYear(_) => true,
            _ => false,
        }
    };
    if *format != Format::Lines {
        let mut likely: Vec<String> = Vec::new();
        list(format, separator, record, |name, value| {
            // Numbers of fields are for where there are no names.
            if name.parse::<usize>().is_err() && is_time(value) {
                likely.push(name.to_owned());
            }
        });
        // A number of an account may look like a time; the name of a time looks like nothing else.
        likely.sort_by_key(|name| !tells_of_time(name));
        return likely.iter().take(ENOUGH).map(|name| format!("-t {}", quoted(name))).collect();
    }
    let fields: Vec<_> = Fields::new(record, separator).collect();
    let single = |index: usize| is_time(&record[fields[index].clone()]).then(|| format!("-t {}", index + 1));
    let joined = |index: usize| {
        let pair = [&record[fields[index].clone()], &record[fields.get(index + 1)?.clone()]].join(&b' ');
        is_time(&pair).then(|| format!("-t {},{}", index + 1, index + 2))
    };
    // A pair says more than its halves: a date and a time of day, a stamp and its offset.
    (0..fields.len()).filter_map(|index| joined(index).or_else(|| single(index))).take(ENOUGH).collect()
}

/// Whether a field's name is one that a time may have.
fn tells_of_time(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let last = name.rsplit('.').next().unwrap_or_default();
    last == "ts" || ["time", "date", "stamp"].iter().any(|word| last.contains(word))
}

/// A name as a shell takes it.
pub fn quoted(name: &str) -> String {
    let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-@/:".contains(&byte));
    if is_plain { name.to_owned() } else { format!("'{name}'") }
}
