#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares predictions with measured times of programs in Python.

h100/times.json has what measure.sh measured, ms per step of each way, and h100/
the trace of each program's first way and that machine's calibration. h200/ has
programs of which each process recorded its first way, too, between the turns
(--record), and ../validate/patterns/pieces.cu with its ways of batching; item/ has one
program alone.
typical/ has programs whose first step was taken by typical/first_steps.py. --write
renews the tables of docs/frameworks.md.
"""
import argparse
import json
import math
import pathlib
import statistics
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
STEPS = 45  # of a trace, if times.json does not say how many
BEGIN, END = "<!-- predict.py {} -->\n", "<!-- end of {} -->\n"
NEAR = 0.1  # errors of the saving up to this part of it
DECIDABLE = NEAR / 2  # differences of turns up to this part of the saving

PINNED = "`pin_memory()` once, `non_blocking=True`"
AHEAD = "the next batch on a side stream, `record_stream()`"
# Way, the strategy that predicts it, and the change in the framework's words.
WAYS = {
    "loader": [("pinned", "pinned",
                "`DataLoader(pin_memory=True)`, `non_blocking=True`")],
    "to_device": [("pinned", "pinned",
                   "`pin_memory()` once, `copy_(..., non_blocking=True)`")],
    "item": [("kept", None, "`loss.item()` after the loop"),
             ("graph", "graph", "`torch.cuda.graph`")],
    "offload": [("pinned", "pinned", "`pin_memory()` once"),
                ("prefetch", "prefetch",
                 "the next layer's copy on a side stream, with events")],
    "kv_paging": [("batched", "batch",
                   "`index_select` into one pinned buffer, one copy")],
    "optimizer": [("pinned", "pinned", "`pin_memory=True`, `non_blocking`")],
    "cupy_reduction": [("pinned", "pinned",
                        "`alloc_pinned_memory` instead of `numpy.empty`"),
                       ("streams", "double-buffer",
                        "the same, two streams and `set()`")],
    "numba_steps": [("resident", "resident-throughout",
                     "`cuda.to_device` once")],
    "jax_put": [("prefetch", "double-buffer",
                 "`device_put` of the next batch first")],
    "decode": [("graph", "graph", "`torch.cuda.graph`")],
    "triton_chunks": [("streams", "prefetch",
                       "two streams with buffers of their own")],
    "compiled": [("pinned", "pinned", PINNED)],
    "images": [("pinned", "pinned", "`DataLoader(pin_memory=True)`, `non_blocking`"),
                 ("double", "double-buffer", AHEAD)],
    "gpu_bound": [("async-prefetch", "double-buffer", AHEAD)],
    "gpu_bound-item": [("item-prefetch", "double-buffer", AHEAD)],
    "item-eager": [("graph", "graph", "`torch.cuda.graph`")],
    "accumulate": [("graph", "graph", "`torch.cuda.graph`")],
    "bert_accelerate": [("graph", "graph", "`torch.cuda.graph`")],
    "cnn_inference": [("pinned", "pinned", PINNED)],
    "cuda_python": [("pinned", "pinned", "`cuMemHostRegister`")],
    "cupy_chunks": [("pinned", "pinned", "`cupyx.empty_pinned`, `set()`")],
    "cupy_fft": [("pinned", "pinned", "the same, and `get(out=pinned)`")],
    "embedding": [("pinned", "pinned", PINNED)],
    "encoder": [("pinned", "pinned", "`pin_memory()` of each new batch")],
    "gan": [("graph", "graph", "`torch.cuda.graph`")],
    "gnn": [("graph", "graph", "`torch.cuda.graph`, `GCNConv(cached=True)`")],
    "jax_train": [("prefetch", "double-buffer",
                   "`device_put` of the next batch first")],
    "lightning": [("graph", "graph", "`make_graphed_callables` of the model")],
    "llama_decode": [("graph", "graph", "`StaticCache`, `torch.cuda.graph`")],
    "offload_activations": [("both", "prefetch",
                             "copies in and out on streams of their own")],
    "offload_optimizer": [("prefetch", "prefetch",
                           "copies in and out on streams of their own")],
    "pieces2048": [("4 MiB", "streams", "4 MiB instead of 64 KiB")],
    "profiled": [("pinned", "pinned", PINNED)],
    "threads": [("pinned", "pinned", PINNED)],
    "timm_train": [("pinned", "pinned", PINNED)],
    "triton_softmax": [("pinned", "pinned", PINNED)],
    "pieces": [("host", "batch", "the host gathers, one copy"),
               ("call", "batch-call", "`cudaMemcpyBatchAsync`"),
               ("kernel", "batch-kernel", "a kernel reads the pieces")],
}


def report(xferspy, data, program):
    done = subprocess.run(
        [xferspy, "report", "--format", "json", "--machine",
         data / "machine.json", data / f"{program}.xspy"],
        capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def row_of(phase, strategy):
    """Returns the fastest estimate of a strategy, or None."""
    rows = [row for row in phase["estimates"] if row["model"] == "replay" and
            row["strategy"] == strategy and row["applies"]]
    return min(rows, key=lambda row: row["round_ns"], default=None)


def part_of(rounds, steps):
    """Returns how many rounds a step has, or which part of one it is."""
    return round(rounds / steps) or 1 / round(steps / rounds)


def saved_ms(result, strategy, recorded):
    """Returns what the strategy saves in each step, in ms, with the least and the
    most by the ranges of both rows, and the time of its rounds then; None: not
    predicted."""
    saved, down, up, rounds = None, 0, 0, 0
    for phase in result["phases"]:
        before, after = row_of(phase, "as-is"), row_of(phase, strategy)
        if phase["apart"] or not before or not after:
            continue
        steps = part_of(phase["rounds"], recorded) / 1e6
        steps *= phase["wall_ns"] / phase["total_ns"]  # side by side
        saved = (saved or 0) + steps * (before["round_ns"] - after["round_ns"])
        rounds += steps * after["round_ns"]
        down = math.hypot(down, steps * (before["round_ns"] - before["low_ns"]),
                          steps * (after["high_ns"] - after["round_ns"]))
        up = math.hypot(up, steps * (before["high_ns"] - before["round_ns"]),
                        steps * (after["round_ns"] - after["low_ns"]))
    return None if saved is None else (saved, saved - down, saved + up,
                                      rounds)


def first_step(result):
    steps = [step for step in result["plan"] if not step["apart"]]
    if steps:
        return f"`{steps[0]['strategy']}`"
    return "nothing" if result["verdict"]["known"] else "not known"


def is_near(saved, real):
    return abs(saved - real) <= NEAR * real


def near_others(savings):
    """How many are near the median of the others."""
    return sum(is_near(statistics.median(savings[:i] + savings[i + 1:]), real)
               for i, real in enumerate(savings) if len(savings) > 1)


def rows_of(xferspy, data):
    """The rows of a folder: of its programs, or of each of their processes."""
    for name, times in json.loads((data / "times.json").read_text()).items():
        recorded = times.pop("steps", STEPS)
        result = report(xferspy, data, name)
        measured = {way: statistics.median(all_)
                    for way, all_ in times.items()}
        first = next(iter(times.values()))
        before = next(iter(measured.values()))
        for way, strategy, change in WAYS.get(name) or WAYS[name.partition("-")[0]]:
            if way not in measured:
                continue
            saved = saved_ms(result, strategy,
                             recorded) if strategy else None
            real = before - measured[way]
            turns = [is_near(turn - measured[way], real) for turn in first]
            yield (name, change, before, measured[way], strategy, saved,
                   None if saved is None else (saved[0] - real) / real,
                   first_step(result), (max(first) - min(first)) / real,
                   sum(turns) / len(turns))


def near_of(rows):
    return sum(abs(row[6]) <= NEAR for row in rows)


def decidable(rows):
    """In how many of the rows whose turns of the first way differ little the
    saving is near, and in how many of the others."""
    by = {True: [], False: []}
    for row in rows:
        by[row[8] <= DECIDABLE].append(row)
    return (f"The turns before differ by at most {100 * DECIDABLE:.0f} % of the "
            f"saving in {len(by[True])} rows: it is within {100 * NEAR:.0f} % in "
            f"{near_of(by[True])} of these, and in {near_of(by[False])} of the "
            f"other {len(by[False])}.")


def table(rows, turns=False):
    """turns: also by which part of the saving the turns before differ."""
    told = [row for row in rows if row[6] is not None]
    inside = sum(row[5][1] <= row[2] - row[3] <= row[5][2] for row in told)
    lines = [
        "| program | change | before | after | rounds | strategy | saved | "
        "predicted | range | error | first step |"
        + (" turns before differ by |" if turns else ""),
        "| --- | --- | ---: | ---: | ---: | --- | ---: | ---: | --- | ---: | "
        "--- |" + (" ---: |" if turns else "")]
    for (program, change, before, after, strategy, saved, error, first,
         differ, _) in rows:
        lines.append(
            f"| {program} | {change} | {before:.3g} | {after:.3g} | "
            f"{f'{saved[3]:.3g}' if saved else '–'} | "
            f"{f'`{strategy}`' if strategy else '–'} | {before - after:.3g} | "
            + (f"{saved[0]:.3g} | {saved[1]:.3g}–{saved[2]:.3g} | "
               f"{100 * error:+.0f} % | " if saved else "– | – | – | ")
            + f"{first} |" + (f" {100 * differ:.0f} % |" if turns else ""))
    lines += ["", f"The saving is predicted within {100 * NEAR:.0f} % in "
              f"{near_of(told)} of {len(told)} rows, and inside the range in "
              f"{inside}."]
    lines += [decidable(told)] if turns else []
    return "\n".join(lines) + "\n"


def times_table(rows):
    """Of rounds alone: tracing makes each of many small copies longer."""
    lines = ["| program | change | before | after | strategy | predicted | error "
             "|", "| --- | --- | ---: | ---: | --- | ---: | ---: |"]
    for program, change, before, after, strategy, saved, *_ in rows:
        lines.append(
            f"| {program} | {change} | {before:.3g} | {after:.3g} | "
            f"`{strategy}` | " +
            (f"{saved[3]:.3g} | {100 * (saved[3] / after - 1):+.0f} % |"
             if saved else "– | – |"))
    return "\n".join(lines) + "\n"


def spread(values):
    return (max(values) - min(values)) / statistics.median(values)


def told_if_wide(part):
    return f"{100 * part:.0f} %" if part > NEAR else "–"


def programs_table(hosts):
    """Of all processes of a program: the errors; how many are near by the
    prediction, by what the others of their host measured, and by one turn of the
    first way that the process itself measured; by how much the measured savings
    of processes of a host differ, and, in the middle process, the turns of the
    first way, relative to the saving, if by more than NEAR."""
    ways = {}
    for host, rows in enumerate(hosts):
        for row in (row for row in rows if row[4]):  # with a strategy
            way = ways.setdefault((row[0].rpartition("-")[0], row[1]), {})
            way.setdefault(host, []).append(row)
    lines = ["| program | change | processes | median error | errors | within "
             f"{100 * NEAR:.0f} % | by the others | by a turn | savings of "
             "processes differ by | turns before differ by |",
             "| --- | --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | "
             "---: |"]
    misses, all_errors, all_others, all_turns = set(), [], 0, 0
    for (program, change), of_hosts in ways.items():
        rows = [row for of_host in of_hosts.values() for row in of_host]
        errors = [row[6] for row in rows]
        all_errors += errors
        middle = statistics.median(errors)
        savings = [[row[2] - row[3] for row in of_host]
                   for of_host in of_hosts.values()]
        processes = max(map(spread, savings))
        others = sum(map(near_others, savings))
        turns = sum(row[9] for row in rows)
        all_others += others
        all_turns += turns
        if abs(middle) > NEAR:
            misses.add(program)
        lines.append(
            f"| {program} | {change} | {len(rows)} | {100 * middle:+.0f} % | "
            f"{100 * min(errors):+.0f} to {100 * max(errors):+.0f} % | "
            f"{sum(abs(error) <= NEAR for error in errors)} | {others} | "
            f"{turns:.1f} | {told_if_wide(processes)} | "
            f"{told_if_wide(statistics.median(row[8] for row in rows))} |")
    programs = {program for program, _ in ways}
    near = sum(abs(error) <= NEAR for error in all_errors)
    lines += ["", f"The median process is within {100 * NEAR:.0f} % in "
              f"{len(programs - misses)} of {len(programs)} programs; "
              f"single processes are in {near} of {len(all_errors)}, and miss by up to "
              f"{100 * max(map(abs, all_errors)):.0f} %. "
              "The median of what the other processes of the host measured is "
              f"within {100 * NEAR:.0f} % for {all_others}, and what one turn of "
              f"the process itself measured for {all_turns:.0f}."]
    return "\n".join(lines) + "\n"


def texts(xferspy):
    rows = list(rows_of(xferspy, HERE / "h200"))
    pieces = [row for row in rows if row[0].startswith("pieces")]
    hosts = {name: list(rows_of(xferspy, HERE / name))
             for name in ("h200-2", "h200-3", "h200-4", "h200-5", "item/h200")}
    typical = [row for name in ("h200", "h200-2")
               for row in rows_of(xferspy, HERE / "typical" / name)]
    return {"h100": table(list(rows_of(xferspy, HERE / "h100"))),
            "h200": table([row for row in rows if row not in pieces]),
            **{name: table(of_host) for name, of_host in hosts.items()},
            "programs": programs_table(list(hosts.values())),
            "pieces": times_table(pieces), "typical": table(typical, True)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--xferspy", default=ROOT / "build/bin/xferspy")
    parser.add_argument("--write", type=pathlib.Path, metavar="PAGE.md")
    args = parser.parse_args()
    for name, text in texts(args.xferspy).items():
        begin, end = BEGIN.format(name), END.format(name)
        if args.write:
            before, _, rest = args.write.read_text().partition(begin)
            args.write.write_text(before + begin + text + end +
                                  rest.partition(end)[2])
        else:
            print(text, end="")


if __name__ == "__main__":
    main()
