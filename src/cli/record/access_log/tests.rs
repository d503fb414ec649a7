//! Tests of the module above.

use super::AccessField::*;
use super::*;
use proptest::prelude::*;
use std::collections::HashSet;
use std::fs;
use std::path::{Path as FilePath, PathBuf};

fn get(line: &[u8], name: AccessField) -> Option<&[u8]> {
    field(line, name).map(|range| &line[range])
}

#[track_caller]
fn check(line: &str, expected: &[(AccessField, Option<&str>)]) {
    for (name, text) in expected {
        let found = get(line.as_bytes(), *name).map(|text| String::from_utf8_lossy(text).into_owned());
        assert_eq!(found.as_deref(), *text, "{} of {line}", name.name());
    }
}

/// A line with this request and what follows it.
fn with_request(rest: &str) -> String {
    format!("192.0.2.9 - - [21/May/2026:08:30:20 +0000] {rest}")
}

#[track_caller]
fn check_request(rest: &str, method: Option<&str>, path: Option<&str>, protocol: Option<&str>, status: Option<&str>) {
    check(&with_request(rest), &[(Method, method), (Path, path), (Protocol, protocol), (Status, status)]);
}

#[test]
fn names_are_found_again() {
    for name in AccessField::ALL {
        assert_eq!(AccessField::from_name(name.name()), Some(name));
    }
    assert_eq!(AccessField::from_name("path"), Some(Path));
    assert_eq!(AccessField::from_name("IP"), None);
    assert_eq!(AccessField::from_name(""), None);
}

#[test]
fn a_combined_line_has_all_fields() {
    let line = concat!(
        r#"192.0.2.1 ann frank [21/May/2026:08:30:20 +0000] "GET /a?b=c HTTP/1.1" 200 8073 "#,
        r#""https://example.com/" "Mozilla/5.0 (X11; Linux) [en]""#
    );
    let texts = AccessField::ALL.map(|name| get(line.as_bytes(), name).map(|text| str::from_utf8(text).unwrap()));
    let front = ["192.0.2.1", "ann", "frank", "21/May/2026:08:30:20 +0000", "GET", "/a?b=c", "HTTP/1.1", "200", "8073"];
    assert_eq!(texts[..9], front.map(Some));
    assert_eq!(texts[9..], ["https://example.com/", "Mozilla/5.0 (X11; Linux) [en]"].map(Some));
    check_every_subset(line.as_bytes());
    assert!(is_access_line(line.as_bytes()));
}

