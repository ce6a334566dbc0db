#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures what tracing costs, with nothing, xferspy and its peers in turns.

  nothing    the program alone
  records    CUPTI's kernel and copy records alone, thrown away
  xferspy    LD_PRELOAD=libxferspy.so, everything on
  xferspy-nodes  the same with XFERSPY_GRAPHS=nodes: of graphs alone
  light      the same with XFERSPY_MODE=light, where the library knows it
  nsys       nsys profile -t cuda, where there is one
  nsys-node  the same with each op of a graph by itself: of graphs alone

The ways run each program one after the other, in another order every turn, so
that a slow minute hits them all. Medians of the turns are written as
JSON, which page.py makes docs/overhead.md of.
"""
import argparse
import datetime
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import time
import typing

from bench import NSYS, Bench, Failed, cupti_of_trace
from figures import LEAST_FOR_HALF

HERE = pathlib.Path(__file__).resolve().parent
PARTS = ("launch,lengths,along,instructions,copy,sync,threads,graph,static,"
         "torch,loops")
# The programs of framework_loop.py; part "loop_NAME" is one of them.
LOOPS = ("gpt2", "llama", "paging", "gaussian", "items", "replays",
         "managed")
WAYS = "nothing,records,xferspy,xferspy-nodes,light,nsys,nsys-node"
BY_NODE = ("xferspy-nodes", "nsys-node")  # of graphs alone
COUNTED = ("nothing", "light")  # that do not record each call
# The launches of a run for each call of the other parts: light records the
# first calls of a run and counts the rest, so its cost depends on the length,
# and it has runs of several. That of the ways that record all does not: they
# have shorter ones.
LAUNCHES = 10
LAUNCHES_RECORDED = 2
LAUNCHES_LONG = 30
ALONG_LEAST = 10000  # of which along makes its first line
# Hosts drift by more than what is measured, and whole runs of one program have
# two speeds, the slower one in four: of what takes seconds, and of what takes
# one, so many runs of each way a turn.
ROUNDS = 3
ROUNDS_SHORT = 6
# Of graphs more replays than the first few, which set buffers up, can sway.
REPLAYS = 5
NO_CUDA = 5  # runs of a program without CUDA for each one of one with it


class Job(typing.NamedTuple):
    """A program that prints a line of JSON, and the ways that it is run in."""
    command: list
    ways: list
    name: str = None  # of its part, where it is not the program's own name
    rounds: int = 1  # of all its ways, in a turn

    def parts(self, result):
        """{part: its times}"""
        return {self.name or part: figures for part, figures in result.items()
                if isinstance(figures, dict)}


def find_ways(bench, wanted):
    """Those that work here, each tried once; the report of xferspy's try."""
    short = [bench.program("launch_bench"), "launch", "1000"]
    ways, tried = [], {}
    # xferspy's says which libcupti the records alone are to come from.
    for way in sorted(wanted, key=lambda way: way == "records"):
        try:
            if way in NSYS and not bench.nsys:
                raise Failed(f"{way}: no nsys found")
            out, err, _ = bench.run(way, short)
            if '"launch"' not in out:
                raise Failed(f"{way}: no result: {err[-200:]}")
            if way in ("xferspy", "light"):
                report = bench.report()
                tried = report if way == "xferspy" else tried or report
                mode = report["coverage"]["mode"]
                if (mode == "light") != (way == "light"):
                    raise Failed(f"{way}: the trace's mode is {mode}")
                bench.cupti = bench.cupti or cupti_of_trace(bench)
            if way == "records" and not any(
                    "bytes of records" in line and ": 0 bytes" not in line
                    for line in err.splitlines()):
                raise Failed(f"records: none came: {err[-200:]}")
            ways.append(way)
        except Failed as failure:
            bench.notes.append(f"left out: {failure}")
    return [way for way in wanted if way in ways], tried


