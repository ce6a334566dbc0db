#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rows of each kind that follow the terms are predicted exactly, and one that does not
is seen in its kind alone.

    test_putget.py FOLDER-OF-PREDICT XFERSPY
"""
import json
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile

FOLDER, XFERSPY = pathlib.Path(sys.argv[1]), sys.argv[2]
sys.path.insert(0, str(FOLDER))
import predict  # noqa: E402 pylint: disable=wrong-import-position,import-error

SIZES = [8 * 4 ** i for i in range(6)]
L2_BYTES = 1 << 16
PROFILE = {"poll_system_ns": 1200, "poll_device_ns": 100, "flag_ns": 550,
           "poll_host_ns": 50, "store_64_ns": 600, "proxy_ns": 100,
           "g_load_ns": 1500, "g_store_ns": 700, "block_load": 0.1,
           "block_store": 0.1, "block_store_far": 0.3, "mapped_read": 0.02,
           "mapped_write": 0.02,
           "call_launch_ns": 3000, "launch_latency_ns": 4000, "sync_ns": 1000,
           "call_copy_async_ns": 2000, "g_h2d_ns": 3000, "g_d2h_ns": 2500,
           "lo_h2d_ns": 5000, "lo_d2h_ns": 5000, "G_h2d": 0.02, "G_d2h": 0.02,
           "lo_peer_ns": 4000, "G_peer": 0.005}
# What is left without bytes and k G, out by one block.
TIMES = {("ping-pong", "host", None): (13000, 0.02),
         ("ping-pong", "assisted", "system"): (7800, 0.02),
         ("ping-pong", "direct", "system"): (2400, 0.1),
         ("ping-pong", "direct", "device"): (6300, 0.1),
         ("streaming", "host", None): (2500, 0.02),
         ("streaming", "assisted", "system"): (7800, 0.02),
         ("streaming", "direct", "system"): (700, 0.1)}


def row_of(kind, size, ns=None, **changes):
    fixed, slope = TIMES[kind]
    return dict(zip(("pattern", "control", "polled"), kind), direction="d2h",
                blocks=1, bytes=size, median_ns=ns or fixed + slope * size) | changes


def others():
    """Rows whose time is not a line of the above, by hand."""
    stored = "ping-pong", "direct", "system"
    streamed = "streaming", "direct", "system"
    half = L2_BYTES // 2
    yield from (  # a source in half of the L2 cache, in all of it, and beyond
        row_of(stored, half), row_of(stored, L2_BYTES, 2400 + 0.2 * L2_BYTES),
        row_of(stored, 4 * L2_BYTES, 2400 + 0.3 * 4 * L2_BYTES),
        # two kernels stream twice as much, each half of it
        row_of(streamed, L2_BYTES, 350 + 0.15 * L2_BYTES, kernels=2),
        # loads in flight take the link alone; 16 blocks have 128 KiB in flight
        row_of(stored, 8192, 3600 + 0.02 * 8192, direction="h2d"),
        row_of(stored, 8192, 3600 + 0.02 * 8192, direction="h2d", blocks=16),
        row_of(stored, L2_BYTES, 3600 + 0.1 * (L2_BYTES - 8192), direction="h2d"),
        # beside others, a block's bytes are a sum with its latency, and hide a part
        # of it where they take longer, in loads alone
        row_of(streamed, 4096, 93.75 + 81.92, direction="h2d", blocks=16),
        row_of(streamed, 8192, 93.75 * 93.75 / 163.84 + 163.84, direction="h2d",
               blocks=16),
        row_of(streamed, 8192, 43.75 + 163.84, blocks=16),
        # the host thread serves one block after the other
        row_of(("streaming", "assisted", "system"), 8, 6100.16, blocks=2))


def peers():
    """Between two GPUs the link is another one: copies, loads in flight, and stores
    that are limited by one block, and by the link."""
    for kind, direction, blocks, ns in (
            (("ping-pong", "host", None), "put", 1, 12000 + 0.005 * 8192),
            (("ping-pong", "direct", "system"), "get", 1, 3600 + 0.005 * 8192),
            (("ping-pong", "direct", "system"), "put", 1, 2400 + 0.1 * 8192),
            (("ping-pong", "direct", "system"), "put", 32, 2400 + 0.005 * 8192)):
        yield row_of(kind, 8192, ns, direction=direction, blocks=blocks)


def run(rows, lacks=None, stdout=subprocess.PIPE, option="--check"):
    """Runs predict.py on rows, or on a text, with a profile that lacks something."""
    with tempfile.TemporaryDirectory() as folder:
        machine = pathlib.Path(folder) / "machine.json"
        machine.write_text(json.dumps({
            "schema": 1, "name": "none", "source": "file", "l2_bytes": L2_BYTES,
            "parameters": {name: {"value": ns} for name, ns in PROFILE.items()
                           if name != lacks}}))
        path = pathlib.Path(folder) / "rows.json"
        path.write_text(rows if isinstance(rows, str) else
                        json.dumps({"gpu": "none", "rows": rows}))
        return subprocess.run([FOLDER / "predict.py", option, "--xferspy", XFERSPY,
                               "--machine", machine, path], stdout=stdout,
                              stderr=subprocess.PIPE, text=True, check=False)


def is_refused(what, done):
    """Whether it ends with 2 and one line that says what is wrong."""
    return check(what, done.returncode == 2 and done.stderr.count("\n") == 1
                 and what in done.stderr, f"{done.returncode}: {done.stderr}")


def of_another_program(folder):
    """Runs initiated/predict.py on traces that are cut, and of another program."""
    data = FOLDER.parent / "initiated/h200-2"
    for name, cut in ("halo.xspy", 1000), ("levels.xspy", None):
        there = pathlib.Path(folder) / f"initiated-{name}"
        shutil.copytree(data, there)
        (there / "halo.xspy").write_bytes((data / name).read_bytes()[:cut])
        yield "halo.xspy: damaged, or of another program", subprocess.run(
            [sys.executable, "-B", FOLDER.parent / "initiated/predict.py",
             "--xferspy", XFERSPY, there], stderr=subprocess.PIPE, text=True, check=False)


def wrong_files():
    """Runs the scripts on what they cannot use."""
    rows = [row_of(("ping-pong", "direct", "system"), size) for size in SIZES]
    damaged = [dict(rows[0], bytes=None), dict(rows[0], median_ns=0), 7,
               dict(rows[0], median_ns="1"), dict(rows[0], direction="up"),
               dict(rows[0], median_ns=True), dict(rows[0], median_ns=math.nan),
               dict(rows[0], bytes=True), dict(rows[0], bytes=10 ** 400),
               dict(rows[0], median_ns=1e-300), dict(rows[0], median_ns=1e300),
               dict(rows[0], polled=None), dict(rows[0], control=[]), dict(rows[0], control="host", polled="device")]
    yield "no rows of putget", run([])
    yield "nothing to check", run(rows[:1])
    yield "nothing to check", run(rows)  # one control
    yield "row 2 is there twice", run(rows[:1] * 2)
    of_pattern = {pattern: [row_of(kind, size) for kind in TIMES for size in SIZES
                            if kind[0] == pattern] for pattern in predict.PATTERNS}
    yield "nothing to check in ping-pong", run(of_pattern["streaming"])
    yield "nothing to check in streaming", run(of_pattern["ping-pong"])
    yield "the profile lacks flag_ns", run(rows, "flag_ns")
    yield "the profile lacks G_peer", run(list(peers()), "G_peer")
    yield "No space left", run(
        rows, stdout=open("/dev/full", "w", encoding="utf-8"), option="--rows")
    for row in damaged:
        yield "row 2 is not of putget", run([rows[0], row])
    named = json.dumps({"gpu": "\x1b[31m", "rows": rows})
    yield "its GPU has no name of putget", run(named)
    for text in "[]", "{}", '{"rows": 1}', '"rows"':
        yield "no rows of putget", run(text)
    for text in "{'rows': []}", "[" * 100000, "\x80":
        yield "rows.json: not JSON", run(text)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "file.json"
        path.write_text('{"rows": [{}]}')
        times = pathlib.Path(folder) / "times.jsonl"
        for text, what in (
                ("", "nothing is predicted"), ("[]", "line 1"), ("{}", "line 1"), ("{", "line 1"),
                *((f'{{"program": "a", "way": "flags", "median_ns": {ns}}}',
                   "times.jsonl: line 1 is not of a program") for ns in ("true", "NaN", "0")),
                ('{"program": "a", "way": "up", "median_ns": 1}', "line 1"),
                ("[" * 100000, "line 1"), ("\udc80", "times.jsonl: line 1 is not JSON"),
                ('{"program": "\\u0000", "way": "flags", "median_ns": 1}', "line 1"),
                ("\n".join(f'{{"program": "{of}", "way": "{way}", "median_ns": 9{more}}}'
                           for of, more in (("a", ', "round_ns": 5, "host_ns": 4'), ("b", ""))
                           for way in ("copies", "flags")),
                 "times.jsonl: b has no way copies, or other times"),
                *((f'{{"program": "a", "way": "flags", "median_ns": 1, "{key}": {ns}}}',
                   "line 1 is not of a program") for key in ("round_ns", "host_ns")
                  for ns in ("NaN", "-5", "1e300", "true", '"7"', "0", "5")),
                ('{"program": "a", "way": "flags", "median_ns": 1, "host_ns": []}', "line 1"),
                ('{"program": "a", "way": "flags", "median_ns": 1}',
                 "times.jsonl: a has no way copies, or")):
            times.write_text(text, errors="surrogateescape")
            yield what, subprocess.run(
                [sys.executable, "-B", FOLDER.parent / "initiated/predict.py",
                 "--xferspy", XFERSPY, folder], stderr=subprocess.PIPE, text=True,
                check=False)
        times.unlink()
        peer, lines = FOLDER / "h200/peer.json", folder / pathlib.Path("put.jsonl")
        lines.write_text('{"way": "nccl", "blocks": 0, "bytes": 8, "median_ns": 1}\n' * 2)
        yield "put.jsonl: a row is of another program, or there twice", subprocess.run(
            [sys.executable, "-B", FOLDER / "peers.py", peer, path, lines],
            stderr=subprocess.PIPE, text=True, check=False)
        few = pathlib.Path(folder) / "few.json"
        few.write_text(json.dumps({"rows": [
            dict(row, bytes=row["bytes"] if row["peer_access"] else 3 * row["bytes"])
            for row in json.loads(peer.read_text())["rows"]]}))
        yield "few.json", subprocess.run(
            [sys.executable, "-B", FOLDER / "peers.py", few, FOLDER / "h200/machine-2.json",
             FOLDER / "h200/device_put.jsonl"],
            stderr=subprocess.PIPE, text=True, check=False)
        lines.write_text("[" * 100000)
        yield "put.jsonl: line 1 is not JSON", subprocess.run(
            [sys.executable, "-B", FOLDER / "peers.py", peer, path, lines],
            stderr=subprocess.PIPE, text=True, check=False)
        yield "x-system.xspy: not of putget system, device", subprocess.run(
            [sys.executable, "-B", FOLDER / "counted.py", "--xferspy", XFERSPY,
             shutil.copy(FOLDER.parent / "initiated/h200-2/halo-counters.xspy",
                         path.with_name("x-system.xspy"))],
            stderr=subprocess.PIPE, text=True, check=False)
        yield from of_another_program(folder)
        for script, *arguments in (
                (FOLDER / "peers.py", path, path, path),
                (FOLDER.parent / "initiated/predict.py", "--xferspy", XFERSPY, folder)):
            yield script.name, subprocess.run([sys.executable, "-B", script, *arguments],
                                              stderr=subprocess.PIPE, text=True,
                                              check=False)


def off(output):
    """Returns the kinds with an error by each prediction, and how many there are."""
    kinds, by, count = [], None, 0
    for line in output.splitlines():
        if line.startswith("predicted by"):
            by = line.split()[-1]
        elif line.endswith("%"):
            words = line.split()
            count += 1
            if {words[-3], words[-1]} != {"0.0%"}:
                kinds.append((by, *(None if word == "-" else word for word in words[:3])))
    return kinds, count


def check(what, right, output):
    if not right:
        print(what, output, sep="\n")
    return right


def main():
    rows = [row_of(kind, size) for kind in TIMES for size in SIZES]
    exact, more = run(rows), run(list(others()), option="--rows")
    right = check("exact", exact.returncode == 0 and off(exact.stdout) ==
                  ([], 2 * len(TIMES)), exact.stdout)
    # each is a line of its own, which is not what is tested
    kinds, count = off(more.stdout)
    right &= check("others", count == 5 and "parameters" not in
                   {kind[0] for kind in kinds}, more.stdout)
    between = run(list(peers()), option="--rows")
    right &= check("peers", off(between.stdout) == ([], 2), between.stdout)
    for i, kind in enumerate(TIMES):
        wrong = [dict(row) for row in rows]
        wrong[i * len(SIZES) + 1]["median_ns"] *= 1.4
        seen = run(wrong)
        right &= check(f"{kind}, wrong", seen.returncode == 3 and set(
            off(seen.stdout)[0]) == {("parameters", *kind), ("line", *kind)}, seen.stdout)
    # orders are of two controls whose times differ by more than 3 %
    pair = [row_of(kind, 8, line=ns) for kind, ns in
            ((("streaming", "host", None), 1), (("streaming", "direct", "system"), 2),
             (("streaming", "assisted", "system"), 3))]
    right &= check("orders", predict.orders(pair, "line") == (2, 3), "")
    start, slope = predict.fit_line([(8, 116), (64, 228), (512, 1124)])
    right &= check("line", abs(start - 100) + abs(slope - 2) < 1e-9, "")
    right &= all([is_refused(*one) for one in wrong_files()])
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
