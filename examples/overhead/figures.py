# SPDX-License-Identifier: MIT
"""Figures and text as docs/overhead.md has them."""
import math
import statistics
import textwrap

WAYS = {"nothing": "nothing", "records": "CUPTI's records alone",
        "xferspy": "xferspy", "nsys": "nsys", "nsys-node": "nsys by node",
        "light": "xferspy light"}
NONE = "–"


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
