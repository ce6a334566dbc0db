#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares predictions with measured times of programs that others wrote.

table.json has the programs and what each variant changed, recordings.json the
sections of the page. MACHINE/HALF.json has the times of the programs, MACHINE/HALF/ a
trace of each as its authors wrote it, MACHINE/counters/ the counters of its kernels if
they were counted, and MACHINE/machine.json that machine's calibration. MACHINE is
contact for the half of first contact, contact-2 and so on for the programs added
later, wherever they were recorded. --write writes docs/corpus.md and contacts.md.
"""
import argparse
import collections
import concurrent.futures
import itertools
import json
import math
import os
import pathlib
import statistics
import subprocess

import targets
from targets import NEAR, error, first_steps, is_inside, kept, shares_of_best
from targets import spread, winners

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# Machine, half, the heading of the section of all with that half, whether it tests the
# result (true), the shipped profiles alone ("profiles") or nothing, and its own column
# among the targets.
RECORDINGS = json.loads((HERE / "recordings.json").read_text())
# Variants, and the strategies that predict them unless table.json names another.
STRATEGIES = {"pinned": "pinned", "streams": "streams",
              "double": "double-buffer", "mapped": "mapped", "reuse": "reuse",
              "batch": "batch", "graph": "graph", "async": "async",
              "resident": "resident", "throughout": "resident-throughout"}
ORDER = ("as-is", *STRATEGIES.values())
# These keep pageable copies, and what the first of them touches.
KEEP_COPIES = ("as-is", "reuse", "graph", "async", "resident",
               "resident-throughout")
PIECES = 4  # of the variant "streams"
# Of the time outside the rounds, by which runs differ: XS_STEP_OTHER_PERCENT.
OTHER = 0.15
NUMBERS = {2: "Two", 3: "Three"}
# --machine: a calibration of the same host, none, so that the shipped profile of the
# GPU is taken, and one from the trace.
PROFILES = (HERE / "{machine}/machine.json", None, "fitted")

LATE = [recording["machine"] for recording in RECORDINGS[4:]]  # contact 3 on

# rounds_ms: of the rounds that the strategy changes, a part of predicted_ms;
# runs_ms: of the variant, of the baseline, and the traced one; rounds: number.
Row = collections.namedtuple("Row", "program strategy measured_ms predicted_ms "
                             "low_ms high_ms rounds_ms why runs_ms rounds",
                             defaults=[None, None])


def report(xferspy, machine, half, name, profile):
    trace = HERE / machine / half / f"{name}.xspy"
    counters = HERE / machine / "counters" / f"{name}.xspy"
    option = ["--machine", profile] if profile else []
    option += ["--counters", counters] if counters.exists() else []
    done = subprocess.run([xferspy, "report", "--format", "json", *option,
                           trace], capture_output=True, text=True, check=True,
                          env={**os.environ, "XDG_DATA_HOME": "/nonexistent"})
    return json.loads(done.stdout)


def reports_of(xferspy, machine, half, names, profile):
    """Returns the reports by name; several are made at a time."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(names, pool.map(
            lambda name: report(xferspy, machine, half, name, profile), names)))


def estimate_of(phase, strategy):
    """Returns the phase's row of the strategy, and why there is none."""
    rows = [row for row in phase["estimates"]
            if row["strategy"] == strategy and row["model"] == "replay"]
    found = [row for row in rows if row["applies"] and
             (strategy != "streams" or row["n_streams"] == PIECES)]
    if found:
        return min(found, key=lambda row: row["round_ns"]), None
    return None, rows[0]["why"] if rows else "no row"


def kept_part(phase, row, share):
    """A variant that keeps a part of the data on the device is held against the
    same part of the saving, by bytes. It also allocates once. The error between
    programs, relative to the round, is that of the strategy."""
    base = estimate_of(phase, "reuse")[0] or estimate_of(phase, "as-is")[0]
    part = {key: base[key] + share * (row[key] - base[key])
            for key in ("round_ns", "known_low_ns", "known_high_ns")}
    part["loop_ns"] = share * row["loop_ns"]
    for end in ("low_ns", "high_ns"):
        known, sign = part[f"known_{end}"], 1 if end == "high_ns" else -1
        error = math.sqrt((row[end] - row["round_ns"]) ** 2 -
                          (row[f"known_{end}"] - row["round_ns"]) ** 2)
        part[end] = part["round_ns"] + sign * math.hypot(
            known - part["round_ns"],
            error / row["round_ns"] * part["round_ns"])
    return part


