# SPDX-License-Identifier: MIT
"""The section of docs/overhead.md on the instructions of a call."""
from figures import WAYS, table, wrap
from found import medians

CALLS = {"launch": "An empty launch", "copy": "`cudaMemcpyAsync`, 4 KiB"}


def cell(instructions, lines):
    return f"{instructions:,.0f}" + (f" in {lines:,.0f}" if lines else "")


def rows_of(counts, lines, ways):
    """Returns a row for each object, the most instructions first.

    counts, lines: {way: {object: count}}"""
    most = {}
    for objects in counts.values():
        for name, count in objects.items():
            most[name] = max(count, most.get(name, 0))
    rows = [[f"`{name}`",
             *(cell(counts[way].get(name, 0), lines.get(way, {}).get(name, 0))
               for way in ways)]
            for name in sorted(most, key=most.get, reverse=True) if most[name]]
    return [*rows, ["all", *(cell(sum(counts[way].values()),
                                  sum(lines.get(way, {}).values()))
                             for way in ways)]]


def padded(parts, counted):
    """Returns {part: {way: {object: count}}} with every object in every way."""
    return {part: {way: {name: objects.get(name, 0)
                         for other in counted
                         for name in other.get(part, {}).get(way, {})}
                   for way, objects in ways.items()}
            for part, ways in parts.items()}


def middle(several, key):
    """Returns the medians of all results that counted them, or {}."""
    counted = [results[key] for _, results in several if results.get(key)]
    return medians([padded(parts, counted) for parts in counted]) \
        if counted else {}


def call_lines(name, counts, lines):
    ways = [way for way in WAYS if way in counts]
    return [f"{name}:", "",
            *table(["", *(WAYS[way] for way in ways)],
                   rows_of(counts, lines, ways)), ""]


def instruction_section(several):
    """several: [(host, results)]"""
    parts, lines = (middle(several, key) for key in ("instructions", "lines"))
    if not parts:
        return []
    return [
        "## Instructions of a call", "",
        wrap("""The number of instructions that the calling thread executes does
        not depend on what else the host does. The tables show the instructions
        of a call through a shared runtime by object, and the number of 64-byte
        cache lines that they occupy (`examples/overhead/instructions.cu`,
        medians). The call is single-stepped after so many others that light
        mode has detached CUPTI. A single-stepped call takes longer than the time
        between two flushes. The column of xferspy therefore contains the
        request of CUPTI for a new buffer, which follows each flush: some 500
        instructions in CUPTI and libc. The path inside CUDA varies from call to call."""), "",
        *(line for part, name in CALLS.items() if part in parts
          for line in call_lines(name, parts[part], lines.get(part, {})))]
