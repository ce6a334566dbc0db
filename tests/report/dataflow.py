#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the edges of report --dataflow with those written down by hand.

    dataflow.py XFERSPY FOLDER

FOLDER has the traces and edges.txt; those of frameworks/ are in examples. Also looks at classes of tasks, at a round
of too many ops, and at a launch with very many addresses.
"""
import json
import pathlib
import resource
import subprocess
import sys
import tempfile

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
LIMIT_S = 30  # processor time of a report
# Of the longest phase. JAX's steps share the weights; what one copies out is not
# copied in again, though its pinned memory is, once.
CLASSES = {"carried-pinned": "true dependent",
           "jax": "sharing read-only input"}


def read(xferspy, trace):
    """Returns the report, and the ops of its dataflow by LINE#N, or by
    FUNCTION#N where no line is known."""
    text = subprocess.run(
        [xferspy, "report", "--machine", "h100", "--dataflow", "--format",
         "json", trace], check=True, capture_output=True, text=True).stdout
    report = json.loads(text)
    places, counts = {}, {}
    for index, op in enumerate(report["dataflow"]["ops"]):
        line = (f"{pathlib.Path(op['file']).name}:{op['line']}"
                if op["file"] else op["function"])
        number = counts.get(line, 0)
        counts[line] = number + 1
        places[f"{line}#{number}"] = index
    return report, places


def check(flow, places, begin, end, kind):
    """Returns what is wrong with an edge, None if nothing is."""
    for place in (begin, end):
        if place not in places:
            return f"there is no {place}"
    found = [edge["kind"] for edge in flow["edges"]
             if edge["from"] == places[begin] and edge["to"] == places[end]]
    found = found[0] if found else "none"
    return None if found == kind else f"{begin} > {end}: {found}, not {kind}"


def text_trace(allocations, calls, ops):
    """Returns a trace with a copy in to the first allocation at 0x700000."""
    return "\n".join([
        "xferspy-text 1",
        "header pid=1 state=1 start_realtime_ns=1000000000 "
        "flush_realtime_ns=1009000000 end_realtime_ns=1009000000",
        "chunk thread=1 base_ns=1000000000",
        'string id=10 text="cudaMemcpy"', 'string id=11 text="cudaLaunch"',
        'string id=12 text="cudaMalloc"', 'string id=50 text="step"',
        "site call_class=1 site=1 function=10",
        "site call_class=5 site=2 function=11",
        "site call_class=7 site=3 function=12",
        "shape registers=32 shape=1 name=50 grid_x=1 grid_y=1 grid_z=1 "
        "block_x=32 block_y=1 block_z=1",
        "queue queue=0 device=0 queue_kind=1 context=1 stream=7",
        *[f"memcall site=3 start=10 duration=10 "
          f"address={0x700000 + 4096 * i} bytes=4096"
          for i in range(allocations)],
        "copycall site=1 correlation=1 start=1000 duration=900 bytes=4096 "
        "dst=0x700000 src=0x10000 rows=1 direction=1",
        *calls,
        "chunk base_ns=1000000000",
        "copy queue=0 correlation=1 start=1100 duration=700 bytes=4096 "
        "direction=1 src_memory=1 dst_memory=3 copies=1",
        *ops, ""])


def dataflow_of(xferspy, text):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as trace:
        trace.write(text)
        trace.flush()
        return subprocess.run([xferspy, "report", "--dataflow", trace.name],
                              check=True, capture_output=True, text=True,
                              preexec_fn=limit).stdout


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_S, LIMIT_S))


def is_short(xferspy):
    """A launch with 100,000 addresses names the first allocations; the time and
    the text are linear."""
    count = 100000
    call = "site=2 correlation=2 start=2000 duration=50"
    calls = [f"call {call}"]
    for i in range(0, count, 4):
        addresses = " ".join(f"address{k}={0x700000 + 4096 * (i + k)}"
                             for k in range(4))
        calls.append(f"pointers {call} known=1 count=65535 {addresses}")
    out = dataflow_of(xferspy, text_trace(count, calls, [
        "kernel queue=0 correlation=2 start=2100 duration=50 shape=1"]))
    return f"and {count - 8} more" in " ".join(out.split())


def is_bounded(xferspy):
    """A round of very many launches has no graph."""
    calls, ops = [], []
    for i in range(40000):
        calls.append(f"call site=2 correlation={i + 2} start={2000 + 100 * i} "
                     "duration=50\n"
                     f"pointers site=2 correlation={i + 2} "
                     f"start={2000 + 100 * i} duration=50 known=1 count=1 "
                     "address0=0x700000")
        ops.append(f"kernel queue=0 correlation={i + 2} "
                   f"start={2100 + 100 * i} duration=50 shape=1")
    return "a round has too many ops" in dataflow_of(
        xferspy, text_trace(1, calls, ops))


def main(xferspy, folder):
    folder = pathlib.Path(folder)
    flows, wrong, count = {}, 0, 0
    for line in (folder / "edges.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        name, begin, end, kind = line.split()
        if name not in flows:
            at = (EXAMPLES / name.replace("/", "/h100/") if "/" in name
                  else folder / name)
            report, places = read(xferspy, f"{at}.xspy")
            flow = report["dataflow"]
            flows[name] = flow, places
            found = report["phases"][0]["task_class"]
            if CLASSES.get(name, found) != found:
                print(f"{name}: the tasks are {found}")
                wrong += 1
            if not 0 < flow["bound_ns"] <= flow["round_ns"]:
                print(f"{name}: the bound is {flow['bound_ns']} ns of "
                      f"{flow['round_ns']}")
                wrong += 1
        text = check(*flows[name], begin, end, kind)
        count += 1
        if text:
            print(f"{name}: {text}")
            wrong += 1
    if not is_bounded(xferspy):
        print("a round of 40,000 launches has a graph")
        wrong += 1
    if not is_short(xferspy):
        print("a launch with many addresses is not shortened")
        wrong += 1
    print(f"{count} edges of {len(flows)} traces, {wrong} wrong")
    return wrong > 0 or count < 20


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
