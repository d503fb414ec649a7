//! Masks: masking what is masked changes nothing, and nothing but what the masks are for is replaced.
#![no_main]

use grudge_fuzz::knobs::Knobs;
use grudge_fuzz::record::mask::Masks;
use libfuzzer_sys::fuzz_target;

const NAMES: [&str; 7] = ["num", "hex", "uuid", "ip", "time", "quoted", "query"];

/// The masks that need a digit to be there.
const WITH_DIGITS: usize = 5;

/// The most that a placeholder is longer than its part: `<num>` for a digit.
const MAX_GROWTH: usize = 5;

fuzz_target!(|input: &[u8]| {
    let (mut knobs, text) = Knobs::split(input);
    // A bit for each name; none stands for all.
    let bits = knobs.number();
    let wanted = |index: &usize| bits & (1 << index) != 0;
    let names: Vec<&str> = (0..NAMES.len()).filter(wanted).map(|index| NAMES[index]).collect();
    let needs_digits = bits >> WITH_DIGITS & 0b11 == 0;
    let names = if names.is_empty() { "all".to_owned() } else { names.join(",") };
    let masks = Masks::parse(&names).expect("these names are known");
    assert_eq!(Masks::parse(&masks.to_string()).as_ref(), Ok(&masks));

    let mut masked = Vec::new();
    masks.apply(text, &mut masked);
    let mut again = Vec::new();
    masks.apply(&masked, &mut again);
    assert_eq!(again.escape_ascii().to_string(), masked.escape_ascii().to_string(), "masked twice by {names}");
    assert!(masked.len() <= text.len() * MAX_GROWTH + MAX_GROWTH);
    assert!(std::str::from_utf8(text).is_err() || std::str::from_utf8(&masked).is_ok(), "a character was cut");
    if needs_digits && !text.iter().any(u8::is_ascii_digit) {
        assert_eq!(masked, text);
    }
    // What is there already stays.
    let mut appended = b"before ".to_vec();
    masks.apply(text, &mut appended);
    assert_eq!(appended.strip_prefix(b"before "), Some(&masked[..]));
    // Any text names masks, or is refused in one line.
    if let Ok(text) = std::str::from_utf8(text) {
        let _ = Masks::parse(text);
    }
});
