//! The fields of a line of klog or glog, as Kubernetes' own programs and many C++ servers write them:
//!
//! ```text
//! I0304 10:00:00.123456    1234 main.go:42] message
//! level, then time         thread file  line message
//! ```
//!
//! - *level* is the letter: `I`, `W`, `E` or `F`. *time* is what stands right behind it: month and day (glog since 0.6
//!   writes the year before them), a blank, and a time of day with a fraction.
//! - *thread* is the number behind it; *file* is what follows, up to the last colon in front of the first `]`, and *line*
//!   the number behind that colon. *message* is all behind the `]` and one blank; it may be empty.
//!
//! A line that does not begin so has none of the fields: such logs have panics and other programs' lines among theirs.
//! A line that was cut has what it has whole: each field needs the byte that ends it.

use super::found::{Found, Place};
use super::named::named_fields;
use memchr::{memchr, memrchr};
use std::ops::Range;

named_fields! {
    /// A field of a line of klog.
    KlogField {
        Level: "level",
        Time: "time",
        Thread: "thread",
        File: "file",
        Line: "line",
        Message: "message",
    }
}

/// Finds these fields of a line that comes without its terminator.
pub fn fields(record: &[u8], fields: &[KlogField], found: &mut Found) {
    found.restart(fields.len());
    let outline = Outline::read(record);
    for (field, place) in fields.iter().zip(&mut found.places) {
        *place = outline[*field as usize].clone().map(Place::plain);
    }
}

/// The range of each field, in the order of [`KlogField::ALL`].
type Ranges = [Option<Range<usize>>; KlogField::ALL.len()];

/// The namespace of the steps that read a line.
struct Outline;

/// Month and day, and these behind a year.
const DATE_DIGITS: usize = 4;
const YEAR_AND_DATE_DIGITS: usize = 8;
/// The time of day: `d` stands for a digit, everything else for itself. A fraction follows.
const TIME: &[u8; 10] = b" dd:dd:dd.";

impl Outline {
    /// What there is, from the front.
    #[inline(always)]
    fn read(record: &[u8]) -> Ranges {
        let [mut level, mut time, mut thread, mut file, mut line, mut message] = Ranges::default();
        if let Some(end) = Outline::time_end(record) {
            level = Some(0..1);
            time = Some(1..end);
            let start = end + record[end..].iter().take_while(|byte| **byte == b' ').count();
            let end = digits_end(record, start);
            if end > start && record.get(end) == Some(&b' ') {
                thread = Some(start..end);
                let start = end + 1;
                if let Some(length) = memchr(b']', &record[start..]) {
                    let close = start + length;
                    (file, line) = Outline::source(record, start..close);
                    let blank = usize::from(record.get(close + 1) == Some(&b' '));
                    message = Some(close + 1 + blank..record.len());
                }
            }
        }
        [level, time, thread, file, line, message]
    }

    /// Where the time ends, if the line begins with a level and a time and a blank follows.
    #[inline(always)]
    fn time_end(record: &[u8]) -> Option<usize> {
        if !matches!(record.first()?, b'I' | b'W' | b'E' | b'F') {
            return None;
        }
        let date_end = digits_end(record, 1);
        let clock = record.get(date_end..date_end + TIME.len())?;
        let fits = clock.iter().zip(TIME).all(|(byte, pattern)| match pattern {
            b'd' => byte.is_ascii_digit(),
            _ => byte == pattern,
        });
        let fraction = date_end + TIME.len();
        let end = digits_end(record, fraction);
        let dated = matches!(date_end - 1, DATE_DIGITS | YEAR_AND_DATE_DIGITS);
        (fits && dated && end > fraction && record.get(end) == Some(&b' ')).then_some(end)
    }

    /// The file and the line that `range` names.
    #[inline(always)]
    fn source(record: &[u8], range: Range<usize>) -> (Option<Range<usize>>, Option<Range<usize>>) {
        let Some(colon) = memrchr(b':', &record[range.clone()]) else { return (None, None) };
        let colon = range.start + colon;
        let is_number = colon + 1 < range.end && digits_end(record, colon + 1) == range.end;
        if colon > range.start && is_number {
            (Some(range.start..colon), Some(colon + 1..range.end))
        } else {
            (None, None)
        }
    }
}

