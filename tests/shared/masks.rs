//! Masks on real logs.

use super::sets::Set;
use super::{dedup_in_every_way, line_count};
use crate::support::{dedup, lines, shared_folder};
use std::fs;

const MASKED: [&str; 2] = ["apache-combined", "kafka-controller"];

/// What two records share they share behind a mask too: of the lines that pass unmasked some are left,
/// and no others come.
#[test]
fn with_masks_fewer_lines_pass_and_no_others() {
    let Some(folder) = shared_folder("data") else { return };
    for name in MASKED {
        let text = fs::read(Set::open(&folder.join(name)).file).expect("the set can be read");
        // With --refresh a record passes where none of its key is near: the more records a key has, the fewer pass.
        for options in [&[][..], &["--ttl", "60s", "--refresh"], &["--key-time"]] {
            let all = dedup(options, &text);
            let masked = dedup_in_every_way(&[options, &["--mask", "all"]].concat(), &text);
            assert!(dedup([options, &["--mask", "all"]].concat(), &text) == masked, "{name} {options:?}");
            assert!(line_count(&masked) < line_count(&all), "{name} {options:?}");
            let mut rest = lines(&all);
            assert!(lines(&masked).all(|line| rest.any(|passed| passed == line)), "{name} {options:?}");
        }
    }
}

#[test]
fn masked_keys_are_all_different_and_masked_already() {
    let Some(folder) = shared_folder("data") else { return };
    for name in MASKED {
        let text = fs::read(Set::open(&folder.join(name)).file).expect("the set can be read");
        let printed = dedup(["--mask", "all", "--print", "key"], &text);
        // A backslash is printed as two.
        let keys = String::from_utf8(printed.clone()).expect("plain text").replace(r"\\", r"\").into_bytes();
        assert_eq!(line_count(&keys), line_count(&dedup(["--mask", "all"], &text)), "{name}");
        for options in [&["-i", "lines"][..], &["-i", "lines", "--mask", "all"]] {
            assert!(dedup(options, &keys) == keys, "{name} {options:?}");
        }
        assert!(dedup(["-i", "lines", "--mask", "all", "--print", "key"], &keys) == printed, "{name}");
        // And what passes once passes again.
        let passed = dedup(["--mask", "all"], &text);
        assert!(dedup(["--mask", "all"], &passed) == passed, "{name}");
    }
}
