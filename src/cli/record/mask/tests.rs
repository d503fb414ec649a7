use super::*;

mod properties;
mod twin;

fn masked(masks: &str, text: impl AsRef<[u8]>) -> String {
    let mut masked = Vec::new();
    Masks::parse(masks).unwrap().apply(text.as_ref(), &mut masked);
    String::from_utf8(masked).unwrap()
}

/// Checks pairs of a text and what it becomes.
fn check(masks: &str, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(masked(masks, text), *expected, "{masks} of {text}");
    }
}

/// Checks that each text is one part as a whole, at the ends of a line and within one.
fn check_whole(mask: &str, texts: &[&str]) {
    for text in texts {
        assert_eq!(masked(mask, text), format!("<{mask}>"), "{text}");
        assert_eq!(masked(mask, format!("at [{text}] x")), format!("at [<{mask}>] x"), "{text}");
        assert_eq!(masked(mask, format!("x={text}, y")), format!("x=<{mask}>, y"), "{text}");
    }
}

/// Checks that nothing of these texts is a part.
fn check_stays(masks: &str, texts: &[&str]) {
    for text in texts {
        assert_eq!(masked(masks, text), *text, "{masks}");
    }
}

#[test]
fn names_are_parsed_and_all_means_the_usual_ones() {
    assert_eq!(Masks::parse("num,ip").unwrap(), Masks(Mask::Num.bit() | Mask::Ip.bit()));
    assert_eq!(Masks::parse("all"), Masks::parse("num,hex,uuid,ip,time"));
    assert_eq!(Masks::parse("query,all,all"), Masks::parse("num,hex,uuid,ip,time,query"));
    assert!(Masks::parse("all").unwrap().contains(Mask::Time) && !Masks::parse("all").unwrap().contains(Mask::Quoted));
    assert!(Masks::default().is_empty() && !Masks::parse("query").unwrap().is_empty());
    assert_eq!(Masks::parse("ip,num").unwrap().to_string(), "num,ip");
    assert_eq!(Masks::default().to_string(), "");
    for mask in Mask::EACH {
        assert_eq!(Masks::parse(mask.name()), Ok(Masks(mask.bit())));
        assert_eq!(format!("<{}>", mask.name()), mask.placeholder());
    }
}

#[test]
fn an_unknown_name_is_told_with_what_there_is() {
    let expected =
        "`IP` is no mask: there are num, hex, uuid, ip, time, quoted, query and `all` for num, hex, uuid, ip, time";
    assert_eq!(Masks::parse("num,IP").unwrap_err(), expected);
    assert!(Masks::parse("").unwrap_err().starts_with("`` is no mask"));
    assert!(Masks::parse("num,").is_err() && Masks::parse("num ip").is_err());
}

/// A line of a log, and below it the template that it becomes.
const LOG_LINES: &str = r#"
081109 203518 143 INFO dfs.DataNode$DataXceiver: block blk_-1608999687919862906 src: /192.0.2.19:54106 dest: /a
<num> <num> <num> INFO dfs.DataNode$DataXceiver: block blk_<num> src: /<ip>:<num> dest: /a
Dec 10 06:55:46 host1 sshd[24200]: Failed password for invalid user web9 from 198.51.100.187 port 38926 ssh2
<time> host<num> sshd[<num>]: Failed password for invalid user web<num> from <ip> port <num> ssh<num>
2026/03/01 10:00:00 [error] 31#31: *1057 timed out (110: x), client: 2001:db8::7, up: "http://192.0.2.4:8080/a"
<time> [error] <num>#<num>: *<num> timed out (<num>: x), client: <ip>, up: "http://<ip>:<num>/a"
192.0.2.1 - - [17/May/2015:10:05:03 +0000] "GET /a/3f2a1b9c.js?v=2 HTTP/1.1" 200 203023 "-" "curl/8.5.0"
<ip> - - [<time>] "GET /a/<hex>.js?v=<num> HTTP/<num>" <num> <num> "-" "curl/<num>"
2026-03-01 10:00:00,123 WARN  [pool-3-thread-12] - try 3/5 in 1.5s for 550e8400-e29b-41d4-a716-446655440000
<time> WARN  [pool-<num>-thread-<num>] - try <num>/<num> in <num>s for <uuid>
  at com.example.Main$1.run(Main.java:42) ~[app-1.2.3.jar!/:?]
  at com.example.Main$<num>.run(Main.java:<num>) ~[app-<num>.jar!/:?]
