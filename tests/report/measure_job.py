#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures a report on a job of many ranks: digests, their merging, the report on what is
merged. The traces, of xs_mktrace, are made and deleted in turn, so that few are on the
disk. Prints processor time and the peak of memory. 10^9 ops by default: on 16 cores some
minutes and 15 GB in the current folder.

    measure_job.py BUILD [RANKS [ROUNDS]]
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile
import time

BUILD = pathlib.Path(sys.argv[1]).resolve()
RANKS, ROUNDS = (int(word) for word in (*sys.argv[2:], *"1024 333333".split()
                                         [len(sys.argv) - 2:]))
XFERSPY, MKTRACE = BUILD / "bin/xferspy", BUILD / "tests/analyzer/xs_mktrace"
CORES = len(os.sched_getaffinity(0))


def run(*command, out=None):
    """Returns seconds, seconds of processor time, and MiB of the peak."""
    began = time.time()
    with subprocess.Popen([*map(str, command)], stdout=out or subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, command
    return time.time() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def make(path, rank):
    """Makes the trace of a rank: nodes of 8, the last rank is slow, two NUMA nodes."""
    rounds = ROUNDS + rank % 3 + (ROUNDS // 2 if rank == RANKS - 1 else 0)
    run(MKTRACE, "-r", rounds, *(word for info in (
        f"rank={rank}", f"ranks={RANKS}", f"host=node{rank // 8}",
        f"numa_node={rank // 4 % 2}", "app=/opt/heat -n 5") for word in ("-i", info)), path)
    return path


def digest(folder, rank):
    path = make(folder / f"{rank:04}.xspy", rank)
    size = path.stat().st_size
    used = run(XFERSPY, "digest", path, "-o", path.with_suffix(".digest"))
    path.unlink()
    return (*used, size / 1e6)


def at_once(function, ranks):
    with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
        return list(pool.map(function, ranks))


def tell(what, used):
    print(f"{what}: {used[0]:.2f} s, {used[1]:.2f} s of processor time, {used[2]:.0f} MiB",
          flush=True)


def map_and_merge(folder):
    began = time.time()
    rows = at_once(lambda rank: digest(folder, rank), range(RANKS))
    cpu = sorted(row[1] for row in rows)
    print(f"map, {CORES} at a time, {RANKS} traces of {3 * ROUNDS} ops and "
          f"{max(row[3] for row in rows):.0f} MB: {time.time() - began:.1f} s with the making; "
          f"a digest {min(cpu):.2f} to {max(cpu):.2f} s of processor time, mean "
          f"{sum(cpu) / RANKS:.2f} s, all {sum(cpu):.0f} s; peak of "
          f"{max(row[2] for row in rows):.0f} MiB", flush=True)
    merged = folder / "all"
    tell("reduce, one process", run(XFERSPY, "merge", *folder.glob("*.digest"), "-o", merged))
    largest = max(path.stat().st_size for path in folder.glob("*.digest"))
    print(f"a digest: at most {largest} bytes; all: {merged.stat().st_size} bytes")
    tell("report on all", run(XFERSPY, "report", merged, "-o", folder / "text"))
    print((folder / "text").read_text(), flush=True)


def main():
    with tempfile.TemporaryDirectory(dir=".") as name:
        map_and_merge(pathlib.Path(name))


if __name__ == "__main__":
    main()
