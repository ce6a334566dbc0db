#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes docs/overhead.md and the costs in README.md from measure.py's results.

A result is MACHINE.json, or MACHINE-HOST-GPU.json for each GPU of several hosts:
hosts of one kind may differ by more than the costs that are measured. The figures
of the host that was measured last come first. Pairs of runs that show the cost of light mode,
measured separately, are in light/MACHINE-HOST-GPU.json beside the results, and
what pointers.py measured in pointers/MACHINE.json. Other findings on a machine are
in MACHINE.md: its first section follows the comparison with nsys, the others end the
page.
"""
import argparse
import pathlib

from figures import LEAST_FOR_HALF, NONE, WAYS, duration, table, wrap
from found import Found, merged
from light import length_section
from stepped import instruction_section

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# (part, one of its times, name in the table)
ROWS = (("launch", "call_ns", "launch"),
        ("static", "call_ns", "launch, static CUDA runtime"),
        ("copy", "call_ns", "`cudaMemcpyAsync`, 4 KiB"),
        ("copy", "done_ns", "the same, until all are done"),
        ("sync", "call_ns", "launch + stream sync"),
        ("threads", "done_ns", "launch, 64 threads at once"),
        ("graph", "call_ns", "replay of a graph of 22 ops"),
        ("graph", "done_ns", "the same, until all are done"),
        ("torch", "call_ns", "PyTorch training step"))
# The programs of framework_loop.py.
LOOPS = (("loop_gpt2", "call_ns", "GPT-2's layers, 32 tokens decoded"),
         ("loop_llama", "call_ns", "LLaMA-like layers, 32 tokens decoded"),
         ("loop_paging", "call_ns", "64 pages of a KV cache out and in"),
         ("loop_gaussian", "call_ns", "Gaussian process, a step"),
         ("loop_items", "call_ns", "100 times `.item()`"),
         ("loop_replays", "call_ns", "50 replays of a graph"),
         ("loop_managed", "call_ns", "managed memory, 80 kernels (CuPy)"))
# Of README's table, which is shorter: the time of the call alone.
README_PARTS = ("launch", "copy", "sync", "graph")
README_WAYS = ("nothing", "xferspy", "nsys", "light")
SHORT = ("copy", "sync", "graph")  # have "rounds_short" runs of each way a turn
OF_ONE_RUN = {"threads": "64 threads", "torch": "the training step"}
QUIET_ROWS = tuple((part, "quiet_ns", f"{name}, quiet")
                   for part, time, name in ROWS if time == "call_ns")
RECORDS = {
    "nothing": "the program alone.",
    "records": """a library that enables CUPTI's records of kernels and copies,
        also of each op of a graph, and discards them. Any tool that times each
        op on the GPU pays this cost. It does not see calls.""",
    "xferspy": """each call with its call site, and each op. Of a graph, each op
        of the first launches, then one item for each launch.""",
    "xferspy-nodes": """the same with `XFERSPY_GRAPHS=nodes`: each op of each
        launch of a graph. Measured for graphs alone.""",
    "nsys": """`nsys profile -t cuda`: each call without its call site, and each
        op. The launch of a graph is one item, whatever it contains.""",
    "nsys-node": """the same with `--cuda-graph-trace=node`: each op of a graph
        is an item. Measured for graphs alone.""",
    "light": """`XFERSPY_MODE=light`: all calls as above until nothing new comes,
        here 10,000; then only counts, through the hooks."""}
BEGIN, END = "<!-- overhead: page.py -->\n", "<!-- overhead: end -->\n"


def times_of(results, way, part, time, of="host_ns"):
    """Returns median and quartiles, or None."""
    return results[of].get(way, {}).get(part, {}).get(time)


def more_text(plain, more):
    return f"{duration(more, '+')}, {1 + more / plain:.2f}x"


def cell(results, way, part, time):
    """Returns the untraced time; for the other ways what they add, and the
    ratio."""
    plain = times_of(results, "nothing", part, time)
    if plain and way == "nothing":
        return duration(plain["median"])
    more = times_of(results, way, part, time, "host_more_ns")
    if not plain or not more:
        return NONE
    return more_text(plain["median"], more["median"])


def quiet_cell(results, way, part, time):
    """Returns the same from the lower quartile of each way, which leaves slow
    runs out."""
    plain, mine = (times_of(results, each, part, time)
                   for each in ("nothing", way))
    if not plain or not mine:
        return NONE
    if way == "nothing":
        return duration(plain["low"])
    return more_text(plain["low"], mine["low"] - plain["low"])


def spread(results, way, part, time):
    """Returns the quartiles of the turns."""
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
    """Returns what a way adds, and whether its spread is larger."""
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
        wrap(f"""{machine_text(results)} The ways of tracing alternate, in a
        different order each time, so that a slow minute affects all of them.
        Every figure is the median of {turns_text(found.mine)}.
        {host_text(found)}`examples/overhead/page.py` writes this page from the
        results of `examples/overhead/measure.py`. On a machine with a GPU:"""),
        "", "    examples/overhead/measure.py build",
        "    examples/overhead/page.py "
        "examples/overhead/results/*.json", ""]


def turns_text(several):
    turns = " or ".join(sorted({str(results["turns"]) for results in several}))
    plural = "" if turns == "1" else "s"
    text = f"{turns} turn{plural}{rounds_text(several[0])}"
    if len(several) == 1:
        return text
    return f"""the medians of {len(several)} GPUs, measured at the same time,
        each with its own cores, in {text}"""


def was_one_run(times):
    return all(time["low"] == time["high"] for time in times.values())


def rounds_text(results):
    rounds = results.get("rounds", 1)
    if rounds == 1:
        return ""
    short = results.get("rounds_short", rounds)
    measured = results["host_ns"]["nothing"]
    once = {part: name for part, name in OF_ONE_RUN.items()
            if part in measured and was_one_run(measured[part])}
    counts = sorted({short if part in SHORT else rounds
                     for part in measured if part not in once})
    text = (f" of {' to '.join(map(str, counts))} runs of each way"
            if counts else "")
    return text + (f" (one run for {' and '.join(once.values())})"
                   if counts and once else "")


def host_text(found):
    return (f"This is host {found.host}, measured last. "
            if found.others else "")


def pointers_rows(one):
    """The ratios that pointers.py measured on a machine, with their quartiles."""
    for runtime, found in one["runtimes"].items():
        ratios = (found["to_off"].get(way) for way in ("sample", "all", "nsys"))
        cells = (f"{ratio['median']:.2f} ({ratio['low']:.2f} – "
                 f"{ratio['high']:.2f})" if ratio else "–" for ratio in ratios)
        yield (f"| {one['machine']}: {one['gpu']}, {one['date']} | {runtime} | "
               f"{found['turns']} | {' | '.join(cells)} |")


def pointers_lines(found):
    """Whether the pointers of launches were recorded, and what they cost."""
    without = [found.name(host) for host, several in found.hosts.items()
               if not merged(several).get("pointers")]
    lines = [wrap(f"""Measured without the pointers of launches, which xferspy
        records by default since: {", ".join(without)}."""), ""] if without else []
    if not found.pointers:
        return lines
    return lines + [
        "## Pointers of launches", "",
        wrap("""A launch relative to xferspy without pointers, median and quartiles
        of turns of `examples/overhead/pointers.py`, on machines of its own:"""),
        "",
        "| machine | runtime | turns | by default | `XFERSPY_DATAFLOW=all` | "
        "under nsys |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
        *(row for one in found.pointers for row in pointers_rows(one)), ""]


def host_section(results):
    return [
        "## Host time of a call", "",
        wrap("""The first column has the untraced time. The others have what each
        way adds, which is the median of the differences in each turn, and the
        ratio of the whole to the untraced time. The ratio depends on the length
        of the call; the added time does not. Work after the end of the program,
        such as nsys writing its report, is not included. Negative values are
        measurement noise."""),
        "",
        *host_lines(results, rows_of(results)), "",
        "What each records:", "",
        *(wrap(f"- {WAYS[way]}: {RECORDS[way]}", "  ")
          for way in ways_of(results)), ""]


def spread_section(found, results):
    """How the times of host_section() were measured, and by what they differ."""
    calls = results["calls"]
    return [
        "## Spread of these times", "",
        wrap(f"""`examples/launch_bench.cu`:
        {results.get('launches', calls):,} launches of an empty kernel untraced
        and in light mode, {results['launches_recorded']:,} launches with the
        ways that record each of them,
        {calls // 2:,} copies, {calls // 10:,} launches with a wait for each,
        {calls // 2:,} launches from 64 threads,
        {results.get('replays', calls // 100):,} replays of a graph of 20 empty
        kernels and two copies. Batches are small enough that the GPU's queue
        never fills. \"Until all are done\" is the time to the end of the last
        op, divided by the number of calls; here the GPU may be slower than the
        host. For 64 threads it is the only time. The training step
        (`examples/overhead/torch_step.py`) is a stack of 72 small layers with
        an optimiser that updates each parameter separately."""), "",
        spread_text(results["turns"]), "",
        *host_lines(results, rows_of(results), spread), "",
        *quiet_lines(results)]


def spread_text(turns):
    if turns >= LEAST_FOR_HALF:
        return "The quartiles of the runs:"
    return wrap("""The quartiles of the runs; for 64 threads and the training
    step, the lowest and the highest run:""")


def quiet_lines(results):
    """Not of light mode: recording and detaching, its cost, would be left out."""
    rows = rows_of(results, QUIET_ROWS)
    if not rows:
        return []
    return [
        wrap("""The same for calls in quiet moments, when nothing else disturbed
        the host's cores: the 10th percentile of all batches of calls, in the
        run at the lower quartile of a way's runs. This leaves out periodic
        work, such as handing over buffers:"""), "",
        *host_lines(results, rows, quiet_cell,
                    [way for way in ways_of(results) if way != "light"]), ""]


def other_lines(name, several):
    one = merged(several)
    return [wrap(f"""{name[0].upper()}{name[1:]}, on {one["date"]}, the median
                 of {turns_text(several)}:"""),
            "", *host_lines(one, rows_of(one)), "", *quiet_lines(one),
            *notes_lines(one)]


def other_section(found):
    if not found.others:
        return []
    return ["## Other hosts", "",
            *(line for host, several in found.others.items()
              if rows_of(merged(several))
              for line in other_lines(found.name(host), several))]


def against_cell(several, part, time):
    """Returns what xferspy and nsys add on one host."""
    more = merged(several).get("host_more_ns", {})
    both = [more.get(way, {}).get(part, {}).get(time)
            for way in ("xferspy", "nsys")]
    return (" / ".join(duration(each["median"]) for each in both)
            if all(both) else NONE)


def against_section(found):
    """What xferspy and nsys add, side by side, on each host that ran both."""
    hosts = {host: several for host, several in found.hosts.items()
             if {"xferspy", "nsys"} <= merged(several)["host_ns"].keys()
             and rows_of(merged(several))}
    rows = [[name, *(against_cell(several, part, time)
                     for several in hosts.values())]
            for part, time, name in ROWS]
    return ["## Against nsys", "",
            wrap("""What xferspy and what nsys add to each call, on each host:
            the medians of the table above and of those of other hosts."""), "",
            *table(["", *map(found.name, hosts)],
                   [row for row in rows if set(row[1:]) != {NONE}]), ""]


def notes_lines(results):
    notes = ["- " + note.splitlines()[0] for note in results["notes"]]
    return ["Notes of the run:", "", *notes, ""] if notes else []


def trace_section(results):
    return [
        "## Size of the trace", "",
        wrap(f"""Bytes on disk for each op, call sites included, in runs of
        {results['calls']:,} launches and half as many copies. The bytes of
        light mode fall with the length of the run."""), "",
        *trace_lines(results), ""]


def startup_section(found):
    host, results = found.most_starts()
    runs = results.get("startup_runs", {})
    where = f", on host {host}, which has the most runs" if found.others else ""
    return [
        "## Start-up", "",
        wrap(f"""From the start of a process to its end{where}: a program that
        starts CUDA with `cudaFree(0)` and ends ({runs.get('cuda', NONE)} runs),
        and one that does not use CUDA ({runs.get('no_cuda', NONE)} runs). Each
        cell has the median and the quartiles. "More" has the differences
        between a run and the untraced run of its turn. \"Within its spread\"
        means that the difference is smaller than the interquartile range: it
        may be chance."""),
        "", *startup_lines(results)]


def fastest(results, way, part, time):
    """Returns the fastest run of each way."""
    mine, plain = (times_of(results, each, part, time)
                   for each in (way, "nothing"))
    if not mine or way == "nothing":
        return duration(plain["low"]) if mine else NONE
    return (f"{duration(mine['low'])}, "
            f"{mine['low'] / plain['low']:.2f}x")


def loops_section(found):
    """Programs of PyTorch and CuPy, on each host that ran them."""
    lines = []
    for host, several in {found.host: found.mine, **found.others}.items():
        results = merged(several)
        rows = rows_of(results, LOOPS)
        if rows:
            lines += [f"Host {host}, on {results['date']}:", "",
                      *host_lines(results, rows, fastest), ""]
    if not lines:
        return []
    return ["## Framework programs", "",
            wrap("""`examples/overhead/framework_loop.py`: the time of a step
            once nothing new comes, which is the median of the steps in the last
            third of four seconds. All of these programs are bound by the
            host's calls. Whole runs have two speeds, untraced as well, which
            differ by up to a factor of two; the table has the fastest of three
            runs untraced and in light mode, and one run of the others, which
            may have been a slow one."""), "", *lines]


def page(found):
    results, several = merged(found.mine), found.all_pairs()
    first, _, further = found.findings.partition("\n## ")
    lines = [*head(found, results), *host_section(results),
             *against_section(found),
             *([first.rstrip(), ""] if first else []),
             *loops_section(found),
             *startup_section(found), "",
             *trace_section(results),
             *pointers_lines(found),
             *length_section(several, found.apart),
             *spread_section(found, results),
             *other_section(found),
             *instruction_section(several)]
    if further:
        lines += ["", "## " + further.rstrip()]
    if results["notes"]:
        lines += ["", *notes_lines(results)]
    return "\n".join(lines).rstrip() + "\n"


def readme_lines(found):
    """Returns the call times of README_PARTS in README_WAYS."""
    results = merged(found.mine)
    rows = [row for row in rows_of(results)
            if row[0] in README_PARTS and row[1] == "call_ns"]
    ways = [way for way in ways_of(results) if way in README_WAYS]
    return [
        wrap(f"""Host time of a call on an {results['gpu']}, and what each tool
        adds. Negative values are noise. Light mode records each op of
        a graph until it detaches. [docs/overhead.md](docs/overhead.md) has more
        rows and hosts:"""), "",
        *host_lines(results, rows, ways=ways)]


def readme(text, found):
    """Returns README's text with new costs between its marks."""
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
                        help="update the costs in it")
    parser.add_argument("results", type=pathlib.Path, nargs="+")
    args = parser.parse_args()
    found = Found(args.results)
    args.write.write_text(page(found))
    if args.readme:
        args.readme.write_text(readme(args.readme.read_text(), found))


if __name__ == "__main__":
    main()