[   12.345678] usb 1-1.4: idVendor=0x1d6b, rip: 0010:ffffffff8100a3c4 eth0: 00:1a:2b:3c:4d:5e
[   <num>] usb <num>-<num>: idVendor=<hex>, rip: <num>:<hex> eth<num>: <hex>
[Sun Dec 04 04:47:44 2005] [notice] workerEnv.init() ok /etc/httpd/conf/workers2.properties
[<time>] [notice] workerEnv.init() ok /etc/httpd/conf/workers<num>.properties
12:2026-03-01T10:00:00.123Z conn12345 took 12ms, 95% of 1,048,576 bytes
<num>:<time> conn<num> took <num>ms, <num>% of <num> bytes
I0316 10:00:00.123456   4242 server.go:17] ok
I<num> <time>   <num> server.go:<num>] ok
7,-3,192.0.2.1,2026-03-01 10:00:00,abcdef01,1,2
<num>,<num>,<ip>,<time>,<hex>,<num>
"#;

#[test]
fn log_lines_become_their_templates() {
    let lines: Vec<&str> = LOG_LINES.trim_matches('\n').lines().collect();
    check("all", &lines.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect::<Vec<_>>());
}

#[test]
fn a_stamp_is_a_time_as_a_whole() {
    let stamps = [
        "2026-03-01T10:00:00.123Z",
        "2026-03-01t10:00:00z",
        "2026-03-01 10:00:00,123",
        "2026-03-01 10:00:00.123456789+02:00",
        "2026-03-01 10:00:00 +0200",
        "2026-03-01 10:00:00+02",
        "2026-03-01 10:00:00 UTC",
        "2026-03-01 10:00",
        "2026-03-01_10:00:00",
        "2026-03-01",
        "2026/03/01 10:00:00.110",
        "20260301T100000Z",
        "20260301T100000.5-0800",
        "17/May/2015:10:05:03 +0000",
        "17/May/2015",
        "01-Mar-2026 10:00:00.123",
        "01-03-2026 10:00",
        "03/01/2026",
        "3/01/2026",
        "03/01/2026, 10:00:00 AM",
        "26/03/01 10:00:00",
        "Mar  1 10:00:00",
        "Mar 1 10:00:00",
        "Mar 01 10:00:00.123",
        "Mar 1, 2026 9:05:03 PM",
        "Sun Dec 04 04:47:44 2005",
        "Sun Dec  4 04:47:44.123456 2005",
        "Sun Dec  4 04:47:44 CEST 2005",
        "Sun Dec  4 04:47:44 UTC 2005",
        "Sun, 04 Dec 2005 04:47:44 GMT",
        "04 Dec 2005 04:47:44.123",
        "04 Dec 04:47:44.123",
        "10:00:00",
        "10:00:00.123",
        "10:00:00:606",
        "9:05:03am",
        "23:59:60",
    ];
    check_whole("time", &stamps);
}

#[test]
fn what_only_looks_like_a_time_stays() {
    let texts = [
        "10:00",
        "24:00:00",
        "10:60:00",
        "10:00:61",
        "1:2:3",
        "10:00:00:1",
        "10:00:00:12:13",
        "10:20:30:40:50:60",
        "2026-13-01",
        "2026-03-32",
        "2026-03-01x",
        "x2026-03-01",
        "2026-03/01",
        "12026-03-01",
        "1.10:00:00",
        "v10:00:00",
        "26/03/01",
        "Mar 1",
        "Mar 1 was",
        "Max 1 10:00",
        "Mar   1 10:00",
        "2026-3-1",
        "10:00:00a",
        "00:10:00:00",
    ];
    check_stays("time", &texts);
}

#[test]
fn a_time_takes_only_what_belongs_to_it() {
    check(
        "time",
        &[
            ("xMar  1 10:00:00", "xMar  1 <time>"),
            ("xSun Dec 04 04:47:44 2005", "xSun <time> 2005"),
            ("Mar  1 10:00:00 2005 items", "<time> 2005 items"),
            ("Sun Dec 04 04:47:44 3005", "<time> 3005"),
            ("10:00:00 +1500 10:00:00 +1400 10:00:00 -12", "<time> +1500 <time> <time> -12"),
            ("10:00:00-11:00:00", "<time>-<time>"),
            ("2026-03-01 10:00:00: started", "<time>: started"),
            ("2026-03-01 7 items", "<time> 7 items"),
            ("app-2026-03-01-12.log", "app-<time>-12.log"),
            ("2026-03-01 24:00:00", "<time> 24:00:00"),
            ("2026-03-01T24", "2026-03-01T24"),
            ("10:00:00.1234567890", "<time>.1234567890"),
            ("5 Mar  1 10:00:00", "5 <time>"),
            ("time:10:00:00", "time:<time>"),
            ("2026-03-01 10:00:00 Amber", "<time> Amber"),
        ],
    );
}

