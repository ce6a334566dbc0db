# SPDX-License-Identifier: MIT
"""Limits of a summary's figures: what a test lets no change make worse."""
import json
import math
import sys

# Times that differ by less are equal.
NEAR_PERCENT = 3


def figures(summary):
    """Returns the summary as limits: numbers that a change may only lower, and
    numbers that it may only raise."""
    at_most, at_least = {}, {}
    for name, family in summary["families"].items():
        if family["replay"]["rows"]:
            at_most[f"{name}: mean error, %"] = family["replay"]["mean"]
            at_most[f"{name}: largest error, %"] = family["replay"]["largest"]
            at_least[f"{name}: inside, %"] = family["inside"]
        at_least[f"{name}: rows"] = family["replay"]["rows"]
    # wider for shipped: those profiles are the median of other machines
    for profile, families in summary["first_use"].items():
        for name, family in families.items():
            replay = family["replay"]
            if replay["rows"]:
                key = f"{profile}, {name}: "
                at_most[key + "mean error, %"] = replay["mean"]
                at_most[key + "largest error, %"] = replay["largest"]
                at_least[key + "inside, %"] = family["inside"]
    at_most["fastest not named first"] = sum(
        r["named"] != r["fastest"] for r in summary["ranks"])
    at_most["advised n: not within 3 %"] = sum(
        a["loss"] > NEAR_PERCENT for a in summary["advised"])
    at_least["traces with counted kernels"] = summary["counted"]
    at_least["fastest: cases"] = len(summary["ranks"])
    at_least["advised n: cases"] = len(summary["advised"])
    return {"at_most": at_most, "at_least": at_least}


def record(summary, path):
    """Writes limits, rounded so that the same run passes."""
    reached = figures(summary)
    limits = {
        "at_most": {key: math.ceil(10 * value) / 10
                    for key, value in reached["at_most"].items()},
        "at_least": {key: math.floor(10 * value) / 10
                     for key, value in reached["at_least"].items()}}
    path.write_text(json.dumps(limits, indent=2) + "\n")


def check(summary, path):
    """Prints each limit that does not hold. Returns whether all hold."""
    limits = json.loads(path.read_text())
    reached = figures(summary)
    failed = [f"{key} {reached['at_most'].get(key)}, at most {limit}"
              for key, limit in limits["at_most"].items()
              if not reached["at_most"].get(key, math.inf) <= limit]
    failed += [f"{key} {reached['at_least'].get(key)}, at least {limit}"
               for key, limit in limits["at_least"].items()
               if not reached["at_least"].get(key, -1) >= limit]
    for line in failed:
        print(f"accuracy.py: {line}", file=sys.stderr)
    return not failed