def outside(program, phases, variant):
    """The time outside the rounds, in ns. If rounds allocate, these are the first
    allocations and the last frees, which the timed part of a variant may lack."""
    if variant in program.get("allocate_before", ()) and \
            any(estimate_of(phase, "reuse")[0] for phase in phases):
        return 0
    return program["traced_ms"] * 1e6 - sum(phase["wall_ns"]
                                            for phase in phases)


def beyond_medians(phases):
    """What the rounds took beyond their medians, in ns."""
    return max(sum(phase["total_ns"] - phase["rounds"] * phase["round_ns"]
                   for phase in phases), 0)


def first_touches(report):
    """The time of first touches of host memory by copies that median rounds lack,
    in ns: at most what the rounds took beyond their medians."""
    touched = sum(wait["touched_ns"] or 0 for wait in report["waits"]
                  if wait["kind"] == "copy")
    return min(touched, beyond_medians(report["phases"]))


def without_allocations(phase, row):
    """Of a variant that also allocates once. Allocations beside its copies cost it
    nothing: it saves no more than to the round of double-buffer, which has none."""
    reuse = estimate_of(phase, "reuse")[0]
    if reuse is None:
        return row
    saved_ns = estimate_of(phase, "as-is")[0]["round_ns"] - reuse["round_ns"]
    double = estimate_of(phase, "double-buffer")[0]
    if double:
        saved_ns = min(saved_ns, row["round_ns"] - double["round_ns"])
    return {**row, **{key: row[key] - saved_ns for key in
                      ("round_ns", "low_ns", "high_ns", "known_low_ns",
                       "known_high_ns")}}


def rounds_of(phases, strategy, words):
    """Returns the times of all rounds, those that the strategy changes, and why
    there are none. As many rounds run at once as did."""
    sums = dict.fromkeys(("round_ns", "low_ns", "high_ns"), 0)
    reasons, changed_ns = [], None
    for phase in phases:
        row, why = estimate_of(phase, strategy)
        reasons.append(why)
        if row and "share_kept" in words:
            row = kept_part(phase, row, words["share_kept"])
        if row and words.get("allocates_once"):
            row = without_allocations(phase, row)
        rounds = phase["rounds"] * phase["wall_ns"] / phase["total_ns"]
        if row:
            changed_ns = (changed_ns or 0) + rounds * row["round_ns"]
        row = row or estimate_of(phase, "as-is")[0]
        for key in sums:
            sums[key] += rounds * row[key] + row["loop_ns"]
    return sums, changed_ns, reasons[0]


def predict(name, program, report, variant, strategy, measured_ms, words):
    """Of the timed loop: what lies outside its rounds stays as traced, and each
    round takes the predicted time, or that of as-is if there is none. At the high
    end, rounds that keep their copies take as much beyond their medians as they
    did."""
    phases = report["phases"]
    sums, changed_ns, why = rounds_of(phases, strategy, words)
    if changed_ns is None:
        return Row(name, strategy, measured_ms, None, None, None, None, why)
    outside_ns = outside(program, phases, variant)
    beyond_ns = 0
    if strategy in KEEP_COPIES:
        touched_ns = first_touches(report)
        outside_ns += touched_ns
        beyond_ns = beyond_medians(phases) - touched_ns
    other_ns = OTHER * outside_ns
    round_ns = sums["round_ns"]
    low_ns = math.hypot(round_ns - sums["low_ns"], other_ns)
    high_ns = math.hypot(sums["high_ns"] - round_ns, other_ns, beyond_ns)
    return Row(name, strategy, measured_ms,
               *((outside_ns + round_ns + ns) / 1e6
                 for ns in (0, -low_ns, high_ns)), changed_ns / 1e6, None)


def rows_of(entry, program, report):
    """Returns the rows of the program's variants; the baseline's is as-is."""
    rows = []
    for variant, times in program["variants_ms"].items():
        words = entry["variants"].get(variant, {})
        strategy = "as-is" if variant == program["baseline"] else \
            words.get("strategy", STRATEGIES.get(variant))
        if not strategy:
            continue
        rounds = program.get("variants_rounds", {}).get(variant)
        measured = statistics.median(times) * \
            (program["rounds"] / rounds if rounds else 1)
        rows.append(predict(entry["name"], program, report, variant, strategy,
                            measured, words)._replace(
                                rounds=program["rounds"],
                                runs_ms=(times, program["variants_ms"][
                                    program["baseline"]], program["traced_ms"])))
    return rows


def reached(programs, advised):
    shares = shares_of_best(programs, advised)
    return (f"{100 * statistics.mean(shares):.1f} % of the best (at least "
            f"{100 * min(shares):.1f} %) in {len(shares)}" if shares else
            "none of the variants")


