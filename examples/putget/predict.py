#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the times that putget has measured with those of Klenk 2014.

    predict.py [--rows] [--check] [--machine PROFILE.json] FILE.json...

Two predictions: from the parameters alone, which putget measures by themselves; and
by a line (time, and time per byte) through every second size, for the other sizes. In
the line, loads in flight, the link and the place of what a block stores have their
parameters.
--machine takes the parameters from a profile that `xferspy calibrate` has measured.
--rows prints each row. --check exits with 3 if a target is not met.
docs/models.md has the terms.
"""
import argparse
import json
import math
import statistics
import sys

MEAN, LARGEST = 10, 25  # targets for errors of the line, in per cent
ORDERS = 95             # of orders of the three controls, in per cent
NEAR = 0.03             # times that differ by less are equal
GATE_NOT_MET = 3
BLOCK_BYTES = 512 * 16  # what a block has in flight: a load of each thread
NEAR_MIB, FAR_MIB = 4, 128  # sources in the L2 cache and beyond it
G_LEAST, G_MOST, GRID, G_STEP = 1e-4, 10, 100, 1e-4  # of a line, ns per byte


class Parameters:
    def __init__(self, measured):
        self.measured = measured
        self.l2_bytes = measured.get("l2_bytes", [0])[0]

    def __call__(self, name, *words):
        return self.measured[name.format(*words)][0]

    def get(self, name, *words):
        """Returns None without the parameter."""
        measured = self.measured.get(name.format(*words))
        return measured and measured[0]


def of_putget(data):
    """Returns the parameters that putget has measured by themselves."""
    measured = dict(data["parameters"], l2_bytes=[data["l2_bytes"]])
    measured["G_near"] = measured[f"G_d2h_1_of_{NEAR_MIB}"]
    measured["G_far"] = measured[f"G_d2h_1_of_{FAR_MIB}"]
    return measured


def of_profile(path):
    """Returns the parameters under putget's names, from a profile."""
    with open(path, encoding="utf-8") as file:
        profile = json.load(file)
    own = {name: entry["value"] for name, entry
           in profile["parameters"].items() if entry}
    names = {name: own[name] for name in ("poll_system_ns", "store_64_ns",
                                          "proxy_ns", "g_load_ns",
                                          "g_store_ns")}
    # a profile without them is of an earlier calibration
    names |= {"l2_bytes": profile.get("l2_bytes") or 0,
              "G_near": own["block_store"],
              "G_far": own.get("block_store_far", own["block_store"])}
    names["launch_signal_ns"] = own["call_launch_ns"] + own["launch_latency_ns"]
    trip = own["flag_ns"] + own["poll_host_ns"]
    for way, block, mapped in (("h2d", "block_load", "mapped_read"),
                               ("d2h", "block_store", "mapped_write")):
        names[f"G_{way}_copy"] = own[f"G_{way}"]
        names[f"g_{way}_copy_ns"] = own[f"g_{way}_ns"]
        names[f"copy_wait_{way}_ns"] = own[f"lo_{way}_ns"] + own["sync_ns"]
        names[f"copy_each_{way}_ns"] = own["call_copy_async_ns"]
        for n in (1, 2, 4, 8, 16, 32):
            names[f"G_{way}_{n}"] = max(own[block] / n, own[mapped])
            served = n * own["proxy_ns"]
            names[f"mailbox_{n}_ns"] = max(trip + own["poll_system_ns"], served)
            names[f"mailbox_device_{n}_ns"] = max(
                trip + own["lo_h2d_ns"] + own["poll_device_ns"], served)
    return {name: [value] for name, value in names.items()}


def load_ns(p, row, blocks, byte_ns):
    """The blocks have their first loads in flight for one latency, which is not in
    this; all bytes pass the link, one after the other. Where they take longer than
    the time of a message without bytes, that is hidden behind the bytes of other
    blocks, but for the part in which the link has none."""
    link = row["bytes"] * p("G_h2d_32")
    if row["pattern"] == "streaming" and link > 0:
        bare = gap_ns(p, row) / row["blocks"]
        link -= bare * max(0, 1 - bare / link)
    rest = max(0, row["bytes"] - blocks * BLOCK_BYTES)
    return max(rest * byte_ns, link)


def store_ns(p, row, byte_ns):
    """What the blocks store is read from the half of the L2 cache that is next to
    them, from all of it, or from memory, by the bytes in all."""
    source = row["bytes"] * (row["blocks"] if row["pattern"] == "streaming" else 1)
    far = (source > p.l2_bytes / 2) / 2 + (source > p.l2_bytes) / 2
    return row["bytes"] * max(byte_ns, (p("G_near") + far * (
        p("G_far") - p("G_near"))) / row["blocks"])


def move_ns(p, row, byte_ns):
    """What the bytes of a row take, by their G where nothing else limits them."""
    if row["control"] != "direct":
        return row["bytes"] * byte_ns
    if row["direction"] == "h2d":
        own = row["blocks"] if row["pattern"] == "ping-pong" else 1
        return load_ns(p, row, own, byte_ns)
    return store_ns(p, row, byte_ns)


def copy_ns(p, row):
    return (p("copy_wait_{}_ns", row["direction"])
            + row["bytes"] * p("G_{}_copy", row["direction"]))


