#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/coverage.md quotes every line that a report can say about its trace, and
no other.

    coverage_page.py SOURCES

Lines are the strings of three words and more in the files below; what is
printed into them is "..." on the page, where each has a row.
"""
import pathlib
import re
import sys

SOURCES = pathlib.Path(sys.argv[1])
FILES = [SOURCES / "report/build" / f"{name}.c"
         for name in ("coverage", "coverage_gpu", "coverage_sampling", "coverage_calls",
                      "check_profile", "counters", "devices", "gaps")]
FILES.append(SOURCES / "report/render/text/coverage.c")

TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|^#[^\n]*|"((?:[^"\\]|\\.)*)"|PRI\w+|\s+|.',
                   re.S | re.M)
CONVERSION = re.compile(r"%[-.*0-9]*(?:z|l|ll|h)?[a-zA-Z]?|%%")


def strings(path):
    """Adjacent strings of C as one; a conversion is a mark."""
    text = None
    for token in TOKEN.finditer(path.read_text()):
        if token.group(1) is not None:
            text = (text or "") + token.group(1)
        elif not re.match(r"PRI|\s|/\*|//", token.group()) and text is not None:
            yield text
            text = None


def parts(text):
    """What stands between conversions, without the ends of other sentences."""
    found = (re.sub(r"[\s`]+", " ", part).strip(" ,;:.()")
             for part in CONVERSION.split(text))
    return [part for part in found if re.search(r"\w", part)]


def has(row, wanted):
    """Whether the row has the parts in this order."""
    at = 0
    for part in wanted:
        at = row.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return True


def main():
    page = (SOURCES / "docs/coverage.md").read_text()
    rows = [re.sub(r"[\s`]+", " ", line.split("|")[1]) for line in page.splitlines()
            if line.startswith("| ") and not line.startswith("| line")]
    lines = [parts(text) for path in FILES for text in strings(path)]
    lines = [line for line in lines if len(" ".join(line).split()) > 2]
    missing = [line for line in lines if not any(has(row, line) for row in rows)]
    stale = [row for row in rows if not any(has(row, line) for line in lines)]
    for line in missing:
        print("docs/coverage.md does not have:", " ... ".join(line))
    for row in stale:
        print("no report says:", row)
    if len(lines) < 50 or len(rows) < 30:
        sys.exit(f"only {len(lines)} lines and {len(rows)} rows seen")
    sys.exit(bool(missing or stale))


if __name__ == "__main__":
    main()