#[test]
fn a_common_line_has_no_referer_and_no_agent() {
    let line = with_request(r#""GET / HTTP/1.0" 304 -"#);
    check(&line, &[(Status, Some("304")), (Bytes, Some("-")), (Referer, None), (Agent, None)]);
    assert!(is_access_line(line.as_bytes()));
}

#[test]
fn the_address_is_the_first_token() {
    let fronts = "192.0.2.1 2001:db8::7 ::ffff:192.0.2.1 fe80::1%eth0 192.0.2.1:5000 a-b.example.com unix:".split(' ');
    for front in fronts {
        let line = with_request(r#""GET / HTTP/1.1" 200 1"#).replace("192.0.2.9", front);
        check(&line, &[(Ip, Some(front)), (Ident, Some("-")), (User, Some("-")), (Status, Some("200"))]);
        assert!(is_access_line(line.as_bytes()), "{line}");
    }
    check("  192.0.2.1\t- x", &[(Ip, Some("192.0.2.1")), (Ident, Some("-"))]);
    check(" [1/Jan/2026:00:00:00 +0000] x", &[(Ip, None), (Time, None)]);
    for other in
        ["2026/03/01 10:00:00 [error] x", "10:00:00 x", "1.5.2 x", "::x y", "a.example.com - - [01/M", "a:b:c x"]
    {
        check(other, &[(Ip, None)]);
    }
    check("2001:db8::7 - - [01/M", &[(Ip, Some("2001:db8::7"))]);
    check("any other line", &[(Ip, None), (Ident, Some("other")), (User, None), (Time, None), (Path, None)]);
    for line in ["", " ", "\"", "\"\"", "\" \"", "192.0.2", "\"192.0.2.1\"", "[", " [", " [1/Jan/", "[1/Jan/]"] {
        check(line, &AccessField::ALL.map(|name| (name, None)));
    }
}

#[test]
fn a_line_wrapped_in_quotes_is_the_line_inside() {
    let line = with_request(r#""GET / HTTP/1.1" 200 1 "-" "x""#);
    let wrapped = [format!("\"{line}\""), format!(" \"{line}\"")];
    for wrapped in wrapped {
        for name in AccessField::ALL {
            assert_eq!(get(wrapped.as_bytes(), name), get(line.as_bytes(), name), "{} of {wrapped}", name.name());
        }
        assert!(is_access_line(wrapped.as_bytes()));
    }
    check(
        &format!("\"{}\"", with_request(r#""GET / HTTP/1.1" 200 1"#)),
        &[(Ip, Some("192.0.2.9")), (Bytes, Some("1"))],
    );
}

#[test]
fn the_user_is_all_between_ident_and_time() {
    let end = r#"[21/May/2026:08:30:20 +0000] "GET / HTTP/1.1" 200 1"#;
    let time = Some("21/May/2026:08:30:20 +0000");
    for user in ["-", "a user", "\"\"", "a [b] c", "x [12] y", "[1/2", "DOM\\ann"] {
        check(&format!("192.0.2.1 - {user} {end}"), &[(Ident, Some("-")), (User, Some(user)), (Time, time)]);
    }
    check(&format!("192.0.2.1  -  ann  {end}"), &[(Ident, Some("-")), (User, Some("ann")), (Time, time)]);
    check(&format!("192.0.2.1 - {end}"), &[(Ident, Some("-")), (User, None), (Time, time), (Path, Some("/"))]);
    check(&format!("192.0.2.1 -  {end}"), &[(Ident, Some("-")), (User, None), (Time, time)]);
    check(&format!("192.0.2.1 {end}"), &[(Ident, None), (User, None), (Time, time), (Status, Some("200"))]);
}

#[test]
fn the_time_is_in_brackets_before_the_request() {
    // What a client calls itself is no time, were it written like one.
    let line = r#"192.0.2.1 - a [01/Jan/2030:00:00:00 +0000] [21/May/2026:08:30:20 +0000] "GET / HTTP/1.1" 401 1"#;
    check(line, &[(Time, Some("21/May/2026:08:30:20 +0000")), (User, Some("a [01/Jan/2030:00:00:00 +0000]"))]);
    check("h - - [1/May/2026 08:30:20] \"GET / HTTP/1.1\" 200 -", &[(Time, Some("1/May/2026 08:30:20"))]);
    check("h - - [21/May/2026:08:30:20 +0000] GET / 200", &[(Time, Some("21/May/2026:08:30:20 +0000")), (Path, None)]);
    check("h - - [21/May/2026:08:30:20 +0000]", &[(Time, Some("21/May/2026:08:30:20 +0000")), (Path, None)]);
    check("h - -[21/May/2026:08:30:20 +0000] \"GET / HTTP/1.1\" 200 1", &[(Time, None), (Status, None)]);
    check("h - - [2026-05-21 08:30:20] \"GET / HTTP/1.1\" 200 1", &[(Time, None), (Status, None)]);
    // A line that was cut, and the next one in its wake.
    check(
        r#"192.0.2.1 - - [21/May/20192.0.2.2 - - [22/May/2026:08:30:20 +0000] "GET /b HTTP/1.1" 200 1"#,
        &[(Ip, Some("192.0.2.1")), (Time, Some("22/May/2026:08:30:20 +0000")), (Path, Some("/b"))],
    );
}

#[test]
fn a_request_ends_where_a_status_follows() {
    let get = Some("GET");
    let http = Some("HTTP/1.1");
    let ok = Some("200");
    check_request(r#""GET /a HTTP/1.1" 200 1"#, get, Some("/a"), http, ok);
    check_request(r#""GET /a HTTP/1.1" 200"#, get, Some("/a"), http, ok);
    check_request(r#""GET /a"b" c HTTP/1.1" 200 1"#, get, Some(r#"/a"b" c"#), http, ok);
    check_request(r#""GET /a\" 404 1 HTTP/1.1" 200 1"#, get, Some(r#"/a\" 404 1"#), http, ok);
    check_request(r#""GET /a\\" 200 1 "x" 404 1"#, get, Some(r"/a\\"), None, ok);
    check_request(r#""GET /a" - b HTTP/1.1" 200 1 "-" "x""#, get, Some("/a\" - b"), http, ok);
    check_request(r#""GET /a HTTP/1.1" - 0 "-" "x""#, get, Some("/a"), http, Some("-"));
    check_request(r#""GET /a HTTP/1.1" -1 0 "-" "x""#, get, Some("/a"), http, Some("-1"));
    // Cut lines: nothing of a request whose end is not there.
    check_request(r#""GET /a HTTP/1.1" 20"#, get, Some("/a"), http, None);
    check_request(r#""GET /a HTTP/1.1" "#, get, Some("/a"), http, None);
    check_request(r#""GET /a HTTP/1.1""#, get, Some("/a"), http, None);
    check_request(r#""GET /a HTTP/1.1"#, None, None, None, None);
    check_request(r#""GET /a"b HT"#, None, None, None, None);
    check_request(r#""GET /a\""#, None, None, None, None);
    check_request(r#"""#, None, None, None, None);
}

#[test]
fn a_request_has_words_only_if_it_is_http() {
    let check = |request: &str, words: [Option<&str>; 3]| {
        check_request(&format!("\"{request}\" 400 1 \"-\" \"-\""), words[0], words[1], words[2], Some("400"));
    };
    check("OPTIONS * HTTP/1.0", [Some("OPTIONS"), Some("*"), Some("HTTP/1.0")]);
    check("M-SEARCH /a HTTP/1.1", [Some("M-SEARCH"), Some("/a"), Some("HTTP/1.1")]);
    check("GET /a b  c HTTP/1.1", [Some("GET"), Some("/a b  c"), Some("HTTP/1.1")]);
    check("GET /a HTTP/1.1 ", [Some("GET"), Some("/a"), Some("HTTP/1.1")]);
    check("GET  HTTP/1.1", [Some("GET"), Some(""), Some("HTTP/1.1")]);
    check("GET /", [Some("GET"), Some("/"), None]);
    check("GET /a b", [Some("GET"), Some("/a b"), None]);
    for other in ["", "-", " ", "GET", "GET ", "GET HTTP/1.1", "EHLO x.com", r"\x16\x03", "\u{16}", "\u{1} / HTTP/1.1"]
    {
        check(other, [None, Some(other), None]);
    }
}

#[test]
fn referer_and_agent_keep_their_quotes() {
    let check = |rest: &str, referer: Option<&str>, agent: Option<&str>| {
        check(&with_request(&format!("\"GET / HTTP/1.1\" 200 1{rest}")), &[(Referer, referer), (Agent, agent)]);
    };
    check(r#" "" """#, Some(""), Some(""));
    check(r#" "-" "say "hi" now""#, Some("-"), Some(r#"say "hi" now"#));
    check(r#" "-" "Tablet 8\" wide""#, Some("-"), Some(r#"Tablet 8\" wide"#));
    check(r#" "a\" "b" "c""#, Some(r#"a\" "b"#), Some("c"));
    check(r#" "a"b" "c" "#, Some(r#"a"b"#), Some("c"));
    check(r#" "-" "x" "192.0.2.4, 192.0.2.5""#, Some("-"), Some("x"));
    check(r#" "-" "x" 0.005 0.004 "up:80""#, Some("-"), Some("x"));
    check(r#" "-" "x" 17 "router@file" "http://192.0.2.5:80" 5ms"#, Some("-"), Some("x"));
    check(r#" "-" "x "8" 4k" rt=0.1"#, Some("-"), Some(r#"x "8" 4k"#));
    check(r#" "-" "x"#, Some("-"), None);
    check(r#" "-" "#, Some("-"), None);
    check(r#" "-""#, Some("-"), None);
    check(r#" "-"#, None, None);
    check(r#" 0.005 "-" "x""#, None, None);
}

#[test]
fn lines_of_every_oddity_keep_their_fields() {
    // The kinds of lines of the shared case 41, with other bytes.
    let lines = r#"
203.0.113.1 - - [02/Jun/2026:10:00:00 +0000] "PUT /p HTTP/1.1" 201 9 "-" "Screen 5\" tall"
203.0.113.1 - - [02/Jun/2026:10:00:01 +0000] "GET /q HTTP/1.1" 200 9 "-" "the "best" one"
203.0.113.2 - - [02/Jun/2026:10:00:02 +0000] "\x16\x03\x03\x00" 400 0 "-" "-"
2001:db8::9 - - [02/Jun/2026:10:00:03 +0000] "-" 408 - "-" "-"
bot.example.net - - [02/Jun/2026:10:00:04 -0130] "GET /[y] HTTP/2.0" 302 - "-" "[2] [01/Jan/2020:"
203.0.113.1 - Jo Doe [02/Jun/2026:10:00:05 +0000] "GET / HTTP/1.1" 200 9 "-" "y"
"203.0.113.3 - - [02/Jun/2026:10:00:06 +0000] "GET / HTTP/1.1" 200 9 "-" "y""
203.0.113.1 - - [02/Jun/2026:10:00:07 +0000] "GET /é HTTP/1.1" 404 9 "-" ""
203.0.113.2 - - [02/Ju
"#;
    let expected = r"
203.0.113.1 02/Jun/2026:10:00:00 +0000 /p 201
203.0.113.1 02/Jun/2026:10:00:01 +0000 /q 200
203.0.113.2 02/Jun/2026:10:00:02 +0000 \x16\x03\x03\x00 400
2001:db8::9 02/Jun/2026:10:00:03 +0000 - 408
bot.example.net 02/Jun/2026:10:00:04 -0130 /[y] 302
203.0.113.1 02/Jun/2026:10:00:05 +0000 / 200
203.0.113.3 02/Jun/2026:10:00:06 +0000 / 200
203.0.113.1 02/Jun/2026:10:00:07 +0000 /é 404
203.0.113.2
";
    for (line, expected) in lines.lines().zip(expected.lines()) {
        let found = [Ip, Time, Path, Status].iter().filter_map(|name| get(line.as_bytes(), *name));
        assert_eq!(found.collect::<Vec<_>>().join(&b' '), expected.as_bytes(), "{line}");
        assert_eq!(is_access_line(line.as_bytes()), expected.contains(' '));
    }
}

#[test]
fn bytes_that_are_no_text_are_kept() {
    let line = b"192.0.2.1 - \xff\xfe [21/May/2026:08:30:27 +0000] \"GET /\xff\x00 HTTP/1.1\" 404 1 \"-\" \"\xfe\"";
    assert_eq!(
        [User, Path, Agent].map(|name| get(line, name)),
        [Some(&b"\xff\xfe"[..]), Some(b"/\xff\x00"), Some(b"\xfe")]
    );
    assert!(is_access_line(line));
}

#[test]
fn only_access_lines_are_taken_for_them() {
    let line = with_request(r#""GET / HTTP/1.1" 200 1 "-" "x""#);
    let good = ["21/May/2026:08:30:20.123 +0000", "21/Dec/2026:08:30:20 -0700"];
    for time in good {
        assert!(is_access_line(line.replace("21/May/2026:08:30:20 +0000", time).as_bytes()), "{time}");
    }
    let bad = [
        "21/Foo/2026:08:30:20 +0000",
        "21/May/2026:08:30:20",
        "21/May/2026 08:30:20 +0000",
        "1/May/2026:08:30:20 +0000",
        "21/May/2026:08:30:20 +00:00",
    ];
    for time in bad {
        assert!(!is_access_line(line.replace("21/May/2026:08:30:20 +0000", time).as_bytes()), "{time}");
    }
    // Something stands in front of the address.
    for front in [
        "2026-05-21T08:30:20Z stdout F ",
        "web-1  | ",
        "May 21 08:30:20 host nginx: ",
        "example.com ",
        "example.com:80 ",
        "192.0.2.7, ",
    ] {
        let line = format!("{front}{line}");
        assert!(!is_access_line(line.as_bytes()), "{line}");
        assert!(field(line.as_bytes(), Time).is_some());
    }
    let others = [
        format!("{{\"log\":\"{}\"}}", line.replace('"', "\\\"")),
        line.replace(" 200 ", " - "),
        line.replace(" 200 ", " 2000 "),
        line.replace("] \"GET", "] GET"),
        line.replace("- - ", "- "),
        line.replace("192.0.2.9", "[core]"),
    ];
    for line in others {
        assert!(!is_access_line(line.as_bytes()), "{line}");
    }
}

/// The files of a folder beside the project, which is not there everywhere.
fn shared(name: &str) -> Option<PathBuf> {
    let folder = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("../shared").join(name);
    if !folder.is_dir() {
        eprintln!("skipped: no ../shared/{name}");
        return None;
    }
    Some(folder)
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = bytes.strip_suffix(b"\n").unwrap_or(bytes).split(|byte| *byte == b'\n');
    lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line))
}

fn json(file: PathBuf) -> serde_json::Value {
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

#[test]
fn the_shared_case_has_its_keys_and_times() {
    let Some(folder) = shared("cases/41-access-log-quotes") else { return };
    let bytes = fs::read(folder.join("access.log")).unwrap();
    let expected = json(folder.join("expect.json"));
    let times: Vec<bool> = lines(&bytes).map(|line| field(line, Time).is_some()).collect();
    let wanted: Vec<bool> = expected["time_ns"].as_array().unwrap().iter().map(|time| !time.is_null()).collect();
    assert_eq!(times, wanted);
    assert_eq!(lines(&bytes).map(is_access_line).collect::<Vec<bool>>(), wanted);
    for client in expected["top_client"].as_array().unwrap() {
        let ip = client[0].as_str().unwrap().as_bytes();
        let count = lines(&bytes).filter(|line| get(line, Ip) == Some(ip)).count();
        assert_eq!(count as u64, client[1].as_u64().unwrap());
    }
    assert_eq!(lines(&bytes).filter(|line| field(line, Ip).is_some()).count(), 9);
}

#[test]
fn real_lines_all_have_their_fields() {
    let Some(folder) = shared("data/apache-combined") else { return };
    let bytes = fs::read(folder.join("access.log")).unwrap();
    let facts = json(folder.join("facts.json"));
    let mut addresses = HashSet::new();
    for line in lines(&bytes) {
        assert!(is_access_line(line), "{}", String::from_utf8_lossy(line));
        for name in [Time, Path, Status, Bytes] {
            assert!(field(line, name).is_some());
        }
        assert_eq!(field(line, Time).unwrap().len(), 26);
        addresses.insert(get(line, Ip).unwrap());
    }
    assert_eq!(addresses.len() as u64, facts["distinct_keys"].as_u64().unwrap());
}

#[test]
fn no_line_of_another_log_is_taken_for_one() {
    let Some(folder) = shared("data") else { return };
    let folders = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    for folder in folders.filter(|folder| folder.is_dir() && !folder.ends_with("apache-combined")) {
        for file in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let bytes = fs::read(&file).unwrap();
            assert_eq!(lines(&bytes).find(|line| is_access_line(line)), None, "{}", file.display());
        }
    }
}

/// Pieces joined, up to so many.
fn text(pieces: &'static [&'static str], least: usize, most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(pieces), least..=most).prop_map(|pieces| pieces.concat())
}

const USER: &[&str] = &["a", "Z", " ", "-", "[", "]", "/", "\"", "\u{e9}"];
const TARGET: &[&str] = &["/", "a", "?", " ", "[", "]", "\"", "\\\"", "\\\\", "\u{e9}", "=", "\" 20 ", " HTTP"];
const SOUP: &[&str] =
    &["h", " ", " ", "\"", "\\", "[", "]", " [1/Jun/", "GET /", " HTTP/1", "\" 200 ", "-", "7", "\" \"", "\t", USUAL];
const USUAL: &str = " [21/May/2026:08:30:20 +0000] \"";
const QUOTED: &[&str] = &["a", "/", "5", " ", "[", "\"", "\\\"", "\\\\", "(", ";", "\u{e9}", "\" b"];

/// Text without a quote that ends it, the one behind it not counted.
fn unended(text: &str) -> bool {
    let quoted = format!("{text}\"");
    let ends = |rest: &str| rest.starts_with(" \"") || rest.starts_with(" 5");
    quotes(text.as_bytes(), 0).all(|quote| !ends(&quoted[quote + 1..]))
}

fn request() -> impl Strategy<Value = [Option<String>; 3]> {
    let method = || prop::sample::select(vec!["GET", "POST", "M-SEARCH"]).prop_map(|method| Some(method.to_owned()));
    let http = (method(), text(TARGET, 0, 8), prop::sample::select(vec!["HTTP/1.0", "HTTP/1.1", "HTTP/2.0"]))
        .prop_map(|(method, target, protocol)| [method, Some(format!("/{target}")), Some(protocol.to_owned())]);
    let old = (method(), text(TARGET, 0, 8))
        .prop_map(|(method, target)| [method, Some(format!("/{target}").trim_end().to_owned()), None]);
    let is_old = |words: &[Option<String>; 3]| words[1].as_ref().is_some_and(|path| !path.contains(" HTTP/"));
    let old = old.prop_filter("has no protocol", is_old);
    let other = text(&["-", "\\x16", "\\x03", "\u{1}", " ", "\""], 0, 5).prop_map(|text| [None, Some(text), None]);
    prop_oneof![4 => http, 1 => old, 1 => other]
}

/// The fields of a line, in their order, and what follows them.
fn well_formed() -> impl Strategy<Value = ([Option<String>; 11], String)> {
    let ip = prop_oneof![
        any::<[u8; 4]>().prop_map(|[a, b, c, d]| format!("{a}.{b}.{c}.{d}")),
        any::<u32>().prop_map(|part| format!("2001:db8::{part:x}")),
        "[a-z][a-z0-9.-]{0,12}",
        Just("unix:".to_owned()),
    ];
    let user = text(USER, 1, 6).prop_filter("trimmed", |user| !user.trim().is_empty() && user.trim() == user);
    let time = (1..=31u8, prop::sample::select(&MONTHS[..]), 1970..2100u16, 0..24u8, 0..60u8, 0..14u8).prop_map(
        |(day, month, year, hour, minute, zone)| {
            let month = str::from_utf8(month).unwrap();
            format!("{day:02}/{month}/{year}:{hour:02}:{minute:02}:07 +{zone:02}00")
        },
    );
    let quoted = || text(QUOTED, 0, 8).prop_filter("has an end of its own", |text| unended(text));
    let bytes = prop_oneof![any::<u32>().prop_map(|bytes| bytes.to_string()), Just("-".to_owned())];
    let rest = prop::sample::select(vec!["", "", " \"192.0.2.1, 192.0.2.2\"", " 0.005", " 12 \"a\" \"b\" 5ms"]);
    let tail = prop::option::of((quoted(), quoted(), rest));
    (ip, "[a-z-]{1,6}", user, time, request(), 100..600u16, bytes, tail).prop_map(
        |(ip, ident, user, time, [method, path, protocol], status, bytes, tail)| {
            let (referer, agent, rest) = tail.map_or((None, None, ""), |(r, a, rest)| (Some(r), Some(a), rest));
            let [ip, ident, user, time, bytes] = [ip, ident, user, time, bytes].map(Some);
            let status = Some(status.to_string());
            let fields = [ip, ident, user, time, method, path, protocol, status, bytes, referer, agent];
            (fields, rest.to_owned())
        },
    )
}

fn join((fields, rest): &([Option<String>; 11], String)) -> String {
    let [ip, ident, user, time, method, path, protocol, status, bytes, referer, agent] =
        fields.each_ref().map(|field| field.as_deref().unwrap_or_default());
    let request = [method, path, protocol].into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let line = format!("{ip} {ident} {user} [{time}] \"{request}\" {status} {bytes}");
    if fields[9].is_some() { format!("{line} \"{referer}\" \"{agent}\"{rest}") } else { line }
}

/// A line of no or some form.
fn any_line() -> impl Strategy<Value = Vec<u8>> {
    let changes = prop::collection::vec((any::<prop::sample::Index>(), any::<Option<u8>>()), 0..6);
    let changed = (well_formed(), changes, any::<prop::sample::Index>()).prop_map(|(line, changes, cut)| {
        let mut line = join(&line).into_bytes();
        for (at, byte) in changes {
            let at = at.index(line.len());
            match byte {
                Some(byte) if byte % 2 == 0 => line[at] = byte,
                Some(byte) => line.insert(at, byte),
                None => drop(line.remove(at)),
            }
        }
        line.truncate(line.len() - cut.index(line.len()) / 2);
        line
    });
    prop_oneof![prop::collection::vec(any::<u8>(), 0..80), text(SOUP, 0, 20).prop_map(String::into_bytes), changed,]
}

fn check_subset(line: &[u8], names: &[AccessField]) {
    let mut parts = vec![Some(1..2); 3];
    fields(line, names, &mut parts);
    let single: Vec<Option<Range<usize>>> = names.iter().map(|name| field(line, *name)).collect();
    assert_eq!(parts, single, "{names:?} of {}", String::from_utf8_lossy(line));
}

fn check_every_subset(line: &[u8]) {
    for subset in 0..1 << AccessField::ALL.len() {
        let chosen = |name: &AccessField| subset >> (*name as usize) & 1 == 1;
        let mut names: Vec<AccessField> = AccessField::ALL.into_iter().filter(chosen).collect();
        check_subset(line, &names);
        names.reverse();
        check_subset(line, &names);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn fields_joined_come_back(parts in well_formed()) {
        let line = join(&parts);
        for (name, expected) in AccessField::ALL.into_iter().zip(&parts.0) {
            let found = get(line.as_bytes(), name).map(|text| str::from_utf8(text).unwrap());
            prop_assert_eq!(found, expected.as_deref(), "{} of {}", name.name(), line);
        }
        let wrapped = format!("\"{line}\"");
        for name in AccessField::ALL {
            let inside = get(line.as_bytes(), name);
            prop_assert_eq!(get(wrapped.as_bytes(), name), inside, "{} of {}", name.name(), wrapped);
        }
    }

    #[test]
    fn what_a_cut_line_has_is_whole(parts in well_formed(), cut in any::<prop::sample::Index>()) {
        let line = join(&parts).into_bytes();
        let cut = &line[..cut.index(line.len())];
        // A quote that is not escaped may look like a field's end where the line is cut.
        let raw = parts.0[4..].iter().flatten().any(|text| quotes(text.as_bytes(), 0).next().is_some());
        for name in AccessField::ALL.into_iter().filter(|name| *name != Bytes && !raw) {
            prop_assert!(field(cut, name).is_none_or(|_| get(cut, name) == get(&line, name)), "{}", name.name());
        }
        prop_assert!(field(cut, Bytes).is_none_or(|range| range.start == field(&line, Bytes).unwrap().start));
    }

    #[test]
    fn every_range_is_in_its_line(line in any_line()) {
        let ranges = AccessField::ALL.map(|name| field(&line, name));
        for range in ranges.iter().flatten() {
            prop_assert!(range.start <= range.end && range.end <= line.len());
        }
        let found: Vec<&Range<usize>> = ranges.iter().flatten().collect();
        prop_assert!(found.windows(2).all(|pair| pair[0].end < pair[1].start), "in order, something between");
        is_access_line(&line);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn many_fields_are_the_single_ones(line in any_line()) {
        check_every_subset(&line);
    }
}
