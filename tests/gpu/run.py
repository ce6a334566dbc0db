#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the cases on this machine's GPU, or on the simulated device.

    run.py [--only CASE,...] [--jobs N] [--seconds S] BUILD [OUT]

A line for each case: its name, pass, fail, skip or back (xferspy stepped back
and said so), and figures. OUT/results.json has all of it. Exit code 1 if a case
failed, 77 if none could be tried. The trace of a case that failed is kept as
OUT/CASE.xspy.
"""
import argparse
import concurrent.futures
import datetime
import json
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import time

import cases
import harness
# their cases join those of cases.py
import causes
import frameworks
import lasting
import toolkits

SHOWN = ("ops", "matched", "lost", "cupti", "mode", "stepped_back", "theirs",
         "seconds", "off_percent")


def try_case(bench, name, until, out):
    """One row of the results."""
    function, what, simulated = cases.CASES[name]
    row = {"case": name, "what": what}
    begin = time.monotonic()
    try:
        if bench.simulated and not simulated:
            raise harness.Skip("wants a GPU")
        if begin > until:
            raise harness.Skip("no time left")
        figures = function(bench)
        back = "stepped_back" in figures or any(
            "stepped_back" in version
            for version in figures.get("versions", []))
        row.update(outcome="back" if back else "pass", figures=figures)
    except harness.Skip as skip:
        row.update(outcome="skip", why=str(skip))
    except harness.Failed as failure:
        row.update(outcome="fail", why=str(failure))
        keep_trace(failure, name, out)
    except Exception as error: # whatever happens, the others go on
        row.update(outcome="fail",
                   why=f"{type(error).__name__}: {error}")
    row["took_s"] = round(time.monotonic() - begin, 1)
    return row


def keep_trace(error, name, out):
    """What may tell, far from the machine, why a case failed."""
    if out and error.trace:
        out.mkdir(parents=True, exist_ok=True)
        shutil.copy(error.trace, out / f"{name}.xspy")


def line_of(row):
    figures = row.get("figures", {})
    words = [row.get("why", "")] + [
        f"{key}={figures[key]}" for key in SHOWN if key in figures]
    words += [f"[{v['cupti']} {v['path']} ops={v['ops']} "
              f"matched={v['matched']}]" for v in figures.get("versions", [])]
    return f"{row['case']} {row['outcome']} {' '.join(w for w in words if w)}"


def first_line(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True,
                              timeout=30, check=False)
        return done.stdout.strip().splitlines()[-1]
    except (OSError, IndexError, subprocess.TimeoutExpired):
        return None


def versions():
    """Of what was tried, as far as it is here."""
    script = ("import importlib.metadata as m\n"
              "for d in m.distributions():\n"
              " n = d.metadata['Name'] or ''\n"
              " if n.split('-')[0] in ('torch','triton','numba','cupy','jax')"
              " : print(n + '=' + d.version)")
    found = {}
    listed = subprocess.run(["python3", "-c", script], capture_output=True,
                            text=True, check=False).stdout
    for line in listed.splitlines():
        name, version = line.split("=", 1)
        if name in ("torch", "triton", "jax", "numba", "numba-cuda") or \
                name.startswith("cupy-cuda"):
            found[name] = version
    found["driver"] = first_line(
        "nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader",
        "-i", "0")
    release = re.search(r"cuda_([\d.]+\d)",
                        first_line("nvcc", "--version") or "")
    found["nvcc"] = release.group(1) if release else None
    return {name: version for name, version in found.items() if version}


def run_cases(bench, names, jobs, seconds, out):
    """Several at a time, and those that want to be alone after them."""
    until = time.monotonic() + seconds

    def tried(name):
        return try_case(bench, name, until, out)

    def rows():
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            yield from pool.map(tried, (name for name in names
                                        if name not in cases.ALONE))
        yield from map(tried, (name for name in names if name in cases.ALONE))

    for row in rows():
        print(line_of(row), flush=True)
        yield row


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--only", help="these cases, between commas")
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=360,
                        help="no case is begun after that many (360)")
    parser.add_argument("build", nargs="?")
    parser.add_argument("out", nargs="?", type=pathlib.Path)
    args = parser.parse_args()
    if args.list:
        print("\n".join(cases.CASES))
        return 0
    names = args.only.split(",") if args.only else list(cases.CASES)
    unknown = [name for name in names if name not in cases.CASES]
    if not args.build or unknown:
        parser.error(f"no such case: {', '.join(unknown)}" if unknown
                     else "BUILD is missing")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0)) # some cases end by abort
    bench = harness.Bench(args.build, not harness.gpu_is_there())
    rows = sorted(run_cases(bench, names, args.jobs, args.seconds, args.out),
                  key=lambda row: names.index(row["case"]))
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        results = {"schema": 1, "machine": "simulated" if bench.simulated
                   else first_line("nvidia-smi", "--query-gpu=name",
                                   "--format=csv,noheader", "-i", "0"),
                   "date": datetime.datetime.now(datetime.timezone.utc)
                   .strftime("%Y-%m-%d"),
                   "versions": versions(), "cases": rows}
        (args.out / "results.json").write_text(
            json.dumps(results, indent=1) + "\n")
    outcomes = [row["outcome"] for row in rows]
    print(", ".join(f"{outcomes.count(kind)} {kind}" for kind in
                    ("pass", "back", "fail", "skip")))
    if "fail" in outcomes:
        return 1
    return 77 if all(kind == "skip" for kind in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
