//! `Seen` against an exact map.
use super::*;

#[test]
fn smoke() {
    let mut seen = Seen::new(&SeenOptions::new()).unwrap();
    for round in 0..2 {
        for key in 0..3_000_000u64 {
            let hash = crate::hash::mix(key.wrapping_mul(0x1234567887654321)).wrapping_mul(0x9E3779B97F4A7C15);
            let verdict = seen.check(hash, Seen::UNDATED);
            assert_eq!(verdict == Verdict::Repeat, round == 1, "{key}");
        }
    }
}
