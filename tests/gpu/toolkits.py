# SPDX-License-Identifier: MIT
"""The cases of more than one CUDA: other runtimes, toolkits and CUPTIs."""
import os
import re
import shutil
import tempfile

from cases import case, serial, serial_places
from harness import Failed, Skip

# Of the programs that are built by other toolkits: the argument of each.
PROGRAMS = (("copies", "2d"), ("copies", "3d"), ("copies", "symbol"),
            ("copies", "array"), ("copies", "peer"), ("memory", "register"),
            ("memory", "managed"), ("replay", "1000"))


def cudarts(bench):
    """A libcudart of each major there is, the oldest first."""
    found = {}
    for path in (sim_libraries(bench, "cudart") if bench.simulated
                 else find_libraries("libcudart.so.",
                                     bench.build / "tests/gpu")):
        major = re.search(r"libcudart\.so\.(\d+)", path)
        if major and int(major.group(1)) >= 11:
            found.setdefault(int(major.group(1)), path)
    return [found[major] for major in sorted(found)]


@case("two-runtimes", "CUDA runtimes of two majors, loaded by Python",
      simulated=True)
def two_runtimes(bench):
    paths = cudarts(bench)[-2:]
    if len(paths) < 2:
        raise Skip(f"one major of libcudart here: {', '.join(paths)}")
    run = bench.both([*bench.python("runtimes.py"), *paths])
    figures = bench.check(run)
    seen = [cudart["path"] for cudart in
            bench.report(run.traces[0])["coverage"]["cudarts"]]
    if not set(map(os.path.realpath, paths)) <= set(map(os.path.realpath,
                                                        seen)):
        raise Failed(f"the report knows {seen}, not {paths}", run.traces[0])
    return {**figures, "runtimes": paths}


@case("own-cupti", "a program that has loaded a libcupti of its own",
      simulated=True)
def own_cupti(bench):
    """CUPTI is not to be in a process twice: the program's own serves us."""
    cudart = cudarts(bench)[-1:]
    if not cudart:
        raise Skip("no libcudart")
    command = [*bench.python("runtimes.py"), *cudart]
    usual = bench.cupti_of(bench.both(command).traces[0])
    others = [path for path in cuptis(bench)
              if re.search(r"libcupti\.so\.(1[2-9]|11\.8|20)", path) and
              os.path.realpath(path) != os.path.realpath(usual)]
    if not others:
        raise Skip(f"one libcupti here: {usual}")
    tried = []
    for path in others:
        try:
            run = bench.both([*command, "--cupti", path])
        except Skip: # of another processor, or in need of what is not there
            continue
        figures = bench.check(run)
        if figures["rung"] != "callbacks":
            raise Failed(f"{path}: by {figures['rung']}", run.traces[0])
        used = bench.cupti_of(run.traces[0])
        if os.path.realpath(used) != os.path.realpath(path):
            raise Failed(f"{path} is there, {used or 'none'} was used",
                         run.traces[0])
        tried.append(path)
        if len(tried) == 2: # are enough
            break
    if not tried:
        raise Skip("no other libcupti that can be loaded")
    return {**figures, "own_cupti": tried, "usual_cupti": usual}


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
    tried = {"app": bench.check(serial_places(bench, pattern % "app"))}
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
    paths = cuptis(bench)
    if not paths:
        raise Skip("no libcupti")
    tried, wrong = [], []
    for path in paths:
        try:
            figures = bench.check(serial(bench, "app", 50, XFERSPY_CUPTI=path),
                                  may_step_back=True)
            tried.append({"path": path, **figures})
            # a library of a version that we know is one that we use
            if figures["rung"] != ("callbacks" if figures["cupti"]
                                   else "events"):
                wrong.append(f"{path}: by {figures['rung']}")
        except Failed as failure:
            wrong.append(f"{path}: {failure}")
    if wrong:
        raise Failed("; ".join(wrong))
    return {"versions": tried}


def cuptis(bench):
    return sim_libraries(bench, "cupti") if bench.simulated \
        else find_libraries("libcupti.so")


def sim_libraries(bench, name):
    """The simulated device's library, and a copy of it that passes for one of
    another major."""
    library = bench.simulated_library(name)
    copy = os.path.join(tempfile.mkdtemp(dir=bench.folder.name),
                        f"lib{name}.so.{12 if '.so.13' in library else 13}")
    shutil.copy(library, copy)
    return [copy, library]


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
