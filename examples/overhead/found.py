# SPDX-License-Identifier: MIT
"""Reads what measure.py measured on a machine: MACHINE.json, or
MACHINE-HOST-GPU.json for each GPU of each host, and the files beside them."""
import json
import math
import statistics

from figures import NONE

MEASURED = ("host_ns", "host_more_ns", "startup_ms", "startup_more_ms",
            "trace_bytes_per_op")


def by_name(several):
    """Returns {name: values of the dicts that have it}."""
    names = dict.fromkeys(name for values in several for name in values)
    return {name: [values[name] for values in several if name in values]
            for name in names}


def medians(several):
    """Returns the medians of numbers, or of dicts key by key."""
    if not isinstance(several[0], dict):
        return round(statistics.median(several), 3)
    return {name: medians(values) for name, values in by_name(several).items()}


def summed(several, none):
    """Returns the sums of dicts of numbers or of lists; `none` is the empty value."""
    return {name: sum(values, none)
            for name, values in by_name(several).items()}


def merged(several):
    """Merges the results of several GPUs of one host: medians of the figures,
    the smallest number of turns."""
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


def host_of(path, results):
    """Returns HOST of MACHINE-HOST-GPU.json."""
    host = path.stem.removeprefix(results["machine"]).strip("-")
    return host.rpartition("-")[0] or NONE


def noise(several):
    """Returns how noisy a host is: the time of its untraced launches."""
    launch = merged(several)["host_ns"]["nothing"].get("launch")
    return launch["call_ns"]["median"] if launch else math.inf


def starts(results):
    """Returns the number of starts of CUDA in each way."""
    return results.get("startup_runs", {}).get("cuda", 0)


def latest(several):
    """Returns the order of hosts: the last one measured, of those of one day the
    quietest."""
    return max(results["date"] for results in several), -noise(several)


class Found:
    """The results of hosts, and the findings on the machine of the latest."""

    def __init__(self, paths):
        hosts = {}
        for path, results in read(paths):
            hosts.setdefault(host_of(path, results), []).append(results)
        self.host = max(hosts, key=lambda host: latest(hosts[host]))
        self.mine = hosts[self.host]
        machine, folder = self.mine[0]["machine"], min(paths).parent
        self.hosts = {self.host: self.mine, **hosts}
        self.others = {host: several for host, several in hosts.items()
                       if host != self.host}
        light = read((folder / "light").glob(f"{machine}-*-*.json"))
        self.apart = [(host_of(path, results), results)
                      for path, results in light]
        self.pointers = [results for _, results in
                         read((folder / "pointers").glob("*.json"))]
        beside = folder / f"{machine}.md"
        self.findings = beside.read_text() if beside.exists() else ""

    def name(self, host):
        """Returns "host z", with the GPU if it is not that of the page."""
        gpu = self.hosts[host][0].get("gpu")
        return (f"host {host}" if gpu == self.mine[0].get("gpu")
                else f"host {host} ({gpu})")

    def most_starts(self):
        """Returns (host, results) of the host with the most starts: starts are few,
        and vary more than hosts do."""
        return max(((host, merged(several))
                    for host, several in self.hosts.items()),
                   key=lambda each: starts(each[1]))

    def all_pairs(self):
        """Returns [(host, results)] of all results that may have pairs with light."""
        return self.apart + [(host, results)
                             for host, several in self.hosts.items()
                             for results in several]
