#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The predictions for putget's recorded runs stay within limits, and docs/models.md
prints them as they are.

    test_putget_measured.py FOLDER-OF-PREDICT MODELS.md
"""
import pathlib
import re
import subprocess
import sys

FOLDER, PAGE = map(pathlib.Path, sys.argv[1:3])
# Mean and largest error of the worst run, in per cent, by line and by parameters.
LIMITS = {("ping-pong", "host"): {"line": (6, 15), "parameters": (8, 19)},
          ("ping-pong", "assisted"): {"line": (5.5, 12.5), "parameters": (6.1, 22)},
          ("ping-pong", "direct"): {"line": (4.3, 30), "parameters": (9.1, 63)},
          ("streaming", "host"): {"line": (9, 47), "parameters": (12.2, 56)},
          ("streaming", "assisted"): {"line": (6.5, 24.2), "parameters": (12, 34)},
          ("streaming", "direct"): {"line": (9.7, 53.5), "parameters": (26, 85)}}
ORDERS = 95  # per cent
# predict.py's arguments of a table, and how many tables it prints
CALLS = ((("1.json", "2.json"), 4),
         (("--machine", "../../initiated/h100/machine.json", "3.json"), 2))


PEER = ((10, 25), re.compile(r"Off by ([\d.]+) % in the mean, ([\d.]+) % at most"))


def peer_is_wrong():
    """Prints the table of copies between GPUs if the page has another one, or if it
    errs by more than the targets."""
    table = subprocess.run([FOLDER / "peers.py"], stdout=subprocess.PIPE, text=True,
                           check=True).stdout
    limits, pattern = PEER
    errors = map(float, pattern.search(table).groups())
    wrong = (table not in PAGE.read_text(encoding="utf-8")
             or any(error > limit for error, limit in zip(errors, limits)))
    print(table if wrong else "", end="")
    return wrong


def breaches(output):
    """Returns the lines of the tables beyond their limits, and the number of tables
    and rows."""
    wrong, by, tables, rows = [], None, 0, 0
    for line in output.splitlines():
        words = line.split()
        if line.startswith("predicted by"):
            by, tables = words[-1], tables + 1
        elif line.endswith("%"):
            mean, _, largest = (float(word.rstrip("%")) for word in words[-3:])
            limits = LIMITS[tuple(words[:2])][by]
            rows += 1
            if mean > limits[0] or largest > limits[1]:
                wrong.append(line)
        elif match := re.search(r"right: (\d+) of (\d+)", line):
            right, count = map(int, match.groups())
            if right * 100 < ORDERS * count:
                wrong.append(line)
    return wrong, tables, rows


def is_right(arguments, expected):
    """Prints what is not."""
    output = subprocess.run(["../predict.py", *arguments], cwd=FOLDER / "h100",
                            stdout=subprocess.PIPE, text=True, check=True).stdout
    wrong, tables, rows = breaches(output)
    current = output in PAGE.read_text(encoding="utf-8")
    if not wrong and tables == expected and rows == 7 * tables and current:
        return True
    print(output)
    print("beyond the limits:", *wrong, sep="\n")
    print("" if current else f"{PAGE} prints other tables")
    return False


def main():
    right = all([is_right(*call) for call in CALLS])
    return 0 if right and not peer_is_wrong() else 1


if __name__ == "__main__":
    sys.exit(main())
