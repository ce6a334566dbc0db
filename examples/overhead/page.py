#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes docs/overhead.md, and costs in README, from measure.py's results.

These are MACHINE.json, or MACHINE-HOST-GPU.json of several hosts and of several
GPUs of each, since hosts of one kind may differ by more than what is measured:
the quietest host's come first. Pairs of runs that show what light costs, measured
by themselves, are beside them in light/MACHINE-HOST-GPU.json. What was found out
about a machine's figures by other means is in MACHINE.md, and ends the page.
"""
import argparse
import pathlib

from figures import (LEAST_FOR_HALF, NONE, WAYS, added, duration, share_of,
                     table, with_error, wrap)
from found import Found, merged
from light import alongs, length_section, pairs_of
from stepped import instruction_section

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# The part, which of its times, what it is called
ROWS = (("launch", "call_ns", "launch"),
        ("static", "call_ns", "launch, static CUDA runtime"),
        ("copy", "call_ns", "`cudaMemcpyAsync`, 4 KiB"),
        ("copy", "done_ns", "the same, until all are done"),
        ("sync", "call_ns", "launch + stream sync"),
        ("threads", "done_ns", "launch, 64 threads at once"),
        ("graph", "call_ns", "replay of a graph of 22 ops"),
        ("graph", "done_ns", "the same, until all are done"),
        ("torch", "call_ns", "PyTorch training step"))
SHORT = ("copy", "sync", "graph")  # have "rounds_short" runs of each way a turn
OF_ONE_RUN = {"threads": "64 threads", "torch": "the training step"}
QUIET_ROWS = tuple((part, "quiet_ns", f"{name}, quiet")
                   for part, time, name in ROWS if time == "call_ns")
RECORDS = {
    "nothing": "the program alone.",
    "records": """a library that has CUPTI record each kernel and copy, also
        each of a graph, and throws the records away: what any tool pays that
        times each op on the GPU. It knows of no call.""",
    "xferspy": """each call with its place in the program, and each op, also
        each of a graph.""",
    "nsys": """`nsys profile -t cuda`: each call, without its place, and each
        op; but the launch of a graph is one item, whatever is in it.""",
    "nsys-node": """the same with `--cuda-graph-trace=node`: each op of a graph
        has an item of its own, as it has with xferspy. Of graphs alone.""",
    "light": """`XFERSPY_MODE=light`: the first 10,000 calls as above, 10,000
        more where the program does something new, 1,000 now and then (eight
        seconds apart at least where calls come as fast as here), and of all
        others exact counts and bytes."""}
BEGIN, END = "<!-- overhead: page.py -->\n", "<!-- overhead: end -->\n"


def times_of(results, way, part, time, of="host_ns"):
    """Median and middle half, or None."""
    return results[of].get(way, {}).get(part, {}).get(time)


def more_text(plain, more):
    return f"{duration(more, '+')}, {1 + more / plain:.2f}x"


def cell(results, way, part, time):
    """The time with nothing; of the others what they add, and the ratio."""
    plain = times_of(results, "nothing", part, time)
    if plain and way == "nothing":
        return duration(plain["median"])
    more = times_of(results, way, part, time, "host_more_ns")
    if not plain or not more:
        return NONE
    return more_text(plain["median"], more["median"])


def quiet_cell(results, way, part, time):
    """The same of each way's lower quartile: which runs are slow differs."""
    plain, mine = (times_of(results, each, part, time)
                   for each in ("nothing", way))
    if not plain or not mine:
        return NONE
    if way == "nothing":
        return duration(plain["low"])
    return more_text(plain["low"], mine["low"] - plain["low"])


def spread(results, way, part, time):
    """Where the middle half of the turns lies."""
    mine = times_of(results, way, part, time)
    return f"{duration(mine['low'])} – {duration(mine['high'])}" \
        if mine else NONE


def ways_of(results):
    return [way for way in WAYS if way in results["host_ns"]]


def rows_of(results, rows=ROWS):
    return [row for row in rows if times_of(results, "nothing", *row[:2])]


def host_lines(results, rows, show=cell, ways=None):
    ways = ways or ways_of(results)
    return table(["", *(WAYS[way] for way in ways)],
                 [[name, *(show(results, way, part, time) for way in ways)]
                  for part, time, name in rows])


def trace_lines(results):
    return table(["", "launches", "copies"],
                 [[WAYS[way], *(f"{sizes[part]:.1f}" if part in sizes else NONE
                                for part in ("launch", "copy"))]
                  for way, sizes in results["trace_bytes_per_op"].items()])


def run_ms(found):
    if not found:
        return NONE
    digits = 1 if found["median"] >= 10 else 2
    return (f"{found['median']:.{digits}f} ms ({found['low']:.{digits}f} – "
            f"{found['high']:.{digits}f})")