#[test]
fn an_address_is_masked_as_a_whole() {
    let addresses = [
        "192.0.2.1",
        "0.0.0.0",
        "255.255.255.255",
        "2001:db8:0:0:0:0:0:1",
        "2001:DB8::1",
        "::1",
        "1::",
        "fe80::",
        "fe80::1%eth0",
        "FE80::a1%25en-0",
        "::ffff:192.0.2.1",
        "64:ff9b::192.0.2.33",
        "1:2:3:4:5:6:192.0.2.1",
        "abcd:abcd:abcd:abcd:abcd:abcd:abcd:abc1",
        "a:b:c:d:e:f:a:1",
        "1:2:3:4:5:6:7::",
        "::2:3:4:5:6:7:8",
    ];
    check_whole("ip", &addresses);
}

#[test]
fn what_only_looks_like_an_address_stays() {
    let texts = [
        "1.2.3",
        "1.2.3.4.5",
        "1.2.3.256",
        "1.2.3.04",
        "1.2.3.1000",
        "v1.2.3.4",
        "1.2.3.4a",
        "1.2.3.4.example",
        "::",
        "std::fmt",
        "a::b",
        "std::f32",
        "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:8:9",
        "1::2::3",
        "12345::1",
        "1::g",
        "::ffff:1.2.3.256",
        "10:00:00",
        "1:2:3:4:5:6:7:1.2.3.4",
        ":::1",
        "1:::2",
        "00:1a:2b:3c:4d:5e",
        "fe80::x1",
    ];
    for text in texts {
        let masked = masked("ip", text);
        // Inside a wrong IPv6 address there may still be a right IPv4 one.
        assert!(masked == text || (text.contains(':') && masked.ends_with(":<ip>")), "{text}: {masked}");
    }
    check("ip", &[("1:2:3:4:5:6:7:1.2.3.4", "1:2:3:4:5:6:7:<ip>"), ("1::2::3", "1::2::3")]);
}

#[test]
fn ports_prefixes_and_full_stops_do_not_belong_to_an_address() {
    check(
        "ip",
        &[
            ("192.0.2.1:8080 [2001:db8::1]:443 10.0.0.0/8 2001:db8::/32", "<ip>:8080 [<ip>]:443 <ip>/8 <ip>/32"),
            ("from 192.0.2.1. From fe80::1: refused", "from <ip>. From <ip>: refused"),
            ("ip-192.0.2.1 192.0.2.1-192.0.2.9 ::ffff:192.0.2.1:80", "ip-<ip> <ip>-<ip> <ip>:80"),
            ("addr:2001:db8::1 source:fe80::1 /192.0.2.1", "addr:<ip> source:<ip> /<ip>"),
            ("fe80::1% fe80::1%, fe80::1%eth0.", "<ip>% <ip>%, <ip>."),
        ],
    );
    check("num,ip", &[("192.0.2.1:8080/24", "<ip>:<num>/<num>")]);
}

#[test]
fn uuids_and_hex_digits_are_masked_as_a_whole() {
    check_whole("uuid", &["550e8400-e29b-41d4-a716-446655440000", "ABCDEFAB-CDEF-4BCD-ABCD-ABCDEFABCDEF"]);
    let texts = [
        "0x0",
        "0XdeadBEEF",
        "0xffffffffffffffff",
        "a1b2c3d",
        "deadbeef0",
        "1234567890abcdef1234567890abcdef",
        "1111111e5",
        "00:1a:2b:3c:4d:5e",
        "00-1A-2B-3C-4D-5E",
        "ab:cd:ef:ab:cd:e0:ab:cd:ef",
        "facadefacadefacadefacadefacadefacadefacadefacade1",
    ];
    check_whole("hex", &texts);
    check(
        "hex",
        &[
            ("req_a1b2c3d4 main.3f2a1b9c.js sha256:0123456789abcdef", "req_<hex> main.<hex>.js sha256:<hex>"),
            ("00:1a:2b:3c:4d:5e: up, 00:1a:2b:3c:4d:5e:abc", "<hex>: up, <hex>:abc"),
        ],
    );
    check("all", &[("pod-550e8400-e29b-41d4-a716-446655440000-0", "pod-<uuid>-<num>")]);
}

