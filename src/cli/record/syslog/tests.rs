use super::*;
use proptest::prelude::*;

/// The fields that a line has, as `name=text`, in their order.
fn texts(record: &str) -> Vec<String> {
    let mut found = Found::default();
    fields(record.as_bytes(), &SyslogField::ALL, &mut found);
    let text = |part: usize| {
        let text = std::str::from_utf8(found.text(record.as_bytes(), part)?).unwrap();
        Some(format!("{}={text}", SyslogField::ALL[part].name()))
    };
    (0..SyslogField::ALL.len()).filter_map(text).collect()
}

fn check(cases: &[(&str, &[&str])]) {
    for (record, expected) in cases {
        assert_eq!(texts(record), *expected, "{record}");
    }
}

#[test]
fn rfc_3164_lines_have_a_host_an_app_and_a_message() {
    let time = "time=Oct 11 22:14:15";
    let (host, message) = ("host=h", "message=m n");
    let priority = ["priority=34", "facility=auth", "severity=crit"];
    let [number, facility, severity] = priority;
    check(&[
        ("Oct 11 22:14:15 h app[123]: m n", &[time, host, "app=app", "pid=123", message]),
        ("<34>Oct 11 22:14:15 h app: m n", &[number, facility, severity, time, host, "app=app", message]),
        ("<34> Oct 11 22:14:15 h m n", &[number, facility, severity, time, host, message]),
        ("Oct  1 22:14:15 h app: m n", &["time=Oct  1 22:14:15", host, "app=app", message]),
        ("oct 1 22:14:15.25  h  app:  m n", &["time=oct 1 22:14:15.25", host, "app=app", "message= m n"]),
        ("Oct 11 2003 22:14:15 h app: m n", &["time=Oct 11 2003 22:14:15", host, "app=app", message]),
        ("Oct 11 22:14:15 h a(b)[1]: m n", &[time, host, "app=a(b)", "pid=1", message]),
        ("Oct 11 22:14:15 h a/b[1-2]:m n", &[time, host, "app=a/b", "pid=1-2", message]),
        ("Oct 11 22:14:15 h a[1] m n", &[time, host, "app=a", "pid=1", message]),
        ("Oct 11 22:14:15 h a[]: m n", &[time, host, "app=a", message]),
        ("Oct 11 22:14:15 h a:", &[time, host, "app=a", "message="]),
        ("Oct 11 22:14:15 fe80:: a: m n", &[time, "host=fe80::", "app=a", message]),
    ]);
}

#[test]
fn a_message_need_not_name_an_app() {
    let time = "time=Oct 11 22:14:15";
    check(&[
        ("Oct 11 22:14:15 h last message repeated 3 times", &[time, "host=h", "message=last message repeated 3 times"]),
        ("Oct 11 22:14:15 last message repeated 3 times", &[time, "message=last message repeated 3 times"]),
        ("Oct 11 22:14:15 --- last message repeated", &[time, "message=--- last message repeated"]),
        ("Oct 11 22:14:15 h -- MARK --", &[time, "host=h", "message=-- MARK --"]),
        ("Oct 11 22:14:15 h a[b] m", &[time, "host=h", "message=a[b] m"]),
        ("Oct 11 22:14:15 h [1]: m", &[time, "host=h", "message=[1]: m"]),
        ("Oct 11 22:14:15 h a:b c", &[time, "host=h", "message=a:b c"]),
        ("Oct 11 22:14:15 h : m", &[time, "host=h", "message=: m"]),
    ]);
}

#[test]
fn an_app_in_the_place_of_the_host_is_no_host() {
    let time = "time=Oct 11 22:14:15";
    check(&[
        ("Oct 11 22:14:15 app[1]: m", &[time, "app=app", "pid=1", "message=m"]),
        ("Oct 11 22:14:15 app: m", &[time, "app=app", "message=m"]),
        ("Oct 11 22:14:15: %LINK-3-UPDOWN: m", &[time, "message=%LINK-3-UPDOWN: m"]),
    ]);
}

#[test]
fn iso_stamps_may_stand_for_the_time() {
    let rest = ["host=h", "app=a", "pid=1", "message=m"];
    for time in [
        "2026-03-01T10:00:00+00:00",
        "2026-03-01T10:00:00.123456+0000",
        "2026-03-01T10:00:00Z",
        "2026-03-01 10:00:00,123",
    ] {
        let time_text = format!("time={time}");
        let all = [time_text.as_str(), rest[0], rest[1], rest[2], rest[3]];
        check(&[(&format!("{time} h a[1]: m"), &all)]);
        let with_priority = [&["priority=13", "facility=user", "severity=notice"], &all[..]].concat();
        check(&[(&format!("<13>{time} h a[1]: m"), &with_priority)]);
    }
}

