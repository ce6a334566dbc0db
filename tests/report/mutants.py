#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Damages recorded traces and gives them to report, dump, diff and export, which have
to end with an exit code of their own.

    mutants.py XFERSPY COUNT [TRACE...]

Without traces: those of examples/traces. The damage is the same in each run.
Under a sanitizer, a finding of its own ends the command otherwise.
"""
import gzip
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
XFERSPY, COUNT = sys.argv[1], int(sys.argv[2])
TRACES = [pathlib.Path(name).resolve() for name in sys.argv[3:]] or sorted(
    (HERE / "../../examples/traces").resolve().glob("*.xspy"))
SECONDS = 120
EDGES = (0, 1, 4, 255, 4095, 4096, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF)
COMMANDS = (("report", "--all", "--atgpu"), ("report", "--format", "html"), ("dump",),
            ("report", "--by-range", "--dataflow", "--pinned-budget", "1G"),
            ("report", "--format", "csv"), ("report", "--format", "json"), ("diff",),
            *(("export", "--to", to) for to in ("perfetto", "sqlite")))


def place(chance, data):
    """Most of a trace is records, which begin at multiples of 4; headers of
    chunks begin a page."""
    if chance.random() < 0.3:
        return min(chance.randrange(0, len(data), 4096) + 4 * chance.randrange(16),
                   len(data) - 4)
    return chance.randrange(0, len(data) - 4) & ~3


def damage(chance, data):
    """Changes some bytes, words or parts of a trace, or cuts it."""
    data = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 4, 16))):
        at = place(chance, data)
        kind = chance.randrange(5)
        if kind == 0:
            data[at + chance.randrange(4)] ^= 1 << chance.randrange(8)
        elif kind == 1:
            data[at + chance.randrange(4)] = chance.randrange(256)
        elif kind == 2:
            data[at:at + 4] = chance.choice(EDGES).to_bytes(4, "little")
        elif kind == 3:
            part = data[place(chance, data):][:4 * chance.randrange(1, 32)]
            data[at:at + len(part)] = part
        elif chance.random() < 0.2:
            del data[max(at, 4096):]
    return data


def run(command, *files):
    """Returns what is wrong, or None."""
    try:
        done = subprocess.run([XFERSPY, *command, *files], timeout=SECONDS,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, check=False)
    except subprocess.TimeoutExpired:
        return f"takes more than {SECONDS} s"
    text = done.stderr.decode(errors="replace")
    if done.returncode in (0, 2) and "runtime error" not in text:
        return None
    return f"exits with {done.returncode}: {text[:2000]}"


def main():
    found = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for number in range(COUNT):
            chance = random.Random(number)
            trace = TRACES[number % len(TRACES)]
            mutant = folder / "mutant.xspy"
            data = trace.read_bytes()
            data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
            mutant.write_bytes(damage(chance, data))
            for command in COMMANDS:
                files = (trace, mutant) if command == ("diff",) else (mutant,)
                if command[0] == "export":
                    files += ("-o", folder / "exported")
                wrong = run(command, *files)
                if wrong:
                    found += 1
                    print(f"mutant {number} of {trace.name}: {' '.join(command)} {wrong}")
    print(f"{COUNT} mutants, {len(COMMANDS)} commands each, {found} found")
    return 1 if found or not TRACES else 0


sys.exit(main())
