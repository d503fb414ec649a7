//! Whole records: their keys and stamps, in every format, for whatever is asked for. What is found in a piece of a stream
//! is what is found in its records one by one.
#![no_main]

use grudge::hash::{Algorithm, KeyHasher, Seed};
use grudge_fuzz::check_range;
use grudge_fuzz::knobs::Knobs;
use grudge_fuzz::record::fields::Separator;
use grudge_fuzz::record::format::{Format, Layout, Table};
use grudge_fuzz::record::framing::{Choice, Framing, FramingOptions, Portion};
use grudge_fuzz::record::key::{KeySource, KeySpec};
use grudge_fuzz::record::mask::Masks;
use grudge_fuzz::record::names::Names;
use grudge_fuzz::record::plan::{TimeSpec, Wanted};
use grudge_fuzz::record::sift::Sift;
use grudge_fuzz::record::time::TimeSource;
use grudge_fuzz::record::value::ValueSpec;
use grudge_fuzz::record::{Cut, Keyless, Multiline, ReadOptions, Reader, Records, list};
use grudge_fuzz::timestamp::{Stamp, StampOptions, StampReader};
use libfuzzer_sys::fuzz_target;
use regex::bytes::Regex;
use std::sync::{Arc, LazyLock};

/// Fields to ask for; which of them a format has is its own affair.
const NAMES: [&str; 20] = [
    "1",
    "2",
    "9,1",
    "ip",
    "path,status",
    "time",
    "user,1",
    ".a",
    ".a.b,.a",
    ".a[-1],ts",
    "a",
    "a,b",
    "host",
    "message",
    ".stream",
    "level",
    "\"a,b\"",
    "id.orig_h",
    "date,time",
    "1,1,3",
];

const PATTERNS: [&str; 4] = ["[0-9]+", "(a)|(b)", "id=(\\S*)", "^(.*?) (.*)"];

const MASKS: [&str; 4] = ["", "all", "quoted,query", "num"];

static COMPILED: LazyLock<Vec<Regex>> =
    LazyLock::new(|| PATTERNS.iter().map(|pattern| Regex::new(pattern).expect("a right pattern")).collect());

fuzz_target!(|input: &[u8]| {
    let (mut knobs, text) = Knobs::split(input);
    let choice = choice(&mut knobs);
    let header = knobs.flag();
    let Ok(wanted) = wanted(&mut knobs) else { return };
    let options = read_options(&mut knobs);
    let hasher = KeyHasher::new(Algorithm::default(), Seed::from_words([1, 2]));
    let sift = Sift { only: pattern(&mut knobs), except: pattern(&mut knobs), ..Sift::default() };
    let mut reader = Reader::new(options.clone(), hasher, wanted, sift);
    let mut single = reader.clone();

    let mut framing = Framing::new(FramingOptions { terminator: b'\n', choice, header, tables_by_name: false });
    framing.begin_file("a.log");
    let mut text = text.to_vec();
    if !text.is_empty() && text.last() != Some(&b'\n') {
        text.push(b'\n');
    }
    let mut held = &text[..];
    let mut records = Records::default();
    while !held.is_empty() {
        let portion = framing.cut(held).or_else(|| framing.give_up(held)).unwrap_or(Portion::Records(held.len()));
        let layout = Arc::clone(framing.layout());
        framing.go_on();
        let (Portion::Records(len) | Portion::Heading(len) | Portion::OpenQuote(len)) = portion;
        let (piece, rest) = held.split_at(len);
        held = rest;
        match portion {
            Portion::Heading(_) => {
                reader.read_heading(piece, &layout, &mut records);
                check(piece, &records);
                single.read_heading(piece, &layout, &mut records);
            }
            Portion::Records(_) => {
                reader.read(piece, &layout, &mut records);
                check(piece, &records);
                check_one_by_one(&mut single, piece, &layout, &records);
            }
            Portion::OpenQuote(_) => {}
        }
        if records.trouble.is_some() {
            return;
        }
        assert_eq!(reader.decided(), single.decided(), "{}", piece.escape_ascii());
        list(&layout.format, Separator::Blanks, piece, |_, _| {});
    }
});

fn choice(knobs: &mut Knobs) -> Choice {
    let table = |delimiter| Format::Csv(Table { delimiter, names: Vec::new(), header: Vec::new() });
    let formats = [
        Format::Lines,
        Format::Access,
        Format::Json,
        Format::JsonStream,
        table(b','),
        Format::W3c(Default::default()),
        Format::Logfmt,
        Format::Syslog,
        Format::Cri,
        Format::Klog,
    ];
    let number = knobs.number();
    formats.get(number).map_or(Choice::Auto(Format::Lines), |format| Choice::Fixed(format.clone()))
}

fn pattern(knobs: &mut Knobs) -> Option<Regex> {
    COMPILED.get(knobs.number().wrapping_sub(1)).cloned()
}

