#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A job of many ranks, whose traces xs_mktrace writes: the report on their folder is
that on their merged digests, in whatever order and groups these were merged. A rank
without a trace, a slow one, a killed one, a damaged one, another program's trace and one
given twice are named. measure_job.py measures.

    job_traces.py XFERSPY XS_MKTRACE
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

XFERSPY, MKTRACE = sys.argv[1:3]
RANKS, ROUNDS = 64, 40
MISSING, SLOW, KILLED, DAMAGED, OTHER = 17, 5, 9, 33, 40
MERGED_KB = 400  # of any number of traces


def run(*command, code=0):
    done = subprocess.run([*map(str, command)], capture_output=True)
    assert done.returncode == code, (command[:4], done.returncode, done.stderr[-500:])
    return done.stdout


def make(folder):
    for rank in range(RANKS):
        path = folder / f"{rank:04}.xspy"
        rounds = 2 * ROUNDS if rank == SLOW else ROUNDS + rank % 3
        if rank != MISSING:
            run(MKTRACE, "-r", rounds, "-i", f"rank={rank}", "-i",
                f"ranks={RANKS}", "-i", f"host=node{rank // 8}", "-i",
                f"numa_node={rank // 4 % 2}", "-i",
                "app=./other" if rank == OTHER else "app=/opt/heat -n 5", path)
    # the state in the header: running
    text = run(XFERSPY, "dump", folder / f"{KILLED:04}.xspy").decode()
    (folder / "text").write_text(text.replace("state=1", "state=0", 1))
    run(XFERSPY, "dump", "--read", folder / "text", "-o", folder / f"{KILLED:04}.xspy")
    (folder / "text").unlink()
    (folder / f"{DAMAGED:04}.xspy").write_bytes(b"no trace")
    (folder / "twice.xspy").write_bytes((folder / "0000.xspy").read_bytes())


def merge_in_groups(folder, paths, order):
    """Merges as many as eight at a time, in another order."""
    random.Random(order).shuffle(paths)
    level = 0
    while len(paths) > 1:
        merged = []
        for at in range(0, len(paths), 8):
            out = folder / f"{order}-{level}-{at}.merged"
            run(XFERSPY, "merge", *paths[at:at + 8], "-o", out)
            merged.append(out)
        paths, level = merged, level + 1
    return paths[0].read_bytes()


def map_all(traces):
    digests = []
    for trace in traces:
        digests.append(trace.with_suffix(".digest"))
        run(XFERSPY, "digest", "--machine", "h200", trace, "-o", digests[-1])
    return digests


def check(job):
    """Compares the report with what was made."""
    problems = {row["what"]: row["traces"] for row in job["problems"]}
    assert problems == {"unreadable": 1, "duplicate": 1, "incomplete": 1,
                        "other program": 1}, problems
    assert job["traces"] == RANKS - 4 and job["program"] == "heat", job
    assert job["ranks"] == RANKS, job["ranks"]
    assert job["missing"] == f"{KILLED}, {MISSING}, {DAMAGED}, {OTHER}", job["missing"]
    assert f"rank {SLOW} on" in job["slowest"][0]["name"], job["slowest"][0]
    assert job["slowest"][0]["why"], job["slowest"][0]
    assert len(job["hosts"]) == min(RANKS // 8, 256), job["hosts"]
    assert len(job["kinds"]) == 2 and len(job["phases"]) == 1, job["phases"]
    assert 0 < job["saves_ns"] < job["wall_ns"]["most"], job


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make(folder)
        text = run(XFERSPY, "report", "--machine", "h200", "--format", "json", folder, code=2)
        job = json.loads(text)["job"]
        check(job)
        traces = [path for path in sorted(folder.glob("*.xspy"))
                  if path.stem not in ("twice", f"{DAMAGED:04}")]
        digests = map_all(traces)
        out = folder / "all.merged"
        run(XFERSPY, "merge", *digests, "-o", out)
        merged = out.read_bytes()
        assert len(merged) <= MERGED_KB * 1000, len(merged)
        for order in range(3):
            assert merge_in_groups(folder, list(digests), order) == merged, order
        again = json.loads(run(XFERSPY, "report", "--format", "json", out))["job"]
        job["problems"] = [row for row in job["problems"]
                           if row["what"] not in ("unreadable", "duplicate")]
        assert again == job, (again, job)


if __name__ == "__main__":
    main()
