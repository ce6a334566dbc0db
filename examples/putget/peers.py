#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the times of copies between two GPUs with L+o + k G of a profile.

    peers.py [PEER.json PROFILE.json]

PEER.json is from examples/peer, PROFILE.json from `xferspy calibrate` on the same
machine. Prints a table of us, with NCCL's messages where it was installed.
docs/models.md has the results.
"""
import json
import pathlib
import statistics
import sys

DATA = pathlib.Path(__file__).parent / "h100"
WAYS = {"staged": ("copy", False), "peer": ("copy", True), "nccl": ("nccl", True)}


def load(peer, profile):
    """Returns rows of bytes, and for each way ns measured and predicted; None:
    not known."""
    with open(peer, encoding="utf-8") as file:
        measured = {(row["way"], row["peer_access"], row["bytes"]): row["median_ns"]
                    for row in json.load(file)["rows"] if row["blocks"] == 0}
    with open(profile, encoding="utf-8") as file:
        parameters = json.load(file)["parameters"]

    def predicted(way, size):
        if f"G_{way}" not in parameters:
            return None
        return (parameters[f"lo_{way}_ns"]["value"]
                + size * parameters[f"G_{way}"]["value"])

    return [(size, {name: (measured.get((*way, size)), predicted(name, size))
                    for name, way in WAYS.items()})
            for size in sorted({key[2] for key in measured})]


def us(ns):
    return "-" if ns is None else f"{ns / 1000:.1f}"


def main():
    files = sys.argv[1:] or (DATA / "peer-2.json", DATA / "peer-2-machine.json")
    rows, errors = load(*files), []
    print("| bytes | through the host | predicted | direct | predicted | NCCL |\n"
          "|---:|---:|---:|---:|---:|---:|")
    for size, ways in rows:
        staged, peer, nccl = ways["staged"], ways["peer"], ways["nccl"]
        errors += [100 * abs(each[1] / each[0] - 1) for each in (staged, peer)]
        print(f"| {size} | {us(staged[0])} | {us(staged[1])} | {us(peer[0])} |"
              f" {us(peer[1])} | {us(nccl[0])} |")
    print(f"\nOff by {statistics.mean(errors):.1f} % in the mean, "
          f"{max(errors):.1f} % at most.")


if __name__ == "__main__":
    main()
