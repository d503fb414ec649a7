//! The formulas against their inverses, and against tables made another way.

use super::*;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_shape_holds_the_keys_it_was_made_for(keys in 1u64..100_000_000, digits in 0.05f64..12.0) {
        let error = 10f64.powf(-digits);
        let shape = levels_and_cells(keys, error);
        prop_assert!((2..=16).contains(&shape.levels));
        prop_assert!(shape.cells == MAX_CELLS || over_rate(keys, shape.levels, shape.cells) <= error * (1.0 + 1e-9));
        // And no more cells than that takes, but for the rounding up.
        if shape.cells > CELL_UNIT {
            prop_assert!(over_rate(keys, shape.levels, shape.cells - CELL_UNIT) > error * (1.0 - 1e-9));
        }
    }

    #[test]
    fn keys_and_cells_are_each_others_inverse(keys in 10_000u64..10_000_000, digits in 0.3f64..6.0, levels in 1u32..=16) {
        let error = 10f64.powf(-digits);
        let cells = cells_for(keys, error, levels);
        prop_assume!(cells < MAX_CELLS);
        let back = keys_for(error, levels, cells);
        let unit = keys as f64 * CELL_UNIT as f64 / cells as f64;
        prop_assert!(back + 1 >= keys && back as f64 <= keys as f64 + unit + 1.0, "{} cells for {} again", cells, back);
    }

    #[test]
    fn memory_is_used_and_never_passed(memory in 0u64..1 << 40, levels in 1u32..=16, bytes in 1u64..64) {
        match Shape::within(memory, levels, bytes) {
            Some(shape) => {
                prop_assert!(shape.memory_bytes(bytes) <= memory);
                let one_more = Shape { cells: shape.cells + 1, ..shape };
                prop_assert!(shape.cells == MAX_CELLS || one_more.memory_bytes(bytes) > memory);
            }
            None => prop_assert!(memory < u64::from(levels) * bytes),
        }
    }

    #[test]
    fn the_mean_of_the_least_is_that_of_the_plain_sum(mean in 0.01f64..60.0, levels in 1u32..=16) {
        // From the other end: probabilities from e^-mean on, added up from zero.
        let (mut probability, mut below, mut sum) = ((-mean).exp(), 0.0, 0.0);
        for j in 1..400 {
            below += probability;
            sum += (1.0 - below).max(0.0).powi(levels as i32);
            probability *= mean / f64::from(j);
        }
        let ours = mean_of_least(mean, levels.into());
        prop_assert!((ours - sum).abs() <= 1e-9 * sum + 1e-12, "{} and {}", ours, sum);
    }
}

#[test]
fn the_mean_of_one_level_is_the_mean_and_more_levels_have_less() {
    for mean in [0.1, 1.0, 999.5, 1e6] {
        assert!((mean_of_least(mean, 1.0) - mean).abs() < 1e-9 * mean);
        assert!(mean_of_least(mean, 4.0) < mean_of_least(mean, 2.0));
    }
    assert_eq!(expected_over(u64::MAX, 4, 1), u64::MAX as f64);
    assert_eq!(expected_over(0, 4, 100), 0.0);
}

#[test]
fn nothing_that_is_asked_panics() {
    for error in [f64::NAN, -1.0, 0.0, 1.0, 2.0, f64::INFINITY] {
        for keys in [0, 1, u64::MAX] {
            let shape = levels_and_cells(keys, error);
            assert!(shape.levels >= 2 && (CELL_UNIT..=MAX_CELLS).contains(&shape.cells));
            over_rate(keys, 0, 0);
            keys_for(error, 0, keys);
            cells_for(keys, error, 0);
            expected_over(keys, 0, 0);
        }
    }
    assert_eq!(Shape::within(1 << 20, 0, 16), None);
    assert_eq!(Shape::within(1 << 20, 4, 0), None);
    assert_eq!(Shape::within(u64::MAX, 16, u64::MAX), None);
    assert_eq!(Shape { levels: 16, cells: u64::MAX }.memory_bytes(16), u64::MAX);
}
