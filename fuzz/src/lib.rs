//! What the fuzz targets share: the readers of the command line, and how an input says what is to be done with it.
//!
//! The readers are modules of a program, which no other crate can use, so they are built once more here, from the same
//! files.

// What a program does not use of its own modules is none of this crate's business.
#![allow(dead_code, unused_imports, clippy::duplicate_mod, clippy::len_without_is_empty)]

#[path = "../../src/cli/nearest.rs"]
pub mod nearest;
#[path = "../../src/cli/record/mod.rs"]
pub mod record;
#[path = "../../src/cli/timestamp/mod.rs"]
pub mod timestamp;

/// The readers that are private to `record`.
#[path = "../../src/cli/record"]
pub mod inner {
    use crate::record::content;

    pub mod cri;
    pub mod csv;
    pub mod fields;
    pub mod found;
    pub mod json;
    pub mod klog;
    pub mod logfmt;
    mod named;
    pub mod syslog;
    pub mod w3c;
}
pub mod knobs;

use inner::found::{Found, Place};
use std::ops::Range;

/// Checks that everything that was found in `record` is in it.
#[track_caller]
pub fn check_places(record: &[u8], found: &Found) {
    for place in found.places.iter().flatten() {
        let Place { raw, decoded, extent } = place;
        check_range(record, raw);
        check_range(record, extent);
        if let Some(decoded) = decoded {
            check_range(&found.scratch, decoded);
        }
        assert!(extent.start <= raw.start && raw.end <= extent.end, "{place:?} of {}", record.escape_ascii());
    }
}

#[track_caller]
pub fn check_range(text: &[u8], range: &Range<usize>) {
    assert!(range.start <= range.end && range.end <= text.len(), "{range:?} of {} bytes", text.len());
}
