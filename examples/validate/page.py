# SPDX-License-Identifier: MIT
"""Writes the summary as lines of text, and docs/accuracy.md."""
import collections
import pathlib
import textwrap


def percent(value, sign=False):
    if value is None:
        return "–"
    return f"{value:+.1f} %" if sign else f"{value:.1f} %"


def ms(ns):
    return f"{ns / 1e6:.3f}"


def wrap(text):
    return textwrap.fill(" ".join(text.split()), 80)


def table(header, rows):
    """A Markdown table; headers that start with > are of numbers."""
    names = [name.lstrip(">") for name in header]
    rule = ["---:" if name.startswith(">") else "---" for name in header]
    return ["| " + " | ".join(str(cell) for cell in cells) + " |"
            for cells in [names, rule, *rows]]


def said(page):
    return (pathlib.Path(__file__).resolve().parents[2] / "docs" / page).read_text()


def frameworks_lines():
    """Of the table that docs/frameworks.md has of all processes of its programs,
    the columns of errors, and what it says of them."""
    lines = said("frameworks.md").split("<!-- predict.py programs -->\n")[1]
    *rows, _, told = lines.split("\n<!--")[0].splitlines()
    typical = lines.split("<!-- predict.py typical -->\n")[1].split("\n\n")[1]
    return ["|".join(row.split("|")[:7]) + "|" for row in rows] + [
        "", wrap(f"{told} Of typical programs, traced in another process than timed: "
                 + typical.splitlines()[0].replace("The", "the", 1))]


def targets_of_others():
    """The lines with a target in the table that docs/corpus.md has of them."""
    lines = said("corpus.md").split("<!-- targets -->\n")[1]
    return [line for line in lines.split("\n<!--")[0].splitlines()
            if line.split(" | ")[1] != "–"]


def count(part, whole):
    return f"{part} of {whole}"


def named_first(ranks):
    return count(sum(r["named"] == r["fastest"] for r in ranks), len(ranks))


def within(advised, limit):
    return count(sum(a["loss"] <= limit for a in advised), len(advised))


def summary_lines(summary):
    """Returns the summary for a terminal."""
    lines = [f"{'':<29}{'replay':>27}{'':>14}{'equation':>24}",
             f"{'family':<29}{'rows':>9}{'mean':>9}{'largest':>9}"
             f"{'inside':>9}{'rows':>11}{'mean':>9}{'largest':>9}"]
    for name, family in summary["families"].items():
        replay, paper = family["replay"], family["paper"]
        lines.append(f"{name:<29}{replay['rows']:>9}"
                     f"{percent(replay['mean']):>9}"
                     f"{percent(replay['largest']):>9}"
                     f"{percent(family['inside']):>9}{paper['rows']:>11}"
                     f"{percent(paper['mean']):>9}"
                     f"{percent(paper['largest']):>9}")
    for profile, families in summary["first_use"].items():
        lines.append(f"first use, {profile}:")
        for name, family in families.items():
            replay = family["replay"]
            lines.append(f" {name:<28}{replay['rows']:>9}"
                         f"{percent(replay['mean']):>9}"
                         f"{percent(replay['largest']):>9}"
                         f"{percent(family['inside']):>9}")
    ranks = summary["ranks"]
    lines.append(f"the fastest strategy predicted first: "
                 f"{named_first(ranks)}")
    lines += [f"  {r['baseline']}: {r['fastest']} is the fastest, predicted: "
              f"{r['named']}"
              for r in ranks if r["named"] != r["fastest"]]
    lines.append("the time at the advised n within 3 % of the best: "
                 + within(summary["advised"], 3))
    lines += [f"  {a['baseline']}: n={a['advised']} is "
              f"{percent(a['loss'])} slower than n={a['best']}"
              for a in summary["advised"] if a["loss"] > 3]
    return lines


def machine_lines(machine):
    link = (f", PCIe {machine['pcie_gen']} x{machine['pcie_width']}"
            if machine.get("pcie_gen") else "")
    return wrap(f"Measured on an {machine['gpu']}{link}, with an "
                f"{machine['cpu']}, driver {machine['driver']}; calibrated "
                f"{machine['date'][:10]}.")