def ends_in(report):
    """Returns the strategy that has all of the plan's steps; None: they are beside
    each other, and no variant has them all."""
    last = report["plan"][-1]
    phase = next(phase for phase in report["phases"]
                 if phase["id"] == last["phase"])
    row, _ = estimate_of(phase, last["strategy"])
    return (last["strategy"] if row and
            row["round_ns"] < (1 + NEAR) * last["round_ns"] else None)


def last_steps(reports):
    return {name: ends_in(report) for name, report in reports.items()
            if report["plan"]}


def choices(programs, plans):
    """Returns whether the variant predicted to be the fastest is, and what the
    first and the last step reach. programs: lists of rows; plans: reports with
    steps, by program."""
    right = winners(programs)
    return (f"the fastest was predicted in {sum(right)} of {len(right)} programs "
            f"whose two fastest differ by more than {100 * NEAR:.0f} %, and in all runs; "
            f"where they were among the variants, the plan's first step reaches "
            f"{reached(programs, first_steps(plans))}, its last "
            f"{reached(programs, last_steps(plans))}")


def percent(value):
    return f"{100 * value:+.1f} %"


def head(recordings, first, cells):
    """Returns the first lines of a table with the same columns for each GPU."""
    titles = [f"{gpu}: {cells[0]}" if len(recordings) > 1 else cells[0]
              for gpu in recordings]
    columns = [*first, *(cell for title in titles for cell in (title, *cells[1:]))]
    return ["| " + " | ".join(columns) + " |",
            "|" + " --- |" * len(first) + " ---: |" * (len(columns) - len(first))]


def summed(rows, strategy):
    """Returns the cells of a strategy."""
    mine = [row for row in rows if row.strategy == strategy]
    errors = sorted(abs(error(row)) for row in mine if not row.why)
    inside = sum(not row.why and is_inside(row) for row in mine)
    cells = ([f"{100 * f(errors):.1f} %" for f in
              (statistics.mean, statistics.median, max)] + [str(inside)]
             if errors else ["–"] * 4)
    return [str(len(errors)), str(len(mine) - len(errors)), *cells]


def summary(recordings):
    """Returns the lines of the table of strategies. recordings: rows by GPU."""
    shown = {row.strategy for rows in recordings.values() for row in rows}
    return head(recordings, ["strategy"], ["programs", "no answer", "mean error",
                "median", "largest", "inside the 90 % interval"]) + [
        "| " + " | ".join([f"`{strategy}`", *(
            cell for rows in recordings.values() for cell in summed(rows, strategy))]) +
        " |" for strategy in ORDER if strategy in shown]


def detail(row):
    """Returns the cells of a row; None: it was not measured."""
    if not row:
        return [""] * 4
    measured = f"{row.measured_ms:.1f} ms"
    return [measured, f"none: {row.why}", "", ""] if row.why else [
        measured, f"{row.predicted_ms:.1f} ms",
        f"{row.low_ms:.1f} – {row.high_ms:.1f} ms", percent(error(row))]


def details(recordings, every):
    """Returns the lines of the table of rows, or of those outside of their interval.
    recordings: rows by GPU."""
    found = [{(row.program, row.strategy): row for row in rows}
             for rows in recordings.values()]
    keys = dict.fromkeys(
        key for rows in found for key, row in rows.items()
        if every or not row.why and not is_inside(row))
    return head(recordings, ["program", "strategy"], [
        "measured", "predicted", "90 % interval", "error"]) + [
        "| " + " | ".join([program, f"`{strategy}`", *(
            cell for rows in found for cell in detail(rows.get((program, strategy))))]) +
        " |" for program, strategy in keys]


def changes_of(entry):
    """Returns the name and the words of each variant that changes something."""
    return [(name, variant["words"]) for name, variant in entry["variants"].items()
            if name != entry["baseline"]]


def usual_words(table):
    """Returns what most variants of a name do, by name."""
    counts = collections.Counter(one for entry in table for one in changes_of(entry))
    return {name: words for (name, words), count in reversed(counts.most_common())
            if count > 1}


