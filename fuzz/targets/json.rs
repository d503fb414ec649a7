//! Values of JSON records, against serde_json.
//!
//! What may differ: bytes that are no UTF-8 are text here, so the parser is given the text with them replaced; and there
//! may be no more than 128 containers inside each other.
#![no_main]

use grudge_fuzz::check_places;
use grudge_fuzz::inner::found::Found;
use grudge_fuzz::inner::json::{Broken, Cutter, Path, Selector, find_value_ends, is_object, object_start, walk};
use grudge_fuzz::knobs::Knobs;
use libfuzzer_sys::fuzz_target;
use serde_json::{Deserializer, Value};

const MAX_DEPTH: usize = 128;

/// Paths to choose from, with the steps they mean: first as the name of a member, if they are one, and then as a path.
const PATHS: [(&str, Option<&str>, &[Step]); 16] = [
    (".a", None, &[Step::Member("a")]),
    ("a", Some("a"), &[]),
    (".a.b", None, &[Step::Member("a"), Step::Member("b")]),
    ("a.b", Some("a.b"), &[Step::Member("a"), Step::Member("b")]),
    (".\"a.b\"", None, &[Step::Member("a.b")]),
    (".a[0]", None, &[Step::Member("a"), Step::Element(0)]),
    ("a[0]", Some("a[0]"), &[Step::Member("a"), Step::Element(0)]),
    (".a[-1]", None, &[Step::Member("a"), Step::Element(-1)]),
    (".a[1][-2].b", None, &[Step::Member("a"), Step::Element(1), Step::Element(-2), Step::Member("b")]),
    (".a[-1].a", None, &[Step::Member("a"), Step::Element(-1), Step::Member("a")]),
    (".b", None, &[Step::Member("b")]),
    ("b.a.a", Some("b.a.a"), &[Step::Member("b"), Step::Member("a"), Step::Member("a")]),
    (".b[2]", None, &[Step::Member("b"), Step::Element(2)]),
    (".[\"\"]", None, &[Step::Member("")]),
    ("\u{e9}\"", Some("\u{e9}\""), &[]),
    (".\"\\u00e9\\ud83d\\ude00\"", None, &[Step::Member("\u{e9}\u{1f600}")]),
];

