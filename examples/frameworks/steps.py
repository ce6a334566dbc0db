# SPDX-License-Identifier: MIT
"""Runs a program's step in several ways, and times them.

A way is a function that prepares everything and returns (step, finish): step(i)
is called once per step, finish() waits until the GPU is done.
"""
import argparse
import json
import statistics
import time


def timed(way, steps):
    """Returns ms per step."""
    step, finish = way
    start = time.perf_counter()
    for i in range(steps):
        step(i)
    finish()
    return (time.perf_counter() - start) / steps * 1e3


def main(ways, steps=40, warm_up=5):
    """ways: functions by name; the first one is the baseline."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--way", choices=ways, help="one way, for a trace")
    parser.add_argument("--steps", type=int, default=steps)
    args = parser.parse_args()
    names = [args.way] if args.way else list(ways)
    prepared = {name: ways[name]() for name in names}
    for name in names:
        timed(prepared[name], warm_up)
    turns = 1 if args.way else 5
    times = {name: [] for name in names}
    for _ in range(turns):
        for name in names:
            times[name].append(timed(prepared[name], args.steps))
    print(json.dumps({name: [round(t, 4) for t in sorted(all_)]
                      for name, all_ in times.items()}))
