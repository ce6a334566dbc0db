# SPDX-License-Identifier: MIT
"""The sections of docs/overhead.md on the cost of light mode in long runs, from
pairs of an untraced run and one in light mode."""
import statistics

from figures import (LEAST_FOR_HALF, NONE, WAYS, added, added_text, duration,
                     mean_of, table, with_error, wrap)

ALL = "all"
ALONG = ("begin_ns", "mean_ns", "through_ns", "past_ns")
MILLION = 1000000


def launches_of(results, part):
    """Returns the number of launches in a run of the part."""
    return int(part.partition("_")[2] or
               results.get("launches", results["calls"]))


def lengths(several):
    """Of [(host, results)], returns {(launches of a run, host): groups of pairs of
    ns, untraced and in light mode}."""
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
    """Returns the table of what light adds to a launch, by length of the run."""
    return table(["launches", "host", "pairs", WAYS["nothing"],
                  "median of the differences", "their quartiles",
                  "their mean, its standard error"],
                 [length_row(*key, groups)
                  for key, groups in lengths(several).items()])


def alongs(several):
    """Of [(host, results)], returns {host: {time: groups of pairs}}, with a row for
    all hosts if there are several."""
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
    """Returns the cost of a host: once in a run, inside the library, other
    differences between launches of two runs, the sum, and the whole runs."""
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
                  "inside the library, a launch", "other, a launch",
                  "sum, over a million launches", "mean of the runs"],
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
        wrap("""Light mode records its first 10,000 calls in full and counts
        the others, so that the cost of a call falls with the length of the run.
        The copies, waits, threads and graphs above are short runs; light
        records a larger share of them. A pair is an untraced run and a run in
        light mode, one after the other."""),
        *lines, ""]


def along_text(apart):
    measured = """Most of these were measured on all GPUs of a host at the same
        time, with four cores for each GPU: `taskset -c CORES measure.py --parts
        along,instructions --ways nothing,light -o
        results/light/MACHINE-HOST-GPU.json build`.""" if apart else ""
    return [
        wrap("""The next table splits this cost. It comes from pairs of runs of
        a million launches. In the second half of a run, launches go
        alternately through the library and past it
        (`examples/overhead/along.cu`)."""), "",
        wrap("""- Once in a run: the first tenth of a run against the second one.
        It holds the 10,000 recorded calls, and the cost of CUPTI until it is
        detached.""", "  "),
        wrap("""- Inside the library: launches through it against launches past
        it, in the same run.""", "  "),
        wrap("""- Other: launches past the library against untraced ones.""",
             "  "),
        wrap("""- The last column has the whole runs, with everything that
        disturbed them.""", "  "), "",
        wrap(f"""The two middle columns are of quiet moments: the 10th
        percentile of all batches of launches. {measured} Each figure is the
        mean over the measurements of the GPUs, with its standard error from
        the scatter of these, which is larger than that of the pairs of one
        measurement. The error of a single measurement is from its pairs."""),
        ]
