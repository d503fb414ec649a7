//! Directive lines, with which a log says what its fields are: W3C's extended format (IIS, CloudFront, Windows'
//! firewall) and Zeek's.
//!
//! ```text
//! #Version: 1.0                                        #separator \x09
//! #Fields: date time c-ip cs(User-Agent) sc-status     #unset_field<tab>-
//! 2026-05-21 08:30:20 192.0.2.1 curl/8.5.0 200         #fields<tab>ts<tab>uid<tab>id.orig_h
//!                                                      1779352220.123456<tab>C4J4Th<tab>192.0.2.1
//!                                                      #close<tab>2026-05-21-09-00-00
//! ```
//!
//! - A line that begins with `#` is a directive and never data: Zeek escapes a `#` that a value begins with.
//! - Directives may come again anywhere: IIS writes them at each start, and files are put one behind the other. From
//!   there on the new ones hold.
//! - Behind `#Fields:` blanks separate the names, and runs of blanks or tabs the values: IIS writes blanks, CloudFront
//!   tabs, and neither leaves a value empty or has blanks in it. Names joined by commas, as Exchange has them, stay one
//!   name: what follows is CSV, and to guess that would give wrong fields without a word.
//! - Behind Zeek's `#fields` the byte that `#separator` announced separates names and values, a tab where nothing did.
//!   Each single one does, so that a value may be empty. A separator of several bytes is not read.

use super::fields::{Fields, Separator};
use memchr::memmem;

/// What begins a directive.
const MARK: u8 = b'#';
/// What begins a directive behind other lines.
const NEWLINE_AND_MARK: &[u8] = b"\n#";

const W3C_FIELDS: &[u8] = b"#Fields:";
/// What stands for no value in the logs of IIS and CloudFront.
const W3C_UNSET: &[u8] = b"-";
const ZEEK_FIELDS: &[u8] = b"#fields";
const ZEEK_SEPARATOR: &[u8] = b"#separator ";
const ZEEK_UNSET: &[u8] = b"#unset_field";
/// What separates Zeek's fields if nothing else is announced.
const ZEEK_DEFAULT: u8 = b'\t';

/// What directive lines have announced so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    /// The fields' names in their order; none until a line names them.
    pub names: Vec<Vec<u8>>,
    /// What stands between fields, of data as of names.
    pub separator: Separator,
    /// What is written for a value that is not there, if that was announced.
    pub unset: Option<Vec<u8>>,
}

impl Default for Schema {
    fn default() -> Schema {
        Schema { names: Vec::new(), separator: Separator::Blanks, unset: None }
    }
}

impl Schema {
    /// Takes a line that begins with `#`; whether it names the fields.
    pub fn take(&mut self, line: &[u8]) -> bool {
        if let Some(names) = w3c_names(line) {
            self.unset.get_or_insert_with(|| W3C_UNSET.to_vec());
            return self.take_names(names, Separator::Blanks);
        }
        let delimiter = self.zeek_delimiter();
        if let Some(names) = zeek_values(line, ZEEK_FIELDS, delimiter) {
            return self.take_names(names, Separator::Byte(delimiter));
        }
        if let Some(unset) = zeek_values(line, ZEEK_UNSET, delimiter) {
            self.unset = Some(unset.to_vec());
        } else if let Some(byte) = line.strip_prefix(ZEEK_SEPARATOR).and_then(single_byte) {
            self.separator = Separator::Byte(byte);
        }
        false
    }

    /// Whether the fields have names.
    pub fn is_known(&self) -> bool {
        !self.names.is_empty()
    }

    /// The number of the field of this name, counted from 1: the first one that is exactly so, or the only one that is
    /// so but for upper and lower case.
    pub fn number(&self, name: &[u8]) -> Option<usize> {
        let exact = self.names.iter().position(|other| other == name);
        let index = exact.or_else(|| {
            let mut alike = (0..self.names.len()).filter(|index| self.names[*index].eq_ignore_ascii_case(name));
            alike.next().filter(|_| alike.next().is_none())
        })?;
        Some(index + 1)
    }

    /// Takes the names unless there are none.
    fn take_names(&mut self, names: &[u8], separator: Separator) -> bool {
        let names: Vec<Vec<u8>> = Fields::new(names, separator).map(|range| names[range].to_vec()).collect();
        if names.is_empty() {
            return false;
        }
        self.names = names;
        self.separator = separator;
        true
    }

    fn zeek_delimiter(&self) -> u8 {
        match self.separator {
            Separator::Byte(byte) => byte,
            Separator::Blanks => ZEEK_DEFAULT,
        }
    }
}

/// Whether a line alone decides that a file is of this format: it names fields.
pub fn is_fields_line(line: &[u8]) -> bool {
    is_directive(line) && Schema::default().take(line)
}

/// Whether a line is a directive.
#[inline(always)]
pub fn is_directive(line: &[u8]) -> bool {
    line.first() == Some(&MARK)
}

