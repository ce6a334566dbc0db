# SPDX-License-Identifier: MIT
"""The cases: what breaks tools like this, each with a program that does it."""
import glob
import math
import os
import re
import shutil
import subprocess

from harness import Failed, Skip, same

CASES = {}


ALONE = set() # those that compare times of the GPU, which others would share


def case(name, what, simulated=False, alone=False):
    """A function of the bench that gives figures; or Skip, or Failed."""
    def keep(function):
        CASES[name] = (function, what, simulated)
        if alone:
            ALONE.add(name)
        return function
    return keep


def program(name, what, app, *arguments, simulated=False, environment=None,
            **options):
    """A case that only runs one of the programs."""
    @case(name, what, simulated)
    def run(bench):
        return bench.check(bench.both([bench.app(app), *arguments],
                                      **(environment or {})), **options)
    return run


def serial(bench, app, rounds, **extra):
    """tests/e2e's program, which does not say what is to be expected: two
    copies in, a kernel and a copy out a round."""
    run = bench.both([bench.app(app), "serial", str(rounds)], **extra)
    return expect_ops(run, 4 * rounds)


def expect_ops(run, ops):
    run.out += b"\nexpect ops=%d" % ops
    return run


@case("shared", "shared CUDA runtime", simulated=True)
def shared(bench):
    return bench.check(serial(bench, "app", 50))


def serial_places(bench, app, **extra):
    """The same, where each copy of a round has a place of its own: not one in
    the runtime, that all calls of a function come from."""
    run = serial(bench, app, 50, **extra)
    places = {(site["module"], site["offset"])
              for phase in bench.report(run.traces[0])["phases"]
              for site in phase["sites"] if site["step"] in ("h2d", "d2h")}
    if len(places) != 3:
        raise Failed(f"3 copies a round, from {len(places)} places: "
                     f"{sorted(map(str, places))}", run.traces[0])
    return run


@case("static-stripped", "static CUDA runtime, stripped")
def static_stripped(bench):
    serial_places(bench, "app-stripped", XFERSPY_STACK="leaf")
    return bench.check(serial_places(bench, "app-stripped"))


@case("per-thread-stream", "a default stream for each thread", simulated=True)
def per_thread(bench):
    return bench.check(serial(bench, "app-per-thread", 50))


@case("static-per-thread", "the same, static and stripped")
def static_per_thread(bench):
    return bench.check(serial_places(bench, "app-per-thread-stripped"))


def median_times(report):
    """Of a round: a host that others keep busy delays what the events around
    an op contain, but not in most rounds."""
    phase = max(report["phases"], key=lambda phase: phase["rounds"])
    return {key: phase[key] for key in ("h2d_ns", "kernel_ns", "d2h_ns")}


@case("events", "without CUPTI: calls timed by events", simulated=True)
def events(bench):
    # long copies, beside which the delays of a busy host are short
    rounds, slow = (50, {"XS_SIM_PAGEABLE_GBS": "0.03"}) if bench.simulated \
        else (200, {})
    by_cupti = median_times(bench.report(serial(bench, "app", rounds,
                                                **slow).traces[0]))
    run = serial(bench, "app", rounds, XFERSPY_MODE="events", **slow)
    figures = bench.check(run)
    report = bench.report(run.traces[0])
    if report["coverage"]["rung"] != "events" or report["coverage"]["untimed"]:
        raise Failed(f"not timed by events: {report['coverage']}")
    by_events = median_times(report)
    figures["times"] = {key: [by_cupti[key], by_events[key]]
                        for key in by_cupti}
    if any(not theirs / 20 < ours < theirs * 20
           for theirs, ours in figures["times"].values()):
        raise Failed(f"other times than CUPTI's: {figures['times']}")
    return figures


