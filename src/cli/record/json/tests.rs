use super::path::Step;
use super::*;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

/// What is found of `record`, as text; broken if it is.
fn texts(record: &[u8], paths: &[&str], typed: bool) -> Result<Vec<Option<Vec<u8>>>, Broken> {
    let mut found = Found::default();
    let paths = paths.iter().map(|path| Path::parse(path).unwrap()).collect::<Vec<_>>();
    let parts = paths.len();
    let result = Selector::new(paths, typed).select(record, &mut found);
    assert_eq!(found.places.len(), parts);
    result?;
    Ok((0..parts).map(|part| found.text(record, part).map(<[u8]>::to_vec)).collect())
}

/// The text of one part as UTF-8; empty brackets if there is none.
fn text(record: &str, path: &str) -> String {
    let found = texts(record.as_bytes(), &[path], false).unwrap().remove(0);
    found.map_or_else(|| "<none>".to_owned(), |text| String::from_utf8(text).unwrap())
}

fn broken(record: impl AsRef<[u8]>) -> Broken {
    texts(record.as_ref(), &[".a"], false).unwrap_err()
}

/// The record without its part.
fn cut(record: &str, path: &str) -> String {
    let mut found = Found::default();
    Selector::new(vec![Path::parse(path).unwrap()], false).select(record.as_bytes(), &mut found).unwrap();
    let extent = found.places[0].clone().unwrap().extent;
    format!("{}{}", &record[..extent.start], &record[extent.end..])
}

