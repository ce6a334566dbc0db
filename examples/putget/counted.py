#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints what putget's kernels of 100 messages of 1 KiB read, wrote and executed.

    counted.py --xferspy PATH [COUNTED.xspy...]

Each is a trace of `XFERSPY_MODE=counters examples/putget system`, `device` or
`assisted`. README.md has the table.
"""
import argparse
import pathlib
import re
import subprocess

from plainly import end_plainly

DATA = pathlib.Path(__file__).parent / "h200"
NAMES = {"system": "direct, the GPU polls host memory",
         "device": "direct, the GPU polls device memory, answered before",
         "assisted": "assisted: the GPU asks, and polls host memory"}
COLUMNS = {"host_sectors_read": "reads of host memory",
           "host_sectors_written": "writes to it",
           "instructions": "instructions of warps"}


def counts_of(xferspy, trace):
    """Returns the first argument of putget, and the counters of the trace's first kernel
    by name."""
    done = subprocess.run([xferspy, "dump", trace], stdout=subprocess.PIPE,
                          text=True, check=True)
    app = re.search(r'^info text="app=(?:\S*/)?putget (\w+)', done.stdout, re.M)
    counts = re.search(r"^counters (.*)$", done.stdout, re.M)
    if not app or app[1] not in NAMES or not counts:
        raise ValueError(f"{trace}: not of putget {', '.join(NAMES)} with its kernels "
                         "counted")
    return app[1], dict(word.split("=") for word in counts[1].split())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--xferspy", required=True)
    parser.add_argument("traces", nargs="*", type=pathlib.Path,
                        default=[path for name in NAMES
                                 for path in DATA.glob(f"counted-{name}.xspy")])
    options = parser.parse_args()
    rows = []
    for trace in options.traces:
        way, counts = counts_of(options.xferspy, trace)
        if not COLUMNS.keys() <= counts.keys():
            raise ValueError(f"{trace}: lacks counters of host memory or instructions")
        rows.append(f"| {NAMES[way]} | " + " | ".join(
            f"{int(counts[column]):,}" for column in COLUMNS) + " |")
    print(f"| kernel | {' | '.join(COLUMNS.values())} |\n|---|---:|---:|---:|")
    print(*rows, sep="\n")


if __name__ == "__main__":
    end_plainly(main)