/// Whether a line is a directive as they stand in front of the one that names the fields; a comment is none.
pub fn may_precede_fields(line: &[u8]) -> bool {
    const NAMES: [&[u8]; 12] = [
        b"software",
        b"version",
        b"date",
        b"start-date",
        b"end-date",
        b"remark",
        b"separator",
        b"set_separator",
        b"empty_field",
        b"unset_field",
        b"path",
        b"open",
    ];
    let Some(line) = line.strip_prefix(&[MARK]) else { return false };
    let len = line.iter().position(|byte| matches!(byte, b':' | b' ' | b'\t')).unwrap_or(line.len());
    NAMES.iter().any(|name| line[..len].eq_ignore_ascii_case(name))
}

/// Where, at or after `from`, the first directive line of `held` begins, which itself begins with a line.
pub fn next_directive(held: &[u8], from: usize) -> Option<usize> {
    if from == 0 && is_directive(held) {
        return Some(0);
    }
    // The newline before the directive may be the byte before `from`.
    let start = from.saturating_sub(1);
    memmem::find(held.get(start..)?, NEWLINE_AND_MARK).map(|newline| start + newline + 1)
}

/// The names in a line `#Fields: …`, in whatever case it is written.
fn w3c_names(line: &[u8]) -> Option<&[u8]> {
    let (directive, names) = line.split_at_checked(W3C_FIELDS.len())?;
    directive.eq_ignore_ascii_case(W3C_FIELDS).then_some(names)
}

/// What stands behind the delimiter in a line `directive<delimiter>…`.
fn zeek_values<'a>(line: &'a [u8], directive: &[u8], delimiter: u8) -> Option<&'a [u8]> {
    line.strip_prefix(directive)?.strip_prefix(&[delimiter])
}

/// The byte that is announced, as itself or as `\x09`.
fn single_byte(text: &[u8]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(HEXADECIMAL);
    match *text {
        [byte] => Some(byte),
        [b'\\', b'x', high, low] => u8::try_from(digit(high)? * HEXADECIMAL + digit(low)?).ok(),
        _ => None,
    }
}

const HEXADECIMAL: u32 = 16;

#[cfg(test)]
mod tests {
    use super::super::fields::field;
    use super::*;
    use proptest::prelude::*;

    /// Lines that are directives or nearly so.
    const DIRECTIVE: &str = "#(fields|Fields:|separator|unset_field)?[\t ]?[\\\\x0-9a\t ,]{0,8}";

    /// What the lines announce, and which of them name the fields.
    fn read(lines: &[&str]) -> (Schema, Vec<bool>) {
        let mut schema = Schema::default();
        let named = lines.iter().map(|line| schema.take(line.as_bytes())).collect();
        (schema, named)
    }

    fn names(schema: &Schema) -> Vec<&str> {
        schema.names.iter().map(|name| str::from_utf8(name).unwrap()).collect()
    }

