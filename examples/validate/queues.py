#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures and predicts streams that share hardware queues: rounds of the chain,
stage by stage and piece by piece, with several numbers of queues.

    queues.py measure BUILD > RESULTS.json    on a machine with a GPU
    queues.py check XFERSPY RESULTS.json MACHINE.json TRACE.xspy COUNTERS.xspy

`check` puts each number of queues into the trace, as if the program had run
with it, and prints a table. It exits with 1 if an error is larger than TOLERANCE,
or the mean error larger than MEAN.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

ALL, COPY = "CUDA_DEVICE_MAX_CONNECTIONS", "CUDA_DEVICE_MAX_COPY_CONNECTIONS"
ASKED = [{}, {ALL: 1}, {ALL: 2}, {ALL: 4}, {ALL: 32}, {COPY: 1}, {COPY: 2},
         {COPY: 4}, {COPY: 8}]
SIZE, STREAMS = 134217728, (8, 16)
TOLERANCE, MEAN = 0.12, 0.06


def measure(build):
    chain = os.path.join(build, "examples/validate/chain")
    rows = []
    for asked in ASKED:
        environment = {**os.environ,
                       **{name: str(value) for name, value in asked.items()}}
        done = subprocess.run(
            [chain, "--n", str(SIZE), "--rounds", "20", "--json",
             "--variant", "streams", "--order", "depth,breadth",
             "--streams", ",".join(map(str, STREAMS))],
            env=environment, stdout=subprocess.PIPE, text=True, check=True)
        for line in done.stdout.splitlines():
            row = json.loads(line)
            rows.append({"connections": asked.get(ALL),
                         "copy_connections": asked.get(COPY),
                         **{key: row[key] for key in
                            ("n_streams", "order", "measured_ns",
                             "spread_ns")}})
    print("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]")


class Predictor:
    """Predicts from one trace, as if it had been recorded with other queues."""

    def __init__(self, xferspy, machine, trace, counters):
        self.xferspy = xferspy
        self.options = ["--machine", machine, "--counters", counters]
        # without the size of the chunk, because records are appended to it
        self.text = re.sub(" used_bytes=[0-9]+", "", self.run("dump", trace))
        self.known = {}

    def run(self, *arguments):
        return subprocess.run([self.xferspy, *arguments], check=True,
                              stdout=subprocess.PIPE, text=True).stdout

    def estimates(self, asked, n_streams):
        key = (*sorted(asked.items()), n_streams)
        if key not in self.known:
            infos = "".join(f'info text="{name}={value}"\n'
                            for name, value in asked.items())
            with tempfile.TemporaryDirectory() as folder:
                text = os.path.join(folder, "trace.txt")
                with open(text, "w", encoding="utf-8") as file:
                    file.write(self.text + infos)
                report = json.loads(self.run(
                    "report", "--format", "json", *self.options, "--streams",
                    str(n_streams), text))
            phase = max(report["phases"], key=lambda phase: phase["total_ns"])
            self.known[key] = phase["estimates"]
        return self.known[key]

    def round_ns(self, row):
        asked = {name: row[key] for name, key in
                 ((ALL, "connections"), (COPY, "copy_connections"))
                 if row[key]}
        return next(
            estimate["round_ns"]
            for estimate in self.estimates(asked, row["n_streams"])
            if (estimate["strategy"], estimate["model"], estimate["order"],
                estimate["n_streams"]) ==
            ("streams", "replay", row["order"], row["n_streams"]))


def check(xferspy, results, *rest):
    predictor = Predictor(xferspy, *rest)
    errors = []
    with open(results, encoding="utf-8") as file:
        rows = json.load(file)
    print("connections  of copies  streams  order    measured  predicted")
    for row in rows:
        predicted = predictor.round_ns(row)
        errors.append(predicted / row["measured_ns"] - 1)
        print(f"{row['connections'] or 'default':>11}  "
              f"{row['copy_connections'] or 'default':>9}  "
              f"{row['n_streams']:>7}  {row['order']:<7}  "
              f"{row['measured_ns'] / 1e6:5.2f} ms   {predicted / 1e6:5.2f} ms"
              f"  {errors[-1]:+6.1%}")
    mean = sum(map(abs, errors)) / len(errors)
    largest = max(errors, key=abs)
    print(f"{len(errors)} rows, mean error {mean:.1%}, largest {largest:+.1%}")
    return mean > MEAN or abs(largest) > TOLERANCE


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "measure":
        measure(sys.argv[2])
    elif len(sys.argv) == 7 and sys.argv[1] == "check":
        sys.exit(check(*sys.argv[2:]))
    else:
        sys.exit(__doc__)
