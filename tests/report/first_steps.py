#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the first step of reports with what an engineer would do first.

    first_steps.py XFERSPY SOURCE

SOURCE/tests/report/advice/expected.json has what is expected, and
docs/advice.md lists every trace for which the report says something else, with what
it says; and how many agree on a first use, without a calibration. So it does for
typical.json beside it, of which fewer agree, and for the traces that are kept of
others.json, contact17.json, contact18.json, contact19.json and contact20.json.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

# The shipped profiles are the median of other machines than that of the traces.
LEAST_PERCENT, LEAST_AT_FIRST_PERCENT = 94, 93
WORDS = {"pinned": "pin", "reuse": "reuse", "resident": "resident",
         "resident-throughout": "resident", "double-buffer": "overlap",
         "prefetch": "overlap", "async": "overlap", "batch": "batch",
         "batch-call": "batch", "batch-kernel": "batch",
         "graph": "graph", "streams": "split", "mapped": "mapped",
         "hybrid": "mapped", "device-initiated": "device"}


def report_on(xferspy, source, row, *options):
    return json.loads(subprocess.run(
        [xferspy, "report", *options, "--format", "json", source / row["trace"]],
        stdout=subprocess.PIPE, check=True,
        env=os.environ | {"XDG_DATA_HOME": "/nowhere"}).stdout)


def calibrated(source, row):
    return "--machine", source / row.get(
        "machine", "examples/validate/results/h200-machine.json")


def name_of(row):
    trace = pathlib.Path(row["trace"])
    return f"{trace.parts[1]}/{trace.stem}" if "machine" in row else trace.stem


def first_step(report):
    """Returns the report's first step for the steady part in one word."""
    if not report["verdict"]["known"] or not report["verdict"]["repeats"]:
        return "unknown"
    for step in report["plan"]:
        if step["apart"]:
            continue
        if "are too small" in step["text"]:
            return "larger-pieces"
        return WORDS[step["strategy"]]
    return "nothing"


def rounds_of(phase):
    """Returns how many rounds count: a first one that warms up does not."""
    return phase["rounds"] - (phase["warm_up_ns"] > 0)


def over_limit(report):
    """Returns what saves more than the verdict's limit, and whether the limit
    leaves less than the kernels and the fastest rows take."""
    def of_run(phase, round_ns):
        beside = phase["wall_ns"] / phase["total_ns"] if phase["beside_ns"] else 1
        return round_ns * rounds_of(phase) * beside

    limit_ns = report["verdict"]["at_most_saves_ns"]
    if limit_ns is None:
        return
    most_ns = 0
    for phase in report["phases"]:
        if phase["apart"]:
            continue
        busy_ns = phase["kernel_busy_ns"] or 0
        now_ns = phase["round_ns"] - phase["tracer_ns"]
        for row in phase["estimates"]:
            if not row["applies"] or row["model"] != "replay" or \
                    WORDS.get(row["strategy"], "graph") == "graph":
                continue
            off_ns = row["known_high_ns"] - row["round_ns"]
            off_ns = max(off_ns ** 2 - row["shared_high_ns"] ** 2, 0) ** 0.5
            high_ns = row["otherwise_ns"] or row["round_ns"] + off_ns
            if max(row["round_ns"], high_ns) >= now_ns - 1 and \
                    row["high_ns"] - row["low_ns"] > row["round_ns"]:
                continue  # it may be slower than now, in a wide range
            saves_ns = row["saves_ns"] + (row["setup_ns"] or 0)
            busy_ns = min(busy_ns, row["round_ns"])
            # a row is of the median round, the limit of all as they were;
            # of rounds side by side, a row is an upper bound,
            # and behind the last one, no host works
            if (saves_ns > 1.02 * limit_ns + row["between_ns"] + 1 and
                    not phase["beside_ns"]):
                yield (f"phase {phase['id']}, {row['strategy']} saves more than "
                       "the verdict's limit")
        # of rounds longer than the median one, as large a part
        all_ns = phase["wall_ns"] * (1 - phase["warm_up_ns"] / phase["total_ns"])
        longer = max(all_ns / max(of_run(phase, phase["round_ns"]), 1), 1)
        most_ns += of_run(phase, phase["round_ns"] - busy_ns) * longer
    if (report["verdict"]["at_most_steady_ns"] >
            report["verdict"]["steady_ns"]):
        yield "the verdict's limit is more than the steady part"
    if limit_ns > most_ns + 1:
        yield "the verdict's limit leaves less than the kernels take"


def blocked_otherwise(report):
    """Returns where the host's waits are not what the totals say."""
    for name, part in ("run", report), ("steady part", report["steady"]):
        if part is None:
            continue
        waited_ns = sum(wait["waited_ns"] for wait in part["waits"])
        if waited_ns != part["totals"]["host_blocked_ns"]:
            yield f"the waits of the {name} are not its host blocked"


def saved_ns(report, step):
    """Returns what a step saves, without its setup if this run is too short."""
    if step["pays_rounds"] is None:
        return step["adds_saves_ns"]
    rounds = next(rounds_of(phase) for phase in report["phases"]
                  if phase["id"] == step["phase"])
    return (step["round_before_ns"] - step["round_ns"]) * rounds