def ping_pong_ns(p, row):
    """Equations 1, 2 and 3; the mailbox is w_flag + p_host + p_x."""
    if row["control"] == "host":
        return copy_ns(p, row) + p("launch_signal_ns")
    if row["control"] == "assisted":
        return copy_ns(p, row) + p("mailbox_1_ns")
    mailbox = "mailbox_{}_ns" if row["polled"] == "system" \
        else "mailbox_device_{}_ns"
    loads = row["direction"] == "h2d"
    return (p(mailbox, row["blocks"]) + p("store_64_ns")
            + (p("poll_system_ns") if loads else 0)
            + move_ns(p, row, p("G_h2d_{}" if loads else "G_d2h_32", row["blocks"])))


def gap_ns(p, row):
    """Between two messages of one block that have no bytes."""
    if row["direction"] == "h2d":
        return p.get("g_load_ns") or p("store_64_ns") + p("poll_system_ns")
    return p.get("g_store_ns") or p("store_64_ns")


def streaming_ns(p, row):
    """Equations 5, 6 and 7: the time between two messages. The host thread waits for
    its copy before it serves the next block. A flag waits for the bytes before it, so
    that the bytes of direct control are a sum with the rest, and not the greater."""
    blocks, direction = row["blocks"], row["direction"]
    if row["control"] == "host":
        gap = p.get("g_{}_copy_ns", direction) or 0
        return max(p("copy_each_{}_ns", direction),
                   gap + row["bytes"] * p("G_{}_copy", direction))
    if row["control"] == "assisted":
        return max((copy_ns(p, row) + p("mailbox_1_ns")) / blocks,
                   copy_ns(p, row) + p("proxy_ns"))
    byte_ns = p("G_h2d_1") / blocks if direction == "h2d" else p("G_d2h_32")
    return gap_ns(p, row) / blocks + move_ns(p, row, byte_ns)


def predict(p, row):
    return (ping_pong_ns if row["pattern"] == "ping-pong"
            else streaming_ns)(p, row)


def fixed_of(points, move_ns_of, byte_ns):
    """Returns the sum of the squares of relative errors by this G, and the fixed
    time with which it is least."""
    w = [1 / ns ** 2 for _, ns in points]
    rest = [ns - move_ns_of(what, byte_ns) for what, ns in points]
    fixed = sum(a * b for a, b in zip(w, rest)) / sum(w)
    return sum(a * (b - fixed) ** 2 for a, b in zip(w, rest)), fixed


def fit_line(points, move_ns_of=lambda size, byte_ns: size * byte_ns):
    """Returns the fixed time and the G of points of size and ns with the least
    squares of relative errors: the best of a grid of G, of which each part is
    divided."""
    low, step = math.log(G_LEAST), math.log(G_MOST / G_LEAST) / GRID
    while step > G_STEP:
        at = min((low + i * step for i in range(GRID + 1)),
                 key=lambda log: fixed_of(points, move_ns_of, math.exp(log))[0])
        low, step = at - step, 2 * step / GRID
    return fixed_of(points, move_ns_of, math.exp(at))[1], math.exp(at)


def series_of(row):
    return tuple(row[key] for key in ("pattern", "control", "polled",
                                      "direction", "blocks", "of"))


def add_predictions(data, measured):
    """Sets `parameters` of each row, and `line` of every second size. A kernel of
    one block counts as a block."""
    p = Parameters(measured)
    series = {}
    for row in data["rows"]:
        row["of"] = "kernels" if "kernels" in row else "blocks"
        row["blocks"] = row[row["of"]]
        row["parameters"] = predict(p, row)
        series.setdefault(series_of(row), []).append(row)
    for rows in series.values():
        rows.sort(key=lambda row: row["bytes"])
        fixed, byte_ns = fit_line(
            [(row, row["median_ns"]) for row in rows[::2]],
            lambda row, byte_ns: move_ns(p, row, byte_ns))
        for row in rows[1::2]:
            row["line"] = fixed + move_ns(p, row, byte_ns)


def error(row, by):
    return 100 * abs(row[by] / row["median_ns"] - 1)


def orders(rows, by):
    """Returns how many pairs of controls that differ in measured time are predicted
    in their order, and how many there are."""
    groups, right, count = {}, 0, 0
    for row in rows:
        if by in row and row["pattern"] == "ping-pong":
            key = (row["direction"], row["bytes"])
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
    right, count = orders(rows, by)
    print(f"order of two controls right: {right} of {count}")
    return met and right * 100 >= ORDERS * count


def print_rows(rows):
    for row in rows:
        line = f"{row['line']:12.0f}" if "line" in row else f"{'-':>12}"
        print(f"{row['pattern']:10} {row['control']:9} {row['polled'] or '-':7}"
              f" {row['direction']} {row['blocks']:3} {row['of']:7}"
              f" {row['bytes']:9}"
              f" {row['median_ns']:12.0f} {row['parameters']:12.0f} {line}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="+", metavar="FILE.json")
    parser.add_argument("--rows", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--machine", type=of_profile, metavar="PROFILE.json")
    options = parser.parse_args()
    met = True
    for name in options.files:
        with open(name, encoding="utf-8") as file:
            data = json.load(file)
        add_predictions(data, options.machine or of_putget(data))
        print(f"{name}: {data['gpu']}")
        if options.rows:
            print_rows(data["rows"])
        print_summary(data["rows"], "parameters")
        met = print_summary(data["rows"], "line") and met
    return GATE_NOT_MET if options.check and not met else 0


if __name__ == "__main__":
    sys.exit(main())
