//! The examples of help and of the manual pages. The tests run every one.

/// An example: what is typed, and what comes of it. The tests run every one.
pub type Example = (&'static str, &'static str);

/// Examples of the program as a whole.
pub const TOP_EXAMPLES: &[Example] = &[
    ("grudge dedup app.log", "every different line once, as awk '!seen[$0]++'"),
    ("tail -F app.log | grudge dedup --ttl 10m", "a line again only when ten minutes have passed"),
    ("grudge dedup -k ip access.log", "the first request of each address"),
    ("grudge dedup -k .user.id api.jsonl", "the first record of each user"),
    ("grudge dedup --help", "all there is to it"),
];

/// Examples of `dedup`.
pub const DEDUP_EXAMPLES: &[Example] = &[
    ("grudge dedup app.log", "every different line once, in order: the output of awk '!seen[$0]++'"),
    (
        "tail -F app.log | grudge dedup --ttl 10m",
        "a line comes again only when ten minutes have passed, by its own stamps",
    ),
    ("tail -F access.log | grudge dedup -k ip,path --ttl 10m", "each page of each visitor once in ten minutes"),
    (
        "grudge dedup -k ip access.log.2.gz access.log.1 access.log",
        "the first request of each address over three files",
    ),
    ("grudge dedup -K 'host=(\\S+)' --ttl 1h auth.log", "one line an hour for each host"),
    ("grudge dedup -k .user.id --ttl 1h api.jsonl", "each user once an hour, by the time that the records have"),
    ("grudge dedup -k line --ttl 10m trips.csv", "by the column of that name"),
    ("grudge dedup --mask all --multiline --ttl 10m shop.log", "one of each kind of message, stack traces whole"),
    ("grudge dedup -k 2 --ttl 10m --count app.log", "and how many were dropped before each line that passes"),
    ("grudge dedup --ttl 1000r words.txt", "a line comes again only when a thousand records have passed"),
    ("grudge dedup -v words.txt", "only the repeats"),
    ("grudge dedup -k ip --explain access.log", "what would be done, and what the fields are called"),
];

/// Examples as help shows them: what comes of a command beside it, or below it where they are long.
pub fn show_examples(examples: &[Example]) -> String {
    /// Columns for the commands where the explanations stand beside them.
    const BESIDE: usize = 43;
    let beside = examples.iter().all(|(command, _)| command.len() + 2 <= BESIDE);
    let mut text = String::from("Examples:\n");
    for (command, result) in examples {
        text +=
            &if beside { format!("  {command:BESIDE$}{result}\n") } else { format!("  {command}\n      {result}\n") };
    }
    text
}
