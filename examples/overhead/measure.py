#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures what tracing costs, with nothing, xferspy and its peers in turns.

  nothing   the program alone
  records   CUPTI's kernel and copy records alone, thrown away
  xferspy   LD_PRELOAD=libxferspy.so, everything on
  light     the same with XFERSPY_MODE=light, where the library knows it
  nsys      nsys profile -t cuda, where there is one

Each way runs the same programs, one after the other, in another order every
turn, so that a slow minute hits them all. Medians of the turns are written as
JSON, which page.py makes docs/overhead.md of.
"""
import argparse
import datetime
import glob
import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PARTS = "launch,copy,sync,threads,graph"
OURS = ("LD_PRELOAD", "CUDA_INJECTION64_PATH", "XFERSPY_MODE",
        "XFERSPY_OUTPUT", "XFERSPY_SUMMARY", "XFERSPY_LOG")
RUN_SECONDS = 60


class Failed(Exception):
    """A run that gave no measurement; its text says why."""


def find_nsys():
    found = os.environ.get("NSYS") or shutil.which("nsys")
    bundled = [*glob.glob("/opt/nvidia/nsight-systems/*/bin/nsys"),
               *glob.glob("/opt/nvidia/nsight-compute/*/host/"
                          "target-linux-x64/nsys")]
    return found or (bundled[-1] if bundled else None)


def name_of(command):
    return " ".join(os.path.basename(word) for word in command)


class Bench:
    """The programs, and the ways of running them."""

    def __init__(self, args):
        self.build = args.build.resolve()
        self.scratch = pathlib.Path(tempfile.mkdtemp())
        self.nsys = find_nsys()
        self.cupti = None
        self.notes = []

    def program(self, name):
        return str(self.build / "examples" / name)

    def environment(self, way):
        env = {k: v for k, v in os.environ.items() if k not in OURS}
        if way in ("xferspy", "light"):
            env["LD_PRELOAD"] = str(self.build / "lib/libxferspy.so")
            env["XFERSPY_OUTPUT"] = str(self.scratch / "%p.xspy")
            if way == "light":
                env["XFERSPY_MODE"] = "light"
        elif way == "records":
            env["CUDA_INJECTION64_PATH"] = self.program(
                "overhead/records_only.so")
            if self.cupti:
                env["CUPTI_LIBRARY"] = self.cupti
        return env

    def run(self, way, command):
        """Runs it once. (what it printed, stderr, seconds)"""
        if way == "nsys":
            command = [self.nsys, "profile", "-t", "cuda", "-s", "none",
                       "--cpuctxsw=none", "-o", str(self.scratch / "nsys"),
                       *command]
        for old in self.traces():
            os.unlink(old)
        begin = time.perf_counter()
        try:
            process = subprocess.Popen(
                command, env=self.environment(way), cwd=self.scratch,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, text=True, start_new_session=True)
        except OSError as error:
            raise Failed(f"{way}: {error}") from error
        with process:
            try:
                out, err = process.communicate(timeout=RUN_SECONDS)
            except subprocess.TimeoutExpired as error:
                # its children hold the pipes, too
                os.killpg(process.pid, signal.SIGKILL)
                raise Failed(f"{way}: {name_of(command)} was not done after "
                             f"{RUN_SECONDS} s") from error
        seconds = time.perf_counter() - begin
        # nsys may fail to make a report of what it has recorded.
        if process.returncode and way != "nsys":
            raise Failed(f"{way}: {name_of(command)} ended with "
                         f"{process.returncode}: {err[-300:]}")
        return out, err, seconds

    def traces(self):
        return [p for p in self.scratch.iterdir() if p.suffix in
                (".xspy", ".qdstrm", ".nsys-rep", ".sqlite")]

    def measure(self, way, command):
        """What a program that prints a line of JSON has measured."""
        out, err, _ = self.run(way, command)
        lines = [line for line in out.splitlines() if line.startswith("{")]
        if not lines:
            raise Failed(f"{way}: {name_of(command)} printed no result: "
                         f"{err[-300:]}")
        return json.loads(lines[-1])

    def report(self):
        """xferspy's own report on the last trace."""
        traces = self.traces()
        if len(traces) != 1:
            raise Failed(f"{len(traces)} traces instead of one")
        done = subprocess.run(
            [self.build / "bin/xferspy", "report", "--format", "json",
             traces[0]], capture_output=True, text=True, check=False)
        if done.returncode:
            raise Failed(f"xferspy report: {done.stderr}")
        return json.loads(done.stdout)

    def trace_bytes(self):
        return sum(p.stat().st_size for p in self.traces())


def cupti_of_trace(bench):
    """The libcupti that xferspy used, for the others to use the same."""
    done = subprocess.run(
        [bench.build / "bin/xferspy", "dump", *bench.traces()],
        capture_output=True, text=True, check=False)
    for line in done.stdout.splitlines():
        if line.startswith('info text="cupti='):
            return line.split('"')[1].split(" ", 1)[-1]
    return None


