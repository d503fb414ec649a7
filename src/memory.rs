//! The memory of large tables.

use crate::processor::prefer_large_pages;
use bytemuck::Zeroable;

/// `count` zeroed elements, whose memory the system provides as it is first touched, in large pages where it can; `None`
/// where it refuses.
pub(crate) fn zeroed<T: Zeroable>(count: usize) -> Option<Vec<T>> {
    let mut memory = bytemuck::allocation::try_zeroed_vec(count).ok()?;
    prefer_large_pages(&mut memory);
    Some(memory)
}
