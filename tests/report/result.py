#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""From a trace to the report, through all stages: what is told of the run, of losses, and of
several GPUs.

    result.py XFERSPY SOURCE
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

XFERSPY, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
TRACES = SOURCE / "tests/report/traces"
MIB = 1 << 20
WHOLE = "state=1 end_realtime_ns=2000000000"


def report(path, code=0):
    """Returns the report; None: the exit code is another one than 0."""
    done = subprocess.run([XFERSPY, "report", "--format", "json", "--machine", "fitted", path],
                          capture_output=True, text=True)
    if done.returncode != code or bool(done.stderr) != bool(code):
        sys.exit(f"report {path}: {done.returncode}, {done.stderr}")
    return None if code else json.loads(done.stdout)


def report_of(header, records):
    """Reports on a trace with these records."""
    pathlib.Path("made.txt").write_text(
        f"xferspy-text 1\nheader start_realtime_ns=1000000000 {header}\n"
        f"chunk thread=1 base_ns=1000000000\n{records}")
    return report("made.txt")


def two_devices(second, later_us):
    """Four rounds on each of two devices, one thread each. Those of the second device, of
    this name, start later_us after those of the first; each ends with a copy to the first
    device, also one of no bytes."""
    records = ('device device=0 sm_count=132 name="NVIDIA H200"\n'
               f'device device=1 sm_count=132 name="{second}"\n'
               "queue queue=0 device=0 context=1 stream=7\n"
               "queue queue=1 device=1 context=2 stream=7\n"
               "shape shape=1 grid_x=1 grid_y=1 grid_z=1 block_x=32 block_y=1 block_z=1\n")
    for site, call_class in (1, 2), (2, 5), (3, 14), (4, 2):
        records += f"site call_class={call_class} site={site} module=4294967295\n"
    for i in range(8):
        device, call, size = i % 2, 10 * (i + 1), (i % 2 + 1) * MIB
        at = 1000 * (400 * (i // 2) + device * later_us)
        records += (
            f"chunk thread={device + 1} base_ns=1000000000\n"
            f"copycall site=1 correlation={call} start={at} duration=1000 bytes={size}\n"
            f"call site=2 correlation={call + 1} start={at + 2000} duration=1000\n"
            f"copycall site=4 correlation={call + 2} start={at + 3000} duration=500 "
            f"bytes={device * 64}\n"
            f"waitcall site=3 start={at + 4000} duration=146000\n"
            "chunk base_ns=1000000000\n"
            f"copy queue={device} correlation={call} start={at + 5000} duration=40000 "
            f"bytes={size} direction=1 src_memory=2 dst_memory=3 flags=1\n"
            f"kernel queue={device} correlation={call + 1} start={at + 50000} duration=50000 "
            "shape=1\n")
        if device:
            records += (f"copy queue=1 correlation={call + 2} start={at + 110000} "
                        "duration=20000 bytes=64 direction=5 src_memory=3 dst_memory=3 flags=1 "
                        "peer_device=0\n")
    return report_of("state=1 end_realtime_ns=1002000000", records)


class Result(unittest.TestCase):
    def values(self, found, **wanted):
        self.assertEqual({key: found[key] for key in wanted}, wanted)

    def notes(self, found):
        return " ".join(found["coverage"]["notes"])

    def test_a_trace_becomes_a_result(self):
        found = report(TRACES / "pageable.txt")
        self.values(found["trace"], app="/home/user/app/heat",
                    started_utc="2026-01-02T03:04:05Z", cupti_version="13.0")
        self.assertEqual(found["trace"]["devices"][0]["name"], "NVIDIA H200")
        self.values(found["totals"], h2d_bytes=(4 * 64 + 3 * 16) * MIB,
                    d2h_bytes=4 * 64 * MIB, kernels=4 + 4, overlap_ns=0)
        self.values(found["coverage"], matched=4 * 3 + 3 + 4, notes=[])
        self.values(found["phases"][0], rounds=4, h2d_bytes=64 * MIB, src_memory="pageable",
                    kernel_names=["stencil(int const*, int*, int)"], streams=1)
        self.assertEqual(found["machine"]["source"], "fitted-from-trace")
        self.assertNotIn("rates of copies", found["machine_choice"]["calibrating"])

    def test_a_calibration_adds_what_the_trace_lacks(self):
        # pinned copies to the device alone, and a link that is not named
        found = report_of(WHOLE, "queue queue=0 device=0 queue_kind=1 context=1 stream=7\n" +
                          "".join(f"copy queue=0 correlation={i} start={i}000000 "
                                  "duration=1219648 bytes=67108864 direction=1 src_memory=2 "
                                  "dst_memory=3 copies=1\n" for i in (5, 7)))
        self.assertIsNotNone(found["machine"]["parameters"]["G_h2d"])
        self.assertIsNone(found["machine"]["parameters"]["G_d2h"])
        self.assertIn("rates of copies", found["machine_choice"]["calibrating"])

    def test_versions_are_for_people(self):
        # CUPTI's version is 130000, followed by its path
        for number, version in ("130100", "13.1"), ("24", "24"):
            found = report_of(WHOLE, f'info text="cupti={number} /usr/lib/libcupti.so.13"\n')
            self.assertEqual(found["trace"]["cupti_version"], version)

    def test_connections_are_those_asked_for(self):
        # noted if set, with the values set
        asked = 'info text="CUDA_DEVICE_MAX_{}CONNECTIONS={}"\n'
        found = report_of(WHOLE, asked.format("", 1))
        self.values(found["trace"], max_connections=1, max_copy_connections=None)
        for text in ("CUDA_DEVICE_MAX_CONNECTIONS=1: all streams share 1 hardware queue for "
                     "kernels (default 8);",
                     "1 hardware queue for each copy engine (default 4);"):
            self.assertIn(text, self.notes(found))
        found = report_of(WHOLE, asked.format("", 8) + asked.format("COPY_", 16))
        self.values(found["trace"], max_connections=8, max_copy_connections=16)
        self.assertIn("8 hardware queues for kernels", self.notes(found))
        self.assertNotIn(" 8 hardware queues for each copy", self.notes(found))
        self.assertIn("16 hardware queues for each copy", self.notes(found))

    def test_ops_without_a_call_have_a_reason(self):
        # ops of calls that had not returned when the process ended; one in the middle that
        # the driver started itself
        copy = "copy queue=0 correlation={} start={} duration=50 copies=1\n"
        records = ('info text="rung=callbacks"\nstring id=1 text="cudaMemcpyAsync"\n'
                   "site call_class=2 site=1 function=1\nqueue queue=0 context=1 stream=7\n"
                   "copycall site=1 correlation=1 start=100 duration=9\n"
                   "copycall site=1 correlation=2 start=30000300 duration=9\n" +
                   copy.format(1, 150) + copy.format(3, 30000400))
        for more, text in (("", "had not returned when the process ended"),
                           (copy.format(0, 200), "no correlation id"),
                           (copy.format(4, 200), "or directly to the driver, were not")):
            found = report_of(WHOLE, records + more)
            self.assertEqual(found["coverage"]["matched"], 1)
            self.assertIn(text, found["coverage"]["remarks"][0])

    def test_a_range_that_never_began_is_noted(self):
        # why it did not begin is the only reason given
        began = "recording never began: "
        for info, text in (
                ("profiler", "XFERSPY_RANGE=profiler, and cudaProfilerStart() was not called; "
                 "call it, or name seconds as in 60+10"),
                ("signal", "XFERSPY_RANGE=signal, and no SIGUSR2 came in time; send it while "
                 "the program works (kill -USR2 PID)"),
                ("60", "XFERSPY_RANGE=60, and the run ended before; begin earlier"),
                ("", "the part of the run that XFERSPY_RANGE selects was not reached")):
            found = report_of(WHOLE, (f'info text="range={info}"\n' if info else "") +
                              "detail detail=2 time_ns=1000000000\n")
            self.assertEqual(found["coverage"]["notes"], [began + text])
            self.assertIn(began + text, found["coverage"]["remarks"][0])
            self.assertIn(began, found["verdict"]["text"])

    def test_an_empty_trace_is_noted(self):
        found = report_of(WHOLE, "")
        self.values(found, phases=[], plan=[])
        self.assertEqual(found["trace"]["wall_ns"], 1000000000)
        self.assertIn("no CUDA call and no GPU work was recorded", self.notes(found))

    def test_losses_lead_the_notes(self):
        # then that the process was killed
        found = report_of("state=0 lost_ops=5 lost_cupti=7 lost_calls=9", "")["coverage"]
        self.assertEqual(found["lost"], 21)
        for text, note in zip(("5 GPU records", "dropped 7", "9 host calls", "killed"),
                              found["notes"], strict=False):
            self.assertIn(text, note)
        self.assertGreaterEqual(len(found["notes"]), 4)

    def test_without_cupti_the_gpu_is_unknown(self):
        # calls without ops: GPU work is unknown, not zero
        found = report_of(WHOLE, 'string id=1 text="cudaMemcpy"\n'
                          "site call_class=1 site=1 function=1 module=0xffffffff\n"
                          "copycall site=1 correlation=1 start=1000 duration=5000 bytes=4096 "
                          "direction=1\n")
        self.values(found["totals"], h2d_bytes=None, gpu_busy_ns=None)
        self.assertIsNotNone(found["totals"]["host_blocked_ns"])
        self.assertIn("XFERSPY_CUPTI", self.notes(found))

    def test_without_calls_the_host_is_unknown(self):
        # ops without calls: a program with a statically linked CUDA runtime
        found = report_of(WHOLE, 'info text="cupti=130000 x"\n'
                          "queue queue=0 queue_kind=1 context=1 stream=7\n"
                          "copy queue=0 start=1000 duration=5000 bytes=4096 direction=1 "
                          "src_memory=1 dst_memory=3 copies=1\n")
        self.values(found["totals"], h2d_bytes=4096, host_blocked_ns=None)
        self.assertIn("no call was recorded", self.notes(found))

    def test_waits_of_one_line_are_one(self):
        # two call sites of one source line, as of a template's instances: one waits for a
        # kernel of 100 us, the other for one of 200 us and for a copy
        strings = {1: "/usr/bin/app", 10: "cudaLaunchKernel", 11: "cudaDeviceSynchronize",
                   12: "cudaMemcpyAsync", 20: "step", 21: "/src/app.cu"}
        sites = enumerate(((5, 10), (13, 11), (13, 11), (2, 12)), 1)
        found = report_of("pid=1 state=1 end_realtime_ns=1010000000", "".join(
            f'string id={number} text="{text}"\n' for number, text in strings.items()) +
            "module module=1 path=1\n" + "".join(
            f"site call_class={kind} site={i} function={function} module=1 offset={i}\n"
            for i, (kind, function) in sites) +
            "source site=2 symbol=20 file=21 line=7\nsource site=3 symbol=20 file=21 line=7\n"
            "shape shape=1 name=20 grid_x=1 grid_y=1 grid_z=1 block_x=1 block_y=1 block_z=1\n"
            "queue queue=0 context=1 stream=1\n"
            "chunk thread=1 base_ns=1000000000\n"
            "call site=1 correlation=1 start=0 duration=1000\n"
            "waitcall site=2 start=10000 duration=110000\n"
            "call site=1 correlation=2 start=200000 duration=1000\n"
            "copycall site=4 correlation=3 start=202000 duration=1000 bytes=64 direction=1\n"
            "waitcall site=3 start=210000 duration=240000\n"
            "chunk base_ns=1000000000\n"
            "kernel queue=0 correlation=1 start=15000 duration=100000 shape=1\n"
            "kernel queue=0 correlation=2 start=215000 duration=200000 shape=1\n"
            "copy queue=0 correlation=3 start=420000 duration=25000 bytes=64 direction=1 "
            "src_memory=2 dst_memory=3 copies=1\n")
        wait, = found["waits"]
        # 5 us each before the kernel; the rest is the call's own
        self.values(wait, calls=2, gpu_calls=2, waited_ns=350000, kernel_ns=300000,
                    h2d_ns=25000, latency_ns=10000, host_ns=15000)

    def test_first_touches_take_what_other_copies_do_not(self):
        # three copies out of 8192 bytes to one place, of 90, 20 and 30 us; the first one
        # touches its pages
        calls = ops = ""
        for i, ns in enumerate((90000, 20000, 30000)):
            calls += (f"copycall site=1 correlation={i + 1} start={i * 100000} duration={ns} "
                      "bytes=8192 direction=2\n")
            if i == 0:
                calls += ("faults site=1 correlation=1 start=0 duration=90000 minor=2 "
                          "page_bytes=4096\n")
            ops += (f"copy queue=0 correlation={i + 1} start={i * 100000 + 1000} "
                    f"duration={ns - 10000} bytes=8192 direction=2 src_memory=3 dst_memory=1 "
                    "copies=1\n")
        wait, = report_of("pid=1 state=1 end_realtime_ns=1010000000",
                          'string id=10 text="cudaMemcpy"\n'
                          "site call_class=1 site=1 function=10\n"
                          "queue queue=0 context=1 stream=1\n" + calls +
                          "chunk base_ns=1000000000\n" + ops)["waits"]
        self.values(wait, touched_bytes=8192, touched_ns=65000)

    def test_what_is_no_trace_is_refused(self):
        report(SOURCE / "LICENSE", 2)
        report("/nowhere", 2)

    def test_coverage_has_classes_and_kinds(self):
        # calls by class and ops by kind, each with the number matched
        found = report(TRACES / "partly.txt")["coverage"]
        self.assertEqual([(one["name"], one["count"], one["matched"]) for one in found["calls"]],
                         [("copy", 2, 2), ("launch", 1, 1), ("alloc_device", 1, 0)])
        self.assertEqual([(one["name"], one["count"], one["matched"]) for one in found["ops"]],
                         [("h2d", 1, 1), ("d2h", 2, 1), ("kernel", 3, 1)])
        self.values(found, driver_calls=1, early_ops=0)
        self.assertEqual([one["shared"] for one in found["cudarts"]], [True, False, False])

    def test_devices_have_their_own_totals(self):
        found = two_devices("NVIDIA H200", 20)
        for i, device in enumerate(found["device_totals"]):
            self.values(device, index=i, h2d_bytes=4 * (i + 1) * MIB, kernels=4,
                        kernel_ns=4 * 50000, p2p_bytes=i * 4 * 64, overlap_ns=0)
        self.assertEqual(len(found["device_totals"]), 2)
        # a copy to one device while the other computes is not overlap
        self.values(found["totals"], p2p_bytes=4 * 64, p2p_ns=4 * 20000, d2d_bytes=0,
                    overlap_ns=0)

    def test_concurrent_phases_are_noted(self):
        found = two_devices("NVIDIA H200", 20)
        # two rounds at once: half of the time that they take together
        first = found["phases"][0]
        self.values(first, beside_ns=4 * 130000, wall_ns=first["total_ns"] - 2 * 130000)
        self.assertIn("phases 1, 2 ran concurrently", self.notes(found))
        self.assertNotIn("another GPU model", self.notes(found))
        found = two_devices("NVIDIA H200", 200)
        self.assertEqual(found["phases"][0]["beside_ns"], 0)
        self.assertNotIn("ran concurrently", self.notes(found))

    def test_devices_of_two_models_are_noted(self):
        # one profile for all: of the device that works longest
        self.assertIn("ran on another GPU model", self.notes(two_devices("Tesla V100", 200)))


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    unittest.main(argv=sys.argv[:1])
