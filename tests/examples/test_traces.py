#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The traces recorded on an H200 by examples/validate/measure.sh contain what the
programs are known to move. recorded.sh checks the predictions from them.

    test_traces.py XFERSPY SOURCE
"""
import json
import pathlib
import subprocess
import sys
import unittest

XFERSPY = SOURCE = ""
STENCIL_BYTES = 512**3 * 4
VECADD_BYTES = 10_000_000 * 4
TENSOR_BYTES = 262_144 * 4
TENSORS = 40
# Of each trace: rounds, one of them a warm-up; of a round bytes in and out, copies in and
# out, and kernels; sets. Each round copies in, computes and copies out; the set-up sets
# the device's buffers once.
KNOWN = {
    "stencil-512-pageable": (11, STENCIL_BYTES, STENCIL_BYTES, 1, 1, 1, 2),
    "stencil-512-pageable-static": (11, STENCIL_BYTES, STENCIL_BYTES, 1, 1, 1, 2),
    "stencil-512-pinned": (11, STENCIL_BYTES, STENCIL_BYTES, 1, 1, 1, 2),
    "vecadd-10000000-pageable": (11, 2 * VECADD_BYTES, VECADD_BYTES, 2, 1, 1, 3),
    "vecadd-10000000-pinned": (11, 2 * VECADD_BYTES, VECADD_BYTES, 2, 1, 1, 3),
    "tensors-40": (1, TENSORS * TENSOR_BYTES, TENSORS * TENSOR_BYTES, TENSORS, TENSORS,
                   TENSORS, 0)}


def report_of(trace):
    return json.loads(subprocess.run(
        [XFERSPY, "report", f"{SOURCE}/examples/traces/{trace}.xspy", "--machine",
         f"{SOURCE}/examples/validate/results/h200-machine.json", "--format", "json"],
        check=True, stdout=subprocess.PIPE).stdout)


class Traces(unittest.TestCase):
    def test_they_are_small(self):
        sizes = [trace.stat().st_size for folder in ("examples", "tests")
                 for trace in pathlib.Path(SOURCE, folder).rglob("*.xspy")]
        self.assertLess(max(sizes), 1_000_000)
        self.assertLess(sum(sizes), 15_000_000)

    def test_they_hold_what_the_programs_move(self):
        for trace, (rounds, h2d_bytes, d2h_bytes, h2d, d2h, kernels,
                    sets) in KNOWN.items():
            report = report_of(trace)
            phase, coverage = report["phases"][0], report["coverage"]
            ops = rounds * (h2d + d2h + kernels) + sets
            self.assertEqual(
                (phase["rounds"], phase["h2d_bytes"], phase["d2h_bytes"],
                 phase["h2d_ops"], phase["d2h_ops"]),
                (rounds, h2d_bytes, d2h_bytes, h2d, d2h), trace)
            self.assertEqual(
                (report["totals"]["h2d_bytes"], report["totals"]["d2h_bytes"]),
                (rounds * h2d_bytes, rounds * d2h_bytes), trace)
            self.assertEqual((coverage["gpu_ops_seen"], coverage["matched"],
                              coverage["lost"]), (ops, ops, 0), trace)

    def test_static_and_shared_name_the_same_lines(self):
        shared, static = (
            [(site["file"], site["line"], site["bytes"])
             for site in report_of(trace)["phases"][0]["sites"]]
            for trace in ("stencil-512-pageable", "stencil-512-pageable-static"))
        self.assertGreaterEqual(len(shared), 3)
        self.assertEqual(shared, static)
        self.assertNotIn(None, [name for name, _, _ in shared])


if __name__ == "__main__":
    XFERSPY, SOURCE = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
