# SPDX-License-Identifier: MIT
"""The targets for programs by others, beside what their own runs differ by.

Rows are predict.Row; programs are lists of the rows of each.
"""
import collections
import statistics

NEAR = 0.03  # times that differ by less are equal
# The largest that the mean and the largest error of a strategy should be.
ERRORS = {**dict.fromkeys(("pinned", "streams", "double-buffer"), (0.02, 0.1)),
          **dict.fromkeys(("batch", "resident"), (0.1, None)),
          "mapped": (0.07, None)}
FITTED = 0.08, 0.4  # the same of all changes, with a profile from the trace
INSIDE = 0.85, 0.97  # the share of 90 % intervals that should contain the time
FASTEST, REACHED = 0.97, 0.98  # predicted; of the best, by the first step
SETTLED = 0.05, 0.15  # differences of the runs of a variant and its baseline
# What an error comes from, by the first rule that holds; KEEP_TRACED have copies of
# the traced run left.
CAUSES = ("within the target", "own runs", "traced run", "calibration",
          "short rounds", "others")
KEEP_TRACED = ("reuse", "batch", "resident")
LEAST_ROWS = 3  # of a strategy in a table
SHORT_MS = 0.25  # a round


def error(row):
    return row.predicted_ms / row.measured_ms - 1


def is_inside(row):
    return row.low_ms <= row.measured_ms <= row.high_ms


def half_width(row):
    """Half the width of the interval, relative to the measured time."""
    return (row.high_ms - row.low_ms) / 2 / row.measured_ms


def spread(times):
    return max(times) / min(times) - 1


def shares_of_best(programs, advised):
    """What the advised strategy, by program, reaches of the best."""
    return [min(row.measured_ms for row in rows if not row.why) /
            row.measured_ms for rows in programs for row in rows
            if not row.why and row.strategy == advised.get(row.program)]


def runs_of(row):
    """The runs of the variant, of as many rounds as were measured."""
    times, *_ = row.runs_ms
    return [ms * row.measured_ms / statistics.median(times) for ms in times]


def races(programs):
    """Of the programs whose two fastest variants differ by more than NEAR and in
    all runs, the fastest, and the one that was predicted to be."""
    found = []
    for rows in programs:
        rows = [row for row in rows if not row.why]
        fastest, *others = sorted(rows, key=lambda row: row.measured_ms)
        if others and others[0].measured_ms > (1 + NEAR) * fastest.measured_ms \
                and min(runs_of(others[0])) > max(runs_of(fastest)):
            found.append((fastest, min(rows, key=lambda row: row.predicted_ms)))
    return found


def winners(programs):
    """Of the same programs, whether the fastest was predicted to be."""
    return [fastest == predicted for fastest, predicted in races(programs)]


def first_steps(reports):
    return {name: report["plan"][0]["strategy"]
            for name, report in reports.items() if report["plan"]}


def kept(programs, left_out=()):
    """All variants that keep the program's work as it is. resident holds only if
    the data does not change."""
    return [[row for row in rows if row.strategy not in left_out and
             not row.strategy.startswith("resident")] for rows in programs]


def noise(row):
    """The mean difference of the variant's runs from their median: about what a
    perfect prediction is off by."""
    times, *_ = row.runs_ms
    return statistics.mean(abs(ms / statistics.median(times) - 1)
                           for ms in times)


def of_trace(row):
    """How far the traced run is from the median of the untraced ones."""
    _, base, traced_ms = row.runs_ms
    return abs(traced_ms / statistics.median(base) - 1)


def is_settled(row):
    return all(spread(runs) < most for runs, most in zip(row.runs_ms, SETTLED))


def percent(values, f=statistics.mean):
    return f"{100 * f(values):.1f} %" if values else "–"


def of_rows(values, f=statistics.mean):
    return f"{percent(values, f)} of {len(values)}" if values else "–"


def line(what, target, met, *cells):
    """A line of the table. met: None without a target."""
    verdict = "–" if met is None else "yes" if met else "**no**"
    return "| " + " | ".join((what, target, *cells, verdict)) + " |"


def missed(recordings):
    """The lines of the fastest variants that were not predicted to be.
    recordings: as those of a column of table()."""
    def shown(row):
        return (f"`{row.strategy}` {row.measured_ms:.3g} ms (predicted "
                f"{row.predicted_ms:.3g})")

    return [f"- {fastest.program}: {shown(fastest)} before {shown(predicted)}"
            for recording in recordings
            for fastest, predicted in races(kept(recording[0][0]))
            if fastest != predicted]


def cause(row, base, shipped):
    """Returns the index in CAUSES. base: as-is of the same program; shipped: the row
    with the shipped profile."""
    off, base_off, runs = error(row), error(base), runs_of(row)
    _, base_runs, traced_ms = row.runs_ms
    slow = traced_ms / statistics.median(base_runs) - 1
    if abs(off) <= ERRORS.get(row.strategy, (0.1, None))[0]:
        return 0
    if min(runs) <= row.predicted_ms <= max(runs):
        return 1
    if row.strategy in KEEP_TRACED and min(base_off * off, slow * off) > 0 and \
            abs(base_off) >= abs(off) / 2:
        return 2
    if not shipped.why and abs(error(shipped)) <= abs(off) / 2:
        return 3
    return 4 if row.measured_ms < SHORT_MS * row.rounds else 5


