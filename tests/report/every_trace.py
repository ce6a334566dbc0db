#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What holds for the report with --all on every trace of SOURCE/examples and
SOURCE/tests/report: each step of the plan has a place, lines to write there, and what
must be true for it; no round without copies is divided, and no kernel changed for
little; each interval, of rounds and of the run, in all estimates, steps
and on other machines, contains its own value.

    every_trace.py XFERSPY SOURCE
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import zlib

# Waits are left out, or the host's own work moved: the text says it.
LEFT_OUT = "async"
# These keep what the program does in each round.
UNCONDITIONAL = "reuse", "batch"
# Python without a framework that is known, and JAX, which allocates by itself.
NO_CODE = "cuda_python", "jax"
LINES, COLUMNS = 3, 71
MACHINES = "h200", "h100"
ROUNDING = 2  # ns
ROUND = "round_ns", "low_ns", "high_ns"
RUN = "app_wall_ns", "app_wall_low_ns", "app_wall_high_ns"
STEP = "app_wall_ns", "low_ns", "high_ns"
SAVING = "adds_saves_ns", "saves_low_ns", "saves_high_ns"
SPLIT = 4  # the effort of changing kernels
LEAST_SHARE = 0.05  # of what changed kernels and the steps before them save


def saved_before(report, step):
    """Returns what the phase's steps before it save of this run."""
    return sum(other["adds_saves_ns"] for other in report["plan"]
               if other["phase"] == step["phase"] and other["step"] < step["step"]
               and other["pays_rounds"] is None)


def step_faults(report, needs_code):
    """Returns what a step of the report lacks."""
    rows = {(phase["id"], row["strategy"], row["n_streams"], row["order"]): row
            for phase in report["phases"] for row in phase["estimates"]
            if row["model"] == "replay"}
    phases = {phase["id"]: phase for phase in report["phases"]}
    for i, step in enumerate(report["plan"]):
        phase, before_ns = phases[step["phase"]], saved_before(report, step)
        alone = len(report["phases"]) == 1 and not i
        row = rows[step["phase"], step["strategy"], step["n_streams"], step["order"]]
        code = (step["code"] or "").splitlines()
        left_out = step["strategy"] == LEFT_OUT
        for what, is_fault in (
                ("no place", not step["sites"] and not left_out),
                ("nothing to write there", needs_code and not code and
                 not left_out),
                ("too much to write", len(code) > LINES or
                 max(map(len, code), default=0) > COLUMNS),
                ("nothing that must be true", not step["assumes"] and
                 step["as_step"] is None and step["strategy"] not in UNCONDITIONAL and
                 not (step["strategy"] == "pinned" and phase["rounds"] == 1)),
                ("more than the verdict's limit", not step["apart"] and
                 step["adds_saves_ns"] > report["verdict"]["at_most_saves_ns"]),
                ("not what its row saves", alone and
                 abs(step["adds_saves_ns"] - row["saves_ns"]) > ROUNDING),
                ("a row that is not chosen", not row["chosen"]),
                ("pieces of a round without copies", step["strategy"] == "streams" and
                 not phase["h2d_ops"] + phase["d2h_ops"]),
                ("kernels changed for little", step["effort_level"] >= SPLIT and
                 step["pays_rounds"] is None and step["adds_saves_ns"] <
                 LEAST_SHARE * (before_ns + step["adds_saves_ns"])),
                ("a question without a reason", step["question"] and not
                 (step["may_be_slower"] or step["condition"] or row["needs"])),
                ("a condition within no row", step["condition"] and
                 row["bound"] not in step["condition"])):
            if is_fault:
                yield f"step {step['step']} ({step['strategy']}): {what}"


def misses(of, keys):
    """Returns what the interval does not contain, if it does not contain its value."""
    value, low, high = (of.get(key) for key in keys)
    if None in (value, low, high) or low <= value <= high:
        return []
    return [f"{of['strategy']}: {keys[0]} {value} is not in {low} to {high}"]


def interval_faults(report):
    """Returns which intervals do not contain their own value."""
    faults = [f"phase {phase['id']} {miss}"
              for phase in report["phases"] for row in phase["estimates"]
              for keys in (ROUND, RUN) for miss in misses(row, keys)]
    faults += [f"step {step['step']} {miss}" for step in report["plan"]
               for keys in (STEP, SAVING) for miss in misses(step, keys)]
    return faults + [f"elsewhere {miss}" for row in report["elsewhere"]
                     for miss in misses(row, STEP)]


def check(xferspy, trace, machines, environment):
    """Prints the faults of a trace. Returns how many steps it has, and faults."""
    options = [word for machine in machines for word in ("--machine", machine)]
    done = subprocess.run(
        [xferspy, "report", *options, "--all", "--format", "json", trace],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    report = json.loads(done.stdout)
    assert done.returncode == (2 if b"damaged" in done.stderr else 0), trace
    faults = [*step_faults(report, trace.stem not in NO_CODE),
              *interval_faults(report)]
    for fault in faults:
        print(f"{trace}: {fault}")
    return len(report["plan"]), len(faults)


def elsewhere(trace):
    """Returns the machines of the report: every fourth trace's has some."""
    return MACHINES if zlib.crc32(trace.name.encode()) % 4 == 0 else ()


def main(xferspy, source):
    source = pathlib.Path(source)
    traces = sorted([*(source / "examples").rglob("*.xspy"),
                     *(source / "tests/report").rglob("*.xspy"),
                     *(source / "tests/report/advice").glob("*.txt"),
                     *(source / "tests/report/traces").glob("*.txt")])
    environment = os.environ | {"XDG_DATA_HOME": "/nowhere"}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        counts = list(pool.map(
            lambda trace: check(xferspy, trace, elsewhere(trace), environment), traces))
    steps, faults = map(sum, zip(*counts))
    print(f"{steps} steps of {len(traces)} traces")
    return faults > 0 or not steps


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
