# SPDX-License-Identifier: MIT
"""Runs a program's step in several ways, and times them.

A way is a function that prepares everything and returns (step, finish): step(i)
is called once per step, finish() waits until the GPU is done.
"""
import argparse
import json
import os
import signal
import time


def timed(way, steps):
    """Returns ms per step."""
    step, finish = way
    start = time.perf_counter()
    for i in range(steps):
        step(i)
    finish()
    return (time.perf_counter() - start) / steps * 1e3


def record(way, steps):
    """Returns ms per step of steps that XFERSPY_RANGE=signal records."""
    os.kill(os.getpid(), signal.SIGUSR2)
    time.sleep(1)
    took = timed(way, steps)
    os.kill(os.getpid(), signal.SIGUSR2)
    time.sleep(0.2)
    return took


def several(turn):
    """At least two turns, and for a second."""
    begin = time.perf_counter()
    turn()
    turn()
    while time.perf_counter() - begin < 1:
        turn()


def main(ways, steps=40, warm_up=5):
    """ways: functions by name; the first one is the baseline."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--way", choices=ways, help="one way, for a trace")
    parser.add_argument("--record", action="store_true",
                        help="all ways, and between the turns the first one "
                        "is recorded")
    parser.add_argument("--steps", type=int, default=steps)
    args = parser.parse_args()
    names = [args.way] if args.way else list(ways)
    prepared = {name: ways[name]() for name in names}
    for name in names:
        timed(prepared[name], warm_up)
    times = {name: [] for name in names}

    def turn():
        for name in names:
            times[name].append(timed(prepared[name], args.steps))

    turn()
    if not args.way:
        several(turn)
    if args.record:
        recorded = warm_up + args.steps
        times["recorded"] = [record(prepared[names[0]], recorded)]
        times["steps"] = [recorded]
        several(turn)
    print(json.dumps({name: [round(t, 4) for t in all_]
                      for name, all_ in times.items()}))
