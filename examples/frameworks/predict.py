#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares predictions with measured times of programs in Python.

h100/times.json has what measure.sh measured, ms per step of each way, and h100/
the trace of each program's first way and that machine's calibration. --write
writes docs/frameworks.md.
"""
import argparse
import json
import math
import pathlib
import statistics
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
DATA = HERE / "h100"
STEPS = 45  # of a trace, with those that warm up
NEAR = 0.1  # errors of the saving up to this part of it

# Way, the strategy that predicts it, and the change in the framework's words.
WAYS = {
    "loader": [("pinned", "pinned",
                "`DataLoader(pin_memory=True)`, `non_blocking=True`")],
    "to_device": [("pinned", "pinned",
                   "`pin_memory()` once, `copy_(..., non_blocking=True)`")],
    "item": [("kept", None, "`loss.item()` after the loop")],
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
}

# Of the largest errors, as times.json, the traces and those of a second process
# show them.
CAUSES = """\
The largest errors, whose causes the trace of the first way does not show:

- `to_device`: the copies of the traced run take 25 % longer in its first second
  than after it (copies out 25.2, then 20.1 ms; copies in 4.9, then 3.7 ms), and
  in another traced process in its first half second. The timed runs last 5 s,
  most of them in the faster state. The report has the median of the run it saw.
  The step after the change is predicted right.
- `kv_paging`: the model gathers the blocks with one thread, at the profile's rate
  of copies in host memory, which takes 0.36 ms. After the change the whole step
  takes 0.27: `index_select` gathers with several threads. The range begins at no
  time for this.
- `jax_put`: most of a step is the work of JAX's own threads on the host. Their
  traced steps take 2.55 and 2.72 ms, the untraced ones 2.74 to 3.15, and the
  saving of one process is 0.52 ms, that of another 0.64.
- `numba_steps`, of which only `rounds` is far off: numba's work for arrays of
  numpy between the calls stays in the prediction, and is not needed for arrays on
  the device.
""".splitlines()


def report(xferspy, program):
    done = subprocess.run(
        [xferspy, "report", "--format", "json", "--machine",
         DATA / "machine.json", DATA / f"{program}.xspy"],
        capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def row_of(phase, strategy):
    """Returns the fastest estimate of a strategy, or None."""
    rows = [row for row in phase["estimates"] if row["model"] == "replay" and
            row["strategy"] == strategy and row["applies"]]
    return min(rows, key=lambda row: row["round_ns"], default=None)


def saved_ms(result, strategy):
    """Returns what the strategy saves in each step without the tracer, in ms,
    with the least and the most by the ranges of both rows, and the time of its
    rounds then; None: not predicted."""
    saved, down, up, rounds = None, 0, 0, 0
    for phase in result["phases"]:
        before, after = row_of(phase, "as-is"), row_of(phase, strategy)
        if phase["apart"] or not before or not after:
            continue
        steps = max(1, round(phase["rounds"] / STEPS)) / 1e6
        untraced_ns = before["round_ns"] - (before["tracer_ns"] or 0)
        saved = (saved or 0) + steps * (untraced_ns - after["round_ns"])
        rounds += steps * after["round_ns"]
        down = math.hypot(down, steps * (untraced_ns - before["low_ns"]),
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


def rows_of(xferspy):
    times = json.loads((DATA / "times.json").read_text())
    for program, ways in WAYS.items():
        result = report(xferspy, program)
        measured = {way: statistics.median(all_)
                    for way, all_ in times[program].items()}
        before = next(iter(measured.values()))
        for way, strategy, change in ways:
            saved = saved_ms(result, strategy) if strategy else None
            real = before - measured[way]
            yield (program, change, before, measured[way], strategy, saved,
                   None if saved is None else (saved[0] - real) / real,
                   first_step(result))


def page(rows):
    told = [row for row in rows if row[6] is not None]
    near = sum(abs(row[6]) <= NEAR for row in told)
    inside = sum(row[5][1] <= row[2] - row[3] <= row[5][2] for row in told)
    lines = [
        "# Frameworks", "",
        "<!-- Written by examples/frameworks/predict.py --write. -->", "",
        "Programs in Python (`examples/frameworks`) on an NVIDIA H100, each "
        "traced as it",
        "is first and timed untraced in every way. Times are the median of "
        "ten turns, five",
        "in each of two processes (`item`: five in one), in ms per step; the "
        "prediction is",
        "from the trace of the first way, in a third process, and the "
        "machine's calibration.",
        "The cost of tracing (`tracer_ns` of `as-is`) is subtracted from the "
        "traced rounds: no",
        "change saves it. The range is that of the rounds as they are and of "
        "the strategy.",
        "Some of the error is the spread of processes: `before` of one "
        "process differs from",
        "that of another by up to 15 %, and of the traced ones by up to 25 "
        "%: `rounds`,",
        "the predicted time of a step's rounds after the change, does not "
        "depend on `before`.",
        "It lacks the host's time between rounds, nearly half of a step of "
        "`loader`.", "",
        "| program | change | before | after | rounds | strategy | saved | "
        "predicted | range | error | first step |",
        "| --- | --- | ---: | ---: | ---: | --- | ---: | ---: | --- | ---: | "
        "--- |"]
    for (program, change, before, after, strategy, saved, error,
         first) in rows:
        lines.append(
            f"| {program} | {change} | {before:.3g} | {after:.3g} | "
            f"{f'{saved[3]:.3g}' if saved else '–'} | "
            f"{f'`{strategy}`' if strategy else '–'} | {before - after:.3g} | "
            + (f"{saved[0]:.3g} | {saved[1]:.3g}–{saved[2]:.3g} | "
               f"{100 * error:+.0f} % | " if saved else "– | – | – | ")
            + f"{first} |")
    lines += ["", f"The saving is predicted within {100 * NEAR:.0f} % in "
              f"{near} of {len(told)} rows, and inside the range in {inside}.",
              "", *CAUSES]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--xferspy", default=ROOT / "build/bin/xferspy")
    parser.add_argument("--write", type=pathlib.Path, metavar="PAGE.md")
    args = parser.parse_args()
    text = page(list(rows_of(args.xferspy)))
    if args.write:
        args.write.write_text(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
