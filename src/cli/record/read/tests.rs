use super::super::fields::Separator;
use super::super::key::{KeySource, KeySpec};
use super::super::names::Names;
use super::super::plan::TimeSpec;
use super::super::time::TimeSource;
use super::*;
use crate::timestamp::{StampOptions, StampReader};
use grudge::hash::{Algorithm, Seed};

fn reader(source: KeySource, time: Option<TimeSource>) -> Reader {
    let stamps = || StampReader::new(StampOptions::default()).unwrap();
    let time = time.map(|source| TimeSpec { source, stamps: stamps(), lenient: false });
    let wanted = Wanted { key: KeySpec::new(source), time, value: ValueSpec::One, separator: Separator::Blanks };
    let options = ReadOptions { terminator: b'\n', max_record: 1000, banners: true, cuts: false, multiline: None };
    Reader::new(options, KeyHasher::new(Algorithm::Xxh3, Seed::default()), wanted, Sift::default())
}

fn layout(format: Format) -> Arc<Layout> {
    Arc::new(Layout { format, ..Layout::default() })
}

fn fields(names: &[&str]) -> KeySource {
    KeySource::Fields(Names::parse("-k", &[names.join(",")]).unwrap())
}

#[test]
fn nothing_is_allocated_for_a_record() {
    let line = "2026-03-01T10:00:00.5Z host app[1]: disk full\n";
    let object = "{\"time\":\"2026-03-01T10:00:00.5Z\",\"user\":{\"id\":\"a\\nb\"},\"n\":[1,2]}\n";
    let blocks = [line, object]
        .map(|line| (0..10_000).map(|n| line.replace("00.5", &format!("{:02}.{n}", n / 1000))).collect::<String>());
    let pattern = KeySource::Pattern(Regex::new(r"(\w+)\[(\d+)\]").unwrap());
    let lines = [KeySource::Whole, fields(&["2"]), fields(&["3", "1"]), pattern].map(|key| (key, Format::Lines, 0));
    let objects = [KeySource::Whole, fields(&[".user.id"]), fields(&["n", ".user"])].map(|key| (key, Format::Json, 1));
    for (key, format, block) in lines.into_iter().chain(objects) {
        let (layout, block) = (layout(format), blocks[block].as_bytes());
        for time in [None, Some(TimeSource::Own)] {
            let mut reader = reader(key.clone(), time.clone());
            let mut records = Records::default();
            // The first blocks make room for what the others need, and decide what is to be decided.
            (0..2).for_each(|_| reader.read(block, &layout, &mut records));
            let count = allocation_counter::measure(|| reader.read(block, &layout, &mut records));
            assert_eq!(records.hashes.len(), 10_000, "{key:?}");
            assert_eq!(count.count_total, 0, "{key:?} {time:?}");
        }
    }
}

#[test]
fn a_record_without_a_key_keeps_its_place() {
    let mut records = Records::default();
    let long = "x".repeat(1001);
    let block = format!("a 1\nb\n==> file <==\n{long} 3\nc 2\r\n");
    reader(fields(&["2"]), Some(TimeSource::Own)).read(block.as_bytes(), &layout(Format::Lines), &mut records);
    assert_eq!(records.ends, [4, 6, 19, 1023, 1028]);
    assert_eq!(records.stamps.len(), 5);
    assert_eq!(records.hashes.len(), 2);
    let keyless: Vec<_> = records.keyless.iter().map(|record| (record.index, record.why)).collect();
    assert_eq!(keyless, [(1, Why::Missing), (2, Why::Banner), (3, Why::TooLong)]);
}

#[test]
fn a_reader_is_decided_once_a_stamp_was_read() {
    let (mut records, layout) = (Records::default(), layout(Format::Lines));
    let mut first = reader(KeySource::Whole, Some(TimeSource::Own));
    assert!(!first.is_decided(&layout));
    first.read(b"no stamp\n", &layout, &mut records);
    assert!(!first.is_decided(&layout));
    first.read(b"Mar  1 10:00:00 x\n", &layout, &mut records);
    assert!(first.is_decided(&layout));
    let mut second = reader(KeySource::Whole, Some(TimeSource::Own));
    second.adopt(first.decided());
    second.read(b"2026-03-01T10:00:00Z x\n", &layout, &mut records);
    assert_eq!(records.stamps, [Stamp::None], "another form than the first one's was read");
}