@case("nsys", "inside nsys profile -t cuda")
def inside_nsys(bench):
    nsys = os.environ.get("NSYS") or shutil.which("nsys") or newest(
        "/opt/nvidia/nsight-systems/*/bin/nsys",
        "/opt/nvidia/nsight-compute/*/host/target-linux-x64/nsys")
    if not nsys:
        raise Skip("no nsys")
    rounds = 1000
    command = [nsys, "profile", "-t", "cuda", "-s", "none",
               "--cpuctxsw=none", "-o", "theirs"]
    alone = bench.run([*command, bench.app("app"), "serial", str(rounds)])
    wanted = {what: count for what, count in nsys_found(nsys, alone).items()
              if count}
    if not wanted:
        raise Skip(f"nsys writes nothing: {alone.err[-200:]}")
    run, figures = around(bench, command, rounds)
    found = nsys_found(nsys, run)
    both = wanted.keys() & found.keys()
    both = {"kernels"} & both or both
    if not both:
        raise Failed(f"nsys wrote {found}, {wanted} without xferspy: "
                     f"{run.err[-300:]}")
    figures["theirs"] = ", ".join(f"{found[what]} {what}, {wanted[what]} "
                                  "without" for what in sorted(both))
    # its file has the events that xferspy records, too: 700 bytes for each round
    most = {"kernels": 1.3 * wanted.get("kernels", 0)}
    if any(not 0.7 * wanted[what] < found[what] < most.get(what, math.inf)
           for what in both):
        raise Failed(f"nsys recorded {found}, {wanted} without xferspy")
    return figures


def nsys_found(nsys, run):
    """What nsys recorded of a run: how many bytes, and its kernels, none among
    them, where it made a report: it does not of each run."""
    found = {}
    for path in list(run.folder.glob("theirs.*")):
        found["bytes of " + path.suffix] = path.stat().st_size
        stats = subprocess.run(
            [nsys, "stats", "--report", "cuda_gpu_kern_sum", "--format", "csv",
             str(path)], capture_output=True, text=True, check=False)
        lines = [line.split(",") for line in stats.stdout.splitlines()]
        heads = [line for line in lines if "Instances" in line]
        if path.suffix == ".nsys-rep":
            found.setdefault("kernels", 0)
        if heads:
            at = heads[0].index("Instances")
            found["kernels"] = sum(int(line[at]) for line in lines
                                   if len(line) > at and line[at].isdigit())
    return found


@case("ncu", "inside ncu")
def inside_ncu(bench):
    ncu = shutil.which("ncu") or newest("/usr/local/cuda/bin/ncu",
                                        "/opt/nvidia/nsight-compute/*/ncu")
    if not ncu:
        raise Skip("no ncu")
    command = [ncu, "--target-processes", "all", "--section",
               "LaunchStats"]
    alone = bench.run([*command, bench.app("app"), "serial", "5"])
    profiled = alone.out.count(b"==PROF== Profiling")
    if not profiled:
        raise Skip(f"ncu profiles nothing: {alone.out[-200:]!r}")
    run, figures = around(bench, command, 5)
    theirs = run.out.count(b"==PROF== Profiling")
    if theirs != profiled:
        raise Failed(f"ncu profiled {theirs} kernels, {profiled} without")
    return {**figures, "theirs": f"{theirs} kernels"}


def around(bench, tool, rounds):
    """Another tool starts the program with the library in it."""
    app = [bench.app("app"), "serial", str(rounds)]
    plain = bench.plain(app)
    run = bench.run([*tool, "env", f"LD_PRELOAD={bench.preload}", *app])
    if plain.out.strip() not in run.out:
        raise Failed(f"the program did not do its work: {run.out[-300:]!r} "
                     f"{run.err[-300:]}")
    if len(run.traces) != 1:
        raise Failed(f"{len(run.traces)} traces: {run.err[-300:]}")
    return run, bench.check(expect_ops(run, 4 * rounds), may_step_back=True)


def newest(*patterns):
    found = [path for pattern in patterns for path in glob.glob(pattern)]
    return found[-1] if found else None


@case("injection-taken", "CUDA_INJECTION64_PATH set by another tool",
      simulated=True)
def injection_taken(bench):
    """The other tool gets what it would get without us."""
    other = str(bench.build / "examples/overhead/records_only.so")
    alone = serial(bench, "app", 50)
    command = [bench.app("app"), "serial", "50"]
    theirs = {"CUDA_INJECTION64_PATH": other, "XFERSPY_CUPTI": "",
              "CUPTI_LIBRARY": bench.cupti_of(alone.traces[0])}
    wanted = records_of(bench.run(command, **theirs))
    run = serial(bench, "app", 50, **theirs)
    if not wanted or records_of(run) != wanted:
        raise Failed(f"records_only had {records_of(run)} bytes of records, "
                     f"{wanted} without xferspy", run.traces[0])
    return {**bench.check(run), "theirs": f"{wanted} bytes of records, as "
                                          "without"}


def records_of(run):
    found = re.search(r"records_only: (\d+) bytes of records", run.err)
    return int(found.group(1)) if found else 0


