#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a small SQLite export as Nsight Systems would.

    write_nsys.py SCHEMA FILE      SCHEMA: 2.9, 3.0, 3.8, 3.17 or 3.25

The tables have the columns of the published schema of that version, as far as
they are read. The run: three rounds of 4 MiB in, a kernel, 4 MiB out, from
pageable memory, on the default stream; then one copy from pinned memory on
another stream, which the host waits for. Times are made up.
"""
import sqlite3
import sys

PID, TID = 4711, 4712
GLOBAL = 1 << 48 | PID << 24
MIB = 1 << 20
KINDS = ("PAGEABLE", "PINNED", "DEVICE", "ARRAY", "MANAGED", "DEVICE_STATIC",
         "MANAGED_STATIC", "UNKNOWN")
GPU = {"vmId": 1, "id": 0, "name": "NVIDIA H200", "l2CacheSize": 62914560,
       "totalMemory": 150000000000, "memoryBandwidth": 4916000000000,
       "clockRate": 1980000000, "smCount": 132, "uuid": "0a0b0c0d-0001",
       "cuDevice": 0, "maxShmemPerSm": 233472, "maxRegistersPerSm": 65536,
       "threadsPerWarp": 32, "asyncEngines": 3, "maxWarpsPerSm": 64,
       "maxBlocksPerSm": 32, "computeMajor": 9, "computeMinor": 0}


class Export:
    """Tables are made as their first row is added, as nsys does."""

    def __init__(self, path, schema):
        self.version = tuple(int(part) for part in schema.split("."))
        self.db = sqlite3.connect(path)
        self.db.execute("PRAGMA page_size = 512")
        self.tables = set()
        self.strings = {}
        self.ids = 0

    def add(self, table, **row):
        if table not in self.tables:
            columns = ", ".join(f'"{name}"' for name in row)
            self.db.execute(f"CREATE TABLE {table} ({columns})")
            self.tables.add(table)
        self.db.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(row))})",
                        list(row.values()))

    def string(self, text):
        if text not in self.strings:
            self.strings[text] = len(self.strings) + 1
        return self.strings[text]

    def call(self, start, end, name, stack=None, result=0):
        self.ids += 1
        self.add("CUPTI_ACTIVITY_KIND_RUNTIME", start=start, end=end,
                 eventClass=0, globalTid=GLOBAL | TID, correlationId=self.ids,
                 nameId=self.string(name), returnValue=result,
                 callchainId=stack)
        return self.ids

    def op(self, table, start, end, stream, **rest):
        green = {"greenContextId": None} if self.version >= (3, 17) else {}
        self.add(f"CUPTI_ACTIVITY_KIND_{table}", start=start, end=end,
                 deviceId=0, contextId=1, **green, streamId=stream,
                 correlationId=self.ids, globalPid=GLOBAL, **rest)

    def copy(self, start, end, kind, src, dst, stream=7, size=4 * MIB):
        count = {"copyCount": None} if self.version >= (3, 24) else {}
        self.op("MEMCPY", start, end, stream, bytes=size, copyKind=kind,
                srcKind=src, dstKind=dst, graphNodeId=None, **count)

    def kernel(self, start, end, stream=7):
        self.op("KERNEL", start, end, stream,
                demangledName=self.string("scale(float *, int)"),
                shortName=self.string("scale"),
                mangledName=self.string("_Z5scalePfi"),
                registersPerThread=16, gridX=4096, gridY=1, gridZ=1,
                blockX=256, blockY=1, blockZ=1, staticSharedMemory=0,
                dynamicSharedMemory=1024, localMemoryPerThread=0,
                graphNodeId=None)

    def sync(self, start, end, kind, stream, event=0xffffffff):
        green = {"deprecatedSyncType": None} if self.version >= (3, 17) else {}
        self.op("SYNCHRONIZATION", start, end, stream, **green, syncType=kind,
                eventId=event)

    def finish(self):
        for text, number in self.strings.items():
            self.add("StringIds", id=number, value=text)
        self.db.commit()
        self.db.close()


def describe(export, schema):
    meta = ("META_DATA_EXPORT" if export.version >= (3, 1)
            else "EXPORT_META_DATA")
    for name, value in (("EXPORT_PRODUCT_NAME", "NVIDIA Nsight Systems"),
                        ("EXPORT_PRODUCT_VERSION", "2099.1"),
                        ("EXPORT_SCHEMA_VERSION", schema + ".0")):
        export.add(meta, name=name, value=value)
    export.add("TARGET_INFO_SESSION_START_TIME",
               utcEpochNs=1767323045000000000, utcTime="", localTime="")
    export.add("ANALYSIS_DETAILS", globalVid=1, duration=40000000,
               startTime=0, stopTime=40000000)
    export.add("TARGET_INFO_SYSTEM_ENV", globalVid=1, name="Hostname",
               value="node7")
    export.add("TARGET_INFO_SYSTEM_ENV", globalVid=1, name="CudaDriverVersion",
               value="13020")
    export.add("TARGET_INFO_GPU", **GPU)
    if export.version >= (3, 0):
        export.add("PROCESSES", globalPid=GLOBAL, pid=PID, name="/opt/scale")
        for name, value in (("COMMAND", "scale"), ("ARGUMENT_0", "-n"),
                            ("ARGUMENT_1", "3")):
            export.add("META_DATA_CAPTURE", name="PROCESS_0:" + name, value=value)
        for number, kind in enumerate(KINDS):
            export.add("ENUM_CUDA_MEM_KIND", id=number,
                       name="CUDA_MEMOPR_MEMORY_KIND_" + kind, label=kind)
    if export.version >= (3, 8):
        export.add("TARGET_INFO_CUDA_CONTEXT_INFO", nullStreamId=7, hwId=0,
                   vmId=1, processId=PID, deviceId=0, contextId=1)
        export.add("TARGET_INFO_CUDA_DEVICE", gpuId=0, cudaId=0, pid=PID)
    else:
        export.add("TARGET_INFO_CUDA_NULL_STREAM", streamId=7, hwId=0, vmId=1,
                   processId=PID, deviceId=0, contextId=1)


def write_stacks(export):
    """Two frames: one of CUDA, one of the program, which called it."""
    for stack, symbol in ((1, "load(float*)"), (2, "step(float*)")):
        frames = (("cudaMemcpy", "/usr/lib/libcudart.so.13"),
                  (symbol, "/home/user/app/scale"), ("main", "/home/user/app/scale"))
        for depth, (name, module) in enumerate(frames):
            export.add("CUDA_CALLCHAINS", id=stack, symbol=export.string(name),
                       module=export.string(module), stackDepth=depth)


def write_ranges(export):
    """By the published numbers of eventType: 34 is a mark, 59 was pushed, 60
    started, 75 is a new domain."""
    ms, mine = 1000000, GLOBAL | TID
    for start, end, kind, text, thread, string, domain in (
            (6 * ms, 14 * ms - 1000, 59, "step", mine, None, 0),
            (14 * ms, 22 * ms - 1000, 59, "step", mine, None, 0),
            (6 * ms, 8 * ms, 59, None, mine, "halo exchange", 3),
            (6 * ms, 30 * ms, 60, "request", mine, None, 0),
            (7 * ms, None, 34, "mark", mine, None, 0),
            (1 * ms, None, 59, "never popped", mine, None, 0),
            (6 * ms, 8 * ms, 59, "another process", 99 << 24 | 7, None, 0),
            (5 * ms, None, 75, "solver", mine, None, 3)):
        export.add("NVTX_EVENTS", start=start, end=end, eventType=kind,
                   rangeId=None, category=None, color=None, text=text,
                   globalTid=thread, endGlobalTid=None,
                   textId=string and export.string(string), domainId=domain)


def write(schema, path):
    export = Export(path, schema)
    describe(export, schema)
    stack = 1 if export.version >= (3, 17) else None
    if stack:
        write_stacks(export)
    if export.version >= (3, 25):
        write_ranges(export)
    ms = 1000000
    export.call(1 * ms, 2 * ms, "cuInit")
    export.call(2 * ms, 5 * ms, "cudaMalloc_v3020")
    if export.version >= (3, 25):
        export.add("CUDA_GPU_MEMORY_USAGE_EVENTS", start=5 * ms,
                   globalPid=GLOBAL, address=0x7f0000000000, bytes=4 * MIB,
                   correlationId=export.ids)
    for i in range(3):
        at = (6 + 8 * i) * ms
        export.call(at, at + 2 * ms, "cudaMemcpy_v3020", stack)
        export.copy(at + 100000, at + 1900000, 1, 0, 2)
        export.call(at + 2 * ms, at + 2010000, "cudaLaunchKernel_v7000",
                    stack and 2)
        # the driver's call within the runtime's is the same work
        if export.version >= (3, 8):
            export.ids -= 1
            export.call(at + 2002000, at + 2008000, "cuLaunchKernel")
        export.kernel(at + 2020000, at + 4 * ms)
        export.call(at + 2010000, at + 6 * ms, "cudaMemcpy_v3020", stack and 2)
        export.copy(at + 4010000, at + 5900000, 2, 2, 0)
    export.call(31 * ms, 31010000, "cudaMemcpyAsync_ptsz_v7000")
    export.copy(31020000, 31120000, 1, 1, 2, stream=13)
    export.call(31010000, 31130000, "cudaStreamSynchronize_v3020")
    export.sync(31011000, 31129000, 3, 13)
    export.call(32 * ms, 32001000, "cudaEventSynchronize_v3020", result=2)
    export.sync(32 * ms, 32001000, 1, 0xffffffff, event=4)
    # another process of the capture
    export.add("CUPTI_ACTIVITY_KIND_RUNTIME", start=1, end=2, eventClass=0,
               globalTid=1 << 48 | 99 << 24 | 99, correlationId=1,
               nameId=export.string("cudaMalloc_v3020"), returnValue=0,
               callchainId=None)
    export.finish()


if __name__ == "__main__":
    write(sys.argv[1], sys.argv[2])
