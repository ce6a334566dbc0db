#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares rounds by flags of a kernel that stays with their prediction.

    predict.py --xferspy PATH [FOLDER]

The prediction is from the trace of the rounds by copies and the calibration of the
same machine. A round of the report ends with its last call; what the host does until
the next one is in the measured rounds alone, and is added to the prediction: the time
by copies without tracing, less the traced round, if that is more than zero. The median
round of each process counts once. The last column leaves the error of the program out
of what widens its range. docs/models.md has the results.
"""
import argparse
import json
import math
import pathlib
import statistics
import subprocess

DATA = pathlib.Path(__file__).parent / "h100"


def medians(folder):
    """Returns the median of all processes, by program and way."""
    times = {}
    for line in (folder / "times.jsonl").read_text().splitlines():
        row = json.loads(line)
        times.setdefault(row["program"], {}).setdefault(
            row["way"], []).append(row["median_ns"])
    return {program: {way: statistics.median(ns) for way, ns in ways.items()}
            for program, ways in times.items()}


def estimates(xferspy, folder, program):
    """Returns the report's rows of the phase with the most rounds."""
    done = subprocess.run(
        [xferspy, "report", "--format", "json", "--machine",
         folder / "machine.json", "--counters",
         folder / f"{program}-counters.xspy", folder / f"{program}.xspy"],
        stdout=subprocess.PIPE, text=True, check=True)
    phase = max(json.loads(done.stdout)["phases"],
                key=lambda phase: phase["rounds"])
    return {row["strategy"]: row for row in phase["estimates"]
            if row["model"] == "replay"}


class Case:
    """One program both ways; times in ns."""

    def __init__(self, program, times, rows):
        row = rows["device-initiated"]
        between = max(times["copies"] - rows["as-is"]["round_ns"], 0)
        self.program, self.why = program, row["why"]
        self.copies, self.flags = times["copies"], times["flags"]
        self.applies = row["applies"]
        if not self.applies:
            return
        self.round = row["round_ns"]
        self.known = row["known_low_ns"], row["known_high_ns"]
        self.predicted, self.low, self.high = (
            row[key] + between for key in ("round_ns", "low_ns", "high_ns"))

    def rest(self):
        """Returns what the causes of the range leave unexplained, relative to the
        round."""
        off = self.flags - self.predicted
        known = self.known[off > 0] - self.round
        return math.sqrt(max(off ** 2 - known ** 2, 0)) / self.round


def load(xferspy, folder=DATA):
    return [Case(program, times, estimates(xferspy, folder, program))
            for program, times in medians(folder).items()]


def is_inside_alone(case, cases):
    """Whether the errors of the other programs contain this one's."""
    return case.rest() <= max(other.rest() for other in cases if other != case)


def us(ns):
    return f"{ns / 1000:.1f}"


def row_of(case, cases):
    start = f"| {case.program} | {us(case.copies)} | {us(case.flags)} |"
    if not case.applies:
        return f"{start} {case.why} | | |"
    return (f"{start} {us(case.predicted)} ({us(case.low)} – {us(case.high)}) | "
            f"{100 * (case.predicted / case.flags - 1):+.0f} % | "
            f"{'yes' if is_inside_alone(case, cases) else 'no'} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--xferspy", required=True)
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=DATA)
    options = parser.parse_args()
    cases = load(options.xferspy, options.folder)
    print("| program | copies | flags | predicted (90 % range) | error | inside |\n"
          "|---|---|---|---|---|---|")
    for case in cases:
        print(row_of(case, [each for each in cases if each.applies]))


if __name__ == "__main__":
    main()