def causes(recordings):
    """The lines of the table of causes: number of rows, and points of the mean error.
    recordings: as those of a column of table()."""
    found = collections.defaultdict(list)
    for (programs, *_), (shipped, *_), _ in recordings:
        for rows, others in zip(programs, shipped):
            base = next(row for row in rows if row.strategy == "as-is")
            for row, other in zip(rows, others):
                if not row.why and row is not base:
                    found[row.strategy].append(
                        (cause(row, base, other), abs(error(row))))
    lines = [f"| strategy | {' | '.join(CAUSES)} |",
             "| --- |" + " ---: |" * len(CAUSES)]
    for strategy, rows in found.items():
        cells = [[off for index, off in rows if index == i]
                 for i in range(len(CAUSES))]
        if len(rows) >= LEAST_ROWS:
            lines.append(f"| `{strategy}` | " + " | ".join(
                f"{len(some)}: {100 * sum(some) / len(rows):.1f}" if some else "–"
                for some in cells) + " |")
    return lines


def of_strategy(strategy, rows, unseen):
    """The lines of a strategy; none if it has too few rows."""
    rows, *unseen = ([row for row in some if row.strategy == strategy and
                      not row.why] for some in (rows, *unseen))
    if len(rows) < LEAST_ROWS:
        return []
    settled = [row for row in rows if is_settled(row)]
    limits = ERRORS.get(strategy, (None, None))
    lines = []
    for what, f, most in zip(("mean", "largest"), (statistics.mean, max), limits):
        values = [[abs(error(row)) for row in some]
                  for some in (rows, settled, *unseen)]
        lines.append(line(
            f"`{strategy}`: {what} error",
            f"at most {100 * most:.0f} %" if most else "–",
            most and f(values[0]) <= most, percent(values[0], f), str(len(rows)),
            percent(list(map(noise, rows)), f),
            percent(list(map(of_trace, rows)), f),
            *(of_rows(some, f) for some in values[1:])))
    inside = [list(map(is_inside, some)) for some in (rows, settled, *unseen)]
    lines.append(line(
        f"`{strategy}`: inside the 90 % interval", "85 to 97 %",
        INSIDE[0] <= statistics.mean(inside[0]) <= INSIDE[1], percent(inside[0]),
        str(len(rows)), "–", "–", *map(of_rows, inside[1:])))
    widths = [list(map(half_width, some)) for some in (rows, settled, *unseen)]
    lines.append(line(
        f"`{strategy}`: half the width of the interval, median", "–", None,
        percent(widths[0], statistics.median), str(len(rows)), "–", "–",
        *(of_rows(some, statistics.median) for some in widths[1:])))
    return lines


def changes(programs):
    """The errors of all predicted changes."""
    return [abs(error(row)) for rows in programs for row in rows
            if row.strategy != "as-is" and not row.why]


def of_all(what, target, is_met, find, old, unseen, f=statistics.mean):
    """A line on all programs. find: of one recording, a list of values."""
    values, *others = (sum(map(find, some), []) for some in (old, *unseen))
    return line(what, target, is_met(f(values)), percent(values, f),
                str(len(values)), "–", "–", "–", *(of_rows(some, f) for some in others))


def table(old, **unseen):
    """The lines of the table. old, and those of a column: for each recording, with a
    calibration, the shipped profile and a fitted one: programs, and the first and the
    last step of their plans by program."""
    rows, *others = ([row for recording in some for program in recording[0][0]
                      for row in program] for some in (old, *unseen.values()))
    lines = ["|  | target | reached | rows | a perfect prediction | the traced run "
             f"| settled rows | {' | '.join(unseen)} | met |",
             "| --- | --- |" + " ---: |" * (5 + len(unseen)) + " --- |"]
    for strategy in dict.fromkeys(row.strategy for row in rows):
        lines += of_strategy(strategy, rows, others)
    calibrated = statistics.mean(
        sum((changes(recording[0][0]) for recording in old), []))
    for what, target, is_met, find, f in (
            ("all changes: mean error", "–", lambda _: None,
             lambda of: changes(of[0][0]), statistics.mean),
            ("with the shipped profile: mean error", "as calibrated",
             lambda value: value <= calibrated, lambda of: changes(of[1][0]),
             statistics.mean),
            ("fitted from the trace: mean error", "at most 8 %",
             lambda value: value <= FITTED[0], lambda of: changes(of[2][0]),
             statistics.mean),
            ("fitted from the trace: largest error", "at most 40 %",
             lambda value: value <= FITTED[1], lambda of: changes(of[2][0]), max),
            ("the fastest variant was predicted", "at least 97 %",
             lambda value: value >= FASTEST, lambda of: winners(kept(of[0][0])),
             statistics.mean),
            ("the plan's first step reaches of the best", "at least 98 %",
             lambda value: value >= REACHED,
             lambda of: shares_of_best(kept(of[0][0]), of[0][1]),
             statistics.mean),
            ("the plan's last step reaches of the best", "–", lambda _: None,
             lambda of: shares_of_best(kept(of[0][0]), of[0][2]),
             statistics.mean)):
        lines.append(of_all(what, target, is_met, find, old, unseen.values(), f))
    return lines
