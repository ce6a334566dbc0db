#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Computes how far strategies err between programs, beyond the known causes.

Takes the programs of all first contacts, with the calibration of each machine, but not
those that test the result (recordings.json), nor those that rules were developed on.
Prints the errors, and how many rows of each contact their interval contains with the
errors of the contacts before it alone. --write writes
model/strategies/between_programs.h. docs/models.md has the rule.
"""
import argparse
import importlib.util
import json
import math
import pathlib
import statistics

import predict

HEADER = predict.ROOT / "model/strategies/between_programs.h"
COVERED = 0.9  # of further rows
ALLOCATING = ("pinned", "streams")  # their rounds still allocate
# Strategies of one error, and its name.
STRATEGIES = {"pinned": "pinned", "streams": "pinned", "double-buffer": "pinned",
              "mapped": "mapped", "reuse": "reuse", "resident": "resident",
              "as-is": "as-is"}
TEXT = """/* SPDX-License-Identifier: MIT */
/* Errors between programs: of strategies relative to the round, of allocations
 * relative to their time. Written by examples/corpus/errors.py --write. */
#pragma once

/* clang-format off */
{}/* clang-format on */
"""


class Case:
    """The prediction of one strategy for one program; times in ms."""

    def __init__(self, row, half, allocations_ms):
        self.half, self.strategy, self.row = half, row.strategy, row
        self.ms = row.rounds_ms
        self.off_ms = row.measured_ms - row.predicted_ms
        self.known_ms = row.high_ms - row.predicted_ms if self.off_ms > 0 \
            else row.predicted_ms - row.low_ms
        self.allocations_ms = allocations_ms if row.strategy in ALLOCATING else 0

    def rest_ms(self, of_allocations):
        """Returns what the causes and the allocations leave unexplained."""
        known = math.hypot(self.known_ms, of_allocations * self.allocations_ms)
        return math.sqrt(max(self.off_ms ** 2 - known ** 2, 0))

    def width(self, errors):
        """Returns half the width of the interval, relative to the value."""
        return math.hypot(
            self.known_ms, errors["allocations"] * self.allocations_ms,
            errors[STRATEGIES[self.strategy]] * self.ms) / self.row.predicted_ms


def limit(values):
    """Returns the smallest of the values that COVERED of further ones are
    expected to stay below, k of n + 1; the largest if there are too few."""
    values = sorted(values)
    k = math.ceil(COVERED * (len(values) + 1))
    return values[min(k, len(values)) - 1] if values else 0


def errors_of(cases):
    """Returns the errors of the allocations and of each group of strategies."""
    spent = limit([case.rest_ms(0) / case.allocations_ms for case in cases
                   if case.allocations_ms])
    return {"allocations": spent, **{
        name: limit([case.rest_ms(spent) / case.ms for case in cases
                     if STRATEGIES[case.strategy] == name])
        for name in STRATEGIES.values()}}


def known_alone(phases):
    """Returns the phases with intervals of the known causes alone."""
    for phase in phases:
        for row in phase["estimates"]:
            row["low_ns"], row["high_ns"] = \
                row["known_low_ns"], row["known_high_ns"]
    return phases


def allocations_ms(phases):
    rows = [(phase["rounds"], predict.estimate_of(phase, "reuse")[0])
            for phase in phases]
    return sum(rounds * row["setup_ns"] for rounds, row in rows if row) / 1e6


def load(xferspy):
    table = {entry["name"]: entry for entry in
             json.loads((predict.HERE / "table.json").read_text())}
    cases = []
    for recording in predict.RECORDINGS:
        machine, half = recording["machine"], recording["half"]
        if recording["tests"] is True or half == "develop":
            continue
        folder = predict.HERE / machine
        programs = json.loads((folder / f"{half}.json").read_text())["programs"]
        for name, program in programs.items():
            report = predict.report(xferspy, machine, half, name,
                                    str(folder / "machine.json"))
            phases = known_alone(report["phases"])
            cases += [Case(row, half, allocations_ms(phases)) for row in
                      predict.rows_of(table[name], program, report)
                      if not row.why and row.strategy in STRATEGIES and
                      (row.strategy != "as-is" or
                       program["baseline"] == "pageable")]
    return cases


def initiated(xferspy):
    """Returns the error of device-initiated, from examples/initiated, how many of
    its programs the errors of the others contain, and how many there are."""
    spec = importlib.util.spec_from_file_location(
        "initiated", predict.ROOT / "examples/initiated/predict.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    cases = [case for case in module.load(xferspy) if case.applies]
    within = sum(module.is_inside_alone(case, cases) for case in cases)
    return limit([case.rest() for case in cases]), within, len(cases)


def in_time(cases):
    """Returns the lines of a table: for each first contact from the third on, the
    rows that are inside with the errors of the recordings before it; and those of
    all programs, each with the errors of the others."""
    halves = list(dict.fromkeys(case.half for case in cases))
    found = {}
    for i in range(halves.index("third"), len(halves)):
        errors = errors_of([case for case in cases
                            if halves.index(case.half) < i])
        found[halves[i]] = [(case.strategy, abs(case.off_ms) <= width *
                             case.row.predicted_ms, width) for case in cases
                            if case.half == halves[i]
                            for width in [case.width(errors)]]
    found["all"] = sum(found.values(), [])
    found["one program left out"] = [
        (case.strategy, abs(case.off_ms) <= width * case.row.predicted_ms, width)
        for program in dict.fromkeys(case.row.program for case in cases)
        for errors in [errors_of([case for case in cases
                                  if case.row.program != program])]
        for case in cases if case.row.program == program
        for width in [case.width(errors)]]
    lines = ["| contact | " + " | ".join(f"`{name}`" for name in STRATEGIES) +
             " | all changes |", "| --- |" + " ---: |" * (len(STRATEGIES) + 1)]
    for half, rows in found.items():
        columns = [[row for row in rows if row[0] == name] for name in STRATEGIES]
        columns.append([row for row in rows if row[0] != "as-is"])
        lines.append(f"| {half} | " + " | ".join(
            f"{sum(row[1] for row in some)} of {len(some)}, ±"
            f"{100 * statistics.median(row[2] for row in some):.0f} %" if some
            else "–" for some in columns) + " |")
    return lines


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--xferspy", default="build/bin/xferspy",
                        type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    cases = load(args.xferspy)
    errors = errors_of(cases)
    errors["device-initiated"], within, rows = initiated(args.xferspy)
    for name, value in errors.items():
        print(f"{name}: {100 * value:.1f} %")
    print(f"device-initiated: leaving one program out {within} of {rows} inside",
          *in_time(cases), sep="\n")
    if args.write:
        HEADER.write_text(TEXT.format("".join(
            f"#define XS_ERROR_{name.replace('-', '_')} "
            f"{math.ceil(1000 * value) / 1000:.3f}\n"
            for name, value in sorted(errors.items()))))


if __name__ == "__main__":
    main()