def workload_lines(rows):
    """Returns the table of the best measured times by workload and size."""
    cases = collections.defaultdict(dict)
    for row in rows:
        strategy = row.strategy
        if strategy == "as-is":
            strategy = "pinned" if row.baseline.endswith(
                "-pinned") else "pageable"
        best = cases[row.workload, row.size]
        best[strategy] = min(row.measured_ns,
                             best.get(strategy, row.measured_ns))
    columns = ("pageable", "pinned", "streams", "mapped", "hybrid",
               "double-buffer")
    return table(["workload", ">size", *(">" + c for c in columns)],
                 [[workload, size, *(ms(best[c]) if c in best else "–"
                                     for c in columns)]
                  for (workload, size), best in cases.items()])


def family_lines(summary):
    cells = []
    for name, family in summary["families"].items():
        replay, paper = family["replay"], family["paper"]
        cells.append([name, count(replay["rows"], family["measured"]),
                      percent(replay["mean"]), percent(replay["largest"]),
                      percent(family["inside"]), paper["rows"] or "–",
                      percent(paper["mean"]), percent(paper["largest"])])
    return table(["strategies", ">rows predicted", ">mean", ">largest",
                  ">inside the interval", ">rows of the equation", ">mean",
                  ">largest"], cells)


def first_use_lines(summary):
    """Returns the errors of replay with each profile, family by family."""
    profiles = {"calibrated": summary["families"], **summary["first_use"]}
    cells = []
    for name in summary["families"]:
        for profile, families in profiles.items():
            replay = families[name]["replay"]
            cells.append([name, profile,
                          count(replay["rows"], families[name]["measured"]),
                          percent(replay["mean"]), percent(replay["median"]),
                          percent(replay["largest"]),
                          percent(families[name]["inside"])])
    return table(["strategies", "profile", ">rows predicted", ">mean",
                  ">median", ">largest", ">inside the interval"], cells)


def mean_and_largest(rows, model):
    errors = [abs(row.error(model)) for row in rows if getattr(row, model)]
    if not errors:
        return "–"
    return f"{sum(errors) / len(errors):.1f} / {max(errors):.1f}"


def verdict(baseline, summary):
    """Returns the fastest strategy, the one predicted to be, and the loss at the
    advised n."""
    rank = next((r for r in summary["ranks"] if r["baseline"] == baseline),
                None)
    advised = next((a for a in summary["advised"]
                    if a["baseline"] == baseline), None)
    return [rank["fastest"] if rank else "tie",
            rank["named"] if rank else "–",
            f"{advised['advised']}: {percent(advised['loss'], sign=True)}"
            if advised else "–"]


def case_lines(rows, summary, families):
    """Returns one row for each trace: its errors and its advice."""
    traces = collections.defaultdict(list)
    for row in rows:
        traces[row.baseline].append(row)
    cells = []
    for baseline, mine in traces.items():
        errors = []
        for family in families:
            group = [r for r in mine if family.has(r)]
            errors.append(mean_and_largest(group, "replay"))
            if family.has_equation:
                errors.append(mean_and_largest(group, "paper"))
        cells.append([baseline, *errors, *verdict(baseline, summary)])
    header = ["trace"]
    for family in families:
        header.append(">" + family.name)
        if family.has_equation:
            header.append(">equation")
    return table([*header, "fastest", "predicted", "advised n"], cells)


def target_lines(summary, families, inside):
    def cells(what, target, reached, met):
        return [what, target, reached, "yes" if met else "**no**"]

    rows = []
    for family in families:
        reached = summary["families"][family.name]
        if not reached["replay"]["rows"]:
            continue
        for what in ("mean", "largest"):
            value, limit = reached["replay"][what], getattr(family, what)
            rows.append(cells(f"{family.name}: {what} error",
                              f"at most {limit} %", percent(value),
                              value <= limit))
        rows.append(cells(f"{family.name}: measured inside the 90 % interval",
                          f"{inside[0]} to {inside[1]} %",
                          percent(reached["inside"]),
                          inside[0] <= reached["inside"] <= inside[1]))
    ranks, advised = summary["ranks"], summary["advised"]
    rows.append(cells("the fastest strategy predicted first", "always",
                      named_first(ranks),
                      all(r["named"] == r["fastest"] for r in ranks)))
    rows.append(cells("the time at the advised n within 3 % of the best",
                      "always", within(advised, 3),
                      all(a["loss"] <= 3 for a in advised)))
    return table(["", "target", "reached", "met"], rows)


def note_on(notes, row):
    """Returns the most specific note: of the case, the workload, the strategy."""
    for key in (row.case, row.workload, "*"):
        note = notes.get(f"{key}/{row.strategy}")
        if note:
            return note
    return "not explained yet"


