#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares messages between two GPUs with predictions.

    peers.py [PEER.json PROFILE.json DEVICE_PUT.jsonl]

PEER.json is from examples/peer, PROFILE.json from `xferspy calibrate` on the same
machine, DEVICE_PUT.jsonl from examples/putget/device_put.cu. Two predictions: L+o + k G
and sigma by the profile, and by a line through every second size, for the other sizes.
NCCL and NVSHMEM run beside them. Prints tables of us. README.md has the results.
"""
import argparse
import pathlib
import statistics

from plainly import CONTENTS, end_plainly, is_size, read_json, read_lines
from predict import fit_line

DATA = pathlib.Path(__file__).parent / "h200"
# Each way's rows: way, peer access, blocks.
HOST = {"through the host": ("copy", False, 0), "direct": ("copy", True, 0),
        "NCCL": ("nccl", True, 0), "NVSHMEM": ("nvshmem", True, 0)}
KERNELS = {"stores and flag": ("flag", True, 1),
           "NVSHMEM's put and signal": ("nvshmem-device", True, 1)}
IN_LINE = "through the host", "direct", "stores and flag"


def measured(peer, device_put):
    """Returns the ns of each way by size."""
    ways = {}
    for path, rows in (peer, read_json(peer)), (device_put, read_lines(device_put)):
        try:
            for row in rows["rows"] if path == peer else rows:
                way = row["way"], row.get("peer_access", path != peer), row["blocks"]
                times = ways.setdefault(way, {})
                if (not is_size(row["bytes"]) or not is_size(row["median_ns"])
                        or row["bytes"] in times):
                    raise ValueError
                times[row["bytes"]] = row["median_ns"]
        except (ValueError, *CONTENTS) as failed:
            raise ValueError(f"{path}: a row is of another program, or there twice") from failed
    lacks = [name for name, way in (HOST | KERNELS).items() if way not in ways]
    if lacks:
        raise ValueError(f"{peer}, {device_put}: no row of {', '.join(lacks)}")
    times = {name: dict(sorted(ways[way].items()))
             for name, way in (HOST | KERNELS).items()}
    if (times["direct"].keys() != times["through the host"].keys()
            or min(len(times[way]) for way in IN_LINE) < 2):
        raise ValueError(f"{peer}, {device_put}: copies of other sizes by one way than by "
                         "the other, or of one size")
    return times


def by_profile(path, sizes):
    """Returns the predicted ns of copies, by way and size. The end of a copy through
    the host is in its L+o."""
    profile = read_json(path)

    def value(name):
        try:
            if is_size(profile["parameters"][name]["value"], least=0):
                return profile["parameters"][name]["value"]
        except CONTENTS:
            pass
        raise ValueError(f"{path}: no profile with {name}")

    return {"through the host": {k: value("lo_staged_ns") + k * value("G_staged")
                                 for k in sizes},
            "direct": {k: value("lo_peer_ns") + k * value("G_peer")
                       + value("sync_ns") for k in sizes}}


def by_line(times):
    """Returns the predicted ns of every second size."""
    points = list(times.items())
    fixed, byte_ns = fit_line(points[::2])
    return {k: fixed + k * byte_ns for k, _ in points[1::2]}


def us(ns):
    return "-" if ns is None else f"{ns / 1000:.1f}"


def print_table(ways, times, predictions):
    """Prints each way, and what is predicted beside it."""
    print(f"| bytes | {' | '.join(' | '.join([way, *predictions[way]]) for way in ways)} |")
    print("|" + "---:|" * (1 + sum(1 + len(predictions[way]) for way in ways)))
    for size in times["direct"]:
        cells = [us(column.get(size)) for way in ways
                 for column in (times[way], *predictions[way].values())]
        print(f"| {size} | {' | '.join(cells)} |")
    print()


def errors(times, predicted):
    return [100 * abs(ns / times[k] - 1) for k, ns in predicted.items()]


def print_errors(name, ways, times, predictions):
    off = [error for way in ways if name in predictions[way]
           for error in errors(times[way], predictions[way][name])]
    print(f"{name}: off by {statistics.mean(off):.1f} % in the mean, "
          f"{max(off):.1f} % at most.")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("files", nargs="*", metavar="FILE",
                        help="PEER.json PROFILE.json DEVICE_PUT.jsonl")
    files = parser.parse_args().files or (DATA / "peer.json", DATA / "machine-2.json",
                                          DATA / "device_put.jsonl")
    if len(files) != 3:
        parser.error("give three files, or none")
    times = measured(files[0], files[2])
    profile = by_profile(files[1], times["direct"])
    predictions = {way: {"line": by_line(times[way])} if way in IN_LINE else {}
                   for way in times}
    for way, predicted in profile.items():
        predictions[way]["profile"] = predicted
    print_table(HOST, times, predictions)
    print_table(KERNELS, times, predictions)
    for name in "line", "profile":
        print_errors(name, times, times, predictions)


if __name__ == "__main__":
    end_plainly(main)
