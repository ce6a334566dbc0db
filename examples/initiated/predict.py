#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares rounds by flags of a kernel that stays with their prediction.

    predict.py --xferspy PATH [FOLDER]

The prediction is from the trace of the rounds by copies and the calibration of the
same machine. A round of the report ends with its last call; what the host does until
the next one is in the measured rounds alone, and is added to the prediction: the median
of the trace, from the end of a wait to the next call. The median round of each process
counts once. The last column leaves the error of the program out of what widens its
range; programs by others and a later run widen none. docs/models.md has the results.
"""
import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
sys.path.append(str(HERE.parent / "putget"))

from plainly import end_plainly, is_number  # noqa: E402 pylint: disable=wrong-import-position

DATA = HERE / "h100-2"
AS_FIRST_WRITTEN = HERE / "h100"  # convergence and halo with other accesses
AFTERWARDS = HERE / "h200"  # a run after the error was taken from DATA
BY_OTHERS = HERE / "corpus"
WAIT = "cudaStreamSynchronize"  # ends a round by copies


def medians(folder):
    """Returns the median of all processes, by program and way."""
    times = {}
    path = folder / "times.jsonl"
    for number, line in enumerate(path.read_text().splitlines(), 1):
        row = json.loads(line)
        if not is_number(row["median_ns"]) or row["median_ns"] <= 0:
            raise ValueError(f"{path}: line {number} is not of a program")
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


def calls_of(dump):
    """Returns start, end and function of the calls of a dumped trace, in order."""
    names, functions, calls = {}, {}, []
    for line in dump.splitlines():
        kind, *words = line.split()
        fields = dict(word.split("=", 1) for word in words if "=" in word)
        if kind == "string":
            names[fields["id"]] = fields["text"].strip('"')
        elif kind == "site":
            functions[fields["site"]] = names.get(fields["function"])
        elif "site" in fields and "duration" in fields:
            start = int(fields["start"])
            calls.append((start, start + int(fields["duration"]),
                          functions[fields["site"]]))
    return sorted(calls)


def between_rounds(xferspy, trace):
    """Returns the host's median time from the end of a wait to the next call."""
    done = subprocess.run([xferspy, "dump", trace], stdout=subprocess.PIPE,
                          text=True, check=True)
    calls = calls_of(done.stdout)
    return statistics.median(after[0] - wait[1] for wait, after
                             in zip(calls, calls[1:]) if wait[2] == WAIT)


class Case:
    """One program both ways; times in ns."""

    def __init__(self, program, times, row, between):
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
        round alone, as the model applies it."""
        off = self.flags - self.predicted
        known = self.known[off > 0] - self.round
        return math.sqrt(max(off ** 2 - known ** 2, 0)) / self.round


def load(xferspy, folder=DATA):
    return [Case(program, times,
                 estimates(xferspy, folder, program)["device-initiated"],
                 between_rounds(xferspy, folder / f"{program}.xspy"))
            for program, times in medians(folder).items()]


def is_inside_alone(case, cases):
    """Whether the errors of the other programs contain this one's."""
    return case.rest() <= max((other.rest() for other in cases if other != case),
                              default=0)


def us(ns):
    return f"{ns / 1000:.1f}"


def row_of(case, cases, widens):
    start = f"| {case.program} | {us(case.copies)} | {us(case.flags)} |"
    if not case.applies:
        return f"{start} {case.why} | | |"
    inside = is_inside_alone(case, cases) if widens \
        else case.low <= case.flags <= case.high
    return (f"{start} {us(case.predicted)} ({us(case.low)} – {us(case.high)}) | "
            f"{100 * (case.predicted / case.flags - 1):+.0f} % | "
            f"{'yes' if inside else 'no'} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--xferspy", required=True)
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=DATA)
    options = parser.parse_args()
    cases = load(options.xferspy, options.folder)
    if not any(case.applies for case in cases):
        raise ValueError(f"{options.folder}: nothing is predicted")
    print("| program | copies | flags | predicted (90 % range) | error | inside |\n"
          "|---|---|---|---|---|---|")
    for case in cases:
        print(row_of(case, [each for each in cases if each.applies],
                     options.folder.resolve() not in (AFTERWARDS.resolve(),
                                                      BY_OTHERS.resolve())))


if __name__ == "__main__":
    end_plainly(main)