def find_ways(bench, wanted):
    """Those that work here, each tried once; the report of xferspy's try."""
    short = [bench.program("launch_bench"), "launch", "1000"]
    ways, tried = [], {}
    # xferspy's says which libcupti the records alone are to come from.
    for way in sorted(wanted, key=lambda way: way == "records"):
        try:
            if way == "nsys" and not bench.nsys:
                raise Failed("nsys: none found")
            out, err, _ = bench.run(way, short)
            if '"launch"' not in out:
                raise Failed(f"{way}: no result: {err[-200:]}")
            if way in ("xferspy", "light"):
                report = bench.report()
                tried = report if way == "xferspy" else tried
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


def take_turns(bench, ways, jobs, turns, seconds):
    """{way: {part: {"call_ns": [...], ...}}} of as many turns as there is
    time for; the number of turns."""
    values = {way: {} for way in ways}
    began = time.monotonic()
    for turn in range(turns):
        if turn and (time.monotonic() - began) * (turn + 1) / turn > seconds:
            return values, turn
        for i in range(len(ways)):
            way = ways[(turn + i) % len(ways)]
            for job in jobs:
                try:
                    result = bench.measure(way, job)
                except Failed as failure:
                    bench.notes.append(str(failure))
                    continue
                for part, figures in result.items():
                    if not isinstance(figures, dict):
                        continue
                    mine = values[way].setdefault(part, {})
                    for name, value in figures.items():
                        mine.setdefault(name, []).append(value)
    return values, turns


def summary(values):
    """Median, and how far the middle half reaches."""
    ordered = sorted(values)
    found = {"median": statistics.median(ordered),
             "low": ordered[len(ordered) // 4],
             "high": ordered[(3 * len(ordered)) // 4]}
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


def measure_startup(bench, ways, turns):
    """ms from start to end: of a program that starts CUDA and no more, and of
    one that never does."""
    startup = {}
    for name, command, repeats in (
            ("cuda", [bench.program("overhead/startup")], turns),
            ("no_cuda", ["/bin/true"], 20 * turns)):
        times = {way: [] for way in ways}
        for turn in range(repeats):
            for i in range(len(ways)):
                way = ways[(turn + i) % len(ways)]
                try:
                    times[way].append(bench.run(way, command)[2] * 1e3)
                except Failed as failure:
                    bench.notes.append(str(failure))
        startup[name] = {way: summary(mine)
                         for way, mine in times.items() if mine}
    return startup


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


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=180,
                        help="no new turn that would take longer (180)")
    parser.add_argument("--calls", type=int, default=100000)
    parser.add_argument("--parts", default=PARTS)
    parser.add_argument("--ways", default="nothing,records,xferspy,light,nsys")
    parser.add_argument("--name", help="of the machine; the GPU's if left out")
    parser.add_argument("-o", "--output", type=pathlib.Path,
                        help="results/NAME.json beside this script")
    parser.add_argument("build", type=pathlib.Path, nargs="?",
                        default=HERE.parent.parent / "build")
    args = parser.parse_args()
    bench = Bench(args)
    try:
        ways, tried = find_ways(bench, args.ways.split(","))
        if "nothing" not in ways:
            raise Failed("; ".join(bench.notes) or "nothing to compare with")
        jobs = [[bench.program("launch_bench"), args.parts, str(args.calls)]]
        if has_torch():
            jobs.append(["python3", str(HERE / "torch_step.py")])
        else:
            bench.notes.append("left out: no python3 with torch on CUDA")
        startup = measure_startup(bench, [w for w in ways if w != "nsys"],
                                  min(args.turns, 5))
        sizes = measure_traces(bench, ways, args.calls)
        values, turns = take_turns(bench, ways, jobs, args.turns,
                                   args.seconds)
    except Failed as failure:
        sys.exit(f"measure.py: {failure}")
    finally:
        shutil.rmtree(bench.scratch, ignore_errors=True)
    trace = tried.get("trace", {})
    gpu = (trace.get("devices") or [{}])[0].get("name", "unknown")
    name = args.name or gpu.replace("NVIDIA ", "").replace(" ", "-").lower()
    results = {
        "schema": 1, "machine": name, "gpu": gpu, "cpu": cpu_name(),
        "driver": first_line(["nvidia-smi", "--format=csv,noheader", "-i",
                              "0", "--query-gpu=driver_version"]),
        "cuda": trace.get("driver_version"),
        "cupti": trace.get("cupti_version"),
        "nsys": first_line([bench.nsys, "--version"]) if bench.nsys else None,
        "date": datetime.datetime.now(datetime.timezone.utc)
                .strftime("%Y-%m-%d"),
        "turns": turns, "calls": args.calls,
        "host_ns": {way: {part: {k: summary(v) for k, v in figures.items()
                                 if k.endswith("_ns")}
                          for part, figures in parts.items()}
                    for way, parts in values.items()},
        "trace_bytes_per_op": sizes, "startup_ms": startup,
        "notes": sorted(set(bench.notes))}
    output = args.output or HERE / "results" / f"{name}.json"
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(results, indent=1) + "\n")
    print(json.dumps(results["host_ns"]))
    print(f"measure.py: {turns} turns; {output}", file=sys.stderr)
    for note in results["notes"]:
        print(f"measure.py: {note}", file=sys.stderr)


if __name__ == "__main__":
    main()
