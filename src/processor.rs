//! What plain Rust cannot say to the machine: touch memory ahead of its use, have it in large pages, compare eight words at
//! once. The only `unsafe` of the library; each function has a portable twin.

#![allow(unsafe_code)]

/// Asks the processor to bring the cache line of `slice[index]` near; does nothing when `index` is out of bounds.
///
/// A hint: no result depends on it, and on processors without a known instruction it is nothing at all (the portable
/// twin of this function is the empty one).
#[inline(always)]
pub fn prefetch<T>(slice: &[T], index: usize) {
    if let Some(element) = slice.get(index) {
        fetch(std::ptr::from_ref(element).cast());
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn fetch(address: *const i8) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: PREFETCHT0 is part of SSE, which every x86-64 has; it reads nothing, faults on no address, and the address
    // is that of a live element all the same.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address) }
}

#[cfg(target_arch = "aarch64")]
#[inline(always)]
fn fetch(address: *const i8) {
    // SAFETY: PRFM is a hint: it reads nothing, faults on no address and changes neither memory, flags nor stack.
    unsafe {
        std::arch::asm!("prfm pldl1keep, [{0}]", in(reg) address, options(nostack, preserves_flags, readonly));
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
#[inline(always)]
fn fetch(_address: *const i8) {}

/// Asks the system to back `memory` by large pages where it can: a table that is read at random otherwise spends more time
/// on finding pages than on reading them.
///
/// A hint: no result depends on it, and on other systems than Linux it is nothing at all (the portable twin of this
/// function is the empty one).
#[cfg(all(target_os = "linux", not(miri)))]
pub(crate) fn prefer_large_pages<T>(memory: &mut [T]) {
    use std::ffi::{c_int, c_void};
    /// `MADV_HUGEPAGE` of Linux, the same number on every processor.
    const MADV_HUGEPAGE: c_int = 14;
    /// The largest page that any processor under Linux has by default: a range between such borders begins and ends with a
    /// page, as is demanded.
    const LARGEST_PAGE: usize = 64 << 10;
    unsafe extern "C" {
        fn madvise(address: *mut c_void, length: usize, advice: c_int) -> c_int;
    }
    let range = memory.as_mut_ptr_range();
    let start = (range.start as usize).next_multiple_of(LARGEST_PAGE);
    let end = range.end as usize / LARGEST_PAGE * LARGEST_PAGE;
    if start < end {
        // SAFETY: the range lies within memory that is borrowed for this call, and MADV_HUGEPAGE changes neither what it
        // holds nor how it may be used. Where the system refuses, nothing has happened.
        unsafe { madvise(start as *mut c_void, end - start, MADV_HUGEPAGE) };
    }
}

#[cfg(not(all(target_os = "linux", not(miri))))]
pub(crate) fn prefer_large_pages<T>(_memory: &mut [T]) {}

/// Which of eight words have `upper` as their upper 32 bits: one bit a word, the first word's lowest.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn with_upper_half(words: &[u64; 8], upper: u32) -> u32 {
    use std::arch::x86_64::*;
    /// Of each of two vectors the 32-bit lanes 1 and 3: the upper halves of their two words.
    const UPPER_HALVES: i32 = 0b11_01_11_01;
    let pairs: &[[u64; 2]; 4] = bytemuck::cast_ref(words);
    // SAFETY: SSE2 is part of every x86-64. The loads are unaligned ones from references to 16 bytes each.
    unsafe {
        let wanted = _mm_set1_epi32(upper as i32);
        let load = |pair: &[u64; 2]| _mm_castsi128_ps(_mm_loadu_si128(std::ptr::from_ref(pair).cast()));
        let equal = |a: &[u64; 2], b: &[u64; 2]| {
            let halves = _mm_shuffle_ps::<UPPER_HALVES>(load(a), load(b));
            _mm_cmpeq_epi32(_mm_castps_si128(halves), wanted)
        };
        let lanes = _mm_packs_epi32(equal(&pairs[0], &pairs[1]), equal(&pairs[2], &pairs[3]));
        _mm_movemask_epi8(_mm_packs_epi16(lanes, _mm_setzero_si128())) as u32
    }
}

/// Which of 64 bytes equal `wanted`: one bit a byte, the first byte's lowest.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn equal_bytes(bytes: &[u8; 64], wanted: u8) -> u64 {
    use std::arch::x86_64::*;
    let quarters: &[[u8; 16]; 4] = bytemuck::cast_ref(bytes);
    // SAFETY: SSE2 is part of every x86-64. The loads are unaligned ones from references to 16 bytes each.
    unsafe {
        let wanted = _mm_set1_epi8(wanted as i8);
        let mask = |quarter: &[u8; 16]| {
            let bytes = _mm_loadu_si128(std::ptr::from_ref(quarter).cast());
            u64::from(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, wanted)) as u16)
        };
        let [a, b, c, d] = quarters;
        mask(a) | mask(b) << 16 | mask(c) << 32 | mask(d) << 48
    }
}

/// The portable twins.
#[cfg(any(test, not(target_arch = "x86_64")))]
mod portable {
    pub fn equal_bytes(bytes: &[u8; 64], wanted: u8) -> u64 {
        (0..bytes.len()).map(|index| u64::from(bytes[index] == wanted) << index).sum()
    }

    pub(crate) fn with_upper_half(words: &[u64; 8], upper: u32) -> u32 {
        let equal = |slot: usize| u32::from((words[slot] >> u32::BITS) as u32 == upper) << slot;
        (0..words.len()).map(equal).sum()
    }
}
#[cfg(not(target_arch = "x86_64"))]
pub use portable::equal_bytes;
#[cfg(not(target_arch = "x86_64"))]
pub(crate) use portable::with_upper_half;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sixty_four_comparisons_at_once_agree_with_one_after_the_other(
            bytes in prop::collection::vec(prop_oneof![Just(b'\n'), any::<u8>()], 64), wanted in prop_oneof![Just(b'\n'), any::<u8>()],
        ) {
            let bytes = bytes.as_slice().try_into().unwrap();
            prop_assert_eq!(equal_bytes(bytes, wanted), portable::equal_bytes(bytes, wanted));
        }

        #[test]
        fn eight_comparisons_at_once_agree_with_one_after_the_other(
            words in prop::array::uniform8(prop_oneof![Just(0u64), 1u64..9, any::<u64>(), Just(5u64 << 32)]),
            upper in prop_oneof![Just(0u32), Just(5u32), any::<u32>()],
            pick in 0usize..8,
        ) {
            for upper in [upper, (words[pick] >> 32) as u32] {
                prop_assert_eq!(with_upper_half(&words, upper), portable::with_upper_half(&words, upper));
            }
        }
    }

    #[test]
    fn large_pages_change_nothing_of_what_is_there() {
        for len in [0usize, 1, 100_000, 3 << 20] {
            let mut bytes = vec![7u8; len];
            prefer_large_pages(&mut bytes);
            assert!(bytes.iter().all(|byte| *byte == 7));
        }
    }

    #[test]
    fn any_index_is_allowed_and_nothing_changes() {
        let numbers = [1u64, 2, 3];
        for index in [0, 2, 3, usize::MAX] {
            prefetch(&numbers, index);
        }
        prefetch::<u64>(&[], 0);
        assert_eq!(numbers, [1, 2, 3]);
    }
}