def find_jobs(bench, ways, parts, calls):
    """What is run each turn. Runs of fewer and of more launches show how the
    cost of light depends on the length of the run."""
    def launch_bench(only, count, job_ways, name=None, program="", rounds=1):
        return Job([bench.program("launch_bench" + program), only, str(count)],
                   [way for way in ways if way in job_ways], name, rounds)

    def launches(name, program=""):
        """Those of most length go by the pair that is compared in them."""
        recorded = [way for way in whole if way not in COUNTED]
        return [launch_bench("launch", LAUNCHES * calls, COUNTED, name,
                             program, ROUNDS),
                launch_bench("launch", LAUNCHES_RECORDED * calls, recorded,
                             name, program, ROUNDS)]

    def compared(command):
        """Pairs of untraced and light runs, and one run of each other way."""
        return [Job(command, [way for way in whole if way in COUNTED],
                    rounds=ROUNDS),
                Job(command, [way for way in whole if way not in COUNTED])]

    whole = [way for way in ways if way not in BY_NODE]
    short = [part for part in parts if part in ("copy", "sync")]
    jobs = []
    if "launch" in parts:
        jobs += launches("launch")
    if "lengths" in parts:
        jobs += [launch_bench("launch", count, COUNTED, f"launch_{count}")
                 for count in (calls // 10, calls, LAUNCHES_LONG * calls)
                 if "light" in ways]
    if "along" in parts and "light" in ways:
        jobs.append(Job([bench.program("overhead/along"),
                         str(max(LAUNCHES * calls, ALONG_LEAST))],
                        [way for way in ways if way in COUNTED], rounds=ROUNDS))
    if short:
        jobs.append(launch_bench(",".join(short), calls, whole,
                                 rounds=ROUNDS_SHORT))
    if "threads" in parts:
        jobs.append(launch_bench("threads", calls, whole))
    if "static" in parts:
        jobs += launches("static", "-static")
    if "graph" in parts:
        jobs.append(launch_bench("graph", REPLAYS * calls, ways,
                                 rounds=ROUNDS_SHORT))
    programs = [name for name in LOOPS
                if {"loops", f"loop_{name}"} & set(parts)]
    if "torch" not in parts and not programs:
        return jobs
    if not has_torch():
        bench.notes.append("left out: no python3 with torch on CUDA")
        return jobs
    if "torch" in parts:
        jobs += compared(["python3", str(HERE / "torch_step.py")])
    for name in programs:
        jobs += compared(["python3", str(HERE / "framework_loop.py"), name])
    return jobs


def in_turn(ways, turn):
    """The ways, each turn from another one on."""
    first = turn % max(len(ways), 1)
    return ways[first:] + ways[:first]


def run_round(bench, job, turn, number, values):
    """The job in each of its ways; adds what they measured in this round."""
    for way in in_turn(job.ways, turn * job.rounds + number):
        try:
            parts = job.parts(bench.measure(way, job.command))
        except Failed as failure:
            bench.notes.append(str(failure))
            continue
        for part, figures in parts.items():
            mine = values[way].setdefault(part, {})
            for name, value in figures.items():
                mine.setdefault(name, {})[turn, number] = value


def run_turn(bench, jobs, turn, values):
    """All jobs, and those of several rounds again."""
    for number in range(max((job.rounds for job in jobs), default=0)):
        for job in (job for job in jobs if number < job.rounds):
            run_round(bench, job, turn, number, values)


def take_turns(bench, ways, jobs, turns, until):
    """{way: {part: {"call_ns": {(turn, round): ...}, ...}}} of as many
    turns as there is time for, and of one at least; the number of turns."""
    values = {way: {} for way in ways}
    began = time.monotonic()
    for turn in range(turns):
        now = time.monotonic()
        if turn and now + (now - began) / turn > until:
            return values, turn
        run_turn(bench, jobs, turn, values)
    return values, turns


def summary(values):
    """Median, and how far the middle half reaches; of less than LEAST_FOR_HALF,
    all."""
    low, high = min(values), max(values)
    if len(values) >= LEAST_FOR_HALF:
        low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    found = {"median": statistics.median(values), "low": low, "high": high}
    return {name: round(value, 3) for name, value in found.items()}


def measure_traces(bench, ways, calls):
    """Bytes of trace for each op, of runs of one part alone."""
    sizes = {}
    for way in ways:
        if way not in ("xferspy", "light", "nsys"):
            continue
        for part in ("launch", "copy"):
            try:
                result = bench.measure(
                    way, [bench.program("launch_bench"), part, str(calls)])
                if bench.traces():
                    sizes.setdefault(way, {})[part] = round(
                        bench.trace_bytes() / result["ops"], 1)
            except Failed as failure:
                bench.notes.append(str(failure))
    return sizes


def paired(times):
    """{way: {round: ...}}: a run of each way against that of nothing in the
    same round."""
    plain = times["nothing"]
    return {way: summary([mine - plain[key] for key, mine in runs.items()
                          if key in plain])
            for way, runs in times.items() if way != "nothing"}


def summaries(values):
    """Of take_turns(): the times, and what is more than nothing's."""
    found, more = {}, {}
    for way, parts in values.items():
        for part, figures in parts.items():
            for name in (name for name in figures if name.endswith("_ns")):
                plain = values["nothing"].get(part, {}).get(name, {})
                both = paired({"nothing": plain, way: figures[name]})
                found.setdefault(way, {}).setdefault(part, {})[name] = \
                    summary(list(figures[name].values()))
                if both.get(way):
                    more.setdefault(way, {}).setdefault(part, {})[name] = \
                        both[way]
    return found, more


def light_pairs(values, part, time):
    """Of take_turns(): [[ns with nothing, with light]]."""
    plain, mine = (values.get(way, {}).get(part, {}).get(time, {})
                   for way in COUNTED)
    return [[plain[key], ns] for key, ns in mine.items() if key in plain]


def launch_pairs(values):
    """{part of launches: its pairs}"""
    return {part: light_pairs(values, part, "call_ns")
            for part in values.get("light", {})
            if part.partition("_")[0] == "launch"}


def along_pairs(values):
    """{time of along: its pairs}"""
    return {time: light_pairs(values, "along", time)
            for time in values.get("light", {}).get("along", {})}


def measure_startup(bench, ways, runs):
    """ms from start to end: of a program that starts CUDA and no more, and of
    one that never does. {program: {way: ...}} of all runs, and of what each is
    more than nothing's of its turn; the number of runs."""
    startup, more, counts = {}, {}, {}
    for name, command, repeats in (
            ("cuda", [bench.program("overhead/startup")], runs),
            ("no_cuda", ["/bin/true"], NO_CUDA * runs)):
        times = {way: {} for way in ways}
        for turn in range(repeats):
            try:
                took = {way: bench.run(way, command)[2] * 1e3
                        for way in in_turn(ways, turn)}
            except Failed as failure:  # no pairs in this turn
                bench.notes.append(str(failure))
                continue
            for way, ms in took.items():
                times[way][turn] = ms
        if times["nothing"]:
            startup[name] = {way: summary(list(mine.values()))
                             for way, mine in times.items()}
            more[name] = paired(times)
            counts[name] = len(times["nothing"])
    return {"startup_ms": startup, "startup_more_ms": more,
            "startup_runs": counts}


def count_instructions(bench, ways, before):
    """Of a call after so many others {part: {way: {object: instructions}}}, and
    the same of the lines of code that they lie in."""
    instructions, lines = {}, {}
    for part in ("launch", "copy"):
        for way in (way for way in ways if way not in BY_NODE):
            try:
                found = bench.measure(
                    way, [bench.program("overhead/instructions"), part,
                          str(before)])
            except Failed as failure:
                bench.notes.append(str(failure))
                continue
            instructions.setdefault(part, {})[way] = found["instructions"]
            lines.setdefault(part, {})[way] = found["lines"]
    return instructions, lines


def has_torch():
    return subprocess.run(
        ["python3", "-c", "import torch; assert torch.cuda.is_available()"],
        capture_output=True, check=False).returncode == 0


def first_line(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True,
                              check=False)
        return done.stdout.strip().splitlines()[0]
    except (OSError, IndexError):
        return None


def cpu_name():
    for line in open("/proc/cpuinfo", encoding="ascii", errors="replace"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return None


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=260,
                        help="no new turn that would end later (260)")
    parser.add_argument("--calls", type=int, default=100000,
                        help=f"of a part; {LAUNCHES} times as many launches")
    parser.add_argument("--starts", type=int, default=21,
                        help="runs of a program that starts CUDA (21)")
    parser.add_argument("--parts", default=PARTS)
    parser.add_argument("--ways", default=WAYS)
    parser.add_argument("--name", help="of the machine; the GPU's if left out")
    parser.add_argument("-o", "--output", type=pathlib.Path,
                        help="results/NAME.json beside this script")
    parser.add_argument("build", type=pathlib.Path, nargs="?",
                        default=HERE.parent.parent / "build")
    return parser.parse_args()


def measure_all(bench, args):
    """The part of the results that was measured; xferspy's report on a run."""
    began = time.monotonic()
    ways, tried = find_ways(bench, args.ways.split(","))
    if "nothing" not in ways:
        raise Failed("; ".join(bench.notes) or "nothing to compare with")
    jobs = find_jobs(bench, ways, args.parts.split(","), args.calls)
    startup = measure_startup(bench, [w for w in ways
                                      if w not in (*NSYS, *BY_NODE)],
                              args.starts)
    sizes = measure_traces(bench, ways, args.calls)
    instructions, lines = {}, {}
    if "instructions" in args.parts.split(","):
        instructions, lines = count_instructions(
            bench, ways, LAUNCHES_RECORDED * args.calls)
    before = time.monotonic()
    values, turns = take_turns(bench, ways, jobs, args.turns,
                               began + args.seconds)
    print(f"measure.py: {before - began:.0f} s for start-up and traces, "
          f"{time.monotonic() - before:.0f} s for {turns} turns",
          file=sys.stderr)
    found, more = summaries(values)
    return {"pointers": True,  # of launches are recorded
            "turns": turns, "rounds": ROUNDS,
            "rounds_short": ROUNDS_SHORT, "calls": args.calls,
            "launches": LAUNCHES * args.calls,
            "launches_recorded": LAUNCHES_RECORDED * args.calls,
            "replays": REPLAYS * args.calls // 100,
            "host_ns": found, "host_more_ns": more,
            "light_pairs_ns": launch_pairs(values),
            "light_along_ns": along_pairs(values),
            "instructions": instructions, "lines": lines,
            "trace_bytes_per_op": sizes, **startup}, tried


def machine(bench, report, name):
    trace = report.get("trace", {})
    gpu = (trace.get("devices") or [{}])[0].get("name", "unknown")
    of_gpu = gpu.replace("NVIDIA ", "").replace(" ", "-").lower()
    return {
        "schema": 1, "machine": name or of_gpu,
        "gpu": gpu, "cpu": cpu_name(),
        "driver": first_line(["nvidia-smi", "--format=csv,noheader", "-i",
                              "0", "--query-gpu=driver_version"]),
        "cuda": trace.get("driver_version"),
        "cupti": trace.get("cupti_version"),
        "nsys": first_line([bench.nsys, "--version"]) if bench.nsys else None,
        "date": datetime.datetime.now(datetime.timezone.utc)
                .strftime("%Y-%m-%d")}


def main():
    args = parse_arguments()
    bench = Bench(args)
    try:
        measured, tried = measure_all(bench, args)
    except Failed as failure:
        sys.exit(f"measure.py: {failure}")
    finally:
        shutil.rmtree(bench.scratch, ignore_errors=True)
    results = {**machine(bench, tried, args.name), **measured,
               "notes": sorted(set(bench.notes))}
    output = args.output or HERE / "results" / f"{results['machine']}.json"
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(results, indent=1) + "\n")
    print(json.dumps(results["host_ns"]))
    print(f"measure.py: {output}", file=sys.stderr)
    for note in results["notes"]:
        print(f"measure.py: {note}", file=sys.stderr)


if __name__ == "__main__":
    main()
