# SPDX-License-Identifier: MIT
"""Formats figures and text for docs/overhead.md."""
import math
import statistics
import textwrap

WAYS = {"nothing": "untraced", "records": "CUPTI's records alone",
        "xferspy": "xferspy", "xferspy-nodes": "xferspy by node",
        "nsys": "nsys", "nsys-node": "nsys by node",
        "light": "xferspy light"}
NONE = "–"
LEAST_FOR_HALF = 4  # values: fewer have no middle half


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


def mean_of(groups):
    """Returns the mean of values that were measured in groups, and its standard
    error. Values of one GPU's session correlate, so the error of several groups
    comes from the scatter of their means; that of one group from its values."""
    values = groups[0] if len(groups) == 1 else \
        [statistics.fmean(group) for group in groups]
    return (statistics.fmean(values),
            statistics.stdev(values) / math.sqrt(len(values)))


def with_error(mean, error):
    return f"{duration(mean, '+')} ± {duration(error)}"


def share_of(mean, error, whole):
    return f"{100 * mean / whole:.1f} ± {100 * error / whole:.1f} %"


def added(groups):
    """Returns the mean of what light adds in groups of pairs (two or more pairs
    in all), its standard error, and the mean of the untraced runs."""
    return (*mean_of([[light - nothing for nothing, light in pairs]
                      for pairs in groups]),
            mean_of([[nothing for nothing, _ in pairs]
                     for pairs in groups])[0])


def added_text(mean, error, plain):
    return f"{with_error(mean, error)}, {share_of(mean, error, plain)}"
