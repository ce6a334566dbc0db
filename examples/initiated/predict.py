#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares rounds by flags of a kernel that stays with their prediction.

    predict.py --xferspy PATH [FOLDER]

The prediction is from the trace of the rounds by copies and the calibration of the
same machine: what a round would save, taken off the measured time by copies. The
median round of each process counts once.
"""
import argparse
import json
import pathlib
import statistics
import subprocess

DATA = pathlib.Path(__file__).parent / "h100"


def times_of(folder):
    """Returns the medians of all processes, by program and way."""
    times = {}
    for line in (folder / "times.jsonl").read_text().splitlines():
        row = json.loads(line)
        times.setdefault(row["program"], {}).setdefault(
            row["way"], []).append(row["median_ns"])
    return times


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


def us(ns):
    return f"{ns / 1000:.1f}"


def row_of(program, times, rows):
    copies, flags = (statistics.median(times[way])
                     for way in ("copies", "flags"))
    as_is, row = rows["as-is"], rows["device-initiated"]
    if not row["applies"]:
        return f"| {program} | {us(copies)} | {us(flags)} | {row['why']} | |"
    offset = copies - as_is["round_ns"]
    predicted, low, high = (row[key] + offset
                            for key in ("round_ns", "low_ns", "high_ns"))
    return (f"| {program} | {us(copies)} | {us(flags)} | {us(predicted)} "
            f"({us(low)} – {us(high)}) | "
            f"{100 * (predicted / flags - 1):+.0f} % |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--xferspy", required=True)
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=DATA)
    options = parser.parse_args()
    print("| program | copies | flags | predicted (90 % range) | error |\n"
          "|---|---|---|---|---|")
    for program, times in times_of(options.folder).items():
        print(row_of(program, times,
                     estimates(options.xferspy, options.folder, program)))


if __name__ == "__main__":
    main()
