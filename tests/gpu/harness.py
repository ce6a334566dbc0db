# SPDX-License-Identifier: MIT
"""Runs programs with and without the library, and checks what came of it.

A program is to do the same with the library as without: what it prints on
stdout, and how it ends. Its last line may begin with "expect" and say what the
trace must hold: ops, at_least (ops), h2d, d2h (bytes), kernels, pinned and
pageable (bytes in from such memory), between (bytes from one device to another
or to itself); h2d, d2h and kernels also of one device, as h2d@1; each of them
also as NAME_at_least.
"""
import collections
import ctypes
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
# Ours, and those that other tools and the simulated device listen to.
UNSET = ("LD_PRELOAD", "CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "XFERSPY_MODE",
         "XFERSPY_OUTPUT", "XFERSPY_SUMMARY", "XFERSPY_LOG", "XFERSPY_CUPTI",
         "XFERSPY_RANGE", "XFERSPY_HASH", "XFERSPY_MAX_SIZE", "XFERSPY_GRAPHS",
         "CUDA_VISIBLE_DEVICES")
RUN_SECONDS = {"GPU": 90, "simulated": 900}


# Of the records in a dump: enum xs_direction, xs_memory and xs_op_flag.
H2D, D2H, D2D, P2P = "1", "2", "3", "5"
MEMORIES = {"1": "pageable", "2": "pinned"}
MIGRATION = 4


class Skip(Exception):
    """The case cannot be tried here; the text says why."""


class Failed(Exception):
    """What was to hold does not; the text says what, and it shows in the
    trace, where there is one."""

    def __init__(self, text, trace=None):
        super().__init__(text)
        self.trace = trace


def gpu_is_there():
    """Whether CUDA finds a device; asked in a process of its own."""
    child = os.fork()
    if child == 0:
        try:
            cuda, count = ctypes.CDLL("libcuda.so.1"), ctypes.c_int()
            found = (cuda.cuInit(0) == 0 and
                     cuda.cuDeviceGetCount(ctypes.byref(count)) == 0 and
                     count.value > 0)
        except OSError:
            found = False
        os._exit(0 if found else 1)
    return os.waitpid(child, 0)[1] == 0


def count_copy(found, fields, device):
    """Adds a copy of a dump to figures of a trace."""
    size, way = int(fields["bytes"]), fields["direction"]
    if way == H2D:
        found["h2d@" + device] += size
        if fields["src_memory"] in MEMORIES:
            found[MEMORIES[fields["src_memory"]]] += size
    elif way == D2H:
        found["d2h@" + device] += size
    elif way in (D2D, P2P):
        found["between"] += size
    if way == P2P:
        found[f"{device}-{fields['peer_device']}"] += size


class Run:
    """One run of a program: how it ended, what it printed, its traces."""

    def __init__(self, code, out, err, seconds, folder):
        self.code = code
        self.out = out
        self.err = err.decode(errors="replace")
        self.seconds = seconds
        self.folder = folder
        self.traces = sorted(folder.glob("*.xspy"))

    def expected(self):
        last = self.out.decode(errors="replace").strip().split("\n")[-1]
        if not last.startswith("expect "):
            return {}
        return {key: int(value) for key, value in
                (word.split("=") for word in last.split()[1:])}


