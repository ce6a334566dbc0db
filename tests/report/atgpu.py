#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ATGPU metrics: from a trace, in JSON and in text.

    atgpu.py XFERSPY SOURCE
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

XFERSPY = sys.argv[1]
# Two allocations, then a copy of 4000 bytes in 4 us, a kernel of 8 blocks in 6 us, a copy of
# 400 bytes back in 2 us; one allocation is freed.
RECORDS = """xferspy-text 1
header start_realtime_ns=1000000000 end_realtime_ns=1001000000
chunk thread=1 base_ns=1000000000
string id=1 text="k"
shape shape=1 name=1 grid_x=8 grid_y=1 grid_z=1 block_x=128 block_y=1 block_z=1 registers=32 \
shared_static_bytes=2048
site call_class=7 site=1
site call_class=1 site=2
site call_class=5 site=3
site call_class=10 site=4
memcall site=1 start=0 duration=100 address=4096 bytes=4000
memcall site=1 start=200 duration=100 address=16384 bytes=8000
copycall site=2 correlation=1 start=1000 duration=5000 bytes=4000
call site=3 correlation=2 start=7000 duration=1000
copycall site=2 correlation=3 start=8000 duration=9000 bytes=400
memcall site=4 start=18000 duration=100 address=4096
chunk thread=0 base_ns=1000000000
queue queue=1
copy queue=1 correlation=1 start=1500 duration=4000 bytes=4000 direction=1 src_memory=2 \
dst_memory=3
kernel queue=1 correlation=2 start=8200 duration=6000 shape=1
copy queue=1 correlation=3 start=14500 duration=2000 bytes=400 direction=2 src_memory=3 \
dst_memory=2
"""
# Hardware counters of the kernel: 2400 instructions in 8 blocks, 1250 sectors.
COUNTERS = ("counters name=1 grid_x=8 grid_y=1 grid_z=1 block_x=128 block_y=1 block_z=1 "
            "sectors_read=1000 sectors_written=250 requests_read=250 requests_written=63 "
            "instructions=2400\n")
# 1 GHz, 2 multiprocessors of 3 blocks, 32 bytes a ns; L+o 1 us, G 0.5, sigma 2 us.
MACHINE = {"schema": 1, "name": "m", "source": "calibrated", "gpu": "", "clock_khz": 1e6,
           "memory_bandwidth": 32e9, "sm_count": 2, "max_blocks_per_sm": 3,
           "shared_per_sm_bytes": 49152,
           "parameters": {name: {"value": value, "low": value, "high": value}
                          for name, value in (("lo_h2d_ns", 1000), ("lo_d2h_ns", 1000),
                                              ("G_h2d", 0.5), ("G_d2h", 0.5),
                                              ("sync_ns", 2000))}}


def report(records, machine, *options):
    pathlib.Path("trace.txt").write_text(records)
    pathlib.Path("m.json").write_text(json.dumps(machine))
    done = subprocess.run([XFERSPY, "report", "trace.txt", *options,
                           *(["--machine", "./m.json"] if machine else [])],
                          capture_output=True, text=True)
    if done.returncode or done.stderr:
        sys.exit(f"report {options}: {done.returncode}, {done.stderr}")
    return done.stdout


class Atgpu(unittest.TestCase):
    def atgpu(self, records, machine):
        phase, = json.loads(report(records, machine, "--format", "json"))["phases"]
        return phase["atgpu"]

    def has(self, found, **wanted):
        self.assertEqual({key: found[key] for key in wanted}, wanted)

    def test_a_trace_has_its_metrics(self):
        found = self.atgpu(RECORDS, None)
        self.has(found, rounds=1, in_words=1000, out_words=100, in_transactions=1,
                 out_transactions=1, global_words=3000, shared_words=512, thread_blocks=8,
                 operations=None, memory_blocks=None, gpu_cost_ns=None)
        self.assertIn("were not counted", found["why"])
        # 6 of 12 us
        self.assertAlmostEqual(found["transfer_share_observed"], 0.5)

    def test_counted_kernels_have_a_cost(self):
        # 300 operations of a block, twice; 1250 sectors of 8 words in blocks of 32
        found = self.atgpu(RECORDS + COUNTERS, MACHINE)
        self.has(found, operations=300, memory_blocks=313,
                 cost_ns=4200 + 300 + 1250 + 2000, gpu_cost_ns=4200 + 600 + 1250 + 2000,
                 swgpu_cost_ns=600 + 1250 + 2000, why=None)
        self.assertEqual(found["in_ns"] + found["out_ns"], 2000 + 2200)
        # without waiting
        self.assertAlmostEqual(found["transfer_share"], 4200 / 8050, 4)

    def test_text_has_it_when_asked(self):
        self.assertNotIn("ATGPU", report(RECORDS + COUNTERS, MACHINE))
        text = report(RECORDS + COUNTERS, MACHINE, "--atgpu")
        self.assertIn("\nATGPU  Carroll and Wong 2017", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        self.assertIn("11.7 KiB       2 KiB  -  300  313\n", text)
        self.assertIn("  4.20 us   6.00 us  3.85 us  8.05 us   16.0 us      52.2 %    50.0 %\n",
                      text)
        unknown = {**MACHINE, "parameters": {**MACHINE["parameters"], "sync_ns": None}}
        self.assertIn("  phase 1, no cost: the profile lacks sigma (sync_ns); ",
                      report(RECORDS + COUNTERS, unknown, "--atgpu"))


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    unittest.main(argv=sys.argv[:1])
