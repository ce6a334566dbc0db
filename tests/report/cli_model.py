#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""xferspy model against equations computed by hand.

    cli_model.py XFERSPY SOURCE

For a machine with round numbers (machine.json): L+o 10 us, G 0.1 ns per byte, g 1 us
in both directions; two copy engines, no implicit synchronisation.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

XFERSPY = SOURCE = ""
# 4 ms in, 2 ms out
BYTES = "--h2d-bytes 40MB --d2h-bytes 20MB "
LARGE_PUT = "--machine h200 --control --peer --d2h-bytes "
# The shipped profile is of all machines measured: its ranges hold what five H200 took,
# 14.6 to 15.6 us, and the answer is that of all of them.
H200 = "--machine h200 --control --h2d-bytes 8 "


def of_machine(name):
    return f"--machine {SOURCE}/tests/report/{name}.json "


class Model(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = of_machine("machine")
        # the same with 2 multiprocessors of 8 blocks, 1 GHz, 32 bytes a ns of memory,
        # and mapped memory: 0.12 ns a byte read alone, 0.15 each way
        cls.device = of_machine("device")
        # all parameters of --control but those of copies out
        cls.control = of_machine("control") + "--control "

    def run_model(self, options, code=0):
        """Returns what it prints, on stderr if it fails."""
        done = subprocess.run([XFERSPY, "model", *options.split()],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, code, options + done.stderr)
        self.assertTrue(code or not done.stderr, options + done.stderr)
        return done.stderr if code else done.stdout

    def says(self, options, *texts):
        said = self.run_model(options)
        for text in texts:
            self.assertIn(text, said)

    def fails(self, options, text):
        self.assertIn(text, self.run_model(options, 1))

    def json_of(self, options):
        return json.loads(self.run_model(options + " --format json"))

    def row(self, options, strategy, model, streams=None):
        """Returns the row; None: there is none."""
        return next((row for row in self.json_of(options)["estimates"]
                     if (row["strategy"], row["model"], row["n_streams"]) ==
                     (strategy, model, streams)), None)

    def round_is(self, ns, *of_row):
        self.assertEqual(self.row(*of_row)["round_ns"], ns)

    def answers(self, options, beginning, rest):
        """Expects an answer that begins with a text and contains another one."""
        self.assertTrue(any(
            text.startswith(beginning) and rest in text
            for text in self.json_of(options)["answers"]), (beginning, rest))

    def test_explicit_copies(self):
        # 0.01 + 4 + 8 + 0.01 + 2 = 14.02 ms
        self.round_is(14020000, self.model + BYTES + "--kernel-ms 8",
                      "pinned", "vanwerkhoven2014-explicit")

    def test_a_dominant_kernel(self):
        # Equation 5 for n = 4, the longest of
        #     0.01 + 4 + 0.003 + 8/4 + 0.01 + 2/4 = 6.523 ms
        #     0.01 + 4/4 + 8 + 0.01 + 2/4         = 9.52 ms
        #     0.01 + 4/4 + 8/4 + 0.01 + 2 + 0.003 = 5.023 ms
        row = self.row(self.model + BYTES + "--kernel-ms 8 --streams 4",
                       "streams", "vanwerkhoven2014-eq5", 4)
        self.assertEqual(row["round_ns"], 9520000)
        # of the explicit copies' time
        self.assertEqual(row["saves_ns"], 14020000 - 9520000)

    def test_dominant_copies(self):
        # With a kernel of 1 ms:
        #     0.01 + 4 + 0.003 + 1/4 + 0.01 + 2/4 = 4.773 ms
        #     0.01 + 4/4 + 1 + 0.01 + 2/4         = 2.52 ms
        #     0.01 + 4/4 + 1/4 + 0.01 + 2 + 0.003 = 3.273 ms
        self.round_is(4773000, self.model + BYTES + "--kernel-ms 1 --streams 4",
                      "streams", "vanwerkhoven2014-eq5", 4)

    def test_mapped_memory(self):
        # Equation 6: 0.01 + max(4, 8, 2) + 0.01 = 8.02 ms
        self.round_is(8020000, self.model + BYTES + "--kernel-ms 8",
                      "mapped", "vanwerkhoven2014-eq6")

    def test_crossings_of_mapped_memory(self):
        # Each byte is read three times: 0.01 + max(3 4, 8, 2) + 0.01 = 12.02 ms; at
        # mapped rates of both ways (0.15 ns), 0.01 + 3 6 + 0.01 = 18.02 ms.
        thrice = BYTES + "--kernel-ms 8 --h2d-crossings 3"
        counted = "mapped", "vanwerkhoven2014-eq6-counted"
        at_mapped_rates = "mapped", "vanwerkhoven2014-eq6-counted-mapped"
        self.round_is(12020000, self.device + thrice, *counted)
        self.round_is(18020000, self.device + thrice, *at_mapped_rates)
        # as printed, once
        self.round_is(8020000, self.device + thrice, "mapped", "vanwerkhoven2014-eq6")
        self.says(self.device + thrice, "Mapped memory takes 18.0 ms (at its measured "
                  "rates) with the given crossings")
        # a machine without mapped rates has the row with those of copies
        self.round_is(12020000, self.model + thrice, *counted)
        self.assertIsNone(self.row(self.model + thrice, *at_mapped_rates))

    def test_times_stand_for_bytes(self):
        self.round_is(9520000, self.model +
                      "--h2d-ms 4 --d2h-ms 2 --kernel-ms 8 --streams 4",
                      "streams", "vanwerkhoven2014-eq5", 4)

    def test_json_has_its_keys(self):
        root = self.json_of(self.model + BYTES + "--kernel-ms 8")
        self.assertEqual(root["schema"], 1)
        self.assertEqual(root["machine"]["name"], "round")
        self.assertGreaterEqual(len(root["estimates"]), 4)
        self.assertIsNone(root["bounds"])

    def test_text_says_what_dominates(self):
        # Of 14 ms and the latencies, everything but the 8 ms of the kernel can overlap.
        self.says(self.model + BYTES + "--kernel-ms 8",
                  "The kernel dominates; overlap saves at most 6.02 ms",
                  "    vanwerkhoven2014-eq5: the longest of copies in, kernel")
        # the longest name is not cut; rows of one n name their equations
        self.says("--machine h200 --h2d-bytes 67108864 --d2h-bytes 67108864 "
                  "--kernel-ms 2", " vanwerkhoven2014-eq5-both-Gg: ", "  hybrid ",
                  "  eq5-mean-G ")
        self.says(self.model + BYTES + "--kernel-ms 1",
                  "The copies in dominate; overlap saves at most 3.01 ms")

    def test_streams_are_answered(self):
        # A kernel of 1 ms, 4 ms in, 2 ms out: n = sqrt((2 + 1) / 0.001) = 54.8. At 55
        #     0.01 + 4 + 0.054 + 1/55 + 0.01 + 2/55 = 4.128545 ms
        # and 1 % more, 4.169831, is had from 24 on:
        #     0.01 + 4 + 0.023 + 1/24 + 0.01 + 2/24 = 4.168 ms (23: 4.172435)
        self.answers(self.model + BYTES + "--kernel-ms 1",
                     "55 streams are fastest: 4.13 ms by vanwerkhoven2014-eq5",
                     "against 7.02 ms with one copy each way; 24 streams come within")

    def test_mapped_memory_is_answered(self):
        # Equation 6: 0.02 + 4 = 4.02 ms against 4.128545. Copies in may cross
        # (4.128545 - 0.02) / 4 = 1.03 times.
        self.answers(self.model + BYTES + "--kernel-ms 1",
                     "Mapped memory takes 4.02 ms (at the rate of copies)",
                     "more than 1.0 times")
        # without a kernel one copy in is as fast: 1.02 ms for both
        self.answers(self.model + "--h2d-ms 1 --d2h-ms 0 --kernel-ms 0",
                     "Use copies, not mapped memory", "takes 1.02 ms")

    def test_a_faster_link_and_gpu_are_answered(self):
        # A kernel of 8 ms: 0.02 + 8 + 6/256 = 8.0434 ms, with half the link 8.0317.
        # Half the kernel: n = sqrt((2 + 4) / 0.001) = 77.5,
        #     0.01 + 4 + 0.076 + 4/77 + 0.01 + 2/77 = 4.1739 ms
        self.answers(self.model + BYTES + "--kernel-ms 8",
                     "With a link twice as fast, the best time would be 8.03 ms instead "
                     "of 8.04 ms", "with a kernel twice as fast, 4.17 ms")

    def test_bounds_are_given(self):
        # 3e9 flops on 60 MB over the link and 120 MB of device memory; Table I:
        link_s = (9420 + 40e6 * 0.08318392 + 9023 + 20e6 * 0.07924734) / 1e9
        options = ("--machine gtx-titan " + BYTES +
                   "--kernel-ms 1 --flops 3e9 --memory-bytes 120MB")
        bounds = self.json_of(options)["bounds"]
        for key, value, delta in (
                ("data_intensity", 50, 1e-4),
                ("operational_intensity", 25, 1e-4),
                # the device: min(4.5e12, 288.4e9 * 25) = 4.5e12
                ("zero_overlap_flops", 3e9 / (link_s + 3e9 / 4.5e12), 1e6),
                ("full_overlap_flops", 3e9 / link_s, 1e6),
                ("mapped_flops", 60e6 / link_s * 25, 1e6)):
            self.assertAlmostEqual(bounds[key], value, delta=delta, msg=key)
        self.answers(options, "The kernel does 50 flops for each byte that crosses the "
                     "link", "25 for each byte of device")

    def test_mapped_memory_has_rates_of_its_own(self):
        # 40 MB at 0.15 ns a byte, both ways: 6.02 ms. In alone at 0.12: 4.82 ms.
        self.answers(self.device + BYTES + "--kernel-ms 1",
                     "Use copies, not mapped memory: mapped memory takes 6.02 ms (at its "
                     "measured rates, not the table's rate of copies)",
                     "copies take 4.13 ms")
        self.answers(self.device + "--h2d-bytes 40MB --d2h-bytes 0 --kernel-ms 3 "
                     "--streams 2", "Use copies, not mapped memory: mapped memory takes "
                     "4.82 ms", "(hybrid) would take")

    def test_atgpu_is_evaluated(self):
        # 100 blocks, 50 operations: ceil(100 / 16) = 7 times 50 ns, and 32 kB of memory,
        # 1000 blocks of a ns: 1350 ns. Copies 20 us and 6 ms, sigma 4 us.
        atgpu = BYTES + "--blocks 100 --operations 50 --memory-bytes 32000 "
        options = self.device + atgpu + "--sync-ms 0.004"
        for ns, equation in ((6020000 + 1350 + 4000, "atgpu-gpu-cost"),
                             (6020000 + 1050 + 4000, "atgpu-cost"),
                             (5350, "swgpu-cost"),
                             # ATGPU's kernel time replaces the missing one
                             (6020000 + 1350, "vanwerkhoven2014-explicit")):
            self.round_is(ns, options, "pinned", equation)
        self.fails(self.model + atgpu, "--kernel-ms T: the profile lacks gamma")

    def test_who_starts_a_transfer(self):
        # In, 1000 bytes:
        #     host      1 + 2 + 0.1 + 1.5 + 5                 = 9.6 us
        #     assisted  0.5 + 0.05 + 1 + 2 + 0.1 + 1.5 + 1.2  = 6.35 us
        #     direct    0.6 + 1.75 + 0.2 + 1.2                = 3.75 us
        #               0.6 + 1.75 + 3 + 0.2 + 0.15           = 5.7 us
        # A copy follows another one after 1 + 0.1, a request another one after
        # 0.7 + 3 + 0.1 + 1.5, and a block's message another one after 0.6 + 1.2, a
        # quarter of which each message takes beside its 0.2 of the link.
        rows = self.json_of(self.control + "--h2d-bytes 1000 --connections 4")["control"]
        self.assertEqual(len(rows), 4)
        for row, ns, between_ns in zip(rows, (9600, 6350, 3750, 5700),
                                       (1100, 5300, 650, 650)):
            self.assertAlmostEqual(sum(term["ns"] for term in row["terms"]), ns)
            self.assertAlmostEqual(row["time_ns"], ns)
            self.assertAlmostEqual(row["messages_per_s"], 1e9 / between_ns, delta=1)

    def test_who_should_start_is_said(self):
        # the answer comes before its terms
        said = self.run_model(self.control + "--h2d-bytes 1000")
        self.assertEqual(said.splitlines()[2:6], [
            "  A message in, one at a time: let the GPU start it by 1 block (direct, "
            "polls",
            "  system memory): 3.75 us, against 9.60 us if the host does.",
            "  Many messages in: let the GPU start them by 32 blocks (direct, polls "
            "system",
            "  memory): 4.63 M/s, against 909 k/s if the host does."])
        self.assertIn("The code: examples/putget/flags.h has the flags,",
                      said.replace("\n", ""))

    def test_large_puts_are_not_relied_on(self):
        # a put of 64 MiB took 25 % longer than by the terms
        self.assertEqual(self.run_model(LARGE_PUT + "64MiB").count("do not rely"), 1)
        self.assertNotIn("do not rely", self.run_model(LARGE_PUT + "32MiB"))

    def test_unknown_ways_win_nothing(self):
        # no way is the fastest of those that are known
        self.says(self.control + "--d2h-bytes 8", "A message out: not known who should "
                  "start it: the profile lacks g_d2h_ns")
        # only the host's way is known
        said = self.run_model("--machine simulated --control --h2d-bytes 8")
        self.assertIn("the profile lacks flag_ns", said)
        self.assertNotIn("let the", said)

    def test_decades_are_slower_than_a_known_time(self):
        # a way that takes decades does not keep another one from being the answer
        control = pathlib.Path(SOURCE, "tests/report/control.json").read_text()
        with tempfile.NamedTemporaryFile("w", suffix=".json") as decades:
            decades.write(control.replace("0.1 }", "1e17 }"))
            decades.flush()
            said = self.run_model(f"--machine {decades.name} --control "
                                  "--h2d-bytes 64MiB").replace("\n", "")
        self.assertIn("let the GPU start it by", said)
        self.assertIn("decades if the host does", said)

    def test_shipped_ranges_hold_other_machines(self):
        self.says(H200, "let the GPU start it by 1 block", " 12.4-17.0 us ")

    def test_more_blocks_than_measured_are_named(self):
        # 528 blocks fit on an H200
        self.says(H200 + "--connections 528", "up to 32 only")
        self.assertNotIn("up to 32 only", self.run_model(H200 + "--connections 32"))

    def test_least_effort_of_equal_times(self):
        # by the host 9.5 us more than 100 ms, by the host thread 6.25 us
        self.says(self.control + "--h2d-bytes 1GB", "let the host start it: 100 ms")
        # 8.81 us by the host thread, 8.67 us by the GPU
        self.says(self.control + "--h2d-bytes 25k", "let a host thread")

    def test_rates_are_written_out(self):
        self.says(self.control + "--h2d-bytes 1000 --connections 4", " 189 k/s ")

    def test_text_has_each_term(self):
        self.says(self.control + "--h2d-bytes 1000 --d2h-bytes 8",
                  "Who starts the transfer", "sigma 1.50 us (the host waits)",
                  "the profile lacks g_d2h_ns",
                  "the profile lacks mapped_write (a kernel writes mapped memory)")

    def test_wrong_use_is_explained(self):
        round_ms = BYTES + "--kernel-ms 8 "
        for options, text in (
                ("", "--machine FILE|NAME: it is missing; see"),
                (self.model + "--kernel-ms 8", "--h2d-bytes N or --h2d-ms T: it is"),
                (self.model + BYTES, "--kernel-ms T: it is missing"),
                (self.model + round_ms + "--flops 1e9",
                 "--flops: it has no effect alone; give --memory-bytes"),
                (self.model + round_ms + "--blocks 5", "ATGPU needs further numbers"),
                (self.model + "--h2d-bytes lots", "give bytes, such as"),
                (self.model + "--kernel-ms -1", "give milliseconds"),
                (self.model + round_ms + "--streams 0", "a whole number from 1"),
                (self.model + round_ms + "more", "unexpected argument"),
                (self.model + round_ms + "--h2d-ms 4",
                 "--h2d-bytes and --h2d-ms: they exclude each other"),
                (self.model + round_ms + "--d2h-ms 4",
                 "--d2h-bytes and --d2h-ms: they exclude"),
                (self.model + round_ms + "--connections 4",
                 "--connections: it has no effect alone; give --control"),
                (self.model + round_ms + "--peer", "--peer: it has no effect alone"),
                ("--control", "it is missing; give it, and --h2d-bytes"),
                (self.control, "--control: it needs the bytes of a message"),
                (self.control + "--h2d-bytes 0",
                 "--control: it needs the bytes of a message"),
                (self.control + round_ms, "--control: it excludes the options of rounds"),
                (self.control + BYTES + "--d2h-crossings 2", "excludes the options"),
                (self.control + BYTES + "--machine h200", "too many machines; give one"),
                (self.control + BYTES + "--connections 0", "a whole number from 1"),
                (self.control + BYTES + "--connections 65537",
                 "65537 is not allowed; give a whole number from 1 to 4096"),
                (self.control + BYTES + "--connections 33", "known to hold 32 at once"),
                ("--machine h200 --control " + BYTES + "--connections 529",
                 "known to hold 528 at once"),
                (self.control + "--h2d-bytes 0.1", "0.1 is not allowed; give bytes"),
                (self.model + round_ms + "--flops many", "give a number")):
            self.fails(options, text)


if __name__ == "__main__":
    XFERSPY, SOURCE = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
