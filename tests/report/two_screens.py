#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reports fit two screens of a terminal, without --all, begin with the verdict, and
have no share above 100 %.

    two_screens.py XFERSPY SOURCE

Of each trace of SOURCE/tests/report/advice/expected.json, and of the programs that
others wrote (examples/corpus), with the profile h200 and with the one that the
command chooses; and of runs that XFERSPY_RANGE traced in parts.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

LINES = 100
COLUMNS = 80


def faults_of(xferspy, trace, environment, options=()):
    """Returns where reports of the trace do not fit, or begin otherwise: with these
    options, and with the profile h200, unless that is the one chosen."""
    text = subprocess.run([xferspy, "report", *options, trace], check=True,
                          stdout=subprocess.PIPE, text=True,
                          env=environment).stdout
    lines = text.splitlines()
    widest = max(map(len, lines))
    name = " ".join([str(trace), *options])
    first = lines[lines.index("") + 1:lines.index("") + 7]
    faults = [f"{name}: {what}" for what, is_fault in (
        (f"{len(lines)} lines", len(lines) > LINES),
        (f"{widest} columns", widest > COLUMNS),
        ("the verdict is not first, but for the sentence before it", not any(
            line.startswith("Verdict: ") for line in first)),
        ("a share above 100 %", any(
            float(share) > 100 for share in re.findall(r"([\d.]+) %", text))),
        ("it begins otherwise", not first[0].startswith(("In short: ", "Verdict: ")))
    ) if is_fault]
    if not options and "profile h200 (shipped)" not in " ".join(text.split()):
        faults += faults_of(xferspy, trace, environment, ("--machine", "h200"))
    return faults


def main(xferspy, source):
    source = pathlib.Path(source)
    rows = json.loads((source / "tests/report/advice/expected.json")
                      .read_text())
    traces = {source / row["trace"] for row in rows}
    traces |= set((source / "examples/corpus").rglob("*.xspy"))
    traces |= set((source / "examples/frameworks/h200-5").glob("*.xspy"))
    with tempfile.TemporaryDirectory() as home, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        # without calibrations of whoever runs this
        environment = dict(os.environ, HOME=home, XDG_DATA_HOME=home)
        faults = sum(pool.map(lambda trace: faults_of(xferspy, trace, environment),
                              sorted(traces)), [])
    print("\n".join(faults) or f"{len(traces)} traces fit")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