@case("injected", "loaded by CUDA_INJECTION64_PATH alone", simulated=True)
def injected(bench):
    app = "app" if bench.simulated else "app-stripped"
    command = [bench.app(app), "serial", "50"]
    plain = bench.plain(command)
    run = bench.run(command, CUDA_INJECTION64_PATH=bench.preload)
    same(plain, run)
    if len(run.traces) != 1:
        raise Failed(f"{len(run.traces)} traces: {run.err[-300:]}")
    return bench.check(expect_ops(run, 200))


@case("fork-after", "fork after CUDA has started, child leaves by _exit",
      simulated=True)
def fork_after(bench):
    run = bench.both([bench.app("app"), "fork-after", "10"])
    return bench.check(expect_ops(run, 40))


@case("fork-before", "fork before CUDA starts, both use it", simulated=True)
def fork_before(bench):
    run = bench.both([bench.app("app"), "fork-before", "10"], traces=2)
    expect_ops(run, 40)
    figures = bench.check(run)
    run.traces.reverse()
    bench.check(run)
    return figures


@case("destructor", "CUDA calls in static destructors", simulated=True)
def destructor(bench):
    run = bench.both([bench.app("app"), "destructor", "10"])
    return bench.check(expect_ops(run, 40))


for ending, words in (("term", "SIGTERM"), ("kill", "SIGKILL"),
                      ("abort", "abort"), ("_exit", "_exit"),
                      ("quick_exit", "quick_exit")):
    program(f"end-{ending.strip('_').replace('_', '-')}",
            f"{words} in the middle of a copy", "endings", ending,
            simulated=True, all_matched=False)


@case("end-hang", "exit while a kernel runs for seconds")
def end_hang(bench):
    command = [bench.app("endings"), "hang"]
    plain = bench.plain(command)
    run = bench.run(command, preload=True)
    same(plain, run)
    if run.seconds > plain.seconds + 3:
        raise Failed(f"{run.seconds:.1f} s, {plain.seconds:.1f} s without")
    return {**bench.check(run, all_matched=False),
            "seconds": round(run.seconds, 1),
            "plain_seconds": round(plain.seconds, 1)}


@case("kills", "20 kills at random times: usually at most 100 ms of work missing")
def kills(bench):
    run = bench.run([str(bench.build / "tests/e2e/xs_storm"),
                     bench.app("killed"), bench.preload, bench.xferspy, "20"])
    found = re.search(rb"(\d+) rounds of the GPU; usually (\d+) ms", run.out)
    if run.code or not found:
        raise Failed(f"{run.out.decode().strip()} {run.err[-300:]}")
    figures = {"rounds": int(found.group(1)),
               "missing_ms": int(found.group(2))}
    if figures["missing_ms"] > 100:
        raise Failed(f"{figures['missing_ms']} ms missing")
    return figures


@case("graph", "a graph captured, and replayed 100,000 times", simulated=True)
def graph(bench):
    times = 100 if bench.simulated else 100000
    run = bench.both([bench.app("replay"), str(times)])
    return {**bench.check(run, all_matched=False),
            **graphs_of(bench, run, times)}


BY_NODE = 16 # the first launches of each executable graph
AGAIN = 4, 1024 # so many at 1024, 2048, 4096 ... launches


