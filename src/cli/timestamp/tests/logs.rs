//! Lines of certain programs.

use super::*;

#[test]
fn klog_stamps_begin_behind_the_letter() {
    let year_added = |stamp| match stamp {
        Stamp::NoYear(stamp) => Stamp::At(reader().year_rule(Some(2025), None).resolve(stamp, None)),
        stamp => stamp,
    };
    let noon = "2025-03-01T12:00:00.123456Z";
    for level in ["I", "W", "E", "F"] {
        let (stamp, text) = leading(&format!("{level}0301 12:00:00.123456    1234 main.go:42] message"));
        assert_eq!((year_added(stamp), text.as_str()), (at(noon), "0301 12:00:00.123456"));
    }
    check_leading(&[("I20250301 12:00:00.123456 1 a.cc:7] m", "20250301 12:00:00.123456", noon)]);
    for text in
        ["I0301 12:00:00.123456", "0301 12:00:00.123456", "[E20250301 12:00:00.123456]", "20250301 12:00:00.123456"]
    {
        assert_eq!(year_added(field(text)), at(noon), "{text:?}");
    }
    let mut zoned = with_options(None, Some("+02:00"));
    let (stamp, range) = zoned.leading(b" I0301 12:00:00.123456 1 a.go:7] m");
    assert_eq!((zoned.form(), range), (Some(Form::Klog), 2..22));
    let Stamp::NoYear(stamp) = stamp else { panic!("{stamp:?}") };
    let resolved = zoned.year_rule(Some(2025), None).resolve(stamp, None);
    assert_eq!(Stamp::At(resolved), at("2025-03-01T10:00:00.123456Z"));
    check_all(&["I1301 12:00:00.123456 1", "E0230 12:00:00.123456 1", "W0301 12:00:61.123456 1"], Stamp::Bad);
    check_all(
        &[
            "X0301 12:00:00.123456 1",
            "0301 12:00:00.123456 1",
            "I301 12:00:00.123456 1",
            "I0301 12:00:00.12345 1",
            "I0301 12:00:00.1234567 1",
            "I0301 12:00:00,123456 1",
            "I0301 12:00:00 1",
            "I0301T12:00:00.123456 1",
            "II0301 12:00:00.123456 1",
            "I0301 12:00:00.123456Z",
            "E1001",
        ],
        Stamp::None,
    );
}

#[test]
fn lines_of_another_form_are_passed_over_once_one_is_locked() {
    let (iso, klog) = (b"2022-02-13T10:09:11.521Z Port 22", b"I0613 10:22:26.154722       1 client.go:58] ACCEPT");
    let mut first = reader();
    assert_eq!(first.leading(iso).0, at("2022-02-13T10:09:11.521Z"));
    assert_eq!(first.leading(klog), (Stamp::None, 0..0));
    let mut second = reader();
    assert!(matches!(second.leading(klog).0, Stamp::NoYear(_)));
    assert_eq!(second.leading(iso), (Stamp::None, 0..0));
}

#[test]
fn error_logs_of_servers_begin_with_stamps() {
    check_leading(&[
        ("[Sun Dec 04 04:47:44 2005] [notice] x", "Sun Dec 04 04:47:44 2005", "2005-12-04T04:47:44Z"),
        ("2015-10-18 18:01:47,978 INFO [main] x", "2015-10-18 18:01:47,978", "2015-10-18T18:01:47.978Z"),
        ("2026/05/04 10:00:00 [error] 7#7: *1 x", "2026/05/04 10:00:00", "2026-05-04T10:00:00Z"),
    ]);
}
