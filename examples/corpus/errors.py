#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Computes how far strategies err between programs, beyond the known causes.

Takes the programs of all recordings, with the calibration of each machine, but not of
those that test the result (recordings.json), and not programs that spend most of their
time outside of their rounds, on the host. Prints the errors, and how many rows their
interval contains with the errors of the other programs alone. --write writes model/strategies/between_programs.h.
docs/models.md has the rule.
"""
import argparse
import importlib.util
import json
import math
import pathlib

import predict

HEADER = predict.ROOT / "model/strategies/between_programs.h"
COVERED = 0.9  # of further rows
# Strategies whose rounds still allocate.
ALLOCATING = ("pinned", "streams")
STRATEGIES = (*ALLOCATING, "double-buffer", "mapped", "reuse", "resident",
              "as-is")
TEXT = """/* SPDX-License-Identifier: MIT */
/* Errors between programs: of strategies relative to the round, of allocations
 * relative to their time. Written by examples/corpus/errors.py --write. */
#ifndef XS_MODEL_STRATEGIES_BETWEEN_PROGRAMS_H
#define XS_MODEL_STRATEGIES_BETWEEN_PROGRAMS_H

/* clang-format off */
{}/* clang-format on */

#endif
"""


class Case:
    """The prediction of one strategy for one program; times in ms."""

    def __init__(self, row, allocations_ms):
        self.program, self.strategy = row.program, row.strategy
        self.ms = row.rounds_ms
        self.off_ms = row.measured_ms - row.predicted_ms
        self.known_ms = row.high_ms - row.predicted_ms if self.off_ms > 0 \
            else row.predicted_ms - row.low_ms
        self.allocations_ms = allocations_ms if row.strategy in ALLOCATING else 0

    def rest_ms(self, of_allocations):
        """Returns what the causes and the allocations leave unexplained."""
        known = math.hypot(self.known_ms, of_allocations * self.allocations_ms)
        return math.sqrt(max(self.off_ms ** 2 - known ** 2, 0))


def limit(values):
    """Returns the smallest of the values that COVERED of further ones are
    expected to stay below, k of n + 1; the largest if there are too few."""
    values = sorted(values)
    k = math.ceil(COVERED * (len(values) + 1))
    return values[min(k, len(values)) - 1] if values else 0


def errors_of(cases):
    """Returns the errors of the allocations and of each strategy."""
    spent = limit([case.rest_ms(0) / case.allocations_ms for case in cases
                   if case.allocations_ms])
    return {"allocations": spent, **{
        strategy: limit([case.rest_ms(spent) / case.ms for case in cases
                         if case.strategy == strategy])
        for strategy in STRATEGIES}}


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
        if recording["tests"]:
            continue
        folder = predict.HERE / machine
        programs = json.loads((folder / f"{half}.json").read_text())["programs"]
        for name, program in programs.items():
            report = predict.report(xferspy, machine, half, name,
                                    str(folder / "machine.json"))
            phases = known_alone(report["phases"])
            if sum(phase["total_ns"] for phase in phases) < \
                    program["traced_ms"] * 1e6 / 2:
                continue
            cases += [Case(row, allocations_ms(phases)) for row in
                      predict.rows_of(table[name], program, report)
                      if not row.why and
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


def inside(cases):
    """Returns, by strategy, the rows inside with errors from the other
    programs alone, and all rows."""
    counts = {strategy: [0, 0] for strategy in STRATEGIES}
    for name in {case.program for case in cases}:
        errors = errors_of([case for case in cases if case.program != name])
        for case in cases:
            if case.program == name and case.strategy in counts:
                counts[case.strategy][0] += \
                    case.rest_ms(errors["allocations"]) <= \
                    errors[case.strategy] * case.ms
                counts[case.strategy][1] += 1
    return counts


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--xferspy", default="build/bin/xferspy",
                        type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    cases = load(args.xferspy)
    errors, counts = errors_of(cases), inside(cases)
    errors["device-initiated"], *counts["device-initiated"] = \
        initiated(args.xferspy)
    print(f"allocations: {100 * errors['allocations']:.0f} % of their time")
    for strategy, (within, rows) in counts.items():
        print(f"{strategy}: {100 * errors[strategy]:.1f} %, leaving one program "
              f"out {within} of {rows} inside")
    if args.write:
        HEADER.write_text(TEXT.format("".join(
            f"#define XS_ERROR_{name.replace('-', '_')} "
            f"{math.ceil(1000 * value) / 1000:.3f}\n"
            for name, value in sorted(errors.items()))))


if __name__ == "__main__":
    main()