def graphs_of(bench, run, launches):
    """How many launches of a graph were recorded as one, which must be all but
    the first ones, where CUPTI can; and how many were by node."""
    trace = run.traces[0]
    report = bench.report(trace)
    coverage = report["coverage"]
    cupti = [int(part) for part in report["trace"]["cupti_version"].split(".")]
    more, least = AGAIN
    by_node = BY_NODE + more * (launches // least).bit_length()
    wanted = launches - by_node if cupti >= [12, 9] else 0
    figures = {key: coverage[key] for key in
               ("graphs_as_one", "graphs_by_node", "graphs_unknown")}
    if figures["graphs_as_one"] != wanted or figures["graphs_unknown"]:
        raise Failed(f"{figures}, not {wanted} as one", trace)
    return figures


def graph_case(mode, words, times, ops, launches=0):
    """Launches of graphs in a way that must neither crash nor lose anything; of
    one executable graph, where there are so many launches in all."""
    @case(f"graph-{mode}", words, simulated=True)
    def run(bench):
        run = expect_ops(bench.both([bench.app("graphs"), mode, str(times)]),
                         ops)
        figures = bench.check(run)
        return {**figures, **graphs_of(bench, run, launches)} if launches \
            else figures


graph_case("replay", "a graph replayed, with a wait for each launch", 500, 2500,
           500)
graph_case("moved", "a graph launched in one stream, then in another", 200,
           2000, 400)
graph_case("updated", "a graph changed by cudaGraphExecUpdate", 200, 3000)
graph_case("late", "a graph captured early and instantiated late", 100, 1400)
graph_case("each", "a graph instantiated anew for each launch", 200, 1000)
graph_case("together", "four threads that instantiate and launch graphs", 300,
           24000)


@case("graph-client", "another user of CUPTI measures graphs that were recorded "
      "as one", simulated=True)
def graph_client(bench):
    if not os.path.exists(bench.app("second_client")):
        raise Skip("built without the toolkit's CUPTI")
    command = [bench.app("second_client"), "graph"]
    plain = bench.plain(command)
    run = bench.run(command, preload=True)
    # CUPTI calls a set of a graph a kernel if it came after the instantiation
    seen = [[(int(copies), int(sets) + int(kernels)) for copies, sets, kernels
             in re.findall(rb"(\d+) copies, (\d+) sets, (\d+) kernels",
                           each.out)] for each in (plain, run)]
    if run.code != plain.code or len(run.traces) != 1 or seen[0] != seen[1]:
        raise Failed(f"ends with {run.code}, sees {seen[1]}, without xferspy "
                     f"{seen[0]}: {run.err[-300:]}")
    return bench.check(expect_ops(run, 180))


@case("graph-nodes", "launches of a graph as one, against each of its nodes",
      simulated=True, alone=True)
def graph_nodes(bench):
    """Bytes and rounds are equal, and times of the phase nearly so: nodes of a
    few us differ by one between runs."""
    found = []
    for graphs in ("launch", "nodes"):
        run = bench.both([bench.app("ways"), "graph", "400"],
                         XFERSPY_GRAPHS=graphs,
                         XS_SIM_GIPS="0.1") # by the model, not this machine
        figures = bench.check(expect_ops(run, 1200))
        phase = bench.report(run.traces[0])["phases"][0]
        found.append((figures["h2d"], figures["d2h"], phase["rounds"],
                      [phase[key] for key in ("h2d_ns", "kernel_ns", "d2h_ns")]))
    if found[0][:3] != found[1][:3]:
        raise Failed(f"{found[0]}, by node {found[1]}", run.traces[0])
    as_one, by_node = (sum(times[3]) for times in found)
    if not 0.75 * by_node < as_one < 1.25 * by_node:
        raise Failed(f"{found[0]}, by node {found[1]}", run.traces[0])
    return {**figures, "times": {"launch": found[0][3], "nodes": found[1][3]}}


@case("graph-before", "a graph that is replayed before recording begins, too",
      simulated=True)
def graph_before(bench):
    run = bench.both([bench.app("replay"), "100", "50"],
                     XFERSPY_RANGE="profiler")
    try:
        return bench.check(run)
    except Failed as failure:
        raise Failed("a graph that was instantiated before recording began is "
                     f"not all there: {failure}", failure.trace) from failure


@case("storm", "64 threads of 5000 launches each", simulated=True)
def storm(bench):
    if bench.simulated: # with ids as when threads race, and ops that come late
        return bench.check(bench.both([bench.app("storm"), "16", "50"],
                                      XS_SIM_CUPTI_OWN_IDS="1",
                                      XS_SIM_LATENCY_NS="20000000"))
    return bench.check(bench.both([bench.app("storm"), "64", "5000"]))


for copy, words, can in (
        ("2d", "2D copies", True), ("2d-async", "2D copies, async", True),
        ("3d", "3D copies", True), ("default", "cudaMemcpyDefault", True),
        ("symbol", "to and from symbols", True),
        ("peer", "peer copies", True), ("array", "CUDA arrays", False),
        ("batch", "batched copies", True)):
    # one device is its own peer; devices-peers has two
    program(f"copies-{copy}", words, "copies", copy, simulated=can,
            environment={"CUDA_VISIBLE_DEVICES": "0"})

for mode, words in (("threads", "two devices, a thread each"),
                    ("turns", "two devices, one thread in turns")):
    program(f"devices-{mode}", words, "devices", mode, simulated=True)


def between_devices(bench, mode):
    """Copies from device to device: those that the driver stages in host memory
    have the records of a copy out of the one and a copy into the other."""
    run = bench.both([bench.app("devices"), mode])
    trace = run.traces[0]
    wanted, seen = run.expected(), bench.more_figures(trace)
    staged = sum(link["staged_bytes"]
                 for link in bench.report(trace)["gpu_links"])
    if staged + seen["between"] != wanted["between"]:
        raise Failed(f"{staged} staged and {seen['between']} direct bytes, "
                     f"not {wanted['between']}", trace)
    run.out += f"\nexpect between={seen['between']}".encode()
    figures = bench.check(run)
    asked = [line for line in bench.dump(trace)
             if re.match(r"copycall .* bytes=1048576 .* direction=3 ", line)]
    figures["ways"] = {key: seen[key] for key in seen if "-" in key}
    if not set(figures["ways"]) <= {"0-1", "1-0"}:
        raise Failed(f"not between these devices: {figures}", trace)
    if len(asked) * 1048576 != wanted["between"]:
        raise Failed(f"{len(asked)} calls asked for copies: {figures}", trace)
    return figures


@case("devices-peers", "copies from device to device", simulated=True)
def devices_peers(bench):
    return between_devices(bench, "peers")


@case("devices-peers-access", "the same, with access to each other's memory",
      simulated=True)
def devices_peers_access(bench):
    figures = between_devices(bench, "peers-access")
    if sum(figures["ways"].values()) != figures["between"]:
        raise Failed(f"not from device to device: {figures}")
    return figures


program("devices-managed", "managed memory that two devices use in turns",
        "devices", "managed")


program("host-register",
        "part of a buffer registered, unregistered, used again", "memory",
        "register", simulated=True)
program("device-reset", "cudaDeviceReset, and on", "endings", "reset",
        simulated=True)
program("driver-symbols", "driver API by dlsym, two contexts", "driver",
        "symbols", simulated=True)
program("driver-lookup", "driver API by cuGetProcAddress, two contexts",
        "driver", "lookup", simulated=True)
program("driver-more", "cuLaunchKernelEx, cuMemcpy2DAsync, cuMemcpyDtoDAsync, "
        "cuMemcpyPeerAsync", "driver", "more")


@case("pooled", "memory in stream order: cudaMallocAsync", simulated=True)
def pooled(bench):
    run = bench.both([bench.app("ways"), "pooled", "10"])
    figures = bench.check(run)
    calls = {call: sum(f'"{call}"' in line for line in
                       bench.dump(run.traces[0]) if line.startswith("string"))
             for call in ("cudaMallocAsync", "cudaFreeAsync")}
    if set(calls.values()) != {1} or figures["ops"] < 30:
        raise Failed(f"{calls}, {figures}", run.traces[0])
    return figures


@case("calls", "XFERSPY_MODE=calls: no times of the GPU", simulated=True)
def calls_alone(bench):
    run = serial(bench, "app", 50, XFERSPY_MODE="calls")
    return on_rung(bench, run, "calls", {"gpu_ops_seen": 0, "lost": 0,
                                         "api_calls_seen": 206})


@case("callbacks-taken", "a program that has CUPTI's callbacks from its start",
      simulated=True)
def callbacks_taken(bench):
    """Its own output has numbers of calls, which CUDA itself makes more of."""
    if not os.path.exists(bench.app("second_client")):
        raise Skip("built without the toolkit's CUPTI")
    command = [bench.app("second_client"), "first"]
    plain = bench.plain(command)
    run = bench.run(command, preload=True)
    if run.code != plain.code or len(run.traces) != 1:
        raise Failed(f"ends with {run.code}, {len(run.traces)} traces: "
                     f"{run.err[-300:]}")
    return on_rung(bench, run, "activity", {"gpu_ops_seen": 180, "lost": 0})


def on_rung(bench, run, rung, wanted):
    """The figures of a run whose trace is by less than all of CUPTI."""
    trace = run.traces[0]
    coverage = bench.report(trace)["coverage"]
    seen = {key: coverage[key] for key in wanted}
    if coverage["rung"] != rung or seen != wanted or not coverage["notes"]:
        raise Failed(f"{coverage}, not {rung} and {wanted}", trace)
    return bench.figures(trace)


def plugin_case(name, what, library, simulated):
    @case(name, what, simulated)
    def run(bench):
        return bench.check(bench.both([bench.app("plugin_host"),
                                       bench.app(library)]))
    return run


plugin_case("deepbind", "a plugin with RTLD_DEEPBIND", "plugin.so", True)
plugin_case("deepbind-static", "the same, with a static runtime",
            "plugin-static.so", False)
