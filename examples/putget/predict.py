#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the times that putget has measured with those of `xferspy model --control`.

    predict.py --xferspy XFERSPY --machine PROFILE.json [--rows] [--check] FILE.json...

Two predictions: by the parameters of PROFILE.json, which `xferspy calibrate` has measured
on the same machine, and by a line through every second size, over that prediction, for the
other sizes. Without a profile the line is over the bytes. With it, also how many times lie
in their ranges, and by how much the way and the blocks of the model's answer miss the best.
--rows prints each row. --check exits with 3 if the line does not meet a target. Files
that are not of putget, and a profile that lacks what a row needs, are errors.
docs/models.md has the terms, README.md the results.
"""
import argparse
import json
import re
import statistics
import subprocess

from plainly import end_plainly, is_size, read_json

MEAN, LARGEST = 10, 25  # targets for errors of the line, in per cent
ORDERS = 95             # of orders of the three controls, in per cent
NEAR = 0.03             # times that differ by less are equal
GATE_NOT_MET = 3
PATTERNS = "ping-pong", "streaming"
POLLED = {"host": (None,), "assisted": ("system",), "direct": ("system", "device")}
PEERS = {"get": "h2d", "put": "d2h"}  # rows of putget peers: loads and stores
ANSWER = re.compile(r"(A message|Many messages) (in|out|got|put).*: let (the host|a host "
                    r"thread|the GPU)\b.* start (?:it|them)(?: by (\d+) blocks?)?"
                    r"(?: \(\w+, polls (\w+))?")
WAYS = {"the host": "host", "a host thread": "assisted", "the GPU": "direct"}


def is_row(row):
    """Whether the row has what putget prints."""
    return (isinstance(row, dict) and row.get("pattern") in PATTERNS
            and isinstance(row.get("control"), str) and row["control"] in POLLED
            and row.get("polled") in POLLED[row["control"]]
            and row.get("direction") in ("h2d", "d2h", *PEERS)
            and all(is_size(number) and isinstance(number, int)
                    for number in (row.get("bytes"),
                                   row.get("kernels", row.get("blocks"))))
            and is_size(row.get("median_ns")))


def series_of(row):
    return tuple(row[key] for key in ("pattern", "control", "polled",
                                      "direction", "blocks", "of"))


def load(path):
    """Returns the GPU and the rows of a file of putget."""
    data = read_json(path)
    if (not isinstance(data, dict) or not isinstance(data.get("rows"), list)
            or not data["rows"]):
        raise ValueError(f"{path}: no rows of putget")
    seen = set()
    for number, row in enumerate(data["rows"], 1):
        if not is_row(row):
            raise ValueError(f"{path}: row {number} is not of putget")
        row["of"] = "kernels" if "kernels" in row else "blocks"
        row["blocks"] = row[row["of"]]
        key = *series_of(row), row["bytes"]
        if key in seen:
            raise ValueError(f"{path}: row {number} is there twice")
        seen.add(key)
    if not (str(data.get("gpu")).isascii() and str(data.get("gpu")).isprintable()):
        raise ValueError(f"{path}: its GPU has no name of putget")
    return data.get("gpu"), data["rows"]


def ask(xferspy, machine, rows, size, *options):
    """Returns what the model says of messages of one size."""
    if any(row["direction"] in PEERS for row in rows):
        options += "--peer",
    answer = subprocess.run(
        [xferspy, "model", "--machine", machine, "--control", "--format", "json",
         "--h2d-bytes", str(size), "--d2h-bytes", str(size), *options],
        stdout=subprocess.PIPE, check=True)
    try:
        return json.loads(answer.stdout)
    except ValueError as failed:
        raise ValueError(f"{xferspy}: its answer is not JSON: {failed}") from failed


def add_parameters(rows, xferspy, machine):
    """Sets `parameters` of the rows, by the model, and `range` of one message. A kernel
    of one block counts as a block."""
    known = {}
    for size, blocks in sorted({(row["bytes"], row["blocks"]) for row in rows}):
        for one in ask(xferspy, machine, rows, size, "--connections",
                       str(blocks))["control"]:
            key = one["control"], one["polled"], one["direction"], blocks, size
            known["ping-pong", *key] = one
            known["streaming", *key] = one
    for row in rows:
        way = PEERS.get(row["direction"], row["direction"])
        one = known[row["pattern"], row["control"], row["polled"], way, row["blocks"],
                    row["bytes"]]
        if one["unknown"]:
            raise ValueError(f"{machine}: the profile lacks {one['unknown']}")
        if row["pattern"] == "streaming":
            row["parameters"] = 1e9 / one["messages_per_s"]
        else:
            row["parameters"] = one["time_ns"]
            row["range"] = one["low_ns"], one["high_ns"]


def misses(rows, xferspy, machine):
    """Returns by how much, relative, each answer that was measured takes longer than
    the best way by any blocks, by pattern."""
    out = {pattern: [] for pattern in PATTERNS}
    for size in sorted({row["bytes"] for row in rows}):
        answers = ask(xferspy, machine, rows, size)["answers"]
        for answer in filter(None, map(ANSWER.match, answers)):
            what, way, control, blocks, polled = answer.groups()
            pattern = PATTERNS[what.startswith("Many")]
            group = [row for row in rows if row["bytes"] == size
                     and row["pattern"] == pattern and row["of"] == "blocks"
                     and row["direction"][0] == {"in": "h", "out": "d"}.get(way, way[0])]
            answered = [row["median_ns"] for row in group
                        if row["control"] == WAYS[control] and row["polled"] == polled
                        and blocks in (None, str(row["blocks"]))]
            if answered:
                out[pattern].append(
                    min(answered) / min(row["median_ns"] for row in group) - 1)
    return out


def print_answers(rows, xferspy, machine):
    ranges = [(row["median_ns"], *row["range"]) for row in rows if "range" in row]
    print("inside the ranges, ping-pong:",
          sum(low <= ns <= high for ns, low, high in ranges), "of", len(ranges))
    for pattern, off in misses(rows, xferspy, machine).items():
        if off:
            print(f"answers within 10 % of the best, {pattern}: "
                  f"{sum(miss <= 0.1 for miss in off)} of {len(off)}, "
                  f"{100 * max(off):.0f} % off at most")


def fit_line(points):
    """Returns the start and the slope of the line through points of x and ns with the
    least squares of relative errors."""
    weights = [1 / ns ** 2 for _, ns in points]

    def mean(values):
        return sum(w * v for w, v in zip(weights, values)) / sum(weights)

    at, at_ns = mean(x for x, _ in points), mean(ns for _, ns in points)
    square = mean((x - at) ** 2 for x, _ in points)
    slope = square and mean((x - at) * (ns - at_ns) for x, ns in points) / square
    return at_ns - slope * at, slope


def add_predictions(rows, xferspy=None, machine=None):
    """Sets `parameters` of each row, and `line` of every second size."""
    series = {}
    for row in rows:
        series.setdefault(series_of(row), []).append(row)
    if machine:
        add_parameters(rows, xferspy, machine)
    for one in series.values():
        one.sort(key=lambda row: row["bytes"])
        points = [(row.get("parameters", row["bytes"]), row["median_ns"])
                  for row in one]
        start, slope = fit_line(points[::2])
        for row, (x, _) in list(zip(one, points))[1::2]:
            row["line"] = start + slope * x


def error(row, by):
    return 100 * abs(row[by] / row["median_ns"] - 1)


def orders(rows, by):
    """Returns how many pairs of controls that differ in measured time are predicted
    in their order, and how many there are."""
    groups, right, count = {}, 0, 0
    for row in rows:
        if by in row:
            key = row["direction"], row["bytes"]
            groups.setdefault(key, []).append(row)
    for group in groups.values():
        for i, one in enumerate(group):
            for two in group[i + 1:]:
                ratio = one["median_ns"] / two["median_ns"]
                if one["control"] == two["control"] or abs(ratio - 1) < NEAR:
                    continue
                count += 1
                right += (ratio > 1) == (one[by] > two[by])
    return right, count


def refuse_unchecked(name, rows):
    """ValueError if a pattern has no order of two controls that the line predicts."""
    for pattern in PATTERNS:
        if not orders([row for row in rows if row["pattern"] == pattern], "line")[1]:
            raise ValueError(f"{name}: nothing to check in {pattern}: no size that the "
                             "line predicts has two controls of different times")


def print_summary(rows, by):
    """Prints the errors of each kind of row; returns whether the targets are met."""
    met, kinds = True, {}
    for row in rows:
        if by in row:
            kinds.setdefault((row["pattern"], row["control"], row["polled"]
                              or "-"), []).append(error(row, by))
    print(f"\npredicted by {by}\n{'pattern':10} {'control':9} {'polled':7}"
          f" {'rows':>5} {'mean':>7} {'median':>7} {'largest':>8}")
    for kind, errors in sorted(kinds.items()):
        mean = statistics.mean(errors)
        met = met and mean <= MEAN and max(errors) <= LARGEST
        print(f"{kind[0]:10} {kind[1]:9} {kind[2]:7} {len(errors):5}"
              f" {mean:6.1f}% {statistics.median(errors):6.1f}%"
              f" {max(errors):7.1f}%")
    for pattern in PATTERNS:
        right, count = orders([row for row in rows if row["pattern"] == pattern], by)
        print(f"order of two controls right, {pattern}: {right} of {count}")
        met = met and right * 100 >= ORDERS * count
    return met


def print_rows(rows):
    for row in rows:
        cells = [f"{row[by]:12.0f}" if by in row else f"{'-':>12}"
                 for by in ("parameters", "line")]
        print(f"{row['pattern']:10} {row['control']:9} {row['polled'] or '-':7}"
              f" {row['direction']} {row['blocks']:3} {row['of']:7}"
              f" {row['bytes']:9} {row['median_ns']:12.0f} {' '.join(cells)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("files", nargs="+", metavar="FILE.json")
    parser.add_argument("--rows", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--xferspy", default="xferspy")
    parser.add_argument("--machine", metavar="PROFILE.json")
    options = parser.parse_args()
    met = True
    for name in options.files:
        gpu, rows = load(name)
        add_predictions(rows, options.xferspy, options.machine)
        if options.check:
            refuse_unchecked(name, rows)
        print(f"{name}: {gpu}")
        if options.rows:
            print_rows(rows)
        if options.machine:
            print_summary(rows, "parameters")
            print_answers(rows, options.xferspy, options.machine)
        met = print_summary(rows, "line") and met
    return GATE_NOT_MET if options.check and not met else 0


if __name__ == "__main__":
    end_plainly(main)
