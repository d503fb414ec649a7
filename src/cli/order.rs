//! In which order files are read: as given, or the oldest first.

use super::config::{StampConfig, StreamConfig};
use super::diag::Diag;
use super::record::framing::Framing;
use super::record::preview::preview;
use super::source::peek;
use super::timestamp::{NoYear, Stamp, StampOptions, StampReader, YearRule};
use grudge::time::{NANOS_PER_SECOND, Span, Timestamp};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::UNIX_EPOCH;

/// Bytes of a file's start in which its first stamp is looked for.
const PEEK_BYTES: usize = 64 << 10;

/// How years are added to stamps without one in a run that begins with `file`.
pub fn years(stamps: Option<&StampConfig>, file: Option<&OsStr>) -> Result<YearRule, String> {
    let (options, year) = match stamps {
        Some(stamps) => (stamps.options.clone(), stamps.year),
        None => (StampOptions::default(), None),
    };
    Ok(StampReader::new(options)?.year_rule(year, file.and_then(latest_in)))
}

/// The files in the order they are to be read in; a word where that is not the order of their times.
pub fn in_order(
    config: &StreamConfig,
    files: Vec<OsString>,
    by_time: bool,
    diag: &Diag,
) -> Result<Vec<OsString>, String> {
    let Some(stamps) = &config.stamps else {
        return if by_time {
            Err("--by-time needs to know where the time stands: add -t or -T, or what needs a time, such as --ttl"
                .to_owned())
        } else {
            Ok(files)
        };
    };
    if files.len() < 2 {
        return Ok(files);
    }
    // With --year the years go on from file to file; without, each file was last changed in one.
    let from_year = years(Some(stamps), None)?;
    let mut previous = None;
    let date = |file: &OsStr, stamp: NoYear| {
        let rule = if stamps.year.is_none() { years(Some(stamps), Some(file)).ok() } else { None };
        let dated = rule.unwrap_or_else(|| from_year.clone()).resolve(stamp, previous);
        previous = stamps.year.and(Some(dated));
        dated
    };
    let beginnings = beginnings(&files, config, date);
    if by_time {
        return Ok(oldest_first(beginnings));
    }
    if let Some((earlier, later)) = out_of_order(&beginnings) {
        diag.warning(format_args!(
            "{} begins before {}: files are read in the order given; --by-time reads the oldest first",
            later.file.to_string_lossy(),
            earlier.file.to_string_lossy(),
        ));
    }
    Ok(files)
}

/// A file and the time it begins with, where that can be told before it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Beginning {
    file: OsString,
    first: Option<Timestamp>,
}

/// When each file begins, `date` adding years to the stamps of a file, in the order of the files. Only regular files can be
/// looked into before their turn: what is read from a pipe is gone.
fn beginnings(
    files: &[OsString],
    config: &StreamConfig,
    mut date: impl FnMut(&OsStr, NoYear) -> Timestamp,
) -> Vec<Beginning> {
    let mut first = |file: &OsStr| {
        // What is read from stdin cannot be read again.
        let regular = file != "-" && Path::new(file).metadata().is_ok_and(|file| file.is_file());
        let start = if regular { peek(file, PEEK_BYTES, |_| false)? } else { return None };
        // A reader for each file: none of them decides anything for another.
        let mut framing = Framing::new(config.cut.framing.clone());
        let mut first = None;
        // What cannot be read the run will tell of.
        let _ = preview(&file.to_string_lossy(), &start, &mut framing, &mut config.reader(), |piece| {
            first = piece.records.stamps.iter().find_map(|stamp| match stamp {
                Stamp::At(first) => Some(*first),
                Stamp::NoYear(stamp) => Some(date(file, *stamp)),
                Stamp::None | Stamp::Bad => None,
            });
            first.is_none()
        });
        first
    };
    files.iter().map(|file| Beginning { file: file.clone(), first: first(file) }).collect()
}

/// The first pair of files of which the later one begins earlier.
fn out_of_order(beginnings: &[Beginning]) -> Option<(&Beginning, &Beginning)> {
    let mut dated = beginnings.iter().filter(|beginning| beginning.first.is_some());
    let mut latest = dated.next()?;
    for beginning in dated {
        if beginning.first < latest.first {
            return Some((latest, beginning));
        }
        latest = beginning;
    }
    None
}

/// The files, the oldest first; those without a beginning stay where they are.
fn oldest_first(mut beginnings: Vec<Beginning>) -> Vec<OsString> {
    let places: Vec<usize> = (0..beginnings.len()).filter(|index| beginnings[*index].first.is_some()).collect();
    let mut dated: Vec<Beginning> = places.iter().map(|index| beginnings[*index].clone()).collect();
    dated.sort_by_key(|beginning| beginning.first);
    for (place, beginning) in places.into_iter().zip(dated) {
        beginnings[place] = beginning;
    }
    beginnings.into_iter().map(|beginning| beginning.file).collect()
}

/// The instant after which no record of a file can lie: a day after it was last changed, for clocks and zones.
pub fn latest_in(file: &OsStr) -> Option<Timestamp> {
    const SLACK: Span = Span::from_seconds(86_400);
    let changed = Path::new(file).metadata().ok().filter(|file| file.is_file())?.modified().ok()?;
    let seconds = changed.duration_since(UNIX_EPOCH).ok()?.as_secs().try_into().unwrap_or(i64::MAX / NANOS_PER_SECOND);
    Some(Timestamp::from_seconds(seconds, 0).plus(SLACK))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beginning(file: &str, first: Option<i64>) -> Beginning {
        Beginning { file: file.into(), first: first.map(Timestamp::from_nanos) }
    }

    #[test]
    fn the_oldest_comes_first_and_the_undated_stay() {
        let files = [beginning("c", Some(3)), beginning("-", None), beginning("a", Some(1)), beginning("b", Some(2))];
        assert_eq!(oldest_first(files.to_vec()), ["a", "-", "b", "c"]);
        assert_eq!(out_of_order(&files), Some((&files[0], &files[2])));
        assert_eq!(out_of_order(&files[2..]), None);
        assert_eq!(out_of_order(&files[1..2]), None);
    }
}
