# SPDX-License-Identifier: MIT
"""The section of docs/overhead.md on the instructions of a call."""
from figures import WAYS, table, wrap
from found import medians

CALLS = {"launch": "An empty launch", "copy": "`cudaMemcpyAsync`, 4 KiB"}


def rows_of(counts, ways):
    """Of {way: {object: instructions}}: the objects of most of them first."""
    most = {}
    for objects in counts.values():
        for name, count in objects.items():
            most[name] = max(count, most.get(name, 0))
    rows = [[f"`{name}`",
             *(f"{counts[way].get(name, 0):,.0f}" for way in ways)]
            for name in sorted(most, key=most.get, reverse=True) if most[name]]
    return [*rows, ["all", *(f"{sum(counts[way].values()):,.0f}"
                             for way in ways)]]


def padded(parts, counted):
    """{part: {way: {object: instructions}}} with all objects that any has."""
    return {part: {way: {name: objects.get(name, 0)
                         for other in counted
                         for name in other.get(part, {}).get(way, {})}
                   for way, objects in ways.items()}
            for part, ways in parts.items()}


def call_lines(name, counts):
    ways = [way for way in WAYS if way in counts]
    return [f"{name}:", "",
            *table(["", *(WAYS[way] for way in ways)], rows_of(counts, ways)),
            ""]


def instruction_section(several):
    """Of [(host, results)]: the medians of all that counted them."""
    counted = [results["instructions"] for _, results in several
               if results.get("instructions")]
    if not counted:
        return []
    parts = medians([padded(parts, counted) for parts in counted])
    return [
        "## Instructions of a call", "",
        wrap("""What no other work of a host can change: the instructions of the
        calling thread in a call of a shared runtime, by the object that they are
        in, stepped through after so many others that light has let go of CUPTI
        (`examples/overhead/instructions.cu`, medians; CUDA's own way differs
        from call to call):"""), "",
        *(line for part, name in CALLS.items() if part in parts
          for line in call_lines(name, parts[part]))]
