//! Records that are values one after the other, wherever their lines end: pretty-printed ones, and ones without newlines.
//!
//! ```text
//! {            }
//!   "a": 1     }  one record, through the newline behind it
//! }            }
//! {"a":2}{"a":3}  two
//! text        one: what is no object or array goes to the end of its line
//! web | {"a":4}   one: text in front of a value goes with it
//! ```
//!
//! Only brackets and quotes are looked at, so that what is wrong in a record is found where it is read. A newline in a
//! string is such a wrong: it ends the record, so that one that was cut short does not swallow all behind it.
//!
//! A value at the very end is whole only when something stands behind it: the newline that ends its line may be to come.

use super::masks::{Masks, STRIDE, Strings};
use super::scan::is_blank;
use grudge::lines::equal_bytes;

/// Cuts a stream of values.
#[derive(Debug, Clone, Default)]
pub struct Cutter {
    split: Split,
}

impl Cutter {
    pub fn new() -> Cutter {
        Cutter::default()
    }

    /// Back at a record's start, at the start of what is held.
    pub fn restart(&mut self) {
        self.split = Split::default();
    }

    /// The end of the last whole value in `held`, and of the blanks behind it through the newline that ends its line.
    /// What was looked at in calls before is not looked at again, unless a value was whole then.
    pub fn whole(&mut self, held: &[u8]) -> Option<usize> {
        let mut last = None;
        self.split.run(held, &mut |end| last = Some(end));
        if last.is_some() {
            self.restart();
        }
        last
    }
}

/// Adds the end of every value in a block that a [`Cutter`] cut, and of the blanks behind it through the newline that
/// ends its line.
pub fn find_value_ends(block: &[u8], ends: &mut Vec<u32>) {
    let mut split = Split::default();
    let mut add = |end: usize| ends.extend(u32::try_from(end));
    split.run(block, &mut add);
    if split.state == State::Behind {
        add(block.len());
    }
}

/// What is being read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    /// A value, or text.
    #[default]
    Inside,
    /// The blanks behind a value.
    Behind,
}

/// Where in a record the split is.
#[derive(Debug, Clone, Copy, Default)]
struct Split {
    /// How much has been looked at.
    at: usize,
    state: State,
    strings: Strings,
    /// How many containers are open.
    depth: usize,
}

impl Split {
    /// Looks at what is new in `text` and calls `end` with the end of each record.
    #[inline(always)]
    fn run(&mut self, text: &[u8], end: &mut impl FnMut(usize)) {
        while let Some(stride) = text.get(self.at..).and_then(<[u8]>::first_chunk) {
            if !self.stride(stride, end) {
                stride.iter().for_each(|byte| self.byte(*byte, end));
            }
        }
        let rest = text.get(self.at..).unwrap_or_default();
        rest.iter().for_each(|byte| self.byte(*byte, end));
    }

    /// Looks at one byte. This says what is done; [`Split::stride`] does the same faster.
    fn byte(&mut self, byte: u8, end: &mut impl FnMut(usize)) {
        if self.state == State::Behind && (byte == b'\n' || !is_blank(byte)) {
            self.state = State::Inside;
            let newline = usize::from(byte == b'\n');
            end(self.at + newline);
            if newline == 1 {
                self.at += 1;
                return;
            }
        }
        self.at += 1;
        if self.strings.inside != 0 {
            return self.byte_of_string(byte, end);
        }
        self.strings.escaped = 0;
        match byte {
            b'"' => self.strings.inside = u64::MAX,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' if self.depth > 0 => self.close(),
            b'\n' if self.depth == 0 => end(self.at),
            _ => {}
        }
    }

    fn byte_of_string(&mut self, byte: u8, end: &mut impl FnMut(usize)) {
        let is_escaped = std::mem::take(&mut self.strings.escaped) != 0;
        match byte {
            b'\n' => {
                self.strings.inside = 0;
                self.depth = 0;
                end(self.at);
            }
            b'"' if !is_escaped => self.strings.inside = 0,
            b'\\' if !is_escaped => self.strings.escaped = 1,
            _ => {}
        }
    }

    #[inline(always)]
    fn close(&mut self) {
        self.depth -= 1;
        if self.depth == 0 {
            self.state = State::Behind;
        }
    }

    /// Looks at a whole stride, unless there is in it what seldom is: then it says so and nothing has changed.
    #[inline(always)]
    fn stride(&mut self, stride: &[u8; STRIDE], end: &mut impl FnMut(usize)) -> bool {
        let masks = Masks::new(stride);
        let mut strings = self.strings;
        let (_, inside) = strings.read(&masks);
        // Brackets differ from braces in this bit only.
        let braces = stride.map(|byte| byte | (b'{' ^ b'['));
        let newlines = equal_bytes(stride, b'\n');
        let backslash_outside = masks.backslashes & !inside;
        if newlines & inside | backslash_outside != 0 {
            return false;
        }
        let brackets = (equal_bytes(&braces, b'{') | equal_bytes(&braces, b'}')) & !inside;
        let mut marks = brackets | newlines;
        let base = self.at;
        if self.state == State::Behind {
            self.behind(stride, 0, end);
            marks = after(marks, self.at - base);
        }
        while marks != 0 {
            let index = marks.trailing_zeros() as usize;
            marks &= marks - 1;
            match stride[index] {
                b'\n' if self.depth == 0 => end(base + index + 1),
                b'\n' => {}
                b'{' | b'[' => self.depth += 1,
                _ if self.depth == 0 => {}
                _ => {
                    self.close();
                    if self.state == State::Behind {
                        self.at = base + index + 1;
                        self.behind(stride, index + 1, end);
                        marks = after(marks, self.at - base);
                    }
                }
            }
        }
        self.at = base + STRIDE;
        self.strings = strings;
        true
    }

