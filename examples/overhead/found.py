# SPDX-License-Identifier: MIT
"""Finds what measure.py measured on a machine: MACHINE.json, or
MACHINE-HOST-GPU.json of its hosts' GPUs, with what stands beside."""
import json
import math
import statistics

from figures import NONE

MEASURED = ("host_ns", "host_more_ns", "startup_ms", "startup_more_ms",
            "trace_bytes_per_op")


def by_name(several):
    """{name: what those of the dicts have there that have it}"""
    names = dict.fromkeys(name for values in several for name in values)
    return {name: [values[name] for values in several if name in values]
            for name in names}


def medians(several):
    """Of numbers, or of what is alike in dicts."""
    if not isinstance(several[0], dict):
        return round(statistics.median(several), 3)
    return {name: medians(values) for name, values in by_name(several).items()}


def summed(several, none):
    """Of dicts of numbers, or of lists, of which `none` is the empty one."""
    return {name: sum(values, none)
            for name, values in by_name(several).items()}


def merged(several):
    """Results of several GPUs of one host as one: the medians of theirs; the
    turns that each has at least."""
    if len(several) == 1:
        return several[0]
    one = dict(several[0])
    for key in MEASURED:
        one[key] = medians([results.get(key, {}) for results in several])
    for key, none in (("light_pairs_ns", []), ("startup_runs", 0)):
        one[key] = summed([results.get(key, {}) for results in several], none)
    one["turns"] = min(results["turns"] for results in several)
    one["notes"] = sorted({note for results in several
                           for note in results["notes"]})
    return one


def read(paths):
    return [(path, json.loads(path.read_text())) for path in sorted(paths)]


def host_of(path, machine):
    """Of MACHINE-HOST-GPU.json"""
    host = path.stem.removeprefix(machine).strip("-")
    return host.rpartition("-")[0] or NONE


def noise(several):
    """That of a host: its quietest has the shortest launches with nothing."""
    launch = merged(several)["host_ns"]["nothing"].get("launch")
    return launch["call_ns"]["median"] if launch else math.inf


def starts(results):
    """How many of CUDA there are of each way."""
    return results.get("startup_runs", {}).get("cuda", 0)


class Found:
    """The results of a machine's hosts, and what stands beside them."""

    def __init__(self, paths):
        mine = read(paths)
        machine, folder = mine[0][1]["machine"], mine[0][0].parent
        hosts = {}
        for path, results in mine:
            hosts.setdefault(host_of(path, machine), []).append(results)
        self.host = min(hosts, key=lambda host: noise(hosts[host]))
        self.mine = hosts[self.host]
        self.hosts = {self.host: self.mine, **hosts}
        self.others = {host: several for host, several in hosts.items()
                       if host != self.host}
        light = read((folder / "light").glob(f"{machine}-*-*.json"))
        self.apart = [(host_of(path, machine), results)
                      for path, results in light]
        beside = folder / f"{machine}.md"
        self.findings = beside.read_text() if beside.exists() else ""

    def most_starts(self):
        """(host, its results): starts are few, and differ more than hosts do."""
        return max(((host, merged(several))
                    for host, several in self.hosts.items()),
                   key=lambda each: starts(each[1]))

    def all_pairs(self):
        """[(host, results)] of all that may have pairs with light."""
        return self.apart + [(host, results)
                             for host, several in self.hosts.items()
                             for results in several]
