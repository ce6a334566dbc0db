# SPDX-License-Identifier: MIT
"""Predictions for the programs of patterns/, held against their measured times.

patterns/MACHINE/HALF.json has one line for each measurement: turns 1 to 3 are
untraced, turn 0 is the traced run. HALF/ has the traces, machine.json the
calibration of that host, and patterns/rules.md says what is compared. HALF.md
has what the code predicted when it was frozen.
"""
import collections
import json
import math
import pathlib
import statistics

import page

RULES = pathlib.Path(__file__).resolve().parent / "patterns/rules.md"
HALVES = {"develop": "Developed on", "first": "First contact"}
# Profiles, and their options; {} is the calibration of the same host.
PROFILES = (("calibrated", ("--machine", "{}")), ("shipped", ()),
            ("fitted", ("--machine", "fitted")))
TRACED_ROUNDS = 11  # measure.sh: 10, and one warm-up
# Programs and strategies that rules.md does not compare.
UNLIKE = {("small_waits", "double-buffer"), ("launches", "streams")}
NEAR = 0.03  # times that differ by less are equal

Row = collections.namedtuple(
    "Row", "case strategy n_streams measured_ns predicted_ns low_ns high_ns")


class Case:
    """A program's measured times, by (strategy, n_streams, order); the baseline
    is as-is."""

    def __init__(self, name, lines):
        self.name = name
        traced = next(line for line in lines if line["turn"] == 0)
        self.traced_ns = traced["measured_ns"]
        turns = collections.defaultdict(list)
        for line in lines:
            strategy = line["strategy"]
            if strategy == traced["strategy"]:
                strategy = "as-is"
            if line["turn"]:
                turns[strategy, line["n_streams"], line["order"]].append(
                    line["measured_ns"])
        self.measured = {key: statistics.median(times)
                         for key, times in turns.items()}

    def best(self):
        """Returns the measured time of each strategy at its best."""
        times = {}
        for (strategy, _, _), ns in self.measured.items():
            times[strategy] = min(ns, times.get(strategy, math.inf))
        return times


def load(path):
    """Returns the cases of a half, or none if it was not measured."""
    if not path.exists():
        return []
    cases = collections.defaultdict(list)
    for line in json.loads(path.read_text()):
        if (line["workload"], line["strategy"]) in UNLIKE:
            continue
        cases[f"{line['workload']}-{line['size']}"].append(line)
    return [Case(name, lines) for name, lines in cases.items()
            if any(line["turn"] == 0 for line in lines)]


def estimate_of(phase, strategy, n_streams, order):
    """Returns the phase's estimate of a strategy by replay, or None."""
    for row in phase["estimates"]:
        if (row["strategy"] == strategy and row["model"] == "replay"
                and row["applies"]
                and (not n_streams or (row["n_streams"] == n_streams
                                       and row["order"] in (None, order)))):
            return row
    return None


def predict(case, phases, key):
    """Returns the row of one measurement, whose predicted_ns is None where no
    phase that occurs in each round has an estimate."""
    sums = dict.fromkeys(("round_ns", "low_ns", "high_ns"), case.traced_ns)
    applies = False
    for phase in phases:
        times = round(phase["rounds"] / TRACED_ROUNDS)
        recorded = estimate_of(phase, "as-is", 0, None)
        estimate = estimate_of(phase, *key)
        if not times or not recorded or not estimate:
            continue
        applies = True
        recorded_ns = phase["median_ns"]
        for name in sums:
            sums[name] += times * (estimate[name] - recorded_ns)
    return Row(case.name, key[0], key[1], case.measured[key],
               *(sums.values() if applies else [None] * 3))


def ranked(case, rows, report):
    """Returns what was fastest, what was predicted to be, and the share of the
    best that the first advice reaches (None: it was not measured)."""
    times = case.best()
    order = sorted(times.values())
    predicted = [row for row in rows if row.predicted_ns is not None]
    named = min(predicted, key=lambda row: row.predicted_ns, default=None)
    advice = next(iter(report["plan"]), {"strategy": "as-is"})
    taken = [key for key in case.measured if key[0] == advice["strategy"]]
    nearest = min(taken, default=None, key=lambda key: (
        abs(math.log((key[1] or 1) / (advice.get("n_streams") or 1))),
        key[2] != advice.get("order")))
    return {"case": case.name,
            "fastest": min(times, key=times.get),
            "is_tie": len(order) < 2 or order[1] < order[0] * (1 + NEAR),
            "named": named.strategy if named else None,
            "advised": advice["strategy"],
            "share": (100 * order[0] / case.measured[nearest]
                      if nearest else None)}


def evaluate(cases, report_of):
    """Returns the rows of all cases and their ranks. report_of: of a case."""
    rows, ranks = [], []
    for case in cases:
        report = report_of(case)
        mine = [predict(case, report["phases"], key) for key in case.measured]
        rows += mine
        ranks.append(ranked(case, mine, report))
    return rows, ranks


