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


def covered(slices):
    """The time in which at least one runs."""
    total = until = 0
    for part in sorted(slices, key=lambda part: part.start):
        total += max(0, part.end - max(part.start, until))
        until = max(until, part.end)
    return total


def sums(rows):
    found = collections.defaultdict(lambda: [0, 0])
    for name, ns in rows:
        found[name][0] += 1
        found[name][1] += ns
    return dict(found)


def differences(archive, database, report):
    """From the calls, ranges and ops in SQL, and from the sums of the report."""
    totals, by_role = report["totals"], collections.defaultdict(list)
    for part in archive.slices:
        on_gpu = archive.locations[part.location].type == "ACCELERATOR_STREAM"
        by_role[on_gpu, part.role].append(part)
    for role, query in (
            ((False, "FUNCTION"), "SELECT ifnull(function, 'call'), duration_ns FROM calls"),
            ((False, "CODE"), "SELECT ifnull(name, 'range'), duration_ns FROM range"),
            ((True, "DATA_TRANSFER"),
             "SELECT kind, duration_ns FROM op WHERE kind <> 'kernel'"),
            ((True, "FUNCTION"), "SELECT ifnull(kernel_name, 'kernel'), duration_ns "
                                 "FROM ops WHERE kind = 'kernel'")):
        found = sums((part.name, part.end - part.start) for part in by_role[role])
        told = sums(database.execute(query))
        if found != told:
            yield f"{role}: {found} {told}"
    copies = by_role[True, "DATA_TRANSFER"]
    times = {f"{kind}_ns": covered(part for part in copies if part.name == kind)
             for kind in ("h2d", "d2h", "d2d", "p2p")}
    times["kernel_ns"] = covered(by_role[True, "FUNCTION"])
    yield from (f"OTF2's {key}: {ns} and {totals[key]}" for key, ns in times.items()
                if ns != totals[key])
    if len(by_role[False, "FUNCTION"]) != report["coverage"]["api_calls_seen"]:
        yield "number of calls"
    told = database.execute("SELECT bytes, 1e9 * bytes / duration_ns FROM op "
                            "WHERE bytes > 0 AND duration_ns > 0").fetchall()
    if len(told) != len(archive.copies) or any(
            a[0] != b[0] or abs(a[1] - b[1]) > 1e-4 * b[1]
            for a, b in zip(sorted(archive.copies), sorted(told))):
        yield "bytes or rates"
    if not any(n > 1 for n in archive.calls.values()):
        yield "no op has its call"
