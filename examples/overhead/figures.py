# SPDX-License-Identifier: MIT
"""Figures and text as docs/overhead.md has them."""
import math
import statistics
import textwrap

WAYS = {"nothing": "nothing", "records": "CUPTI's records alone",
        "xferspy": "xferspy", "nsys": "nsys", "nsys-node": "nsys by node",
        "light": "xferspy light"}
NONE = "–"
LEAST_FOR_HALF = 4  # values, to speak of their middle half


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
    """The mean of what was measured in groups, and its standard error. What one
    GPU measured in a session has more in common than what several did: so
    several groups tell by how their means scatter, and one by its values."""
    values = groups[0] if len(groups) == 1 else \
        [statistics.fmean(group) for group in groups]
    return (statistics.fmean(values),
            statistics.stdev(values) / math.sqrt(len(values)))


def with_error(mean, error):
    return f"{duration(mean, '+')} ± {duration(error)}"


def share_of(mean, error, whole):
    return f"{100 * mean / whole:.1f} ± {100 * error / whole:.1f} %"


def added(groups):
    """What light adds in the mean of groups of pairs, two or more in all, its
    standard error, and the mean with nothing."""
    return (*mean_of([[light - nothing for nothing, light in pairs]
                      for pairs in groups]),
            mean_of([[nothing for nothing, _ in pairs]
                     for pairs in groups])[0])


def added_text(mean, error, plain):
    return f"{with_error(mean, error)}, {share_of(mean, error, plain)}"
