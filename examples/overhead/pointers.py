#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures what the pointers of launches cost, with a shared and a static runtime.

  nothing  the program alone
  off      XFERSPY_DATAFLOW=off: without pointers
  sample   the default: those of some launches
  all      those of all launches
  nsys     nsys profile -t cuda, where there is one

Each turn runs launch_bench's three kernels with pointers in every way, in
another order. Writes the ratios of the time of a launch to that untraced, and
to "off", in the same turn: median and quartiles of the turns. page.py prints
them.
"""
import argparse
import json
import pathlib
import shutil
import sys

from bench import Bench, Failed
from measure import in_turn, machine, summary

HERE = pathlib.Path(__file__).resolve().parent
WAYS = ("nothing", "off", "sample", "all", "nsys")
RUNTIMES = {"shared": "launch_bench", "static": "launch_bench-static"}


def ratios(turns, base):
    """{way: summary of its times relative to those of base} of several turns"""
    return {way: summary([turn[way] / turn[base] for turn in turns])
            for way in turns[0] if way != base}


def take_turns(bench, program, ways, args):
    """[{way: ns of a launch}], without turns in which a run failed."""
    turns = []
    for turn in range(args.turns):
        try:
            turns.append({
                way: bench.measure(way, [bench.program(program), "pointers",
                                         str(args.calls)])
                ["pointers"]["call_ns"] for way in in_turn(ways, turn)})
        except Failed as failure:
            bench.notes.append(str(failure))
    return turns


def measure_all(bench, args):
    ways = [way for way in WAYS if way != "nsys" or bench.nsys]
    found = {}
    for runtime, program in RUNTIMES.items():
        turns = take_turns(bench, program, ways, args)
        if turns:
            found[runtime] = {
                "turns": len(turns),
                "ns": summary([turn["nothing"] for turn in turns]),
                "to_nothing": ratios(turns, "nothing"),
                "to_off": ratios(turns, "off")}
    if not found:
        raise Failed("; ".join(bench.notes))
    return found


def show(found):
    for runtime, result in found.items():
        print(f"{runtime}: {result['ns']['median']:.0f} ns untraced, "
              f"{result['turns']} turns")
        for way, ratio in result["to_nothing"].items():
            off = result["to_off"].get(way)
            print(f"  {way:8}{ratio['median']:6.2f}x untraced" +
                  (f"{off['median']:6.2f}x off" if off else ""))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--turns", type=int, default=12)
    parser.add_argument("--calls", type=int, default=60000)
    parser.add_argument("--name", help="of the machine; the GPU's if left out")
    parser.add_argument("-o", "--output", type=pathlib.Path,
                        help="results/pointers/NAME.json beside this script")
    parser.add_argument("build", type=pathlib.Path, nargs="?",
                        default=HERE.parent.parent / "build")
    args = parser.parse_args()
    bench = Bench(args)
    try:
        bench.measure("sample", [bench.program("launch_bench"), "pointers",
                                 "1000"])
        about = machine(bench, bench.report(), args.name)
        found = measure_all(bench, args)
    except Failed as failure:
        sys.exit(f"pointers.py: {failure}")
    finally:
        shutil.rmtree(bench.scratch, ignore_errors=True)
    output = (args.output or
              HERE / "results/pointers" / f"{about['machine']}.json")
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps({**about, "calls": args.calls,
                                  "runtimes": found,
                                  "notes": sorted(set(bench.notes))},
                                 indent=1) + "\n")
    show(found)
    print(f"pointers.py: {output}", file=sys.stderr)


if __name__ == "__main__":
    main()
