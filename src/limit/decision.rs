//! What a limiter says of a record.

use crate::time::Span;

/// What a [`Limiter`](super::Limiter) says of a record, in the meanings of redis-cell's `CL.THROTTLE`.
///
/// Of several quotas: allowed when all allow it; `limit` and `remaining` are those of the quota with the least remaining
/// (the first of equals), `retry_after` and `reset_after` the longest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decision {
    /// Whether the record is within its quotas.
    pub allowed: bool,
    /// How many a key may do at once from rest.
    pub limit: u64,
    /// Whole tokens left after this record.
    pub remaining: u64,
    /// Of a denied record, after how long the same would be allowed if nothing else came; `None` of one that was allowed,
    /// and of one that never will be.
    pub retry_after: Option<Span>,
    /// The record costs more than is ever allowed at once.
    pub never: bool,
    /// After how long the key is at rest again if nothing else comes.
    pub reset_after: Span,
}

impl Decision {
    /// Of a key at rest that nothing is asked of, where no quota counts: what others are merged into.
    pub const FREE: Decision = Decision {
        allowed: true,
        limit: u64::MAX,
        remaining: u64::MAX,
        retry_after: None,
        never: false,
        reset_after: Span::ZERO,
    };

    /// This and `other` together.
    pub(super) fn and(self, other: Decision) -> Decision {
        let scarcer = if other.remaining < self.remaining { other } else { self };
        let never = self.never || other.never;
        Decision {
            allowed: self.allowed && other.allowed,
            limit: scarcer.limit,
            remaining: scarcer.remaining,
            retry_after: if never { None } else { self.retry_after.max(other.retry_after) },
            never,
            reset_after: self.reset_after.max(other.reset_after),
        }
    }
}
