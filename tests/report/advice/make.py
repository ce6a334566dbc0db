#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes traces of typical programs as text, to judge the report's advice.

    make.py [FOLDER]    (this one)

A small model of a host and an H200 makes the times: pageable copies 17 GB/s,
pinned ones 55 GB/s, 3 us for a launch, 2.5 us for an asynchronous copy.
"""
import os
import sys

BASE = 1767323045000000000
MIB = 1 << 20
IN, OUT = 1, 2
PAGEABLE, PINNED, DEVICE = 1, 2, 3
RATE = {PAGEABLE: 17.0, PINNED: 55.0}  # bytes/ns
HOST, GPU = 0x7f0000000000, 0x7e0000000000
US, MS = 1000, 1000000

BLOCKING, ASYNC, LAUNCH, MALLOC, MALLOC_HOST, FREE = 1, 2, 5, 7, 8, 10
SYNC_DEVICE, SYNC_STREAM = 13, 14
FUNCTIONS = {BLOCKING: "cudaMemcpy", ASYNC: "cudaMemcpyAsync",
             LAUNCH: "cudaLaunchKernel", MALLOC: "cudaMalloc",
             MALLOC_HOST: "cudaMallocHost", FREE: "cudaFree",
             SYNC_DEVICE: "cudaDeviceSynchronize",
             SYNC_STREAM: "cudaStreamSynchronize"}


class Trace:
    """The records of a run; each thread has its own clock."""

    def __init__(self, app, about, streams=1, killed=False, devices=1):
        self.app, self.about, self.streams = app, about, streams
        self.devices = devices  # that the streams are on in turn
        self.killed, self.contents = killed, False
        self.details, self.tallies = [], []
        self.modules = False  # its call sites are in the program
        self.strings, self.sites, self.shapes = [], [], []
        self.blocks = 4096
        self.calls, self.ops, self.correlation = {}, [], 0
        self.stream_end = [0] * streams
        self.engine_end = {(device, engine): 0 for device in range(devices)
                           for engine in (IN, OUT, "kernel")}
        self.clock, self.thread = {}, 4711
        self.switch(4711, 5 * MS)

    def switch(self, thread, now=None):
        """Further calls are those of this thread."""
        self.thread = thread
        self.calls.setdefault(thread, [])
        if now is not None:
            self.clock[thread] = now

    @property
    def now(self):
        return self.clock[self.thread]

    def host(self, ns):
        """The host computes."""
        self.clock[self.thread] += int(ns)

    def string(self, text):
        if text not in self.strings:
            self.strings.append(text)
        return self.strings.index(text) + 1

    def site(self, call_class, place):
        self.string(FUNCTIONS[call_class])
        if (call_class, place) not in self.sites:
            self.sites.append((call_class, place))
        return self.sites.index((call_class, place)) + 1

    def call(self, kind, call_class, place, duration, **fields):
        site = self.site(call_class, place)
        self.correlation += 1
        self.calls[self.thread].append(line(
            kind, site=site, correlation=self.correlation, start=self.now,
            duration=int(duration), **fields))
        self.host(duration)
        return self.correlation

    def run(self, stream, engine, earliest, duration, gap, held=None):
        """Runs work on the GPU, which holds the engine for a time (all of it).
        Returns its start."""
        unit = stream % self.devices, engine
        start = int(max(earliest, self.stream_end[stream] + gap,
                        self.engine_end[unit]))
        self.stream_end[stream] = start + duration
        self.engine_end[unit] = start + (held or duration)
        return start

    def copy(self, direction, size, memory, host=0, gpu=0, stream=0,
             place=1, blocking=True, content=None):
        host, gpu, called = HOST + host, GPU + gpu, self.now
        duration = int(size / RATE[memory]) + 1 * US
        # Staging is the host's: copies of several threads share the link.
        start = self.run(stream, direction, called + 4 * US, duration, 2 * US,
                         int(size / RATE[PINNED]) + 1 * US)
        taken = 2500
        if blocking or memory == PAGEABLE:
            taken = start + duration + 4 * US - called
        correlation = self.call(
            "copycall", BLOCKING if blocking else ASYNC, place, taken,
            bytes=size, dst=gpu if direction == IN else host,
            src=host if direction == IN else gpu,
            stream=0 if blocking else 0x5000 + stream, rows=1,
            direction=direction)
        if content is not None:
            self.calls[self.thread].append(line(
                "content", site=self.sites.index((BLOCKING, place)) + 1,
                correlation=correlation, start=called, duration=taken,
                hash=content, hashed_bytes=size))
        self.ops.append((start, line(
            "copy", queue=stream, correlation=correlation, start=start,
            duration=duration, bytes=size, direction=direction,
            src_memory=memory if direction == IN else DEVICE,
            dst_memory=DEVICE if direction == IN else memory,
            flags=0 if blocking else 1, copies=1)))

    def kernel(self, duration, name="_Z4stepPfi", stream=0, place=2,
               call_ns=3 * US):
        if name not in self.shapes:
            self.string(name)
            self.shapes.append(name)
        start = self.run(stream, "kernel", self.now + call_ns + 1 * US,
                         int(duration), 1 * US)
        correlation = self.call("call", LAUNCH, place, call_ns)
        self.ops.append((start, line(
            "kernel", queue=stream, correlation=correlation, start=start,
            duration=int(duration), shape=self.shapes.index(name) + 1)))

    def wait(self, stream=None, place=3):
        end = max(self.stream_end) if stream is None else \
            self.stream_end[stream]
        taken = max(end - self.now, 0) + 6 * US
        self.call("waitcall", SYNC_DEVICE if stream is None else SYNC_STREAM,
                  place, taken,
                  stream=0 if stream is None else 0x5000 + stream)

    def memory(self, call_class, address, size, taken, place):
        self.call("memcall", call_class, place, taken,
                  address=(HOST if call_class == MALLOC_HOST else GPU) +
                  address, bytes=size)

    def set_up(self, *gpu, pinned=()):
        """Starts CUDA and allocates memory: sizes by address."""
        for i, (address, size) in enumerate(gpu):
            self.memory(MALLOC, address, size, 90 * MS if i == 0 else 100 * US,
                        20 + i)
        for i, (address, size) in enumerate(pinned):
            self.memory(MALLOC_HOST, address, size, size / MIB * 250 * US,
                        30 + i)

    def count(self, ns, *tallies):
        """Calls are only counted for a time, up to the end: a class, a place, a
        direction (0: no copy), how many, and the bytes of each."""
        self.details = [line("detail", detail=1, time_ns=BASE),
                        line("detail", time_ns=BASE + self.now)]
        for call_class, place, direction, calls, size in tallies:
            self.tallies.append(line(
                "tally", size=size.bit_length() + 1, direction=direction,
                site=self.site(call_class, place), calls=calls,
                bytes=calls * size))
        self.host(ns)

    def write(self, folder, name):
        end = BASE + max([*self.clock.values(), *self.stream_end]) + 1 * MS
        top = [f"# {text}" for text in self.about.split("\n")]
        top.append(line("header", pid=4711, state=0 if self.killed else 1,
                        start_realtime_ns=BASE, start_monotonic_ns=1000,
                        flush_realtime_ns=end,
                        end_realtime_ns=0 if self.killed else end))
        top.append(line("chunk", thread=4711, base_ns=BASE))
        for text in (f"app=/home/user/app/{self.app}", "host=node7",
                     "mode=" + ("full" if self.contents else "trace"),
                     "cupti=130001 /usr/local/cuda/lib64/libcupti.so.13",
                     "driver=580.82.07", "rung=callbacks"):
            top.append(f'info text="{text}"')
        path = self.string(f"/home/user/app/{self.app}") if self.modules else 0
        for i, text in enumerate(self.strings):
            top.append(f'string id={i + 1} text="{text}"')
        for i in range(self.devices):
            top.append(
                f"device device={i} cc_major=9 copy_engines=2 pcie_gen=5 "
                "pcie_width=16 sm_count=132 clock_khz=1980000 "
                "max_threads_per_sm=2048 max_blocks_per_sm=32 "
                "registers_per_sm=65536 shared_per_sm_bytes=233472 "
                "memory_bytes=150000000000 memory_bandwidth=4800000000000 "
                'name="NVIDIA H200"')
        if self.modules:
            top.append(line("module", path=path))
        for i, (call_class, place) in enumerate(self.sites):
            top.append(line("site", call_class=call_class, site=i + 1,
                            function=self.string(FUNCTIONS[call_class]),
                            module=0 if self.modules else 0xffffffff,
                            offset=4096 + 16 * i + place))
        for i, text in enumerate(self.shapes):
            top.append(line("shape", shape=i + 1, name=self.string(text),
                            grid_x=self.blocks, grid_y=1, grid_z=1, block_x=256,
                            block_y=1, block_z=1, registers=32))
        for i in range(self.streams):
            top.append(line("queue", queue=i, device=i % self.devices,
                            queue_kind=0 if i else 1,
                            context=1 + i % self.devices, stream=7 + i))
        lines = ["xferspy-text 1", *top]
        for thread, calls in self.calls.items():
            if thread != 4711:
                lines.append(line("chunk", thread=thread, base_ns=BASE))
            lines += calls
        lines += self.details + self.tallies
        if self.ops:
            lines.append(line("chunk", thread=0, base_ns=BASE))
            lines += [text for _, text in sorted(self.ops)]
        with open(os.path.join(folder, name + ".txt"), "w",
                  encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")


def line(kind, **fields):
    """A record; fields of 0 are left out."""
    return " ".join([kind, *(f"{name}={value}" for name, value in
                             fields.items() if value)])


def decode(folder):
    t = Trace("generate", "A language model makes tokens: 200 short kernels a "
              "step, launched one by one,\nand the token copied out.")
    t.set_up((0, 64 * MIB))
    for _ in range(4):
        for i in range(200):
            t.kernel(1500, place=40 + i % 8)
            t.host(1 * US)
        t.copy(OUT, 8, PAGEABLE, blocking=False)
        t.wait(0)
        t.host(60 * US)
    t.write(folder, "decode")


def train_item(folder):
    t = Trace("train", "A training step of 19 ms; the loss is read after each "
              "one.")
    t.set_up((0, 64 * MIB), pinned=[(0, 2 * MIB)])
    for _ in range(8):
        t.copy(IN, 2 * MIB, PINNED, blocking=False, place=4)
        for i in range(40):
            t.kernel(475 * US, place=40 + i % 8)
            t.host(8 * US)
        t.copy(OUT, 4, PAGEABLE, host=1 << 30, gpu=32 * MIB, blocking=False)
        t.wait(0)
        t.host(900 * US)
    t.write(folder, "train-item")


def offload(folder, memory, name, about):
    size = 64 * MIB
    t = Trace("offload", about)
    # The rest of the GPU's memory is taken.
    t.set_up((1 << 40, 139 << 30), (0, size),
             pinned=[(i * size, size) for i in range(16)]
             if memory == PINNED else ())
    for _ in range(4):
        for layer in range(16):
            t.copy(IN, size, memory, host=layer * size, blocking=False)
            t.kernel(1 * MS, "_Z4gemmPKfS0_Pf")
            t.host(10 * US)
        t.wait(0)
        t.host(50 * US)
    t.write(folder, name)


def converge(folder):
    t = Trace("relax", "Kernels until a flag says that they have converged.")
    t.set_up((0, 64 * MIB))
    for _ in range(30):
        for i in range(3):
            t.kernel(60 * US, place=40 + i)
        t.copy(OUT, 4, PAGEABLE)
        t.host(2 * US)
    t.write(folder, "converge")


def solver_copies(folder):
    size = 32 * MIB
    t = Trace("solve", "Each iteration copies the state in and out again; the "
              "host does not touch it\n(the hashes are equal).")
    t.contents = True
    t.set_up((0, size), pinned=[(0, size)])
    for i in range(12):
        t.copy(IN, size, PINNED, content=1000 + i)
        t.kernel(300 * US)
        t.copy(OUT, size, PINNED, place=4, content=1001 + i)
        t.host(2 * US)
    t.write(folder, "solver-copies")


def alloc_round(folder):
    size = 16 * MIB
    t = Trace("filter", "Each round allocates its device memory and frees it.")
    t.set_up((1 << 30, MIB), pinned=[(0, size), (size, size)])
    for _ in range(10):
        t.memory(MALLOC, 0, size, 120 * US, 5)
        t.memory(MALLOC, size, size, 110 * US, 6)
        t.copy(IN, size, PINNED)
        t.kernel(200 * US)
        t.copy(OUT, size, PINNED, host=size, gpu=size, place=4)
        t.memory(FREE, 0, 0, 170 * US, 7)
        t.memory(FREE, size, 0, 150 * US, 8)
        t.host(10 * US)
    t.write(folder, "alloc-round")


def small_copies(folder):
    size, count = 64 << 10, 64
    t = Trace("gather", "A round copies 64 neighbouring pieces of 64 KiB, one "
              "by one, for one kernel.")
    t.set_up((0, count * size), pinned=[(0, count * size)])
    for _ in range(4):
        for i in range(count):
            t.copy(IN, size, PINNED, host=i * size, gpu=i * size)
        t.kernel(60 * US)
        t.wait()
        t.host(5 * US)
    t.write(folder, "small-copies")


def loader_pageable(folder):
    size = 256 * 3 * 224 * 224
    t = Trace("train", "A training step whose batch is copied with "
              "non_blocking=True, but from pageable\nmemory.")
    t.set_up((0, 64 * MIB))
    for step in range(10):
        t.copy(IN, size, PAGEABLE, host=step % 4 * (1 << 30), blocking=False)
        for i in range(10):
            t.kernel(400 * US, place=40 + i)
            t.host(8 * US)
    t.wait()
    t.write(folder, "loader-pageable")


def host_bound(folder):
    t = Trace("detect", "The host prepares 20 ms, the GPU works 0.1 ms.")
    t.set_up((0, MIB))
    for _ in range(12):
        t.host(20 * MS)
        t.copy(IN, MIB, PAGEABLE)
        t.kernel(100 * US)
        t.copy(OUT, 64 << 10, PAGEABLE, host=1 << 30, place=4)
    t.write(folder, "host-bound")


def startup_load(folder):
    t = Trace("serve", "Weights are loaded once, 500 MB; three requests "
              "follow.")
    t.set_up((0, 500000000), (1 << 30, MIB), pinned=[(1 << 40, MIB)])
    t.copy(IN, 500000000, PAGEABLE)
    t.host(1 * MS)
    for _ in range(3):
        t.copy(IN, 256 << 10, PINNED, host=1 << 40, gpu=1 << 30, place=4)
        t.kernel(800 * US)
        t.copy(OUT, 64 << 10, PINNED, host=1 << 40, gpu=1 << 30, place=5)
        t.host(20 * US)
    t.write(folder, "startup-load")


def tuned(folder):
    size = 16 * MIB
    t = Trace("stream", "Two sets of buffers and streams: copies are hidden "
              "behind kernels.", streams=3)
    t.set_up((0, 4 * size), pinned=[(0, 4 * size)])
    for i in range(12):
        at, stream = i % 2 * size, 1 + i % 2
        t.copy(IN, size, PINNED, host=at, gpu=at, stream=stream,
               blocking=False)
        t.kernel(2 * MS, stream=stream)
        t.copy(OUT, size, PINNED, host=2 * size + at, gpu=2 * size + at,
               stream=stream, place=4, blocking=False)
        if i > 0:
            t.wait(3 - stream)
            t.host(20 * US)
    t.wait()
    t.write(folder, "tuned")


def killed_startup(folder):
    t = Trace("serve", "Killed while it loaded its weights.", killed=True)
    t.set_up((0, 64 * MIB), (64 * MIB, 64 * MIB))
    for i in range(2):
        t.copy(IN, 64 * MIB, PAGEABLE, host=i * 64 * MIB, gpu=i * 64 * MIB)
        t.host(1 * MS)
    t.write(folder, "killed-startup")


def one_round(folder):
    size = 64 * MIB
    t = Trace("filter", "One round, from and to pageable memory.")
    t.set_up((0, size))
    t.copy(IN, size, PAGEABLE)
    t.kernel(500 * US)
    t.copy(OUT, size, PAGEABLE, host=1 << 30, place=4)
    t.write(folder, "one-round")


def threads(folder):
    size = 16 * MIB
    t = Trace("workers", "Four threads, each with its own stream: the same "
              "rounds side by side.", streams=5)
    t.set_up((0, 4 * size))
    for i in range(4):
        t.switch(4712 + i, t.clock[4711] + i * 20 * US)
    for _ in range(8):
        for i in range(4):
            t.switch(4712 + i)
            t.copy(IN, size, PAGEABLE, host=i << 30, gpu=i * size,
                   stream=1 + i, blocking=False)
            t.kernel(200 * US, stream=1 + i)
            t.copy(OUT, size, PAGEABLE, host=i + 4 << 30, gpu=i * size,
                   stream=1 + i, place=4, blocking=False)
            t.wait(1 + i)
            t.host(10 * US)
    t.write(folder, "threads")


def dependent_rounds(folder):
    size = 64 * MIB
    t = Trace("couple", "The host changes a round's result, which is the next "
              "round's input (the hashes\ndiffer).")
    t.contents = True
    t.set_up((0, size), pinned=[(0, size)])
    for i in range(10):
        t.copy(IN, size, PINNED, content=1000 + 2 * i)
        t.kernel(1200 * US)
        t.copy(OUT, size, PINNED, place=4, content=1001 + 2 * i)
        t.host(800 * US)
    t.write(folder, "dependent-rounds")


def small_pieces(folder, streams, name):
    size, count = 64 << 10, 32
    where = f"{streams} streams" if streams > 1 else "one stream"
    t = Trace("pieces", f"A round in 32 pieces of 64 KiB on {where}: calls "
              "take longer than the GPU.", streams=1 + streams)
    t.set_up((0, count * size), pinned=[(0, 2 * count * size)])
    for _ in range(4):
        for i in range(count):
            at, stream = i * size, 1 + i % streams
            t.copy(IN, size, PINNED, host=at, gpu=at, stream=stream,
                   blocking=False)
            t.kernel(2 * US, stream=stream)
            t.copy(OUT, size, PINNED, host=at + count * size, gpu=at,
                   stream=stream, place=4, blocking=False)
        t.wait()
        t.host(5 * US)
    t.write(folder, name)


def host_ahead(folder):
    t = Trace("loader", "The host prepares 950 us, the GPU works 780 us; the "
              "host waits after each tenth\nround only. It has work to do in "
              "all of the time.", streams=2)
    t.set_up((0, 64 * MIB), pinned=[(0, 8 * MIB)])
    for i in range(60):
        t.host(950 * US)
        t.copy(IN, 4 * MIB, PINNED, stream=1, blocking=False)
        for k in range(10):
            t.kernel(70 * US, stream=1, place=60 + k)
        if i % 10 == 9:
            t.wait(1)
    t.wait()
    t.write(folder, "host-ahead")


def threads_pinned(folder):
    size = 16 * MIB
    t = Trace("workers", "Eight threads, each with its own stream and pinned "
              "buffers: the link is busy in\nboth directions all the time.",
              streams=9)
    t.set_up((0, 8 * size), pinned=[(0, 16 * size)])
    for i in range(8):
        t.switch(4712 + i, t.clock[4711] + i * 20 * US)
    for _ in range(8):
        for i in range(8):
            t.switch(4712 + i)
            t.copy(IN, size, PINNED, host=i * size, gpu=i * size,
                   stream=1 + i, blocking=False, place=50)
            t.kernel(200 * US, stream=1 + i, place=70)
            t.copy(OUT, size, PINNED, host=(8 + i) * size, gpu=i * size,
                   stream=1 + i, place=90, blocking=False)
            t.wait(1 + i)
            t.host(100 * US)
    t.write(folder, "threads-pinned")


def tiny_copies(folder):
    t = Trace("solve", "A round copies three times 64 bytes in and 64 bytes "
              "out, for a kernel of a block, of 2 us.")
    t.blocks = 1
    t.set_up((0, MIB))
    for _ in range(100):
        for i in range(3):
            t.copy(IN, 64, PAGEABLE, host=4096 * i, gpu=4096 * i, place=50 + i)
        t.kernel(2 * US)
        t.copy(OUT, 64, PAGEABLE, host=1 << 20, gpu=1 << 16, place=4)
        t.host(2 * US)
    t.write(folder, "tiny-copies")


def kernel_waits(folder):
    t = Trace("steps", "Three kernels a step, each with a wait behind it; "
              "nothing is copied.")
    t.set_up((0, 64 * MIB))
    for _ in range(60):
        for i in range(3):
            t.kernel(20 * US, place=50 + i)
            t.wait(place=60 + i)
        t.host(3 * US)
    t.write(folder, "kernel-waits")


def counted(folder):
    t = Trace("sim", "Two rounds were recorded, 5000 counted, which take twice "
              "as long.")
    t.set_up((0, MIB))
    for _ in range(2):
        t.copy(IN, MIB, PAGEABLE)
        t.kernel(100 * US)
        t.copy(OUT, MIB, PAGEABLE, host=1 << 30, place=4)
        t.host(5 * US)
    t.count(2500 * MS, (BLOCKING, 1, IN, 5000, MIB), (LAUNCH, 2, 0, 5000, 0),
            (BLOCKING, 4, OUT, 5000, MIB))
    t.write(folder, "counted")


def two_gpus(folder):
    size = 4 * MIB
    t = Trace("tiles", "One thread works on two GPUs in turn: it waits for the "
              "one before it begins with the\nother.", streams=2, devices=2)
    t.set_up((0, size), (1 << 40, size), pinned=[(0, 4 * size)])
    for _ in range(20):
        for gpu in range(2):
            t.copy(IN, size, PINNED, host=gpu * size, gpu=gpu << 40, stream=gpu,
                   blocking=False)
            t.kernel(600 * US, stream=gpu)
            t.copy(OUT, size, PINNED, host=(2 + gpu) * size, gpu=gpu << 40,
                   stream=gpu, place=4, blocking=False)
            t.wait(gpu)
        t.host(10 * US)
    t.write(folder, "two-gpus")


def streamed(folder):
    size = 4 * MIB
    t = Trace("scan", "Each round copies in the next part of the data, which "
              "no other round uses.")
    t.set_up((0, size), pinned=[(0, 20 * size)])
    for i in range(20):
        t.copy(IN, size, PINNED, host=i * size)
        t.kernel(150 * US)
        t.copy(OUT, 4096, PAGEABLE, host=1 << 40, place=4)
        t.host(5 * US)
    t.write(folder, "streamed")


def many_lines(folder):
    size, count = 2 * MIB, 16
    t = Trace("levels", "Sixteen lines of one program copy in, each for a "
              "kernel of its own.")
    t.modules = True
    t.set_up((0, count * size))
    for _ in range(5):
        for i in range(count):
            t.copy(IN, size, PAGEABLE, host=i * size, gpu=i * size,
                   place=100 + i)
            t.kernel(60 * US, place=200 + i)
            t.wait(place=300 + i)
            t.host(4 * US)
    t.write(folder, "many-lines")


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(
        os.path.abspath(__file__))
    offload(folder, PINNED, "offload-pinned",
            "Weights of 16 layers are copied in from pinned memory, each "
            "before its kernel.")
    offload(folder, PAGEABLE, "offload-pageable",
            "The run of offload-pinned.txt with pageable memory.")
    small_pieces(folder, 4, "small-pieces")
    small_pieces(folder, 1, "small-pieces-in-order")
    for make in (decode, train_item, converge, solver_copies, alloc_round,
                 small_copies, loader_pageable, host_bound, startup_load,
                 tuned, killed_startup, one_round, threads, dependent_rounds,
                 host_ahead, threads_pinned, tiny_copies,
                 kernel_waits, counted,
                 two_gpus, streamed, many_lines):
        make(folder)


if __name__ == "__main__":
    main()
