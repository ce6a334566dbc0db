# SPDX-License-Identifier: MIT
"""The cases of Python's frameworks: unmodified programs of each."""
import os
import re

from cases import case, expect_ops
from harness import Failed


def python_lines(bench, run, script):
    """The lines of a script that are marked as copying or launching, and those
    of it that the report names for it."""
    with open(script, encoding="utf-8") as lines:
        marked = {(found.group(1), number)
                  for number, line in enumerate(lines, 1)
                  if (found := re.search(r"# line: (\w+)", line))}
    named = {(site["step"], site["line"])
             for phase in bench.report(run.traces[0])["phases"]
             for site in phase["sites"] if os.path.basename(
                 site["file"] or "") == os.path.basename(script)}
    return marked, marked & named


def python(name, what, script, *modules, all_lines=False, **options):
    """A case that runs one script. A framework may ask for its work from other
    threads, where the script's lines cannot be seen: which is a figure."""
    @case(name, what)
    def run(bench):
        command = bench.python(script, *modules)
        ran = bench.both(command)
        figures = bench.check(ran, **options)
        marked, named = python_lines(bench, ran, command[-1])
        if all_lines and named != marked:
            raise Failed(f"not named: the lines {sorted(marked - named)}",
                         ran.traces[0])
        return {**figures, "python_lines": f"{len(named)} of {len(marked)}"}
    return run


@case("torch", "PyTorch: copies and kernels")
def torch(bench):
    tensors = bench.python("../../../examples/tensors.py", "torch")
    return bench.check(expect_ops(bench.both(tensors), 120))


def copies_in(bench, trace):
    """In the order of their calls: how long each lasted, how long before its
    call it began, and how long after it, in ns."""
    base, spans = 0, {"copy": {}, "copycall": {}}
    for line in bench.dump(trace):
        kind, *words = line.split()
        if kind not in ("chunk", "time", *spans):
            continue
        fields = dict(word.split("=", 1) for word in words)
        if kind not in spans:
            base = int(fields["base_ns"])
        elif fields["direction"] == "1":
            begin = base + int(fields["start"])
            spans[kind][int(fields["correlation"])] = (
                begin, begin + int(fields["duration"]))
    for correlation, (begin, end) in sorted(spans["copy"].items()):
        called, returned = spans["copycall"][correlation]
        yield end - begin, max(called - begin, 0), max(begin - returned, 0)


# A copy from pageable memory may return before it begins, and then it waits for
# what other processes do on the GPU; a clock that is off moves ten copies.
FEW_LATE = 3
AWAY_NS = 100000


@case("torch-profiler", "torch.profiler started, stopped, started again")
def torch_profiler(bench):
    run = bench.both(bench.python("torch_profiler.py", "torch"))
    figures = bench.check(run)
    copies = list(copies_in(bench, run.traces[0]))
    lasted = {True: [], False: []} # in the profiles: the second and fourth 10
    for number, (length, _, _) in enumerate(copies):
        lasted[number // 10 in (1, 3)].append(length)
    figures["copy_ns"] = {
        name: round(sum(lasted[profiled]) / max(len(lasted[profiled]), 1))
        for name, profiled in (("profiled", True), ("alone", False))}
    figures["early_ns"] = max((early for _, early, _ in copies), default=0)
    figures["late"] = sum(late > AWAY_NS for _, _, late in copies)
    profiled, alone = figures["copy_ns"].values()
    if figures["lost"] or figures["gaps"]:
        raise Failed(f"records are lost: {figures}", run.traces[0])
    if not alone / 1.5 < profiled < alone * 1.5:
        raise Failed(f"copies last otherwise in a profile: {figures}",
                     run.traces[0])
    if figures["early_ns"] > AWAY_NS or figures["late"] > FEW_LATE:
        raise Failed(f"copies are not at their calls: {figures}",
                     run.traces[0])
    return figures


python("dataloader", "PyTorch with forked DataLoader workers",
       "dataloader.py", "torch")
python("triton", "Triton", "triton_add.py", "triton", "torch")
python("numba", "Numba", "numba_add.py", "numba.cuda")
python("cupy", "CuPy", "cupy_add.py", "cupy")
python("jax", "JAX", "jax_add.py", "jax", all_matched=False)
python("torch-lines", "the lines of Python behind PyTorch's copies and kernels",
       "torch_lines.py", "torch", all_lines=True)


def carriers(bench, trace):
    """The libraries that brought a CUDA runtime of their own."""
    return [os.path.basename(cudart["path"]) for cudart in
            bench.report(trace)["coverage"]["cudarts"] if not cudart["shared"]]


@case("cublas", "matrix products by cuBLAS, which has a CUDA runtime inside")
def cublas(bench):
    run = bench.both(bench.python("torch_products.py", "torch"))
    trace = run.traces[0]
    figures = bench.check(run)
    if not any("libcublas" in name for name in carriers(bench, trace)):
        raise Failed(f"no CUDA runtime in libcublas: "
                     f"{carriers(bench, trace)}", trace)
    return figures


@case("nccl", "PyTorch's all_reduce on two devices, a process each, by NCCL")
def nccl(bench):
    run = bench.both(bench.python("nccl_reduce.py", "torch"), traces=2)
    all_figures = []
    for trace in list(run.traces):
        run.traces[0] = trace
        figures = bench.check(run)
        dump = bench.dump(trace)
        brought = carriers(bench, trace)
        if not any("libnccl" in name for name in brought):
            raise Failed(f"no CUDA runtime in libnccl: {brought}", trace)
        if not any(re.match(r'string .*text=".*nccl.*Kernel', line)
                   for line in dump):
            raise Failed(f"no kernel of NCCL: {figures}", trace)
        all_figures.append({**figures, "devices": sorted(
            {re.search(r" device=(\d+)", line).group(1) for line in dump
             if line.startswith("queue ")})})
    if [figures["devices"] for figures in all_figures] not in (
            [["0"], ["1"]], [["1"], ["0"]]):
        raise Failed(f"not a device each: {all_figures}")
    return {**all_figures[0], "second": all_figures[1]}