def more_ms(found):
    """What a way adds, and whether that is more than its spread."""
    if not found:
        return NONE
    digits = 1 if abs(found["median"]) >= 10 else 2
    text = (f"{found['median']:+.{digits}f} ms ({found['low']:+.{digits}f} to "
            f"{found['high']:+.{digits}f})")
    if found["high"] - found["low"] > abs(found["median"]):
        text += ", within its spread"
    return text


def startup_lines(results):
    rows = []
    for way in WAYS:
        cells = []
        for name in ("cuda", "no_cuda"):
            more = results.get("startup_more_ms", {}).get(name, {})
            cells += [run_ms(results["startup_ms"].get(name, {}).get(way)),
                      more_ms(more.get(way))]
        if set(cells) != {NONE}:
            rows.append([WAYS[way], *cells])
    return table(["", "`cudaFree(0)`", "more", "`/bin/true`", "more"], rows)


def machine_text(results):
    versions = [f"{name} {results[key]}" for name, key in
                (("driver", "driver"), ("CUDA", "cuda"), ("CUPTI", "cupti"))
                if results.get(key)]
    if results.get("nsys"):
        versions.append(f"nsys {results['nsys'].split()[-1]}")
    return (f"Measured on {results['date']}: {results['gpu']}, "
            f"{results['cpu']}, {', '.join(versions)}.")


def head(found, results):
    return [
        "# What xferspy costs", "",
        wrap(f"""{machine_text(results)} The ways take turns in one run, in
        another order each time, so that a slow minute hits them all; every
        figure is the median of {turns_text(found.mine)}.
        {host_text(found)}Written by `examples/overhead/page.py` from what
        `examples/overhead/measure.py` measured. On a machine with a GPU:"""),
        "", "    examples/overhead/measure.py build",
        "    examples/overhead/page.py "
        "examples/overhead/results/MACHINE*.json", ""]


def turns_text(several):
    turns = " or ".join(sorted({str(results["turns"]) for results in several}))
    plural = "" if turns == "1" else "s"
    text = f"{turns} turn{plural}{rounds_text(several[0])}"
    if len(several) == 1:
        return text
    return f"""the medians of {len(several)} GPUs, measured at a time, each with
        cores of its own, in {text}"""


def rounds_text(results):
    rounds = results.get("rounds", 1)
    if rounds == 1:
        return ""
    short = results.get("rounds_short", rounds)
    measured = results["host_ns"]["nothing"]
    counts = sorted({short if part in SHORT else rounds
                     for part in measured if part not in OF_ONE_RUN})
    once = [name for part, name in OF_ONE_RUN.items() if part in measured]
    text = (f" of {' to '.join(map(str, counts))} runs of each way"
            if counts else "")
    return text + (f", but for {' and '.join(once)}, of one run"
                   if counts and once else "")


def host_text(found):
    return (f"This is host {found.host}, of the shortest launches. "
            if found.others else "")


def host_section(results):
    calls = results["calls"]
    return [
        "## Host time of a call", "",
        wrap("""The time with nothing; then what each way adds to it, the median
        of the differences in each turn, and how many times as long the whole
        is. The ratio depends on how short the call is, what is added does not.
        What a way does after the program's end, as nsys does when it writes
        its report, is in none of them."""),
        "",
        *host_lines(results, rows_of(results)), "",
        "What each records:", "",
        *(wrap(f"- {WAYS[way]}: {RECORDS[way]}", "  ")
          for way in ways_of(results)), "",
        wrap(f"""`examples/launch_bench.cu`:
        {results.get('launches', calls):,} launches of an empty kernel with
        nothing and with light, {results['launches_recorded']:,} with the ways
        that record each,
        {calls // 2:,} copies, {calls // 10:,} launches with a wait for each,
        {calls // 2:,} launches from 64 threads,
        {results.get('replays', calls // 100):,} replays of a graph of 20 empty kernels and two copies; few enough at a time that
        the GPU's queue never fills. \"Until all are done\" is the time to the
        end of the last op, shared out over the calls, where the GPU and not
        the host may be the slower; with 64 threads it is the only one. The
        training step (`examples/overhead/torch_step.py`) is a stack of 72
        small layers with an optimiser that updates every parameter by
        itself."""), "",
        spread_text(results["turns"]), "",
        *host_lines(results, rows_of(results), spread), "",
        *quiet_lines(results)]


def spread_text(turns):
    if turns >= LEAST_FOR_HALF:
        return "The middle half of the runs:"
    return wrap("""The middle half of the runs; of 64 threads and of the
    training step, the lowest and the highest:""")


