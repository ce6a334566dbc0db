#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""examples/initiated/README.md prints the recorded rounds of a kernel that stays and their
predictions as they are, and the times of both barriers; device-initiated has the error that
they show: the largest, as of so few programs by examples/corpus/errors.py.

    test_initiated_measured.py SOURCE-DIR XFERSPY
"""
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys

ROOT, XFERSPY = pathlib.Path(sys.argv[1]), sys.argv[2]
FOLDER = ROOT / "examples/initiated"
sys.path.insert(0, str(FOLDER))

import predict  # noqa: E402


def has_barriers(docs):
    """Whether the page has the medians of both barriers."""
    rows = [json.loads(line) for line in
            (FOLDER / "advised.jsonl").read_text().splitlines()]
    medians = [statistics.median(row["round_ns"] for row in rows
                                 if row["program"] == program
                                 and row.get("way") != "copies") / 1000
               for program in ("advised", "convergence")]
    return "takes {:.2f} µs in the advised form and {:.2f} µs in".format(
        *medians) in docs


def main():
    docs = (FOLDER / "README.md").read_text(encoding="utf-8")
    tables = [subprocess.run(
        [FOLDER / "predict.py", "--xferspy", XFERSPY, times.parent],
        stdout=subprocess.PIPE, text=True, check=True).stdout
        for times in FOLDER.glob("*/times.jsonl")]
    header = (ROOT / "model/strategies/between_programs.h").read_text()
    error = float(re.search(r"device_initiated ([\d.]+)", header)[1])
    largest = max(case.rest() for case in predict.load(XFERSPY))
    current = (all(table in docs for table in tables) and
               has_barriers(" ".join(docs.split())))
    if current and math.ceil(1000 * largest) / 1000 == error:
        return 0
    print(*tables, sep="\n")
    print(f"largest: {largest}, in between_programs.h: {error}")
    print("" if current else "examples/initiated/README.md prints another table")
    return 1


if __name__ == "__main__":
    sys.exit(main())
