#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares how long the host was blocked in all places of a report that say so.

    host_blocked.py GOLDEN

GOLDEN is the folder of golden texts. In each that has both, the waits by call
site add up to the figure of the totals.
"""
import pathlib
import re
import sys

UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
TIME = r"([\d.]+) (ns|us|ms|s)"
ROUNDING = 0.005  # of figures with three digits
UNLISTED = 0.02  # of the whole: shorter waits are not listed


def sections(text):
    """Returns the lines below each heading."""
    found, lines = {}, []
    for line in text.splitlines():
        heading = re.match(r"(Where the time went|What the host waited for|"
                           r"[A-Z]\w+)  |[A-Z]\w+$", line)
        if heading:
            lines = found.setdefault(heading[1], [])
        lines.append(line)
    return found


def figure(lines, pattern):
    """Returns the times, in ns, at the start of the lines of that pattern."""
    return [float(match[1]) * UNITS[match[2]]
            for match in (re.match(pattern, line) for line in lines) if match]


def main(folder):
    compared, failed = 0, False
    for path in sorted(pathlib.Path(folder).rglob("*.txt")):
        parts = sections(path.read_text())
        if "What the host waited for" not in parts:
            continue
        lines = parts.get("Where the time went", [])
        total = figure(lines, rf"  host blocked +{TIME} ")
        whole = figure(lines, rf"  (?:steady part|run) +{TIME} ")
        waits = figure(parts["What the host waited for"], rf" +{TIME} +[\d.]+ %")
        if not total or not waits or not whole:
            continue
        compared += 1
        off = ROUNDING * total[0]
        if not -off <= total[0] - sum(waits) <= off + UNLISTED * whole[0]:
            print(f"{path.name}: waits of {sum(waits):.4g} ns, "
                  f"host blocked {total[0]:.4g} ns")
            failed = True
    print(f"{compared} reports compared")
    return failed or not compared


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