def quiet_lines(results):
    """Not of light: what it records and detaches is what is left out."""
    rows = rows_of(results, QUIET_ROWS)
    if not rows:
        return []
    return [
        wrap("""The same of calls in moments when nothing else held up the
        host's cores: what a tenth of all batches of calls stay below, in the
        run that a quarter of a way's runs stay below. Without what a way does
        only now and then, as to hand buffers over:"""), "",
        *host_lines(results, rows, quiet_cell,
                    [way for way in ways_of(results) if way != "light"]), ""]


def other_lines(host, several):
    one = merged(several)
    return [wrap(f"""Host {host}, on {one['date']}, the median of
                 {turns_text(several)}:"""),
            "", *host_lines(one, rows_of(one)), "", *quiet_lines(one),
            *notes_lines(one)]


def other_section(others):
    """Of {host: results of its GPUs}"""
    if not others:
        return []
    return ["## Other hosts", "",
            *(line for host, several in others.items()
              for line in other_lines(host, several))]


def notes_lines(results):
    notes = ["- " + note.splitlines()[0] for note in results["notes"]]
    return ["Notes of the run:", "", *notes, ""] if notes else []


def trace_section(results):
    return [
        "## Size of the trace", "",
        wrap(f"""Bytes on disk for each op, places of calls included, in runs of
        {results['calls']:,} launches and half as many copies. Light's falls
        with the length of the run, too."""), "", *trace_lines(results), ""]


def startup_section(found):
    host, results = found.most_starts()
    runs = results.get("startup_runs", {})
    where = f", on host {host}, which has the most runs" if found.others else ""
    return [
        "## Start-up", "",
        wrap(f"""From the start of a process to its end{where}: a program that
        starts CUDA with `cudaFree(0)` and ends ({runs.get('cuda', NONE)} runs), and
        one that never touches CUDA ({runs.get('no_cuda', NONE)} runs); the
        median, and the middle half. More: the same of the differences, each
        between a run and that with nothing in its turn. Where this half is
        wider than the difference is large, it says so: such a difference may
        be chance."""),
        "", *startup_lines(results)]


def page(found):
    results, several = merged(found.mine), found.all_pairs()
    lines = [*head(found, results), *host_section(results),
             *other_section(found.others),
             *length_section(several, found.apart),
             *instruction_section(several),
             *trace_section(results),
             *startup_section(found)]
    if found.findings:
        lines += ["", found.findings.rstrip()]
    if results["notes"]:
        lines += ["", *notes_lines(results)]
    return "\n".join(lines).rstrip() + "\n"


def readme_light(found):
    """What light adds where that was measured better than by the turns."""
    hosts = alongs(found.all_pairs())
    if not hosts:
        return []
    *_, times = hosts.values()  # of all, where there are several
    groups = times["mean_ns"]
    mean, error, plain = added(groups)
    return ["", wrap(f"""Light by itself, in {pairs_of(groups)} pairs of runs of a
                     million launches, by {len(groups)} measurements of a GPU
                     each: {with_error(mean, error)} a launch,
                     {share_of(mean, error, plain)}. The copies, waits, threads
                     and graphs above are short runs, of which it records a fifth
                     and more; a static runtime's calls keep their
                     callbacks.""")]


def readme_lines(found):
    """The first time of each part."""
    results = merged(found.mine)
    rows = list({row[0]: row for row in reversed(rows_of(results))}.values())
    ways, sizes = ways_of(results), results["trace_bytes_per_op"]
    traces = [f"{sizes[way]['launch']:.1f} bytes" if way in sizes else NONE
              for way in ways]
    return [
        wrap(f"""Host time of a call ({results['gpu']}), and what each way of
        tracing adds to it, taking turns (`examples/overhead/measure.py`,
        medians of {turns_text([results])}). [docs/overhead.md](docs/overhead.md)
        says what each of them records, and has more. A figure below nothing is
        chance: the turns differ by more:"""), "",
        *host_lines(results, rows[::-1]),
        "| " + " | ".join(["trace, a launch", *traces]) + " |",
        *readme_light(found)]


def readme(text, found):
    """README with what is between its marks as it is to be."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    if not after:
        raise SystemExit("page.py: README.md has no marks for the costs")
    rows = readme_lines(found)
    return before + BEGIN + "\n".join(rows) + "\n" + END + after


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--write", type=pathlib.Path, metavar="PAGE.md",
                        default=ROOT / "docs/overhead.md")
    parser.add_argument("--readme", type=pathlib.Path, metavar="README.md",
                        help="bring the costs in it up to date")
    parser.add_argument("results", type=pathlib.Path, nargs="+")
    args = parser.parse_args()
    found = Found(args.results)
    args.write.write_text(page(found))
    if args.readme:
        args.readme.write_text(readme(args.readme.read_text(), found))


if __name__ == "__main__":
    main()
