#!/usr/bin/env python3
"""One whole record of each user, by DuckDB, in the quickest form that was found: a peer of `grudge dedup`.

    benches/first_by.py json|csv FILE            the records, to standard output
    benches/first_by.py json|csv FILE --count    the number of users alone, which reads no other field

Runs under a Python that has the module duckdb. DuckDB promises no order: with more than one thread it gives any record
of a user, with `--threads 1` the first one.
"""

import argparse
import sys

import duckdb

# A byte that no line holds: it keeps the CSV writer from quoting the text of an object.
NO_BYTE = "\x01"

# JSON is kept as text and only the key is taken out of it: 1.6 times as quick as a table of all fields, and the record
# comes out as it went in. The number alone is quicker from a table, which then has one column.
JSON_KEY = "json->>'$.user.id'"
JSON_RECORDS = f"SELECT DISTINCT ON ({JSON_KEY}) json FROM read_ndjson_objects($file)"
JSON_COUNT = "SELECT count(DISTINCT \"user\".id) FROM read_json($file, format = 'newline_delimited')"
JSON_OUTPUT = f"FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER '{NO_BYTE}'"

# Text alone, since turning the columns into numbers and times and back is work that nobody asked for.
CSV_TABLE = "read_csv($file, header = true, all_varchar = true)"
CSV_RECORDS = f'SELECT DISTINCT ON ("user") * FROM {CSV_TABLE}'
CSV_COUNT = f'SELECT count(DISTINCT "user") FROM {CSV_TABLE}'
CSV_OUTPUT = "FORMAT csv, HEADER true"

RECORDS = {"json": (JSON_RECORDS, JSON_OUTPUT), "csv": (CSV_RECORDS, CSV_OUTPUT)}
COUNT = {"json": JSON_COUNT, "csv": CSV_COUNT}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("format", choices=RECORDS)
    parser.add_argument("file")
    parser.add_argument("--count", action="store_true", help="the number of users alone")
    parser.add_argument("--threads", type=int, help="threads (default: one a core)")
    options = parser.parse_args()

    database = duckdb.connect()
    if options.threads:
        database.execute(f"SET threads = {options.threads}")
    # COPY takes no parameters.
    file = "'" + options.file.replace("'", "''") + "'"
    if options.count:
        print(database.execute(COUNT[options.format].replace("$file", file)).fetchone()[0])
    else:
        query, output = RECORDS[options.format]
        database.execute(f"COPY ({query.replace('$file', file)}) TO '/dev/stdout' ({output})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
