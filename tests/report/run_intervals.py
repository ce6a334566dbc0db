#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the plan's interval of the run with runs of the changed program.

    run_intervals.py XFERSPY SOURCE [--start]

SOURCE/examples/traces has 28 programs that were recorded with pageable and with
pinned memory, in two processes. The report on the first says how long the run takes
after the step `pinned`; the second took as long as it did. It fails if fewer than
90 % of the runs are inside.

--start also prints how CUDA's start differs between runs on one machine, in all
recordings of unchanged programs: that is what the interval assumes of the time
outside the steady part. None of the pinned runs is among them.
"""
import concurrent.futures
import itertools
import json
import os
import pathlib
import subprocess
import sys

LEAST_PERCENT = 90
LEAST_RUNS = 5  # recorded on one machine, to be compared


def report(xferspy, source, trace):
    return json.loads(subprocess.run(
        [xferspy, "report", "--machine", source / "examples/machines/h200.json",
         "--format", "json", trace], stdout=subprocess.PIPE, check=True).stdout)


def start_ratios(reports):
    """Returns the ratios of CUDA's start in two runs on one machine, sorted."""
    starts = {}
    for trace, found in reports.items():
        totals = found["totals"]
        if totals["init_ns"] and not totals["init_at_most"]:
            starts.setdefault(trace.parent, []).append(totals["init_ns"])
    return sorted(a / b for runs in starts.values() if len(runs) >= LEAST_RUNS
                  for a, b in itertools.permutations(runs, 2))


def print_starts(read, source):
    traces = [trace for trace in (source / "examples").rglob("*.xspy")
              if "counters" not in str(trace) and "pinned" not in trace.name]
    ratios = start_ratios(dict(zip(traces, read(traces))))
    low, high = (ratios[len(ratios) * percent // 100] for percent in (5, 95))
    print(f"CUDA's start: {len(ratios)} pairs of runs on one machine, "
          f"90 % within {low:.3f} to {high:.3f}")


def main(xferspy, source, *options):
    source = pathlib.Path(source)
    before = sorted(trace for trace in
                    (source / "examples/traces").glob("*-pageable.xspy"))
    pairs = [(trace, trace.with_name(trace.name.replace("pageable", "pinned")))
             for trace in before]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        def read(traces):
            return list(pool.map(lambda trace: report(xferspy, source, trace),
                                 traces))

        reports = zip(pairs, read([a for a, _ in pairs]),
                      read([b for _, b in pairs]))
        if "--start" in options:
            print_starts(read, source)
    inside = count = 0
    for (trace, _), planned, changed in reports:
        wall_ns = changed["trace"]["wall_ns"]
        for step in planned["plan"]:
            if step["strategy"] != "pinned":
                continue
            count += 1
            is_inside = step["low_ns"] <= wall_ns <= step["high_ns"]
            inside += is_inside
            if not is_inside:
                print(f"{trace.stem}: the run took {wall_ns / 1e6:.1f} ms, not "
                      f"{step['low_ns'] / 1e6:.1f} to "
                      f"{step['high_ns'] / 1e6:.1f} ms")
            break
    print(f"{inside} of {count} runs are inside")
    return not count or 100 * inside < LEAST_PERCENT * count


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