#[derive(Debug, Clone, Copy)]
enum Step {
    Member(&'static str),
    Element(i64),
}

fuzz_target!(|input: &[u8]| {
    let (mut knobs, text) = Knobs::split(input);
    check_selector(text, &mut knobs);
    check_stream(text, &mut knobs);
    // Any text is a path, or is refused in one line.
    if let Ok(text) = std::str::from_utf8(text) {
        match Path::parse(text) {
            Ok(path) => assert_eq!(Path::parse(&path.to_string()), Ok(path)),
            Err(message) => assert_eq!(message.lines().count(), 1, "{message}"),
        }
    }
});

fn check_selector(text: &[u8], knobs: &mut Knobs) {
    let typed = knobs.flag();
    let wanted: Vec<_> = (0..1 + knobs.number() % 4).map(|_| knobs.pick(&PATHS)).collect();
    let paths: Vec<Path> = wanted.iter().map(|(path, ..)| Path::parse(path).expect("a path")).collect();
    let mut found = Found::default();
    let result = Selector::new(paths.clone(), typed).select(text, &mut found);
    assert_eq!(found.places.len(), paths.len());
    check_places(text, &found);

    let shown = text.escape_ascii();
    let readable = String::from_utf8_lossy(text);
    if result == Err(Broken::TooDeep) {
        let opened = text.iter().filter(|byte| matches!(byte, b'{' | b'[')).count();
        assert!(opened > MAX_DEPTH, "{shown}");
        return;
    }
    let expected = twin(&readable);
    assert_eq!(result.is_ok(), expected.is_ok(), "{result:?} and {expected:?} of {shown}");
    let record = expected.ok().flatten();
    let is_alone = readable.trim_start_matches([' ', '\t', '\r', '\n']).starts_with('{');
    assert_eq!(is_object(text), record.is_some() && is_alone, "{shown}");

    for (part, (path, name, steps)) in wanted.iter().enumerate() {
        let value = record.as_ref().and_then(|record| find(record, *name, steps)).filter(|value| !value.is_null());
        let text = found.text(text, part).map(|text| String::from_utf8_lossy(text).into_owned());
        assert_eq!(text.is_some(), value.is_some(), "{path} of {shown}");
        let (Some(text), Some(value)) = (text, value) else { continue };
        match value {
            Value::String(value) if !typed => assert_eq!(&text, value, "{path} of {shown}"),
            Value::Number(value) => {
                // A number is its text. The parser adds a sign to exponents that lack one.
                let unsigned = |text: &str| text.to_ascii_lowercase().replace('+', "");
                assert_eq!(unsigned(&text), unsigned(&value.to_string()), "{path} of {shown}");
            }
            _ => assert_eq!(parse(&text).ok().as_ref(), Some(value), "{path} of {shown}"),
        }
        // Typed, or with others inside: in one form, which stays what it is.
        if typed || value.is_object() || value.is_array() {
            let again = format!("{{\"a\":{text}}}");
            let mut found = Found::default();
            let path = Path::parse(".a").expect("a path");
            Selector::new(vec![path], true).select(again.as_bytes(), &mut found).expect("an object");
            assert_eq!(found.text(again.as_bytes(), 0), Some(text.as_bytes()));
        }
    }
    let Some(record) = record else { return };
    check_cut(text, &paths[0], typed);
    if std::str::from_utf8(text).is_ok() {
        check_walk(text, &record);
    }
}

/// Without one of its parts a record is still right.
fn check_cut(text: &[u8], path: &Path, typed: bool) {
    let mut found = Found::default();
    let mut selector = Selector::new(vec![path.clone()], typed);
    selector.select(text, &mut found).expect("a record that was right before");
    let Some(place) = &found.places[0] else { return };
    let rest = [&text[..place.extent.start], &text[place.extent.end..]].concat();
    selector.select(&rest, &mut found).unwrap_or_else(|broken| panic!("{broken:?}: {}", rest.escape_ascii()));
    let start = object_start(&rest).expect("an object");
    let rest = String::from_utf8_lossy(&rest[start..]).into_owned();
    assert!(parse(&rest).is_ok(), "{rest}");
}

/// What is told of a record is found under the path that is told, unless another member has the same name.
fn check_walk(text: &[u8], record: &Value) {
    let mut told: Vec<(String, Vec<u8>)> = Vec::new();
    walk(text, 16, &mut |path, text| told.push((path.to_owned(), text.to_vec())));
    assert!(!told.is_empty() || record.as_object().is_some_and(|members| members.is_empty()));
    for (path, value) in &told {
        let path = Path::parse(path).unwrap_or_else(|message| panic!("{path}: {message}"));
        let mut found = Found::default();
        Selector::new(vec![path.clone()], false).select(text, &mut found).expect("a right record");
        let is_last = told.iter().filter(|(other, _)| *other == path.to_string()).count() == 1;
        if let Some(text) = found.text(text, 0).filter(|_| is_last && !has_same_names(text)) {
            assert_eq!(text.escape_ascii().to_string(), value.escape_ascii().to_string(), "{path}");
        }
    }
}

/// Whether two members of one object have the same name. A colon in a string may count as one: no harm.
fn has_same_names(text: &[u8]) -> bool {
    fn members(value: &Value) -> usize {
        match value {
            Value::Object(object) => object.len() + object.values().map(members).sum::<usize>(),
            Value::Array(elements) => elements.iter().map(members).sum(),
            _ => 0,
        }
    }
    let readable = String::from_utf8_lossy(text);
    let colons = readable.find('{').map_or(0, |start| readable[start..].matches(':').count());
    twin(&readable).ok().flatten().is_none_or(|record| members(&record) != colons)
}

/// The object in a record that is right, if it has one; another value is right as well.
fn twin(record: &str) -> Result<Option<Value>, serde_json::Error> {
    let trimmed = record.trim_matches([' ', '\t', '\r', '\n']);
    let whole = parse(trimmed);
    let is_other = whole.as_ref().is_ok_and(|value| !value.is_object());
    if trimmed.is_empty() || trimmed.starts_with('[') && is_other {
        return Ok(None);
    }
    match trimmed.find('{').map(|start| parse(&trimmed[start..])) {
        Some(Ok(object)) => Ok(Some(object)),
        _ if is_other => Ok(None),
        Some(Err(error)) => Err(error),
        None => whole.map(Some),
    }
}

fn parse(text: &str) -> Result<Value, serde_json::Error> {
    let mut deserializer = Deserializer::from_str(text);
    deserializer.disable_recursion_limit();
    let value = serde::Deserialize::deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// The value at the end of a path.
fn find<'a>(record: &'a Value, name: Option<&str>, steps: &[Step]) -> Option<&'a Value> {
    if let Some(value) = name.and_then(|name| record.get(name)) {
        return Some(value);
    }
    if steps.is_empty() {
        return None;
    }
    steps.iter().try_fold(record, |value, step| match step {
        Step::Member(name) => value.get(name),
        Step::Element(index) => {
            let elements = value.as_array()?;
            let index = if *index < 0 { index + elements.len() as i64 } else { *index };
            elements.get(usize::try_from(index).ok()?)
        }
    })
}

/// Values that follow each other: the same whatever the reads are, and those that the parser finds.
fn check_stream(text: &[u8], knobs: &mut Knobs) {
    let mut whole = Vec::new();
    find_value_ends(text, &mut whole);
    assert!(whole.is_sorted_by(|end, next| end < next));
    assert!(whole.last().is_none_or(|end| *end as usize <= text.len()));

    let (mut cut, mut start, mut end) = (Vec::new(), 0, 0);
    let mut cutter = Cutter::new();
    while end < text.len() {
        end = text.len().min(end + knobs.read_bytes());
        while let Some(len) = cutter.whole(&text[start..end]) {
            let mut ends = Vec::new();
            find_value_ends(&text[start..][..len], &mut ends);
            assert_eq!(ends.last().copied(), Some(len as u32));
            cut.extend(ends.iter().map(|end| start as u32 + end));
            start += len;
        }
    }
    let mut rest = Vec::new();
    find_value_ends(&text[start..], &mut rest);
    cut.extend(rest.iter().map(|end| start as u32 + end));
    assert_eq!(cut, whole, "{}", text.escape_ascii());

    // The parser reads values without limits only if it is asked for each anew, so no deep ones here.
    let Ok(text) = std::str::from_utf8(text) else { return };
    let values: Result<Vec<Value>, _> = Deserializer::from_str(text).into_iter().collect();
    let Ok(values) = values else { return };
    // A number or a word goes to the end of its line; such a record may hold more than one value.
    if !values.iter().all(|value| value.is_object() || value.is_array()) {
        return;
    }
    let starts = std::iter::once(0).chain(whole.iter().map(|end| *end as usize));
    let records = starts.zip(&whole).map(|(start, end)| &text[start..*end as usize]);
    let records: Vec<Value> = records
        .filter(|record| !record.trim_ascii().is_empty())
        .map(|record| parse(record).unwrap_or_else(|error| panic!("{error}: {record}")))
        .collect();
    assert_eq!(records, values, "{text}");
}
