# SPDX-License-Identifier: MIT
"""The cases of more than one CUDA: other runtimes, toolkits and CUPTIs."""
import os
import re

from cases import case, serial
from harness import Failed, Skip

# Of the programs that are built by other toolkits: the argument of each.
PROGRAMS = (("copies", "2d"), ("copies", "3d"), ("copies", "symbol"),
            ("copies", "array"), ("copies", "peer"), ("memory", "register"),
            ("memory", "managed"), ("replay", "1000"))


@case("two-runtimes", "CUDA runtimes of two majors, loaded by Python")
def two_runtimes(bench):
    found = {}
    for path in find_libraries("libcudart.so.", bench.build / "tests/gpu"):
        major = re.search(r"libcudart\.so\.(\d+)", path)
        if major and int(major.group(1)) >= 11:
            found.setdefault(major.group(1), path)
    if len(found) < 2:
        raise Skip(f"one major of libcudart here: {', '.join(found)}")
    paths = [found[major] for major in sorted(found)[-2:]]
    figures = bench.check(bench.both(
        [*bench.python("two_runtimes.py"), *paths]))
    return {**figures, "runtimes": paths}


@case("toolkits", "programs built by other CUDA toolkits")
def toolkits(bench):
    folders = sorted((bench.build / "tests/gpu").glob("cuda-*"))
    if not folders:
        raise Skip("built by one toolkit alone")
    total = {"ops": 0, "matched": 0, "lost": 0, "toolkits": {}}
    for folder in folders:
        for runtime in ("shared", "static"):
            name = f"{folder.name.removeprefix('cuda-')} {runtime}"
            tried = with_toolkit(bench, f"{folder.name}/%s-{runtime}")
            total["toolkits"][name] = tried
            for key in ("ops", "matched", "lost"):
                total[key] += sum(figures[key] for figures in tried.values())
    return total


def with_toolkit(bench, pattern):
    """The figures of each program, which a pattern names."""
    tried = {"app": bench.check(serial(bench, pattern % "app", 50))}
    for app, argument in PROGRAMS:
        command = [bench.app(pattern % app), argument]
        try:
            tried[f"{app} {argument}"] = bench.check(
                bench.both(command, CUDA_VISIBLE_DEVICES="0"),
                all_matched=app != "replay")
        except Failed as failure:
            raise Failed(f"{pattern % app} {argument}: {failure}",
                         failure.trace) from failure
    return tried


@case("cupti-versions", "each libcupti that is installed", simulated=True)
def cupti_versions(bench):
    paths = [sim_cupti(bench)] if bench.simulated else find_libraries(
        "libcupti.so")
    if not paths:
        raise Skip("no libcupti")
    tried, wrong = [], []
    for path in paths:
        try:
            figures = bench.check(serial(bench, "app", 50, XFERSPY_CUPTI=path),
                                  may_step_back=True)
            tried.append({"path": path, **figures})
        except Failed as failure:
            wrong.append(f"{path}: {failure}")
    if wrong:
        raise Failed("; ".join(wrong))
    return {"versions": tried}


def sim_cupti(bench):
    """The simulated device's, where that is in use."""
    return bench.simulated_cupti() if bench.simulated else None


def find_libraries(name, *roots):
    """Real files under the places where CUDA is installed, each once."""
    roots = ["/usr/local", "/opt", "/usr/lib", "/usr/lib64", *roots]
    found = {}
    for root in roots:
        for folder, folders, files in os.walk(root):
            # what this project builds is named alike
            folders[:] = [f for f in folders if f not in ("sim", "proc")]
            for file in files:
                if not file.startswith(name):
                    continue
                path = os.path.realpath(os.path.join(folder, file))
                if os.path.exists(path):
                    found.setdefault((os.path.basename(path),
                                      os.path.getsize(path)), path)
    return sorted(found.values())
