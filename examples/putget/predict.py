#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the times that putget has measured with those of `xferspy model --control`.

    predict.py --xferspy XFERSPY --machine PROFILE.json [--rows] [--check] FILE.json...

Two predictions: by the parameters of PROFILE.json, which `xferspy calibrate` has measured
on the same machine, and by a line through every second size, over that prediction, for the
other sizes. Without a profile the line is over the bytes.
--rows prints each row. --check exits with 3 if the line does not meet a target. Files
that are not of putget, and a profile that lacks what a row needs, are errors.
docs/models.md has the terms.
"""
import argparse
import json
import statistics
import subprocess
import tempfile

from plainly import end_plainly, is_size, read_json

MEAN, LARGEST = 10, 25  # targets for errors of the line, in per cent
ORDERS = 95             # of orders of the three controls, in per cent
NEAR = 0.03             # times that differ by less are equal
GATE_NOT_MET = 3
PATTERNS = "ping-pong", "streaming"
POLLED = {"host": (None,), "assisted": ("system",), "direct": ("system", "device")}
PEERS = {"get": "h2d", "put": "d2h"}  # rows of putget peers: loads and stores
PEER_LINK = {"G_h2d": "G_peer", "G_d2h": "G_peer", "mapped_read": "G_peer",
             "mapped_write": "G_peer", "lo_h2d_ns": "lo_peer_ns",
             "lo_d2h_ns": "lo_peer_ns"}


def is_row(row):
    """Whether the row has what putget prints."""
    return (isinstance(row, dict) and row.get("pattern") in PATTERNS
            and row.get("control") in POLLED
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
    if not isinstance(data, dict) or not isinstance(data.get("rows"), list):
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
    return data.get("gpu"), data["rows"]


def known_times(rows, xferspy, machine):
    """Returns the predicted ns between messages, or what the profile lacks, by
    pattern, control, polled memory, direction, blocks and bytes."""
    known = {}
    for size, blocks in sorted({(row["bytes"], row["blocks"]) for row in rows}):
        answer = subprocess.run(
            [xferspy, "model", "--machine", machine, "--control",
             "--h2d-bytes", str(size), "--d2h-bytes", str(size),
             "--connections", str(blocks), "--format", "json"],
            stdout=subprocess.PIPE, check=True)
        for one in json.loads(answer.stdout)["control"]:
            key = one["control"], one["polled"], one["direction"], blocks, size
            known["ping-pong", *key] = one["unknown"] or one["time_ns"]
            known["streaming", *key] = one["unknown"] or 1e9 / one["messages_per_s"]
    return known


def add_parameters(rows, xferspy, machine):
    """Sets `parameters` of the rows, by the model. A kernel of one block counts as a
    block. Between two GPUs the link is the one between them; all else is as between
    the GPU and the host."""
    given, peers = machine, any(row["direction"] in PEERS for row in rows)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        if peers:
            profile = read_json(machine)
            for name, peer in PEER_LINK.items():
                if not profile["parameters"].get(peer):
                    raise ValueError(f"{given}: the profile lacks {peer}, of copies "
                                     "between GPUs")
                profile["parameters"][name] = profile["parameters"][peer]
            json.dump(profile, file)
            file.flush()
            machine = file.name
        known = known_times(rows, xferspy, machine)
    for row in rows:
        way = PEERS.get(row["direction"], row["direction"])
        ns = known[row["pattern"], row["control"], row["polled"], way, row["blocks"],
                   row["bytes"]]
        if isinstance(ns, str):
            raise ValueError(f"{given}: the profile lacks {ns}")
        row["parameters"] = ns


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
        met = print_summary(rows, "line") and met
    return GATE_NOT_MET if options.check and not met else 0


if __name__ == "__main__":
    end_plainly(main)
