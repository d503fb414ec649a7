"""The works that `compare` times: what is done, on which data, by which programs. To add one, add an entry to WORKS."""

from dataclasses import dataclass


@dataclass
class Program:
    """One row of a work.

    `command` is a line for sh. In it {file} is the data, {table} the bytes of grudge's table, {grudge} and {limit} the
    programs built here, {first_by} `first_by.py` under a Python that has duckdb.
    """

    name: str
    command: str
    # What must agree with the reference: "order" byte for byte, "sorted" as a set of lines, "count" the number of
    # lines, "none" nothing (it writes no lines, or others).
    check: str = "order"
    # Taken part in fewer rounds.
    slow: bool = False
    # May lose a few new records.
    approximate: bool = False


@dataclass
class Work:
    name: str
    # A kind of benches/gen, and the share of --lines that it gets: a long line counts for several.
    kind: str
    share: float
    # The first program whose output is the reference and is installed; the others are checked against it.
    reference: list
    programs: list
    # The run that tells how large grudge's table is at the end of the data.
    table: str = "{grudge} dedup --stats=json {file}"


def whole_lines(kind):
    return Work(
        name=f"dedup {kind}",
        kind=kind,
        share=1,
        reference=["mawk", "gawk", "runiq", "huniq"],
        programs=[
            Program("limit", "{limit} {file} {table}", check="none"),
            Program("grudge", "{grudge} dedup {file}", approximate=True),
            Program("huniq", "huniq < {file}", approximate=True),
            Program("runiq", "runiq {file}", approximate=True),
            Program("mawk", "mawk '!seen[$0]++' {file}", slow=True),
            Program("gawk", "gawk '!seen[$0]++' {file}", slow=True),
        ],
    )


# The update of `foreach` is one setpath() and nothing else: every other form that was tried copies the object of the
# keys at each new one.
JQ_DEDUP = (
    "foreach inputs as $r ({}; setpath([$r.user.id]; .[$r.user.id] + 1); select(.[$r.user.id] == 1) | $r)"
)

ACCESS_BY_IP = Work(
    name="dedup access by ip",
    kind="access",
    share=0.25,
    reference=["mawk", "gawk"],
    table="{grudge} dedup -k ip --stats=json {file}",
    programs=[
        Program("limit", "{limit} {file} {table} --key first", check="none"),
        Program("grudge", "{grudge} dedup -k ip {file}", approximate=True),
        # These two print the keys and lose the records.
        Program("cut|huniq", "cut -d' ' -f1 {file} | huniq", check="count", approximate=True),
        Program("cut|runiq", "cut -d' ' -f1 {file} | runiq", check="count", approximate=True),
        Program("mawk", "mawk '!seen[$1]++' {file}", slow=True),
        Program("gawk", "gawk '!seen[$1]++' {file}", slow=True),
    ],
)


# Every record is written with the running count of its address in front: no fading, which awk has no short way for.
SCORE_BY_IP = Work(
    name="score access by ip",
    kind="access",
    share=0.25,
    reference=["mawk", "gawk"],
    table="{grudge} score -k ip --stats=json {file}",
    programs=[
        Program("grudge", "{grudge} score -k ip {file}", approximate=True),
        Program("grudge over", "{grudge} score -k ip --over 1e9 {file}", check="none"),
        Program("grudge dedup", "{grudge} dedup -k ip {file}", check="none"),
        Program("mawk", "mawk '{printf \"%.3f\\t%s\\n\", ++s[$1], $0}' {file}", slow=True),
        Program("gawk", "gawk '{printf \"%.3f\\t%s\\n\", ++s[$1], $0}' {file}", slow=True),
    ],
)


def duckdb(kind):
    """DuckDB's rows of a work on data of this kind."""
    return [
        # A whole record of each key, but any one of them.
        Program("duckdb", f"{{first_by}} {kind} {{file}}", check="count"),
        # The same work: with one thread it was always the first record, in another order.
        Program("duckdb first", f"{{first_by}} {kind} {{file}} --threads 1", check="sorted"),
        # Less work: the number of keys alone.
        Program("duckdb count", f"{{first_by}} {kind} {{file}} --count", check="none"),
    ]


# The limit of these two hashes whole records, since it looks for no field; its table has as many slots as grudge's.
JSON_BY_USER = Work(
    name="dedup json by user",
    kind="json",
    share=0.25,
    reference=["jq"],
    table="{grudge} dedup -k .user.id --stats=json {file}",
    programs=[
        Program("limit", "{limit} {file} {table}", check="none"),
        Program("grudge", "{grudge} dedup -k .user.id {file}", approximate=True),
        *duckdb("json"),
        Program("jq", f"jq -nc '{JQ_DEDUP}' {{file}}", slow=True),
        # Less work: every key as it comes, nothing remembered.
        Program("jq keys", "jq -r .user.id {file}", check="none", slow=True),
    ],
)

CSV_BY_USER = Work(
    name="dedup csv by user",
    kind="csv",
    share=0.25,
    reference=["mlr"],
    table="{grudge} dedup -k user --stats=json {file}",
    programs=[
        Program("limit", "{limit} {file} {table}", check="none"),
        Program("grudge", "{grudge} dedup -k user {file}", approximate=True),
        *duckdb("csv"),
        # The keys without their records, and the keys with how often each came.
        Program("xsv|huniq", "xsv select user {file} | huniq", check="count", approximate=True),
        Program("xsv freq", "xsv frequency --select user --limit 0 {file}", check="count"),
        Program("mlr", "mlr --icsv --ocsv head -n 1 -g user {file}", slow=True),
    ],
)

WORKS = [whole_lines("zipf"), whole_lines("distinct"), ACCESS_BY_IP, SCORE_BY_IP, JSON_BY_USER, CSV_BY_USER]
