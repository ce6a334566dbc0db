#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares predictions with the times that measure.sh has measured.

Predicts each row of the results from its baseline's trace, without a GPU. Prints
the time of one round, the error of replay and that of the published equation,
then a summary. Predicts all rows again as on a first use, without a calibration.
--write writes docs/accuracy.md and its plot.
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys

import limits
import page
import patterns
import plot
import published

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NEAR = 0.03  # times that differ by less are equal
GATE_NOT_MET = 3

# Workloads of several kernels a round.
CHAINS = ("chain", "chain-all")

# Strategies that are summarised together, the targets for the largest and the
# mean error in per cent, whether van Werkhoven has an equation, and whether the
# workload is one of CHAINS (None: any workload).
class Family(collections.namedtuple(
        "Family", "name strategies largest mean has_equation chains")):
    def has(self, row):
        return (row.strategy in self.strategies
                and self.chains in (None, row.workload in CHAINS))


FAMILIES = (
    Family("pinned, streams", ("pinned", "streams"), 5, 2, True, False),
    Family("streams over several kernels", ("pinned", "streams"), 5, 2, True,
           True),
    Family("mapped", ("mapped",), 8, 2, True, None),
    Family("hybrid", ("hybrid",), 8, 2, True, None),
    Family("double-buffer", ("double-buffer",), 5, 2, False, None),
    Family("as-is", ("as-is",), 5, 2, False, None),
)
INSIDE = (85, 97)  # target for the 90 % intervals that contain the time, in %

# Profiles of a first use: what the page calls them, and their options.
FIRST_USE = (("shipped", ()), ("fitted", ("--machine", "fitted")))

# Programs that do not meet the condition in `bound`: their middle kernel needs
# all results of the first one.
NEEDS_ALL = (("chain-all", "streams"),)


@dataclasses.dataclass
class Row:
    """A measured time and its predictions: estimates or None."""
    workload: str
    size: int
    baseline: str
    strategy: str
    n_streams: int
    order: str
    measured_ns: int
    spread_ns: int
    replay: dict = None
    paper: dict = None  # the strongest published baseline
    published: dict = dataclasses.field(default_factory=dict)  # by model

    @property
    def case(self):
        return f"{self.workload}-{self.size}"

    def error(self, model):
        """Returns the error in per cent of the measured time, or None. model:
        replay, paper, or a published one."""
        estimate = (self.published.get(model) if model in self.published
                    else getattr(self, model, None))
        if estimate is None:
            return None
        return 100 * (estimate["round_ns"] / self.measured_ns - 1)

    @property
    def is_inside(self):
        return (self.replay["low_ns"] <= self.measured_ns
                <= self.replay["high_ns"])


def load_rows(path):
    rows = []
    for item in json.loads(path.read_text()):
        trace = item.pop("baseline_trace")
        if trace is not None:
            rows.append(Row(baseline=pathlib.Path(trace).stem, **item))
    return rows


class Predictor:
    """Makes the reports of traces, each once, several at a time."""

    def __init__(self, xferspy, options, traces, machines):
        self.command = [xferspy, "report", "--format", "json", *options]
        self.traces = traces
        self.reports = {}
        # no calibration of this user's
        self.environment = {
            **os.environ, "XDG_DATA_HOME": os.devnull,
            "XFERSPY_MACHINES": str(machines)}

    def counted(self, baseline):
        """Returns the trace with the counters of the same case, or None."""
        path = self.traces / (baseline.rpartition("-")[0] + "-counters.xspy")
        return path if path.exists() else None

    def run(self, wanted):
        baseline, streams = wanted
        command = self.command + [self.traces / (baseline + ".xspy")]
        if self.counted(baseline):
            command += ["--counters", self.counted(baseline)]
        if streams:
            command += ["--streams", str(streams)]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True,
                              env=self.environment)
        return json.loads(done.stdout)

    def make(self, wanted):
        """Makes reports for pairs of a baseline and a number of streams (or 0)."""
        wanted = sorted(set(wanted))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            self.reports = dict(zip(wanted, pool.map(self.run, wanted)))

    def phase(self, baseline, streams):
        """Returns the phase with the most time."""
        phases = self.reports[baseline, streams]["phases"]
        if not phases:
            raise ValueError(f"{baseline}.xspy: there are no rounds in it")
        return max(phases, key=lambda p: p["rounds"] * p["round_ns"])

    def chosen_streams(self, baseline):
        """Returns the report's row of the number of streams, or None."""
        return next((row for row in self.phase(baseline, 0)["estimates"]
                     if row["strategy"] == "streams" and row["chosen"]), None)


