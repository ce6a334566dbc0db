# SPDX-License-Identifier: MIT
"""Runs a program in each of the ways that measure.py compares."""
import glob
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

NSYS = {"nsys": [], "nsys-node": ["--cuda-graph-trace=node"]}
# What each way of xferspy sets.
XFERSPY = {"xferspy": {}, "light": {"XFERSPY_MODE": "light"},
           "xferspy-nodes": {"XFERSPY_GRAPHS": "nodes"},
           **{way: {"XFERSPY_DATAFLOW": way} for way in ("off", "sample",
                                                         "all")}}
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
        env = {k: v for k, v in os.environ.items()
               if k not in ("LD_PRELOAD", "CUDA_INJECTION64_PATH")
               and not k.startswith("XFERSPY_")}
        if way in XFERSPY:
            env["LD_PRELOAD"] = str(self.build / "lib/libxferspy.so")
            env["XFERSPY_OUTPUT"] = str(self.scratch / "%p.xspy")
            env.update(XFERSPY[way])
        elif way == "records":
            env["CUDA_INJECTION64_PATH"] = self.program(
                "overhead/records_only.so")
            if self.cupti:
                env["CUPTI_LIBRARY"] = self.cupti
        return env

    def run(self, way, command):
        """Runs it once. (what it printed, stderr, seconds)"""
        if way in NSYS:
            command = [self.nsys, "profile", "-t", "cuda", "-s", "none",
                       "--cpuctxsw=none", *NSYS[way],
                       "-o", str(self.scratch / "nsys"), *command]
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
        if process.returncode and way not in NSYS:
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
