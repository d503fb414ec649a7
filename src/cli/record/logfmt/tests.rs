use super::*;
use proptest::prelude::*;
use proptest::sample::select;

/// The text of one field, and the record without it: nothing of its blanks is left at the end.
fn one(record: &str, name: &str) -> Option<(String, String)> {
    let mut found = Found::default();
    fields(record.as_bytes(), &[name.as_bytes().to_vec()], &mut found);
    let text = found.text(record.as_bytes(), 0)?.to_vec();
    let extent = found.places[0].clone()?.extent;
    let without = format!("{}{}", &record[..extent.start], &record[extent.end..]);
    Some((String::from_utf8(text).unwrap(), without))
}

/// A record, a name, and what [`one`] gives for them.
type Case = (&'static str, &'static str, Option<(&'static str, &'static str)>);

fn check(cases: &[Case]) {
    for (record, name, expected) in cases {
        let expected = expected.map(|(text, without)| (text.to_owned(), without.to_owned()));
        assert_eq!(one(record, name), expected, "{name} of {record}");
    }
}

fn walked(record: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut all = Vec::new();
    walk(record, &mut |name, value| all.push((name.to_vec(), value.to_vec())));
    all
}

#[test]
fn values_are_found_with_and_without_quotes() {
    check(&[
        ("level=info msg=hi", "level", Some(("info", "msg=hi"))),
        ("level=info msg=hi", "msg", Some(("hi", "level=info"))),
        ("level=info msg=\"a b\" x=1", "msg", Some(("a b", "level=info x=1"))),
        ("a=b=c d=1", "a", Some(("b=c", "d=1"))),
        ("a= b=1", "a", Some(("", "b=1"))),
        ("b=1 a=", "a", Some(("", "b=1"))),
        ("a=\"\" b=1", "a", Some(("", "b=1"))),
        ("a=x\"y z\" b=1", "a", Some(("x\"y", "z\" b=1"))),
        ("a=x\\n b=1", "a", Some(("x\\n", "b=1"))),
        ("a=1\tb=2\r\n", "b", Some(("2", "a=1\t\n"))),
        ("level=info", "evel", None),
        ("xlevel=info", "level", None),
        ("", "a", None),
        ("   ", "a", None),
    ]);
}

#[test]
fn text_in_front_of_the_fields_is_words() {
    check(&[
        ("web-1  | level=info", "level", Some(("info", "web-1  |"))),
        ("Oct 11 22:14:15 host app[1]: a=1 b=2", "a", Some(("1", "Oct 11 22:14:15 host app[1]: b=2"))),
        ("=x ==y a=1", "a", Some(("1", "=x ==y"))),
        ("\"a=1 b=2\"", "b", Some(("2\"", "\"a=1"))),
    ]);
}

#[test]
fn names_between_quotes_are_no_fields() {
    check(&[
        ("msg=\"level=error x\" level=info", "level", Some(("info", "msg=\"level=error x\""))),
        ("msg=\"a \\\" level=error x\"", "level", None),
        ("msg=\"a \\\\\" level=error", "level", Some(("error", "msg=\"a \\\\\""))),
    ]);
}

#[test]
fn a_name_may_begin_right_behind_a_closing_quote() {
    check(&[("a=\"b\"c=d e=f", "c", Some(("d", "a=\"b\"e=f"))), ("a=\"b\"c=d e=f", "a", Some(("b", "c=d e=f")))]);
}

#[test]
fn a_quote_that_is_not_closed_runs_to_the_end() {
    check(&[
        ("a=1 msg=\"cut in the b=2", "msg", Some(("cut in the b=2", "a=1"))),
        ("a=1 msg=\"cut in the b=2", "b", None),
        ("a=1 msg=\"", "msg", Some(("", "a=1"))),
        ("a=1 msg=\"x\\", "msg", Some(("x\\", "a=1"))),
        ("a=1 msg=\"x\\\"", "msg", Some(("x\"", "a=1"))),
    ]);
}

#[test]
fn the_last_of_two_fields_counts() {
    check(&[
        ("a=1 a=2 b=3", "a", Some(("2", "a=1 b=3"))),
        ("a=\"x\\ty\" a=2", "a", Some(("2", "a=\"x\\ty\""))),
        ("a=2 a=\"x\\ty\"", "a", Some(("x\ty", "a=2"))),
        ("a=2 a=", "a", Some(("", "a=2"))),
    ]);
}

#[test]
fn a_word_is_a_flag_where_no_field_has_its_name() {
    check(&[
        ("a=1 dry-run b=2", "dry-run", Some(("", "a=1 b=2"))),
        ("a=1 dry-run", "dry-run", Some(("", "a=1"))),
        ("dry-runs", "dry-run", None),
        ("error error=full", "error", Some(("full", "error"))),
        ("error=full error", "error", Some(("full", "error"))),
        ("x=\"error\"", "error", None),
    ]);
    assert_eq!(walked(b"a flag b=1"), [(b"b".to_vec(), b"1".to_vec())]);
}

