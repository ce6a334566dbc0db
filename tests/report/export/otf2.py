# SPDX-License-Identifier: MIT
"""Reads an archive of OTF2 by otf2-print."""
import collections
import re
import subprocess

EVENT = re.compile(r'(ENTER|LEAVE) +(\d+) +(\d+)  Region: "(.*)" <(\d+)>')
METRIC = re.compile(r'METRIC +(\d+) +(\d+)  Metric: 0, 2 Values: \(.*?; UINT64; (\d+)\), '
                    r'\(.*?; DOUBLE; (\S+)\)')
CALL = re.compile(r'ADDITIONAL ATTRIBUTES: \("call" <0>; UINT64; (\d+)\)')
REGION = re.compile(r'REGION +(\d+)  Name: .*, Role: (\w+), Paradigm: (\w+),')
LOCATION = re.compile(r'LOCATION +(\d+)  Name: "(.*)" <\d+>, Type: (\w+), # Events: (\d+), '
                      r'Group: "(.*)" <\d+>')

Slice = collections.namedtuple("Slice", "location start end name role paradigm")
Location = collections.namedtuple("Location", "name type events group")
Archive = collections.namedtuple("Archive", "slices locations copies calls faults text")


def lines(*arguments):
    done = subprocess.run(["otf2-print", *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    return done.stdout.decode(), done.stderr.decode()


def definitions(text):
    regions = {m[1]: (m[2], m[3]) for m in REGION.finditer(text)}
    locations = {m[1]: Location(m[2], m[3], int(m[4]), m[5])
                 for m in LOCATION.finditer(text)}
    return regions, locations


def read(folder):
    """copies: (bytes, rate) of each; calls: how often each number of a call occurs;
    faults: what breaks the format's rules."""
    anchor = str(folder / "traces.otf2")
    head, error = lines("-G", anchor)
    regions, locations = definitions(head)
    text, more = lines(anchor)
    faults, slices, copies = [error, more], [], []
    stacks, last = collections.defaultdict(list), {}
    events, calls = collections.Counter(), collections.Counter()
    for line in text.splitlines():
        metric, event, call = METRIC.match(line), EVENT.match(line), CALL.search(line)
        if call:
            calls[call[1]] += 1
        if metric:
            events[metric[1]] += 1
            if metric[3] != "0":
                copies.append((int(metric[3]), float(metric[4])))
        if not event:
            continue
        kind, location, at, name, region = event.groups()
        events[location] += 1
        if int(at) < last.get(location, 0):
            faults.append(f"back in time: {line}")
        last[location] = int(at)
        if kind == "ENTER":
            stacks[location].append((region, int(at)))
            continue
        entered, start = stacks[location].pop()
        if entered != region:
            faults.append(f"not nested: {line}")
        slices.append(Slice(location, start, int(at), name, *regions[region]))
    faults += [f"not left: {stack}" for stack in stacks.values() if stack]
    faults += [f"{where}: {location}" for where, location in locations.items()
               if events[where] != location.events]
    return Archive(slices, locations, copies, calls, [f for f in faults if f], head + text)