def programs_table(table):
    usual = usual_words(table)

    def shown(name, words):
        most = usual.get(name)
        if words == most:
            return name
        return f"{name} ({words[len(most) + 2:]})" if most and words.startswith(
            f"{most}; ") else f"{name}: {words}"

    return ["Of variants without a colon:", "",
            *(f"- {name}: {words}" for name, words in sorted(usual.items())), "",
            "In parentheses: what else they do.", "",
            "| program | source, commit | a round moves | variants |",
            "| --- | --- | ---: | --- |",
            *(f"| {entry['name']} | {entry['repository']} "
              f"`{entry['path']}`, {entry['commit'][:8]} | "
              f"{entry['mib_in_a_round'] + entry['mib_out_a_round']:g} MiB | "
              f"{'; '.join(shown(*one) for one in changes_of(entry))} |"
              for entry in table)]


def choice_lines(programs, reports, start):
    plans = {name: report for name, report in reports.items() if report["plan"]}
    return [f"- {start}{words}: {choices(kept(programs, left_out), plans)}."
            for words, left_out in (("All variants but `resident`", ()),
                                    ("Without `mapped`", ("mapped",)))]


def noise_line(programs):
    """How far untraced runs of one program differ, which no prediction knows."""
    runs = [program["variants_ms"][program["baseline"]]
            for program in programs.values()]
    spreads = list(map(spread, runs))
    return (f"{NUMBERS[min(map(len, runs))]} untraced runs of the same "
            f"baseline differ by {100 * statistics.median(spreads):.0f} % in the "
            f"median program, "
            f"and by {100 * max(spreads):.0f} % at most.")


def evaluate(xferspy, recording, table):
    """Returns the recorded times, the reports with a calibration, and by profile the
    rows of each program, and the first and the last steps."""
    machine, half = recording["machine"], recording["half"]
    measured = json.loads((HERE / machine / f"{half}.json").read_text())
    names = measured["programs"]
    found, calibrated = [], None
    for profile in PROFILES:
        profile = profile and str(profile).format(machine=machine)
        reports = reports_of(xferspy, machine, half, names, profile)
        calibrated = calibrated or reports
        programs = [rows_of(table[name], program, reports[name])
                    for name, program in names.items()]
        found.append((programs, first_steps(reports), last_steps(reports)))
    return measured, calibrated, found


def section(recordings, evaluated, every):
    """Returns the section's lines. recordings: of the same programs. every: with all
    rows."""
    shown, about, notes, choice = {}, [], [], []
    for recording, (measured, reports, found) in zip(recordings, evaluated):
        programs = found[0][0]
        gpu = measured["gpu"].split(",")[0]
        shown[gpu.split()[1]] = sum(programs, [])
        about += [f"{gpu}, {measured['date'][:10]}. "
                  f"{noise_line(measured['programs'])}", ""]
        path = HERE / recording["machine"] / "notes.md"
        notes += [path.read_text()] if path.exists() else []
        choice += choice_lines(programs, reports, f"{gpu.split()[1]}: "
                               if len(recordings) > 1 else "")
    return [f"## {recordings[0]['heading']}: {len(measured['programs'])} programs", "",
            *about, *notes, "With the code of today:", "", *summary(shown), "",
            *choice, "", *details(shown, every), ""]


def pages(xferspy, every):
    """Returns the texts of corpus.md and contacts.md. every: with all rows."""
    table = json.loads((HERE / "table.json").read_text())
    entries = {entry["name"]: entry for entry in table}
    lines, shown, columns = [], set(), collections.defaultdict(list)
    for _, group in itertools.groupby(RECORDINGS, lambda one: one["half"]):
        group = list(group)
        evaluated = [evaluate(xferspy, recording, entries) for recording in group]
        lines += section(group, evaluated, every)
        for recording, (measured, _, found) in zip(group, evaluated):
            if recording["machine"] in LATE:
                columns[recording.get("column", "old")].append(found)
            shown |= measured["programs"].keys()
    lines += ["## The programs", "", *programs_table(
        [entry for entry in table if entry["name"] in shown])]
    rules = (HERE / "rules.md").read_text()
    for word, made in (("TARGETS\n", targets.table(**columns)),
                       ("MISSED\n", targets.missed(columns["old"])),
                       ("CAUSES\n", targets.causes(columns["old"]))):
        rules = rules.replace(word, "\n".join(made) + "\n")
    return rules, (HERE / "contacts.md").read_text() + "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--xferspy", default="build/bin/xferspy")
    parser.add_argument("--write", type=pathlib.Path, metavar="PAGE.md")
    parser.add_argument("--rows", action="store_true",
                        help="all rows, not only those outside of their interval")
    args = parser.parse_args()
    page, contacts = pages(args.xferspy, args.rows)
    if args.write:
        args.write.write_text(page)
        args.write.with_name("contacts.md").write_text(contacts)
    else:
        print(page + contacts, end="")


if __name__ == "__main__":
    main()
