#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the structure of the product's source folders.

    include_directions.py SOURCE_DIR

Data flows one way, from preload/ to report/. A room (a folder with sources)
may include its own headers and those of the rooms that ROOMS lists for it. No
two modules (x.c with x.h) may include each other in a circle, no room may hold
more than MOST_FILES files, only VENDOR may include CUPTI, and libraries do not
print.
"""
import collections
import pathlib
import re
import sys

MOST_FILES = 40

# Room: the other rooms that it may include.
ROOMS = {
    "preload": "",
    "analyzer": "preload",
    "model": "analyzer",
    "report/result": "model",
    "report/build": "analyzer model report/result",
    "report/formulas": "model report/result",
    "report/diff": "report/result",
    "report/render/text": "model report/result report/diff report/formulas",
    "report/render/json": "report/result report/diff report/formulas",
    "report/render": "report/result report/diff report/formulas"
                     " report/render/text report/render/json",
    "report/calibrate": "model",
    "report/commands": "analyzer model report/result report/build"
                       " report/formulas report/diff report/render"
                       " report/calibrate",
}
# Of the rooms that ROOMS allows, the only headers that may be included.
ONLY = {("analyzer", "preload"): {"format.h"}, ("model", "analyzer"): {"phase.h"}}
VENDOR = re.compile(r"preload/(cupti_api\.h|profiler\.c)")
PRINTS = re.compile(r"\b(printf|puts|perror)\s*\(")
MAY_PRINT = ("report",)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.M)
VENDOR_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<cupti", re.M)


def module(path):
    return str(pathlib.PurePosixPath(path).with_suffix(""))


def room(path):
    return str(pathlib.PurePosixPath(path).parent)


def top(path):
    return path.split("/", 1)[0]


def read_sources(root):
    """Returns {path below root: text} of all C files of the product."""
    paths = (p for folder in ("preload", "analyzer", "model", "report")
             for p in sorted((root / folder).rglob("*.[ch]")))
    return {str(p.relative_to(root)): p.read_text() for p in paths}


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
            elif there != here and there not in ROOMS[here].split():
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


def problems(sources):
    yield from wrong_includes(sources)
    for circle in circles(sources):
        yield "circle of includes: " + " ".join(sorted(circle))
    for folder, count in collections.Counter(map(room, sources)).items():
        if count > MOST_FILES:
            yield f"{folder}: {count} files, more than {MOST_FILES}"
    for path, text in sources.items():
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
