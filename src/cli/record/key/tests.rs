use super::super::format::Format;
use super::super::locate::Locator;
use super::*;

/// What a plain line's fields are.
fn found(spec: &KeySpec, record: &[u8]) -> Found {
    let mut found = Found::default();
    if let KeySource::Fields(names) = &spec.source {
        let parts = names.parts(&Format::Lines).unwrap();
        let mut locator = Locator::new(&parts, &Format::Lines, Separator::Blanks, false).unwrap();
        locator.locate(record, &mut found).unwrap();
    }
    found
}

fn key_by(spec: KeySpec, record: &[u8]) -> Option<Vec<u8>> {
    let found = found(&spec, record);
    AnyKey::new(spec).key(Look { record, found: &found, cuts: &[] }).map(<[u8]>::to_vec)
}

fn key(source: KeySource, record: &[u8]) -> Option<Vec<u8>> {
    key_by(KeySpec::new(source), record)
}

fn fields(numbers: &[usize]) -> KeySource {
    let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
    KeySource::Fields(Names::parse("-k", &numbers).unwrap())
}

fn pattern(pattern: &str) -> KeySource {
    KeySource::Pattern(Regex::new(pattern).unwrap())
}

#[test]
fn parts_are_framed() {
    assert_ne!(key(fields(&[1, 2]), b"a bc"), key(fields(&[1, 2]), b"ab c"));
    assert_ne!(key(fields(&[1, 2]), b"a b"), key(fields(&[2, 1]), b"a b"));
    assert_eq!(key(fields(&[2, 1]), b"a b"), key(fields(&[1, 2]), b"b a x"));
    assert_eq!(key(fields(&[2]), b"a b"), Some(b"b".to_vec()));
    assert_eq!(key(fields(&[1, 3]), b"a b"), None);
}

#[test]
fn a_key_given_by_its_parts_is_the_one_found_in_a_record() {
    let hasher = grudge::hash::KeyHasher::new(Default::default(), Default::default());
    for (numbers, parts) in [(&[2][..], &[&b"B"[..]][..]), (&[2, 1], &[b"B", b"a"])] {
        for ignore_case in [false, true] {
            let spec = KeySpec { ignore_case, ..KeySpec::new(fields(numbers)) };
            let found = found(&spec, b"a B c");
            let look = Look { record: b"a B c", found: &found, cuts: &[] };
            let mut any = AnyKey::new(spec);
            let given = any.hash_of_parts(&hasher, parts);
            assert_eq!(any.hash(&hasher, look), Some(given));
            let mut texts = Vec::new();
            any.texts(look, |text| texts.push(text.to_vec()));
            assert_eq!(texts, parts);
        }
    }
}

#[test]
fn a_missing_part_may_count_as_empty() {
    let spec = KeySpec { missing_is_empty: true, ..KeySpec::new(fields(&[1, 3])) };
    let missing = key_by(spec.clone(), b"a b");
    assert!(missing.is_some());
    assert_ne!(missing, key_by(spec, b"a b c"));
}

#[test]
fn a_pattern_gives_its_groups_or_its_match() {
    assert_eq!(key(pattern("host=[a-z]+"), b"x host=ab y"), Some(b"host=ab".to_vec()));
    assert_eq!(key(pattern("host=([a-z]+)"), b"x host=ab y"), Some(b"ab".to_vec()));
    assert_eq!(key(pattern("a(x)|b(y)"), b"by"), Some(b"y".to_vec()));
    assert_eq!(key(pattern("host=([a-z]+)"), b"nothing"), None);
    assert_ne!(key(pattern("(a+)(b*)"), b"aab"), key(pattern("(a+)(b*)"), b"aabb"));
}

#[test]
fn case_is_ignored_in_any_alphabet_and_bad_bytes_stay() {
    let fold = |record: &[u8]| key_by(KeySpec { ignore_case: true, ..KeySpec::new(KeySource::Whole) }, record);
    assert_eq!(fold("ÄB".as_bytes()), fold("äb".as_bytes()));
    assert_eq!(fold(b"AB"), fold(b"ab"));
    assert_ne!(fold(b"A\xE9"), fold(b"a\xE8"));
    assert_eq!(fold(b"A\xE9"), fold(b"a\xE9"));
}

#[test]
fn a_stamp_is_left_out_unless_it_is_all_there_is() {
    let rest = |record: &str, stamp: &[(usize, usize)]| {
        let stamp: Vec<Range<usize>> = stamp.iter().map(|(start, end)| *start..*end).collect();
        String::from_utf8(without(record.as_bytes(), &stamp, &mut Vec::new()).to_vec()).unwrap()
    };
    assert_eq!(rest("12:00 x", &[(0, 5)]), " x");
    assert_eq!(rest("[12:00] x", &[(1, 6)]), "[] x");
    assert_eq!(rest("a 12 b 34 c", &[(2, 4), (7, 9)]), "a  b  c");
    assert_eq!(rest("[12:00] ", &[(1, 6)]), "[12:00] ");
    assert_eq!(rest("12:00", &[(0, 5)]), "12:00");
    assert_eq!(rest("12 \t34", &[(0, 2), (4, 6)]), "12 \t34");
    assert_eq!(rest("no stamp", &[]), "no stamp");
}
