//! The parts of a record's key as they stand in it, for those who show them.

use super::super::record::Cut;
use super::super::record::format::Layout;
use super::super::record::found::Found;
use super::super::record::key::{AnyKey, Look};
use super::super::record::plan::{KeyFinder, Wanted};
use super::values::push_escaped;
use std::ops::Range;
use std::sync::Arc;

/// Finds the parts of keys once more, in records that are known to have one.
pub struct KeyTexts {
    wanted: Wanted,
    layout: Arc<Layout>,
    finder: Option<KeyFinder>,
    key: AnyKey,
    found: Found,
    cuts: Vec<Range<usize>>,
}

impl KeyTexts {
    pub fn new(wanted: Wanted) -> KeyTexts {
        let key = AnyKey::new(wanted.key.clone());
        KeyTexts { wanted, layout: Arc::default(), finder: None, key, found: Found::default(), cuts: Vec::new() }
    }

    /// The records to come are of this layout.
    pub fn prepare(&mut self, layout: &Arc<Layout>) {
        if self.finder.is_none() || !Arc::ptr_eq(&self.layout, layout) {
            self.layout = Arc::clone(layout);
            self.finder = Some(KeyFinder::new(&self.wanted, layout));
        }
    }

    /// Adds the parts of the key of `record`, which is without its ending, to `line`: separated by tabs, with nothing in them that ends a
    /// column. `cuts` are what is no part of its key.
    pub fn push(&mut self, record: &[u8], cuts: &[Cut], for_terminal: bool, line: &mut Vec<u8>) {
        let KeyTexts { finder, key, found, cuts: ranges, .. } = self;
        if let Some(finder) = finder {
            finder.find(record, found);
        }
        ranges.clear();
        ranges.extend(cuts.iter().map(|cut| cut.range.clone()));
        let mut first = true;
        key.texts(Look { record, found, cuts: ranges }, |part| {
            if !std::mem::take(&mut first) {
                line.push(b'\t');
            }
            push_escaped(line, part, for_terminal);
        });
    }
}
