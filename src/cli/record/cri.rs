//! The fields of a container's line as Kubernetes stores it (containerd and CRI-O write the same):
//!
//! ```text
//! 2024-01-01T00:00:00.123456789Z stdout F message
//! time                           stream flag message
//! ```
//!
//! The form is exact, and so is the reading: a date and a time of day in front, `stdout` or `stderr`, a flag, one blank
//! between each. Any other line has none of the fields. The *flag* is `F` for a line that ends a record and `P` for a
//! piece that the next line goes on with (runtimes cut at 16 KiB); more tags may follow it behind colons. The *message*
//! is all behind the next blank; it may be empty, and then that blank may be missing, as trailing blanks often get lost.

use super::content;
use super::found::{Found, Place};
use super::named::named_fields;
use grudge::lines::find_ends;
use memchr::{memchr, memchr_iter};
use std::ops::Range;

named_fields! {
    /// A field of a container's line.
    CriField {
        Time: "time",
        Stream: "stream",
        Flag: "flag",
        Message: "message",
    }
}

/// Finds these fields of a record that comes without its terminator. Where it came in pieces the time, the stream and the
/// flag are those of the first, the message is that of all.
pub fn fields(record: &[u8], fields: &[CriField], found: &mut Found) {
    found.restart(fields.len());
    let Some(outline) = Outline::read(record) else { return };
    let is_whole = memchr(b'\n', &record[outline.message..]).is_none();
    for (field, place) in fields.iter().zip(&mut found.places) {
        let mut at = Place::plain(outline.range(*field, record));
        if *field == CriField::Message && !is_whole {
            let start = found.scratch.len();
            join_messages(record, &mut found.scratch);
            at.decoded = Some(start..found.scratch.len());
        }
        *place = Some(at);
    }
}

/// Where the message begins.
pub fn message_start(record: &[u8]) -> Option<usize> {
    Outline::read(record).map(|outline| outline.message)
}

/// Whether the line is a piece (flag `P`) whose record goes on with the next line.
pub fn is_partial(record: &[u8]) -> bool {
    Outline::read(record).is_some_and(|outline| record[outline.flag.start] == b'P')
}

/// Adds the end of each record of `block` to `ends`: pieces of one stream that follow each other are one record.
pub fn find_record_ends(block: &[u8], ends: &mut Vec<u32>) {
    let first = ends.len();
    find_ends(block, b'\n', ends);
    let (mut start, mut kept) = (0, first);
    for index in first..ends.len() {
        let end = ends[index] as usize;
        let next = ends.get(index + 1).map(|next| &block[end..*next as usize]);
        if !next.is_some_and(|next| goes_on(&block[start..end], next)) {
            ends[kept] = ends[index];
            kept += 1;
        }
        start = end;
    }
    ends.truncate(kept);
}

/// Whether a line is a piece that the next one goes on with.
fn goes_on(line: &[u8], next: &[u8]) -> bool {
    let [line, next] = [line, next].map(|line| content(line, b'\n'));
    let Some(piece) = Outline::read(line).filter(|outline| line[outline.flag.start] == b'P') else { return false };
    Outline::read(next).is_some_and(|outline| next[outline.stream] == line[piece.stream])
}

/// Adds the messages of the pieces of a record to `joined`.
pub fn join_messages(record: &[u8], joined: &mut Vec<u8>) {
    for line in record.split(|byte| *byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        joined.extend_from_slice(&line[message_start(line).unwrap_or_default()..]);
    }
}

/// Adds what stands between the messages of a record's pieces to `ranges`: newlines, times, streams and flags.
pub fn joints(record: &[u8], ranges: &mut Vec<Range<usize>>) {
    for newline in memchr_iter(b'\n', record) {
        let begin = newline - usize::from(newline > 0 && record[newline - 1] == b'\r');
        let message = message_start(&record[newline + 1..]).unwrap_or_default();
        ranges.push(begin..newline + 1 + message);
    }
}

/// Where each field of a line is.
struct Outline {
    time_end: usize,
    stream: Range<usize>,
    flag: Range<usize>,
    message: usize,
}

/// How the time begins: `d` stands for a digit, everything else for itself.
const TIME: &[u8; 19] = b"dddd-dd-ddTdd:dd:dd";
/// Both streams have names of this length.
const STREAM_BYTES: usize = 6;
/// The longest fraction and zone behind [`TIME`] that is looked at: nanoseconds and an offset, with room to spare.
const MAX_TIME_REST: usize = 24;

impl Outline {
    #[inline(always)]
    fn read(record: &[u8]) -> Option<Outline> {
        let rest = record.get(TIME.len()..)?;
        let rest = &rest[..rest.len().min(MAX_TIME_REST)];
        let time_end = TIME.len() + memchr(b' ', rest)?;
        let stream = time_end + 1..time_end + 1 + STREAM_BYTES;
        let name = record.get(stream.clone())?;
        let starts = record.iter().zip(TIME).all(|(byte, pattern)| match pattern {
            b'd' => byte.is_ascii_digit(),
            _ => byte == pattern,
        });
        if !starts || !matches!(name, b"stdout" | b"stderr") {
            return None;
        }
        let [b' ', b'F' | b'P', rest @ ..] = &record[stream.end..] else { return None };
        let flag_start = stream.end + 1;
        let flag_end = match rest {
            [] | [b' ', ..] => flag_start + 1,
            [b':', tags @ ..] => flag_start + 2 + memchr(b' ', tags).unwrap_or(tags.len()),
            _ => return None,
        };
        let message = record.len().min(flag_end + 1);
        Some(Outline { time_end, stream, flag: flag_start..flag_end, message })
    }