/// Where the digits end that begin at `start`.
#[inline(always)]
fn digits_end(record: &[u8], start: usize) -> usize {
    start + record[start..].iter().take_while(|byte| byte.is_ascii_digit()).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LINE: &str = "I0304 10:00:00.123456    1234 main.go:42] message ] of words";

    fn texts(record: &str) -> Vec<Option<String>> {
        let mut found = Found::default();
        fields(record.as_bytes(), &KlogField::ALL, &mut found);
        let text = |part| Some(String::from_utf8(found.text(record.as_bytes(), part)?.to_vec()).unwrap());
        (0..KlogField::ALL.len()).map(text).collect()
    }

    /// The fields that are there, without those behind them.
    fn check(record: &str, expected: &[&str]) {
        let mut all: Vec<_> = expected.iter().map(|text| Some((*text).to_owned())).collect();
        all.resize(KlogField::ALL.len(), None);
        assert_eq!(texts(record), all, "{record}");
    }

    #[test]
    fn a_line_has_all_of_its_fields() {
        let time = "0304 10:00:00.123456";
        check(LINE, &["I", time, "1234", "main.go", "42", "message ] of words"]);
        check("E0304 10:00:00.123456 1 a/b.cc:7] ", &["E", time, "1", "a/b.cc", "7", ""]);
        check("W0304 10:00:00.123456 1 C:\\a.cc:7]", &["W", time, "1", "C:\\a.cc", "7", ""]);
        check("F0304 10:00:00.123456       1 a b.go:7]  m", &["F", time, "1", "a b.go", "7", " m"]);
        check("I20260304 10:00:00.123456 1 a.cc:7] m", &["I", "20260304 10:00:00.123456", "1", "a.cc", "7", "m"]);
    }

    #[test]
    fn a_line_that_was_cut_has_what_it_has_whole() {
        check("I0304 10:00:00.123456    1234 main.go:42", &["I", "0304 10:00:00.123456", "1234"]);
        check("I0304 10:00:00.123456    12", &["I", "0304 10:00:00.123456"]);
        check("I0304 10:00:00.123456 ", &["I", "0304 10:00:00.123456"]);
        check("I0304 10:00:00.123456", &[]);
    }

    #[test]
    fn any_other_line_has_none_of_them() {
        for record in [
            "",
            "I",
            "I0304",
            "X0304 10:00:00.123456 1 a.go:7] m",
            "i0304 10:00:00.123456 1 a.go:7] m",
            "I304 10:00:00.123456 1 a.go:7] m",
            "I00304 10:00:00.123456 1 a.go:7] m",
            "I0304 10:00:00 1 a.go:7] m",
            "I0304 10:00:00. 1 a.go:7] m",
            "I0304T10:00:00.123456 1 a.go:7] m",
            " I0304 10:00:00.123456 1 a.go:7] m",
            "goroutine 1 [running]:",
        ] {
            check(record, &[]);
        }
    }

    #[test]
    fn a_source_without_a_line_is_none_but_its_message_is_there() {
        for source in ["main.go", "main.go:", ":42", "main.go:4x", "", ":"] {
            let record = format!("I0304 10:00:00.123456 1 {source}] m");
            let mut expected = ["I", "0304 10:00:00.123456", "1", "", "", "m"].map(|text| Some(text.to_owned()));
            (expected[3], expected[4]) = (None, None);
            assert_eq!(texts(&record), expected, "{record}");
        }
    }

    #[test]
    fn fields_come_in_the_order_they_are_asked_for() {
        let mut found = Found::default();
        fields(LINE.as_bytes(), &[KlogField::Line, KlogField::Level, KlogField::Line], &mut found);
        assert_eq!(found.places[0], Some(Place::plain(38..40)));
        assert_eq!(found.places[1], Some(Place::plain(0..1)));
        assert_eq!(found.places[2], found.places[0]);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            level in "[IWEF]",
            time in "([0-9]{4})?[0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{1,9}",
            thread in "[0-9]{1,9}",
            file in "[a-z:_./]{1,9}",
            line in "[0-9]{1,5}",
            message in "[ -~é]{0,20}",
        ) {
            let record = format!("{level}{time} {thread:>7} {file}:{line}] {message}");
            prop_assert_eq!(texts(&record), [level, time, thread, file, line, message].map(Some));
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
            let mut found = Found::default();
            fields(&bytes, &KlogField::ALL, &mut found);
            let ends = found.places.iter().flatten().map(|place| place.raw.end);
            prop_assert!(ends.clone().is_sorted() && ends.max().is_none_or(|end| end <= bytes.len()));
        }
    }
}
