#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The predictions of `xferspy model --control` for putget's recorded runs stay within
limits, the README beside them prints them as they are, and docs/models.md their sums.

    test_putget_measured.py FOLDER-OF-PREDICT MODELS.md XFERSPY
"""
import pathlib
import re
import subprocess
import sys

FOLDER, MODELS = map(pathlib.Path, sys.argv[1:3])
PAGE = FOLDER / "README.md"
XFERSPY = pathlib.Path(sys.argv[3]).resolve()
TARGET = 10, 25  # mean and largest error in per cent, of the line
# The same of the worst run between the GPU and the host, by parameters.
LIMITS = {("ping-pong", "host"): (14.4, 24.3),
          ("ping-pong", "assisted"): (20.9, 35.1),
          ("ping-pong", "direct"): (12.6, 30.7),
          ("streaming", "host"): (8, 25),
          ("streaming", "assisted"): (29.3, 45.2),
          ("streaming", "direct"): (11.7, 42.2)}
# One row of the third run, which is of one pass, and of the seventh is beyond it.
LINE = (TARGET, TARGET, (TARGET[0], 26), TARGET, TARGET, TARGET, (TARGET[0], 28), TARGET,
        TARGET)
ORDERS = 95  # per cent
# the folder and predict.py's arguments of each run's tables
CALLS = (("h200", "--machine", "machine.json", "1.json"),
         ("h200", "--machine", "machine-2.json", "2.json"),
         ("h200", "--machine", "machine-3.json", "3.json"),
         ("h100", "--machine", "machine-4.json", "4.json"),
         ("h200", "--machine", "machine-5.json", "5.json"),
         ("h200", "--machine", "machine-6.json", "6.json"),
         ("h200", "--machine", "machine-7.json", "7.json"),
         ("h200", "--machine", "machine-8.json", "8.json"),
         ("h200", "--machine", "machine-peers.json", "peers.json"))


PEERS = len(CALLS) - 1  # between two GPUs
PEER_LIMITS = 25.7, 56.8
PEER = re.compile(r"line: off by ([\d.]+) % in the mean, ([\d.]+) % at most")


def peer_is_wrong():
    """Prints the table of copies between GPUs if the page has another one, or if it
    errs by more than the targets."""
    table = subprocess.run([sys.executable, "-B", FOLDER / "peers.py"],
                           stdout=subprocess.PIPE, text=True,
                           check=True).stdout
    errors = map(float, PEER.search(table).groups())
    wrong = (table not in PAGE.read_text(encoding="utf-8")
             or any(error > limit for error, limit in zip(errors, TARGET)))
    print(table if wrong else "", end="")
    return wrong


def counters_are_wrong():
    """Prints the table of counted kernels if the page has another one."""
    table = subprocess.run([sys.executable, "-B", FOLDER / "counted.py",
                            "--xferspy", XFERSPY],
                           stdout=subprocess.PIPE, text=True, check=True).stdout
    wrong = table not in PAGE.read_text(encoding="utf-8")
    print(table if wrong else "", end="")
    return wrong


def breaches(output, call):
    """Returns the lines of the tables beyond their limits, and the number of tables
    and rows."""
    wrong, by, tables, rows = [], None, 0, 0
    for line in output.splitlines():
        words = line.split()
        if line.startswith("predicted by"):
            by, tables = words[-1], tables + 1
        elif line.endswith("%"):
            mean, _, largest = (float(word.rstrip("%")) for word in words[-3:])
            limits = (LINE[call] if by == "line" else PEER_LIMITS if call == PEERS
                      else LIMITS[tuple(words[:2])])
            rows += 1
            if mean > limits[0] or largest > limits[1]:
                wrong.append(line)
        elif match := re.search(r"right, .*: (\d+) of (\d+)", line):
            right, count = map(int, match.groups())
            if right * 100 < ORDERS * count:
                wrong.append(line)
    return wrong, tables, rows


def sums(outputs):
    """Returns what docs/models.md prints of all runs between the GPU and the host: times
    inside their ranges, and answers near the best of one message and of many."""
    for what in "inside the ranges", "best, ping-pong", "best, streaming":
        counts = re.findall(rf"{what}[^:]*: (\d+) of (\d+)", "\n".join(outputs))
        inside, count = (sum(map(int, numbers)) for numbers in zip(*counts))
        yield f"{inside:,} of the {count:,}" if what[0] == "i" else f"{inside} of {count}"


def is_right(call, outputs):
    """Prints what is not; appends its output."""
    folder, *arguments = CALLS[call]
    expected = 2
    output = subprocess.run(["../predict.py", "--xferspy", XFERSPY, *arguments],
                            cwd=FOLDER / folder, stdout=subprocess.PIPE, text=True,
                            check=True).stdout
    outputs.append(output)
    wrong, tables, rows = breaches(output, call)
    current = output in PAGE.read_text(encoding="utf-8")
    if not wrong and tables == expected and rows == 7 * tables and current:
        return True
    print(output)
    print("beyond the limits:", *wrong, sep="\n")
    print("" if current else f"{PAGE} prints other tables")
    return False


def main():
    outputs = []
    right = all([is_right(call, outputs) for call in range(len(CALLS))])
    page = MODELS.read_text(encoding="utf-8")
    lacks = [text for text in sums(outputs[:PEERS]) if text not in page]
    if lacks:
        print(f"{MODELS} lacks:", *lacks)
    wrong = [peer_is_wrong(), counters_are_wrong(), *lacks]
    return 0 if right and not any(wrong) else 1


if __name__ == "__main__":
    sys.exit(main())
