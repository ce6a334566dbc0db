# SPDX-License-Identifier: MIT
"""The cases of causes: for what the host waited, in programs that are known."""
import mmap
import re
import resource

from cases import case, expect_ops
from harness import Failed, Skip

ROUNDS = 10
LARGE = 4 << 20 # bytes of a copy in tests/e2e/apps/app.cu
MILLISECOND = 1000000


def slow(bench):
    """On the simulated device, what takes some time on a real one."""
    return {"XS_SIM_GIPS": "0.1", "XS_SIM_PAGEABLE_GBS": "1",
            "XS_SIM_INIT_NS": "50000000"} if bench.simulated else {}


def wait_rows(report, call, calls):
    """The places with so many calls of a function, by line."""
    return sorted((row for row in report["waits"]
                   if row["call"] == call and row["calls"] == calls),
                  key=lambda row: row["line"])


def insist(facts, report, trace):
    """All of them, each a truth by what it is called."""
    wrong = [what for what, true in facts.items() if not true]
    if wrong:
        raise Failed(f"the report lacks: {', '.join(wrong)} "
                     f"{report['totals']} {report['waits']}", trace)


def is_for_half(row, kernel_ns):
    """Whether a place waits mostly for kernels, for about half of all, but for
    what goes by until they begin and until the host goes on: a busy machine is
    at other things meanwhile, and so is a device that runs other programs."""
    idle_ns = row["latency_ns"] + row["host_ns"]
    return row["kernel_ns"] > (row["waited_ns"] - idle_ns) / 2 and \
        kernel_ns * 0.1 < row["kernel_ns"] < kernel_ns * 0.8


@case("waits", "calls that wait for kernels, asked and unasked", simulated=True)
def waits(bench):
    times = 1 if bench.simulated else 50000 # milliseconds
    run = bench.both([bench.app("app"), "waits", str(ROUNDS), str(times)],
                     **slow(bench))
    figures = bench.check(expect_ops(run, 4 * ROUNDS))
    report = bench.report(run.traces[0])
    kernel_ns = report["totals"]["kernel_ns"]
    rows = [wait_rows(report, call, ROUNDS) for call in
            ("cudaFree", "cudaMemcpy", "cudaMemcpyAsync")]
    if [len(found) for found in rows] != [1, 1, 1]:
        raise Failed(f"not a place of each call: {rows}", run.traces[0])
    free, copy, named = (found[0] for found in rows)
    insist({
        "kernels that one waits for": kernel_ns > 2 * ROUNDS * MILLISECOND / 5,
        "cudaFree's wait for half of the kernels": free["hidden"] and
            is_for_half(free, kernel_ns) and "implicitly" in free["text"],
        "cudaMemcpy's wait for the other half": not copy["hidden"] and
            is_for_half(copy, kernel_ns) and
            copy["own_ns"] < copy["kernel_ns"] / 10,
        "copies asynchronous in name only": named["pageable"] and
            "memory is pageable" in named["text"] and
            report["totals"]["pageable_async_ops"] == ROUNDS,
    }, report, run.traces[0])
    return {**figures, "kernel_ns": kernel_ns,
            "free_ns": free["kernel_ns"], "copy_ns": copy["kernel_ns"]}


def counts_faults():
    """Whether this system's kernel counts the page faults of a process."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    with mmap.mmap(-1, LARGE) as memory:
        memory[::mmap.PAGESIZE] = bytes(len(memory) // mmap.PAGESIZE)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt > before


@case("fresh", "copies into memory that was never touched", simulated=True)
def fresh(bench):
    if not counts_faults():
        raise Skip("page faults are not counted here")
    run = bench.both([bench.app("app"), "fresh", str(ROUNDS)], **slow(bench))
    figures = bench.check(expect_ops(run, 1 + 2 * ROUNDS))
    report = bench.report(run.traces[0])
    rows = wait_rows(report, "cudaMemcpy", ROUNDS)
    touched = [row["touched_bytes"] or 0 for row in rows]
    if len(touched) != 2:
        raise Failed(f"not two copies a round: {rows}", run.traces[0])
    # faults of the driver's own threads are not seen
    insist({
        "page faults of the first copy": touched[0] > ROUNDS * LARGE / 2,
        "that the second has none": touched[1] < ROUNDS * LARGE / 20,
    }, report, run.traces[0])
    return {**figures, "touched": touched}


@case("start", "CUDA's start, in the first call, which pins memory",
      simulated=True)
def start(bench):
    run = bench.both([bench.app("app"), "depth", "1"], **slow(bench))
    figures = bench.check(expect_ops(run, 16))
    report = bench.report(run.traces[0])
    found = {key: report["totals"][key] for key in ("init_ns",
                                                    "pinned_alloc_ns")}
    insist({
        "the time of CUDA's start":
            5 * MILLISECOND < found["init_ns"] < report["trace"]["wall_ns"],
        "the time of pinning, apart from it":
            0 < found["pinned_alloc_ns"] < found["init_ns"] / 2,
    }, report, run.traces[0])
    return {**figures, **found}


@case("same-bytes", "copies of the same bytes again (XFERSPY_HASH)",
      simulated=True)
def same_bytes(bench):
    run = bench.both([bench.app("app"), "back", "5"], XFERSPY_HASH="1")
    figures = bench.check(expect_ops(run, 20))
    hashes = [found.group(1) for line in bench.dump(run.traces[0])
              if (found := re.match(r"content .* hash=(\S+)", line))]
    report = bench.report(run.traces[0])
    counted = [[int(number) for number in found.groups()]
               for phase in report["phases"] for row in phase["estimates"]
               if (found := re.search(
                   r"the same bytes again in (\d+) of (\d+) copies in, (\d+) ",
                   row["why"] or ""))]
    # each round: the sum goes in again, b goes in, the new sum comes out
    insist({
        "contents of 15 copies, 6 of them different":
            (len(hashes), len(set(hashes))) == (15, 6),
        "that all inputs were there before, half of them just copied out":
            [8, 8, 4] in counted,
    }, report, run.traces[0])
    return figures


@case("managed", "managed memory, and what of it migrates", simulated=True)
def managed(bench):
    run = bench.both([bench.app("memory"), "managed"])
    figures = bench.check(run)
    report = bench.report(run.traces[0])
    took_ns = report["totals"]["migrated_h2d_ns"]
    insist({"the time that memory migrates for":
            took_ns and 0 < took_ns < report["trace"]["wall_ns"]},
           report, run.traces[0])
    return {**figures, "migrated_ns": took_ns}