    fn value<'a>(schema: &Schema, name: &str, line: &'a str) -> &'a str {
        &line[field(line.as_bytes(), schema.number(name.as_bytes()).unwrap(), schema.separator).unwrap()]
    }

    #[test]
    fn a_w3c_header_names_fields_between_blanks() {
        let (schema, named) = read(&["#Software: Web 8.5", "#Version: 1.0", "#Fields: date time c-ip cs(User-Agent)"]);
        assert_eq!(named, [false, false, true]);
        assert_eq!(names(&schema), ["date", "time", "c-ip", "cs(User-Agent)"]);
        assert_eq!((schema.separator, schema.unset.as_deref()), (Separator::Blanks, Some(W3C_UNSET)));
        assert_eq!(value(&schema, "c-ip", "2026-05-21 08:30:20 192.0.2.1 curl/8.5.0"), "192.0.2.1");
        assert_eq!(value(&schema, "c-ip", "2026-05-21\t08:30:20\t192.0.2.1\tcurl/8.5.0"), "192.0.2.1");
        assert_eq!(value(&schema, "cs(User-Agent)", "2026-05-21\t08:30:20\t192.0.2.1\tcurl/8.5.0"), "curl/8.5.0");
    }

    #[test]
    fn a_zeek_header_names_fields_between_the_announced_separators() {
        let lines =
            ["#separator \\x09", "#set_separator\t,", "#empty_field\t(empty)", "#unset_field\t-", "#path\thttp"];
        let (mut schema, named) = read(&lines);
        assert_eq!(named, [false; 5]);
        assert_eq!((schema.separator, schema.unset.as_deref()), (Separator::Byte(b'\t'), Some(&b"-"[..])));
        assert!(!schema.is_known());
        assert!(schema.take(b"#fields\tts\tid.orig_h\tstatus msg"));
        assert!(!schema.take(b"#types\ttime\taddr\tstring"));
        assert!(!schema.take(b"#close\t2026-05-21-09-00-00"));
        assert_eq!(names(&schema), ["ts", "id.orig_h", "status msg"]);
        assert_eq!(value(&schema, "status msg", "1.5\t\tNot Found"), "Not Found");
        assert_eq!(value(&schema, "id.orig_h", "1.5\t\tNot Found"), "");
    }

    #[test]
    fn a_zeek_separator_may_be_any_byte_as_itself_or_escaped() {
        for separator in ["#separator |", "#separator \\x7c", "#separator \\x7C"] {
            let (schema, named) = read(&[separator, "#unset_field|n/a", "#fields|ts|uid"]);
            assert_eq!(named, [false, false, true]);
            assert_eq!((names(&schema), schema.separator), (vec!["ts", "uid"], Separator::Byte(b'|')));
            assert_eq!(schema.unset.as_deref(), Some(&b"n/a"[..]));
        }
        for unread in ["#separator ", "#separator \\x0", "#separator \\x0g", "#separator \\x09\\x09", "#separator\t,"] {
            assert_eq!(read(&[unread]).0, Schema::default(), "{unread}");
        }
    }

    #[test]
    fn a_zeek_header_without_separator_has_tabs() {
        let (schema, named) = read(&["#unset_field\t-", "#fields\tts\tuid"]);
        assert_eq!((names(&schema), named), (vec!["ts", "uid"], vec![false, true]));
        assert_eq!((schema.separator, schema.unset), (Separator::Byte(b'\t'), Some(b"-".to_vec())));
    }

    #[test]
    fn the_last_header_holds() {
        let (schema, _) = read(&["#separator \\x09", "#fields\tts\tuid", "#Fields: date time", "#Date: 2026-05-21"]);
        assert_eq!((names(&schema), schema.separator), (vec!["date", "time"], Separator::Blanks));
        let (schema, _) = read(&["#Fields: date time", "#separator \\x2c", "#fields,ts,uid,id"]);
        assert_eq!((names(&schema), schema.separator), (vec!["ts", "uid", "id"], Separator::Byte(b',')));
    }

    #[test]
    fn a_line_without_names_changes_nothing() {
        for line in ["#Fields:", "#Fields: \t ", "#fields\t", "#fields", "#fields ts uid", "#", "#Fieldsets: a b"] {
            let (mut schema, _) = read(&["#Fields: date time"]);
            let before = schema.clone();
            assert!(!schema.take(line.as_bytes()), "{line}");
            assert_eq!(schema, before, "{line}");
            assert!(!is_fields_line(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn a_line_that_names_fields_decides_the_format() {
        for line in
            ["#Fields: date", "#fields: date time", "#FIELDS:date time", "#Fields:\tdate\ttime", "#fields\tts\tuid"]
        {
            assert!(is_fields_line(line.as_bytes()), "{line}");
        }
        for line in ["", "#!/bin/sh", "# Fields: date", "Fields: date", " #Fields: date", "#fields,ts", "#Version: 1.0"]
        {
            assert!(!is_fields_line(line.as_bytes()), "{line}");
        }
        assert!(is_directive(b"#") && is_directive(b"#close"));
        assert!(!is_directive(b"") && !is_directive(b" #") && !is_directive(b"a#"));
    }

    #[test]
    fn names_joined_by_commas_are_no_fields() {
        let (schema, _) = read(&["#Fields: date-time,client-ip"]);
        assert_eq!(schema.number(b"client-ip"), None);
    }

    #[test]
    fn a_name_counts_exactly_or_if_only_one_is_alike() {
        let (schema, _) = read(&["#Fields: date Time time sc-Status c-ip c-ip"]);
        assert_eq!(schema.number(b"time"), Some(3));
        assert_eq!(schema.number(b"Time"), Some(2));
        assert_eq!(schema.number(b"TIME"), None);
        assert_eq!(schema.number(b"SC-STATUS"), Some(4));
        assert_eq!(schema.number(b"c-ip"), Some(5));
        assert_eq!(schema.number(b"sc"), None);
        assert_eq!(Schema::default().number(b""), None);
        assert!(schema.is_known());
        assert!(!Schema::default().is_known());
    }

    proptest! {
        #[test]
        fn directives_are_found_where_a_line_begins_with_the_mark(
            held in prop::collection::vec(prop::sample::select(b"#\na".to_vec()), 0..40), from in 0usize..45,
        ) {
            let begins = |at: usize| held[at] == b'#' && (at == 0 || held[at - 1] == b'\n');
            prop_assert_eq!(next_directive(&held, from), (from..held.len()).find(|at| begins(*at)));
        }

        #[test]
        fn fields_are_known_once_a_line_has_named_them(lines in prop::collection::vec(DIRECTIVE, 0..6)) {
            let mut schema = Schema::default();
            for line in lines {
                let before = schema.is_known();
                prop_assert_eq!(schema.take(line.as_bytes()) || before, schema.is_known());
            }
        }
    }
}
