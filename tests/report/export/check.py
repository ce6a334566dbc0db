#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""xferspy export: the questions of docs/sqlite.md have the report's answers, protoc
reads what is for Perfetto by the published numbers of fields, otf2-print has the same
sums, and no name, full disk or earlier file is harmed. Without protoc, or OTF2, it is
skipped (77) after the rest.

    check.py XFERSPY SOURCES
"""
import collections
import contextlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile

import otf2

XFERSPY, SOURCES = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
HERE = pathlib.Path(__file__).parent
TRACES = SOURCES / "examples/traces"
LISTED = SOURCES / "tests/report/traces"
RECORDED = (TRACES / "stencil-512-pageable.xspy", TRACES / "stencil-512-pinned.xspy",
            TRACES / "chain-16777216-pinned.xspy", LISTED / "pageable.txt",
            LISTED / "two-kernels.txt", LISTED / "nvtx.txt",
            SOURCES / "examples/putget/h100/peer.xspy",
            SOURCES / "tests/report/dataflow/layers-pinned.xspy")
FILES = ("perfetto", "sqlite")
THREADS = 30000
CALLS = 400000  # 11 MB in OTF2
HOSTILE = 'q\'"); DROP TABLE op;--\\x1b[31m <é>'
# OTF2's library leaks when a file cannot be written.
LEAKS = os.environ | {
    "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
failed = False


def check(what, fine):
    global failed
    if not fine:
        print(f"failed: {what}")
        failed = True


def run(*arguments, **how):
    return subprocess.run([XFERSPY, *map(str, arguments)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, **how)


def export(target, trace, folder):
    out = folder / f"out.{target}"
    done = run("export", "--to", target, trace, "-o", out)
    check(f"{trace.name} to {target}: {done.stderr}", done.returncode == 0)
    return out


def report_of(trace):
    return json.loads(run("report", trace, "--format", "json", "--machine", "h200",
                          "--by-range").stdout)


def ask(database, report, trace):
    """Compares the answers to the questions of the page with the report."""
    page = (SOURCES / "docs/sqlite.md").read_text()
    questions = re.findall(r"^```sql\n(.*?)^```", page, re.M | re.S)
    answers = [database.execute(question).fetchall() for question in questions]
    check("five questions", len(questions) == 5)
    totals = report["totals"]
    copied = {kind: row for kind, *row in answers[0]}
    busy = dict(answers[1])
    for kind in ("h2d", "d2h"):
        check(f"{trace}: {kind}", copied.get(kind, [0, 0]) ==
              [totals[f"{kind}_bytes"], totals[f"{kind}_ops"]])
    for kind in ("h2d", "d2h", "d2d", "p2p", "kernel"):
        check(f"{trace}: time of {kind}", busy.get(kind, 0) == totals[f"{kind}_ns"])
    check(f"{trace}: GPU", (answers[2][0][0] or 0) == totals["gpu_busy_ns"])
    check(f"{trace}: pinning", (answers[3][0][0] or 0) == totals["pinned_alloc_ns"])
    check(f"{trace}: pageable", sum(row[0] for row in answers[4])
          == totals["pageable_async_ops"])
    check(f"{trace}: run", database.execute("SELECT wall_ns FROM run").fetchone()[0]
          == report["trace"]["wall_ns"])
    seen = database.execute("SELECT (SELECT count(*) FROM call), "
                            "(SELECT sum(copies) FROM op)").fetchone()
    check(f"{trace}: rows {seen}", seen[0] == report["coverage"]["api_calls_seen"])


def parse(lines):
    """A message in protoc's text: {field: [values]}."""
    message = collections.defaultdict(list)
    for line in lines:
        line = line.strip()
        if line == "}":
            break
        if line.endswith("{"):
            message[line[:-2]].append(parse(lines))
        else:
            name, _, value = line.partition(": ")
            message[name].append(value)
    return message


def one(message, field, without=None):
    return message[field][0] if message[field] else without


