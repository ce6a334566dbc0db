#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rows that follow the terms are predicted exactly; one that does not meets no target.

    test_putget.py FOLDER-OF-PREDICT
"""
import json
import pathlib
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(sys.argv[1])
SIZES = [8 * 4 ** i for i in range(6)]
PARAMETERS = {"poll_system_ns": 1200, "store_64_ns": 600, "proxy_ns": 100,
              "launch_signal_ns": 7000, "mailbox_1_ns": 1800,
              "mailbox_device_1_ns": 4000, "mailbox_16_ns": 1800,
              "G_h2d_16": 0.021, "G_h2d_32": 0.02, "G_d2h_32": 0.02,
              "G_d2h_1_of_4": 0.1, "G_d2h_1_of_128": 0.3}
L2_BYTES = 1 << 16
for direction in "h2d", "d2h":
    PARAMETERS |= {f"copy_wait_{direction}_ns": 6000,
                   f"copy_each_{direction}_ns": 2000,
                   f"G_{direction}_copy": 0.02, f"G_{direction}_1": 0.1}
# k G, and what is left without bytes
TIMES = {("ping-pong", "host", None): (13000, 0.02),
         ("ping-pong", "assisted", "system"): (7800, 0.02),
         ("ping-pong", "direct", "system"): (2400, 0.1),
         ("ping-pong", "direct", "device"): (4600, 0.1),
         ("streaming", "assisted", "system"): (7800, 0.02),
         ("streaming", "direct", "system"): (600, 0.1)}


PROFILE = {"poll_system_ns": 1200, "poll_device_ns": 100, "flag_ns": 550,
           "poll_host_ns": 50, "store_64_ns": 600, "proxy_ns": 100,
           "g_load_ns": 1500, "g_store_ns": 700, "block_load": 0.1,
           "block_store": 0.1, "block_store_far": 0.3, "mapped_read": 0.02,
           "mapped_write": 0.02,
           "call_launch_ns": 3000, "launch_latency_ns": 4000, "sync_ns": 1000,
           "call_copy_async_ns": 2000, "g_h2d_ns": 3000, "g_d2h_ns": 2500,
           "lo_h2d_ns": 5000, "lo_d2h_ns": 5000, "G_h2d": 0.02, "G_d2h": 0.02}


def row_of(kind, size):
    fixed, slope = TIMES[kind]
    return dict(zip(("pattern", "control", "polled"), kind), direction="d2h",
                blocks=1, bytes=size, median_ns=fixed + slope * size)


def run(rows, profile=None):
    data = {"gpu": "none", "l2_bytes": L2_BYTES, "rows": rows,
            "parameters": {name: [value, value, value]
                           for name, value in PARAMETERS.items()}}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "rows.json"
        path.write_text(json.dumps(data))
        command = [FOLDER / "predict.py", "--rows", "--check", path]
        if profile:
            machine = pathlib.Path(folder) / "machine.json"
            entries = {name: {"value": value} for name, value in profile.items()}
            cache = {"l2_bytes": L2_BYTES} if "block_store_far" in profile else {}
            machine.write_text(json.dumps(cache | {"parameters": entries}))
            command += ["--machine", machine]
        return subprocess.run(command, stdout=subprocess.PIPE, text=True,
                              check=False)


def main():
    rows = [row_of(kind, size) for kind in TIMES for size in SIZES]
    exact = run(rows)
    errors = [line for line in exact.stdout.splitlines()
              if line.endswith("%") and "   0.0%" not in line]
    # loads that fit in flight take their latency, and their bytes the link
    load = dict(rows[2 * len(SIZES)], direction="h2d", median_ns=3600)
    many = dict(load, blocks=16, bytes=16 * 8192, median_ns=6221)
    loaded = run([load, many])
    # what a block stores comes from one half of the L2 cache, from all of it, or from
    # memory, also where that shows in every second size alone
    stores = [row_of(("ping-pong", "direct", "system"), 8 * 4 ** i)
              for i in range(9)]
    for row, G in zip(stores[6:], (0.1, 0.3, 0.3)):
        row["median_ns"] = 2400 + G * row["bytes"]
    stores.append(dict(stores[0], bytes=L2_BYTES, median_ns=2400 + 0.2 * L2_BYTES))
    stored = run(stores)
    # so are all streams together, each a kernel
    kernels = dict(stores[0], pattern="streaming", kernels=2, bytes=L2_BYTES,
                   median_ns=300 + L2_BYTES * 0.15)
    del kernels["blocks"]
    streamed_out = run([kernels])
    # beside others, a block's bytes are a sum with its latency, and hide a part of it
    # where they take longer, in loads alone
    stream = dict(load, pattern="streaming", blocks=16, bytes=8192, median_ns=241)
    overlapped = run([stream, dict(stream, direction="d2h", median_ns=201),
                      dict(stream, bytes=4096, median_ns=194)])
    # a profile has the gaps, too
    streamed = dict(load, pattern="streaming", blocks=1, bytes=8192,
                    median_ns=1500 + 8192 * 0.02)
    copies = dict(streamed, control="host", polled=None,
                  median_ns=3000 + 8192 * 0.02)
    profiled = run(rows[:len(SIZES) * 3] + [streamed, copies], PROFILE)
    # one of an earlier calibration knows one source of stores
    earlier = run(rows[:len(SIZES) * 3] + [streamed, copies], {
        name: value for name, value in PROFILE.items() if name != "block_store_far"})
    off = [line for line in profiled.stdout.splitlines()
           if line.endswith("%") and "   0.0%" not in line]
    rows[1]["median_ns"] *= 1.4
    wrong = run(rows)
    far = [line for line in (stored.stdout + streamed_out.stdout).splitlines()
           if line.endswith("%") and "   0.0%" not in line]
    if exact.returncode == 0 and not errors and wrong.returncode == 3 \
            and not off and not far \
            and earlier.stdout.splitlines()[1:] == profiled.stdout.splitlines()[1:] \
            and "3600         3600" in loaded.stdout \
            and "6221         6221" in loaded.stdout \
            and all(f"{ns}          {ns}" in overlapped.stdout
                    for ns in (241, 201, 194)):
        return 0
    print(exact.stdout, loaded.stdout, profiled.stdout, wrong.stdout,
          stored.stdout, streamed_out.stdout, overlapped.stdout, sep="\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
