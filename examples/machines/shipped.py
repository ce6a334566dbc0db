#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the profiles h100.json and h200.json from all recorded calibrations but those
of first contacts that test the result, or these profiles (../corpus/recordings.json);
--check writes nothing, and exits with 1 if they are not up to date.

Each parameter is the median of the calibrations of this GPU model on a host with no
other process at work, its range is from their lowest value to their highest: another
machine's value lies within with a probability of (N - 1) / (N + 1) for N of them.
docs/models.md has the rule.
"""
import json
import pathlib
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
SCHEMA = HERE.parent.parent / "docs/schema/machine.schema.json"


def calibrations(model):
    """Returns the calibrations of the GPU model by date, the newest last."""
    found = {}
    recordings = json.loads((HERE.parent / "corpus/recordings.json").read_text())
    testing = {recording["machine"] for recording in recordings
               if recording["tests"]}
    for path in sorted(HERE.parent.glob("*/*/machine*.json")):
        machine = json.loads(path.read_text())
        if (path.parent.name not in testing and
                machine["source"] == "calibrated" and model in machine["gpu"]
                and "Another process" not in machine["notes"]):
            found[machine["date"]] = machine
    return [found[date] for date in sorted(found)]


def rounded(value):
    return float(f"{value:.5g}")


def spread(values):
    """Returns the median, the lowest and the highest."""
    return [rounded(f(values)) for f in (statistics.median, min, max)]


def param(params):
    """Of those that have it; if one alone has, with its own range."""
    params = [param for param in params if param]
    return params[0] if len(params) == 1 else dict(
        zip(("value", "low", "high"),
            spread([param["value"] for param in params])))


def point(points):
    assert len({point["bytes"] for point in points}) == 1, points
    return {"bytes": points[0]["bytes"],
            **dict(zip(("ns", "low_ns", "high_ns"),
                       spread([point["ns"] for point in points])))}


def family(families):
    """calibrate's own check, as it usually comes out."""
    return {"cases": families[0]["cases"],
            **{key: rounded(statistics.median(family[key] for family in families))
               for key in ("value", "low", "high")}}


def joined(machines, name):
    """Returns the profile. A calibration lacks what calibrate measured later, and may
    have what no prediction reads any more."""
    schema = json.loads(SCHEMA.read_text())["properties"]
    known = schema["parameters"]["properties"]
    *_, newest = machines
    profile = {key: value for key, value in newest.items() if key in schema}
    profile = {**profile, "name": name, "uuid": "", "host": "", "passes": 0,
               "notes":
               f"Medians of {len(machines)} calibrations from "
               f"{machines[0]['date'][:10]} to {newest['date'][:10]}, with the "
               "range of their values."}
    names = dict.fromkeys(name for machine in reversed(machines)
                          for name in machine["parameters"])
    profile["parameters"] = {
        name: param([machine["parameters"].get(name) for machine in machines])
        for name in names if name in known}
    for way in ("pageable_h2d", "pageable_d2h"):
        profile[way] = [point(points) for points in
                        zip(*(machine[way] for machine in machines), strict=True)]
    profile["self_check"] = {
        name: family([machine["self_check"][name] for machine in machines])
        for name in newest["self_check"]}
    return profile


def main():
    check, stale = sys.argv[1:] == ["--check"], 0
    for model in ("H100", "H200"):
        path = HERE / f"{model.lower()}.json"
        text = json.dumps(joined(calibrations(model), path.stem), indent=2) + "\n"
        if not check:
            path.write_text(text)
        elif path.read_text() != text:
            print(f"{path.name} is not of today's calibrations")
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main())
