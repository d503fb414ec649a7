//! What was found of the parts of a record that are wanted.

use std::ops::Range;

/// Where one part of a record is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// Its text as it stands in the record: of a quoted one, what is between the quotes.
    pub raw: Range<usize>,
    /// Where its text is in the scratch, if it is another than what stands there: escapes, doubled quotes.
    pub decoded: Option<Range<usize>>,
    /// What goes when the record is taken without the part: its quotes and its name as well.
    pub extent: Range<usize>,
}

impl Place {
    /// A part that is a piece of the record with nothing around it.
    pub fn plain(range: Range<usize>) -> Place {
        Place { raw: range.clone(), decoded: None, extent: range }
    }
}

/// The wanted parts of one record, filled anew for each.
#[derive(Debug, Clone, Default)]
pub struct Found {
    /// Each wanted part, in the order they are wanted; `None` where the record has none.
    pub places: Vec<Option<Place>>,
    /// Texts that do not stand in the record as they are.
    pub scratch: Vec<u8>,
}

impl Found {
    /// Forgets the record before; `parts` are wanted of the next.
    #[inline(always)]
    pub fn restart(&mut self, parts: usize) {
        self.scratch.clear();
        self.places.clear();
        self.places.resize(parts, None);
    }

    /// The text of a part of `record`.
    #[inline(always)]
    pub fn text<'a>(&'a self, record: &'a [u8], part: usize) -> Option<&'a [u8]> {
        let place = self.places.get(part)?.as_ref()?;
        Some(match &place.decoded {
            None => &record[place.raw.clone()],
            Some(range) => &self.scratch[range.clone()],
        })
    }
}
