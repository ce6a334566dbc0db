#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares predictions with the measured times of random programs.

A folder from measure.sh has times.json, machine.json and a trace of each program as
it is. --freeze keeps what is predicted in its predicted.json; where a trace is not
kept, that stands for it. --write writes docs/random.md: rules.md, and the kept
folders beside this file.
"""
import argparse
import collections
import json
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "corpus"))
import predict as corpus  # pylint: disable=wrong-import-position

KEPT = ("held-out", "held-out-2")  # folders with notes.md, in the order of the page


def programs_of(times):
    """Returns the times of each program as those of the corpus, and its part of
    constant data."""
    programs, shares = {}, {}
    for row in times:
        name, ms = str(row["seed"]), row["rounds"] * row["round_ns"] / 1e6
        program = programs.setdefault(name, {
            "baseline": "baseline", "rounds": row["rounds"],
            "variants_ms": collections.defaultdict(list)})
        shares[name] = row["share_kept"]
        if row["turn"]:
            program["variants_ms"][row["variant"]].append(ms)
        else:
            program["traced_ms"] = ms
    return programs, shares


def entry_of(name, share):
    """What the variants change, in the words of the corpus."""
    return {"name": name, "variants": {
        "streams": {"allocates_once": True},
        "double-buffer": {"strategy": "double-buffer", "allocates_once": True},
        "resident": {"share_kept": share}}}


def report(xferspy, folder, name, profile):
    option = ["--machine", folder / "machine.json"] if profile is None else \
        ["--machine", profile] if profile else []
    return json.loads(subprocess.run(
        [xferspy, "report", "--format", "json", *option, folder / f"{name}.xspy"],
        capture_output=True, text=True, check=True).stdout)


def rounded(row):
    """Returns the row as predicted.json keeps it, so that a page from a trace and
    one from the file are the same."""
    return type(row)(*(round(value, 5) if isinstance(value, float) else value
                       for value in row))


def rows_of(xferspy, folder, profile=None):
    """Returns the rows of the folder's programs: of its predictions where no trace
    is kept. profile: None for its calibration, "" for the shipped one."""
    programs, shares = programs_of(json.loads((folder / "times.json").read_text()))
    frozen = folder / "predicted.json"
    frozen = json.loads(frozen.read_text()) if frozen.exists() else {}
    rows = []
    for name, program in sorted(programs.items(), key=lambda one: int(one[0])):
        if (folder / f"{name}.xspy").exists():
            rows += map(rounded, corpus.rows_of(
                entry_of(name, shares[name]), program,
                report(xferspy, folder, name, profile)))
        else:
            rows += [corpus.Row(name, strategy, *row, None, None)
                     for strategy, row in frozen.get(name, {}).items()]
    return rows


def freeze(rows):
    """Returns the text of predicted.json: of each program's strategies the measured
    and the predicted time, its interval, the rounds' part, and why there is none."""
    programs = collections.defaultdict(dict)
    for row in rows:
        programs[row.program][row.strategy] = row[2:8]
    lines = [f'"{name}": {json.dumps(row)}' for name, row in programs.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def of_changes(rows):
    """Returns a line on all strategies but as-is."""
    rows = [row for row in rows if row.strategy != "as-is" and not row.why]
    errors = [abs(corpus.error(row)) for row in rows]
    inside = sum(map(corpus.is_inside, rows))
    return (f"All {len(rows)} changes: {100 * statistics.mean(errors):.1f} % in the "
            f"mean, {100 * statistics.median(errors):.1f} % in the median, {inside} "
            "inside the interval.")


def tables(rows):
    shown = {"H200": rows}
    return [*corpus.summary(shown), "", of_changes(rows), "", "By program:", "",
            *corpus.details(shown, True)]


def page(xferspy):
    lines = [(HERE / "rules.md").read_text().rstrip()]
    for name in KEPT:
        if (HERE / name).exists():
            lines += ["", (HERE / name / "notes.md").read_text().rstrip(), "",
                      *tables(rows_of(xferspy, HERE / name))]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--xferspy", default="build/bin/xferspy")
    parser.add_argument("--machine", help="a profile, '' for the shipped one")
    parser.add_argument("--freeze", action="store_true")
    parser.add_argument("--write", type=pathlib.Path, metavar="PAGE.md")
    parser.add_argument("folder", type=pathlib.Path, nargs="?")
    args = parser.parse_args()
    if args.write:
        args.write.write_text(page(args.xferspy))
    if args.folder:
        rows = rows_of(args.xferspy, args.folder, args.machine)
        if not rows:
            sys.exit(f"predict.py: {args.folder} has no times of a variant")
        if args.freeze:
            (args.folder / "predicted.json").write_text(freeze(rows))
        print("\n".join(tables(rows)))


if __name__ == "__main__":
    main()