def agrees(row, said):
    return said in [row["first"], *row["also_right"]]


def faults_of(report):
    """Returns what no report may say."""
    faults = [*over_limit(report), *blocked_otherwise(report)]
    steady = sum(step["adds_saves_ns"] for step in report["plan"]
                 if not step["apart"] and step["pays_rounds"] is None)
    if steady > (report["verdict"]["at_most_saves_ns"] or 0) and report["plan"]:
        faults.append("the plan saves more than the verdict's limit")
    for step in report["plan"]:
        whole = (report["trace"]["wall_ns"] if step["apart"]
                 else report["verdict"]["steady_ns"])
        if saved_ns(report, step) < whole // 100:
            faults.append(f"step {step['step']} saves less than 1 %")
        if (step["saves_low_ns"] or 0) < 0 and not step["question"]:
            faults.append(f"step {step['step']} may be slower, and is no question")
        if step["code"] and step["code"].count("\n") > 2:
            faults.append(f"step {step['step']} has more than three lines")
    return faults


def opening_faults(xferspy, source, row, report):
    """Returns where the sentence that the report opens with is not of its plan."""
    text = subprocess.run([xferspy, "report", *calibrated(source, row),
                           source / row["trace"]], stdout=subprocess.PIPE,
                          check=True, text=True,
                          env=os.environ | {"XDG_DATA_HOME": "/nowhere"}).stdout
    opening = " ".join(text.partition("In short:")[2]
                       .partition("Verdict:")[0].split())
    steady = any(not step["apart"] and step["pays_rounds"] is None
                 for step in report["plan"])
    if report["plan"] and "nothing is worth it" in opening:
        yield "nothing is worth it, above a plan with steps"
    if steady and "register it instead of" in opening:
        yield "what comes once leads, although a step is of the rounds"


def are_told(xferspy, source, page, kind):
    """Returns whether the page tells what typical or others' programs are told, and
    no report on them says what none may."""
    rows = [row for row in json.loads(
        (source / f"tests/report/advice/{kind}.json").read_text())
            if (source / row["trace"]).exists()]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        reports, at_first = (list(pool.map(lambda row: report_on(
            xferspy, source, row, *options(row)), rows)) for options in (
                lambda row: calibrated(source, row), lambda row: ()))
    said, at_first = ([first_step(report) for report in of_rows]
                      for of_rows in (reports, at_first))
    told = True
    for row, report, word in zip(rows, reports, said):
        name = f"{kind}/{pathlib.Path(row['trace']).stem}"
        for fault in [*faults_of(report),
                      *opening_faults(xferspy, source, row, report)]:
            print(f"{name}: {fault}")
            told = False
        if not agrees(row, word) and \
                f"| `{name}` | {word} | {row['first']} |" not in page:
            print(f"{name}: {word}, expected {row['first']}: not in docs/advice.md")
            told = False
    counts = [sum(map(agrees, rows, words)) for words in (said, at_first)]
    count = f"{counts[0]} of {len(rows)} agree, and {counts[1]} without a calibration"
    print(f"{kind} programs: {count}")
    return told and count in page


def main(xferspy, source):
    source = pathlib.Path(source)
    rows = json.loads((source / "tests/report/advice/expected.json")
                      .read_text())
    page = (source / "docs/advice.md").read_text()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        reports = list(pool.map(lambda row: report_on(
            xferspy, source, row, *calibrated(source, row)), rows))
        openings = list(pool.map(lambda row, report: list(opening_faults(
            xferspy, source, row, report)), rows, reports))
        at_first = list(pool.map(lambda row: agrees(row, first_step(report_on(
            xferspy, source, row))), rows))
    failed, agreed = False, collections.Counter()
    for row, report, opening in zip(rows, reports, openings):
        said = first_step(report)
        name = name_of(row)
        for fault in [*faults_of(report), *opening]:
            print(f"{name}: {fault}")
            failed = True
        if agrees(row, said):
            agreed[row["first"]] += 1
            explained = f"| `{name}` |" not in page
        else:
            print(f"{name}: {said}, expected {row['first']}")
            explained = f"| `{name}` | {said} | {row['first']} |" in page
        if not explained:
            print(f"{name}: docs/advice.md is out of date")
            failed = True
    for word, count in collections.Counter(r["first"] for r in rows).items():
        print(f"{word}: {agreed[word]} of {count}")
    counts = (f"{agreed.total()} of {len(rows)} agree",
              f"{sum(at_first)} of {len(rows)} without a calibration")
    for count in counts:
        print(count)
        if count not in " ".join(page.split()):
            print("docs/advice.md says otherwise")
            failed = True
    for kind in "typical", "others", "contact17", "contact18", "contact19", \
            "contact20":
        failed |= not are_told(xferspy, source, " ".join(page.split()), kind)
    return (failed or agreed.total() < LEAST_PERCENT * len(rows) / 100
            or sum(at_first) < LEAST_AT_FIRST_PERCENT * len(rows) / 100)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