#[test]
fn escapes_are_decoded_and_unknown_ones_stay() {
    check(&[
        (r#"m="a \"b\"""#, "m", Some(("a \"b\"", ""))),
        (r#"m="\\ \/ \n \t \r""#, "m", Some(("\\ / \n \t \r", ""))),
        (r#"m="\u00e9\u20AC""#, "m", Some(("é€", ""))),
        (r#"m="\ud83d\ude00""#, "m", Some(("😀", ""))),
        (r#"m="\ud83d \ude00 \ud83dx""#, "m", Some((r"\ud83d \ude00 \ud83dx", ""))),
        (r#"m="\ud83d\ud83d\ude00""#, "m", Some((r"\ud83d😀", ""))),
        (r#"m="\u12 \u12g4 \u""#, "m", Some((r"\u12 \u12g4 \u", ""))),
        (r#"m="\x41 \a \q \ ""#, "m", Some((r"\x41 \a \q \ ", ""))),
        (r#"m="\\n""#, "m", Some((r"\n", ""))),
    ]);
}

#[test]
fn several_names_are_filled_in_the_order_they_are_asked_for() {
    let record = br#"a=1 b="x\ny" c=3 a=4 d="\"""#;
    let names = [&b"d"[..], b"b", b"nothing", b"a", b"b"].map(<[u8]>::to_vec);
    let mut found = Found::default();
    found.restart(9);
    fields(record, &names, &mut found);
    let texts: Vec<_> = (0..names.len()).map(|part| found.text(record, part)).collect();
    assert_eq!(texts, [Some(&b"\""[..]), Some(b"x\ny"), None, Some(b"4"), Some(b"x\ny")]);
}

#[test]
fn a_long_line_of_escapes_is_read_in_one_go() {
    let mut record = b"m=\"".to_vec();
    record.extend(b"\\\"".repeat(500_000));
    record.extend(b"\" z=1 ");
    record.extend(b"\"=".repeat(500_000));
    let mut found = Found::default();
    fields(&record, &[b"m".to_vec(), b"z".to_vec()], &mut found);
    assert_eq!(found.text(&record, 0), Some(&b"\"".repeat(500_000)[..]));
    assert_eq!(found.text(&record, 1), Some(&b"1"[..]));
}

/// The obvious reading, byte by byte: each piece's name, and its value if it has one.
fn twin(record: &[u8]) -> Vec<(Vec<u8>, Option<Vec<u8>>)> {
    let mut pieces = Vec::new();
    let mut rest = record.iter().copied().peekable();
    while let Some(first) = rest.next() {
        if is_blank(first) {
            continue;
        }
        let mut name = Vec::new();
        let mut byte = Some(first);
        while let Some(of_name) = byte.filter(|byte| *byte != b'=' && !is_blank(*byte)) {
            name.push(of_name);
            byte = rest.next();
        }
        if byte != Some(b'=') {
            pieces.push((name, None));
            continue;
        }
        let mut value = Vec::new();
        if rest.peek() == Some(&b'"') && !name.is_empty() {
            rest.next();
            while let Some(byte) = rest.next_if(|byte| *byte != b'"') {
                value.push(byte);
                if byte == b'\\' {
                    value.extend(rest.next());
                }
            }
            rest.next();
            let mut decoded = Vec::new();
            escapes::decode(&value, &mut decoded);
            value = decoded;
        } else {
            while let Some(byte) = rest.next_if(|byte| !is_blank(*byte)) {
                value.push(byte);
            }
        }
        if !name.is_empty() {
            pieces.push((name, Some(value)));
        }
    }
    pieces
}

/// What a record may be made of, so that all that matters comes close together and at the ends of strides.
fn records() -> impl Strategy<Value = Vec<u8>> {
    const BITS: [&str; 17] = [
        "a",
        "b",
        "ab",
        "=",
        "a=",
        "b=",
        " ",
        "  ",
        "\t",
        "\"",
        "\\",
        "\\\"",
        "\\u0041",
        "\n",
        "é",
        "a=\"",
        "long-enough-to-reach-the-next-stride-of-the-masks",
    ];
    prop_oneof![
        4 => prop::collection::vec(select(&BITS), 0..40).prop_map(|bits| bits.concat().into_bytes()),
        1 => prop::collection::vec(any::<u8>(), 0..200),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn fields_and_walk_agree_with_the_obvious_reading(record in records()) {
        let pieces = twin(&record);
        let with_value = pieces.iter().filter_map(|(name, value)| Some((name.clone(), value.clone()?)));
        prop_assert_eq!(walked(&record), with_value.collect::<Vec<_>>());
        let names = [b"a".to_vec(), b"ab".to_vec(), b"b".to_vec(), Vec::new()];
        let mut found = Found::default();
        fields(&record, &names, &mut found);
        for (part, name) in names.iter().enumerate() {
            let mut own = pieces.iter().filter(|(other, _)| other == name);
            let value = own.clone().filter_map(|(_, value)| value.as_deref()).next_back();
            let expected = value.or_else(|| own.next().map(|_| &b""[..]));
            prop_assert_eq!(found.text(&record, part), expected);
        }
    }

    #[test]
    fn a_record_without_a_field_has_one_less_of_it(record in records()) {
        let count = |record: &[u8]| walked(record).iter().filter(|(name, _)| name == b"a").count();
        let mut found = Found::default();
        fields(&record, &[b"a".to_vec()], &mut found);
        if let Some(Place { raw, extent, .. }) = found.places[0].clone() {
            prop_assert!(extent.start <= raw.start && raw.end <= extent.end && extent.end <= record.len());
            let piece = &record[extent];
            let piece = piece.trim_ascii_start();
            prop_assert!(piece.starts_with(b"a"));
            prop_assert_eq!(count(piece), usize::from(piece.starts_with(b"a=")));
        }
    }

    #[test]
    fn decoding_adds_to_what_is_there_and_never_makes_it_longer(text in "([a-c]|\\\\|u|0041|d83d|n|\"|/){0,30}") {
        let mut decoded = vec![b'!'];
        escapes::decode(text.as_bytes(), &mut decoded);
        prop_assert!(decoded.len() <= 1 + text.len());
        prop_assert_eq!(decoded[0], b'!');
        if !text.contains('\\') {
            prop_assert_eq!(&decoded[1..], text.as_bytes());
        }
    }
}
