//! Lines of logfmt, syslog, containers, klog and W3C: all that is found of a line is in it, and the same whether it is
//! looked for alone or with others. An input is the lines.
#![no_main]

use grudge_fuzz::inner::cri::{self, CriField};
use grudge_fuzz::inner::fields::{Fields, field};
use grudge_fuzz::inner::found::Found;
use grudge_fuzz::inner::klog::{self, KlogField};
use grudge_fuzz::inner::logfmt;
use grudge_fuzz::inner::syslog::{self, SyslogField};
use grudge_fuzz::inner::w3c::{Schema, is_directive, is_fields_line};
use grudge_fuzz::{check_places, check_range};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    for line in input.split(|byte| *byte == b'\n') {
        check(line, &SyslogField::ALL, syslog::fields);
        check(line, &CriField::ALL, cri::fields);
        check(line, &KlogField::ALL, klog::fields);
        check_logfmt(line);
        assert!(!cri::is_partial(line) || cri::message_start(line).is_some());
    }
    check_w3c(input);
});

/// Checks the fields of a format, which `find` finds.
fn check<F: Copy + std::fmt::Debug>(line: &[u8], all: &[F], find: impl Fn(&[u8], &[F], &mut Found)) {
    let mut found = Found::default();
    find(line, all, &mut found);
    assert_eq!(found.places.len(), all.len());
    check_places(line, &found);
    let mut alone = Found::default();
    for (part, field) in all.iter().enumerate() {
        find(line, &[*field], &mut alone);
        assert_eq!(alone.text(line, 0), found.text(line, part), "{field:?} alone of {}", line.escape_ascii());
    }
}

fn check_logfmt(line: &[u8]) {
    let mut told: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    logfmt::walk(line, &mut |name, value| told.push((name.to_vec(), value.to_vec())));
    // The names that are there, and one that may be a word.
    let words = line.split(|byte| byte.is_ascii_whitespace() || *byte == b'=').filter(|word| !word.is_empty());
    let mut names: Vec<Vec<u8>> = told.iter().map(|(name, _)| name.clone()).chain(words.map(<[u8]>::to_vec)).collect();
    names.sort();
    names.dedup();
    names.truncate(64);
    let mut found = Found::default();
    logfmt::fields(line, &names, &mut found);
    assert_eq!(found.places.len(), names.len());
    check_places(line, &found);
    for (part, name) in names.iter().enumerate() {
        // Of several of a name the last one counts. A word is a field without a value, if anything.
        let last = told.iter().rfind(|(other, _)| other == name).map(|(_, value)| value.as_slice());
        let text = found.text(line, part);
        match last {
            Some(last) => assert_eq!(text, Some(last), "{} of {}", name.escape_ascii(), line.escape_ascii()),
            None => assert!(text.is_none_or(<[u8]>::is_empty), "{} of {}", name.escape_ascii(), line.escape_ascii()),
        }
    }
}

fn check_w3c(text: &[u8]) {
    let mut schema = Schema::default();
    for line in text.split(|byte| *byte == b'\n') {
        if is_directive(line) {
            let names_fields = schema.take(line);
            assert!(!names_fields || schema.is_known());
            let _ = is_fields_line(line);
            continue;
        }
        let all: Vec<_> = Fields::new(line, schema.separator).collect();
        for (index, range) in all.iter().enumerate().take(32) {
            check_range(line, range);
            assert_eq!(field(line, index + 1, schema.separator).as_ref(), Some(range));
        }
        assert_eq!(field(line, all.len() + 1, schema.separator), None);
        for name in &schema.names {
            // A name may stand twice; the first one counts.
            let number = schema.number(name).expect("a name that is there");
            assert_eq!(&schema.names[number - 1], name);
        }
    }
}
