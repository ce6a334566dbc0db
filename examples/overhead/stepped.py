# SPDX-License-Identifier: MIT
"""The section of docs/overhead.md on the instructions of a call."""
from figures import WAYS, table, wrap
from found import medians

CALLS = {"launch": "An empty launch", "copy": "`cudaMemcpyAsync`, 4 KiB"}


def cell(instructions, lines):
    return f"{instructions:,.0f}" + (f" in {lines:,.0f}" if lines else "")


def rows_of(counts, lines, ways):
    """Of {way: {object: count}}: the objects of most instructions first."""
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
    """{part: {way: {object: count}}} with all objects that any has."""
    return {part: {way: {name: objects.get(name, 0)
                         for other in counted
                         for name in other.get(part, {}).get(way, {})}
                   for way, objects in ways.items()}
            for part, ways in parts.items()}


def middle(several, key):
    """The medians of all that counted them; {}: nobody did."""
    counted = [results[key] for _, results in several if results.get(key)]
    return medians([padded(parts, counted) for parts in counted]) \
        if counted else {}


def call_lines(name, counts, lines):
    ways = [way for way in WAYS if way in counts]
    return [f"{name}:", "",
            *table(["", *(WAYS[way] for way in ways)],
                   rows_of(counts, lines, ways)), ""]


def instruction_section(several):
    """Of [(host, results)]"""
    parts, lines = (middle(several, key) for key in ("instructions", "lines"))
    if not parts:
        return []
    return [
        "## Instructions of a call", "",
        wrap("""What no other work of a host can change: the instructions of the
        calling thread in a call of a shared runtime, by the object that they are
        in, and in how many lines of the cache, of 64 bytes, they lie
        (`examples/overhead/instructions.cu`, medians). They are stepped through
        after so many other calls that light has let go of CUPTI. Such a call
        takes longer than xferspy has between two flushes: the buffer that CUPTI
        asks for after each, some 500 instructions of its own and of libc's, is in
        xferspy's. CUDA's own way differs from call to call."""), "",
        *(line for part, name in CALLS.items() if part in parts
          for line in call_lines(name, parts[part], lines.get(part, {})))]
