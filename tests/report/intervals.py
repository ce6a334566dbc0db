#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each interval that a report tells contains its own value.

    intervals.py XFERSPY SOURCE

Of rounds and of the run, in all estimates, steps and on other machines, in the
reports with --all on the traces of SOURCE/examples and SOURCE/tests/report.
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

ROUND = ("round_ns", "low_ns", "high_ns")
RUN = ("app_wall_ns", "app_wall_low_ns", "app_wall_high_ns")
STEP = ("app_wall_ns", "low_ns", "high_ns")
SAVING = ("adds_saves_ns", "saves_low_ns", "saves_high_ns")


def misses(where, of, keys):
    """Returns where the interval does not contain its value, if it does not."""
    value, low, high = (of.get(key) for key in keys)
    if None in (value, low, high) or low <= value <= high:
        return []
    return [f"{where} {of['strategy']}: {keys[0]} {value} is not in {low} to {high}"]


def faults_of(xferspy, machines, trace):
    options = [word for machine in machines for word in ("--machine", machine)]
    report = json.loads(subprocess.run(
        [xferspy, "report", *options, "--all", "--format", "json", trace],
        stdout=subprocess.PIPE, check=True).stdout)
    faults = sum((misses(f"{trace}: phase {phase['id']}", row, keys)
                  for phase in report["phases"] for row in phase["estimates"]
                  for keys in (ROUND, RUN)), [])
    faults += sum((misses(f"{trace}: step {step['step']}", step, keys)
                   for step in report["plan"] for keys in (STEP, SAVING)), [])
    return faults + sum((misses(f"{trace}: elsewhere", row, STEP)
                         for row in report["elsewhere"]), [])


def main(xferspy, source):
    source = pathlib.Path(source)
    traces = [*(source / "examples").rglob("*.xspy"),
              *(source / "tests/report").rglob("*.xspy"),
              *(source / "tests/report/advice").glob("*.txt"),
              *(source / "tests/report/traces").glob("*.txt")]
    machines = [source / f"examples/machines/{name}.json" for name in ("h200", "h100")]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        faults = sum(pool.map(lambda trace: faults_of(xferspy, machines, trace),
                              sorted(traces)), [])
    print("\n".join(faults) or f"the intervals of {len(traces)} traces hold")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
