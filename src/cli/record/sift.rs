//! Records that a filter lets be: those a pattern does not select, and those whose key is exempt.

use regex::bytes::Regex;
use std::collections::HashSet;
use std::sync::Arc;

/// What selects records, where anything does.
#[derive(Debug, Clone, Default)]
pub struct Sift {
    pub only: Option<Regex>,
    pub except: Option<Regex>,
    /// Hashes of the keys that are let be.
    pub exempt: Arc<HashSet<u64>>,
}

impl Sift {
    /// Whether nothing is let be.
    pub fn is_idle(&self) -> bool {
        self.only.is_none() && self.except.is_none() && self.exempt.is_empty()
    }

    /// Whether the patterns select a record.
    pub fn selects(&self, record: &[u8]) -> bool {
        self.only.as_ref().is_none_or(|only| only.is_match(record))
            && !self.except.as_ref().is_some_and(|except| except.is_match(record))
    }

    pub fn exempts(&self, hash: u64) -> bool {
        self.exempt.contains(&hash)
    }
}