def read_perfetto(path):
    """Decodes a file by perfetto.proto; every number must be in it."""
    with open(path, "rb") as file:
        done = subprocess.run(["protoc", "--decode=Trace", f"-I{HERE}",
                               "perfetto.proto"], stdin=file, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
    text = done.stdout.decode()
    check(f"protoc: {done.stderr}", done.returncode == 0 and text)
    check("only known fields", not re.search(r"^\s*\d+[: ]", text, re.M))
    return parse(iter(text.splitlines()))["packet"]


def count(database, query):
    return database.execute(f"SELECT count(*) FROM {query}").fetchone()[0]


def check_flows(flows, database, trace):
    """A flow for each op joins it to its call, and to nothing else."""
    told = {str(call + 1): ops + 1 for call, ops in database.execute(
        "SELECT call, count(*) FROM op WHERE call IS NOT NULL GROUP BY call")}
    check(f"{trace}: flows {flows} {told}",
          told and told == {flow: n for flow, n in flows.items() if n > 1})
    check(f"{trace}: flows", sum(flows.values()) - sum(told.values())
          <= count(database, "calls") - len(told))


def check_rates(rates, database, trace):
    """The rate of copies adds up to their bytes, and is 0 in the end."""
    check(f"{trace}: rates end", all(points[-1][1] == 0 for points in rates.values()))
    area = sum((b[0] - a[0]) * a[1] / 1e9 for points in rates.values()
               for a, b in zip(points, points[1:]))
    told = database.execute("SELECT ifnull(sum(bytes), 0) FROM op WHERE duration_ns > 0 "
                            "AND kind IN ('h2d', 'd2h')").fetchone()[0]
    check(f"{trace}: rates {area} {told}", abs(area - told) <= 1e-6 * told)


def check_perfetto(packets, report, trace, database):
    names, tracks, slices, flows, rates = {}, {}, [], collections.Counter(), {}
    open_slices = {}
    for packet in packets:
        for interned in packet["interned_data"]:
            for entry in interned["event_names"]:
                names[one(entry, "iid")] = one(entry, "name")
        for track in packet["track_descriptor"]:
            parent = one(track, "parent_uuid")
            check(f"{trace}: parent", parent is None or parent in tracks)
            tracks[one(track, "uuid")] = track
        for event in packet["track_event"]:
            track, at = one(event, "track_uuid"), int(one(packet, "timestamp"))
            kind = one(event, "type")
            check(f"{trace}: track", track in tracks)
            if kind == "TYPE_SLICE_BEGIN":
                check(f"{trace}: name", one(event, "name_iid") in names)
                check(f"{trace}: one at a time", track not in open_slices)
                open_slices[track] = at
                flows.update(event["flow_ids"])
            elif kind == "TYPE_SLICE_END":
                slices.append((track, open_slices.pop(track), at))
            else:
                rates.setdefault(track, []).append(
                    (at, float(one(event, "double_counter_value"))))
    ends = {}
    for track, begin, end in slices:
        check(f"{trace}: overlap", begin >= ends.get(track, 0) and end >= begin)
        ends[track] = end
    check(f"{trace}: all ended", not open_slices)
    coverage = report["coverage"]
    # several copies may be one record
    check(f"{trace}: {len(slices)} slices",
          0 < len(slices) - count(database, "range") - coverage["api_calls_seen"]
          <= coverage["gpu_ops_seen"])
    check_flows(flows, database, trace)
    check_rates(rates, database, trace)
    return names


def write_hostile(folder):
    path = folder / "hostile.txt"
    text = (LISTED / "nvtx.txt").read_text()
    path.write_text(text.replace('text="forward"', 'text="' + HOSTILE.replace(
        '"', '\\"') + '"'))
    return path


def write_threads(folder, name, tids):
    """Each thread makes one call of an unknown site and has one range without a name;
    another one has a range alone."""
    lines = (LISTED / "nvtx.txt").read_text().splitlines()
    head = lines[:next(i for i, line in enumerate(lines) if line.startswith("copycall"))]
    for i, tid in enumerate(tids):
        head += [f"thread tid={tid}", f"call site=99 correlation=0 start={i} duration=1",
                 f"nvtx start={i} duration=2"]
    path = folder / name
    path.write_text("\n".join([*head, f"thread tid={THREADS + 9}",
                               "nvtx start=5 duration=1"]) + "\n")
    return path


def seconds(trace, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    export("perfetto", trace, folder)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def check_threads(folder, decodes):
    """A track for each thread, in a time that does not depend on their order."""
    tids = range(1, THREADS + 1)
    up = write_threads(folder, "up.txt", tids)
    down = write_threads(folder, "down.txt", reversed(tids))
    took = [seconds(trace, folder) for trace in (up, down)]
    check(f"threads in another order: {took}", took[1] < 5 * max(took[0], 0.1))
    few = write_threads(folder, "few.txt", (3, 1, 2))
    database = sqlite3.connect(export("sqlite", few, folder))
    calls = database.execute("SELECT thread, function FROM calls").fetchall()
    check(f"unknown sites: {calls}", calls == [(3, None), (1, None), (2, None)])
    database.close()
    if not decodes:
        return
    packets = read_perfetto(export("perfetto", few, folder))
    threads = {one(one(track, "thread"), "tid") for packet in packets
               for track in packet["track_descriptor"] if track["thread"]}
    check(f"threads: {threads}", threads == {"1", "2", "3", str(THREADS + 9)})
    names = collections.Counter(one(entry, "name") for packet in packets
                                for interned in packet["interned_data"]
                                for entry in interned["event_names"])
    check(f"one name each: {names}", names['"range"'] == names['"call"'] == 1)


def write_overlap(folder):
    """On one stream, ever more kernels at once: first two, in the end 19."""
    lines = (LISTED / "nvtx.txt").read_text().splitlines()
    head = lines[:next(i for i, line in enumerate(lines) if line.startswith("copycall"))]
    path = folder / "overlap.txt"
    path.write_text("\n".join(head + [
        f"kernel queue=0 correlation=0 start={start} duration={ns} shape=1"
        for start, ns in ((0, 1000), (100, 10), (500, 1000), (1500, 10), *(
            (2000 + i, 1000) for i in range(19)))]) + "\n")
    return path


def check_overlap(folder):
    """What overlaps has locations of its own; the 17th at once begins late."""
    archive = otf2.read(export("otf2", write_overlap(folder), folder))
    shutil.rmtree(folder / "out.otf2")
    check(f"overlap: {archive.faults}", not archive.faults)
    times = sorted((part.start, part.end - part.start) for part in archive.slices)
    check(f"kernels that overlap: {times}", times[:4] == [
        (0, 1000), (100, 10), (500, 1000), (1500, 10)] and times[4:] == sorted([
            *((2000 + i, 1000) for i in range(16)), (3015, 1), (3016, 1), (3017, 1)]))
    check("locations", {location.name for location in archive.locations.values()}
          == {"GPU 0, stream 7"} and len(archive.locations) == 16)
    parts = sorted(archive.slices, key=lambda part: (part.location, part.start))
    check("one after the other", all(a.location != b.location or a.end <= b.start
                                     for a, b in zip(parts, parts[1:])))
    few = otf2.read(export("otf2", write_threads(folder, "few.txt", (3, 1, 2)), folder))
    check(f"a call in a range that starts with it: {few.locations} {few.faults}",
          len(few.locations) == 4 and not few.faults)


def limit_size():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))