    fn range(&self, field: CriField, record: &[u8]) -> Range<usize> {
        match field {
            CriField::Time => 0..self.time_end,
            CriField::Stream => self.stream.clone(),
            CriField::Flag => self.flag.clone(),
            CriField::Message => self.message..record.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LINE: &str = "2024-01-01T00:00:00.123456789Z stdout F message of words";

    fn texts(record: &str) -> Vec<Option<String>> {
        let mut found = Found::default();
        fields(record.as_bytes(), &CriField::ALL, &mut found);
        let text = |part| Some(String::from_utf8(found.text(record.as_bytes(), part)?.to_vec()).unwrap());
        (0..CriField::ALL.len()).map(text).collect()
    }

    fn check(record: &str, expected: [&str; 4]) {
        assert_eq!(texts(record), expected.map(|text| Some(text.to_owned())), "{record}");
        assert_eq!(message_start(record.as_bytes()), Some(record.len() - expected[3].len()), "{record}");
    }

    #[test]
    fn a_line_has_all_of_its_fields() {
        check(LINE, ["2024-01-01T00:00:00.123456789Z", "stdout", "F", "message of words"]);
        check("2024-01-01T00:00:00+02:00 stderr P  a ", ["2024-01-01T00:00:00+02:00", "stderr", "P", " a "]);
        check("2024-01-01T00:00:00Z stdout F ", ["2024-01-01T00:00:00Z", "stdout", "F", ""]);
        check("2024-01-01T00:00:00Z stdout F", ["2024-01-01T00:00:00Z", "stdout", "F", ""]);
        check("2024-01-01T00:00:00Z stdout P:a:b m", ["2024-01-01T00:00:00Z", "stdout", "P:a:b", "m"]);
        check("2024-01-01T00:00:00Z stdout F:a", ["2024-01-01T00:00:00Z", "stdout", "F:a", ""]);
    }

    #[test]
    fn any_other_line_has_none_of_them() {
        for record in [
            "",
            "2024-01-01T00:00:00Z",
            "2024-01-01T00:00:00Z stdout",
            "2024-01-01T00:00:00Z stdout ",
            "2024-01-01T00:00:00Z stdlog F m",
            "2024-01-01T00:00:00Z stdout X m",
            "2024-01-01T00:00:00Z stdout FULL m",
            "2024-01-01T00:00:00Z stdout  F m",
            "2024-01-01 00:00:00 stdout F m",
            "x024-01-01T00:00:00Z stdout F m",
            "2024-01-01T00:00:00.0000000000000000000000000000000Z stdout F m",
            " 2024-01-01T00:00:00Z stdout F m",
        ] {
            assert_eq!(texts(record), [None, None, None, None], "{record}");
            assert_eq!((message_start(record.as_bytes()), is_partial(record.as_bytes())), (None, false), "{record}");
        }
    }

    #[test]
    fn only_the_flag_says_that_a_line_is_a_piece() {
        assert!(is_partial(b"2024-01-01T00:00:00Z stdout P m"));
        assert!(is_partial(b"2024-01-01T00:00:00Z stdout P:a m"));
        assert!(!is_partial(b"2024-01-01T00:00:00Z stdout F P m"));
    }

    #[test]
    fn pieces_of_one_stream_are_one_record_and_their_messages_one() {
        let pieces = "2024-01-01T00:00:00Z stdout P be\n2024-01-01T00:00:01Z stdout F gin\n";
        let block = format!("{pieces}2024-01-01T00:00:02Z stdout P x\n2024-01-01T00:00:02Z stderr F y\n{LINE}\n");
        let mut ends = Vec::new();
        find_record_ends(block.as_bytes(), &mut ends);
        let lines: Vec<usize> = block.match_indices('\n').map(|(at, _)| at + 1).collect();
        assert_eq!(ends, [lines[1], lines[2], lines[3], lines[4]].map(|end| end as u32));
        let record = &pieces[..pieces.len() - 1];
        assert_eq!(texts(record), ["2024-01-01T00:00:00Z", "stdout", "P", "begin"].map(|text| Some(text.to_owned())));
        let mut ranges = Vec::new();
        joints(record.as_bytes(), &mut ranges);
        assert_eq!(
            ranges.iter().map(|range| &record[range.clone()]).collect::<Vec<_>>(),
            ["\n2024-01-01T00:00:01Z stdout F "]
        );
    }

    #[test]
    fn fields_come_in_the_order_they_are_asked_for() {
        let mut found = Found::default();
        fields(LINE.as_bytes(), &[CriField::Flag, CriField::Time, CriField::Flag], &mut found);
        assert_eq!(found.places[0], Some(Place::plain(38..39)));
        assert_eq!(found.places[1], Some(Place::plain(0..30)));
        assert_eq!(found.places[2], found.places[0]);
    }

    proptest! {
        #[test]
        fn splitting_at_blanks_finds_the_same(
            zone in "(\\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})",
            stream in "std(out|err)",
            flag in "[FP](:[a-z]{0,3}){0,2}",
            message in "[ -~é]{0,20}",
        ) {
            let line = format!("2024-01-01T00:00:00{zone} {stream} {flag} {message}");
            let twin: Vec<_> = line.splitn(4, ' ').map(|text| Some(text.to_owned())).collect();
            prop_assert_eq!(texts(&line), twin);
            prop_assert_eq!(is_partial(line.as_bytes()), flag.starts_with('P'));
        }

        #[test]
        fn damaged_lines_do_not_panic(
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
            cut in any::<prop::sample::Index>(),
        ) {
            let mut bytes = LINE.as_bytes().to_vec();
            for (index, byte) in changes {
                let position = index.index(bytes.len());
                bytes[position] = byte;
            }
            bytes.truncate(cut.index(LINE.len() + 1));
            let start = message_start(&bytes);
            prop_assert!(start.is_none_or(|start| start <= bytes.len()));
        }
    }
}