class Bench:
    """Where the programs are, and how they are run."""

    def __init__(self, build, simulated):
        self.build = pathlib.Path(build).resolve()
        self.simulated = simulated
        self.seconds = RUN_SECONDS["simulated" if simulated else "GPU"]
        self.preload = str(self.build / "lib/libxferspy.so")
        self.xferspy = str(self.build / "bin/xferspy")
        self.folder = tempfile.TemporaryDirectory()

    def app(self, name):
        return str(self.build / "tests/gpu" / name)

    def python(self, name, *modules):
        """The command of a Python program; all modules must be there."""
        for module in modules:
            if subprocess.run(["python3", "-c", f"import {module}"],
                              capture_output=True, check=False).returncode:
                raise Skip(f"no {module}")
        return ["python3", "-B", str(HERE / "python" / name)]

    def simulated_library(self, name):
        """Of the major of the toolkit, which another one that is installed
        may be newer than."""
        return str(next(
            (self.build / "tests/sim/lib").glob(f"lib{name}.so.*")))

    def environment(self, folder, preload, extra):
        env = {k: v for k, v in os.environ.items() if k not in UNSET}
        if self.simulated:
            env["LD_LIBRARY_PATH"] = str(self.build / "tests/sim/lib")
            env["XFERSPY_CUPTI"] = self.simulated_library("cupti")
            env["XS_SIM_DEVICES"] = "2"
        env["XFERSPY_OUTPUT"] = str(folder / "%p.xspy")
        if preload:
            env["LD_PRELOAD"] = self.preload
        env.update(extra)
        return env

    def run(self, command, preload=False, **extra):
        """Runs it in a folder of its own."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder.name))
        begin = time.monotonic()
        with subprocess.Popen(
                command, cwd=folder, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                env=self.environment(folder, preload, extra),
                start_new_session=True) as process:
            try:
                out, err = process.communicate(timeout=self.seconds)
            except subprocess.TimeoutExpired as error:
                # its children hold the pipes, too
                os.killpg(process.pid, signal.SIGKILL)
                raise Failed(
                    f"not done after {self.seconds} s" +
                    (", with the library" if preload else "")) from error
        return Run(process.returncode, out, err, time.monotonic() - begin,
                   folder)

    def plain(self, command):
        """Without the library: a program that is to be tried must work."""
        run = self.run(command)
        if run.code == 77:
            raise Skip(run.err.strip()[-100:] or "not in this CUDA")
        if run.code in (1, 2, 127):
            # The simulated device has what its cases need.
            raise (Failed if self.simulated else Skip)(
                f"fails without xferspy, too: {run.err[-200:]}")
        return run

    def both(self, command, traces=1, **extra):
        """Without and with; they must do the same. The latter run."""
        plain = self.plain(command)
        traced = self.run(command, preload=True, **extra)
        same(plain, traced)
        if len(traced.traces) != traces:
            raise Failed(f"{len(traced.traces)} traces, not {traces}: "
                         f"{traced.err[-300:]}")
        return traced

    def report(self, trace, *options):
        return json.loads(self.command("report", "--format", "json", *options,
                                       trace))

    def dump(self, trace):
        return self.command("dump", trace).splitlines()

    def cupti_of(self, trace):
        """The path of the libcupti that a trace was made with."""
        for line in self.dump(trace):
            if line.startswith('info text="cupti='):
                return line.split('"')[1].split(" ", 1)[-1]
        return ""

    def command(self, *arguments):
        done = subprocess.run([self.xferspy, *map(str, arguments)],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            raise Failed(f"xferspy {arguments[0]}: {done.stderr[-300:]}")
        return done.stdout

    def figures(self, trace):
        """What the report says of the trace, in short."""
        report = self.report(trace)
        coverage = report["coverage"]
        return {"ops": coverage["gpu_ops_seen"],
                "matched": coverage["matched"], "lost": coverage["lost"],
                "calls": coverage["api_calls_seen"],
                "h2d": report["totals"]["h2d_bytes"] or 0,
                "d2h": report["totals"]["d2h_bytes"] or 0,
                "migrated": report["totals"]["migrated_h2d_bytes"] or 0,
                "mode": coverage["mode"], "rung": coverage["rung"],
                "cupti": report["trace"]["cupti_version"],
                "gaps": len(coverage["gaps"]),
                "trace_bytes": pathlib.Path(trace).stat().st_size,
                "notes": [note if isinstance(note, str) else str(note)
                          for note in coverage["notes"]]}

    def kinds(self, trace):
        """How many ops of each kind there are, and how many have a call."""
        return {seen["name"]: [seen["count"], seen["matched"]]
                for seen in self.report(trace)["coverage"]["ops"]}

    def more_figures(self, trace):
        """Those that only the records tell."""
        found = collections.Counter(kernels=0, pinned=0, pageable=0, between=0)
        devices = {}
        for line in self.dump(trace):
            kind, *words = line.split()
            if kind not in ("queue", "kernel", "copy"):
                continue
            fields = dict(word.split("=", 1) for word in words)
            if kind == "queue":
                devices[fields["queue"]] = fields["device"]
                continue
            device = devices[fields["queue"]]
            if kind == "kernel":
                found["kernels"] += 1
                found["kernels@" + device] += 1
            elif not int(fields["flags"]) & MIGRATION:
                count_copy(found, fields, device)
        return found

    def check(self, run, all_matched=True, may_step_back=False):
        """The figures of its trace, which must be as the program says; or,
        where that is allowed, the trace must say why they are not."""
        trace = run.traces[0]
        figures = self.figures(trace)
        wrong = []
        for key, wanted in run.expected().items():
            name = key.removesuffix("_at_least")
            if name == "at_least":
                name, key = "ops", "ops_at_least"
            if name not in figures:
                figures.update(self.more_figures(trace))
            got = figures.get(name, 0)
            if name == "ops" and figures["lost"]:
                got += figures["lost"] # lost, but counted
            if got < wanted or (got != wanted and name == key):
                wrong.append(f"{name} {got}, not {wanted}")
        if all_matched and figures["matched"] < figures["ops"]:
            wrong.append(f"{figures['matched']} of {figures['ops']} matched")
        if figures["gaps"] and figures["matched"] == figures["ops"] and \
                not figures["lost"] and not may_step_back:
            wrong.append("records are said to be missing")
        if wrong and may_step_back and figures["notes"]:
            figures["stepped_back"] = "; ".join(wrong)
        elif wrong:
            figures["by_kind"] = self.kinds(trace)
            raise Failed("; ".join(wrong) +
                         f" {figures} {run.err[-300:]!r}", trace)
        return figures


def same(plain, traced):
    """Fails where two runs of a program differ for whoever looks at it."""
    if traced.code != plain.code:
        raise Failed(f"ends with {traced.code}, without xferspy with "
                     f"{plain.code}: {traced.err[-300:]}")
    if traced.out != plain.out:
        raise Failed(f"prints {traced.out[-200:]!r}, without xferspy "
                     f"{plain.out[-200:]!r}")
