//! The examples of help and of the manual pages. The tests run every one.

/// An example: what is typed, and what comes of it. The tests run every one.
pub type Example = (&'static str, &'static str);

/// Examples of the program as a whole.
pub const TOP_EXAMPLES: &[Example] = &[
    ("grudge dedup app.log", "every different line once, as awk '!seen[$0]++'"),
    ("tail -F app.log | grudge dedup --ttl 10m", "a line again only when ten minutes have passed"),
    ("grudge dedup -k ip access.log", "the first request of each address"),
    ("grudge dedup -k .user.id api.jsonl", "the first record of each user"),
    ("grudge score -k ip --half-life 1h access.log", "how much each address has sent lately"),
    ("grudge limit -k ip --rate 10/min access.log", "what a limit leaves of each address"),
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

/// Examples of `score`.
pub const SCORE_EXAMPLES: &[Example] = &[
    ("grudge score -k ip --half-life 1h access.log", "each request, and how much its address has sent lately"),
    (
        "tail -F access.log | grudge score -k ip --half-life 10m --map 'status:404=+2,2*=-1' --over 3",
        "requests of addresses that look for what is not there; good ones make up for it",
    ),
    (
        "grudge score -k ip --half-life 10m --map 'status:4*=+5' --enter 6 --leave 2 access.log",
        "one line when an address becomes suspicious, and one when it no longer is",
    ),
    ("grudge score -K 'host=(\\S+)' --drain 1/h --add '1:failed' auth.log", "failed logins, one forgiven an hour"),
    (
        "grudge score -k .user.id --value .took_ms --half-life 1m --print key,score api.jsonl",
        "the time each user has taken lately",
    ),
    ("grudge score -k customer --value price orders.csv", "a running total for each customer, as another column"),
];

/// Examples of `limit`.
pub const LIMIT_EXAMPLES: &[Example] = &[
    ("tail -F app.log | grudge limit -k 2 --rate 2/min", "no more than two lines a minute of each program"),
    ("grudge limit -k ip --rate 10/h --burst 3 --tag access.log", "what a limiter would have told each request"),
    ("grudge limit -k ip --rate 3/min --rate 10/h -v access.log", "only what one of two limits would have denied"),
    ("grudge limit -k ip --plan 1/min,10/h,1/s access.log", "what each of three limits would have cut"),
    ("grudge limit -k ip --rate 20kB/h --value bytes access.log", "so many bytes an hour for each address"),
];

/// Examples of `size`.
pub const SIZE_EXAMPLES: &[Example] = &[
    ("grudge size score --keys 1M --error 0.1%", "the memory with which one key in a thousand has too high a score"),
    ("grudge size limit -m 64MiB", "how many keys a memory is good for"),
    ("grudge size observe", "what half-lives mean for the counts of observe"),
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