def check_failures(folder):
    trace = RECORDED[0]
    for target in FILES:
        out = folder / f"kept.{target}"
        out.write_text("earlier")
        done = run("export", "--to", target, trace, "-o", out, preexec_fn=limit_size)
        check(f"{target}: no room: {done}", done.returncode == 2)
        check(f"{target}: the earlier file stays", out.read_text() == "earlier")
        done = run("export", "--to", target, trace, "-o", "/dev/full")
        check(f"{target}: /dev/full: {done}", done.returncode == 2)
        check(f"{target}: no rest", len(list(folder.glob("kept*.part"))) == 0)
    for wrong in (("export", trace), ("export", "--to", "nothing", trace, "-o", "x"),
                  ("export", "--to", "sqlite", trace),
                  ("export", "--to", "sqlite", trace, "-o", "-"),
                  ("export", "--to", "sqlite", "-o", trace, trace)):
        check(wrong, run(*wrong).returncode == 1)
    check("standard output", "it does not write to standard output" in run(
        "export", "--to", "sqlite", trace, "-o", "-").stderr.decode())
    check("no trace", run("export", "--to", "sqlite", "gone", "-o",
                          folder / "gone.db").returncode == 2)
    check("the output first", "/nowhere/" in run(
        "export", "--to", "sqlite", "gone", "-o", "/nowhere/x").stderr.decode())
    check("no file", not (folder / "gone.db").exists())
    (folder / "old.db-wal").write_text("of an earlier database")
    done = run("export", "--to", "sqlite", trace, "-o", folder / "old.db")
    check(f"beside a log: {done}", done.returncode == 2)
    check("no file beside a log", not (folder / "old.db").exists())
    with contextlib.closing(sqlite3.connect(folder / "theirs.db")) as db:
        db.execute("CREATE TABLE run (mine)")
        db.commit()
    before = (folder / "theirs.db").read_bytes()
    done = run("export", "--to", "sqlite", RECORDED[0], "-o", folder / "theirs.db")
    check(f"a database of others: {done}", done.returncode == 2 and
          b"that export did not write; give -o another" in done.stderr
          and (folder / "theirs.db").read_bytes() == before)
    for _ in range(2): # ours, or an empty file, is replaced
        (folder / "ours.db").touch()
        done = run("export", "--to", "sqlite", RECORDED[0], "-o", folder / "ours.db")
        check(f"a database of ours: {done}", done.returncode == 0)


