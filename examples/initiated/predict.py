#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares rounds by flags of a kernel that stays with their prediction.

    predict.py --xferspy PATH [FOLDER]

The prediction is from the trace of the rounds by copies and the calibration of the
same machine. It is of the round alone, from its first call to its last; what the host does
between two rounds is not predicted. Programs that time it apart print it beside the round,
of copies and of flags. Where it was timed with the round, the median of the trace is added
to the prediction. The median round of each process counts once. One run widens ranges, the
default: its last column leaves the error of the program itself out. README.md has the
results.
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

from plainly import CONTENTS, end_plainly, is_size, read_lines  # noqa: E402 pylint: disable=wrong-import-position

DATA = HERE / "h200-2"


def medians(folder):
    """Returns the medians of all processes, by program, way and time."""
    times, path = {}, folder / "times.jsonl"
    for number, row in enumerate(read_lines(path), 1):
        try:
            keys = {"median_ns", "round_ns", "host_ns"} & {"median_ns", *row}
            wrong = (len(keys) == 2 or not row["program"].isprintable()
                     or not all(is_size(row[key]) for key in keys))
            ways = times.setdefault(row["program"], {"copies": {}, "flags": {}})
            for key in keys:
                ways[row["way"]].setdefault(key, []).append(row[key])
        except CONTENTS:
            wrong = True
        if wrong:
            raise ValueError(f"{path}: line {number} is not of a program")
    for program, ways in times.items():
        for way, lists in ways.items():
            if not lists or lists.keys() != next(iter(times.values()))["flags"].keys():
                raise ValueError(f"{path}: {program} has no way {way}, or other times "
                                 "than the other way or the first program")
    return {program: {way: {key: statistics.median(ns) for key, ns in lists.items()}
                      for way, lists in ways.items()}
            for program, ways in times.items()}


def longest_phase(xferspy, folder, program):
    """Returns the report's phase with the most rounds; ValueError if the trace is not
    whole, or of another program."""
    trace = folder / f"{program}.xspy"
    done = subprocess.run(
        [xferspy, "report", "--format", "json", "--machine",
         folder / "machine.json", "--counters",
         folder / f"{program}-counters.xspy", trace],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if not done.stdout:  # it ends with 2 if the trace is damaged, too
        done.check_returncode()
    report = json.loads(done.stdout)
    app = pathlib.Path(report["trace"]["app"].split()[0]).name
    if any("damaged" in note for note in report["coverage"]["notes"]) or app != program:
        raise ValueError(f"{trace}: damaged, or of another program ({app})")
    return max(report["phases"], key=lambda phase: phase["rounds"])


class Case:
    """One program both ways; times in ns."""

    def __init__(self, program, times, phase):
        row = next(row for row in phase["estimates"] if row["model"] == "replay"
                   and row["strategy"] == "device-initiated")
        self.program, self.why, self.applies = program, row["why"], row["applies"]
        key = "round_ns" if "round_ns" in times["flags"] else "median_ns"
        self.copies, self.flags = (times[way][key] for way in ("copies", "flags"))
        self.host = [ns["host_ns"] for ns in times.values() if "host_ns" in ns]
        if not self.applies:
            return
        self.round = row["round_ns"]
        self.known = row["known_low_ns"], row["known_high_ns"]
        self.predicted, self.low, self.high = (
            row[key] + (0 if self.host else phase["between_ns"])
            for key in ("round_ns", "low_ns", "high_ns"))

    def rest(self):
        """Returns what the causes of the range leave unexplained, relative to the
        round alone, as the model applies it."""
        off = self.flags - self.predicted
        known = self.known[off > 0] - self.round
        return math.sqrt(max(off ** 2 - known ** 2, 0)) / self.round


def load(xferspy, folder=DATA):
    return [Case(program, times, longest_phase(xferspy, folder, program))
            for program, times in medians(folder).items()]


def is_inside_alone(case, cases):
    """Whether the errors of the other programs contain this one's."""
    return case.rest() <= max((other.rest() for other in cases if other != case),
                              default=0)


def us(ns):
    return f"{ns / 1000:.1f}"


def row_of(case, cases, widens):
    host = "".join(f" {us(ns)} |" for ns in case.host)
    start = f"| {case.program} |{host} {us(case.copies)} | {us(case.flags)} |"
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
    host = ["host beside copies", "host beside flags"] if cases[0].host else []
    widens = medians(options.folder) == medians(DATA)
    columns = ["program", *host, "copies", "flags", "predicted (90 % range)", "error",
               "inside the error of the others" if widens else "inside"]
    print("|", " | ".join(columns), "|\n|" + len(columns) * "---|")
    for case in cases:
        print(row_of(case, [each for each in cases if each.applies], widens))


if __name__ == "__main__":
    end_plainly(main)