def said_of(workload, estimate):
    """Returns the estimate for a program that is known to meet the condition of a
    bound or not. If it does not, the time is otherwise_ns, or None."""
    if (estimate["bound"] is None
            or (workload, estimate["strategy"]) not in NEEDS_ALL):
        return estimate
    if estimate["otherwise_ns"] is None:
        return None
    return {**estimate, "round_ns": estimate["otherwise_ns"]}


def is_split(strategy):
    return strategy in ("streams", "hybrid")


def find(estimates, row, is_wanted_model):
    """Returns the estimate of the row's strategy by one kind of model, or None."""
    for estimate in estimates:
        if (estimate["strategy"] == row.strategy and estimate["applies"]
                and is_wanted_model(estimate["model"])
                and (not is_split(row.strategy)
                     or (estimate["n_streams"] == row.n_streams
                         and estimate["order"] in (None, row.order)))):
            return said_of(row.workload, estimate)
    return None


def predict(rows, predictor):
    def streams(row):
        return row.n_streams if is_split(row.strategy) else 0

    predictor.make([(row.baseline, streams(row)) for row in rows]
                   + [(row.baseline, 0) for row in rows])
    for row in rows:
        estimates = predictor.phase(row.baseline, streams(row))["estimates"]
        row.replay = find(estimates, row, lambda model: model == "replay")
        for model in published.MODELS.get(row.strategy, ()):
            found = find(estimates, row, lambda name: name == model)
            if found:
                row.published[model] = found
                row.paper = row.paper or found


def errors_of(rows, model):
    """Returns number, mean and largest absolute error in per cent, or None."""
    errors = [abs(row.error(model)) for row in rows if getattr(row, model)]
    return {"rows": len(errors),
            "mean": statistics.mean(errors) if errors else None,
            "median": statistics.median(errors) if errors else None,
            "largest": max(errors, default=None)}


def sum_up(family, rows):
    mine = [row for row in rows if family.has(row)]
    inside = [row.is_inside for row in mine if row.replay]
    return {"measured": len(mine),
            "replay": errors_of(mine, "replay"),
            "paper": errors_of(mine, "paper"),
            "inside": 100 * statistics.mean(inside) if inside else None}


def first_use(args, examples):
    """Returns the families' summaries for each profile of a first use."""
    families = {}
    for name, options in FIRST_USE:
        rows = load_rows(args.results)
        predictor = Predictor(args.xferspy, options, examples / "traces",
                              examples / "machines")
        predict(rows, predictor)
        origins = {report["machine_choice"]["origin"]
                   for report in predictor.reports.values()}
        # there may be no shipped profile
        if origins == {name}:
            families[name] = {f.name: sum_up(f, rows) for f in FAMILIES}
    return families


def fastest(times):
    """Returns strategies and their times, the fastest first."""
    return sorted(times.items(), key=lambda item: item[1])


def least(pairs):
    """Returns the smallest value of each key."""
    times = {}
    for key, value in pairs:
        times[key] = min(value, times.get(key, math.inf))
    return times


def by_baseline(rows):
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row.baseline].append(row)
    return groups


def rank(baseline, rows, predictor):
    """Returns the fastest strategy and the predicted one, or None for a tie.

    As in the report, an estimate that assumes without counters that each byte
    crosses the bus once is not ranked first.
    """
    measured = least((row.strategy, row.measured_ns) for row in rows)
    order = fastest(measured)
    if len(order) < 2 or order[1][1] < order[0][1] * (1 + NEAR):
        return None
    said = (said_of(rows[0].workload, estimate)
            for estimate in predictor.phase(baseline, 0)["estimates"]
            if estimate["model"] == "replay" and estimate["applies"]
            and estimate["strategy"] in measured
            and not estimate["assumes_once"])
    predicted = fastest(least((estimate["strategy"], estimate["round_ns"])
                              for estimate in said if estimate))
    return {"baseline": baseline, "fastest": order[0][0],
            "measured_ns": order[0][1], "named": predicted[0][0],
            "named_ns": measured[predicted[0][0]]}