#[test]
fn paths_lead_to_values() {
    let record =
        r#"{"user":{"id":"u1","a.b":2},"list":[10,[20,{"b":21}],30],"id.orig_h":"z","id":{"orig_h":"y","x":"w"}}"#;
    let expected = [
        (".user.id", "u1"),
        ("user", r#"{"id":"u1","a.b":2}"#),
        (r#".user."a.b""#, "2"),
        (r#".user["a.b"]"#, "2"),
        (r#".["user"].id"#, "u1"),
        (".list[0]", "10"),
        (".list[-1]", "30"),
        (".list[-3]", "10"),
        (".list[-4]", "<none>"),
        (".list[3]", "<none>"),
        (".list[1][1].b", "21"),
        (".list[1][-1].b", "21"),
        ("list[0]", "10"),
        ("id.orig_h", "z"),
        (".id.orig_h", "y"),
        ("id.x", "w"),
        ("id.none", "<none>"),
        (".user.id.x", "<none>"),
        (".user[0]", "<none>"),
        (".list.b", "<none>"),
    ];
    for (path, expected) in expected {
        assert_eq!(text(record, path), expected, "{path}");
    }
}

#[test]
fn a_name_that_is_there_but_null_is_not_read_as_a_path() {
    assert_eq!(text(r#"{"a":{"b":1},"a.b":null}"#, "a.b"), "<none>");
    assert_eq!(text(r#"{"a":{"b":1}}"#, "a.b"), "1");
}

#[test]
fn paths_that_share_their_beginning_or_a_value_are_all_found() {
    let record = br#"{"a":{"b":[1,2],"c":3}}"#;
    let found = texts(record, &[".a", ".a.b", ".a.c", ".a.b[0]", ".a.b[-2]", ".a.b[-1]", "a", ".a.b[-2]"], false);
    let expected = [r#"{"b":[1,2],"c":3}"#, "[1,2]", "3", "1", "1", "2", r#"{"b":[1,2],"c":3}"#, "1"];
    assert_eq!(found.unwrap(), expected.map(|text| Some(text.as_bytes().to_vec())));
}

#[test]
fn the_text_of_a_value_is_what_it_stands_for() {
    let expected = [
        (r#""a\"\\\/\b\f\n\r\t""#, "a\"\\/\u{8}\u{c}\n\r\t"),
        (r#""\u0041\u00e9\ud83d\ude00""#, "A\u{e9}\u{1f600}"),
        (r#""""#, ""),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        ("1.0E+400", "1.0E+400"),
        ("-0", "-0"),
        ("true", "true"),
        ("null", "<none>"),
        (r#"[ 1 , "\u0041\u0001 \"" , { } ]"#, r#"[1,"A\u0001 \"",{}]"#),
    ];
    for (value, expected) in expected {
        assert_eq!(text(&format!(r#"{{"a": {value} }}"#), ".a"), expected, "{value}");
    }
}

#[test]
fn numbers_of_any_length_end_at_the_first_byte_that_is_no_digit() {
    for len in 1..=40_usize {
        for last in [":", "/", "\u{0}", "x", "\u{fa}", "\\"] {
            let digits = "1234567890".repeat(len.div_ceil(10));
            let number = &digits[..len];
            assert_eq!(text(&format!(r#"{{"a":{number}}}"#), ".a"), number);
            assert_eq!(
                text(&format!(r#"{{"a":{number}.{number} ,"b":"long enough"}}"#), ".a"),
                format!("{number}.{number}")
            );
            assert_eq!(broken(format!(r#"{{"a":{number}{last}5678}}"#)), Broken::NotJson, "{number}{last}");
        }
    }
}

#[test]
fn typed_strings_keep_their_quotes() {
    let typed = |record: &str| texts(record.as_bytes(), &[".a"], true).unwrap().remove(0).unwrap();
    assert_eq!(typed(r#"{"a":"1"}"#), br#""1""#);
    assert_eq!(typed(r#"{"a":1}"#), b"1");
    assert_eq!(typed(r#"{"a":"\u0031\u000a\""}"#), br#""1\n\"""#);
}

#[test]
fn the_last_of_members_with_one_name_counts() {
    assert_eq!(text(r#"{"a":1,"a":2}"#, ".a"), "2");
    assert_eq!(text(r#"{"a":1,"\u0061":2}"#, ".a"), "2");
    assert_eq!(text(r#"{"a":1,"a":null}"#, ".a"), "<none>");
    assert_eq!(text(r#"{"a":{"b":1},"a":{"c":2}}"#, ".a.b"), "<none>");
    assert_eq!(text(r#"{"a":{"b":1},"a":2}"#, ".a.b"), "<none>");
    assert_eq!(text(r#"{"a":{"b":1,"b":{}},"a":{"b":3}}"#, "a.b"), "3");
}

#[test]
fn text_in_front_of_the_object_is_skipped() {
    assert_eq!(text(r#"[pod/x] 2024-01-01 {"a":1}"#, ".a"), "1");
    assert_eq!(text(r#"web-1  | "it's {"a":"\n"} "#, ".a"), "\n");
    assert_eq!(text("\u{feff}{\"a\":1}", ".a"), "1");
    assert_eq!(text("  {\"a\":1}\t\r", ".a"), "1");
    assert_eq!(object_start(b"x {"), Some(2));
    assert_eq!(object_start(b"x"), None);
}

#[test]
fn records_that_are_no_objects_have_no_parts() {
    for record in ["", " \t", "1", r#"["{",{"a":1}]"#, " [ ] ", r#""x {}""#, r#""x {\"a\":1}""#, "null", " -1.5e3 "] {
        assert_eq!(text(record, ".a"), "<none>", "{record}");
        assert!(!is_object(record.as_bytes()), "{record}");
    }
}

#[test]
fn what_is_wrong_is_told() {
    let not_json = [
        "plain text",
        "2024-01-01 text",
        "[x] text",
        "{a:1}",
        "{'a':1}",
        "{,}",
        r#"{"a":1,}"#,
        r#"{"a" 1}"#,
        r#"{"a":}"#,
        r#"{"a":01}"#,
        r#"{"a":.5}"#,
        r#"{"a":1.}"#,
        r#"{"a":+1}"#,
        r#"{"a":1e}"#,
        r#"{"a":-}"#,
        r#"{"a":nul}"#,
        r#"{"a":TRUE}"#,
        r#"{"a":[1,]}"#,
        r#"{"a":[1}"#,
        r#"{"a":{]}"#,
        r#"{"a":"\x"}"#,
        r#"{"a":"\u12g4"}"#,
        "{\"a\":\"\t\"}",
        "{\"a\":\"\0\"}",
        "{\"\n\":1}",
        "{\"a\":1,\"b\":\u{b}1}",
        r#"{"a":NaN}"#,
        "1 2",
        r#"{"b":"\u+123"}"#,
        r#"{"b":"\u12"}"#,
        r#"{"b":"\ud800\u12"}"#,
        r#"{"b":1\"}"#,
    ];
    for record in not_json {
        assert_eq!(broken(record), Broken::NotJson, "{record}");
    }
    for record in
        [r#"{"a":1}x"#, r#"{"a":1} {"a":2}"#, r#"{"a":1}}"#, r#"{"a":1},"#, r#"x {} "#.trim_end().repeat(2).as_str()]
    {
        assert_eq!(broken(record), Broken::Trailing, "{record}");
    }
    let whole = r#"{"a":[1.5e3,true,{"b":"\u0041"}],"c":null}"#;
    for end in 1..whole.len() {
        assert_eq!(broken(&whole[..end]), Broken::CutShort, "{}", &whole[..end]);
    }
    for text in [r"\ud800", r"\udc00", r"\ud800x", r"\ud800\n", r"\ud800\ud800", r"\udc00\ud800"] {
        assert_eq!(broken(format!(r#"{{"b":["{text}"]}}"#)), Broken::LoneSurrogate, "{text}");
    }
    assert!(Broken::TooDeep.describe().contains("deep"));
}

#[test]
fn depth_has_a_limit_wherever_it_is() {
    let limit = scan::MAX_DEPTH as usize;
    let nested =
        |depth: usize, open: &str, close: &str| format!(r#"{{"a":{}1{}}}"#, open.repeat(depth), close.repeat(depth));
    let deep = ".a".repeat(limit + 10);
    for (open, close) in [("[", "]"), (r#"{"a":"#, "}")] {
        let (most, more) = (nested(limit - 1, open, close), nested(limit, open, close));
        for path in [".a", ".b", &deep] {
            assert!(texts(most.as_bytes(), &[path], false).is_ok(), "{path}");
            assert_eq!(texts(more.as_bytes(), &[path], false), Err(Broken::TooDeep), "{path}");
        }
        let mut told = 0;
        walk(most.as_bytes(), 9, &mut |_, _| told += 1);
        assert_eq!(told, 1);
        walk(nested(99_999, open, close).as_bytes(), 9, &mut |_, _| told += 1);
        assert_eq!(told, 1);
    }
    let indices = format!(".a{}", "[-1]".repeat(limit));
    assert!(texts(nested(limit - 1, "[0,", "]").as_bytes(), &[&indices], false).is_ok());
}

#[test]
fn bytes_that_are_no_utf_8_are_text() {
    let found = texts(b"{\"a\xff\":1,\"a\":\"\xfe\\n\"}", &[".a"], false).unwrap();
    assert_eq!(found, [Some(b"\xfe\n".to_vec())]);
}

#[test]
fn a_record_without_a_part_is_json_still() {
    assert_eq!(cut(r#"{"a":1, "b":2 , "c":3 }"#, ".b"), r#"{"a":1,  "c":3 }"#);
    assert_eq!(cut(r#"{"a":1 ,"c":"x" }"#, ".c"), r#"{"a":1  }"#);
    assert_eq!(cut(r#"{ "a":1}"#, ".a"), "{ }");
    assert_eq!(cut(r#"x {"l":[1,2,3]}"#, ".l[-1]"), r#"x {"l":[1,2]}"#);
    assert_eq!(cut(r#"{"l":[1,2,3]}"#, ".l[0]"), r#"{"l":[2,3]}"#);
}

#[test]
fn paths_are_shown_as_typed() {
    for path in
        [".a.b", r#"."a.b"[0][-1].c"#, "a.b", "user", r#".a."""#, r#"."\"\\\n""#, r#"."a b""#, "a..b", "x[0", ".é@-$/:"]
    {
        assert_eq!(Path::parse(path).unwrap().to_string(), path);
    }
    assert_eq!(Path::parse(r#".["a"]["b.c"].d"#).unwrap().to_string(), r#".a."b.c".d"#);
    assert_eq!(Path::parse(r#"."\u0061""#).unwrap(), Path::parse(".a").unwrap());
}

#[test]
fn wrong_paths_are_refused_with_what_was_wanted() {
    let expected = [
        ("", "found nothing, wanted the name of a member or a path such as .user.id"),
        (".", "found nothing after ., wanted a name (in quotes if it is an odd one)"),
        (".a.", "found nothing after .a., wanted a name (in quotes if it is an odd one)"),
        ("..a", "found .a after ., wanted a name (in quotes if it is an odd one)"),
        (".a[x]", "found x] after .a[, wanted an index such as 0 or -1, or a name in quotes"),
        (".a[0", "found nothing after .a[0, wanted a closing bracket"),
        (".a]", "found ] after .a, wanted a dot or a bracket"),
        (".a[0]b", "found b after .a[0], wanted a dot or a bracket"),
        (r#"."a"#, r#"found "a after ., wanted a closing quote"#),
        (r#"."\x""#, r#"found "\x" after ., wanted a name with escapes as in JSON"#),
        (".[0]", "found an index at the start of .[0], wanted a name: a record is an object"),
        (".a[]", "found ] after .a[, wanted an index such as 0 or -1, or a name in quotes"),
        (
            ".a[99999999999999999999]",
            "found 99999999999999999999] after .a[, wanted an index such as 0 or -1, or a name in quotes",
        ),
    ];
    for (path, message) in expected {
        assert_eq!(Path::parse(path).unwrap_err(), message, "{path}");
    }
}

#[test]
fn members_are_told_with_their_paths() {
    let record = r#"pod {"a":"x\ny","b.c":{"d":[1,{"e":null}],"f":{}},"g":[],"h":tru"#;
    let mut told = Vec::new();
    walk(record.as_bytes(), 9, &mut |path, text| {
        told.push((path.to_owned(), String::from_utf8_lossy(text).into_owned()))
    });
    let expected =
        [(".a", "x\ny"), (r#"."b.c".d[0]"#, "1"), (r#"."b.c".d[1].e"#, "null"), (r#"."b.c".f"#, "{}"), (".g", "[]")];
    assert_eq!(told, expected.map(|(path, text)| (path.to_owned(), text.to_owned())));
    told.clear();
    walk(record.as_bytes(), 2, &mut |path, _| told.push((path.to_owned(), String::new())));
    assert_eq!(told.len(), 2);
}

/// Numbers from a seed, for choices that need not shrink.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % sides
    }

    fn blanks(&mut self, out: &mut String) {
        for _ in 0..[0, 0, 0, 1, 2, 70][self.roll(6) as usize] {
            out.push([' ', '\t', '\n', '\r'][self.roll(4) as usize]);
        }
    }

    /// `text` with needless escapes.
    fn string(&mut self, text: &str, out: &mut String) {
        out.push('"');
        for char in text.chars() {
            if self.roll(8) == 0 {
                let mut halves = [0; 2];
                char.encode_utf16(&mut halves).iter().for_each(|half| out.push_str(&format!("\\u{half:04X}")));
            } else {
                let quoted = Value::from(char.to_string()).to_string();
                out.push_str(&quoted[1..quoted.len() - 1]);
            }
        }
        out.push('"');
    }

    /// `value` with blanks and needless escapes.
    fn value(&mut self, value: &Value, out: &mut String) {
        self.blanks(out);
        match value {
            Value::String(text) => self.string(text, out),
            Value::Array(elements) => {
                out.push('[');
                for (index, element) in elements.iter().enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    self.value(element, out);
                }
                self.blanks(out);
                out.push(']');
            }
            Value::Object(members) => {
                out.push('{');
                for (index, (name, member)) in members.iter().enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    self.blanks(out);
                    self.string(name, out);
                    self.blanks(out);
                    out.push(':');
                    self.value(member, out);
                }
                self.blanks(out);
                out.push('}');
            }
            scalar => out.push_str(&scalar.to_string()),
        }
        self.blanks(out);
    }
}

fn rendered(value: &Value, seed: u64) -> String {
    let mut out = String::new();
    Dice(seed).value(value, &mut out);
    out
}

const NAMES: [&str; 5] = ["a", "b", "a.b", "list[0]", "\u{1f600}\""];

fn a_scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
        2 => any::<i64>().prop_map(Value::from),
        1 => (-1000i32..1000).prop_map(|number| json!(f64::from(number) / 8.0)),
        4 => prop::collection::vec(select(vec!['a', 'é', '"', '\\', '\n', '\u{1f600}', '{', '[', '\u{1}', ' ']), 0..20)
            .prop_map(|chars| Value::from(chars.into_iter().collect::<String>())),
        1 => (60usize..140).prop_map(|len| Value::from("x".repeat(len))),
    ]
}

fn a_value() -> impl Strategy<Value = Value> {
    a_scalar().prop_recursive(4, 40, 5, |inner| {
        let members = prop::collection::vec((select(NAMES.to_vec()), inner.clone()), 0..5);
        let object = |members: Vec<(&str, Value)>| {
            Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>())
        };
        prop_oneof![members.prop_map(object), prop::collection::vec(inner, 0..5).prop_map(Value::Array)]
    })
}

fn an_object() -> impl Strategy<Value = Value> {
    prop::collection::vec((select(NAMES.to_vec()), a_value()), 0..5)
        .prop_map(|members| Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()))
}

fn a_path() -> impl Strategy<Value = Path> {
    let name = || select(NAMES.to_vec()).prop_map(|name| Step::Member(name.to_owned()).to_string());
    let step = prop_oneof![2 => name(), 1 => (-3i64..3).prop_map(|index| Step::Element(index).to_string())];
    let path = (name(), prop::collection::vec(step, 0..3)).prop_map(|(first, rest)| first + &rest.concat());
    let named = select(vec!["a", "b", "a.b", "list[0]", "b[-1].a", "a.b.a"]).prop_map(str::to_owned);
    prop_oneof![3 => path, 1 => named].prop_map(|text| Path::parse(&text).unwrap())
}

/// The value at the end of a path.
fn obvious<'a>(record: &'a Value, path: &Path) -> Option<&'a Value> {
    if let Some(value) = path.literal().and_then(|name| record.get(name)) {
        return Some(value);
    }
    (!path.steps().is_empty()).then_some(())?;
    path.steps().iter().try_fold(record, |value, step| match step {
        Step::Member(name) => value.get(name),
        Step::Element(index) => {
            let elements = value.as_array()?;
            elements.get(usize::try_from(*index).or(usize::try_from(index + elements.len() as i64)).ok()?)
        }
    })
}

/// The text of a value; none of null.
fn obvious_text(value: &Value, typed: bool) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) if !typed => Some(text.clone()),
        value => Some(value.to_string()),
    }
}

/// The object in a record, if it is right; else whether there is another value.
fn obvious_record(record: &str) -> Result<Option<Value>, serde_json::Error> {
    let trimmed = record.trim_matches([' ', '\t', '\r', '\n']);
    let whole = serde_json::from_str::<Value>(trimmed);
    let is_other = whole.as_ref().is_ok_and(|value| !value.is_object());
    if trimmed.is_empty() || trimmed.starts_with('[') && is_other {
        return Ok(None);
    }
    match trimmed.find('{').map(|start| serde_json::from_str(&trimmed[start..])) {
        Some(Ok(object)) => Ok(Some(object)),
        _ if is_other => Ok(None),
        Some(Err(error)) => Err(error),
        None => whole.map(Some),
    }
}

/// How a text is changed: at a place, so many bytes taken out, others put in.
fn a_change() -> impl Strategy<Value = (prop::sample::Index, usize, String)> {
    let pieces = vec![
        "", "{", "}", "[", "]", ",", ":", "\"", "\\", " ", "0", "-", ".", "e", "1", "t", "null", "\\u", "d800",
        "\\ud83d", "\u{1}", "\n", "x", "\"a\":1,", "{\"a\":", ",\"a\":2", "\\\\",
    ];
    (any::<prop::sample::Index>(), 0usize..3, select(pieces).prop_map(str::to_owned))
}

fn changed(mut text: String, changes: &[(prop::sample::Index, usize, String)]) -> String {
    for (place, out, piece) in changes {
        let chars: Vec<char> = text.chars().collect();
        let at = place.index(chars.len() + 1);
        let behind = &chars[(at + out).min(chars.len())..];
        text = chars[..at].iter().collect::<String>() + piece + &behind.iter().collect::<String>();
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn texts_are_those_of_the_parsed_record(
        record in an_object(), seed: u64, paths in prop::collection::vec(a_path(), 1..5), typed: bool,
    ) {
        let text = rendered(&record, seed);
        let mut found = Found::default();
        Selector::new(paths.clone(), typed).select(text.as_bytes(), &mut found).unwrap();
        for (part, path) in paths.iter().enumerate() {
            let expected = obvious(&record, path).and_then(|value| obvious_text(value, typed));
            let actual = found.text(text.as_bytes(), part).map(|text| String::from_utf8(text.to_vec()).unwrap());
            prop_assert_eq!(actual, expected, "{}", path);
        }
        prop_assert!(is_object(text.as_bytes()));
    }

    #[test]
    fn a_changed_record_is_right_when_a_parser_says_so(
        record in an_object(), seed: u64, changes in prop::collection::vec(a_change(), 1..5),
        paths in prop::collection::vec(a_path(), 1..4),
    ) {
        let text = changed(rendered(&record, seed), &changes);
        let mut found = Found::default();
        let result = Selector::new(paths.clone(), false).select(text.as_bytes(), &mut found);
        let expected = obvious_record(&text);
        // The parser makes doubles of numbers, and not every number is one.
        prop_assume!(!expected.as_ref().is_err_and(|error| error.to_string().contains("out of range")));
        prop_assert_eq!(result.is_ok(), expected.is_ok(), "{:?} {:?}", result, expected);
        let Ok(expected) = expected else { return Ok(()) };
        for (part, path) in paths.iter().enumerate() {
            let expected = expected.as_ref().and_then(|record| obvious(record, path)).filter(|value| !value.is_null());
            let actual = found.text(text.as_bytes(), part);
            let actual = actual.map(|text| match expected {
                Some(Value::String(_)) => Value::from(String::from_utf8(text.to_vec()).unwrap()),
                _ => serde_json::from_slice(text).unwrap(),
            });
            prop_assert_eq!(actual.as_ref(), expected, "{}", path);
        }
    }

    #[test]
    fn cutting_a_part_out_takes_just_that_member(record in an_object(), seed: u64, path in a_path()) {
        let text = rendered(&record, seed);
        let mut found = Found::default();
        Selector::new(vec![path.clone()], false).select(text.as_bytes(), &mut found).unwrap();
        let Some(place) = &found.places[0] else { return Ok(()) };
        let rest = format!("{}{}", &text[..place.extent.start], &text[place.extent.end..]);
        let rest: Value = serde_json::from_str(&rest).unwrap();
        let literal = path.literal().filter(|name| record.get(*name).is_some()).map(|name| Step::Member(name.to_owned()));
        let steps = literal.map_or_else(|| path.steps().to_vec(), |step| vec![step]);
        let mut expected = record.clone();
        let (last, parents) = steps.split_last().unwrap();
        let parent = parents.iter().fold(&mut expected, |value, step| match step {
            Step::Member(name) => value.get_mut(name).unwrap(),
            Step::Element(index) => {
                let elements = value.as_array_mut().unwrap();
                let len = elements.len() as i64;
                &mut elements[index.rem_euclid(len) as usize]
            }
        });
        match last {
            Step::Member(name) => drop(parent.as_object_mut().unwrap().shift_remove(name)),
            Step::Element(index) => {
                let elements = parent.as_array_mut().unwrap();
                drop(elements.remove(index.rem_euclid(elements.len() as i64) as usize));
            }
        }
        prop_assert_eq!(rest, expected);
    }

    #[test]
    fn what_is_told_of_a_record_is_found_under_the_path_told(record in an_object(), seed: u64) {
        let text = rendered(&record, seed);
        let mut told = Vec::new();
        walk(text.as_bytes(), usize::MAX, &mut |path, text| told.push((path.to_owned(), text.to_vec())));
        for (path, told) in told {
            let expected = obvious(&record, &Path::parse(&path).unwrap()).unwrap();
            let expected = obvious_text(expected, false).unwrap_or_else(|| "null".to_owned());
            prop_assert_eq!(String::from_utf8(told).unwrap(), expected, "{}", path);
        }
    }

    #[test]
    fn any_bytes_are_read_without_harm(
        record in prop::collection::vec(prop_oneof![select(b"{}[]\",:\\u0 \n1-.e".to_vec()), any::<u8>()], 0..200),
    ) {
        let _ = texts(&record, &[".a", "a.b", ".a[-1][0]"], true);
        walk(&record, usize::MAX, &mut |_, _| {});
        let _ = Cutter::new().whole(&record);
    }

    #[test]
    fn any_text_is_a_path_or_refused_in_one_line(text in r#"[.\[\]"\\a0\- ]{0,12}"#) {
        match Path::parse(&text) {
            Ok(path) => prop_assert_eq!(Path::parse(&path.to_string()), Ok(path)),
            Err(message) => prop_assert!(message.lines().count() == 1 && message.starts_with("found ")),
        }
    }
}