    /// Leaves behind the blanks behind a value, which begin at `from`, and ends the record if something is behind them.
    #[inline(always)]
    fn behind(&mut self, stride: &[u8; STRIDE], from: usize, end: &mut impl FnMut(usize)) {
        for byte in &stride[from..] {
            if *byte == b'\n' {
                self.at += 1;
            } else if is_blank(*byte) {
                self.at += 1;
                continue;
            }
            self.state = State::Inside;
            return end(self.at);
        }
    }
}

/// The bits of `marks` from `index` on.
#[inline(always)]
fn after(marks: u64, index: usize) -> u64 {
    marks & u64::MAX.checked_shl(index as u32).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::sample::select;

    fn records(block: &str) -> Vec<&str> {
        let mut ends = Vec::new();
        find_value_ends(block.as_bytes(), &mut ends);
        let starts = std::iter::once(0).chain(ends.clone());
        starts.zip(&ends).map(|(start, end)| &block[start as usize..*end as usize]).collect()
    }

    #[test]
    fn each_value_is_a_record() {
        let expected: [&[&str]; 13] = [
            &["{\"a\":1}\n", "{\"a\":2}\n"],
            &["{\n  \"a\": [\n    {}\n  ]\n}\n", "[\n{}]\r\n"],
            &["{\"a\":1}", "{\"a\":2} \t", "[3]", "{}\n"],
            &["web | {\"a\":1}\n", " {}\n"],
            &["text\n", "1\n", "2 3\n", "\n", "{}\n"],
            &["{\"}\":\"{\\\"}\"}\n", "{}\n"],
            &["{\"a\":\"\\\\\"}", "{}\n"],
            &["{\"a\":{\"b\":\"cut\n", "{}\n"],
            &["\"a {b\" \"\\\"{\"\n", "{}\n"],
            &["} ]\n", "{}\n"],
            &["{}", "text\n", "{}"],
            &["it's 5\" long\n", "{}\n"],
            &["\\\"{\n", "{}\n"],
        ];
        for expected in expected {
            assert_eq!(records(&expected.concat()), expected);
        }
    }

    #[test]
    fn a_value_is_whole_when_something_is_behind_it() {
        let mut cutter = Cutter::new();
        assert_eq!(cutter.whole(b"{\"a\""), None);
        assert_eq!(cutter.whole(b"{\"a\":1}"), None);
        assert_eq!(cutter.whole(b"{\"a\":1} "), None);
        assert_eq!(cutter.whole(b"{\"a\":1} \n{\"a"), Some(9));
        assert_eq!(cutter.whole(b"{\"a"), None);
        assert_eq!(cutter.whole(b"{\"a\":2}{"), Some(7));
        assert_eq!(cutter.whole(b"{"), None);
        cutter.restart();
        assert_eq!(cutter.whole(b"text\n"), Some(5));
    }

    #[test]
    fn half_a_value_has_no_end() {
        for half in ["{", "{\"a\":1", "\"{}\"", "text", "[{}", ""] {
            assert!(records(half).is_empty(), "{half}");
        }
    }

    fn a_stream() -> impl Strategy<Value = String> {
        let pieces = vec![
            "{",
            "}",
            "[",
            "]",
            "{}",
            "\"",
            "\"",
            "\\",
            "\\\"",
            "\n",
            "\n",
            " ",
            "\r\n",
            "text",
            "{\"a\":1}\n",
            "\"{\"",
            "                                                                 ",
            "{\"a\":\"\\\\\"}",
        ];
        prop::collection::vec(select(pieces), 0..80).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        #[test]
        fn strides_agree_with_single_bytes(stream in a_stream()) {
            let (mut expected, mut actual) = (Vec::new(), Vec::new());
            let (mut slow, mut fast) = (Split::default(), Split::default());
            stream.bytes().for_each(|byte| slow.byte(byte, &mut |end| expected.push(end)));
            fast.run(stream.as_bytes(), &mut |end| actual.push(end));
            prop_assert_eq!(actual, expected);
            prop_assert_eq!((fast.at, fast.state, fast.depth), (slow.at, slow.state, slow.depth));
        }

        #[test]
        fn records_do_not_depend_on_how_the_stream_comes(
            stream in a_stream(), reads in prop::collection::vec(1usize..150, 1..20),
        ) {
            let mut expected = Vec::new();
            find_value_ends(stream.as_bytes(), &mut expected);
            let (mut actual, mut start, mut have) = (Vec::new(), 0, 0);
            let mut cutter = Cutter::new();
            for read in reads.iter().cycle() {
                while let Some(end) = cutter.whole(&stream.as_bytes()[start..have]) {
                    let mut ends = Vec::new();
                    find_value_ends(&stream.as_bytes()[start..start + end], &mut ends);
                    prop_assert_eq!(ends.last().copied(), Some(end as u32));
                    actual.extend(ends.iter().map(|end| start as u32 + end));
                    start += end;
                }
                if have == stream.len() {
                    break;
                }
                have = (have + read).min(stream.len());
            }
            let mut ends = Vec::new();
            find_value_ends(&stream.as_bytes()[start..], &mut ends);
            actual.extend(ends.iter().map(|end| start as u32 + end));
            prop_assert_eq!(actual, expected);
        }
    }
}