#[test]
fn rfc_5424_lines_have_their_fields_and_dashes_for_none() {
    let front = ["priority=34", "facility=auth", "severity=crit", "version=1"];
    let with_front = |rest: &[&'static str]| [&front, rest].concat();
    let time = "time=2003-10-11T22:14:15.003Z";
    check(&[
        (
            "<34>1 2003-10-11T22:14:15.003Z h a p i [s x=\"v\"] m n",
            &with_front(&[time, "host=h", "app=a", "pid=p", "msgid=i", "data=[s x=\"v\"]", "message=m n"]),
        ),
        ("<34>1 - - - - - -", &with_front(&[])),
        ("<34>1 - - - - - - ", &with_front(&["message="])),
        ("<34>1 - - - - - - \u{feff}m", &with_front(&["message=m"])),
        ("<34>1 - - - - - -  \u{feff}m", &with_front(&["message= \u{feff}m"])),
        ("<34>1 - h - - - [s][t] m", &with_front(&["host=h", "data=[s][t]", "message=m"])),
        ("<34>1 - - - - - [s]", &with_front(&["data=[s]"])),
        ("<34>1 - - - - - the data was left out", &with_front(&["message=the data was left out"])),
        ("<34>1 - - - - - -5 m", &with_front(&["message=-5 m"])),
        ("1 2003-10-11T22:14:15.003Z h - - - - m", &["version=1", time, "host=h", "message=m"]),
    ]);
}

#[test]
fn brackets_between_quotes_do_not_end_the_structured_data() {
    let line = |data: &str| format!("<0>1 - - - - - {data} m");
    for data in
        [r#"[s x="]"]"#, r#"[s x="\]"]"#, r#"[s x="\"]"][t]"#, r#"[s x="\\" y="] ["]"#, r"[s \]", "[s x=\"\u{e9}\"]"]
    {
        let found = texts(&line(data));
        assert_eq!(found[4..], [format!("data={data}"), "message=m".to_owned()], "{data}");
    }
}

#[test]
fn a_line_that_was_cut_has_what_it_has_whole() {
    let time = "time=Oct 11 22:14:15";
    let priority = ["priority=0", "facility=kern", "severity=emerg", "version=1"];
    check(&[
        ("Oct 11 22:14:15 host", &[time]),
        ("Oct 11 22:14:15 ", &[time]),
        ("Oct 11 22:14:15", &[]),
        ("2026-03-01T10:00:00+00", &[]),
        ("Oct 11 22:14:15 h app[12]", &[time, "host=h", "message=app[12]"]),
        ("<0>1 - h a p i", &[&priority[..], &["host=h", "app=a", "pid=p"]].concat()),
        ("<0>1 - h - - - [s x=\"] cut", &[&priority[..], &["host=h"]].concat()),
        ("<0>1 - h - - - ", &[&priority[..], &["host=h"]].concat()),
        ("<0>1 - h - - - [s x=\"\\", &[&priority[..], &["host=h"]].concat()),
    ]);
}

#[test]
fn a_line_without_a_time_is_all_message_behind_its_priority() {
    check(&[
        ("<6>[  0.0] Linux: x", &["priority=6", "facility=kern", "severity=info", "message=[  0.0] Linux: x"]),
        ("<191>", &["priority=191", "facility=local7", "severity=debug", "message="]),
        ("<34>1 x", &["priority=34", "facility=auth", "severity=crit", "message=1 x"]),
        ("<192>x", &[]),
        ("<1234>x", &[]),
        ("<>x", &[]),
        ("<34", &[]),
        ("a plain line: x", &[]),
        ("1 - h a p i - a numbered line", &[]),
        ("Foo 11 22:14:15 h a: m", &[]),
        ("Oct 111 22:14:15 h a: m", &[]),
        ("Oct 11 22:14 h a: m", &[]),
        ("", &[]),
    ]);
}

#[test]
fn without_a_part_its_brackets_go_as_well() {
    use SyslogField::*;
    let record = b"<34>Oct 11 22:14:15 host app[123]: m";
    let mut found = Found::default();
    fields(record, &[Severity, Pid, Priority, App], &mut found);
    let extents: Vec<_> = found.places.iter().flatten().map(|place| &record[place.extent.clone()]).collect();
    assert_eq!(extents, [&b"<34>"[..], b"[123]", b"<34>", b"app"]);
    let texts: Vec<_> = (0..4).map(|part| found.text(record, part).unwrap()).collect();
    assert_eq!(texts, [&b"crit"[..], b"123", b"34", b"app"]);
    assert_eq!((found.places[0].clone().unwrap().raw, found.scratch), (1..3, b"crit".to_vec()));
}

#[test]
fn a_long_hostile_line_is_read_in_one_go() {
    let mut found = Found::default();
    let front = b"<0>1 - h - - - ".to_vec();
    for (bit, count) in [(&b"[s]"[..], 300_000), (b"[\"\\", 300_000), (b"[\"]\"]", 300_000), (b"[", 900_000)] {
        let record = [front.clone(), bit.repeat(count)].concat();
        fields(&record, &SyslogField::ALL, &mut found);
        assert!(found.places[5].is_some());
    }
}

/// A field of RFC 5424, or a dash for none.
fn header() -> impl Strategy<Value = Option<String>> {
    prop::option::of("[!-~]{1,12}".prop_filter("a dash is none", |text| text != "-"))
}

fn or_dash(text: &Option<String>) -> &str {
    text.as_deref().unwrap_or("-")
}

proptest! {
    #[test]
    fn what_rfc_5424_writes_is_read(
        priority in 0_usize..192,
        headers in prop::array::uniform4(header()),
        ids in prop::collection::vec(("[a-z@0-9]{1,5}", "[ -~é]{0,8}"), 0..3),
        message in prop::option::of("[ -~é]{0,20}"),
    ) {
        let quoted = |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"").replace(']', "\\]");
        let data = ids.iter().map(|(id, value)| format!("[{id} x=\"{}\"]", quoted(value))).collect::<String>();
        let data = Some(data).filter(|data| !data.is_empty());
        let words = headers.iter().map(or_dash).collect::<Vec<_>>().join(" ");
        let mut line = format!("<{priority}>1 2003-10-11T22:14:15Z {words} {}", or_dash(&data));
        if let Some(message) = &message {
            line += " ";
            line += message;
        }
        let mut expected = vec![
            format!("priority={priority}"),
            format!("facility={}", FACILITIES[priority >> 3]),
            format!("severity={}", SEVERITIES[priority & 7]),
            "version=1".to_owned(),
            "time=2003-10-11T22:14:15Z".to_owned(),
        ];
        let [host, app, pid, id] = headers;
        let rest = [("host", host), ("app", app), ("pid", pid), ("msgid", id), ("data", data), ("message", message)];
        expected.extend(rest.into_iter().filter_map(|(name, text)| Some(format!("{name}={}", text?))));
        prop_assert_eq!(texts(&line), expected, "{}", line);
    }

    #[test]
    fn what_rfc_3164_writes_is_read(
        priority in prop::option::of(0_usize..192),
        time in "(Jan|May|Dec) ( [1-9]|[12][0-9]) ([0-9]{4} )?[0-2][0-9]:[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,6})?",
        host in "[a-z0-9.-]{0,9}[a-z0-9]",
        app in "[a-zA-Z/_.()%-]{1,12}",
        pid in prop::option::of("[0-9]{1,7}"),
        message in "[ -~é]{0,20}",
    ) {
        let mut expected = vec![format!("time={time}"), format!("host={host}"), format!("app={app}")];
        expected.extend(pid.as_ref().map(|pid| format!("pid={pid}")));
        expected.push(format!("message={message}"));
        let pid = pid.map_or(String::new(), |pid| format!("[{pid}]"));
        let line = format!("{time} {host} {app}{pid}: {message}");
        prop_assert_eq!(texts(&line), expected.clone());
        if let Some(priority) = priority {
            prop_assert_eq!(&texts(&format!("<{priority}>{line}"))[3..], expected);
        }
    }

    #[test]
    fn damaged_lines_do_not_panic_and_places_lie_inside(
        line in prop::sample::select(vec![
            "<34>Oct 11 22:14:15 host app[123]: message",
            "<34>Oct 11 2003 22:14:15.5 host app: message",
            "2026-03-01T10:00:00+00:00 host app[1]: message",
            "<34>1 2003-10-11T22:14:15.003Z host app pid msgid [sd id=\"v\"] \u{feff}message",
        ]),
        changes in prop::collection::vec(
            (any::<prop::sample::Index>(), prop_oneof![any::<u8>(), prop::sample::select(b"<>[]\": -\\1".to_vec())]),
            0..4,
        ),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = line.as_bytes().to_vec();
        for (index, byte) in changes {
            let position = index.index(bytes.len());
            bytes[position] = byte;
        }
        bytes.truncate(cut.index(line.len() + 1));
        let mut found = Found::default();
        fields(&bytes, &SyslogField::ALL, &mut found);
        for place in found.places.iter().flatten() {
            prop_assert!(place.extent.start <= place.raw.start && place.raw.start <= place.raw.end);
            prop_assert!(place.raw.end <= place.extent.end && place.extent.end <= bytes.len());
        }
    }
}