def error(row):
    return 100 * abs(row.predicted_ns / row.measured_ns - 1)


def sum_up(rows):
    """Returns the figures of each strategy, in the order of its first row."""
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row.strategy].append(row)
    found = {}
    for strategy, mine in groups.items():
        predicted = [row for row in mine if row.predicted_ns is not None]
        errors = [error(row) for row in predicted]
        found[strategy] = {"measured": len(mine), "predicted": len(predicted)}
        if predicted:
            found[strategy].update(
                mean=statistics.mean(errors), median=statistics.median(errors),
                largest=max(errors), inside=100 * statistics.mean(
                    row.low_ns <= row.measured_ns <= row.high_ns
                    for row in predicted),
                width=100 * statistics.mean(
                    (row.high_ns - row.low_ns) / row.measured_ns
                    for row in predicted))
    return found


def half_of(folder, half, machine, predictor_of):
    """Returns the results of a half for each profile: rows and ranks; or none, if
    it was not measured. machine: the calibration, unless the folder has one.
    predictor_of: of options and a folder of traces."""
    cases = load(folder / f"{half}.json")
    own = folder / "machine.json"
    found = {}
    for name, options in PROFILES if cases else ():
        predictor = predictor_of(
            [option.format(own if own.exists() else machine)
             for option in options], folder / half)
        found[name] = evaluate(cases, lambda case: predictor.run(
            (f"{case.name}-traced", 0)))
    return found


def strategy_lines(profiles):
    cells = []
    sums = {name: sum_up(rows) for name, (rows, _) in profiles.items()}
    for strategy in sums["calibrated"]:
        for profile, found in sums.items():
            mine = found[strategy]
            cells.append([
                f"`{strategy}`", profile,
                page.count(mine["predicted"], mine["measured"]),
                *(page.percent(mine.get(key)) for key in (
                    "mean", "median", "largest", "inside", "width"))])
    return page.table(["strategy", "profile", ">predicted", ">mean", ">median",
                       ">largest", ">inside the interval", ">its width"], cells)


def rank_lines(ranks):
    return page.table(
        ["program", "fastest", "predicted", "first advice", ">of the best"],
        [[r["case"], "tie" if r["is_tie"] else r["fastest"], r["named"] or "–",
          r["advised"], "not measured" if r["share"] is None
          else page.percent(r["share"])] for r in ranks])


def rank_words(ranks):
    clear = [r for r in ranks if not r["is_tie"]]
    shares = [r["share"] for r in ranks if r["share"] is not None]
    right = sum(r["named"] == r["fastest"] for r in clear)
    text = f"The fastest was predicted in {page.count(right, len(clear))}. "
    text += (f"The first advice was among the variants in "
             f"{page.count(len(shares), len(ranks))}")
    if shares:
        text += (f", and reaches {page.percent(statistics.mean(shares))} of the "
                 f"best in the mean and {page.percent(min(shares))} at least")
    return page.wrap(text + ".")


def detail_lines(rows):
    """Returns the prediction of each strategy at its best measured n."""
    best = {}
    for row in rows:
        key = row.case, row.strategy
        if key not in best or row.measured_ns < best[key].measured_ns:
            best[key] = row
    return page.table(
        ["program", "strategy", ">measured ms", ">predicted", ">interval",
         ">error"],
        [[row.case, f"`{row.strategy}`"
          + (f" n={row.n_streams}" if row.n_streams else ""),
          page.ms(row.measured_ns), *(
              ["–"] * 3 if row.predicted_ns is None else
              [page.ms(row.predicted_ns),
               f"{page.ms(row.low_ns)} – {page.ms(row.high_ns)}",
               page.percent(100 * (row.predicted_ns / row.measured_ns - 1),
                            sign=True)])] for row in best.values()])


def section(folder, machine, predictor_of):
    """Returns the lines of the page on patterns, none if none was measured.
    folder: of all machines."""
    lines = []
    for half, title in HALVES.items():
        for measured in sorted(folder.glob(f"*/{half}.json")):
            profiles = half_of(measured.parent, half, machine, predictor_of)
            rows, ranks = profiles["calibrated"]
            frozen = measured.with_suffix(".md")
            lines += [f"### {title}: {len(ranks)} programs on "
                      f"{measured.parent.name}", "",
                      *(frozen.read_text().splitlines() + ["", "Today:", ""]
                        if frozen.exists() else ()),
                      *strategy_lines(profiles), "", rank_words(ranks), "",
                      *rank_lines(ranks), "", "With the calibration:", "",
                      *detail_lines(rows), ""]
    if not lines:
        return []
    rules = RULES.read_text().partition("\n")[2].strip()
    return ["## Patterns", "", rules, "", *lines]