def advised_n(baseline, rows, predictor):
    """Compares the time at the advised n with the best of the sweep, or None."""
    sweep = [row for row in rows if row.strategy == "streams"]
    chosen = predictor.chosen_streams(baseline)
    if not sweep or not chosen:
        return None
    best = min(sweep, key=lambda row: row.measured_ns)
    taken = min(sweep, key=lambda row: (
        abs(math.log(row.n_streams / chosen["n_streams"])),
        row.order != chosen["order"]))
    return {"baseline": baseline, "advised": chosen["n_streams"],
            "taken": taken.n_streams, "order": taken.order,
            "best": best.n_streams, "best_order": best.order,
            "loss": 100 * (taken.measured_ns / best.measured_ns - 1)}


def distinct(rows):
    """Returns the number of measurements: one time can be predicted from two
    traces."""
    return len({(row.case, row.strategy if row.strategy != "as-is"
                 else row.baseline.rpartition("-")[2], row.n_streams, row.order)
                for row in rows})


def summarise(rows, predictor):
    groups = by_baseline(rows).items()
    ranks = [rank(name, group, predictor) for name, group in groups]
    advised = [advised_n(name, group, predictor) for name, group in groups]
    return {"families": {f.name: sum_up(f, rows) for f in FAMILIES},
            "published": published.errors([row for row in rows
                                           if row.workload not in CHAINS]),
            "atgpu": published.atgpu_shares(rows, predictor),
            "traces": len(groups), "distinct": distinct(rows),
            "counted": sum(bool(predictor.counted(name))
                           for name, _ in groups),
            "ranks": [r for r in ranks if r],
            "advised": [a for a in advised if a]}


def print_rows(rows):
    def cells(row, model):
        if getattr(row, model) is None:
            return f"{'-':>9} {'-':>7}"
        return (f"{getattr(row, model)['round_ns'] / 1e6:9.3f} "
                f"{row.error(model):+6.1f}%")

    print(f"{'baseline':<32} {'strategy':<13} {'n':>3} {'order':<8}"
          f"{'measured':>9} {'replay':>9} {'error':>7} {'equation':>9}"
          f" {'error':>7}   ms of a round")
    for row in rows:
        print(f"{row.baseline:<32} {row.strategy:<13} {row.n_streams or '':>3}"
              f" {row.order or '':<8}{row.measured_ns / 1e6:9.3f} "
              f"{cells(row, 'replay')} {cells(row, 'paper')}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--xferspy", default=ROOT / "build/bin/xferspy")
    parser.add_argument("--machine", help="profile (default: RESULTS-machine.json)")
    parser.add_argument("--summary", action="store_true",
                        help="leave out the rows")
    parser.add_argument("--check", type=pathlib.Path, metavar="LIMITS.json",
                        help="exit with 3 if a figure is worse than its limit")
    parser.add_argument("--record", type=pathlib.Path, metavar="LIMITS.json",
                        help="write the figures as limits")
    parser.add_argument("--write", type=pathlib.Path, metavar="PAGE.md",
                        help="write the page, and PAGE.svg beside it")
    parser.add_argument("results", nargs="?", type=pathlib.Path,
                        default=ROOT / "examples/validate/results/h200.json")
    args = parser.parse_args()
    examples = args.results.resolve().parent.parent.parent
    machine = args.machine or str(
        args.results.with_name(args.results.stem + "-machine.json"))
    rows = load_rows(args.results)
    machines = examples / "machines"
    predictor = Predictor(args.xferspy, ("--machine", machine),
                          examples / "traces", machines)

    predict(rows, predictor)
    summary = summarise(rows, predictor)
    summary["first_use"] = first_use(args, examples)
    if not args.summary:
        print_rows(rows)
        print()
    print("\n".join(page.summary_lines(summary)))
    if args.record:
        limits.record(summary, args.record)
    if args.write:
        report = next(iter(predictor.reports.values()))
        args.write.write_text(page.page(
            rows, summary, FAMILIES, INSIDE, report["machine"],
            json.loads((pathlib.Path(__file__).parent
                        / "notes.json").read_text()),
            args.write.stem, patterns.section(
                examples / "validate/patterns", machine,
                lambda options, folder: Predictor(args.xferspy, options, folder,
                                                  machines))))
        args.write.with_suffix(".svg").write_text(plot.plot(rows))
    if args.check and not limits.check(summary, args.check):
        return GATE_NOT_MET
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        sys.exit(f"accuracy.py: {error}")