def check_folder(folder):
    """An earlier folder stays; nothing stays of one that was not written."""
    trace, out = RECORDED[0], folder / "archive"
    arguments = ("export", "--to", "otf2", trace, "-o", out)
    out.mkdir()
    for arguments_of in (arguments, ("export", "--to", "otf2", "gone", "-o", out)):
        check("an empty folder", run(*arguments_of).returncode == 2 and out.is_dir())
    (out / "traces.csv").write_text("earlier")
    done = run(*arguments)
    check(f"an earlier folder: {done}", done.returncode == 2 and
          b"File exists; delete it, or give -o another folder" in done.stderr)
    check("it stays", [path.name for path in out.iterdir()] == ["traces.csv"])
    shutil.rmtree(out)
    check("an archive", run(*arguments).returncode == 0)
    before = sorted(out.rglob("*"))
    check("an earlier archive", run(*arguments, preexec_fn=limit_size).returncode == 2)
    check("it stays, too", sorted(out.rglob("*")) == before)
    shutil.rmtree(out)
    done = run(*arguments, preexec_fn=limit_size, env=LEAKS)
    check(f"OTF2: no room: {done}", done.returncode == 2 and not out.exists())
    check(f"one message: {done}", done.stderr.count(b"\n") == 1
          and b"File too large" in done.stderr)
    done = run("export", "--to", "otf2", trace, "-o", "./" * 2041 + "long", cwd=folder,
               env=LEAKS)
    check(f"OTF2: the cause: {done}", done.returncode == 2 and
          b"File name too long; give -o another" in done.stderr)
    check("OTF2: nothing stays", not (folder / "long").exists())
    check("OTF2: no trace", run("export", "--to", "otf2", "gone", "-o", out).returncode
          == 2 and not out.exists())
    done = run("export", "--to", "otf2", trace, "-o", "/nowhere/x")
    check("OTF2: no folder above", done.returncode == 2)
    os.mkfifo(folder / "pipe")
    done = run("export", "--to", "sqlite", trace, "-o", folder / "pipe")
    check(f"a pipe: {done}", done.returncode == 2 and b"pipe" in done.stderr)


