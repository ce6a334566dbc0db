#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/json.md names every key that is printed where the page tells of its object,
no figure that is not printed, and the columns of CSV in their order.

    json_page.py XFERSPY SOURCES
"""
import json
import pathlib
import re
import subprocess
import sys

XFERSPY, SOURCES = sys.argv[1], pathlib.Path(sys.argv[2])
TRACES = SOURCES / "examples/traces"
PAGEABLE = str(TRACES / "stencil-512-pageable.xspy")
PRINTED = (
    ("report", PAGEABLE, "--machine", "h200", "--machine", "k20m",
     "--counters", str(TRACES / "stencil-512-counters.xspy")),
    ("report", str(SOURCES / "tests/report/traces/callers.txt")),
    ("report", str(SOURCES / "examples/putget/h100/peer.xspy")),
    ("report", str(SOURCES / "tests/report/dataflow/layers-pinned.xspy"),
     "--dataflow"),
    ("report", PAGEABLE, "--machine", "h200", "--pinned-budget", "8G"),
    ("report", str(SOURCES / "tests/report/traces/nvtx.txt"), "--by-range"),
    ("report", PAGEABLE, str(TRACES / "stencil-512-pinned.xspy"),
     str(TRACES / "vecadd-1000000-pinned.xspy")),
    ("diff", str(SOURCES / "tests/report/dataflow"),
     str(SOURCES / "tests/report/dataflow")),
    ("diff", PAGEABLE, str(TRACES / "stencil-512-pinned.xspy"),
     "--fail-above", "5"),
    ("model", "--machine", "h200", "--h2d-bytes", "1G",
     "--d2h-bytes", "1G", "--kernel-ms", "3", "--flops", "1e9",
     "--memory-bytes", "2G"),
    ("model", "--machine", "h200", "--h2d-bytes", "8", "--control"))
# Of gaps, which these runs do not have.
OTHERS = {"from_ns", "to_ns"}
# Of the CSV of a job.
OTHERS |= {"least_ns", "most_ns"}


def words_of(text):
    return set(re.findall(r"`(\w+)`", text))


def read_page():
    """Returns what the page says: of a report by the name of each object, of the
    other commands by the command. None: before all, and of a report's own
    keys."""
    page = (SOURCES / "docs/json.md").read_text()
    sections = re.split(r"^## `(\w+)`$", page, flags=re.M)
    texts = dict(zip(sections[1::2], sections[2::2]))
    parts = re.split(r"\n\n(?=\*\*)", texts.pop("report"))
    texts[None] = sections[0] + parts[0]
    for part in parts:
        if part.startswith("**"):
            for name in words_of(part.split(":")[0]):
                texts[name] = part
        for name, text in re.findall(r"^\| `(\w+)` \| (.*) \|$", part, re.M):
            texts.setdefault(name, text)
    return texts


def said_of(texts, command, path):
    """Returns the words that the page has on the innermost object of the path, with
    those on objects that it refers to."""
    if command == "report":
        name = next((name for name in reversed(path) if name in texts), None)
        places = [name, *re.findall(r"as in `(\w+)`", texts[name])]
    else:
        places = [None, command]
        if command == "job_diff":
            places.append("job")
        if {"estimates", "prediction"} & set(path):
            places.append("estimates")
    return set().union(*(words_of(texts.get(place, "")) for place in places))


def walk(value, path=()):
    """All keys with the names of the objects around them, but for those of a
    profile, which has a page of its own."""
    if isinstance(value, list):
        for item in value:
            yield from walk(item, path)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield path, key
            if key != "machine":
                yield from walk(item, (*path, key))


def columns():
    return subprocess.run([XFERSPY, "report", PAGEABLE, "--format", "csv"],
                          stdout=subprocess.PIPE, check=True,
                          text=True).stdout.splitlines()[0].split(",")


def main():
    texts = read_page()
    missing, printed = set(), set(columns())
    if re.findall(r"`(\w+)`", texts["csv"]) != columns():
        missing.add("csv: " + ",".join(columns()))
    for command, *arguments in PRINTED:
        text = subprocess.run([XFERSPY, command, *arguments, "--format",
                               "json"], stdout=subprocess.PIPE,
                              check=True).stdout
        value = json.loads(text)
        command = next((name for name in ("job", "job_diff") if name in value), command)
        for path, key in walk(value):
            printed.add(key)
            if key not in said_of(texts, command, path):
                missing.add(f"{command}: {'.'.join((*path, key))}")
    # what has a unit in its name is a key
    unknown = {word for text in texts.values() for word in words_of(text)
               - printed - OTHERS
               if re.search("_(ns|bytes|ops|calls|percent)$", word)}
    for what, words in (("not there", missing), ("never printed", unknown)):
        for word in sorted(words):
            print(f"docs/json.md: {what}: {word}")
    return 1 if missing or unknown else 0


if __name__ == "__main__":
    sys.exit(main())
