#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes docs/overhead.md, and costs in README, from measure.py's results.

What was found out about a machine's figures by other means stands beside its
results, in results/MACHINE.md, and ends the page. Pairs of runs that show what
light costs, measured by themselves, are in results/light/MACHINE-HOST-GPU.json,
as hosts of one kind may differ by more than what is measured.
"""
import argparse
import json
import math
import pathlib
import statistics
import textwrap

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
WAYS = {"nothing": "nothing", "records": "CUPTI's records alone",
        "xferspy": "xferspy", "nsys": "nsys", "nsys-node": "nsys by node",
        "light": "xferspy light"}
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
NONE = "–"
ALONG = ("begin_ns", "mean_ns", "through_ns", "past_ns")
MILLION = 1000000


def wrap(text, indent=""):
    return textwrap.fill(" ".join(text.split()), 80, subsequent_indent=indent)


def table(header, rows):
    rule = ["---"] + ["---:"] * (len(header) - 1)
    return ["| " + " | ".join(str(cell) for cell in cells) + " |"
            for cells in [header, rule, *rows]]


def duration(ns, sign=""):
    size = abs(ns)
    if size >= 1e6:
        return f"{ns / 1e6:{sign}.2f} ms"
    if size >= 1e4:
        return f"{ns / 1e3:{sign}.{0 if size >= 1e5 else 1}f} µs"
    return f"{ns:{sign}.0f} ns"


def times_of(results, way, part, time, of="host_ns"):
    """Median and middle half, or None."""
    return results[of].get(way, {}).get(part, {}).get(time)


def cell(results, way, part, time):
    """The time with nothing; of the others what they add, and the ratio."""
    plain = times_of(results, "nothing", part, time)
    if plain and way == "nothing":
        return duration(plain["median"])
    more = times_of(results, way, part, time, "host_more_ns")
    if not plain or not more:
        return NONE
    return (f"{duration(more['median'], '+')}, "
            f"{1 + more['median'] / plain['median']:.2f}x")


def spread(results, way, part, time):
    """Where the middle half of the turns lies."""
    mine = times_of(results, way, part, time)
    return f"{duration(mine['low'])} – {duration(mine['high'])}" \
        if mine else NONE


def ways_of(results):
    return [way for way in WAYS if way in results["host_ns"]]


def rows_of(results):
    return [row for row in ROWS if times_of(results, "nothing", *row[:2])]


def host_lines(results, rows, show=cell):
    ways = ways_of(results)
    return table(["", *(WAYS[way] for way in ways)],
                 [[name, *(show(results, way, part, time) for way in ways)]
                  for part, time, name in rows])


def launches_of(results, part):
    """How many there are in a run of it."""
    return int(part.partition("_")[2] or
               results.get("launches", results["calls"]))


def lengths(several):
    """Of [(host, results)]: {(launches of a run, host): [[ns with nothing, with
    light]]}."""
    runs = {}
    for host, results in several:
        for part, pairs in results.get("light_pairs_ns", {}).items():
            runs.setdefault((launches_of(results, part), host),
                            []).extend(pairs)
    return {key: runs[key] for key in sorted(runs) if runs[key]}


def mean_of(values):
    """Their mean and its standard error, of two or more."""
    return (statistics.fmean(values),
            statistics.stdev(values) / math.sqrt(len(values)))


def with_error(mean, error):
    return f"{duration(mean, '+')} ± {duration(error)}"


def share_of(mean, error, whole):
    return f"{100 * mean / whole:.1f} ± {100 * error / whole:.1f} %"


def added(pairs):
    """What light adds in the mean of two or more pairs, its standard error, and
    the mean with nothing."""
    return (*mean_of([light - nothing for nothing, light in pairs]),
            statistics.fmean(nothing for nothing, _ in pairs))


def added_text(mean, error, plain):
    return f"{with_error(mean, error)}, {share_of(mean, error, plain)}"


def length_row(launches, host, pairs):
    plain = statistics.fmean(pair[0] for pair in pairs)
    more = sorted(light - nothing for nothing, light in pairs)
    return [f"{launches:,}", host, len(pairs), duration(plain),
            duration(statistics.median(more), "+"),
            f"{duration(more[len(more) // 4], '+')} to "
            f"{duration(more[3 * len(more) // 4], '+')}",
            added_text(*added(pairs)) if len(pairs) > 1 else NONE]


def length_lines(several):
    """What light adds to a launch, in runs of several lengths."""
    return table(["launches", "host", "pairs", WAYS["nothing"],
                  "median of the differences", "their middle half",
                  "their mean, its standard error"],
                 [length_row(*key, pairs)
                  for key, pairs in lengths(several).items()])


def alongs(several):
    """Of [(host, results)]: {host: {time: [[ns with nothing, with light]]}}."""
    hosts = {}
    for host, results in several:
        for time, pairs in results.get("light_along_ns", {}).items():
            hosts.setdefault(host, {}).setdefault(time, []).extend(pairs)
    return {host: times for host, times in sorted(hosts.items())
            if all(len(times.get(time, [])) > 1 for time in ALONG)}


def along_row(host, times):
    """What a run pays once; what a call passes through; what differs beside
    that between launches of two runs; these together; and the whole runs."""
    through, begin = times["through_ns"], times["begin_ns"]
    passed = [mine[1] - past[1] for mine, past in zip(through, times["past_ns"])]
    both = [(mine[0] + once[0] / MILLION, mine[1] + once[1] / MILLION)
            for mine, once in zip(through, begin)]
    plain = added(through)[2]
    return [host, len(both), duration(plain), with_error(*added(begin)[:2]),
            with_error(*mean_of(passed)),
            with_error(*added(times["past_ns"])[:2]),
            added_text(*added(both)[:2], plain),
            added_text(*added(times["mean_ns"]))]


def along_lines(several):
    return table(["host", "pairs", WAYS["nothing"], "once in a run",
                  "what a call passes through", "all else, a launch",
                  "together, of a million launches", "mean of the runs"],
                 [along_row(*row) for row in alongs(several).items()])


def trace_lines(results):
    return table(["", "launches", "copies"],
                 [[WAYS[way], sizes.get("launch", NONE),
                   sizes.get("copy", NONE)]
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


def head(results):
    return [
        "# What xferspy costs", "",
        wrap(f"""{machine_text(results)} The ways take turns in one run, in
        another order each time, so that a slow minute hits them all; every
        figure is the median of {results['turns']} turns, and of launches with
        nothing and with light, the shared runtime's, of {results['pairs']}
        pairs. Written by
        `examples/overhead/page.py` from what `examples/overhead/measure.py`
        measured. On a machine with a GPU:"""), "",
        "    examples/overhead/measure.py build",
        "    examples/overhead/page.py "
        "examples/overhead/results/MACHINE.json", ""]


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
        "The middle half of the turns:", "",
        *host_lines(results, rows_of(results), spread), ""]


def length_section(results, apart):
    several = apart or [(NONE, results)]
    if not lengths(several):
        return []
    return [
        "## Light in longer runs", "",
        wrap(f"""Light pays for full detail in its first 10,000 calls, and for a
        count in all others: the longer a run, the less a call costs. The other
        parts above are short runs, of which light records a larger share. A
        pair is a run with nothing and one with light, one after the other.
        {apart_text(apart)}"""),
        "", *length_lines(several), "", *along_section(several)]


def along_section(several):
    if not alongs(several):
        return []
    return [
        wrap("""What it is made of, by pairs of runs of a million launches, in
        the second half of which they go through the library and past it in
        turns (`examples/overhead/along.cu`). Once in a run: the first tenth of
        a run against the second, for the 10,000 calls that are recorded and
        what CUPTI costs until it is detached. What a call passes through is
        free of what differs between two runs; all else is what launches past
        the library take longer than with nothing; both in moments when nothing
        else held up the host's cores (what a tenth of all batches of launches
        stay below). The last column has the runs as they were, with all that
        held them up. Means and their standard errors:"""),
        "", *along_lines(several), ""]


def apart_text(apart):
    """Whose the pairs are, where they were measured by themselves."""
    if not apart:
        return ""
    dates = sorted({results["date"] for _, results in apart})
    return (f"These were measured by themselves on {' and '.join(dates)}, on "
            "each GPU of a host at a time, with four cores for each: "
            "`taskset -c CORES measure.py --parts launch,lengths,along "
            "--ways nothing,light --turns 50 -o "
            "results/light/MACHINE-HOST-GPU.json build`; without `lengths` "
            "where there are runs of one length alone.")


def instructions_of(several):
    """{object: {way: instructions}}: the medians of those that have them."""
    counts = {}
    for _, results in several:
        for way, objects in results.get("instructions", {}).items():
            for name, count in objects.items():
                counts.setdefault(name, {}).setdefault(way, []).append(count)
    return {name: {way: round(statistics.median(mine))
                   for way, mine in ways.items()}
            for name, ways in counts.items()}


def instruction_section(several):
    objects = instructions_of(several)
    ways = [way for way in WAYS
            if any(way in counts for counts in objects.values())]
    if "nothing" not in ways:
        return []
    objects = {name: counts for name, counts in objects.items()
               if any(counts.values())}
    rows = [[f"`{name}`", *(f"{counts.get(way, 0):,}" for way in ways)]
            for name, counts in sorted(objects.items(), key=lambda item:
                                       -max(item[1].values()))]
    total = [f"{sum(counts.get(way, 0) for counts in objects.values()):,}"
             for way in ways]
    return [
        "## Instructions of a launch", "",
        wrap("""What no other work of a host can change: the instructions of the
        calling thread in an empty launch, a shared runtime's, by the object that
        they are in, stepped through after so many others that light has let go
        of CUPTI (`examples/overhead/instructions.cu`, medians; CUDA's own way
        differs from launch to launch):"""),
        "", *table(["", *(WAYS[way] for way in ways)],
                   [*rows, ["all", *total]]), ""]


def trace_section(results):
    return [
        "## Size of the trace", "",
        wrap(f"""Bytes on disk for each op, places of calls included, in runs of
        {results['calls']:,} launches and half as many copies. Light's falls
        with the length of the run, too."""), "", *trace_lines(results), ""]


def startup_section(results):
    runs = results.get("startup_runs", {})
    return [
        "## Start-up", "",
        wrap(f"""From the start of a process to its end: a program that starts
        CUDA with `cudaFree(0)` and ends ({runs.get('cuda', NONE)} runs), and
        one that never touches CUDA ({runs.get('no_cuda', NONE)} runs); the
        median, and the middle half. More: the same of the differences, each
        between a run and that with nothing in its turn. Where this half is
        wider than the difference is large, it says so: such a difference may
        be chance."""),
        "", *startup_lines(results)]


def page(results, apart, findings):
    lines = [*head(results), *host_section(results),
             *length_section(results, apart),
             *instruction_section([(NONE, results), *apart]),
             *trace_section(results),
             *startup_section(results)]
    if findings:
        lines += ["", findings.rstrip()]
    if results["notes"]:
        lines += ["", "## Notes of the run", "",
                  *("- " + note.splitlines()[0] for note in results["notes"])]
    return "\n".join(lines) + "\n"


def readme_light(apart):
    """What light adds, where that was measured better than by the turns."""
    lines = []
    for times in alongs(apart).values():
        mean, error, plain = added(times["mean_ns"])
        lines += ["", wrap(f"""Light by itself, in a later version, in
                  {len(times["mean_ns"])} pairs of runs of a million launches:
                  {with_error(mean, error)} a launch,
                  {share_of(mean, error, plain)}.""")]
    return lines


def readme_lines(results, apart):
    """The first time of each part."""
    rows = list({row[0]: row for row in reversed(rows_of(results))}.values())
    ways, sizes = ways_of(results), results["trace_bytes_per_op"]
    traces = [f"{sizes[way]['launch']} bytes" if way in sizes else NONE
              for way in ways]
    return [
        wrap(f"""Host time of a call ({results['gpu']}), and what each way of
        tracing adds to it, taking turns (`examples/overhead/measure.py`,
        medians of {results['turns']}). [docs/overhead.md](docs/overhead.md)
        says what each of them records, and has more. A figure below nothing is
        chance: the turns differ by more:"""), "",
        *host_lines(results, rows[::-1]),
        "| " + " | ".join(["trace, a launch", *traces]) + " |",
        *readme_light(apart)]


def readme(text, results, apart):
    """README with what is between its marks as it is to be."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    if not after:
        raise SystemExit("page.py: README.md has no marks for the costs")
    rows = readme_lines(results, apart)
    return before + BEGIN + "\n".join(rows) + "\n" + END + after


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=pathlib.Path, metavar="PAGE.md",
                        default=ROOT / "docs/overhead.md")
    parser.add_argument("--readme", type=pathlib.Path, metavar="README.md",
                        help="bring the costs in it up to date")
    parser.add_argument("results", type=pathlib.Path)
    args = parser.parse_args()
    results = json.loads(args.results.read_text())
    beside = args.results.with_suffix(".md")
    findings = beside.read_text() if beside.exists() else ""
    apart = [(path.stem.rsplit("-", 2)[1], json.loads(path.read_text()))
             for path in sorted(args.results.parent.glob(
                 f"light/{args.results.stem}-*-*.json"))]
    args.write.write_text(page(results, apart, findings))
    if args.readme:
        args.readme.write_text(readme(args.readme.read_text(), results,
                                      apart))


if __name__ == "__main__":
    main()