def check_full_disk(folder):
    """OTF2's library ends the process if what it has in memory cannot be written."""
    lines = (LISTED / "nvtx.txt").read_text().splitlines()
    head = lines[:next(i for i, line in enumerate(lines) if line.startswith("copycall"))]
    trace, disk = folder / "calls.txt", folder / "disk"
    trace.write_text("\n".join(head + [
        f"call site=99 correlation=0 start={10 * i} duration=5" for i in range(CALLS)]))
    disk.mkdir()
    mounted = ["unshare", "--mount", "sh", "-c",
               'mount -t tmpfs -o size=$0 none "$1" && shift && "$@"']
    if subprocess.run([*mounted, "1m", disk, "true"], capture_output=True).returncode:
        print("no file system of our own: a full one is not tried")
        return
    for size in ("1m", "6m", "20m"):
        done = subprocess.run([*mounted, size, disk, XFERSPY, "export", "--to", "otf2",
                               trace, "-o", disk / "x"], capture_output=True,
                              env=LEAKS)
        check(f"OTF2 on {size}: {done}", done.returncode == 2 and
              b"No space left on device; check the free" in done.stderr)


def check_empty(folder, reads_otf2):
    """A trace without a call or op."""
    path = folder / "empty.txt"
    path.write_text("".join(line for line in (LISTED / "nvtx.txt").open()
                            if line.startswith(("xferspy-text", "header", "chunk"))))
    database = sqlite3.connect(export("sqlite", path, folder))
    rows = [count(database, table) for table in ("run", "call", "op", "busy")]
    check(f"empty: {rows}", rows == [1, 0, 0, 0])
    database.close()
    check("empty for Perfetto", export("perfetto", path, folder).stat().st_size)
    if reads_otf2:
        archive = otf2.read(export("otf2", path, folder))
        check(f"empty for OTF2: {archive}", not archive.faults and not archive.slices
              and len(archive.locations) == 1)
        shutil.rmtree(folder / "out.otf2")


def check_large(folder):
    """Numbers beyond SQLite's integers do not become negative."""
    path, most = folder / "large.txt", 2 ** 64 - 1
    path.write_text(re.sub(r"^((?:copy|copycall) .*)bytes=\d+", rf"\1bytes={most}",
                           (LISTED / "nvtx.txt").read_text(), flags=re.M))
    database = sqlite3.connect(export("sqlite", path, folder))
    for table in ("call", "op"):
        values = {row[0] for row in database.execute(
            f"SELECT bytes FROM {table} WHERE bytes <> 0")}
        check(f"large numbers: {values}", values == {float(most)})
    database.close()


def has_otf2(folder):
    """Without the library the command says what to install."""
    done = run("export", "--to", "otf2", RECORDED[0], "-o", folder / "first")
    lacks = b"libotf2-trace-dev" in done.stderr
    check(f"otf2: {done}", done.returncode == (2 if lacks else 0))
    return not lacks and shutil.which("otf2-print")


def main():
    protoc = shutil.which("protoc")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        reads_otf2 = has_otf2(folder)
        for trace in (*RECORDED, write_hostile(folder)):
            report = report_of(trace)
            database = sqlite3.connect(export("sqlite", trace, folder))
            ask(database, report, trace.name)
            found = database.execute("SELECT count(*) FROM range WHERE name LIKE ?",
                                     ("%DROP TABLE op%",)).fetchone()[0]
            check("hostile name", (found > 0) == (trace.name == "hostile.txt"))
            check("no escape sequences",
                  not any("\x1b" in str(value)
                          for table in ("range", "site", "kernel", "run")
                          for row in database.execute(f"SELECT * FROM {table}")
                          for value in row))
            if reads_otf2:
                archive = otf2.read(export("otf2", trace, folder))
                for fault in (*archive.faults,
                              *otf2.differences(archive, database, report)):
                    check(f"{trace.name}: {fault}", False)
                check("no escape sequences in OTF2", "\x1b" not in archive.text)
                shutil.rmtree(folder / "out.otf2")
            packets = export("perfetto", trace, folder)
            if protoc:
                names = check_perfetto(read_perfetto(packets), report, trace.name,
                                       database)
                check("named", trace.name != "hostile.txt" or
                      any("DROP TABLE" in name for name in names.values()))
            database.close()
            (folder / "out.sqlite").unlink()
        check_threads(folder, protoc)
        check_failures(folder)
        check_large(folder)
        check_empty(folder, reads_otf2)
        if reads_otf2:
            check_folder(folder)
            check_full_disk(folder)
            check_overlap(folder)
    sys.exit(1 if failed else 0 if protoc and reads_otf2 else 77)


if __name__ == "__main__":
    main()
