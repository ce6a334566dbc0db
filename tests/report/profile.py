#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A given profile is checked against the trace, a run is predicted on another machine, and
what copies between GPUs take, direct or through the host, is told.

    profile.py XFERSPY SOURCE
"""
import copy
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

XFERSPY, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
PINNED = SOURCE / "tests/report/traces/pinned.txt"
PAGEABLE = SOURCE / "tests/report/traces/pageable.txt"
MIB = 1 << 20


def param(value, low=None, high=None):
    return {"value": value, "low": low or value, "high": high or value}


# Of the machine that the traces are from.
OWN = {"schema": 1, "name": "own", "source": "calibrated", "gpu": "NVIDIA H200",
       "driver": "580.82.07 (CUDA 13.0)", "date": "2025-01-02T03:04:06Z",
       "copy_engines": 2, "pcie_gen": 5, "pcie_width": 16, "sm_count": 132,
       "memory_bandwidth": 4.8e12,
       "parameters": {"lo_h2d_ns": param(5500), "lo_d2h_ns": param(6000),
                      "G_h2d": param(1179648 / 67108864),
                      "G_d2h": param(1061683 / 67108864),
                      "pin_byte_ns": param(0.35), "graph_launch_ns": param(1900)}}


def report(trace, *machines):
    """Reports on a trace, with profiles."""
    arguments = []
    for i, machine in enumerate(machines):
        path = pathlib.Path(f"{i}.json")
        path.write_text(json.dumps(machine))
        arguments += ["--machine", f"./{path}"]
    done = subprocess.run([XFERSPY, "report", "--format", "json", trace, *arguments],
                          capture_output=True, text=True)
    if done.returncode or done.stderr:
        sys.exit(f"report {trace}: {done.returncode}, {done.stderr}")
    return json.loads(done.stdout)


def changed(machine, parameters=None, **fields):
    """A copy with other fields, and factors of parameters."""
    machine = {**copy.deepcopy(machine), **fields}
    for name, factor in (parameters or {}).items():
        machine["parameters"][name] = param(machine["parameters"][name]["value"] * factor)
    return machine


class Checked(unittest.TestCase):
    def notes(self, machine):
        return report(PINNED, machine)["coverage"]["notes"]

    def is_fine(self, parameters=None, **fields):
        self.assertEqual(self.notes(changed(OWN, parameters, **fields)), [])

    def has_note(self, text, more, parameters=None, **fields):
        note, = self.notes(changed(OWN, parameters, **fields))
        self.assertIn(text, note)
        self.assertIn(more, note)

    def test_its_own_profile_is_fine(self):
        self.is_fine()
        self.is_fine(gpu="h200")  # as users write it
        self.is_fine(gpu="", driver="", date="", sm_count=0, copy_engines=0, pcie_gen=0)

    def test_another_gpu_is_said_once(self):
        self.has_note("the profile own was measured on NVIDIA H200 NVL",
                      "this trace is from NVIDIA H200:", {"G_h2d": 4},
                      gpu="NVIDIA H200 NVL", date="2014", sm_count=14)

    def test_a_failed_check_is_noted(self):
        check = {"value": 0.1, "low": -0.1, "high": 0.4, "cases": 9}
        self.is_fine(self_check={"explicit": check})
        self.has_note("predictions by the profile own were off by up to 3970 %",
                      "calibrate again on an idle machine",
                      self_check={"explicit": {**check, "high": 39.7}})

    def test_costs_that_nobody_measured_are_noted(self):
        machine = changed(OWN)
        del machine["parameters"]["pin_byte_ns"]
        note, = self.notes(machine)
        self.assertIn("the profile own has no costs of pinning or of graphs", note)

    def test_published_numbers_are_left_alone(self):
        self.is_fine({"G_h2d": 4}, source="published", date="2014")

    def test_another_device_of_that_name(self):
        self.has_note("SMs 66 against 132, copy engines 1 against 2", "calibrate again",
                      sm_count=66, copy_engines=1)

    def test_a_slot_may_be_narrower(self):
        # it may offer less than the device supports
        self.is_fine(pcie_gen=4, pcie_width=8)
        self.has_note("PCIe generation 6 against 5", "calibrate again", pcie_gen=6)

    def test_another_driver(self):
        self.has_note("driver 550.54.14 (CUDA 12.4)", "recorded with 580.82.07",
                      driver="550.54.14 (CUDA 12.4)")

    def test_an_old_profile(self):
        # the trace is from 2026-01-02T03:04:05Z
        self.has_note("on 2025-01-02, more than a year", "calibrate again",
                      date="2025-01-02T03:04:04Z")
        self.has_note("on 2023-12-31, more than a year", "calibrate again",
                      date="2023-12-31")
        self.is_fine(date="2026-05-01")

    def test_other_rates(self):
        self.is_fine({"G_h2d": 1.09, "G_d2h": 0.92})
        self.has_note("to the device run at 56.9 GB/s",
                      "profile own says 104 GB/s: calibrate again",
                      {"G_h2d": 1.09 / 2, "G_d2h": 0.92})
        self.has_note("to the host run at 63.2 GB/s", "says 34.4 GB/s",
                      {"G_h2d": 1.09, "G_d2h": 0.92 * 2})


class Elsewhere(unittest.TestCase):
    def test_a_run_moves_to_another_machine(self):
        # twice as slow in every property; and again without G, so that copies are not
        # predicted
        half = changed(OWN, {"G_h2d": 2, "G_d2h": 2}, name="half", memory_bandwidth=2.4e12)
        blank = changed(half, name="blank")
        del blank["parameters"]["G_h2d"]
        found = report(PINNED, OWN, half, blank)
        moved, unknown = found["elsewhere"]
        wall_ns, phases = found["trace"]["wall_ns"], found["phases"]
        self.assertEqual((moved["strategy"], moved["phases_predicted"]),
                         ("machine:half", len(phases)))
        more_ns = 0
        for phase in phases:
            row, = [row for row in phase["estimates"] if row["strategy"] == "machine:half"]
            self.assertEqual(row["effort"], "none")
            more_ns += phase["rounds"] * (row["round_ns"] - phase["round_ns"])
        self.assertEqual(moved["app_wall_ns"], wall_ns + more_ns)
        self.assertGreater(moved["app_wall_ns"], wall_ns * 1.5)
        self.assertTrue(moved["low_ns"] <= moved["app_wall_ns"] <= moved["high_ns"])
        self.assertIsNone(unknown["app_wall_ns"])
        self.assertEqual(unknown["phases_predicted"], len(phases) - 2)

    def test_times_that_cannot_be_predict_nothing(self):
        # kernels begin before their calls
        lines = [re.sub(r"start=\d+", "start=65535", line)
                 if re.match("kernel .*correlation=(18|20) ", line) else line
                 for line in PAGEABLE.read_text().splitlines()]
        trace = pathlib.Path("clocks.txt")
        trace.write_text("\n".join(lines) + "\n")
        moved, = report(trace, *(json.loads((SOURCE / f"examples/machines/{name}.json").read_text())
                                 for name in ("h200", "h100")))["elsewhere"]
        self.assertIsNone(moved["low_ns"])

    def test_a_setup_without_end_is_no_step(self):
        machine = json.loads((SOURCE / "examples/machines/h200.json").read_text())
        self.assertIn("pinned", [step["strategy"] for step in report(PAGEABLE, machine)["plan"]])
        endless = changed(machine, {"pin_byte_ns": 1e16, "register_byte_ns": 1e16})
        self.assertNotIn("pinned", [step["strategy"] for step in report(PAGEABLE, endless)["plan"]])

    def test_another_machine_is_no_advice(self):
        # however fast, it is not a change to the program
        found = report(PAGEABLE, OWN,
                       changed(OWN, {"G_h2d": 0.1, "G_d2h": 0.1}, name="faster"))
        self.assertLess(found["elsewhere"][0]["app_wall_ns"], found["trace"]["wall_ns"] / 2)
        self.assertTrue(found["plan"])
        self.assertNotIn("machine:faster", [step["strategy"] for step in found["plan"]])

    def test_kernels_are_set_against_the_traced_gpu(self):
        # the estimates are for the first machine; kernels are scaled from the GPU that
        # ran them
        first = changed(OWN, gpu="NVIDIA GeForce GTX Titan", memory_bandwidth=288e9, name="first")
        row, = [row for row in report(PINNED, first, OWN)["phases"][0]["estimates"]
                if row["strategy"] == "machine:own"]
        self.assertIn("kernels x 1 by memory", row["why"])


# Two GPUs, each with a queue: 0 and 1.
START = """xferspy-text 1
header start_realtime_ns=1000000000 state=1 end_realtime_ns=1100000000
chunk thread=1 base_ns=1000000000
device device=0 cc_major=9 cc_minor=0 sm_count=132
device device=1 cc_major=9 cc_minor=0 sm_count=132
queue queue=0 device=0 context=1 stream=7
queue queue=1 device=1 context=2 stream=7
site call_class=2 site=1 module=4294967295
"""
THROUGH_THE_HOST = "go through the host"


def op(way, call, start_ns, duration_ns):
    queue, direction, more = {"out": (0, 2, ""), "in": (1, 1, ""),
                              "direct": (0, 5, " peer_device=1")}[way]
    return (f"copy queue={queue} correlation={call} start={start_ns} duration={duration_ns} "
            f"bytes={MIB} direction={direction} src_memory=3 dst_memory=3 flags=1{more}\n")


# Two copies of which the first one's parts overlap.
STAGED = (op("out", 1, 10000, 20000) + op("in", 1, 20000, 20000) +
          op("out", 2, 1010000, 20000) + op("in", 2, 1040000, 30000))
# Whose step has a range.
CALIBRATED = {"lo_staged_ns": param(1.7e6, 1.6e6, 1.9e6), "G_staged": param(0.025, 0.024, 0.026),
              "lo_peer_ns": param(8e5, 7e5, 8.5e5), "G_peer": param(0.0025, 0.002, 0.003)}


class Links(unittest.TestCase):
    def report(self, calls, ops, parameters=None):
        """Reports on a copy of 1 MiB for each call of 5 us; ops: all others."""
        text = START + "".join(
            f"copycall site=1 correlation={i + 1} start={i * 1000000} duration=5000 "
            f"bytes={MIB} direction=3\n" for i in range(calls))
        pathlib.Path("links.txt").write_text(text + "chunk base_ns=1000000000\n" + ops)
        return report("links.txt", {
            "schema": 1, "name": "m", "source": "calibrated", "gpu": "",
            "parameters": {name: value if isinstance(value, dict) else param(value)
                           for name, value in (parameters or {}).items()}})

    def text(self):
        """The text report on the same, on one line."""
        done = subprocess.run([XFERSPY, "report", "links.txt", "--machine", "./0.json"],
                              capture_output=True, text=True)
        return " ".join(done.stdout.split())

    def has_note(self, found, text):
        return any(text in note for note in found["coverage"]["notes"])

    def test_parts_of_a_call_are_one_copy(self):
        found = self.report(2, STAGED)
        link, = found["gpu_links"]
        self.assertEqual([link[key] for key in ("first", "second", "direct_ops", "staged_ops",
                                                "staged_bytes", "staged_ns", "peer_ns")],
                         [0, 1, 0, 2, 2 * MIB, 30000 + 60000, None])
        # they are no copies of the host, and counted once
        self.assertEqual([found["totals"][key] for key in ("h2d_ops", "d2h_bytes", "p2p_ops",
                                                           "p2p_bytes")],
                         [0, 0, 2, 2 * MIB])
        # without rates, calibrate is named
        self.assertTrue(self.has_note(found, THROUGH_THE_HOST))
        self.assertIn("xferspy calibrate on these GPUs tells", self.text())

    def test_the_profile_says_what_access_brings(self):
        rates = {"lo_staged_ns": 17000, "G_staged": 0.025, "lo_peer_ns": 8000,
                 "G_peer": 0.0025}
        found = self.report(2, STAGED, rates)
        link, = found["gpu_links"]
        self.assertEqual(link["staged_ns"], round(2 * (17000 + 0.025 * MIB)))
        self.assertEqual(link["peer_ns"], round(2 * (8000 + 0.0025 * MIB)))
        self.assertTrue(self.has_note(found, "GPU 0 and 1 go through the host, 86.4"))
        self.assertIn("86.4 us; direct they would take 21.2 us", self.text())
        # peer access brings nothing
        found = self.report(2, STAGED, rates | {"G_peer": 0.04})
        self.assertFalse(self.has_note(found, THROUGH_THE_HOST))

    def test_the_hosts_link_is_the_least(self):
        # records have the time of one chunk
        found = self.report(2, STAGED, {"G_h2d": 0.018, "G_d2h": 0.1})
        self.assertEqual(found["gpu_links"][0]["staged_ns"], int(2 * 0.1 * MIB))

    def test_direct_copies_have_their_rate(self):
        found = self.report(1, op("direct", 1, 10000, 4000) + op("direct", 1, 20000, 6000))
        link, = found["gpu_links"]
        self.assertEqual([link[key] for key in ("direct_ops", "direct_ns", "staged_ops")],
                         [2, 10000, 0])
        self.assertFalse(self.has_note(found, THROUGH_THE_HOST))
        self.assertIn("2 direct copies of 2 MiB in all, 210 GB/s", self.text())

    def test_unknown_peers_and_migrations_are_no_link(self):
        # a trace of another tool may not name the other GPU; the system migrates
        found = self.report(1, "copy queue=1 correlation=1 start=10000 duration=4000 bytes=64 "
                               "direction=5 src_memory=3 dst_memory=3 peer_device=1\n"
                               "copy queue=1 start=20000 duration=4000 bytes=64 direction=5 "
                               "src_memory=5 dst_memory=5 flags=4 peer_device=0\n")
        self.assertEqual(found["totals"]["p2p_ops"], 1)
        self.assertEqual(found["gpu_links"], [])

    def test_further_pairs_are_counted(self):
        # each of 13 GPUs sends to all after it: 78 pairs, of which 64 are listed
        found = self.report(0, "".join(
            f"device device={i} cc_major=9 cc_minor=0 sm_count=132\n"
            f"queue queue={i} device={i} context={i + 1} stream=7\n"
            for i in range(2, 13)) + "".join(
            f"copy queue={i} start={(i * 13 + k) * 100} duration=9 bytes=8 direction=5 "
            f"src_memory=3 dst_memory=3 peer_device={k}\n"
            for i in range(13) for k in range(i + 1, 13)))
        self.assertEqual(len(found["gpu_links"]), 64)
        self.assertTrue(self.has_note(found, "14 copies between further pairs of GPUs are not "
                                             "listed: 64 pairs are"))

    def test_access_is_a_step_with_a_range(self):
        found = self.report(2, STAGED, CALIBRATED)
        link, = found["gpu_links"]
        self.assertEqual(link["saves_ns"], round(2 * (9e5 + 0.0225 * MIB)))
        self.assertEqual(link["saves_low_ns"], round(2 * (7.5e5 + 0.021 * MIB)))
        self.assertEqual(link["saves_high_ns"], round(2 * (1.2e6 + 0.024 * MIB)))
        self.assertEqual(link["step"], len(found["plan"]) + 1)
        self.assertEqual(link["title"], "copies between GPU 0 and 1: 3.45 ms -> 1.61 ms")
        self.assertIn("saves at most 1.85 ms (1.54-2.45 ms)", link["saving"])
        self.assertIn("cudaSetDevice(0), cudaDeviceEnablePeerAccess(1, 0)", link["code"])
        # no round repeats: its part of the steady part is not known
        self.assertNotIn("steady part", link["saving"])
        # it is a step of the plan for the other texts, too
        self.assertIsNone(found["no_step"])
        self.assertGreaterEqual(found["verdict"]["at_most_saves_ns"], link["saves_ns"])
        # less than any step saves, and what may bring nothing
        for other in ({"lo_staged_ns": param(8.7e5, 8.6e5, 8.8e5)},
                      {"G_peer": param(0.0025, 0.002, 1)}):
            link, = self.report(2, STAGED, CALIBRATED | other)["gpu_links"]
            self.assertEqual((link["step"], link["code"]), (0, None), other)

    def test_copies_before_the_rounds_are_of_the_run(self):
        # only what starts in the steady part is a share of it
        pathlib.Path("rounds.txt").write_text(
            (SOURCE / "tests/report/advice/offload-pinned.txt").read_text() +
            "chunk thread=4711 base_ns=1767323045000000000\n"
            "device device=1 cc_major=9 cc_minor=0 sm_count=132\n"
            "queue queue=1 device=1 context=2 stream=7\n"
            "site call_class=2 site=99 module=4294967295\n"
            "copycall site=99 correlation=9001 start=250000000 duration=5000 bytes=1048576 "
            "direction=3\nchunk base_ns=1767323045000000000\n" +
            op("out", 9001, 250010000, 20000) + op("in", 9001, 250020000, 20000))
        found = report("rounds.txt", {
            "schema": 1, "name": "m", "gpu": "", "source": "calibrated",
            "parameters": CALIBRATED | {"lo_staged_ns": param(1e7, 9e6, 1.1e7)}})
        link, = found["gpu_links"]
        self.assertEqual(link["step"], len(found["plan"]) + 1)
        self.assertNotIn("steady part", link["saving"])

    def test_a_part_alone_is_no_copy(self):
        # as in a damaged trace
        found = self.report(2, op("out", 1, 10000, 20000) + op("in", 2, 1010000, 20000))
        self.assertEqual(found["gpu_links"], [])


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    unittest.main(argv=sys.argv[:1])