def worst_lines(rows, families, notes):
    """Returns the worst row of each kind for which replay misses the target."""
    missed = collections.defaultdict(list)
    for family in families:
        for row in rows:
            if (family.has(row) and row.replay
                    and abs(row.error("replay")) > family.largest):
                missed[row.case, row.strategy].append(row)
    if not missed:
        return ["Every prediction is within its target."]
    cells = []
    for group in missed.values():
        worst = max(group, key=lambda row: abs(row.error("replay")))
        n = f" n={worst.n_streams} {worst.order}" if worst.n_streams else ""
        cells.append([worst.baseline, worst.strategy + n,
                      ms(worst.measured_ns), ms(worst.replay["round_ns"]),
                      percent(worst.error("replay"), sign=True),
                      percent(worst.error("paper"), sign=True), len(group),
                      note_on(notes, worst)])
    cells.sort(key=lambda row: -abs(float(row[4].split()[0])))
    return table(["trace", "worst row", ">measured ms", ">replay ms",
                  ">error", ">equation's error", ">rows missed", "why"],
                 cells)


def ranking_lines(summary):
    wrong = [r for r in summary["ranks"] if r["named"] != r["fastest"]]
    if not wrong:
        return []
    return ["", "Cases in which another strategy was predicted to be the fastest:", "",
            *table(["trace", "fastest", ">ms", "predicted", ">measured ms"],
                   [[r["baseline"], r["fastest"], ms(r["measured_ns"]),
                     r["named"], ms(r["named_ns"])] for r in wrong])]


def advised_lines(summary):
    late = [a for a in summary["advised"] if a["loss"] > 3]
    if not late:
        return []
    return ["", "Cases in which the advised number of streams was not within "
            "3 % of the best:", "",
            *table(["trace", ">advised n", ">measured at", ">best n",
                    ">slower by"],
                   [[a["baseline"], a["advised"],
                     f"{a['taken']} {a['order']}",
                     f"{a['best']} {a['best_order']}", percent(a["loss"])]
                    for a in late])]


def chain_lines(rows):
    """Returns the explanation of the workloads with several kernels."""
    if not any(row.workload.startswith("chain") for row in rows):
        return []
    return [wrap("""A round of `chain` has three kernels, each of which uses the
            results of the previous one. `mapped` and `hybrid` abstain there and
            were not timed. In `chain` a piece needs only the same piece, as
            `streams` assumes. In `chain-all` the middle kernel needs all results
            of the first one, and was launched once for all pieces. If the
            estimate is a bound, the predicted time of this case is its
            `otherwise_ns`; the equation for streams has one kernel and does not
            apply. The interval of a bound covers both cases, and therefore
            contains nearly every row."""), ""]


def published_lines(summary):
    return table(["strategy", "closed form", ">rows", ">mean", ">largest",
                  ">replay, mean"],
                 [[p["strategy"], f"`{p['model']}`", p["rows"],
                   percent(p["mean"]), percent(p["largest"]),
                   percent(p["replay"])] for p in summary["published"]])


def atgpu_lines(summary):
    return table(["trace", ">ATGPU", ">traced", ">points off"],
                 [[a["baseline"], percent(a["share"]), percent(a["observed"]),
                   f"{a['share'] - a['observed']:+.1f}"]
                  for a in summary["atgpu"]])


def often(ranks):
    """Says how often the most frequent strategy is the fastest."""
    most = collections.Counter(r["fastest"] for r in ranks).most_common(1)
    return " and ".join(f"in {number} of them `{strategy}` is the fastest"
                        for strategy, number in most) or "none"