fn names(flag: &'static str, knobs: &mut Knobs) -> Result<Names, String> {
    Names::parse(flag, &[knobs.pick(&NAMES).to_owned()])
}

fn wanted(knobs: &mut Knobs) -> Result<Wanted, String> {
    let source = match knobs.number() % 3 {
        0 => KeySource::Whole,
        1 => KeySource::Fields(names("-k", knobs)?),
        _ => KeySource::Pattern(COMPILED[knobs.number() % PATTERNS.len()].clone()),
    };
    let is_whole = matches!(source, KeySource::Whole);
    let mut key = KeySpec::new(source);
    if is_whole && knobs.flag() {
        key.ignore = names("--ignore", knobs)?;
    }
    let switches = knobs.number();
    [key.ignore_case, key.missing_is_empty, key.keep_time, key.typed] =
        [0, 1, 2, 3].map(|bit| switches >> bit & 1 == 1);
    let masks = knobs.pick(&MASKS);
    if !masks.is_empty() {
        key.masks = Masks::parse(masks)?;
    }
    let source = match knobs.number() % 4 {
        0 => None,
        1 => Some(TimeSource::Own),
        2 => Some(TimeSource::Fields(names("-t", knobs)?)),
        _ => Some(TimeSource::Pattern(COMPILED[knobs.number() % PATTERNS.len()].clone())),
    };
    let lenient = knobs.flag();
    let stamps = StampReader::new(StampOptions::default())?;
    let time = source.map(|source| TimeSpec { source, stamps, lenient });
    let separator = knobs.pick(&[Separator::Blanks, Separator::Byte(b',')]);
    Ok(Wanted { key, time, value: ValueSpec::One, separator })
}

fn read_options(knobs: &mut Knobs) -> ReadOptions {
    let multiline = match knobs.number() {
        1 => StampReader::new(StampOptions::default()).ok().map(|stamps| Multiline::Unstamped(Box::new(stamps))),
        2 => Some(Multiline::Unmatched(COMPILED[0].clone())),
        _ => None,
    };
    let max_record = knobs.pick(&[1 << 20, 20]);
    ReadOptions { terminator: b'\n', max_record, banners: knobs.flag(), cuts: knobs.flag(), multiline }
}

/// Checks that what was found of a piece fits together.
fn check(piece: &[u8], records: &Records) {
    let shown = piece.escape_ascii();
    let count = records.ends.len();
    if records.trouble.is_none() {
        assert_eq!(records.ends.last().map(|end| *end as usize), Some(piece.len()), "{shown}");
    }
    assert_eq!(records.hashes.len() + records.keyless.len(), count, "{shown}");
    assert!(records.stamps.is_empty() || records.stamps.len() == count, "{shown}");
    assert!(records.keyless.is_sorted_by(|one, next| one.index < next.index), "{shown}");
    assert!(records.keyless.iter().all(|keyless| (keyless.index as usize) < count), "{shown}");
    assert!(records.cuts.is_sorted_by(|one, next| one.index <= next.index), "{shown}");
    for cuts in records.cuts.chunk_by(|one, next| one.index == next.index) {
        let index = cuts[0].index as usize;
        if index < count {
            let record = &piece[records.start(index)..records.ends[index] as usize];
            cuts.iter().for_each(|cut| check_range(record, &cut.range));
            assert!(cuts.is_sorted_by(|one, next| one.range.end <= next.range.start), "{cuts:?} of {shown}");
        }
    }
}

/// Reads the records of a piece one by one.
fn check_one_by_one(single: &mut Reader, piece: &[u8], layout: &Arc<Layout>, records: &Records) {
    let (mut hashes, mut stamps, mut keyless, mut cuts) = (Vec::new(), Vec::<Stamp>::new(), Vec::new(), Vec::new());
    let mut one = Records::default();
    let mut ragged = 0;
    for (start, index) in (0..records.ends.len()).map(|index| (records.start(index), index as u32)) {
        single.read(&piece[start..records.ends[index as usize] as usize], layout, &mut one);
        assert_eq!(one.trouble, None);
        assert_eq!(one.ends.len(), 1);
        hashes.append(&mut one.hashes);
        stamps.append(&mut one.stamps);
        keyless.extend(one.keyless.iter().map(|keyless| Keyless { index, why: keyless.why }));
        cuts.extend(one.cuts.drain(..).map(|cut| Cut { index, range: cut.range }));
        ragged += one.ragged();
    }
    if records.trouble.is_some() {
        return;
    }
    let shown = piece.escape_ascii();
    assert_eq!(keyless, records.keyless, "{shown}");
    assert_eq!(stamps, records.stamps, "{shown}");
    assert_eq!(cuts, records.cuts, "{shown}");
    assert_eq!(hashes, records.hashes, "{shown}");
    assert_eq!(ragged, records.ragged(), "{shown}");
}
