# SPDX-License-Identifier: MIT
"""The sections of docs/overhead.md on what light costs in long runs, from pairs
of runs with nothing and with light."""
import statistics

from figures import (NONE, WAYS, added, added_text, duration, mean_of, table,
                     with_error, wrap)

ALONG = ("begin_ns", "mean_ns", "through_ns", "past_ns")
MILLION = 1000000


def launches_of(results, part):
    """How many there are in a run of it."""
    return int(part.partition("_")[2] or
               results.get("launches", results["calls"]))


def lengths(several):
    """Of [(host, results)]: {(launches of a run, host): [[ns with nothing, with
    light]]}."""
    runs = {}
    for host, results in several:
        for part, pairs in results.get("light_pairs_ns", {}).items():
            runs.setdefault((launches_of(results, part), host),
                            []).extend(pairs)
    return {key: runs[key] for key in sorted(runs) if runs[key]}


def length_row(launches, host, pairs):
    plain = statistics.fmean(pair[0] for pair in pairs)
    more = sorted(light - nothing for nothing, light in pairs)
    return [f"{launches:,}", host, len(pairs), duration(plain),
            duration(statistics.median(more), "+"),
            f"{duration(more[len(more) // 4], '+')} to "
            f"{duration(more[3 * len(more) // 4], '+')}",
            added_text(*added(pairs)) if len(pairs) > 1 else NONE]


def length_lines(several):
    """What light adds to a launch, in runs of several lengths."""
    return table(["launches", "host", "pairs", WAYS["nothing"],
                  "median of the differences", "their middle half",
                  "their mean, its standard error"],
                 [length_row(*key, pairs)
                  for key, pairs in lengths(several).items()])


def alongs(several):
    """Of [(host, results)]: {host: {time: [[ns with nothing, with light]]}}."""
    hosts = {}
    for host, results in several:
        for time, pairs in results.get("light_along_ns", {}).items():
            hosts.setdefault(host, {}).setdefault(time, []).extend(pairs)
    return {host: times for host, times in sorted(hosts.items())
            if all(len(times.get(time, [])) > 1 for time in ALONG)}


def along_row(host, times):
    """What a run pays once; what a call passes through; what differs beside
    that between launches of two runs; these together; and the whole runs."""
    through, begin = times["through_ns"], times["begin_ns"]
    passed = [mine[1] - past[1] for mine, past in zip(through, times["past_ns"])]
    both = [(mine[0] + once[0] / MILLION, mine[1] + once[1] / MILLION)
            for mine, once in zip(through, begin)]
    plain = added(through)[2]
    return [host, len(both), duration(plain), with_error(*added(begin)[:2]),
            with_error(*mean_of(passed)),
            with_error(*added(times["past_ns"])[:2]),
            added_text(*added(both)[:2], plain),
            added_text(*added(times["mean_ns"]))]


def along_lines(several):
    return table(["host", "pairs", WAYS["nothing"], "once in a run",
                  "what a call passes through", "all else, a launch",
                  "together, of a million launches", "mean of the runs"],
                 [along_row(*row) for row in alongs(several).items()])


def length_section(several, apart):
    if not lengths(several):
        return []
    return [
        "## Light in longer runs", "",
        wrap(f"""Light pays for full detail in its first 10,000 calls, and for a
        count in all others: the longer a run, the less a call costs. The other
        parts above are short runs, of which light records a larger share. A
        pair is a run with nothing and one with light, one after the other.
        {apart_text(apart)}"""),
        "", *length_lines(several), "", *along_section(several)]


def along_section(several):
    if not alongs(several):
        return []
    return [
        wrap("""What it is made of, by pairs of runs of a million launches, in
        the second half of which they go through the library and past it in
        turns (`examples/overhead/along.cu`). Once in a run: the first tenth of
        a run against the second, for the 10,000 calls that are recorded and
        what CUPTI costs until it is detached. What a call passes through is
        free of what differs between two runs; all else is what launches past
        the library take longer than with nothing; both in moments when nothing
        else held up the host's cores (what a tenth of all batches of launches
        stay below). The last column has the runs as they were, with all that
        held them up. Means and their standard errors:"""),
        "", *along_lines(several), ""]


def apart_text(apart):
    """Whose the pairs are, where they were measured by themselves."""
    if not apart:
        return ""
    dates = sorted({results["date"] for _, results in apart})
    return (f"Most of these were measured by themselves on {' and '.join(dates)}, on "
            "each GPU of a host at a time, with four cores for each: "
            "`taskset -c CORES measure.py --parts launch,lengths,along "
            "--ways nothing,light --turns 50 -o "
            "results/light/MACHINE-HOST-GPU.json build`; without `lengths` "
            "where there are runs of one length alone.")
