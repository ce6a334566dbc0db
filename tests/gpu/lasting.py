# SPDX-License-Identifier: MIT
"""The cases of long runs: what is counted, bounded, or recorded for a while."""
import re

from cases import case, expect_ops
from harness import Failed, Skip, same

BOUND = 2 << 20 # bytes of a trace
# Of what an estimate is for: with more chunks it may go by a threshold.
FEW_CHUNKS = (None, 2, 4)


# Of the number of calls that nobody saw, on a program whose calls come steadily.
ESTIMATE_OFF = 0.35


def rush(bench, app, mode, threads, detached):
    """Nothing is lost or harmed, and CUPTI is detached so often"""
    command = [bench.app(app), mode, str(threads), "1500"]
    run = bench.run(command, preload=True, XFERSPY_MODE="light",
                    XFERSPY_LOG="1")
    what = f"{app} {mode} {threads}"
    if run.code or not run.traces:
        raise Failed(f"{what}: ends with {run.code}: {run.err[-300:]}")
    figures = bench.figures(run.traces[0])
    coverage = bench.report(run.traces[0])["coverage"]
    said = dict(line.split(": ") for line in run.out.decode().splitlines())
    figures["detached"] = run.err.count("CUPTI was detached")
    figures["estimated"] = coverage["calls_estimated"]
    calls = int(said["calls"])
    seen = figures["calls"] >= calls
    if figures["estimated"]: # nothing is promised where calls are not steady
        seen = mode != "ppp" or \
            abs(figures["calls"] / calls - 1) < ESTIMATE_OFF
    if int(said["wrong"]) or figures["lost"] or not seen or \
            figures["matched"] < figures["ops"] or \
            figures["detached"] != detached:
        raise Failed(f"{what}: {said}, {figures}", run.traces[0])
    return figures


@case("rush", "light where calls come very fast: CUPTI is detached, once",
      alone=True)
def rushes(bench):
    bench.plain([bench.app("rush"), "cgm", "4", "600"])
    tried = {f"{app} {mode} {threads}": rush(bench, app, mode, threads,
                                             detached)
             for app, mode, threads, detached in (
                 ("rush", "pcc", 1, 1), ("rush", "ccp", 16, 1),
                 ("rush", "gpc", 8, 1), ("rush", "pgp", 8, 1),
                 ("rush", "pmp", 1, 1), ("rush", "mpc", 1, 1),
                 # its own calls detach CUPTI, unless several threads make them
                 ("rush-stripped", "ppp", 1, 1),
                 ("rush-stripped", "ppp", 8, 0),
                 ("rush-stripped", "pgc", 8, 0))}
    return {"detached": {name: figures["detached"]
                         for name, figures in tried.items()},
            "estimated": {name: figures["estimated"]
                          for name, figures in tried.items()},
            **{name: sum(figures[name] for figures in tried.values())
               for name in ("ops", "matched", "lost", "calls")}}


@case("light", "XFERSPY_MODE=light against everything on", alone=True)
def light(bench):
    """Times of what comes first: light does not record what comes late."""
    command = [str(bench.build / "examples/launch_bench"), "launch,copy",
               "600000"]
    figures, launches = light_off(bench, command, "kernel_ns")
    command[1] = "copy"
    return {**figures, "off_percent":
            {**launches, **light_off(bench, command, "h2d_ns")[1]}}


def light_off(bench, command, time):
    full = bench.run(command, preload=True)
    less = bench.run(command, preload=True, XFERSPY_MODE="light")
    again = bench.run(command, preload=True)
    if not full.traces or not less.traces or not again.traces:
        raise Failed(f"no trace: {less.err[-300:]}")
    figures = bench.figures(less.traces[0])
    if figures["mode"] != "light":
        raise Skip("the library has no light mode")
    mine, *both = (bench.report(run.traces[0])["totals"]
                   for run in (less, full, again))
    for name in ("h2d_bytes", "h2d_ops", "kernels"):
        if mine[name] != both[0][name]:
            raise Failed(f"{name}: {mine[name]}, all: {both[0][name]}")
    return figures, {time: percent_off(time, mine[time],
                                       [totals[time] for totals in both])}


def percent_off(name, mine, both):
    """By how much it is off from two runs that recorded all, which differ,
    too, where others use the bus; not by 5 % more than these."""
    low, high = sorted(both)
    mean = (low + high) / 2
    off = round(100 * (mine / mean - 1), 2)
    if abs(off) > 5 + 50 * (high - low) / mean:
        raise Failed(f"{name}: {mine}, all: {low} and {high}")
    return off


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
    """Again where it fails, up to five times: four runs may differ by what else
    held the host up meanwhile."""
    for _ in range(4):
        try:
            return count_and_compare(bench)
        except Failed:
            pass
    return count_and_compare(bench)


def count_and_compare(bench):
    # The simulated device's kernels cost the host: few threads, and slow ones,
    # so that what the host is at between them does not matter.
    rounds, slow = (["tiny", "9000"], {"XS_SIM_GIPS": "0.02"}) \
        if bench.simulated else (["lasting", "16000", "13000"], {})
    command = [bench.app("app"), *rounds]
    plain = bench.plain(command)
    ways = {"light": {"XFERSPY_MODE": "light"},
            "bounded": {"XFERSPY_MAX_SIZE": str(BOUND)}}
    runs, report = {}, {}
    for name, extra in (("all", {}), *ways.items(), ("again", {})):
        run = bench.run(command, preload=True, **slow, **extra)
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
    wait = 'for i in $(seq 600); do "$0" dump *.xspy 2>/dev/null | ' \
        'grep -q "^detail detail=1 " && break; sleep 0.1; done'
    run = bench.run(["sh", "-c", f'{{ {wait}; echo; }} | "$1" signalled 10',
                     str(bench.build / "bin/xferspy"), bench.app("app")],
                    preload=True, XFERSPY_RANGE="signal")
    if run.code or len(run.traces) != 1:
        raise Failed(f"ends with {run.code}: {run.err[-300:]}")
    return bench.check(expect_ops(run, 40))


@case("range-time", "XFERSPY_RANGE=0.3+0.4: a delay, and a duration",
      simulated=True)
def range_time(bench):
    """Again with a longer delay where CUDA starts later than that."""
    for delay in 0.3, 3, 10:
        run = bench.run(["timeout", "-s", "TERM", str(delay + 2.7),
                         bench.app("app"), "endless", "10"], preload=True,
                        XFERSPY_RANGE=f"{delay}+0.4")
        if run.code != 124 or len(run.traces) != 1:
            raise Failed(f"ends with {run.code}: {run.err[-300:]}")
        trace = run.traces[0]
        lines = bench.dump(trace)
        changes = [tuple(map(int, found.groups())) for line in lines if
                   (found := re.match(r"detail .*detail=(\d+) .*time_ns=(\d+)",
                                      line))]
        started = [int(found[1]) for line in lines if
                   (found := re.match(r"context .*time_ns=(\d+)", line))]
        if len(changes) > 1 and started and started[0] < changes[1][1]:
            break
    figures = bench.figures(trace)
    if [state for state, _ in changes] != [2, 1, 2] or figures["ops"] < 40:
        raise Failed(f"{changes} {figures}", trace)
    figures["delay_ms"], figures["duration_ms"] = (
        round((changes[n + 1][1] - changes[n][1]) / 1e6) for n in (0, 1))
    if not delay * 1000 - 10 < figures["delay_ms"] < delay * 1000 + 300 or \
            not 300 < figures["duration_ms"] < 700:
        raise Failed(f"{changes}", trace)
    return figures