#[test]
fn what_only_looks_like_hex_digits_stays() {
    let texts = [
        "facade",
        "decade",
        "deadbeef",
        "effaceable",
        "a1b2c3",
        "12345678",
        "1048576b",
        "1234567F",
        "0x",
        "0xg1",
        "a0x12",
        "deadbeef1g",
        "xdeadbeef1",
        "0x1u",
        "00:1a:2b:3c:4d",
        "00:1a:2b:3c-4d:5e",
        "ff:ff:ff:ff:ff:ff",
        "001:1a:2b:3c:4d:5e",
    ];
    check_stays("hex", &texts);
    let uuids = [
        "550e8400-e29b-41d4-a716-44665544000",
        "550e8400-e29b-41d4-a716-4466554400000",
        "550e8400-e29b-41d4-a7161-46655440000",
        "x550e8400-e29b-41d4-a716-446655440000",
        "550e8400-e29b-41d4-a716-44665544000g",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
    ];
    check_stays("uuid", &uuids);
}

#[test]
fn every_run_of_digits_is_a_number() {
    check_whole("num", &["0", "42", "-1", "+1", "1.5", "1,234,567.89", "1e5", "-1.5E-3", "1.2.3", "1,2,3"]);
    check(
        "num",
        &[
            (
                "worker-12 conn12345 user42 utf8 eth0 v2x3",
                "worker-<num> conn<num> user<num> utf<num> eth<num> v<num>x<num>",
            ),
            (
                "12ms 5% 3-4 3--4 a->5 (-5) [x]-5 1.-2 f(2)-1",
                "<num>ms <num>% <num>-<num> <num>--<num> a-><num> (<num>) [x]-<num> <num>.-<num> f(<num>)-<num>",
            ),
            (
                "blk_-160 blk_750 k=-2 1e 1e5x 1e+ .5 5.",
                "blk_<num> blk_<num> k=<num> <num>e <num>e<num>x <num>e+ .<num> <num>.",
            ),
            ("1..2 1,,2 1, 2", "<num>..<num> <num>,,<num> <num>, <num>"),
        ],
    );
}

#[test]
fn a_sign_or_a_joint_does_not_cut_what_begins_behind_it() {
    check(
        "all",
        &[
            ("5,192.0.2.1 5,10:00:00 5,6,a1b2c3d4", "<num>,<ip> <num>,<time> <num>,<hex>"),
            ("5,6,1a2b3c4d -2026-03-01 -192.0.2.1", "<num>,<hex> -<time> -<ip>"),
        ],
    );
}

#[test]
fn quotes_are_masked_with_what_is_in_them() {
    check(
        "quoted",
        &[
            (r#"user="al ice" id='7'"#, "user=<quoted> id=<quoted>"),
            (r#""a \" b" 'c\'d' "" ''"#, "<quoted> <quoted> <quoted> <quoted>"),
            ("don't 'it isn't here' dogs' x'", "don't <quoted> dogs' x'"),
            (r#"open " and 'x"#, r#"open " and 'x"#),
            (r#"{\"a\":1}"#, r#"{\"a\":1}"#),
            (r#""a"'b'"c""#, "<quoted><quoted><quoted>"),
            (r#""ends with \"#, r#""ends with \"#),
            (r#""it's" 'say "x"'"#, "<quoted> <quoted>"),
        ],
    );
    check("all", &[("a \"1 b\" 2", "a \"<num> b\" <num>")]);
    check("all,quoted", &[("a \"1 b\" 2 \"3", "a <quoted> <num> \"<num>")]);
}

#[test]
fn a_query_goes_up_to_a_blank_a_quote_or_a_fragment() {
    check(
        "query",
        &[
            ("GET /a?b=c HTTP/1.1", "GET /a?<query> HTTP/1.1"),
            ("\"/a?b=c\" /a?b=1#top '/?x' ?", "\"/a?<query>\" /a?<query>#top '/?<query>' ?"),
            (r#"{\"url\":\"/a?b\"} what? a?b?c"#, r#"{\"url\":\"/a?<query>\"} what? a?<query>"#),
        ],
    );
    check("all,query", &[("/a/1?b=192.0.2.1 2", "/a/<num>?<query> <num>")]);
}

#[test]
fn bytes_that_are_no_text_are_kept() {
    let mut masked = b"before ".to_vec();
    Masks::parse("all").unwrap().apply(b"\xff\x001\xfe-2\xc3\xa9", &mut masked);
    assert_eq!(masked, b"before \xff\x00<num>\xfe-<num>\xc3\xa9");
}