def page(rows, summary, families, inside, machine, notes, stem, patterns):
    ranks = summary["ranks"]
    lines = [
        "# Accuracy of the predictions", "",
        "<!-- Written by examples/validate/accuracy.py --write: change page.py "
        "or notes.json there. -->", "",
        machine_lines(machine), "",
        wrap(f"""Each program of `examples/validate`, the stencil and vecadd
        were timed untraced in every variant (`examples/validate/measure.sh`),
        and traced in two: from pageable memory, and from pinned memory without
        overlap. xferspy predicted all other variants from each of these two
        traces: {len(rows)} rows, of {summary['distinct']} distinct measurements.
        It used the counters of the kernels
        (`xferspy run --counters`, available for
        {count(summary['counted'], summary['traces'])} traces) and the profile
        from `xferspy calibrate`. All rates are from that profile."""), "",
        wrap("""The rules of replay were developed with these programs. Four of their limits
        were set on them: pieces share input with their neighbours from 1.2 reads of each
        byte on, and with all pieces from 4 on; a quarter of its threads keeps an SM busy;
        mapped writes arrive after 2 us."""), "",
        wrap("""The traces and times are in the repository. `examples/validate/accuracy.py`
        repeats them without a GPU and prints every row. A test fails if they get worse.
        """), "",
        wrap("""Programs by others, predicted before they were measured, are in
        [corpus.md](corpus.md); the predicted and measured savings of programs of PyTorch,
        JAX, CuPy, Triton and numba in [frameworks.md](frameworks.md), and
        [by program](#targets) below."""), "",
        *chain_lines(rows), "## What was measured", "",
        "Median of one round in ms, for the best n and order.", "",
        *workload_lines(rows), "",
        "## Replay and the published equation", "",
        wrap("""Absolute error of the time of a round, relative to the measured
        median. The equation is the strongest published baseline for the
        strategy (below); there is none for double buffers. As-is compares the traced run with the untraced
        one, which is another process; its interval is meant to contain such
        runs. All intervals contain the error between programs by others
        ([models.md](models.md#intervals)), so they hold more of these rows than
        90 %."""),
        "", *family_lines(summary), "",
        f"![Error of each prediction, by strategy and number of streams]"
        f"({stem}.svg)", "",
        "## On a first use", "",
        wrap("""The same rows without `--machine` and without a calibration.
        *Shipped*: the profile of the same GPU model, which is of other machines than
        that of these traces. *Fitted*: `--machine fitted`, from the trace alone. What the
        trace does not show then has the usual values, which rest on the published
        profiles, on the protocol of the link and, for allocations, the host's memory and
        graphs, on H100s (`model/machine/usual.c`): no value of an H200 is among them, so these rows are a
        machine that they have not seen. Mapped memory is unknown."""), "", *first_use_lines(summary), "",
        "## Case by case", "",
        wrap("""Mean and largest absolute error in per cent for each trace; the
        fastest measured strategy (\"tie\": two differ by less than 3 %); the
        strategy predicted to be the fastest; the advised number of streams,
        and how much slower it is than the best of the sweep."""), "",
        *case_lines(rows, summary, families), "",
        "## The baselines to beat", "",
        wrap("""Each published closed form (`docs/models.md`) with the parameters
        of this machine, on the programs of one kernel. `-both-G` has G of
        copies in both directions at once, as Table II of van Werkhoven et al.
        2014; `-both-Gg` has their g as well, which the paper does not print.
        `-counted` has the counted crossings as B of equation 6, and `-mapped`
        the measured rates of mapped memory. `-mean-G` is not printed: it has
        the G against mapped writes only while there are writes."""), "",
        *published_lines(summary), "",
        wrap("""The share of transfers in a round by ATGPU (Carroll and Wong 2017, Figure
        6), with calibrated parameters and counted instructions and memory blocks, in the
        traces of that paper's three algorithms from pinned memory. The paper is within
        1.5, 5.49 and 0.76 points for vector addition, reduction and matrix product."""),
        "",
        *atgpu_lines(summary), "",
        *patterns,
        "## Targets", "",
        wrap("""On programs by others (first contacts 3 to 10, and 11 to 15 and 21 apart), with a
        calibration of the host. By the runs of one variant, a perfect prediction would still be off
        by as much as its column says; [corpus.md](corpus.md) explains the others."""), "",
        *targets_of_others(), "",
        wrap("""Of programs of Python's frameworks on five H200s, changed in the framework's
        own words ([frameworks.md](frameworks.md#measured)), the error of the predicted
        saving, which is to be within 10 %:"""), "",
        *frameworks_lines(), "", "On the programs above:", "",
        *target_lines(summary, families, inside), "",
        wrap(f"""The fastest strategy is evaluated in the {len(ranks)} traces
        in which the two fastest differ by more than 3 %, by the time of a
        round; {often(ranks)}. Mapped memory without counters is never ranked
        first."""),
        *ranking_lines(summary), *advised_lines(summary), "",
        "## Where replay is wrong", "",
        "For each program and strategy, the worst of the rows that miss the "
        "target.", "", *worst_lines(rows, families, notes)]
    return "\n".join(lines) + "\n"
