//! What holds of any text: no other result than the twin's, none that changes when it is masked again, no long wait.

use super::super::{Mask, Masks, bytes};
use super::{check, check_stays, twin};
use proptest::prelude::*;

#[test]
fn what_stands_beside_a_placeholder_stays_what_it_was() {
    // Each is something else once its neighbour is taken for a placeholder without more ado.
    check("hex,ip", &[("00:11:22:33:44:55:1::2", "<hex>:1::2"), ("abcdef12::1", "<hex>::1")]);
    check("hex,time", &[("00:11:22:33:44:55:1:00:00", "<hex>:1:00:00")]);
    check("ip,time", &[("10:00:00:1.2.3.4", "10:00:00:<ip>")]);
    check("ip,hex", &[("1.2.3.4.a1b2c3d4", "1.2.3.4.<hex>")]);
    check("num,quoted", &[("5'a'", "<num>'a'")]);
    check("query,quoted", &[("?\\\"a\" ?b'c'", "?\\\"a\" ?<query>'c'")]);
    let again = [
        ("hex,ip", "<hex>:1::2"),
        ("hex,ip", "<hex>::1"),
        ("hex,time", "<hex>:1:00:00"),
        ("ip,time", "10:00:00:<ip>"),
        ("ip,hex", "1.2.3.4.<hex>"),
        ("ip,uuid", "1::<uuid>"),
        ("num,quoted", "<num>'a'"),
        ("query,quoted", "?<query>'c'"),
    ];
    again.iter().for_each(|(masks, text)| check_stays(masks, &[text]));
}

#[test]
fn hostile_texts_take_linear_time() {
    let masks = Masks::parse("all,quoted,query").unwrap();
    let without_numbers = Masks::parse("hex,uuid,ip,time,quoted,query").unwrap();
    for piece in [
        "\"", "'", "\\\"", "?", "1", "a", "a:", "aa:", "1,", "1.", "1:", "::", "-", "a1-", "Mar ", "1e", "?'\"", "'a",
        "0x",
    ] {
        for end in ["", "1", "g1"] {
            let text = piece.repeat(300_000) + end;
            let start = std::time::Instant::now();
            for masks in [&masks, &without_numbers] {
                masks.apply(text.as_bytes(), &mut Vec::new());
            }
            // Quadratic time would be minutes.
            assert!(start.elapsed().as_secs() < 5, "{piece} and {end}");
        }
    }
}

/// Pieces that come close to parts when they are joined, `~` between them.
const PIECES: &str = "1~0~9~12~10~00~255~256~2026~1048576~a~f~g~ab~e1~1a~fe80~dead~beef~x~0x~T~Z~e~E-~e5~word~don't~\
    facade~Mar~Dec~Sun~Mar  1 ~Sun Dec 04 ~04 Dec ~Sun, ~2005~AM~UTC~CEST~ +0000~+02~10:00:00~10:00~.123~,123~:606~\
    2026-03-01~2026/03/01~17/May/2015~03/01/26~20260301~100000~192.0.2.1~1.2.3~\
    fe80::1~::~::1~::ffff:~a:b:c:~1:2:3:4:~%eth0~00:1a:2b:~3c:4d:5e~aa-bb-cc-~\
    550e8400-e29b-41d4-a716-446655440000~abcdefab-~cdef-~a1b2c3d4~<num>~<ip>~<time>~<~>~ ~  ~:~:~-~-~+~.~.~,~/~1, ~\
    _~=~(~)~[~]~\"~\"~'~'~\\~?~?~#~%~\u{e9}~|";

fn text() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(PIECES.split('~').collect::<Vec<_>>());
    let pieces = prop::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat().into_bytes());
    let bytes = prop::collection::vec(
        prop_oneof![8 => prop::sample::select(&b"0129afgTxZ:.-,/ '\"\\?<>_%+e"[..]), 1 => any::<u8>()],
        0..60,
    );
    prop_oneof![3 => pieces, 1 => bytes]
}

fn masks() -> impl Strategy<Value = Masks> {
    prop_oneof![2 => Just(Masks::parse("all").unwrap()), 3 => (0..1u8 << Mask::EACH.len()).prop_map(Masks)]
}

/// The most that a placeholder is longer than its part: `<num>` for a digit.
const MAX_GROWTH: usize = 5;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn masks_agree_with_the_twin_that_tries_each_at_every_place(text in text(), masks in masks()) {
        let mut masked = Vec::new();
        masks.apply(&text, &mut masked);
        let shown = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
        prop_assert_eq!(shown(&masked), shown(&twin::apply(&masks, &text)), "{:?} of {}", masks, shown(&text));
    }

    #[test]
    fn masking_what_is_masked_changes_nothing(text in text(), masks in masks()) {
        let mut masked = Vec::new();
        masks.apply(&text, &mut masked);
        let mut again = Vec::new();
        masks.apply(&masked, &mut again);
        let shown = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
        prop_assert_eq!(shown(&again), shown(&masked), "{:?} of {}", masks, shown(&text));
    }

    #[test]
    fn nothing_is_left_of_digits_and_the_text_grows_within_bounds(text in text(), masks in masks()) {
        let mut masked = Vec::new();
        masks.apply(&text, &mut masked);
        prop_assert!(masked.len() <= MAX_GROWTH * text.len());
        prop_assert!(!masks.contains(Mask::Num) || !masked.iter().any(u8::is_ascii_digit));
    }

    #[test]
    fn a_text_without_digits_stays_but_for_quotes_and_queries(text in text()) {
        let text: Vec<u8> = text.into_iter().filter(|byte| !byte.is_ascii_digit()).collect();
        let mut masked = Vec::new();
        Masks::parse("all").unwrap().apply(&text, &mut masked);
        prop_assert_eq!(masked, text);
    }

    #[test]
    fn the_next_byte_is_found_eight_at_a_time_as_one_by_one(
        text in prop::collection::vec(any::<u8>(), 0..40), from in 0usize..40,
    ) {
        let from = from.min(text.len());
        let obvious = |wanted: fn(u8) -> bool| (from..text.len()).find(|at| wanted(text[*at]));
        prop_assert_eq!(bytes::next_digit(&text, from), obvious(|byte| byte.is_ascii_digit()));
        let or_mark = obvious(|byte| byte.is_ascii_digit() || b"\"'?".contains(&byte));
        prop_assert_eq!(bytes::next_digit_or_mark(&text, from), or_mark);
    }
}
