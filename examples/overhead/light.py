# SPDX-License-Identifier: MIT
"""The sections of docs/overhead.md on what light costs in long runs, from pairs
of runs with nothing and with light."""
import statistics

from figures import (LEAST_FOR_HALF, NONE, WAYS, added, added_text, duration,
                     mean_of, table, with_error, wrap)

ALL = "all"
ALONG = ("begin_ns", "mean_ns", "through_ns", "past_ns")
MILLION = 1000000


def launches_of(results, part):
    """How many there are in a run of it."""
    return int(part.partition("_")[2] or
               results.get("launches", results["calls"]))


def lengths(several):
    """Of [(host, results)]: {(launches of a run, host): groups of pairs of ns
    with nothing and with light}."""
    runs = {}
    for host, results in several:
        for part, pairs in results.get("light_pairs_ns", {}).items():
            if pairs:
                runs.setdefault((launches_of(results, part), host),
                                []).append(pairs)
    return dict(sorted(runs.items()))


def middle_half(values):
    if len(values) < LEAST_FOR_HALF:
        return NONE
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return f"{duration(low, '+')} to {duration(high, '+')}"


def length_row(launches, host, groups):
    more = [light - nothing for pairs in groups for nothing, light in pairs]
    if len(more) < 2:
        return [f"{launches:,}", host, len(more), NONE, NONE, NONE, NONE]
    mean, error, plain = added(groups)
    return [f"{launches:,}", host, len(more), duration(plain),
            duration(statistics.median(more), "+"), middle_half(more),
            added_text(mean, error, plain)]


def length_lines(several):
    """What light adds to a launch, in runs of several lengths."""
    return table(["launches", "host", "pairs", WAYS["nothing"],
                  "median of the differences", "their middle half",
                  "their mean, its standard error"],
                 [length_row(*key, groups)
                  for key, groups in lengths(several).items()])


def alongs(several):
    """Of [(host, results)]: {host: {time: groups of pairs}}; of all hosts, too,
    if there are several."""
    hosts = {}
    for host, results in several:
        times = results.get("light_along_ns", {})
        if all(len(times.get(time, [])) > 1 for time in ALONG):
            for time in ALONG:
                hosts.setdefault(host, {}).setdefault(time, []).append(
                    times[time])
    hosts = dict(sorted(hosts.items()))
    if len(hosts) > 1:
        hosts[ALL] = {time: [group for host in hosts.values()
                             for group in host[time]] for time in ALONG}
    return hosts


def pairs_of(groups):
    return sum(len(pairs) for pairs in groups)


def along_row(host, times):
    """What a run pays once; what a call passes through; what differs beside
    that between launches of two runs; these together; and the whole runs."""
    passed = [[mine[1] - past[1] for mine, past in zip(*groups)]
              for groups in zip(times["through_ns"], times["past_ns"])]
    both = [[(mine[0] + once[0] / MILLION, mine[1] + once[1] / MILLION)
             for mine, once in zip(*groups)]
            for groups in zip(times["through_ns"], times["begin_ns"])]
    plain = added(times["through_ns"])[2]
    return [host, pairs_of(both), len(both), duration(plain),
            with_error(*added(times["begin_ns"])[:2]),
            with_error(*mean_of(passed)),
            with_error(*added(times["past_ns"])[:2]),
            added_text(*added(both)[:2], plain),
            added_text(*added(times["mean_ns"]))]


def along_lines(several):
    return table(["host", "pairs", "measurements", WAYS["nothing"], "once in a run",
                  "what a call passes through", "all else, a launch",
                  "together, of a million launches", "mean of the runs"],
                 [along_row(*row) for row in alongs(several).items()])


def length_section(several, apart):
    lines = []
    if lengths(several):
        lines += ["", *length_lines(several)]
    if alongs(several):
        lines += ["", *along_text(apart), "", *along_lines(several)]
    if not lines:
        return []
    return [
        "## Light in longer runs", "",
        wrap("""Light pays for full detail in its first 10,000 calls, and for a
        count in all others: the longer a run, the less a call costs. The copies,
        waits, threads and graphs above are short runs, of which light records a
        larger share. A pair is a run with nothing and one with light, one after
        the other."""),
        *lines, ""]


def along_text(apart):
    measured = """Most were measured by themselves, on each GPU of a host at a
        time, with four cores for each: `taskset -c CORES measure.py --parts
        along,instructions --ways nothing,light -o
        results/light/MACHINE-HOST-GPU.json build`.""" if apart else ""
    return [
        wrap(f"""What it is made of, by pairs of runs of a million launches, in
        the second half of which they go through the library and past it in
        turns (`examples/overhead/along.cu`). Once in a run: the first tenth of
        a run against the second, for the 10,000 calls that are recorded and
        what CUPTI costs until it is detached. What a call passes through is
        free of what differs between two runs; all else is what launches past
        the library take longer than with nothing; both in moments when nothing
        else held up the host's cores (what a tenth of all batches of launches
        stay below). The last column has the runs as they were, with all that
        held them up. {measured} The mean of the means of each measurement
        of a GPU, and its standard error by how these scatter, which is by more
        than the pairs of one do; of one alone, by its pairs:""")]
