#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes docs/overhead.md, and README's table, from measure.py's results."""
import argparse
import json
import pathlib
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# The part, which of its times, what it is called
PARTS = (("launch", "call_ns", "launch"),
         ("copy", "call_ns", "`cudaMemcpyAsync`, 4 KiB"),
         ("sync", "call_ns", "launch + stream sync"),
         ("threads", "done_ns", "launch, 64 threads at once"),
         ("graph", "call_ns", "replay of a graph of 22 ops"),
         ("torch", "call_ns", "PyTorch training step"))
README_PARTS = ("launch", "copy", "sync", "torch")
WAYS = {"nothing": "nothing", "records": "CUPTI's records alone",
        "xferspy": "xferspy", "light": "xferspy, `XFERSPY_MODE=light`",
        "nsys": "`nsys profile -t cuda`"}
BEGIN, END = "<!-- overhead: page.py -->\n", "<!-- overhead: end -->\n"


def wrap(text):
    return textwrap.fill(" ".join(text.split()), 80)


def table(header, rows):
    rule = ["---"] + ["---:"] * (len(header) - 1)
    return ["| " + " | ".join(str(cell) for cell in cells) + " |"
            for cells in [header, rule, *rows]]


def duration(ns):
    if ns >= 1e6:
        return f"{ns / 1e6:.2f} ms"
    return f"{ns / 1e3:.2f} µs" if ns < 1e5 else f"{ns / 1e3:.0f} µs"


def median(results, way, part, time):
    try:
        return results["host_ns"][way][part][time]["median"]
    except KeyError:
        return None


def cell(results, way, part, time):
    """The time, and its ratio to that with nothing."""
    value = median(results, way, part, time)
    plain = median(results, "nothing", part, time)
    if value is None or not plain:
        return "–"
    return f"{duration(value)} ({value / plain:.2f}x)"


def ways_of(results):
    return [way for way in WAYS if way in results["host_ns"]]


def parts_of(results, only=None):
    return [row for row in PARTS if (not only or row[0] in only) and
            median(results, "nothing", row[0], row[1]) is not None]


def host_lines(results):
    parts = parts_of(results)
    return table(["", *(name for _, _, name in parts)],
                 [[WAYS[way], *(cell(results, way, part, time)
                                for part, time, _ in parts)]
                  for way in ways_of(results)])


def spread_lines(results):
    """Where the middle half of the turns lies."""
    def reach(way, part, time):
        try:
            found = results["host_ns"][way][part][time]
        except KeyError:
            return "–"
        return f"{duration(found['low'])} – {duration(found['high'])}"

    parts = parts_of(results)
    return table(["", *(name for _, _, name in parts)],
                 [[WAYS[way], *(reach(way, part, time)
                                for part, time, _ in parts)]
                  for way in ways_of(results)])


def trace_lines(results):
    return table(["", "launches", "copies"],
                 [[WAYS[way], sizes.get("launch", "–"), sizes.get("copy", "–")]
                  for way, sizes in results["trace_bytes_per_op"].items()])


def startup_lines(results):
    rows = []
    for way in WAYS:
        cells = []
        for name in ("cuda", "no_cuda"):
            times = results["startup_ms"].get(name, {})
            if way in times:
                more = times[way]["median"] - times["nothing"]["median"]
                cells.append(f"{times[way]['median']:.1f} ms" +
                             ("" if way == "nothing" else f" ({more:+.1f})"))
            else:
                cells.append("–")
        if cells != ["–", "–"]:
            rows.append([WAYS[way], *cells])
    return table(["", "`cudaFree(0)`", "`/bin/true`"], rows)


def against_nsys(results):
    """What xferspy and nsys add to each call, one line each part."""
    rows = []
    for part, time, name in parts_of(results):
        plain = median(results, "nothing", part, time)
        added = {way: median(results, way, part, time) - plain
                 for way in ways_of(results)
                 if median(results, way, part, time) is not None}
        ours = added.get("xferspy")
        if ours is None:
            continue
        rows.append([name, duration_of_more(ours), *(
            duration_of_more(added.get(way)) for way in
            ("records", "light", "nsys"))])
    return table(["added to each", "xferspy", "records alone", "light",
                  "nsys"], rows)


def duration_of_more(ns):
    if ns is None:
        return "–"
    return ("+" if ns >= 0 else "−") + duration(abs(ns))


def machine_text(results):
    versions = [f"{name} {results[key]}" for name, key in
                (("driver", "driver"), ("CUDA", "cuda"), ("CUPTI", "cupti"))
                if results.get(key)]
    if results.get("nsys"):
        versions.append(f"nsys {results['nsys'].split()[-1]}")
    return (f"Measured on {results['date']}: {results['gpu']}, "
            f"{results['cpu']}, {', '.join(versions)}.")


def page(results):
    lines = [
        "# What xferspy costs", "",
        wrap(f"""{machine_text(results)} The ways take turns in one run, in
        another order each time, so that a slow minute hits them all; every
        figure is the median of {results['turns']} turns. Written by
        `examples/overhead/page.py` from what `examples/overhead/measure.py`
        measured. On a machine with a GPU:"""), "",
        "    examples/overhead/measure.py build",
        "    examples/overhead/page.py "
        "examples/overhead/results/MACHINE.json", "",
        "## Host time of a call", "",
        wrap("""`examples/launch_bench.cu`: calls in long loops, few enough at
        a time that the GPU's queue never fills. With 64 threads at once, the
        time from the first launch to the last op's end, shared out over all
        launches. The graph has 20 empty kernels and two copies. The training
        step (`examples/overhead/torch_step.py`) is a stack of 72 small layers
        with an optimiser that updates every parameter by itself. \"CUPTI's
        records alone\" is a library that has CUPTI record kernels and copies
        and throws the records away: what any tool pays that times each op on
        the GPU."""), "",
        *host_lines(results), "", *against_nsys(results), "",
        "The middle half of the turns:", "", *spread_lines(results), "",
        "## Size of the trace", "",
        "Bytes on disk for each op, call sites included.", "",
        *trace_lines(results), "",
        "## Start-up", "",
        wrap("""From the start of a process to its end: a program that starts
        CUDA with `cudaFree(0)` and ends, and one that never touches CUDA."""),
        "", *startup_lines(results)]
    notes = results["notes"]
    if notes:
        lines += ["", "## Notes of the run", "", *("- " + note.splitlines()[0]
                                                   for note in notes)]
    return "\n".join(lines) + "\n"


def readme_lines(results):
    parts = parts_of(results, README_PARTS)
    sizes = results["trace_bytes_per_op"]
    return table(["", *(name for _, _, name in parts), "trace per launch"],
                 [[WAYS[way], *(cell(results, way, part, time)
                                for part, time, _ in parts),
                   f"{sizes[way]['launch']} bytes" if way in sizes else ""]
                  for way in ways_of(results)])


def readme(text, results):
    """README with the table between its marks as it is to be."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    if not after:
        raise SystemExit("page.py: README.md has no marks for the table")
    rows = readme_lines(results)
    return before + BEGIN + "\n".join(rows) + "\n" + END + after


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=pathlib.Path, metavar="PAGE.md",
                        default=ROOT / "docs/overhead.md")
    parser.add_argument("--readme", type=pathlib.Path, metavar="README.md",
                        help="bring the table in it up to date")
    parser.add_argument("results", type=pathlib.Path)
    args = parser.parse_args()
    results = json.loads(args.results.read_text())
    args.write.write_text(page(results))
    if args.readme:
        args.readme.write_text(readme(args.readme.read_text(), results))


if __name__ == "__main__":
    main()
