#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Predicted against measured, for results that measure.sh has taken.

  examples/validate/accuracy.py [--xferspy PROGRAM] [--machine NAME] [RESULTS.json]

Predicts each row of the results from its baseline's trace and prints the time
of one round, the error of replay and that of the published equation.
"""
import argparse
import functools
import json
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


@functools.lru_cache(maxsize=None)
def estimates_of(xferspy, machine, trace, streams):
    """The estimates of the phase that took the most time."""
    command = [xferspy, "report", trace, "--format", "json",
               "--machine", machine]
    if streams:
        command += ["--streams", str(streams)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    phases = json.loads(done.stdout)["phases"]
    return max(phases, key=lambda p: p["rounds"] * p["round_ns"])["estimates"]


def find(estimates, row, is_wanted_model):
    """The estimate of the row's strategy by one kind of model, or None."""
    for estimate in estimates:
        if (estimate["strategy"] == row["strategy"]
                and is_wanted_model(estimate["model"])
                and estimate["applies"]
                and (not row["n_streams"]
                     or estimate["n_streams"] == row["n_streams"])
                and estimate["order"] in (None, row["order"])):
            return estimate
    return None


def percent(estimate, row):
    return 100 * (estimate["round_ns"] / row["measured_ns"] - 1)


def cells(estimate, row):
    if estimate is None:
        return f"{'-':>9} {'-':>7}"
    return f"{estimate['round_ns'] / 1e6:9.3f} {percent(estimate, row):+6.1f}%"


def summary(name, errors, covered=None):
    if not errors:
        return f"{name}: no row was predicted"
    sizes = [abs(error) for error in errors]
    text = (f"{name}: {len(errors)} rows, mean error "
            f"{statistics.mean(sizes):.1f} %, largest {max(sizes):.1f} %")
    if covered is not None:
        text += f", {covered} inside their interval"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--xferspy", default=ROOT / "build/bin/xferspy")
    parser.add_argument("--machine", help="profile; after the results' name")
    parser.add_argument("results", nargs="?", type=pathlib.Path,
                        default=ROOT / "examples/validate/results/h200.json")
    args = parser.parse_args()
    machine = args.machine or args.results.stem
    traces = args.results.resolve().parent.parent.parent / "traces"
    errors = {"replay": [], "published": []}
    covered = 0

    print(f"{'baseline':<28} {'strategy':<9} {'n':>3} {'order':<8}"
          f"{'measured':>9} {'replay':>9} {'error':>7} {'equation':>9}"
          f" {'error':>7}   ms of a round")
    for row in json.loads(args.results.read_text()):
        if row["baseline_trace"] is None:
            continue
        trace = traces / pathlib.Path(row["baseline_trace"]).name
        estimates = estimates_of(args.xferspy, machine, trace,
                                 row["n_streams"])
        replay = find(estimates, row, lambda model: model == "replay")
        paper = find(estimates, row,
                     lambda model: model.startswith("vanwerkhoven"))
        for name, estimate in (("replay", replay), ("published", paper)):
            if estimate is not None:
                errors[name].append(percent(estimate, row))
        if replay is not None:
            covered += (replay["low_ns"] <= row["measured_ns"]
                        <= replay["high_ns"])
        print(f"{trace.stem:<28} "
              f"{row['strategy']:<9} {row['n_streams'] or '':>3} "
              f"{row['order'] or '':<8}{row['measured_ns'] / 1e6:9.3f} "
              f"{cells(replay, row)} {cells(paper, row)}")
    print(summary("replay", errors["replay"], covered))
    print(summary("published equation", errors["published"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
