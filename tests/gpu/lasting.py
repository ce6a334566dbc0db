# SPDX-License-Identifier: MIT
"""The cases of long runs: what is counted, bounded, or recorded for a while."""
import re

from cases import case, expect_ops, percent_off
from harness import Failed, same

BOUND = 2 << 20 # bytes of a trace
# Of what an estimate is for: with more chunks it may go by a threshold.
FEW_CHUNKS = (None, 2, 4)


def totals_of(report):
    """Of all that is the same in each run, and what may differ in time."""
    totals, coverage = report["totals"], report["coverage"]
    exact = {key: totals[key] for key in
             ("h2d_bytes", "d2h_bytes", "h2d_ops", "kernels")}
    exact["calls"] = coverage["api_calls_seen"]
    return exact, {key: totals[key] for key in
                   ("h2d_ns", "d2h_ns", "kernel_ns")}


def estimates_of(report):
    """Time of a round, by what is estimated, of the phase of most rounds."""
    phase = max(report["phases"], key=lambda phase: phase["rounds"])
    found = {}
    for row in phase["estimates"]:
        if row["applies"] and row["n_streams"] in FEW_CHUNKS:
            name = [row[key] for key in ("strategy", "n_streams", "order",
                                         "model")]
            found[" ".join(str(word) for word in name if word)] = \
                row["round_ns"]
    return phase["rounds"], found


def compare(mine, both):
    """By how much a report is off from those of two runs that recorded all."""
    exact, times = zip(*map(totals_of, (mine, *both)))
    if exact[0] != exact[1]:
        raise Failed(f"{exact[0]}, all: {exact[1]}")
    off = {name: percent_off(name, times[0][name],
                             [each[name] for each in times[1:]])
           for name in times[0]}
    rounds, estimates = zip(*map(estimates_of, (mine, *both)))
    percent_off("rounds", rounds[0], rounds[1:])
    if set(estimates[0]) != set(estimates[1]) or len(estimates[0]) < 8:
        raise Failed(f"{sorted(estimates[0])}, all: {sorted(estimates[1])}")
    estimated = {name: percent_off(name, estimates[0][name],
                                   [each[name] for each in estimates[1:]])
                 for name in estimates[0] if name in estimates[2]}
    name = max(estimated, key=lambda name: abs(estimated[name]))
    return {**off, f"{len(estimated)} estimates, at most":
            estimated[name]}


@case("counted", "light, and a bound of 2 MiB, against everything on",
      simulated=True, alone=True)
def counted(bench):
    # the simulated device's kernels cost the host
    rounds = ["tiny", "16000"] if bench.simulated else \
        ["lasting", "16000", "13000"]
    command = [bench.app("app"), *rounds]
    plain = bench.plain(command)
    ways = {"light": {"XFERSPY_MODE": "light"},
            "bounded": {"XFERSPY_MAX_SIZE": str(BOUND)}}
    runs, report = {}, {}
    for name, extra in (("all", {}), *ways.items(), ("again", {})):
        run = bench.run(command, preload=True, **extra)
        same(plain, run)
        runs[name] = run
        report[name] = bench.report(run.traces[0], "--machine", "h200")
    figures = {}
    for name in ways:
        trace = runs[name].traces[0]
        figures = bench.figures(trace)
        if not report[name]["coverage"]["calls_counted"] or figures["lost"] \
                or trace.stat().st_size > BOUND:
            raise Failed(f"{name}: {figures}", trace)
        try:
            ways[name] = compare(report[name], (report["all"],
                                                report["again"]))
        except Failed as failure:
            raise Failed(f"{name}: {failure}", trace) from failure
    return {**figures, "off_by": ways}


@case("range-signal", "XFERSPY_RANGE=signal", simulated=True)
def range_signal(bench):
    """Without the library the signal would end it."""
    run = bench.run([bench.app("app"), "signalled", "10"], preload=True,
                    XFERSPY_RANGE="signal")
    if run.code or len(run.traces) != 1:
        raise Failed(f"ends with {run.code}: {run.err[-300:]}")
    return bench.check(expect_ops(run, 40))


@case("range-time", "XFERSPY_RANGE=0.3+0.4: a delay, and a duration",
      simulated=True)
def range_time(bench):
    run = bench.run(["timeout", "-s", "TERM", "3", bench.app("app"),
                     "endless", "10"], preload=True, XFERSPY_RANGE="0.3+0.4")
    if run.code != 124 or len(run.traces) != 1:
        raise Failed(f"ends with {run.code}: {run.err[-300:]}")
    trace = run.traces[0]
    changes = [tuple(map(int, found.groups())) for line in bench.dump(trace)
               if (found := re.match(r"detail .*detail=(\d+) .*time_ns=(\d+)",
                                     line))]
    figures = bench.figures(trace)
    if [state for state, _ in changes] != [2, 1, 2] or figures["ops"] < 40:
        raise Failed(f"{changes} {figures}", trace)
    figures["delay_ms"], figures["duration_ms"] = (
        round((changes[n + 1][1] - changes[n][1]) / 1e6) for n in (0, 1))
    if not 290 < figures["delay_ms"] < 600 or \
            not 300 < figures["duration_ms"] < 700:
        raise Failed(f"{changes}", trace)
    return figures
