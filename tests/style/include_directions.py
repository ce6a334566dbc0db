#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the structure of the product's source folders.

    include_directions.py SOURCE_DIR

Data flows one way, from preload/ to report/. A room (a folder with sources)
may include its own headers and those of the rooms that ROOMS lists for it. No
two modules (x.c with x.h) may include each other in a circle, no room may hold
more than MOST_FILES files, no file more than MOST_LINES lines, no type or public
function may have a name twice, each header has "#pragma once", only VENDOR may
include CUPTI, and libraries do not print.
"""
import collections
import pathlib
import re
import sys

MOST_FILES = 40
MOST_LINES = 400
LONGER = {
    "preload/api/functions.h",  # tables
    "preload/format.h",
}
TOPS = ("preload", "analyzer", "model", "report")

# Room: the other rooms that it may include, by path from the root or from its
# own top folder. A top folder stands for all of its rooms.
ROOMS = {
    "preload": "",  # what the command shares: format.h, trace_name.h ...
    "preload/util": "preload",
    "preload/trace": "preload util",
    "preload/api": "preload util trace",
    "preload/sites": "preload util trace api",
    "preload/callstack/python": "preload util trace sites",
    "preload/callstack": "preload util trace api sites callstack/python",
    "preload/sampling": "preload util trace",
    "preload/record": "preload util trace api sites callstack sampling",
    "preload/events": "preload util trace api sites sampling record",
    "preload/cupti/counters": "preload util trace",
    "preload/cupti": "preload util trace api callstack sampling cupti/counters",
    "preload/core": "preload util trace api callstack sampling record events cupti",
    "preload/hooks": "preload util trace api sites callstack sampling record events"
                     " cupti core",
    "analyzer/util": "",
    "analyzer/records": "preload util",
    "analyzer/text": "records util",
    "analyzer/import": "preload records util",
    "analyzer/read": "preload records text import util",
    "analyzer/symbols": "preload read util",
    "analyzer/sampling": "read symbols util",
    "analyzer/timeline": "read sampling util",
    "analyzer/rounds": "read symbols sampling timeline util",
    "analyzer/dataflow": "read symbols timeline util rounds",
    "analyzer/waits": "read sampling timeline util",
    "model/machine": "analyzer/util analyzer/rounds",
    "model/replay": "analyzer/util analyzer/rounds machine",
    "model/formulas": "analyzer/util analyzer/rounds machine replay",
    "model/strategies": "analyzer/util analyzer/rounds machine replay formulas",
    "report/result": "analyzer/util model",
    "report/plan": "analyzer model result",
    "report/build": "analyzer model result plan",
    "report/timeline": "analyzer model result build",
    "report/formulas": "model result",
    "report/diff": "analyzer/util result",
    "report/job": "analyzer/util result plan diff",
    "report/render/text": "analyzer/util model result diff formulas job",
    "report/render/json": "analyzer/util model result diff formulas job",
    "report/render/html": "analyzer/util result diff job render/json",
    "report/render": "analyzer/util result diff formulas job render/text"
                     " render/json render/html",
    "report/export": "analyzer",
    "report/calibrate": "model",
    "report/commands": "preload analyzer model result build formulas"
                       " diff job timeline export render calibrate",
}
# Of the rooms that ROOMS allows, the only headers that may be included.
ONLY = {("analyzer", "preload"): {"format.h", "python_files.h"},
        ("report", "preload"): {"config.h", "format.h", "trace_name.h"},
        ("model", "analyzer"): {"phase.h", "bisect.h", "memory.h", "sort.h"}}
VENDOR = re.compile(
    r"preload/(api/function_table\.c|cupti/(cupti_api\.h|counters/profiler_api\.h))")
PRINTS = re.compile(r"\b(printf|puts|perror)\s*\(")
MAY_PRINT = ("report",)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.M)
VENDOR_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<cupti", re.M)

TYPE = re.compile(r"^(struct|enum|union) (xs_\w+)\s*\{", re.M)
# A definition: from the start of a line, not static, with a body.
FUNCTION = re.compile(r"^(?!static|typedef|#|\s)[\w \t*()]*?\b(xs_\w+)\([^;{}]*\)\s*\{",
                      re.M)


def module(path):
    return str(pathlib.PurePosixPath(path).with_suffix(""))


def room(path):
    return str(pathlib.PurePosixPath(path).parent)


def top(path):
    return path.split("/", 1)[0]


def read_sources(root):
    """Returns {path below root: text} of all C files of the product."""
    paths = (p for folder in TOPS
             for p in sorted((root / folder).rglob("*.[ch]")))
    return {str(p.relative_to(root)): p.read_text() for p in paths}


def rooms_of(name, here):
    """Returns the rooms that a name in the row of `here` stands for."""
    known = name in ROOMS or name in TOPS
    path = name if known else f"{top(here)}/{name}"
    return [path] if path in ROOMS else [r for r in ROOMS if top(r) == path]


def allowed(here):
    return {r for name in ROOMS[here].split() for r in rooms_of(name, here)}


def wrong_includes(sources):
    for path, text in sources.items():
        here = room(path)
        if here not in ROOMS:
            yield f"{here}: not in ROOMS of {sys.argv[0]}"
            continue
        for included in INCLUDE.findall(text):
            there = room(included)
            if included not in sources:
                yield f'{path}: "{included}" is no file of the product'
            elif there != here and there not in allowed(here):
                yield f'{path}: {here} may not include "{included}"'
            only = ONLY.get((top(here), top(there)))
            if only and pathlib.PurePosixPath(included).name not in only:
                yield f'{path}: {top(here)} may not include "{included}"'


def circles(sources):
    """Returns each set of modules that include each other (Tarjan)."""
    graph = collections.defaultdict(set)
    for path, text in sources.items():
        graph[module(path)] |= {module(i) for i in INCLUDE.findall(text)
                                if i in sources} - {module(path)}
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            at = stack.index(node)
            circle = stack[at:]
            del stack[at:]
            if len(circle) > 1:
                found.append(circle)

    sys.setrecursionlimit(10000)
    for node in sorted({module(p) for p in sources}):
        if node not in index:
            visit(node)
    return found


def headers_included_twice(sources):
    for path, text in sources.items():
        if path.endswith(".h") and "\n#pragma once\n" not in text:
            yield f"{path}: no #pragma once"


def names_used_twice(sources):
    """Yields types with a body and public functions of more than one file."""
    places = collections.defaultdict(set)
    for path, text in sources.items():
        for kind, name in TYPE.findall(text):
            places[f"{kind} {name}"].add(path)
        for name in FUNCTION.findall(text):
            places[f"{name}()"].add(path)
    for name, paths in sorted(places.items()):
        if len(paths) > 1:
            yield f"{name} is defined in " + " and ".join(sorted(paths))


def problems(sources):
    yield from wrong_includes(sources)
    yield from headers_included_twice(sources)
    yield from names_used_twice(sources)
    for circle in circles(sources):
        yield "circle of includes: " + " ".join(sorted(circle))
    for folder, count in collections.Counter(map(room, sources)).items():
        if count > MOST_FILES:
            yield f"{folder}: {count} files, more than {MOST_FILES}"
    for path, text in sources.items():
        if text.count("\n") > MOST_LINES and path not in LONGER:
            yield f"{path}: more than {MOST_LINES} lines"
        if VENDOR_INCLUDE.search(text) and not VENDOR.fullmatch(path):
            yield f"{path}: may not include CUPTI"
        if top(path) not in MAY_PRINT and PRINTS.search(text):
            yield f"{path}: libraries do not print"


def main():
    sources = read_sources(pathlib.Path(sys.argv[1]))
    found = list(problems(sources))
    print("\n".join(found) or f"{len(sources)} files, nothing wrong")
    if len(sources) < 100:
        sys.exit("too few files seen")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
