#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/json.md names every key that is printed, and no figure that is not.

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
    ("report", str(SOURCES / "tests/report/dataflow/layers-pinned.xspy"),
     "--dataflow"),
    ("diff", PAGEABLE, str(TRACES / "stencil-512-pinned.xspy"),
     "--fail-above", "5"),
    ("model", "--machine", "h200", "--machine", "k20m", "--h2d-bytes", "1G",
     "--d2h-bytes", "1G", "--kernel-ms", "3", "--flops", "1e9",
     "--memory-bytes", "2G"))
# Of gaps, which these runs do not have.
OTHERS = {"from_ns", "to_ns"}


def keys_of(value):
    """All keys, but for those of a profile, which has a page of its own."""
    if isinstance(value, list):
        return set().union(*map(keys_of, value))
    if not isinstance(value, dict):
        return set()
    inner = (keys_of(item) for key, item in value.items() if key != "machine")
    return set(value).union(*inner)


def main():
    page = (SOURCES / "docs/json.md").read_text()
    named = set(re.findall(r"`(\w+)`", page))
    keys = set()
    for arguments in PRINTED:
        text = subprocess.run([XFERSPY, *arguments, "--format", "json"],
                              stdout=subprocess.PIPE, check=True).stdout
        keys |= keys_of(json.loads(text))
    missing = sorted(keys - named)
    # what has a unit in its name is a key
    unknown = sorted(word for word in named - keys - OTHERS
                     if re.search("_(ns|bytes|ops|calls)$", word))
    for what, words in (("not there", missing), ("never printed", unknown)):
        if words:
            print(f"docs/json.md: {what}: {', '.join(words)}")
    return 1 if missing or unknown else 0


if __name__ == "__main__":
    sys.exit(main())
