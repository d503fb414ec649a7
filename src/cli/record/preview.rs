//! A look at the start of a file: what its records would be read as.

use super::Records;
use super::format::Layout;
use super::framing::{Framing, Portion};
use super::read::Reader;
use std::sync::Arc;

/// A piece of the start of a file.
pub struct Piece<'a> {
    pub bytes: &'a [u8],
    pub layout: &'a Arc<Layout>,
    pub records: &'a Records,
}

/// Reads the records of `start`, with which the file `name` begins, and gives them to `each` until it says `false`. Where
/// `start` holds no whole record what there is of it is taken for one.
pub fn preview(
    name: &str,
    start: &[u8],
    framing: &mut Framing,
    reader: &mut Reader,
    mut each: impl FnMut(&Piece<'_>) -> bool,
) -> Result<(), String> {
    let mut records = Records::default();
    framing.begin_file(name);
    let mut held = start;
    let (mut terminated, mut has_records) = (Vec::new(), false);
    while !held.is_empty() {
        let (len, is_heading) = match framing.cut(held) {
            Some(Portion::Records(len)) => (len, false),
            Some(Portion::Heading(len) | Portion::OpenQuote(len)) => (len, true),
            None if has_records || !terminated.is_empty() => break,
            None => {
                terminated = [held, &[framing.terminator()]].concat();
                held = &terminated;
                framing.restart();
                continue;
            }
        };
        let layout = Arc::clone(framing.layout());
        framing.go_on();
        let bytes = &held[..len];
        held = &held[len..];
        if is_heading {
            reader.read_heading(bytes, &layout, &mut records);
        } else {
            reader.read(bytes, &layout, &mut records);
            has_records = true;
        }
        if let Some(trouble) = records.trouble.take() {
            return Err(trouble);
        }
        if !each(&Piece { bytes, layout: &layout, records: &records }) {
            break;
        }
    }
    Ok(())
}
